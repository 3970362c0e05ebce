//! A configuration in 2D as a drawing.

use std::f64::consts::TAU;
use std::fmt::Write as _;

use stiction::math::Vector;
use stiction::obstacle::Obstacle;
use stiction_sim::model::Model;

use super::{Area, COLORS, scale_bar};

/// Lines between triangles of bodies.
const OUTLINE: &str = "#1d3d5c";

/// Obstacles, and the lines around them.
const SOLID: &str = "#d5d8dc";
const SOLID_OUTLINE: &str = "#9a9a9a";

/// Corners of a disc.
const AROUND: usize = 96;

/// How far planes go on, by the size of the view.
const FAR: f64 = 40.0;

/// A polygon to be drawn, a line if it has two corners.
struct Polygon {
    corners: Vec<[f64; 2]>,
    color: &'static str,
    outline: &'static str,
}

/// Where all vertices are at a time.
#[derive(Clone, Copy)]
pub struct Configuration<'a, const D: usize> {
    /// The time in s.
    pub time: f64,
    /// Positions of the vertices, in m.
    pub x: &'a [Vector<D>],
}

/// The same window into the scene for all frames.
pub struct View<'a, const D: usize> {
    model: &'a Model<D>,
    low: [f64; 2],
    high: [f64; 2],
}

/// Right and up.
fn place<const D: usize>(x: Vector<D>) -> [f64; 2] {
    [x[0], x[1]]
}

impl<'a, const D: usize> View<'a, D> {
    /// A view that holds the model in all these configurations.
    pub fn new(model: &'a Model<D>, frames: &[Configuration<'_, D>]) -> Self {
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        let mut add = |point: [f64; 2]| {
            for k in 0..2 {
                (low[k], high[k]) = (low[k].min(point[k]), high[k].max(point[k]));
            }
        };
        frames.iter().flat_map(|frame| frame.x).for_each(|x| add(place(*x)));
        let size = (model.diagonal).max(f64::MIN_POSITIVE);
        for obstacle in frames.iter().flat_map(|frame| model.obstacles.at(frame.time)) {
            // Discs as large as that are floors: what is near of them is enough.
            if let Obstacle::Sphere(disc) = &obstacle
                && disc.radius() < 0.5 * size
            {
                disc_corners(place(disc.center()), disc.radius()).for_each(&mut add);
            }
        }
        let room = 0.08 * (high[0] - low[0]).max(high[1] - low[1]);
        Self { model, low: low.map(|value| value - room), high: high.map(|value| value + room) }
    }

    /// Draws a configuration into a field of the sheet; `index` makes names in the file unique.
    pub fn draw(&self, out: &mut String, area: Area, frame: Configuration<'_, D>, index: usize) {
        let [left, top, width, height] = area;
        let _ = writeln!(
            out,
            "<clipPath id=\"frame{index}\"><rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" \
             height=\"{height:.1}\"/></clipPath>\n<g clip-path=\"url(#frame{index})\">\n\
             <rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"#f4f6f8\"/>"
        );
        for obstacle in self.model.obstacles.at(frame.time) {
            self.polygon(out, area, &self.solid(&obstacle));
        }
        self.bodies(frame.x).for_each(|polygon| self.polygon(out, area, &polygon));
        out.push_str("</g>\n");
        if index == 0 {
            scale_bar(out, area, self.scale(area));
        }
    }

    /// Units of the sheet per metre.
    fn scale(&self, [_, _, width, height]: Area) -> f64 {
        (width / (self.high[0] - self.low[0])).min(height / (self.high[1] - self.low[1]))
    }

    /// The place of a point in a field.
    fn place(&self, area: Area, point: [f64; 2]) -> (f64, f64) {
        let [left, top, width, height] = area;
        let scale = self.scale(area);
        let middle = [0, 1].map(|k| 0.5 * (self.low[k] + self.high[k]));
        (
            left + width / 2.0 + scale * (point[0] - middle[0]),
            top + height / 2.0 - scale * (point[1] - middle[1]),
        )
    }

    fn polygon(&self, out: &mut String, area: Area, polygon: &Polygon) {
        let mut path = String::new();
        for (k, corner) in polygon.corners.iter().enumerate() {
            let (x, y) = self.place(area, *corner);
            let _ = write!(path, "{}{x:.2} {y:.2}", if k == 0 { 'M' } else { 'L' });
        }
        let Polygon { color, outline, .. } = polygon;
        if polygon.corners.len() == 2 {
            let _ = writeln!(
                out,
                "<path d=\"{path}\" stroke=\"{color}\" stroke-width=\"2\" stroke-linecap=\"round\"/>"
            );
            return;
        }
        let _ = writeln!(
            out,
            "<path d=\"{path}Z\" fill=\"{color}\" stroke=\"{outline}\" stroke-width=\"0.5\" stroke-linejoin=\"round\"/>"
        );
    }

    /// The rods and triangles of all bodies.
    fn bodies<'b>(&'b self, x: &'b [Vector<D>]) -> impl Iterator<Item = Polygon> + 'b {
        let polygon = move |vertices: &[u32]| Polygon {
            corners: vertices.iter().map(|v| place(x[*v as usize])).collect(),
            color: COLORS[self.model.body_of(vertices[0]) % COLORS.len()],
            outline: OUTLINE,
        };
        let cells = &self.model.cells;
        let rods = cells.edges.iter().map(move |edge| polygon(edge));
        rods.chain(cells.triangles.iter().map(move |triangle| polygon(triangle)))
    }

    /// The solid side of a plane, or a disc.
    fn solid(&self, obstacle: &Obstacle<D>) -> Polygon {
        let corners = match obstacle {
            Obstacle::Sphere(disc) => disc_corners(place(disc.center()), disc.radius()).collect(),
            obstacle => self.half_plane(obstacle),
        };
        Polygon { corners, color: SOLID, outline: SOLID_OUTLINE }
    }

    fn half_plane(&self, plane: &Obstacle<D>) -> Vec<[f64; 2]> {
        let mut center = Vector::ZERO;
        (center[0], center[1]) = (0.5 * (self.low[0] + self.high[0]), 0.5 * (self.low[1] + self.high[1]));
        let normal = plane.normal(center);
        let (foot, n) = (place(center - normal * plane.distance(center)), place(normal));
        let far = FAR * (self.high[0] - self.low[0]).max(self.high[1] - self.low[1]);
        let corner =
            |a: f64, b: f64| [foot[0] - far * (a * n[1] + b * n[0]), foot[1] + far * (a * n[0] - b * n[1])];
        vec![corner(-1.0, 0.0), corner(1.0, 0.0), corner(1.0, 1.0), corner(-1.0, 1.0)]
    }
}

fn disc_corners(center: [f64; 2], radius: f64) -> impl Iterator<Item = [f64; 2]> {
    (0..AROUND).map(move |k| {
        let (sin, cos) = (TAU * k as f64 / AROUND as f64).sin_cos();
        [center[0] + radius * cos, center[1] + radius * sin]
    })
}
