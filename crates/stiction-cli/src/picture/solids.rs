//! Round obstacles as drawings.

use std::f64::consts::{PI, TAU};

use stiction::math::Vector;
use stiction::math::vector::cross;
use stiction::obstacle::Obstacle;

use super::view::{Polygon, SOLID, SOLID_OUTLINE, in_space, light, project, shaded};

/// Facets around, and from pole to pole or along an axis.
const AROUND: usize = 48;
const ALONG: usize = 24;

/// What a view of bodies of this size in m must hold of an obstacle: the ends of balls that are not larger.
pub fn ends<const D: usize>(obstacle: &Obstacle<D>, size: f64) -> Vec<Vector<D>> {
    let ball = match obstacle {
        Obstacle::Sphere(ball) if ball.radius() <= size => ball,
        _ => return Vec::new(),
    };
    let both = |k| [1.0, -1.0].map(|sign| ball.center() + Vector::axis(k) * (sign * ball.radius()));
    (0..D).flat_map(both).collect()
}

/// A round obstacle in pieces, as much as is near a scene with this centre and radius, in m; nothing for planes, which are without end.
pub fn facets<const D: usize>(
    obstacle: &Obstacle<D>,
    center: Vector<D>,
    radius: f64,
) -> Option<Vec<Polygon>> {
    match obstacle {
        Obstacle::Sphere(ball) if D == 2 => {
            let (center, r) = (project(ball.center()), ball.radius());
            let corner = |k| {
                let (sin, cos) = angle(k).sin_cos();
                [center[0] + r * cos, center[1] + r * sin]
            };
            let corners = (0..AROUND).map(corner).collect();
            let color = SOLID.to_owned();
            Some(vec![Polygon { corners, nearness: f64::NEG_INFINITY, color, outline: Some(SOLID_OUTLINE) }])
        }
        Obstacle::Sphere(ball) => {
            let (center, r) = (in_space(ball.center()), ball.radius());
            Some(patches(&|u, w| {
                let (polar, turn) = (PI * u, TAU * w);
                let n = Vector([polar.sin() * turn.cos(), polar.cos(), polar.sin() * turn.sin()]);
                (center + n * r, n)
            }))
        }
        Obstacle::Cylinder(cylinder) => {
            let (axis, r) = (in_space(cylinder.axis()), cylinder.radius());
            let level = cross(axis, Vector([0.0, 1.0, 0.0]));
            let side =
                if level.norm() > 0.1 { level } else { cross(axis, Vector([1.0, 0.0, 0.0])) }.normalized();
            let other = cross(axis, side);
            let middle = in_space(cylinder.point());
            let middle = middle + axis * axis.dot(in_space(center) - middle);
            Some(patches(&|u, w| {
                let (sin, cos) = (TAU * w).sin_cos();
                let n = side * cos + other * sin;
                (middle + axis * ((2.0 * u - 1.0) * 1.3 * radius) + n * r, n)
            }))
        }
        _ => None,
    }
}

fn angle(k: usize) -> f64 {
    TAU * k as f64 / AROUND as f64
}

/// The patches that look at the eye of a surface with points and normals at (u, w), both from 0 to 1, w around.
fn patches(surface: &dyn Fn(f64, f64) -> (Vector<3>, Vector<3>)) -> Vec<Polygon> {
    let mut out = Vec::new();
    for i in 0..ALONG {
        for k in 0..AROUND {
            let at =
                |di: f64, dk: f64| surface((i as f64 + di) / ALONG as f64, (k as f64 + dk) / AROUND as f64);
            let (_, normal) = at(0.5, 0.5);
            if project(normal)[2] <= 0.0 {
                continue;
            }
            let corners =
                [at(0.0, 0.0), at(1.0, 0.0), at(1.0, 1.0), at(0.0, 1.0)].map(|(point, _)| project(point));
            let color = shaded(SOLID, light(normal));
            // As that of three corners; without lines, which would hide so small patches, and without gaps between them.
            let nearness = 0.75 * corners.iter().map(|corner| corner[2]).sum::<f64>();
            let corners = corners.map(|corner| [corner[0], corner[1]]).to_vec();
            out.push(Polygon { corners, nearness, color, outline: None });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction::obstacle::{Plane, Sphere};

    #[test]
    fn discs_are_one_piece_and_balls_many() {
        let disc = Obstacle::Sphere(Sphere::new(Vector([1.0, 2.0]), 0.5).unwrap());
        let pieces = facets(&disc, Vector([0.0, 0.0]), 3.0).unwrap();
        assert_eq!((pieces.len(), pieces[0].corners.len()), (1, AROUND));
        assert!(pieces[0].corners.iter().all(|[x, y]| ((x - 1.0).hypot(y - 2.0) - 0.5).abs() < 1e-12));
        let ball = Obstacle::Sphere(Sphere::new(Vector([0.0; 3]), 0.5).unwrap());
        let axis = Vector([0.3, 0.1, 1.0]);
        let roll = Obstacle::cylinder(Vector([0.0; 3]), axis, 0.5).unwrap();
        for round in [ball, roll] {
            // Half of the pieces look away.
            let pieces = facets(&round, Vector([0.0; 3]), 3.0).unwrap().len();
            assert!((AROUND * ALONG / 3..2 * AROUND * ALONG / 3).contains(&pieces), "{pieces}");
        }
        let plane = Obstacle::Plane(Plane::new(Vector([0.0; 3]), axis).unwrap());
        assert!(facets(&plane, Vector([0.0; 3]), 3.0).is_none());
    }

    #[test]
    fn views_hold_balls_that_are_not_floors() {
        let ball = Obstacle::Sphere(Sphere::new(Vector([1.0, 2.0]), 0.5).unwrap());
        assert_eq!(ends(&ball, 1.0).len(), 4);
        assert!(ends(&ball, 0.4).is_empty());
    }
}
