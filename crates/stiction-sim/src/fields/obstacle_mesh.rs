//! Obstacles as meshes, to be seen.

use std::f64::consts::TAU;

use stiction::math::Vector;
use stiction::math::vector::cross;
use stiction::obstacle::Obstacle;

/// Corners of circles.
const AROUND: usize = 96;

/// Rings of a ball from pole to pole.
const ALONG: usize = 48;

/// How far planes and cylinders go on, by the diagonal of the scene.
const FAR: f64 = 10.0;

/// An obstacle as triangles. What has no end is cut off far from the scene.
///
/// Its points depend on where the obstacle is, its triangles do not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObstacleMesh {
    /// Corners, in m; with a zero third coordinate in 2D.
    pub points: Vec<[f64; 3]>,
    /// Triangles, counter-clockwise seen from the free side; in 2D they fill the solid.
    pub triangles: Vec<[u32; 3]>,
}

impl ObstacleMesh {
    /// The mesh of an obstacle, for a scene around a `center` with a `diagonal`, in m.
    pub fn new<const D: usize>(obstacle: &Obstacle<D>, center: Vector<D>, diagonal: f64) -> Self {
        let far = FAR * diagonal;
        match (obstacle, D) {
            (Obstacle::Plane(plane), 2) => half_plane(in_space(plane.normal()), foot(obstacle, center), far),
            (Obstacle::Plane(plane), _) => square(in_space(plane.normal()), foot(obstacle, center), far),
            (Obstacle::Sphere(disc), 2) => round(in_space(disc.center()), disc.radius()),
            (Obstacle::Sphere(ball), _) => globe(in_space(ball.center()), ball.radius()),
            (Obstacle::Cylinder(cylinder), _) => {
                let axis = in_space(cylinder.axis());
                let middle = in_space(cylinder.point());
                let middle = middle + axis * axis.dot(in_space(center) - middle);
                tube(middle, axis, cylinder.radius(), far)
            }
            _ => Self::default(),
        }
    }
}

fn in_space<const D: usize>(x: Vector<D>) -> Vector<3> {
    Vector(std::array::from_fn(|k| x.0.get(k).copied().unwrap_or(0.0)))
}

/// The point of a plane that is closest to a point.
fn foot<const D: usize>(plane: &Obstacle<D>, center: Vector<D>) -> Vector<3> {
    in_space(center - plane.normal(center) * plane.distance(center))
}

/// Two unit vectors across a third one, with which they are right-handed.
fn across(n: Vector<3>) -> [Vector<3>; 2] {
    let axis = if n[0].abs() < 0.6 { Vector([1.0, 0.0, 0.0]) } else { Vector([0.0, 1.0, 0.0]) };
    let u = cross(axis, n).normalized();
    [u, cross(n, u)]
}

fn square(n: Vector<3>, foot: Vector<3>, far: f64) -> ObstacleMesh {
    let [u, w] = across(n);
    let corner = |a: f64, b: f64| (foot + u * (a * far) + w * (b * far)).0;
    let points = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    ObstacleMesh { points, triangles: vec![[0, 1, 2], [0, 2, 3]] }
}

fn half_plane(n: Vector<3>, foot: Vector<3>, far: f64) -> ObstacleMesh {
    let along = Vector([n[1], -n[0], 0.0]);
    let corner = |a: f64, b: f64| (foot + along * (a * far) - n * (b * far)).0;
    let points = vec![corner(-1.0, 1.0), corner(1.0, 1.0), corner(1.0, 0.0), corner(-1.0, 0.0)];
    ObstacleMesh { points, triangles: vec![[0, 1, 2], [0, 2, 3]] }
}

fn round(center: Vector<3>, radius: f64) -> ObstacleMesh {
    let corner = |k: usize| {
        let (sin, cos) = (TAU * k as f64 / AROUND as f64).sin_cos();
        (center + Vector([cos, sin, 0.0]) * radius).0
    };
    let points = std::iter::once(center.0).chain((0..AROUND).map(corner)).collect();
    let next = |k: usize| (k % AROUND) as u32 + 1;
    ObstacleMesh { points, triangles: (0..AROUND).map(|k| [0, next(k), next(k + 1)]).collect() }
}

