//! Light: a lamp that casts shadows (a shadow map), and light from all around that reaches hollows less (screen-space ambient occlusion).

use rayon::prelude::*;

use crate::camera::{Camera, Lens, Stage};
use crate::film::{Kind, Scenery};
use crate::raster::{Centres, NONE, Tiles};
use crate::surface::Surface;
use crate::vector::{Vector, add, cross, dot, scale, sub, unit};

/// Width and height of the shadow map in pixels.
const MAP: u32 = 1536;
/// The lamp shines through a disc of this many pixels of the shadow map.
const SOFT: usize = 3;
/// Pixels of the shadow map that a point sees, along each side.
const WIDTH: usize = 2 * SOFT + 1;

/// A lamp far away.
pub struct Lamp {
    /// The direction to it.
    pub toward: Vector,
    map: Option<(Camera, Vec<f64>)>,
}

impl Lamp {
    /// A lamp above and to the left of the camera; with shadows if there is a surface that casts them.
    pub fn new(camera: &Camera, stage: &Stage) -> Self {
        let level = sub(camera.forward, scale(stage.up, dot(camera.forward, stage.up)));
        let back = scale(unit(level).unwrap_or(camera.up), -1.0);
        let left = scale(camera.right, -1.0);
        let sum = add(scale(stage.up, 1.0), add(scale(left, 0.42), scale(back, 0.34)));
        Self { toward: unit(sum).unwrap_or(stage.up), map: None }
    }

    /// Records what the lamp sees.
    pub fn cast(&mut self, surface: &Surface, scenery: &Scenery, stage: &Stage) {
        let camera = self.camera(stage);
        let casts = casting(scenery, surface, stage);
        let triangles: Vec<[u32; 3]> = surface
            .triangles
            .iter()
            .zip(&surface.things)
            .filter(|(_, thing)| casts[**thing as usize])
            .map(|(triangle, _)| *triangle)
            .collect();
        let tiles = Tiles::new(&camera, &surface.points, &triangles);
        self.map = Some((camera, Centres::new(&camera, &tiles).depth));
    }

    fn camera(&self, stage: &Stage) -> Camera {
        let forward = scale(self.toward, -1.0);
        let aside = if self.toward[1].abs() < 0.9 { [0.0, 1.0, 0.0] } else { [1.0, 0.0, 0.0] };
        let right = unit(cross(forward, aside)).unwrap_or([1.0, 0.0, 0.0]);
        Camera {
            eye: stage.centre(),
            right,
            up: cross(right, forward),
            forward,
            lens: Lens::Orthographic,
            scale: f64::from(MAP) / (2.1 * stage.radius()),
            centre: [f64::from(MAP) / 2.0; 2],
            size: [MAP; 2],
        }
    }

    /// The share of the lamp that a point sees, from 0 to 1. The normal is on the side that is seen.
    pub fn reaches(&self, point: Vector, normal: Vector) -> f32 {
        let Some((camera, depth)) = &self.map else { return 1.0 };
        let texel = 1.0 / camera.scale;
        // Surfaces must not shade themselves.
        let lifted = add(point, scale(normal, 2.0 * texel));
        let [x, y, at] = camera.project(lifted);
        let limit = at - (1.0 + SOFT as f64) * texel;
        let inside = SOFT as f64..f64::from(MAP) - SOFT as f64 - 1.0;
        if !(inside.contains(&x) && inside.contains(&y)) {
            return 1.0;
        }
        let (columns, rows) = (hat(x.fract()), hat(y.fract()));
        let first = (y as usize - SOFT) * MAP as usize + x as usize - SOFT;
        let lit = |row: usize| -> f64 {
            let depths = &depth[first + row * MAP as usize..][..WIDTH];
            depths
                .iter()
                .zip(&columns)
                .map(|(depth, weight)| if *depth > limit { *weight } else { 0.0 })
                .sum()
        };
        (0..WIDTH).map(|row| rows[row] * lit(row)).sum::<f64>() as f32
    }
}

/// Weights of pixels of the shadow map around a point that is `share` of a pixel beyond the edge of its own one: they fall with the distance
/// from it and add up to 1.
fn hat(share: f64) -> [f64; WIDTH] {
    let reach = SOFT as f64 + 1.0;
    let away = |index: usize| (index as f64 - SOFT as f64 + 0.5 - share).abs();
    let weights: [f64; WIDTH] = std::array::from_fn(|index| (1.0 - away(index) / reach).max(0.0));
    let sum: f64 = weights.iter().sum();
    weights.map(|weight| weight / sum)
}

/// Which things cast shadows: not floors and walls, which would darken all.
fn casting(scenery: &Scenery, surface: &Surface, stage: &Stage) -> Vec<bool> {
    let near = |thing: &crate::film::Thing| {
        let vertices = thing.vertices.start as usize..thing.vertices.end as usize;
        let reach = 1.05 * stage.radius();
        surface.points[vertices].iter().all(|point| {
            let out = sub(*point, stage.centre());
            dot(out, out) <= reach * reach
        })
    };
    scenery.things.iter().map(|thing| thing.kind != Kind::Obstacle || near(thing)).collect()
}

