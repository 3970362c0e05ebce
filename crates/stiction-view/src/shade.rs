//! The colour of a place on a surface.

use crate::camera::{Camera, Stage};
use crate::color::{INK, Light, OBSTACLE, UNKNOWN, light, of_body};
use crate::film::{Field, Frame, Kind, Place, Scenery};
use crate::light::Lamp;
use crate::look::Look;
use crate::raster::{Centres, NONE};
use crate::surface::{Line, Surface, barycentric};
use crate::survey::Tint;
use crate::vector::{Vector, add, dot, norm, scale, sub, unit};

/// Everything that the colour of a place depends on.
pub struct Shader<'a> {
    pub scenery: &'a Scenery,
    pub frame: &'a Frame,
    pub camera: &'a Camera,
    pub stage: &'a Stage,
    pub look: &'a Look,
    pub tint: Option<&'a Tint>,
    pub surface: &'a Surface,
    pub centres: &'a Centres,
    /// The lamp, and how open each pixel's place is to light from all around; none in 2D, where nothing is shaded.
    pub light: Option<(Lamp, Vec<f32>)>,
    /// Vertices of the surface in the picture.
    pub projected: Vec<Vector>,
    /// Which things go on far beyond the bodies and fade into the background.
    pub endless: Vec<bool>,
    pub background: Light,
}

/// Things that reach farther than this many radii of the stage from its centre fade.
const FADE_FROM: f64 = 1.25;
const FADE_TO: f64 = 2.6;

/// Things that are much larger than all bodies.
pub fn endless(scenery: &Scenery, points: &[Vector], stage: &Stage) -> Vec<bool> {
    let far = |point: &Vector| norm(sub(*point, stage.centre())) > FADE_TO * stage.radius();
    let things = scenery.things.iter();
    things
        .map(|thing| {
            let vertices = thing.vertices.start as usize..thing.vertices.end as usize;
            !stage.flat && thing.kind == Kind::Obstacle && points[vertices].iter().any(far)
        })
        .collect()
}

