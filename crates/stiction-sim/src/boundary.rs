//! Nodes whose positions are given: fixed ones and moving ones.

use std::collections::BTreeMap;

use stiction::math::Vector;

use crate::error::{Error, Result};
use crate::formula::Formula;
use crate::signal::Signal;

/// Where something goes: it turns about an axis, and is displaced. Without either: at rest.
///
/// ```text
/// x(t) = c + R(φ(t)) (X − c) + u(t)
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trajectory<const D: usize> {
    /// `u` at key frames, with straight lines between them; constant before the first and after the last.
    frames: Vec<(f64, Vector<D>)>,
    /// `u` as formulas, one for each axis.
    formulas: Option<[Formula; D]>,
    /// A velocity in m/s that adds to `u`.
    velocity: Option<Vector<D>>,
    turn: Option<Turn<D>>,
}

/// A rotation about an axis that stays where it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn<const D: usize> {
    /// `c`: a point of the axis, in m.
    pub point: Vector<D>,
    /// The direction of the axis, of length 1; in 2D the axis is out of the plane, and this means nothing.
    pub axis: Vector<D>,
    /// `φ` in rad, against the clock seen from where the axis points to.
    pub angle: Signal,
}

impl<const D: usize> Turn<D> {
    /// A rotation about an axis of any length.
    ///
    /// # Errors
    /// If a number is not finite, or in 3D the axis has no direction.
    pub fn new(point: Vector<D>, axis: Vector<D>, angle: Signal) -> Result<Self> {
        let length = axis.norm();
        if D == 3 && !(length > 0.0 && length.is_finite()) || !point.is_finite() {
            let must = "finite and not zero";
            return Err(Error::BadParameter { name: "axis of a rotation", value: length, must });
        }
        let axis = if D == 3 { axis * (1.0 / length) } else { axis };
        Ok(Self { point, axis, angle })
    }

    fn of(&self, x: Vector<D>, t: f64) -> Vector<D> {
        let (sin, cos) = self.angle.at(t).sin_cos();
        let r = x - self.point;
        let mut turned = r * cos;
        if D == 2 {
            turned[0] -= r[1] * sin;
            turned[1] += r[0] * sin;
            return self.point + turned;
        }
        turned += self.axis * (self.axis.dot(r) * (1.0 - cos));
        for k in 0..D {
            let (i, j) = ((k + 1) % D, (k + 2) % D);
            turned[k] += sin * (self.axis[i] * r[j] - self.axis[j] * r[i]);
        }
        self.point + turned
    }
}

impl<const D: usize> Trajectory<D> {
    /// Straight lines through these times (in s, ascending) and displacements (in m).
    ///
    /// # Errors
    /// If a number is not finite or the times do not ascend.
    pub fn new(frames: Vec<(f64, Vector<D>)>) -> Result<Self> {
        let mut last = f64::NEG_INFINITY;
        for &(time, displacement) in &frames {
            if !(time > last && time.is_finite() && displacement.is_finite()) {
                let must = "finite and later than the one before";
                return Err(Error::BadParameter { name: "time of a key frame", value: time, must });
            }
            last = time;
        }
        Ok(Self { frames, ..Self::default() })
    }

    /// Displacements in m by formulas of the time.
    pub fn by_formulas(formulas: [Formula; D]) -> Self {
        Self { formulas: Some(formulas), ..Self::default() }
    }

    /// The same with a velocity, in m/s, that it has besides.
    pub fn with_velocity(self, velocity: Vector<D>) -> Self {
        Self { velocity: Some(velocity), ..self }
    }

    /// The same with a rotation before the displacement.
    pub fn with_turn(self, turn: Turn<D>) -> Self {
        Self { turn: Some(turn), ..self }
    }

    /// The displacement `u` at time `t`.
    pub fn at(&self, t: f64) -> Vector<D> {
        let drift = self.velocity.map_or(Vector::ZERO, |velocity| velocity * t);
        match &self.formulas {
            Some(formulas) => drift + Vector(std::array::from_fn(|k| formulas[k].at(t))),
            None => drift + self.between_frames(t),
        }
    }

