//! Solids given by a formula, which nothing can enter.

use crate::error::{Error, Result};
use crate::math::{Matrix, Vector};

/// A half-space: everything behind a plane is solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane<const D: usize> {
    point: Vector<D>,
    normal: Vector<D>,
}

impl<const D: usize> Plane<D> {
    /// The plane through `point`, with free space on the side that `normal` (of any length) points to.
    ///
    /// # Errors
    /// If an entry is not finite or the normal has no length.
    pub fn new(point: Vector<D>, normal: Vector<D>) -> Result<Self> {
        check_finite("point of plane", point)?;
        Ok(Self { point, normal: direction("normal of plane", normal)? })
    }

    /// A point of the plane.
    pub fn point(&self) -> Vector<D> {
        self.point
    }

    /// The unit normal.
    pub fn normal(&self) -> Vector<D> {
        self.normal
    }
}

/// A solid ball; a disc in 2D.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere<const D: usize> {
    center: Vector<D>,
    radius: f64,
}

impl<const D: usize> Sphere<D> {
    /// The ball of this radius, in m.
    ///
    /// # Errors
    /// If an entry is not finite or the radius is not positive.
    pub fn new(center: Vector<D>, radius: f64) -> Result<Self> {
        check_finite("centre of sphere", center)?;
        Ok(Self { center, radius: check_radius("radius of sphere", radius)? })
    }

    /// The centre.
    pub fn center(&self) -> Vector<D> {
        self.center
    }

    /// The radius in m.
    pub fn radius(&self) -> f64 {
        self.radius
    }
}

/// A solid cylinder without ends, in 3D.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder<const D: usize> {
    point: Vector<D>,
    axis: Vector<D>,
    radius: f64,
}

impl Cylinder<3> {
    /// The cylinder of this radius (in m) around the line through `point` along `axis` (of any length).
    ///
    /// # Errors
    /// If an entry is not finite, the axis has no length, or the radius is not positive.
    pub fn new(point: Vector<3>, axis: Vector<3>, radius: f64) -> Result<Self> {
        Self::checked(point, axis, radius)
    }
}

impl<const D: usize> Cylinder<D> {
    fn checked(point: Vector<D>, axis: Vector<D>, radius: f64) -> Result<Self> {
        check_finite("point of cylinder", point)?;
        let axis = direction("axis of cylinder", axis)?;
        Ok(Self { point, axis, radius: check_radius("radius of cylinder", radius)? })
    }

    /// A point of the axis.
    pub fn point(&self) -> Vector<D> {
        self.point
    }

    /// The unit vector along the axis.
    pub fn axis(&self) -> Vector<D> {
        self.axis
    }

    /// The radius in m.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// From the closest point of the axis to `x`.
    fn axis_to(&self, x: Vector<D>) -> Vector<D> {
        let r = x - self.point;
        r - self.axis * r.dot(self.axis)
    }
}

/// A solid given by a formula.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Obstacle<const D: usize> {
    /// A half-space.
    Plane(Plane<D>),
    /// A ball.
    Sphere(Sphere<D>),
    /// A cylinder without ends (3D).
    Cylinder(Cylinder<D>),
}

impl<const D: usize> Obstacle<D> {
    /// The cylinder of this radius (in m) around the line through `point` along `axis` (of any length).
    ///
    /// # Errors
    /// As for [`Cylinder::new`], and in 2D.
    pub fn cylinder(point: Vector<D>, axis: Vector<D>, radius: f64) -> Result<Self> {
        if D != 3 {
            let (name, value) = ("dimension of cylinder", D as f64);
            return Err(Error::BadParameter { name, value, must: "3: in 2D a sphere is a disc" });
        }
        Cylinder::checked(point, axis, radius).map(Self::Cylinder)
    }

