//! Writes the page of a film that is made up, to look at and to test the player with:
//!
//! ```text
//! cargo run -p stiction-view --example sample-page -- OUT.html [3d | 2d | names | rods | large]
//! ```

use std::f64::consts::TAU;
use std::path::Path;
use std::time::Instant;

use stiction_view::error::{Error, Result};
use stiction_view::film::{Contact, Curve, Field, Film, Frame, Kind, Place, Reel, Regime, Scenery, Thing};
use stiction_view::page;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let usage = || Error::Request("sample-page OUT.html [3d | 2d | names | rods | large]".to_owned());
    let path = arguments.next().ok_or_else(usage)?;
    let show = match arguments.next().as_deref() {
        None | Some("3d") => Show::solid(12, 16, 90),
        Some("large") => Show::solid(49, 66, 200),
        Some("2d") => Show::plane("Block on a slope in 2D"),
        Some("names") => Show::plane("</title></script><script>alert(1)</script>"),
        Some("rods") => Show::rods(),
        Some(_) => return Err(usage()),
    };
    let triangles = show.scenery.triangles.len();
    let film = Film::new(show.scenery.clone(), Box::new(show))?;
    let begin = Instant::now();
    let size = page::write(&film, Path::new(&path), page::Options::default(), &|_, _| true)?;
    let megabytes = size.bytes as f64 / 1e6;
    println!(
        "{triangles} triangles, {} of {} frames: {megabytes:.2} MB in {:.1?}",
        size.frames,
        size.film_frames,
        begin.elapsed()
    );
    Ok(())
}

/// A made-up run: bodies at rest, and how each moves.
struct Show {
    scenery: Scenery,
    rest: Vec<[f64; 3]>,
    frames: usize,
}

const DURATION: f64 = 3.0;

impl Reel for Show {
    fn count(&self) -> usize {
        self.frames
    }

    fn frame(&self, index: usize) -> Result<Frame> {
        let time = DURATION * index as f64 / (self.frames - 1).max(1) as f64;
        let points: Vec<_> = (0..self.rest.len()).map(|vertex| self.place(vertex, time)).collect();
        let contacts = self.contacts(&points, time);
        let fields = self.fields(&points, &contacts, time);
        Ok(Frame { step: 4 * index, time, points, fields, contacts })
    }
}

impl Show {
    fn empty(title: &str, dimension: usize, frames: usize) -> Self {
        let gravity = if dimension == 2 { [0.0, -9.81, 0.0] } else { [0.0, 0.0, -9.81] };
        let scenery = Scenery { title: title.to_owned(), dimension, gravity, ..Scenery::default() };
        Self { scenery, rest: Vec::new(), frames }
    }

    fn solid(fine: usize, round: usize, frames: usize) -> Self {
        let mut show = Self::empty("Block, ball, sheet and rod", 3, frames);
        show.add("block", Kind::Solid, block(fine, [0.5, 0.3, 0.2], [-0.9, -0.15, 0.0]));
        show.add("ball", Kind::Solid, ball(round, 0.18, [0.35, 0.3, 0.6]));
        show.add("sheet", Kind::Sheet, grid(2 * fine, [0.6, 0.6], [0.1, -0.75, 0.5]));
        show.add("rod", Kind::Rod, rod(40, [-0.6, 0.55, 0.25], 0.8));
        show.add("ground", Kind::Obstacle, grid(20, [4.0, 4.0], [-2.0, -2.0, 0.0]));
        show.finish();
        show
    }

    /// Nothing but two rods, and one frame: no triangles, fields, contacts or curves.
    fn rods() -> Self {
        let mut show = Self::empty("", 3, 1);
        show.add("first", Kind::Rod, rod(20, [0.0; 3], 1.0));
        show.add("second", Kind::Rod, rod(20, [0.0, 0.0, 0.3], 1.0));
        show
    }

