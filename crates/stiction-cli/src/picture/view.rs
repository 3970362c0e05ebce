//! A configuration as a drawing: flat in 2D, in parallel projection in 3D.

use std::fmt::Write as _;

use stiction::math::Vector;
use stiction::math::vector::cross;
use stiction::obstacle::Obstacle;
use stiction_sim::model::{Model, Part};

use super::{Area, COLORS, solids};

/// Where the eye is (3D), seen from the scene: right of it, above and in front.
const EYE: [f64; 3] = [0.35, 0.45, 1.0];

/// From where light comes.
const LIGHT: [f64; 3] = [-0.3, 0.8, 0.5];

/// Lines between faces of bodies.
const OUTLINE: &str = "#1d3d5c";

/// Obstacles, and the lines around them.
pub(super) const SOLID: &str = "#d5d8dc";
pub(super) const SOLID_OUTLINE: &str = "#9a9a9a";

/// A polygon to be drawn, a line if it has two corners: its corners (right, up), how near it is, its colour.
pub(super) struct Polygon {
    pub corners: Vec<[f64; 2]>,
    pub nearness: f64,
    pub color: String,
    /// The colour of the line around it; none: its own.
    pub outline: Option<&'static str>,
}

/// What is around some points, projected and in the scene.
struct Bounds<const D: usize> {
    low: [f64; 2],
    high: [f64; 2],
    first: Vector<D>,
    last: Vector<D>,
}

impl<const D: usize> Default for Bounds<D> {
    fn default() -> Self {
        Self {
            low: [f64::INFINITY; 2],
            high: [f64::NEG_INFINITY; 2],
            first: Vector([f64::INFINITY; D]),
            last: Vector([f64::NEG_INFINITY; D]),
        }
    }
}

impl<const D: usize> Bounds<D> {
    fn add(&mut self, x: Vector<D>) {
        let place = project(x);
        for k in 0..2 {
            self.low[k] = self.low[k].min(place[k]);
            self.high[k] = self.high[k].max(place[k]);
        }
        (self.first, self.last) = (self.first.min(x), self.last.max(x));
    }
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
    /// Around all frames, in the scene.
    center: Vector<D>,
    radius: f64,
}

/// Right, up and towards the eye.
fn camera() -> [Vector<3>; 3] {
    let eye = Vector(EYE).normalized();
    let right = cross(Vector([0.0, 1.0, 0.0]), eye).normalized();
    [right, cross(eye, right), eye]
}

pub(super) fn in_space<const D: usize>(x: Vector<D>) -> Vector<3> {
    Vector(std::array::from_fn(|k| x.0.get(k).copied().unwrap_or(0.0)))
}

/// Right, up and nearness of a point.
pub(super) fn project<const D: usize>(x: Vector<D>) -> [f64; 3] {
    let x = in_space(x);
    if D == 2 { x.0 } else { camera().map(|axis| axis.dot(x)) }
}

