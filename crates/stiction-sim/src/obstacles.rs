//! Obstacles and how they move.

use std::collections::BTreeMap;

use stiction::math::Vector;
use stiction::obstacle::{Obstacle, RigidVelocity};

use crate::boundary::Trajectory;
use crate::error::{Error, Result};

/// Solids that bodies cannot enter. Where they are depends on nothing but the time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Obstacles<const D: usize> {
    /// Each at rest, and where it goes.
    solids: Vec<(Obstacle<D>, Trajectory<D>)>,
    /// Names of some, by number.
    names: BTreeMap<usize, String>,
}

impl<const D: usize> From<Vec<Obstacle<D>>> for Obstacles<D> {
    fn from(solids: Vec<Obstacle<D>>) -> Self {
        let solids = solids.into_iter().map(|solid| (solid, Trajectory::default())).collect();
        Self { solids, names: BTreeMap::new() }
    }
}

impl<const D: usize> Obstacles<D> {
    /// One more, which follows a trajectory.
    ///
    /// # Errors
    /// If it would tilt on its way: steps are safe past solids that move straight. Planes turn about their normals, cylinders about lines along
    /// their axes, spheres about anything.
    pub fn push(&mut self, solid: Obstacle<D>, trajectory: Trajectory<D>) -> Result<()> {
        if trajectory.axis().is_some_and(|axis| !solid.turns_into_itself(axis)) {
            return Err(Error::TiltingObstacle { obstacle: self.len() });
        }
        self.solids.push((solid, trajectory));
        Ok(())
    }

    /// Gives the last one a name.
    pub fn name_last(&mut self, name: String) {
        if let Some(last) = self.solids.len().checked_sub(1) {
            self.names.insert(last, name);
        }
    }

    /// Their names, none of which is in `taken`: those they were given, and `plane1`, `sphere1`, `cylinder1` and so on for the others.
    pub fn names(&self, taken: &[&str]) -> Vec<String> {
        let is_free = |name: &str| !taken.contains(&name) && self.names.values().all(|other| other != name);
        let mut counts = BTreeMap::new();
        let mut name = |(index, (solid, _)): (usize, &(Obstacle<D>, Trajectory<D>))| {
            if let Some(name) = self.names.get(&index) {
                return name.clone();
            }
            let kind = solid.kind_name();
            let count = counts.entry(kind).or_insert(0_usize);
            loop {
                *count += 1;
                let name = format!("{kind}{count}");
                if is_free(&name) {
                    return name;
                }
            }
        };
        self.solids.iter().enumerate().map(&mut name).collect()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.solids.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.solids.is_empty()
    }

    /// All of them where they are at time `t` in s.
    pub fn at(&self, t: f64) -> Vec<Obstacle<D>> {
        let place = |(solid, trajectory): &(Obstacle<D>, Trajectory<D>)| match solid {
            // Not moved at all, rather than by zero that was rounded.
            _ if *trajectory == Trajectory::default() => *solid,
            // Along itself it stays what it is, and its point where numbers are exact.
            Obstacle::Plane(plane) => {
                let normal = plane.normal();
                solid.moved(normal * normal.dot(trajectory.at(t)))
            }
            _ => solid.moved(trajectory.place(solid.point(), t) - solid.point()),
        };
        self.solids.iter().map(place).collect()
    }

    /// Checks that all have places at time `t` in s.
    ///
    /// # Errors
    /// Naming the first whose trajectory has no value then.
    pub fn check_at(&self, t: f64) -> Result<()> {
        // A plane may run along itself by what is no number.
        let lost = |(solid, trajectory): &(Obstacle<D>, Trajectory<D>)| {
            !trajectory.place(solid.point(), t).is_finite()
        };
        match self.solids.iter().position(lost) {
            Some(obstacle) => Err(Error::NoPlace { obstacle, time: t }),
            None => Ok(()),
        }
    }

    /// Their mean motions between two times in s, at which all have places; none if none can move.
    pub fn drifts(&self, from: f64, to: f64) -> Vec<Drift<D>> {
        if self.solids.iter().all(|(_, trajectory)| *trajectory == Trajectory::default()) {
            return Vec::new();
        }
        self.solids.iter().map(|(solid, trajectory)| Drift::new(solid, trajectory, from, to)).collect()
    }
}

/// The mean motion of an obstacle in a step: a velocity, and a turn about a centre that it takes along.
#[derive(Clone, Debug, PartialEq)]
pub struct Drift<const D: usize> {
    /// Velocity of the centre, in m/s.
    pub velocity: Vector<D>,
    /// The spin in rad/s: one number in 2D, three in 3D, none without a turn.
    spin: Vec<f64>,
    /// The centre at the start and at the end, in m.
    centers: [Vector<D>; 2],
}

impl<const D: usize> Drift<D> {
    /// Between two times in s.
    fn new(solid: &Obstacle<D>, trajectory: &Trajectory<D>, from: f64, to: f64) -> Self {
        // A plane has no place along itself: it turns about the axis of its trajectory. Balls turn about themselves, wherever that takes them.
        let center = |t| match (solid, trajectory.center()) {
            (Obstacle::Plane(_), Some(point)) => point + trajectory.at(t),
            (Obstacle::Plane(plane), None) => plane.point() + trajectory.at(t),
            _ => trajectory.place(solid.point(), t),
        };
        let (centers, rate) = ([from, to].map(center), 1.0 / (to - from));
        let spin = trajectory.angle_between(from, to).iter().map(|angle| angle * rate).collect();
        Self { velocity: (centers[1] - centers[0]) * rate, spin, centers }
    }