    /// What it is: `plane`, `sphere` or `cylinder`.
    pub fn kind_name(&self) -> &'static str {
        match self {
            Self::Plane(_) => "plane",
            Self::Sphere(_) => "sphere",
            Self::Cylinder(_) => "cylinder",
        }
    }

    /// Signed distance of a point, in m: negative inside the solid.
    ///
    /// ```text
    /// plane  n·(x − o)        sphere  |x − o| − R        cylinder  |(I − aaᵀ)(x − o)| − R
    /// ```
    #[inline]
    pub fn distance(&self, x: Vector<D>) -> f64 {
        match self {
            Self::Plane(plane) => plane.normal.dot(x - plane.point),
            Self::Sphere(sphere) => (x - sphere.center).norm() - sphere.radius,
            Self::Cylinder(cylinder) => cylinder.axis_to(x).norm() - cylinder.radius,
        }
    }

    /// Gradient of the distance: the unit normal at the closest point; zero at the centre of a sphere and on
    /// the axis of a cylinder.
    #[inline]
    pub fn normal(&self, x: Vector<D>) -> Vector<D> {
        match self {
            Self::Plane(plane) => plane.normal,
            Self::Sphere(sphere) => (x - sphere.center).normalized(),
            Self::Cylinder(cylinder) => cylinder.axis_to(x).normalized(),
        }
    }

    /// Hessian of the distance, in 1/m; zero where the normal is.
    ///
    /// ```text
    /// plane  0        sphere  (I − nnᵀ)/|x − o|        cylinder  (I − nnᵀ − aaᵀ)/|(I − aaᵀ)(x − o)|
    /// ```
    #[inline]
    pub fn curvature(&self, x: Vector<D>) -> Matrix<D> {
        let (flat, radius) = match self {
            Self::Plane(_) => return Matrix::ZERO,
            Self::Sphere(sphere) => (Matrix::ZERO, (x - sphere.center).norm()),
            Self::Cylinder(cylinder) => (cylinder.axis.outer(cylinder.axis), cylinder.axis_to(x).norm()),
        };
        let n = self.normal(x);
        if radius > 0.0 { (Matrix::scalar(1.0) - n.outer(n) - flat) * (1.0 / radius) } else { Matrix::ZERO }
    }

    /// A point that moves with it: of the plane, the centre, of the axis.
    pub fn point(&self) -> Vector<D> {
        match self {
            Self::Plane(plane) => plane.point,
            Self::Sphere(sphere) => sphere.center,
            Self::Cylinder(cylinder) => cylinder.point,
        }
    }

    /// Whether a turn about any line along the unit vector `axis` does no more than move it: about lines along the normal of a plane or the
    /// axis of a cylinder, and all about a sphere. In 2D, where lines to turn about leave the plane, a plane never does.
    pub fn turns_into_itself(&self, axis: Vector<D>) -> bool {
        let own = match self {
            Self::Plane(plane) => plane.normal,
            Self::Sphere(_) => return true,
            Self::Cylinder(cylinder) => cylinder.axis,
        };
        // As exact as axes are that people write down.
        D == 3 && axis.dot(own).abs() >= 1.0 - 1e-12
    }

    /// The same solid, moved by `p` (in m).
    pub fn moved(&self, p: Vector<D>) -> Self {
        let mut obstacle = *self;
        match &mut obstacle {
            Self::Plane(plane) => plane.point += p,
            Self::Sphere(sphere) => sphere.center += p,
            Self::Cylinder(cylinder) => cylinder.point += p,
        }
        obstacle
    }
}

/// How a rigid solid moves at one moment.
///
/// ```text
/// v(p) = v₀ + ω × (p − o)          v₀ in m/s, ω in rad/s
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidVelocity<const D: usize> {
    velocity: Vector<D>,
    /// `[ω]×`, in 1/s.
    rate: Matrix<D>,
    about: Vector<D>,
}

impl<const D: usize> RigidVelocity<D> {
    /// No motion.
    pub const REST: Self = Self { velocity: Vector::ZERO, rate: Matrix::ZERO, about: Vector::ZERO };

    /// Every point with the same velocity, in m/s.
    ///
    /// # Errors
    /// If an entry is not finite.
    pub fn translation(velocity: Vector<D>) -> Result<Self> {
        Self { velocity, ..Self::REST }.checked()
    }