    fn plane(title: &str) -> Self {
        let mut show = Self::empty(title, 2, 60);
        let name = if title.starts_with('<') { "</script><script>alert(1)</script>" } else { "block" };
        show.add(name, Kind::Solid, grid(10, [0.5, 0.3], [-0.9, 0.0, 0.0]));
        show.add("disc", Kind::Solid, disc(24, 0.15, [0.3, 0.5]));
        show.add("chain", Kind::Rod, rod(30, [-0.4, 0.75, 0.0], 0.7));
        show.add("slope", Kind::Obstacle, grid(1, [4.0, 0.4], [-2.0, -0.4, 0.0]));
        show.finish();
        show
    }

    fn add(&mut self, name: &str, kind: Kind, shape: Shape) {
        let scenery = &mut self.scenery;
        let (vertex, triangle, edge) =
            (scenery.vertices, scenery.triangles.len() as u32, scenery.edges.len() as u32);
        scenery.triangles.extend(shape.triangles.iter().map(|corners| corners.map(|corner| corner + vertex)));
        scenery.edges.extend(shape.edges.iter().map(|ends| ends.map(|end| end + vertex)));
        scenery.vertices += shape.points.len() as u32;
        scenery.things.push(Thing {
            name: name.to_owned(),
            kind,
            material: if kind == Kind::Obstacle { String::new() } else { "rubber".to_owned() },
            vertices: vertex..scenery.vertices,
            triangles: triangle..scenery.triangles.len() as u32,
            edges: edge..scenery.edges.len() as u32,
        });
        self.rest.extend(shape.points);
    }

    fn finish(&mut self) {
        let field = |name: &str, unit: &str, meaning: &str, place, components| Field {
            name: name.to_owned(),
            unit: unit.to_owned(),
            meaning: meaning.to_owned(),
            place,
            components,
            categories: Vec::new(),
        };
        let states = Field {
            categories: ["free", "stick", "slip"].map(str::to_owned).to_vec(),
            ..field("friction_state", "", "Whether a vertex touches, and how it rubs.", Place::Vertices, 1)
        };
        self.scenery.fields = vec![
            field("velocity", "m/s", "Velocity of each vertex.", Place::Vertices, 3),
            field(
                "contact_pressure",
                "Pa",
                "Normal force per area; none away from contact.",
                Place::Vertices,
                1,
            ),
            field("von_mises", "Pa", "Von Mises stress of each element.", Place::Triangles, 1),
            states,
            field("gap", "m", "Distance of the two sides.", Place::Contacts, 1),
        ];
        self.add_curves();
    }

    fn add_curves(&mut self) {
        let times: Vec<f64> = (0..=400).map(|step| DURATION * f64::from(step) / 400.0).collect();
        let mut curve = |name: &str, unit: &str, value: &dyn Fn(f64) -> f64| {
            self.scenery.curves.push(Curve {
                name: name.to_owned(),
                unit: unit.to_owned(),
                meaning: format!("The {} of the whole run.", name.replace('_', " ")),
                values: times.iter().map(|time| value(*time)).collect(),
            });
        };
        curve("newton_iterations", "", &|time| {
            (4.0 + 3.0 * (7.0 * time).sin() + 9.0 * (time * 2.1).sin().powi(20)).round()
        });
        curve("kinetic_energy", "J", &|time| 2.0 * (-time).exp() * (1.0 + 0.4 * (9.0 * time).cos()));
        curve("elastic_energy", "J", &|time| 0.6 * (-time).exp() * (1.0 - (9.0 * time).cos()));
        curve("total_energy", "J", &|time| 3.0 * (-0.8 * time).exp());
        curve("friction_heat", "J", &|time| 3e-3 * time * (-time).exp());
        curve("smallest_gap", "m", &|time| {
            if time < 0.2 { f64::INFINITY } else { 1e-3 * 10_f64.powf(-2.0 * (3.0 * time).sin().powi(2)) }
        });
        for body in ["block", "ball"] {
            curve(&format!("{body}.normal_force_z"), "N", &|time| 40.0 * (3.0 * time).sin().abs());
            curve(&format!("{body}.friction_force_x"), "N", &|time| -12.0 * (3.0 * time).sin().powi(2));
        }
        self.scenery.step_times = times;
    }