fn globe(center: Vector<3>, radius: f64) -> ObstacleMesh {
    let ring = |row: usize| {
        let polar = TAU / 2.0 * row as f64 / ALONG as f64;
        (0..AROUND).map(move |k| {
            let turn = TAU * k as f64 / AROUND as f64;
            (center + Vector([polar.sin() * turn.cos(), polar.cos(), -polar.sin() * turn.sin()]) * radius).0
        })
    };
    let poles = [(center + Vector([0.0, radius, 0.0])).0, (center - Vector([0.0, radius, 0.0])).0];
    let points: Vec<_> = poles.into_iter().chain((1..ALONG).flat_map(ring)).collect();
    let at = |row: usize, k: usize| (2 + (row - 1) * AROUND + k % AROUND) as u32;
    let mut triangles = Vec::new();
    for k in 0..AROUND {
        triangles.push([0, at(1, k), at(1, k + 1)]);
        for row in 1..ALONG - 1 {
            let [a, b, c, d] = [at(row, k), at(row + 1, k), at(row + 1, k + 1), at(row, k + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
        triangles.push([1, at(ALONG - 1, k + 1), at(ALONG - 1, k)]);
    }
    ObstacleMesh { points, triangles }
}

fn tube(middle: Vector<3>, axis: Vector<3>, radius: f64, far: f64) -> ObstacleMesh {
    let [u, w] = across(axis);
    let corner = |k: usize, end: f64| {
        let (sin, cos) = (TAU * k as f64 / AROUND as f64).sin_cos();
        (middle + (u * cos + w * sin) * radius + axis * (end * far)).0
    };
    let points = (0..AROUND).flat_map(|k| [corner(k, -1.0), corner(k, 1.0)]).collect();
    let at = |k: usize, end: usize| (2 * (k % AROUND) + end) as u32;
    let side = |k: usize| [[at(k, 0), at(k + 1, 0), at(k + 1, 1)], [at(k, 0), at(k + 1, 1), at(k, 1)]];
    ObstacleMesh { points, triangles: (0..AROUND).flat_map(side).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction::obstacle::{Plane, Sphere};

    /// Normals of all triangles look to the free side, and corners are on the surface.
    fn check(obstacle: &Obstacle<3>) {
        let mesh = ObstacleMesh::new(obstacle, Vector([0.1, 0.2, 0.3]), 2.0);
        assert!(!mesh.triangles.is_empty());
        for triangle in &mesh.triangles {
            let [a, b, c] = triangle.map(|k| Vector(mesh.points[k as usize]));
            let normal = cross(b - a, c - a);
            assert!(normal.dot(obstacle.normal((a + b + c) * (1.0 / 3.0))) > 0.0, "{triangle:?}");
            for corner in [a, b, c] {
                assert!(obstacle.distance(corner).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn meshes_lie_on_obstacles_and_look_outwards() {
        let skew = Vector([0.3, 0.5, -0.2]);
        check(&Obstacle::Plane(Plane::new(skew, Vector([0.2, 1.0, -0.4])).unwrap()));
        check(&Obstacle::Sphere(Sphere::new(skew, 0.7).unwrap()));
        check(&Obstacle::cylinder(skew, Vector([1.0, 0.1, 0.4]), 0.4).unwrap());
    }

    #[test]
    fn in_the_plane_triangles_fill_the_solid() {
        let plane = Obstacle::Plane(Plane::new(Vector([0.0, 0.5]), Vector([0.1, 1.0])).unwrap());
        let disc = Obstacle::Sphere(Sphere::new(Vector([0.3, 0.5]), 0.2).unwrap());
        for obstacle in [plane, disc] {
            let mesh = ObstacleMesh::new(&obstacle, Vector([0.0, 0.7]), 1.0);
            for triangle in &mesh.triangles {
                let [a, b, c] = triangle.map(|k| Vector(mesh.points[k as usize]));
                assert!(cross(b - a, c - a)[2] > 0.0);
                let inside = (a + b + c) * (1.0 / 3.0);
                assert!(obstacle.distance(Vector([inside[0], inside[1]])) < 0.0);
            }
        }
    }
}