    /// The `velocity` of the point `about`, and a turn around it by `spin` in rad/s: one number in 2D, three in 3D, none for no turn.
    ///
    /// # Errors
    /// If an entry is not finite, or the spin has another number of entries.
    pub fn turning(velocity: Vector<D>, spin: &[f64], about: Vector<D>) -> Result<Self> {
        let rate = match (D, spin) {
            (_, []) => Matrix::ZERO,
            (2, &[spin]) => turn(|row, column| [[0.0, -spin], [spin, 0.0]][row][column]),
            (3, &[x, y, z]) => turn(|row, column| [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]][row][column]),
            _ => {
                let expected = if D == 2 { 1 } else { 3 };
                return Err(Error::WrongLength { what: "spin of obstacle", found: spin.len(), expected });
            }
        };
        Self { velocity, rate, about }.checked()
    }

    /// Velocity of the solid at the point `p`, in m/s.
    #[inline]
    pub fn at(&self, p: Vector<D>) -> Vector<D> {
        self.velocity + self.rate * (p - self.about)
    }

    fn checked(self) -> Result<Self> {
        check_finite("velocity of obstacle", self.velocity)?;
        for k in 0..D {
            check_finite("spin of obstacle", self.rate.column(k))?;
        }
        check_finite("centre of spin of obstacle", self.about)?;
        Ok(self)
    }
}

impl RigidVelocity<2> {
    /// In the plane: `velocity` of the point `about`, and `spin` in rad/s from the x to the y axis.
    ///
    /// # Errors
    /// If an entry is not finite.
    pub fn in_plane(velocity: Vector<2>, spin: f64, about: Vector<2>) -> Result<Self> {
        Self { velocity, rate: Matrix([[0.0, -spin], [spin, 0.0]]), about }.checked()
    }
}

impl RigidVelocity<3> {
    /// In space: `velocity` of the point `about`, and `spin` in rad/s around a line through it.
    ///
    /// # Errors
    /// If an entry is not finite.
    pub fn in_space(velocity: Vector<3>, spin: Vector<3>, about: Vector<3>) -> Result<Self> {
        Self { velocity, rate: Matrix::cross(spin), about }.checked()
    }
}

/// The matrix with these entries.
fn turn<const D: usize>(entry: impl Fn(usize, usize) -> f64) -> Matrix<D> {
    Matrix::from_columns(std::array::from_fn(|column| Vector(std::array::from_fn(|row| entry(row, column)))))
}

fn check_finite<const D: usize>(what: &'static str, vector: Vector<D>) -> Result<()> {
    if vector.is_finite() { Ok(()) } else { Err(Error::NotFinite { what, index: 0 }) }
}

fn check_radius(name: &'static str, radius: f64) -> Result<f64> {
    if radius.is_finite() && radius > 0.0 {
        return Ok(radius);
    }
    Err(Error::BadParameter { name, value: radius, must: "finite and larger than 0" })
}

