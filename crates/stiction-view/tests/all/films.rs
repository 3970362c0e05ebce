//! Small films to test with.

use std::ops::Range;

use stiction_view::film::{Contact, Field, Film, Frame, Kind, Place, Regime, Scenery, Thing};

/// A scenery with one frame that grows thing by thing.
pub struct Builder {
    pub scenery: Scenery,
    pub frame: Frame,
}

type Point = [f64; 3];

impl Builder {
    pub fn new(title: &str, dimension: usize) -> Self {
        let gravity = [0.0, -9.81, 0.0];
        let scenery = Scenery { title: title.to_owned(), dimension, gravity, ..Scenery::default() };
        Self { scenery, frame: Frame::default() }
    }

    pub fn add(&mut self, name: &str, kind: Kind, points: &[Point], triangles: &[[u32; 3]]) -> &mut Self {
        self.push(name, kind, points, (triangles, &[]))
    }

    pub fn rod(&mut self, name: &str, points: &[Point]) -> &mut Self {
        let edges: Vec<[u32; 2]> = (1..points.len() as u32).map(|i| [i - 1, i]).collect();
        self.push(name, Kind::Rod, points, (&[], &edges))
    }

    fn push(
        &mut self,
        name: &str,
        kind: Kind,
        points: &[Point],
        (triangles, edges): (&[[u32; 3]], &[[u32; 2]]),
    ) -> &mut Self {
        let scenery = &mut self.scenery;
        let first = scenery.vertices;
        let range = |start: usize, count: usize| -> Range<u32> { start as u32..(start + count) as u32 };
        scenery.things.push(Thing {
            name: name.to_owned(),
            kind,
            material: String::new(),
            vertices: range(first as usize, points.len()),
            triangles: range(scenery.triangles.len(), triangles.len()),
            edges: range(scenery.edges.len(), edges.len()),
        });
        scenery.vertices += points.len() as u32;
        scenery.triangles.extend(triangles.iter().map(|triangle| triangle.map(|vertex| vertex + first)));
        scenery.edges.extend(edges.iter().map(|edge| edge.map(|vertex| vertex + first)));
        self.frame.points.extend_from_slice(points);
        self
    }

    /// A field of all vertices.
    pub fn field(&mut self, name: &str, unit: &str, value: impl Fn(Point) -> f64) -> &mut Self {
        self.scenery.fields.push(Field {
            name: name.to_owned(),
            unit: unit.to_owned(),
            meaning: String::new(),
            place: Place::Vertices,
            components: 1,
            categories: Vec::new(),
        });
        self.frame.fields.push(self.frame.points.iter().map(|point| value(*point) as f32).collect());
        self
    }

    pub fn film(&self) -> Film {
        Film::new(self.scenery.clone(), Box::new(vec![self.frame.clone()])).unwrap()
    }

    /// A film whose frames are made from this one.
    pub fn film_of(&self, times: &[f64], change: impl Fn(&mut Frame, f64)) -> Film {
        let frames: Vec<Frame> = times
            .iter()
            .enumerate()
            .map(|(step, time)| {
                let mut frame = Frame { step, time: *time, ..self.frame.clone() };
                change(&mut frame, *time);
                frame
            })
            .collect();
        Film::new(self.scenery.clone(), Box::new(frames)).unwrap()
    }
}

/// A grid of `cells` by `cells` squares, each cut in two, moved by a map from [0, 1]².
pub fn sheet(cells: u32, place: impl Fn(f64, f64) -> Point) -> (Vec<Point>, Vec<[u32; 3]>) {
    let row = cells + 1;
    let at = |i: u32| f64::from(i) / f64::from(cells);
    let points = (0..row * row).map(|i| place(at(i % row), at(i / row))).collect();
    let triangles = (0..cells * cells).flat_map(|cell| {
        let a = cell / cells * row + cell % cells;
        [[a, a + 1, a + row + 1], [a, a + row + 1, a + row]]
    });
    (points, triangles.collect())
}

/// The surface of a box whose sides have `cells` by `cells` squares.
pub fn cuboid(low: Point, high: Point, cells: u32) -> (Vec<Point>, Vec<[u32; 3]>) {
    let mut points: Vec<Point> = Vec::new();
    let mut triangles = Vec::new();
    for axis in 0..3 {
        for side in 0..2 {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let (part, faces) = sheet(cells, |s, t| {
                let mut point = [0.0; 3];
                point[axis] = if side == 0 { low[axis] } else { high[axis] };
                point[u] = low[u] + s * (high[u] - low[u]);
                point[v] = low[v] + t * (high[v] - low[v]);
                point
            });
            let numbers: Vec<u32> = part.iter().map(|point| number_of(&mut points, *point)).collect();
            triangles.extend(faces.iter().map(|face| {
                let [a, b, c] = face.map(|corner| numbers[corner as usize]);
                if side == 0 { [a, c, b] } else { [a, b, c] }
            }));
        }
    }
    (points, triangles)
}

fn number_of(points: &mut Vec<Point>, point: Point) -> u32 {
    let close = |other: &Point| (0..3).all(|axis| (other[axis] - point[axis]).abs() < 1e-12);
    let found = points.iter().position(close).unwrap_or_else(|| {
        points.push(point);
        points.len() - 1
    });
    found as u32
}