    fn between_frames(&self, t: f64) -> Vector<D> {
        let after = self.frames.partition_point(|&(time, _)| time <= t);
        match (after.checked_sub(1).map(|i| self.frames[i]), self.frames.get(after)) {
            (None, None) => Vector::ZERO,
            (None, Some(&(_, first))) => first,
            (Some((_, last)), None) => last,
            (Some((t0, a)), Some(&(t1, b))) => a + (b - a) * ((t - t0) / (t1 - t0)),
        }
    }

    /// Whether nothing is ever displaced, but for a turn.
    pub fn is_still(&self) -> bool {
        let still = |velocity: Vector<D>| velocity == Vector::ZERO;
        self.formulas.is_none()
            && self.velocity.is_none_or(still)
            && self.frames.iter().all(|&(_, u)| still(u))
    }

    /// The axis that it turns about, if it turns; nothing useful in 2D.
    pub fn axis(&self) -> Option<Vector<D>> {
        self.turn.as_ref().map(|turn| turn.axis)
    }

    /// A point of that axis before the displacement, in m.
    pub fn center(&self) -> Option<Vector<D>> {
        self.turn.as_ref().map(|turn| turn.point)
    }

    /// By how much it turns from one time to another, in rad: one number in 2D, a vector along the axis in 3D, none without a turn.
    pub fn angle_between(&self, from: f64, to: f64) -> Vec<f64> {
        let Some(turn) = &self.turn else { return Vec::new() };
        let angle = turn.angle.at(to) - turn.angle.at(from);
        if D == 2 { vec![angle] } else { (turn.axis * angle).0.to_vec() }
    }

    /// Where what was at `rest` is at time `t`.
    pub fn place(&self, rest: Vector<D>, t: f64) -> Vector<D> {
        let turned = self.turn.as_ref().map_or(rest, |turn| turn.of(rest, t));
        turned + self.at(t)
    }
}

/// The prescribed nodes of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Boundary<const D: usize> {
    /// The number of the trajectory of each prescribed node.
    nodes: BTreeMap<u32, u32>,
    trajectories: Vec<Trajectory<D>>,
}

impl<const D: usize> Boundary<D> {
    /// Makes the nodes follow a trajectory from their rest positions; a later call for the same node wins.
    pub fn prescribe(&mut self, nodes: impl IntoIterator<Item = u32>, trajectory: Trajectory<D>) {
        let number = self.trajectories.len() as u32;
        self.trajectories.push(trajectory);
        self.nodes.extend(nodes.into_iter().map(|node| (node, number)));
    }

    /// The number of the trajectory that a node follows, in the order in which they were prescribed.
    pub fn trajectory_of(&self, node: u32) -> Option<usize> {
        self.nodes.get(&node).map(|number| *number as usize)
    }

    /// A trajectory by its number.
    ///
    /// # Panics
    /// If there is no such trajectory.
    pub fn trajectory(&self, number: usize) -> &Trajectory<D> {
        &self.trajectories[number]
    }

    /// For every trajectory the number of the first that is equal to it.
    pub(crate) fn alike(&self) -> Vec<usize> {
        let mut distinct: Vec<usize> = Vec::new();
        let mut first = |(number, trajectory): (usize, &Trajectory<D>)| {
            let known = distinct.iter().find(|known| self.trajectories[**known] == *trajectory);
            known.copied().unwrap_or_else(|| {
                distinct.push(number);
                number
            })
        };
        self.trajectories.iter().enumerate().map(&mut first).collect()
    }

    /// The prescribed nodes, ascending.
    pub fn nodes(&self) -> impl Iterator<Item = u32> {
        self.nodes.keys().copied()
    }

    /// For every node of a model with `count` of them whether it is prescribed.
    ///
    /// # Errors
    /// If a prescribed node does not exist.
    pub fn mask(&self, count: usize) -> Result<Vec<bool>> {
        let mut mask = vec![false; count];
        for (index, node) in self.nodes().enumerate() {
            let Some(entry) = mask.get_mut(node as usize) else {
                let (what, value) = ("prescribed node", f64::from(node));
                let must = "smaller than the number of nodes";
                return Err(stiction::error::Error::BadEntry { what, index, value, must }.into());
            };
            *entry = true;
        }
        Ok(mask)
    }