impl Shader<'_> {
    /// The colour of a triangle at a place (x, y) of the picture.
    pub fn color(&self, triangle: usize, place: [f64; 2]) -> Light {
        let corners = self.surface.corners(triangle);
        let ray = self.camera.ray(place[0], place[1]);
        let shares = barycentric(&ray, corners).unwrap_or([1.0 / 3.0; 3]);
        let point = (0..3).fold([0.0; 3], |sum, i| add(sum, scale(corners[i], shares[i])));
        let thing = self.surface.things[triangle] as usize;
        let base = light(self.base(triangle, thing, shares));
        let lined = self.with_lines(base, triangle, place);
        let lit = match &self.light {
            Some((lamp, open)) => {
                let normal = self.normal(triangle, shares, point);
                let open = self.open(open, place, point);
                lined.map(|part| part * self.brightness(lamp, (point, normal), open))
            }
            None => lined,
        };
        if self.endless[thing] { self.faded(lit, point) } else { lit }
    }

    fn base(&self, triangle: usize, thing: usize, shares: [f64; 3]) -> [u8; 3] {
        if self.scenery.things[thing].kind == Kind::Obstacle {
            return OBSTACLE;
        }
        let Some(tint) = self.tint else { return of_body(thing) };
        let field = &self.scenery.fields[tint.quantity.field];
        self.value(tint, field, triangle, shares).map_or(UNKNOWN, |value| tint.color(field, value))
    }

    /// The field's value on a triangle: interpolated between vertices, but for categories.
    fn value(&self, tint: &Tint, field: &Field, triangle: usize, shares: [f64; 3]) -> Option<f64> {
        let values = &self.frame.fields[tint.quantity.field];
        let at = |place: u32| f64::from(tint.quantity.value(field.components, values, place as usize));
        match field.place {
            Place::Contacts => None,
            Place::Triangles => (triangle < self.surface.own).then(|| at(triangle as u32)),
            Place::Vertices => {
                let corners = self.surface.triangles[triangle].map(|vertex| self.own_vertex(vertex));
                if field.categories.is_empty() {
                    return Some((0..3).map(|i| shares[i] * at(corners[i])).sum());
                }
                let nearest = (0..3).max_by(|i, j| shares[*i].total_cmp(&shares[*j]))?;
                Some(at(corners[nearest]))
            }
        }
    }

    /// The vertex of the scenery that a vertex of a tube stands for.
    fn own_vertex(&self, vertex: u32) -> u32 {
        let own = self.frame.points.len();
        let vertex = vertex as usize;
        if vertex < own { vertex as u32 } else { self.surface.rod_vertices[vertex - own] }
    }

    /// The unit normal on the side that is seen.
    fn normal(&self, triangle: usize, shares: [f64; 3], point: Vector) -> Vector {
        let normals = self.surface.normals[triangle];
        let sum = (0..3).fold([0.0; 3], |sum, i| add(sum, scale(normals[i], shares[i])));
        let toward = self.camera.toward(point);
        let normal = unit(sum).unwrap_or(toward);
        if dot(normal, toward) < 0.0 { scale(normal, -1.0) } else { normal }
    }

    /// Openness at a place whose own pixel may show something else at its centre: that of the neighbour which is as deep.
    fn open(&self, open: &[f32], place: [f64; 2], point: Vector) -> f32 {
        let [width, height] = self.camera.size.map(|pixels| pixels as usize);
        let (x, y) = (place[0] as usize, place[1] as usize);
        let depth = self.camera.coordinates(point)[2];
        let apart = |pixel: usize| (self.centres.depth[pixel] - depth).abs();
        let own = y * width + x;
        if apart(own) * self.camera.scale_at(depth) < 2.0 {
            return open[own];
        }
        let rows = y.saturating_sub(1)..(y + 2).min(height);
        let pixels = rows.flat_map(|row| {
            (x.saturating_sub(1)..(x + 2).min(width)).map(move |column| row * width + column)
        });
        let shown = pixels.filter(|pixel| self.centres.triangles[*pixel] != NONE);
        shown.min_by(|one, other| apart(*one).total_cmp(&apart(*other))).map_or(1.0, |pixel| open[pixel])
    }

    fn brightness(&self, lamp: &Lamp, (point, normal): (Vector, Vector), open: f32) -> f32 {
        let sky = 0.5 + 0.5 * dot(normal, self.stage.up) as f32;
        let head = dot(normal, self.camera.toward(point)).max(0.0) as f32;
        let facing = dot(normal, lamp.toward).max(0.0) as f32;
        let lamp = if facing > 0.0 { facing * lamp.reaches(point, normal) } else { 0.0 };
        if self.tint.is_some() {
            // Colours should stay close to those of the colour bar.
            return (0.55 + 0.12 * sky + 0.13 * head) * (0.45 + 0.55 * open) + 0.28 * lamp;
        }
        (0.36 + 0.18 * sky + 0.17 * head) * (0.25 + 0.75 * open) + 0.46 * lamp
    }

    fn with_lines(&self, base: Light, triangle: usize, place: [f64; 2]) -> Light {
        let corners = self.surface.triangles[triangle].map(|vertex| self.projected[vertex as usize]);
        if corners.iter().any(|corner| corner[2] < self.camera.near()) {
            return base;
        }
        let thing = self.surface.things[triangle] as usize;
        let area = doubled_area(corners);
        let lengths: [f64; 3] = std::array::from_fn(|i| side(corners, i));
        let longest = lengths.iter().fold(0.0, |most: f64, length| most.max(*length));
        let fade = ((area / longest - 3.0) / 6.0).clamp(0.0, 1.0);
        let mut strength: f64 = 0.0;
        for (i, line) in self.surface.lines[triangle].into_iter().enumerate() {
            let (most, half_width) = self.pen(line, thing, fade);
            let (a, b) = (corners[(i + 1) % 3], corners[(i + 2) % 3]);
            let away = doubled_area([a, b, [place[0], place[1], 0.0]]) / lengths[i];
            strength = strength.max(most * (half_width + 0.5 - away).clamp(0.0, 1.0));
        }
        let ink = light(INK);
        std::array::from_fn(|i| base[i] + (ink[i] * 0.8 - base[i]) * strength as f32)
    }

    /// How dark a line is, and half its width in pixels.
    fn pen(&self, line: Line, thing: usize, fade: f64) -> (f64, f64) {
        match line {
            Line::Mesh if self.look.mesh => (0.34 * fade, 0.45),
            Line::Off | Line::Mesh => (0.0, 0.0),
            Line::Sharp if self.stage.flat => (0.8, 1.1),
            Line::Sharp if self.scenery.things[thing].kind == Kind::Obstacle => (0.3, 0.7),
            Line::Sharp => (0.62, 0.7),
        }
    }

    fn faded(&self, lit: Light, point: Vector) -> Light {
        let radii = norm(sub(point, self.stage.centre())) / self.stage.radius();
        let share = ((radii - FADE_FROM) / (FADE_TO - FADE_FROM)).clamp(0.0, 1.0);
        let share = (share * share * (3.0 - 2.0 * share)) as f32;
        std::array::from_fn(|i| lit[i] + (self.background[i] - lit[i]) * share)
    }
}

fn side(corners: [Vector; 3], opposite: usize) -> f64 {
    let (a, b) = (corners[(opposite + 1) % 3], corners[(opposite + 2) % 3]);
    (b[0] - a[0]).hypot(b[1] - a[1])
}

fn doubled_area([a, b, c]: [Vector; 3]) -> f64 {
    ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])).abs()
}