    fn thing(&self, vertex: usize) -> usize {
        let holds = |thing: &Thing| thing.vertices.contains(&(vertex as u32));
        self.scenery.things.iter().position(holds).unwrap_or(0)
    }

    /// Where a vertex is: blocks slide until they stick, balls bounce, sheets and rods wave.
    fn place(&self, vertex: usize, time: f64) -> [f64; 3] {
        let up = self.scenery.dimension - 1;
        let mut point = self.rest[vertex];
        match (self.thing(vertex), self.scenery.dimension) {
            (0, _) => {
                point[0] +=
                    slid(time) + 0.15 * (point[up] * 2.0).powi(2) * (8.0 * time).sin() * (-time).exp();
            }
            (1, dimension) => {
                let bounce = (4.0 * time).cos().abs() * (-0.4 * time).exp();
                let floor = if dimension == 2 { 0.15 } else { 0.18 };
                let centre = if dimension == 2 { 0.5 } else { 0.6 };
                let flat = 1.0 - 0.3 * (1.0 - bounce).powi(8);
                point[up] = floor * flat + bounce * (centre - floor) + (point[up] - centre) * flat;
            }
            (2, 3) => {
                let across = (point[0] - 0.1) * 6.0;
                point[2] += 0.07 * (across + 5.0 * time).sin() + 0.04 * (7.0 * point[1] - 3.0 * time).cos();
            }
            (2 | 3, dimension) if self.scenery.things[self.thing(vertex)].kind == Kind::Rod => {
                let along = point[0] * 8.0;
                point[1] += 0.08 * (along - 4.0 * time).sin();
                point[2] += if dimension == 3 { 0.08 * (along - 4.0 * time).cos() } else { 0.0 };
            }
            _ => {}
        }
        point
    }

    fn contacts(&self, points: &[[f64; 3]], time: f64) -> Vec<Contact> {
        let up = self.scenery.dimension - 1;
        let ground = self.scenery.things.len() as u32 - 1;
        if self.scenery.things[ground as usize].kind != Kind::Obstacle {
            return Vec::new();
        }
        let speed = (slid(time + 1e-3) - slid(time)) * 1e3;
        let mut contacts = Vec::new();
        for (vertex, point) in points.iter().enumerate().step_by(points.len().div_ceil(6000)) {
            let thing = self.thing(vertex) as u32;
            if thing > 1 || point[up] > 1e-3 {
                continue;
            }
            let slips = thing == 0 && speed > 0.02;
            let mut contact = Contact { things: [thing, ground], point: *point, ..Contact::default() };
            contact.normal_force[up] = 1.0 + point[0].abs() + 0.3 * (9.0 * point[0] + 5.0 * time).sin();
            contact.friction_force[0] = if slips { -0.5 } else { -0.2 } * contact.normal_force[up];
            contact.regime = if slips { Regime::Slip } else { Regime::Stick };
            contacts.push(contact);
        }
        contacts
    }