/// The surface of a ball.
pub fn ball(centre: Point, radius: f64, cells: u32) -> (Vec<Point>, Vec<[u32; 3]>) {
    let (points, triangles) = cuboid([-1.0; 3], [1.0; 3], cells);
    let points = points.iter().map(|point| {
        let length = point.iter().map(|at| at * at).sum::<f64>().sqrt();
        std::array::from_fn(|axis| centre[axis] + radius * point[axis] / length)
    });
    (points.collect(), triangles)
}

/// A place on a cloth that lies on a box of half width 0.1 and height 0 and hangs down its sides, `gap` above it.
pub fn draped(s: f64, t: f64, gap: f64) -> Point {
    let (x, z) = ((s - 0.5) * 0.5, (t - 0.5) * 0.5);
    let fold = |at: f64| {
        let over = (at.abs() - 0.1 - gap).max(0.0);
        (at.signum() * (at.abs().min(0.1 + gap) + 0.12 * over), over)
    };
    let ((x, down), (z, other)) = (fold(x), fold(z));
    let wave = 0.012 * (40.0 * (s - t)).sin() * (down + other).min(0.1) / 0.1;
    let out = |at: f64, wave: f64| at + at.signum() * wave.max(0.0);
    [
        out(x, wave * down / 0.15),
        gap - 0.95 * down.max(other) - 0.05 * down.min(other),
        out(z, wave * other / 0.15),
    ]
}

/// A cloth over a box on a floor that is a thousand times as large.
pub fn cloth(cells: u32) -> Builder {
    let mut builder = Builder::new("Cloth over a box", 3);
    let (points, triangles) = sheet(cells, |s, t| draped(s, t, 1e-3));
    builder.add("cloth", Kind::Sheet, &points, &triangles);
    let (points, triangles) = cuboid([-0.1, -0.2, -0.1], [0.1, 0.0, 0.1], 1);
    builder.add("box", Kind::Solid, &points, &triangles);
    let (points, triangles) = sheet(1, |s, t| [100.0 * (t - 0.5), -0.201, 100.0 * (s - 0.5)]);
    builder.add("floor", Kind::Obstacle, &points, &triangles);
    builder
}

/// Blocks that are stacked askew.
pub fn blocks(cells: u32) -> Builder {
    let mut builder = Builder::new("Three blocks", 3);
    for (index, name) in ["lower", "middle", "upper"].into_iter().enumerate() {
        let low = index as f64 * 0.101;
        let (mut points, triangles) = cuboid([-0.1, low, -0.07], [0.1, low + 0.1, 0.07], cells);
        let angle: f64 = 0.35 * index as f64;
        for point in &mut points {
            let (x, z) = (point[0], point[2]);
            (point[0], point[2]) = (x * angle.cos() + z * angle.sin(), z * angle.cos() - x * angle.sin());
        }
        builder.add(name, Kind::Solid, &points, &triangles);
    }
    let (points, triangles) = sheet(1, |s, t| [2.0 * (t - 0.5), -0.001, 2.0 * (s - 0.5)]);
    builder.add("floor", Kind::Obstacle, &points, &triangles);
    builder
}

/// A rod that is wound around a ball.
pub fn rods() -> Builder {
    let mut builder = Builder::new("A rod around a ball", 3);
    let coil: Vec<Point> = (0..=240)
        .map(|i| {
            let t = f64::from(i) / 240.0;
            let (angle, height) = (30.0 * t, 0.16 * (t - 0.5));
            let radius = (0.0121 - height * height).sqrt();
            [radius * f64::cos(angle), height, radius * f64::sin(angle)]
        })
        .collect();
    builder.rod("coil", &coil);
    let (points, triangles) = ball([0.0; 3], 0.1, 12);
    builder.add("ball", Kind::Solid, &points, &triangles);
    builder
}

/// A block and a wheel on a slope, in 2D, with contact forces.
pub fn slope() -> Builder {
    let mut builder = Builder::new("A block and a wheel on a slope", 2);
    let (sin, cos) = (0.35f64.sin(), 0.35f64.cos());
    let turn = |x: f64, y: f64| [x * cos - y * sin, x * sin + y * cos, 0.0];
    let (points, triangles) = sheet(8, |s, t| turn(0.1 + 0.3 * s, 0.001 + 0.2 * t));
    builder.add("block", Kind::Solid, &points, &triangles);
    let (points, triangles) = sheet(10, |s, t| {
        let (x, y) = (2.0 * s - 1.0, 2.0 * t - 1.0);
        let place = (x * (1.0 - y * y / 2.0).sqrt(), y * (1.0 - x * x / 2.0).sqrt());
        turn(0.6 + 0.1 * place.0, 0.101 + 0.1 * place.1)
    });
    builder.add("wheel", Kind::Solid, &points, &triangles);
    builder.add(
        "slope",
        Kind::Obstacle,
        &[turn(-0.5, 0.0), turn(-0.5, -5.0), turn(5.0, -5.0), turn(5.0, 0.0)],
        &[[0, 1, 2], [0, 2, 3]],
    );
    builder.frame.contacts = (0..=8)
        .map(|i| Contact {
            things: [0, 2],
            point: turn(0.1 + 0.0375 * f64::from(i), 0.0005),
            normal_force: turn(0.0, 8.0 - 0.7 * f64::from(i)),
            friction_force: turn(2.5 - 0.2 * f64::from(i), 0.0),
            regime: if i < 4 { Regime::Slip } else { Regime::Stick },
        })
        .collect();
    builder
}