impl<'a, const D: usize> View<'a, D> {
    /// A view that holds the model in all these configurations.
    pub fn new(model: &'a Model<D>, frames: &[Configuration<'_, D>]) -> Self {
        let mut bounds = Bounds::default();
        frames.iter().flat_map(|frame| frame.x).for_each(|x| bounds.add(*x));
        // Balls as large as that are floors: what is near of them is enough.
        let size = (bounds.last - bounds.first).norm();
        let ends = |frame: &Configuration<'_, D>| {
            model
                .obstacles
                .at(frame.time)
                .iter()
                .flat_map(|solid| solids::ends(solid, size))
                .collect::<Vec<_>>()
        };
        frames.iter().flat_map(ends).for_each(|end| bounds.add(end));
        let Bounds { low, high, first, last } = bounds;
        let room = 0.08 * (high[0] - low[0]).max(high[1] - low[1]);
        Self {
            model,
            low: low.map(|value| value - room),
            high: high.map(|value| value + room),
            center: (first + last) * 0.5,
            radius: 0.5 * (last - first).norm(),
        }
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
        let mut polygons = self.bodies(frame.x);
        for obstacle in self.model.obstacles.at(frame.time) {
            match solids::facets(&obstacle, self.center, self.radius) {
                Some(facets) => polygons.extend(facets),
                None => self.polygon(out, area, &self.half_space(&obstacle)),
            }
        }
        polygons.sort_by(|a, b| a.nearness.total_cmp(&b.nearness));
        for polygon in &polygons {
            self.polygon(out, area, polygon);
        }
        out.push_str("</g>\n");
    }

    /// The place of a projected point in a field.
    fn place(&self, area: Area, point: [f64; 2]) -> (f64, f64) {
        let [left, top, width, height] = area;
        let scale = (width / (self.high[0] - self.low[0])).min(height / (self.high[1] - self.low[1]));
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
        let color = &polygon.color;
        let outline = polygon.outline.unwrap_or(color);
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

    /// The triangles (2D) or faces (3D) of all bodies, and rods.
    fn bodies(&self, x: &[Vector<D>]) -> Vec<Polygon> {
        let mut out: Vec<_> = self.model.cells.edges.iter().map(|edge| self.rod(*edge, x)).collect();
        if D == 2 {
            out.extend(self.model.cells.triangles.iter().map(|triangle| self.face(*triangle, x)));
            return out;
        }
        // Faces of solids that look away are behind others; sheets have two sides.
        let two_sided = self.with_sheets();
        let looks = |face: &&[u32; 3]| {
            two_sided[self.body(face[0])] || looks_at_eye(face.map(|v| project(x[v as usize])))
        };
        out.extend(self.model.surface.faces().iter().filter(looks).map(|face| self.face(*face, x)));
        out
    }

    /// For each body whether it has sheets.
    fn with_sheets(&self) -> Vec<bool> {
        let mut out = vec![false; self.model.parts.len().max(1)];
        for triangle in &self.model.cells.triangles {
            out[self.body(triangle[0])] = true;
        }
        out
    }

    /// The number of the body of a vertex.
    fn body(&self, vertex: u32) -> usize {
        let has = |part: &Part| part.vertices.contains(&(vertex as usize));
        self.model.parts.iter().position(has).unwrap_or_default()
    }

    fn rod(&self, edge: [u32; 2], x: &[Vector<D>]) -> Polygon {
        let corners = edge.map(|v| project(x[v as usize]));
        Polygon {
            corners: corners.map(|corner| [corner[0], corner[1]]).to_vec(),
            // As that of three corners.
            nearness: 1.5 * (corners[0][2] + corners[1][2]),
            color: COLORS[self.body(edge[0]) % COLORS.len()].to_owned(),
            outline: Some(OUTLINE),
        }
    }

    fn face(&self, face: [u32; 3], x: &[Vector<D>]) -> Polygon {
        let corners = face.map(|v| project(x[v as usize]));
        let color = COLORS[self.body(face[0]) % COLORS.len()];
        let points = face.map(|v| in_space(x[v as usize]));
        let normal = cross(points[1] - points[0], points[2] - points[0]).normalized();
        Polygon {
            corners: corners.map(|corner| [corner[0], corner[1]]).to_vec(),
            nearness: corners.iter().map(|corner| corner[2]).sum(),
            color: shaded(color, if D == 2 { 1.0 } else { light(normal) }),
            outline: Some(OUTLINE),
        }
    }

    /// In 2D the solid side of a plane, in 3D a piece of the plane around the scene.
    fn half_space(&self, obstacle: &Obstacle<D>) -> Polygon {
        let normal = obstacle.normal(self.center);
        let foot = self.center - normal * obstacle.distance(self.center);
        let reach = 1.3 * self.radius;
        let corners: Vec<Vector<D>> = if D == 2 {
            let mut along = Vector::ZERO;
            (along[0], along[1]) = (-normal[1], normal[0]);
            let far = along * (40.0 * reach);
            vec![
                foot - far,
                foot + far,
                foot + far - normal * (40.0 * reach),
                foot - far - normal * (40.0 * reach),
            ]
        } else {
            let n = in_space(normal);
            let level = cross(n, Vector([0.0, 0.0, 1.0]));
            let u = if level.norm() > 0.1 {
                level.normalized()
            } else {
                cross(n, Vector([1.0, 0.0, 0.0])).normalized()
            };
            let w = cross(n, u);
            let corner = |a: f64, b: f64| {
                let offset = u * (a * reach) + w * (b * 0.5 * reach);
                foot + Vector(std::array::from_fn(|k| offset[k]))
            };
            vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)]
        };
        let corners = corners.into_iter().map(project).map(|corner| [corner[0], corner[1]]).collect();
        Polygon {
            corners,
            nearness: f64::NEG_INFINITY,
            color: SOLID.to_owned(),
            outline: Some(SOLID_OUTLINE),
        }
    }
}

/// Whether projected corners run counter-clockwise.
fn looks_at_eye([a, b, c]: [[f64; 3]; 3]) -> bool {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0.0
}

/// How bright a surface with this normal is: the side that is seen is lit, whichever it is.
pub(super) fn light(normal: Vector<3>) -> f64 {
    let normal = if normal.dot(Vector(EYE)) < 0.0 { -normal } else { normal };
    0.62 + 0.38 * normal.dot(Vector(LIGHT).normalized())
}

/// A colour `#rrggbb` made darker (below 1).
pub(super) fn shaded(color: &str, light: f64) -> String {
    let mut out = String::from("#");
    for k in 0..3 {
        let part = color.get(1 + 2 * k..3 + 2 * k).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        let value = (f64::from(part.unwrap_or(128)) * light.clamp(0.0, 1.0)).round();
        let _ = write!(out, "{:02x}", value as i64);
    }
    out
}
