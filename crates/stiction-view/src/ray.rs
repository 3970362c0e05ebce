//! The thing that a pixel should show, found by a ray against all triangles: slow and plain.
//!
//! This is the exact twin that tests compare rendered pictures with. It shares nothing with the renderer but the camera.

use crate::camera::{Camera, Lens, Ray};
use crate::film::{Frame, Scenery};
use crate::vector::{cross, dot, sub};

/// What a ray meets first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The thing, by its number in [`Scenery::things`].
    pub thing: u32,
    /// The triangle, by its number in [`Scenery::triangles`].
    pub triangle: u32,
    /// The depth along the view in m.
    pub depth: f64,
}

/// What the centre of a pixel (column, row) shows. Triangles count from both sides; where two are equally deep the earlier one counts. Rods
/// have no triangles and are not met.
pub fn first_hit(scenery: &Scenery, frame: &Frame, camera: &Camera, pixel: [u32; 2]) -> Option<Hit> {
    let ray = camera.ray(f64::from(pixel[0]) + 0.5, f64::from(pixel[1]) + 0.5);
    let near = match camera.lens {
        Lens::Orthographic => f64::NEG_INFINITY,
        Lens::Perspective { near } => near,
    };
    let mut first: Option<Hit> = None;
    for (thing, triangle) in numbered(scenery) {
        let corners = scenery.triangles[triangle as usize].map(|vertex| frame.points[vertex as usize]);
        let Some(depth) = depth_of_triangle(&ray, corners).filter(|depth| *depth >= near) else { continue };
        if first.is_none_or(|hit| depth < hit.depth) {
            first = Some(Hit { thing, triangle, depth });
        }
    }
    first
}

/// The triangles, with the things that they belong to.
fn numbered(scenery: &Scenery) -> impl Iterator<Item = (u32, u32)> {
    let things = scenery.things.iter().enumerate();
    things.flat_map(|(thing, of)| of.triangles.clone().map(move |triangle| (thing as u32, triangle)))
}

/// How far outside of a triangle, relative to its size, a ray still meets it: one along the side that two share must not fall through between them.
const ROUNDING: f64 = 1e-12;

/// The parameter of a ray where it meets a triangle (Möller and Trumbore 1997); none if it misses or runs along it.
pub fn depth_of_triangle(ray: &Ray, [a, b, c]: [[f64; 3]; 3]) -> Option<f64> {
    let (ab, ac) = (sub(b, a), sub(c, a));
    let across = cross(ray.direction, ac);
    let determinant = dot(ab, across);
    if determinant == 0.0 {
        return None;
    }
    let from_a = sub(ray.origin, a);
    let u = dot(from_a, across) / determinant;
    let around = cross(from_a, ab);
    let v = dot(ray.direction, around) / determinant;
    (u >= -ROUNDING && v >= -ROUNDING && u + v <= 1.0 + ROUNDING).then(|| dot(ac, around) / determinant)
}
