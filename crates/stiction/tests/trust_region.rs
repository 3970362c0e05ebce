//! Steps that nothing crosses: by the trust region and by continuous collision detection; and how stiff contacts should be.

mod support;

use std::time::Instant;

use stiction::broad_phase::BroadPhaseKind;
use stiction::ccd::Ccd;
use stiction::math::Vector;
use stiction::mesh::Surface;
use support::Random;

/// Two wavy sheets of `cells` × `cells` squares, a quarter of a square apart, the upper one turned by 7°; d̂ is half a square.
struct Sheets {
    surface: Surface<3>,
    x: Vec<Vector<3>>,
    dhat: f64,
}

impl Sheets {
    fn new(random: &mut Random, cells: usize) -> Self {
        let h = 1.0 / cells as f64;
        let (mut x, mut faces) = (Vec::new(), Vec::new());
        for layer in 0..2_u32 {
            let first = x.len() as u32;
            let (sin, cos) = (f64::from(layer) * 7.0_f64.to_radians()).sin_cos();
            for i in 0..=cells {
                for j in 0..=cells {
                    let p = [i, j].map(|k| (k as f64 + random.between(-0.1, 0.1)) * h - 0.5);
                    let (u, v) = (cos * p[0] - sin * p[1] + 0.5, sin * p[0] + cos * p[1] + 0.5);
                    let height = (f64::from(layer) + random.between(-0.05, 0.05)) * 0.25 * h;
                    x.push(on_wave(u, v, height));
                }
            }
            faces.extend(grid(cells, first));
        }
        let surface = Surface::new(x.clone(), vec![], faces).unwrap();
        Self { surface, x, dhat: 0.5 * h }
    }
}

/// A point above z = sin(kx) cos(ky) / 20, at a height along the normal.
fn on_wave(u: f64, v: f64, height: f64) -> Vector<3> {
    let (k, a) = (3.0 * std::f64::consts::PI, 0.05);
    let ((su, cu), (sv, cv)) = ((k * u).sin_cos(), (k * v).sin_cos());
    let normal = Vector([-a * k * cu * cv, a * k * su * sv, 1.0]).normalized();
    Vector([u, v, a * su * cv]) + normal * height
}

/// The triangles of a grid of squares whose diagonals alternate.
fn grid(cells: usize, first: u32) -> Vec<[u32; 3]> {
    let mut faces = Vec::new();
    for i in 0..cells {
        for j in 0..cells {
            let number = |i: usize, j: usize| first + (i * (cells + 1) + j) as u32;
            let (a, b, c, d) = (number(i, j), number(i + 1, j), number(i + 1, j + 1), number(i, j + 1));
            faces.extend(if (i + j) % 2 == 1 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] });
        }
    }
    faces
}

/// Run with `cargo test --release -p stiction --test trust_region -- --ignored --nocapture time`.
#[test]
#[ignore = "a measurement"]
fn time_of_an_update() {
    stiction::threads::set_count(1).unwrap();
    for cells in [35, 112, 274] {
        let Sheets { surface, x, dhat } = Sheets::new(&mut Random::new(1), cells);
        let mut best = f64::INFINITY;
        for _ in 0..5 {
            let start = Instant::now();
            let radii = Ccd::default()
                .safe_distances_within((&surface, &[]), &x, 2.0 * dhat, BroadPhaseKind::default())
                .unwrap();
            best = best.min(start.elapsed().as_secs_f64());
            assert!(radii.iter().all(|r| *r > 0.0));
        }
        println!("{} faces: {:.1} ms", surface.faces().len(), best * 1e3);
    }
}