    fn fields(&self, points: &[[f64; 3]], contacts: &[Contact], time: f64) -> Vec<Vec<f32>> {
        let up = self.scenery.dimension - 1;
        let velocity = |vertex: usize| {
            let (now, next) = (points[vertex], self.place(vertex, time + 1e-3));
            [0, 1, 2].map(|axis| ((next[axis] - now[axis]) * 1e3) as f32)
        };
        let touches = |point: &[f64; 3]| point[up] < 1e-3;
        let pressure = |point: &[f64; 3]| {
            if touches(point) { 1e3 * (1.0 + (6.0 * point[0]).sin()) as f32 } else { f32::NAN }
        };
        let stress = |corners: &[u32; 3]| {
            let point = points[corners[0] as usize];
            let wave = (9.0 * point[0] + 4.0 * point[up] - 6.0 * time).sin();
            (2e4 * (1.0 + wave) * (1.0 + 2.0 * point[up]).exp()) as f32
        };
        let state =
            |point: &[f64; 3]| f32::from(u8::from(touches(point))) * if slid(time) < 0.7 { 2.0 } else { 1.0 };
        let values = vec![
            (0..points.len()).flat_map(velocity).collect(),
            points.iter().map(pressure).collect(),
            self.scenery.triangles.iter().map(stress).collect(),
            points.iter().map(state).collect(),
            contacts.iter().map(|contact| 1e-4 / contact.normal_force[up] as f32).collect(),
        ];
        values.into_iter().take(self.scenery.fields.len()).collect()
    }
}

fn slid(time: f64) -> f64 {
    0.8 * (1.0 - (-1.8 * time).exp())
}

#[derive(Default)]
struct Shape {
    points: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
    edges: Vec<[u32; 2]>,
}

impl Shape {
    /// Adds a grid of `fine` × `fine` quadrilaterals; `place` takes coordinates from 0 to 1.
    fn patch(&mut self, fine: usize, place: impl Fn(f64, f64) -> [f64; 3]) {
        let base = self.points.len() as u32;
        let row = fine as u32 + 1;
        for j in 0..=fine {
            for i in 0..=fine {
                self.points.push(place(i as f64 / fine as f64, j as f64 / fine as f64));
            }
        }
        for j in 0..fine as u32 {
            for i in 0..fine as u32 {
                let corner = base + j * row + i;
                self.triangles.push([corner, corner + 1, corner + row + 1]);
                self.triangles.push([corner, corner + row + 1, corner + row]);
            }
        }
    }
}

fn grid(fine: usize, size: [f64; 2], low: [f64; 3]) -> Shape {
    let mut shape = Shape::default();
    shape.patch(fine, |u, v| [low[0] + u * size[0], low[1] + v * size[1], low[2]]);
    shape
}

fn block(fine: usize, size: [f64; 3], low: [f64; 3]) -> Shape {
    let mut shape = Shape::default();
    for axis in 0..3 {
        for side in [0.0, 1.0] {
            shape.patch(fine, |u, v| {
                let (u, v) = if side > 0.5 { (u, v) } else { (v, u) };
                let mut point = [0.0; 3];
                point[axis] = side;
                point[(axis + 1) % 3] = u;
                point[(axis + 2) % 3] = v;
                [0, 1, 2].map(|k| low[k] + point[k] * size[k])
            });
        }
    }
    shape
}

fn ball(fine: usize, radius: f64, centre: [f64; 3]) -> Shape {
    let mut shape = block(fine, [2.0; 3], [-1.0; 3]);
    for point in &mut shape.points {
        let length = point.iter().map(|x| x * x).sum::<f64>().sqrt();
        *point = [0, 1, 2].map(|k| centre[k] + radius * point[k] / length);
    }
    shape
}

fn disc(fine: u32, radius: f64, centre: [f64; 2]) -> Shape {
    let rim = |index: u32| {
        let angle = TAU * f64::from(index) / f64::from(fine);
        [centre[0] + radius * angle.cos(), centre[1] + radius * angle.sin(), 0.0]
    };
    let mut shape = Shape::default();
    shape.points.push([centre[0], centre[1], 0.0]);
    shape.points.extend((0..fine).map(rim));
    shape.triangles.extend((0..fine).map(|index| [0, 1 + index, 1 + (index + 1) % fine]));
    shape
}

fn rod(fine: u32, low: [f64; 3], length: f64) -> Shape {
    let place = |index: u32| [low[0] + length * f64::from(index) / f64::from(fine), low[1], low[2]];
    let edges = (0..fine).map(|index| [index, index + 1]).collect();
    Shape { points: (0..=fine).map(place).collect(), triangles: Vec::new(), edges }
}
