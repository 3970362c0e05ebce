//! Vertices whose positions are given: fixed ones and moving ones.

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
    /// A path through these times (in s, ascending) and displacements (in m).
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

/// The prescribed vertices of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Boundary<const D: usize> {
    /// Which path each prescribed vertex follows, ascending by vertex.
    vertices: Vec<(u32, u32)>,
    paths: Vec<Trajectory<D>>,
}

impl<const D: usize> Boundary<D> {
    /// Makes the vertices follow a path from their rest positions; a later call for the same vertex wins.
    pub fn prescribe(&mut self, vertices: impl IntoIterator<Item = u32>, path: Trajectory<D>) {
        let index = self.paths.len() as u32;
        self.paths.push(path);
        self.vertices.extend(vertices.into_iter().map(|vertex| (vertex, index)));
        // Stable: of several paths of a vertex, the latest comes last.
        self.vertices.sort_by_key(|&(vertex, _)| vertex);
        self.vertices.dedup_by(|later, earlier| {
            let again = later.0 == earlier.0;
            if again {
                earlier.1 = later.1;
            }
            again
        });
    }

    /// The number of the path that a vertex follows, in the order in which they were prescribed.
    pub fn path_of(&self, vertex: u32) -> Option<usize> {
        let place = self.vertices.binary_search_by_key(&vertex, |&(v, _)| v).ok()?;
        Some(self.vertices[place].1 as usize)
    }

    /// A path by its number.
    ///
    /// # Panics
    /// If there is no such path.
    pub fn path(&self, number: usize) -> &Trajectory<D> {
        &self.paths[number]
    }

    /// Whether no vertex is prescribed.
    pub fn is_empty(&self) -> bool {
        self.vertices.is_empty()
    }

    /// The prescribed vertices, ascending.
    pub fn vertices(&self) -> impl Iterator<Item = u32> {
        self.vertices.iter().map(|&(vertex, _)| vertex)
    }

    /// For every vertex of a model with `count` of them whether it is prescribed.
    pub fn mask(&self, count: usize) -> Vec<bool> {
        let mut mask = vec![false; count];
        for vertex in self.vertices() {
            mask[vertex as usize] = true;
        }
        mask
    }

    /// Where the prescribed vertices should be at time `t`.
    pub fn targets(&self, rest: &[Vector<D>], t: f64) -> Vec<(u32, Vector<D>)> {
        let place = |&(vertex, path): &(u32, u32)| {
            (vertex, self.paths[path as usize].place(rest[vertex as usize], t))
        };
        self.vertices.iter().map(place).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_linear_between_its_frames() {
        let path = Trajectory::new(vec![(1.0, Vector([0.0, 0.0])), (3.0, Vector([2.0, -4.0]))]).unwrap();
        assert_eq!(path.at(0.0), Vector([0.0, 0.0]));
        assert_eq!(path.at(2.0), Vector([1.0, -2.0]));
        assert_eq!(path.at(9.0), Vector([2.0, -4.0]));
        assert_eq!(Trajectory::<2>::default().at(1.0), Vector::ZERO);
        assert!(Trajectory::new(vec![(1.0, Vector([0.0])), (1.0, Vector([0.0]))]).is_err());
    }

    #[test]
    fn what_turns_stays_as_far_from_the_axis() {
        let quarter = || Signal::Constant(std::f64::consts::FRAC_PI_2);
        let near = |a: Vector<3>, b: [f64; 3]| (a - Vector(b)).norm() < 1e-15;
        let turn = Turn::new(Vector([1.0, 0.0, 0.0]), Vector([0.0, 0.0, 2.0]), quarter()).unwrap();
        let path = Trajectory::new(vec![(0.0, Vector([0.0, 0.0, 5.0]))]).unwrap().with_turn(turn);
        assert!(near(path.place(Vector([2.0, 0.0, 7.0]), 1.0), [1.0, 1.0, 12.0]));
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
        assert_eq!(boundary.vertices().collect::<Vec<_>>(), [2, 5]);
        assert_eq!(boundary.targets(&[Vector([0.0]); 6], 0.0), [(2, Vector([0.0])), (5, Vector([1.0]))]);
        assert_eq!(boundary.mask(6), [false, false, true, false, false, true]);
    }
}