/// How much of the light from all around reaches each pixel, from 0 to 1: less where surfaces within `radius` stand before it.
pub fn openness(
    camera: &Camera,
    surface: &Surface,
    centres: &Centres,
    (middle, radius): (Vector, f64),
) -> Vec<f32> {
    let hollows = Hollows::new(camera, surface, centres, (middle, radius));
    let spiral = spiral();
    let pixels = centres.depth.len();
    let raw: Vec<f32> = (0..pixels).into_par_iter().map(|pixel| hollows.openness(pixel, &spiral)).collect();
    (0..pixels).into_par_iter().map(|pixel| hollows.smoothed(&raw, pixel)).collect()
}

/// Places in a disc, evenly spread.
fn spiral() -> Vec<[f32; 2]> {
    const COUNT: usize = 40;
    (0..COUNT)
        .map(|index| {
            let radius = ((index as f64 + 0.5) / COUNT as f64).powf(0.7);
            let angle = 2.399_963_229_728_653 * index as f64;
            [(radius * angle.cos()) as f32, (radius * angle.sin()) as f32]
        })
        .collect()
}

/// What each pixel shows at its centre: place and normal, in radii.
struct Hollows<'a> {
    centres: &'a Centres,
    size: [usize; 2],
    points: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    /// Pixels that the radius spans.
    reach: Vec<f32>,
}

/// Where nothing is: too far to shade anything.
const FAR: [f32; 3] = [1e15; 3];

impl<'a> Hollows<'a> {
    fn new(
        camera: &Camera,
        surface: &Surface,
        centres: &'a Centres,
        (middle, radius): (Vector, f64),
    ) -> Self {
        let width = camera.size[0] as usize;
        let shown = |pixel: usize| {
            let triangle = centres.triangles[pixel];
            if triangle == NONE {
                return (FAR, [0.0; 3], 0.0);
            }
            let (x, y) = ((pixel % width) as f64 + 0.5, (pixel / width) as f64 + 0.5);
            let point = camera.ray(x, y).at(centres.depth[pixel]);
            let normal = facing(camera, surface.corners(triangle as usize), point);
            let reach = radius * camera.scale_at(centres.depth[pixel]);
            let place = scale(sub(point, middle), 1.0 / radius);
            (place.map(|at| at as f32), normal.map(|at| at as f32), reach as f32)
        };
        let all: Vec<_> = (0..centres.depth.len()).into_par_iter().map(shown).collect();
        Self {
            centres,
            size: [width, camera.size[1] as usize],
            points: all.iter().map(|one| one.0).collect(),
            normals: all.iter().map(|one| one.1).collect(),
            reach: all.iter().map(|one| one.2).collect(),
        }
    }

    fn openness(&self, pixel: usize, spiral: &[[f32; 2]]) -> f32 {
        if self.centres.triangles[pixel] == NONE {
            return 1.0;
        }
        let (point, normal) = (self.points[pixel], self.normals[pixel]);
        let [x, y] = [(pixel % self.size[0]) as f32 + 0.5, (pixel / self.size[0]) as f32 + 0.5];
        let reach = self.reach[pixel];
        let sum: f32 = spiral
            .iter()
            .map(|place| self.point_at(x + reach * place[0], y + reach * place[1]))
            .map(|other| shade([other[0] - point[0], other[1] - point[1], other[2] - point[2]], normal))
            .sum();
        (1.0 - 2.2 * sum / spiral.len() as f32).clamp(0.0, 1.0)
    }

    fn point_at(&self, x: f32, y: f32) -> [f32; 3] {
        let [width, height] = self.size;
        if x < 0.0 || y < 0.0 || x as usize >= width || y as usize >= height {
            return FAR;
        }
        self.points[y as usize * width + x as usize]
    }

    /// The mean over a small square of pixels that are about as deep.
    fn smoothed(&self, raw: &[f32], pixel: usize) -> f32 {
        if self.centres.triangles[pixel] == NONE {
            return 1.0;
        }
        let [width, height] = self.size;
        let (x, y) = (pixel % width, pixel / width);
        let (mut sum, mut count) = (0.0, 0.0);
        for row in y.saturating_sub(2)..(y + 3).min(height) {
            for other in row * width + x.saturating_sub(2)..row * width + (x + 3).min(width) {
                let apart = (0..3).map(|axis| (self.points[other][axis] - self.points[pixel][axis]).abs());
                if apart.sum::<f32>() < 0.3 {
                    sum += raw[other];
                    count += 1.0;
                }
            }
        }
        if count > 0.0 { sum / count } else { raw[pixel] }
    }
}

/// The unit normal of a triangle on the side of the camera.
fn facing(camera: &Camera, [a, b, c]: [Vector; 3], point: Vector) -> Vector {
    let normal = unit(cross(sub(b, a), sub(c, a))).unwrap_or([0.0; 3]);
    if dot(normal, camera.toward(point)) > 0.0 { normal } else { scale(normal, -1.0) }
}

/// How much a surface at `to`, in radii, takes away.
fn shade(to: [f32; 3], normal: [f32; 3]) -> f32 {
    let square = to[0] * to[0] + to[1] * to[1] + to[2] * to[2];
    let height = to[0] * normal[0] + to[1] * normal[1] + to[2] * normal[2] - 0.03;
    let fade = (1.0 - square).max(0.0);
    fade * fade * height.max(0.0) / (square + 0.02)
}