    /// As a velocity of every point, with the centre where it is at the start of the step or at its end.
    ///
    /// # Errors
    /// If it has no value.
    pub fn rigid(&self, at_end: bool) -> Result<RigidVelocity<D>> {
        if self.velocity == Vector::ZERO && self.spin.iter().all(|spin| *spin == 0.0) {
            return Ok(RigidVelocity::REST);
        }
        Ok(RigidVelocity::turning(self.velocity, &self.spin, self.centers[usize::from(at_end)])?)
    }
}

/// What is still missing of the ways of obstacles to where they should be, in m.
pub(crate) fn missing<const D: usize>(now: &[Obstacle<D>], targets: &[Obstacle<D>]) -> Vec<Vector<D>> {
    now.iter().zip(targets).map(|(now, target)| target.point() - now.point()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::Turn;
    use crate::formula::Formula;
    use crate::signal::Signal;
    use stiction::obstacle::{Plane, Sphere};

    fn turning(point: [f64; 3], axis: [f64; 3]) -> Trajectory<3> {
        let angle = Signal::Formula(Formula::parse("2 * t").unwrap());
        Trajectory::default().with_turn(Turn::new(Vector(point), Vector(axis), angle).unwrap())
    }

    #[test]
    fn a_ball_goes_round_and_spins() {
        let ball = Obstacle::Sphere(Sphere::new(Vector([1.0, 0.0, 0.0]), 0.5).unwrap());
        let mut obstacles = Obstacles::default();
        obstacles.push(ball, turning([0.0; 3], [0.0, 0.0, 1.0])).unwrap();
        let there = obstacles.at(std::f64::consts::FRAC_PI_4)[0].point();
        assert!((there - Vector([0.0, 1.0, 0.0])).norm() < 1e-15);
        let [drift] = obstacles.drifts(0.0, 0.1).try_into().unwrap();
        // As a rigid body that goes along the chord: the far side moves faster by what the radius turns.
        let far = [false, true].map(|at_end| {
            let center = obstacles.at(if at_end { 0.1 } else { 0.0 })[0].point();
            drift.rigid(at_end).unwrap().at(center + Vector([0.5, 0.0, 0.0]))
        });
        let chord = obstacles.at(0.1)[0].point() - ball.point();
        for velocity in far {
            assert!((velocity - chord * 10.0 - Vector([0.0, 1.0, 0.0])).norm() < 1e-13);
        }
    }

    #[test]
    fn what_does_not_move_has_no_velocities() {
        let plane = Obstacle::Plane(Plane::new(Vector([0.1, 0.2]), Vector([0.0, 1.0])).unwrap());
        let fixed = Obstacles::from(vec![plane]);
        assert!(fixed.drifts(0.0, 1.0).is_empty());
        assert_eq!(fixed.at(3.0), [plane]);
        let mut both = fixed;
        both.push(plane, Trajectory::default().with_velocity(Vector([1.0, 0.0]))).unwrap();
        let rest = both.drifts(0.0, 1.0)[0].rigid(false).unwrap();
        assert_eq!(rest, RigidVelocity::REST);
    }

    /// A plane is the same whichever of its points it is given by, and along itself it does not move.
    #[test]
    fn planes_have_no_place_along_themselves() {
        let drift = |point: [f64; 3]| {
            let plane = Obstacle::Plane(Plane::new(Vector(point), Vector([0.0, 1.0, 0.0])).unwrap());
            let mut obstacles = Obstacles::default();
            let trajectory = turning([0.3, 0.0, 0.0], [0.0, 1.0, 0.0]).with_velocity(Vector([1.0, 0.5, 0.0]));
            obstacles.push(plane, trajectory).unwrap();
            assert!((obstacles.at(2.0)[0].point() - Vector(point) - Vector([0.0, 1.0, 0.0])).norm() < 1e-15);
            obstacles.drifts(1.0, 1.1)[0].rigid(false).unwrap()
        };
        let p = Vector([0.7, 0.5, -0.2]);
        assert_eq!(drift([0.0; 3]).at(p), drift([50.0, 0.0, 3.0]).at(p));
        // About the axis, which has gone 1 m by then: ω × r.
        let arm = p - Vector([1.3, 0.5, 0.0]);
        let expected = Vector([1.0 + 2.0 * arm[2], 0.5, -2.0 * arm[0]]);
        assert!((drift([0.0; 3]).at(p) - expected).norm() < 1e-12);
    }

    #[test]
    fn planes_turn_about_their_normals_only() {
        let plane = Obstacle::Plane(Plane::new(Vector([0.0; 3]), Vector([0.0, 1.0, 0.0])).unwrap());
        let mut obstacles = Obstacles::default();
        obstacles.push(plane, turning([0.3, 0.0, 0.0], [0.0, -2.0, 0.0])).unwrap();
        let message = obstacles.push(plane, turning([0.0; 3], [0.0, 1.0, 0.1])).unwrap_err().to_string();
        assert!(message.contains("obstacle 1"), "{message}");
        assert_eq!(obstacles.len(), 1);
    }

    #[test]
    fn a_trajectory_without_a_value_is_an_error() {
        let ball = Obstacle::Sphere(Sphere::new(Vector([0.0, 0.0]), 0.5).unwrap());
        let formulas = ["sqrt(1 - t)", "0"].map(|text| Formula::parse(text).unwrap());
        let mut obstacles = Obstacles::default();
        obstacles.push(ball, Trajectory::by_formulas(formulas)).unwrap();
        assert!(obstacles.check_at(1.0).is_ok());
        let message = obstacles.check_at(1.5).unwrap_err().to_string();
        assert!(message.contains("obstacle 0") && message.contains("1.5 s"), "{message}");
    }
}
