//! Light: a lamp that casts shadows, and light from all around that reaches hollows less.

use rayon::prelude::*;

use crate::camera::{Camera, Lens, Stage};
use crate::film::{Kind, Scenery};
use crate::raster::{Centres, NONE, Tiles};
use crate::surface::Surface;
use crate::vector::{Vector, add, cross, dot, scale, sub, unit};

/// Width and height of the shadow map in pixels.
const MAP: u32 = 1536;
/// The lamp shines through a disc of this many pixels of the shadow map.
const SOFT: i32 = 3;

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
        let (column, row) = (x.floor(), y.floor());
        let share = [x - column, y - row];
        let limit = at - (1.0 + f64::from(SOFT)) * texel;
        let lit = |i: i32, j: i32| {
            let (column, row) = (column + f64::from(i), row + f64::from(j));
            let inside = (0.0..f64::from(MAP)).contains(&column) && (0.0..f64::from(MAP)).contains(&row);
            !inside || depth[row as usize * MAP as usize + column as usize] > limit
        };
        let (mut sum, mut weights) = (0.0, 0.0);
        for j in -SOFT..=SOFT + 1 {
            for i in -SOFT..=SOFT + 1 {
                let weight = hat(i, share[0]) * hat(j, share[1]);
                weights += weight;
                sum += if lit(i, j) { weight } else { 0.0 };
            }
        }
        (sum / weights) as f32
    }
}

/// Weight of a pixel of the shadow map: falls with its distance from the point, which is `share` of a pixel beyond the first one.
fn hat(index: i32, share: f64) -> f64 {
    (1.0 - (f64::from(index) + 0.5 - share).abs() / (f64::from(SOFT) + 1.0)).max(0.0)
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

/// How much of the light from all around reaches each pixel, from 0 to 1: less where nearby surfaces stand before it.
pub fn openness(camera: &Camera, surface: &Surface, centres: &Centres, radius: f64) -> Vec<f32> {
    let [width, height] = camera.size.map(|pixels| pixels as usize);
    let spiral = spiral();
    let raw: Vec<f32> = (0..width * height)
        .into_par_iter()
        .map(|pixel| Hollow { camera, surface, centres, radius }.openness(pixel, &spiral))
        .collect();
    (0..width * height)
        .into_par_iter()
        .map(|pixel| smoothed(&raw, centres, (width, height), pixel, radius))
        .collect()
}

/// Places in a disc, evenly spread.
fn spiral() -> Vec<[f64; 2]> {
    const COUNT: usize = 40;
    (0..COUNT)
        .map(|index| {
            let radius = ((index as f64 + 0.5) / COUNT as f64).powf(0.7);
            let angle = 2.399_963_229_728_653 * index as f64;
            [radius * angle.cos(), radius * angle.sin()]
        })
        .collect()
}

struct Hollow<'a> {
    camera: &'a Camera,
    surface: &'a Surface,
    centres: &'a Centres,
    radius: f64,
}

impl Hollow<'_> {
    fn openness(&self, pixel: usize, spiral: &[[f64; 2]]) -> f32 {
        let triangle = self.centres.triangles[pixel];
        if triangle == NONE {
            return 1.0;
        }
        let width = self.camera.size[0] as usize;
        let (x, y) = ((pixel % width) as f64 + 0.5, (pixel / width) as f64 + 0.5);
        let point = self.camera.ray(x, y).at(self.centres.depth[pixel]);
        let Some(normal) = self.normal(triangle as usize, point) else { return 1.0 };
        let reach = self.radius * self.camera.scale_at(self.centres.depth[pixel]);
        let sum: f64 = spiral
            .iter()
            .filter_map(|place| self.point_at(x + reach * place[0], y + reach * place[1]))
            .map(|other| self.shade(sub(other, point), normal))
            .sum();
        (1.0 - 2.2 * sum / spiral.len() as f64).clamp(0.0, 1.0) as f32
    }

    fn normal(&self, triangle: usize, point: Vector) -> Option<Vector> {
        let [a, b, c] = self.surface.corners(triangle);
        let normal = unit(cross(sub(b, a), sub(c, a)))?;
        let facing = dot(normal, self.camera.toward(point)) > 0.0;
        Some(if facing { normal } else { scale(normal, -1.0) })
    }

    fn point_at(&self, x: f64, y: f64) -> Option<Vector> {
        let [width, height] = self.camera.size;
        let inside = x >= 0.0 && y >= 0.0 && x < f64::from(width) && y < f64::from(height);
        let pixel = inside.then(|| y as usize * width as usize + x as usize)?;
        let depth = self.centres.depth[pixel];
        (self.centres.triangles[pixel] != NONE)
            .then(|| self.camera.ray(x.floor() + 0.5, y.floor() + 0.5).at(depth))
    }

    fn shade(&self, to: Vector, normal: Vector) -> f64 {
        let square = dot(to, to) / (self.radius * self.radius);
        let height = dot(to, normal) / self.radius - 0.03;
        let fade = (1.0 - square).max(0.0);
        fade * fade * height.max(0.0) / (square + 0.02)
    }
}

/// The mean over a small square of pixels that are as deep.
fn smoothed(
    raw: &[f32],
    centres: &Centres,
    (width, height): (usize, usize),
    pixel: usize,
    radius: f64,
) -> f32 {
    if centres.triangles[pixel] == NONE {
        return 1.0;
    }
    let (x, y) = (pixel % width, pixel / width);
    let (mut sum, mut count) = (0.0, 0.0);
    for row in y.saturating_sub(2)..(y + 3).min(height) {
        for column in x.saturating_sub(2)..(x + 3).min(width) {
            let other = row * width + column;
            if (centres.depth[other] - centres.depth[pixel]).abs() < 0.25 * radius {
                sum += raw[other];
                count += 1.0;
            }
        }
    }
    if count > 0.0 { sum / count } else { raw[pixel] }
}
