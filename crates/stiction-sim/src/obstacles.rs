//! Obstacles and how they move.

use stiction::math::Vector;
use stiction::obstacle::{Obstacle, RigidVelocity};

use crate::boundary::Path;
use crate::error::{Error, Result};

/// Solids that bodies cannot enter. Where they are depends on nothing but the time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Obstacles<const D: usize> {
    /// Each at rest, and where it goes.
    solids: Vec<(Obstacle<D>, Path<D>)>,
}

impl<const D: usize> From<Vec<Obstacle<D>>> for Obstacles<D> {
    fn from(solids: Vec<Obstacle<D>>) -> Self {
        Self { solids: solids.into_iter().map(|solid| (solid, Path::default())).collect() }
    }
}

impl<const D: usize> Obstacles<D> {
    /// One more, which follows a path.
    ///
    /// # Errors
    /// If it would tilt on its way: steps are safe past solids that move straight. Planes turn about their normals, cylinders about lines along
    /// their axes, spheres about anything.
    pub fn push(&mut self, solid: Obstacle<D>, path: Path<D>) -> Result<()> {
        if path.axis().is_some_and(|axis| !solid.turns_into_itself(axis)) {
            return Err(Error::TiltingObstacle { obstacle: self.len() });
        }
        self.solids.push((solid, path));
        Ok(())
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
        let place = |(solid, path): &(Obstacle<D>, Path<D>)| {
            let rest = solid.point();
            // Not moved at all, rather than by zero that was rounded.
            if *path == Path::default() { *solid } else { solid.moved(path.place(rest, t) - rest) }
        };
        self.solids.iter().map(place).collect()
    }

    /// Their mean velocities between two times in s; none if none can move.
    ///
    /// # Errors
    /// If a path has no value at one of the times.
    pub fn velocities(&self, from: f64, to: f64) -> Result<Vec<RigidVelocity<D>>> {
        if self.solids.iter().all(|(_, path)| *path == Path::default()) {
            return Ok(Vec::new());
        }
        let rate = 1.0 / (to - from);
        let mean = |(obstacle, (solid, path)): (usize, &(Obstacle<D>, Path<D>))| {
            let [before, after] = [from, to].map(|t| path.place(solid.point(), t));
            let spin: Vec<f64> = path.angle_between(from, to).iter().map(|angle| angle * rate).collect();
            RigidVelocity::turning((after - before) * rate, &spin, after)
                .map_err(|_| Error::NoPlace { obstacle, time: to })
        };
        self.solids.iter().enumerate().map(mean).collect()
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

    fn turning(point: [f64; 3], axis: [f64; 3]) -> Path<3> {
        let angle = Signal::Formula(Formula::parse("2 * t").unwrap());
        Path::default().with_turn(Turn::new(Vector(point), Vector(axis), angle).unwrap())
    }

    #[test]
    fn a_ball_goes_round_and_spins() {
        let ball = Obstacle::Sphere(Sphere::new(Vector([1.0, 0.0, 0.0]), 0.5).unwrap());
        let mut obstacles = Obstacles::default();
        obstacles.push(ball, turning([0.0; 3], [0.0, 0.0, 1.0])).unwrap();
        let there = obstacles.at(std::f64::consts::FRAC_PI_4)[0].point();
        assert!((there - Vector([0.0, 1.0, 0.0])).norm() < 1e-15);
        let [motion] = obstacles.velocities(0.0, 1e-6).unwrap().try_into().unwrap();
        // As a rigid body: the far side moves faster.
        assert!((motion.at(Vector([1.5, 0.0, 0.0])) - Vector([0.0, 3.0, 0.0])).norm() < 1e-5);
    }

    #[test]
    fn what_does_not_move_has_no_velocities() {
        let plane = Obstacle::Plane(Plane::new(Vector([0.1, 0.2]), Vector([0.0, 1.0])).unwrap());
        let fixed = Obstacles::from(vec![plane]);
        assert!(fixed.velocities(0.0, 1.0).unwrap().is_empty());
        assert_eq!(fixed.at(3.0), [plane]);
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
    fn a_path_without_a_value_is_an_error() {
        let ball = Obstacle::Sphere(Sphere::new(Vector([0.0, 0.0]), 0.5).unwrap());
        let formulas = ["sqrt(1 - t)", "0"].map(|text| Formula::parse(text).unwrap());
        let mut obstacles = Obstacles::default();
        obstacles.push(ball, Path::by_formulas(formulas)).unwrap();
        assert!(obstacles.velocities(0.0, 1.0).is_ok());
        let message = obstacles.velocities(0.5, 1.5).unwrap_err().to_string();
        assert!(message.contains("obstacle 0") && message.contains("1.5 s"), "{message}");
    }
}