    /// Where the prescribed nodes should be at time `t`.
    ///
    /// # Panics
    /// If a prescribed node does not exist.
    pub fn targets(&self, rest: &[Vector<D>], t: f64) -> Vec<(u32, Vector<D>)> {
        let place = |(&node, &number): (&u32, &u32)| {
            (node, self.trajectories[number as usize].place(rest[node as usize], t))
        };
        self.nodes.iter().map(place).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trajectory_is_linear_between_its_frames() {
        let trajectory =
            Trajectory::new(vec![(1.0, Vector([0.0, 0.0])), (3.0, Vector([2.0, -4.0]))]).unwrap();
        assert_eq!(trajectory.at(0.0), Vector([0.0, 0.0]));
        assert_eq!(trajectory.at(2.0), Vector([1.0, -2.0]));
        assert_eq!(trajectory.at(9.0), Vector([2.0, -4.0]));
        assert_eq!(Trajectory::<2>::default().at(1.0), Vector::ZERO);
        assert!(Trajectory::new(vec![(1.0, Vector([0.0])), (1.0, Vector([0.0]))]).is_err());
    }

    #[test]
    fn what_turns_stays_as_far_from_the_axis() {
        let quarter = || Signal::Constant(std::f64::consts::FRAC_PI_2);
        let near = |a: Vector<3>, b: [f64; 3]| (a - Vector(b)).norm() < 1e-15;
        let turn = Turn::new(Vector([1.0, 0.0, 0.0]), Vector([0.0, 0.0, 2.0]), quarter()).unwrap();
        let lifted = Trajectory::new(vec![(0.0, Vector([0.0, 0.0, 5.0]))]).unwrap().with_turn(turn);
        assert!(near(lifted.place(Vector([2.0, 0.0, 7.0]), 1.0), [1.0, 1.0, 12.0]));
        let turn = Turn::new(Vector([1.0, 0.0]), Vector([0.0, 0.0]), quarter()).unwrap();
        let flat = Trajectory::default().with_turn(turn).place(Vector([2.0, 0.0]), 1.0);
        assert!((flat - Vector([1.0, 1.0])).norm() < 1e-15);
        assert!(Turn::new(Vector([0.0; 3]), Vector([0.0; 3]), quarter()).is_err());
        let formulas = ["t", "2 * t"].map(|text| Formula::parse(text).unwrap());
        assert_eq!(Trajectory::by_formulas(formulas).place(Vector([1.0, 1.0]), 3.0), Vector([4.0, 7.0]));
    }

    #[test]
    fn the_later_prescription_wins() {
        let mut boundary = Boundary::default();
        boundary.prescribe([5, 2], Trajectory::default());
        boundary.prescribe([5], Trajectory::new(vec![(0.0, Vector([1.0]))]).unwrap());
        assert_eq!(boundary.nodes().collect::<Vec<_>>(), [2, 5]);
        assert_eq!(boundary.targets(&[Vector([0.0]); 6], 0.0), [(2, Vector([0.0])), (5, Vector([1.0]))]);
        assert_eq!(boundary.mask(6).unwrap(), [false, false, true, false, false, true]);
        let message = boundary.mask(5).unwrap_err().to_string();
        assert!(message.contains("prescribed node") && message.contains('5'), "{message}");
    }

    #[test]
    fn equal_trajectories_have_the_number_of_the_first() {
        let mut boundary = Boundary::default();
        let shift = |by: f64| Trajectory::new(vec![(0.0, Vector([by]))]).unwrap();
        for (node, by) in [1.0, 2.0, 1.0, 3.0, 2.0, 1.0].into_iter().enumerate() {
            boundary.prescribe([node as u32], shift(by));
        }
        assert_eq!(boundary.alike(), [0, 1, 0, 3, 1, 0]);
        assert_eq!(boundary.trajectory_of(2), Some(2));
    }
}