/// The unit vector along `vector`.
fn direction<const D: usize>(what: &'static str, vector: Vector<D>) -> Result<Vector<D>> {
    check_finite(what, vector)?;
    // Scaled first, so that neither huge nor tiny ones are lost.
    let largest = vector.0.iter().fold(0.0, |largest: f64, entry| largest.max(entry.abs()));
    let unit = (vector * (1.0 / largest)).normalized();
    if unit.is_finite() && unit != Vector::ZERO {
        return Ok(unit);
    }
    Err(Error::Degenerate { what, index: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_solids_are_refused() {
        assert!(Plane::new(Vector([0.0, 0.0]), Vector([0.0, 0.0])).is_err());
        assert!(Plane::new(Vector([0.0, f64::NAN]), Vector([0.0, 1.0])).is_err());
        for length in [1e-300, 1e200] {
            let plane = Plane::new(Vector([0.0, 0.0]), Vector([0.0, length])).unwrap();
            assert_eq!(plane.normal(), Vector([0.0, 1.0]));
        }
        for radius in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let message = Sphere::new(Vector([0.0; 2]), radius).unwrap_err().to_string();
            assert!(message.contains("radius of sphere"), "{message}");
            assert!(Cylinder::new(Vector([0.0; 3]), Vector([0.0, 0.0, 1.0]), radius).is_err());
        }
        let message = Cylinder::new(Vector([0.0; 3]), Vector([0.0; 3]), 1.0).unwrap_err().to_string();
        assert!(message.contains("axis of cylinder"), "{message}");
    }

    fn solids() -> [Obstacle<3>; 3] {
        let at = Vector([0.3, -0.2, 0.1]);
        [
            Obstacle::Plane(Plane::new(at, Vector([1.0, 2.0, -0.5])).unwrap()),
            Obstacle::Sphere(Sphere::new(at, 0.4).unwrap()),
            Obstacle::Cylinder(Cylinder::new(at, Vector([1.0, -1.0, 3.0]), 0.4).unwrap()),
        ]
    }

    #[test]
    fn normals_and_curvatures_are_derivatives_of_the_distance() {
        let h = 1e-5;
        for solid in solids() {
            for k in 0..200 {
                let t = f64::from(k);
                let x = Vector([t.sin() * 1.7, (2.3 * t).cos(), (0.7 * t).sin() + 0.2]);
                let exact = (solid.normal(x), solid.curvature(x));
                for axis in 0..3 {
                    let step = Vector::axis(axis) * h;
                    let slope = (solid.distance(x + step) - solid.distance(x - step)) * (0.5 / h);
                    assert!((slope - exact.0[axis]).abs() < 1e-6, "{solid:?}");
                    let bend = (solid.normal(x + step) - solid.normal(x - step)) * (0.5 / h);
                    assert!((bend - exact.1.column(axis)).norm() < 1e-5, "{solid:?}");
                }
            }
        }
    }

    /// Points of a solid that turns move along its surface, at the speed that the radius says.
    #[test]
    fn a_turning_ball_moves_along_its_surface() {
        let (center, spin) = (Vector([1.0, -2.0, 0.5]), Vector([0.3, 0.0, -2.0]));
        let motion = RigidVelocity::in_space(Vector::ZERO, spin, center).unwrap();
        let r = Vector([0.0, 0.5, 0.0]);
        assert_eq!(motion.at(center + r), Vector([1.0, 0.0, 0.15]));
        let flat = RigidVelocity::in_plane(Vector([1.0, 0.0]), 2.0, Vector([0.0, 1.0])).unwrap();
        assert_eq!(flat.at(Vector([3.0, 1.0])), Vector([1.0, 6.0]));
        let rest = RigidVelocity::<3>::REST;
        assert_eq!(rest.at(r), Vector::ZERO);
    }

    #[test]
    fn bad_motions_are_refused() {
        let (good, bad) = (Vector([0.0; 3]), Vector([0.0, f64::NAN, 0.0]));
        let message = |motion: Result<RigidVelocity<3>>| motion.unwrap_err().to_string();
        assert!(message(RigidVelocity::translation(bad)).contains("velocity of obstacle"));
        assert!(message(RigidVelocity::in_space(good, bad, good)).contains("spin of obstacle"));
        assert!(message(RigidVelocity::in_space(good, good, bad)).contains("centre of spin"));
        assert!(RigidVelocity::in_plane(Vector([0.0; 2]), f64::INFINITY, Vector([0.0; 2])).is_err());
    }

    #[test]
    fn solids_turn_into_themselves_about_their_own_axes() {
        let [plane, sphere, cylinder] = solids();
        let (normal, axis) = (Vector([1.0, 2.0, -0.5]).normalized(), Vector([-1.0, 1.0, -3.0]).normalized());
        assert_eq!(
            [plane, sphere, cylinder].map(|solid| solid.turns_into_itself(normal)),
            [true, true, false]
        );
        assert_eq!([plane, sphere, cylinder].map(|solid| solid.turns_into_itself(axis)), [false, true, true]);
        let flat = Obstacle::Plane(Plane::new(Vector([0.0, 0.0]), Vector([0.0, 1.0])).unwrap());
        assert!(!flat.turns_into_itself(Vector([0.0, 1.0])));
    }

    #[test]
    fn moving_a_solid_moves_its_distance() {
        let p = Vector([0.5, 0.25, -1.0]);
        for solid in solids() {
            let x = Vector([2.0, 1.0, 0.7]);
            assert!((solid.moved(p).distance(x + p) - solid.distance(x)).abs() < 1e-14);
        }
    }
}
