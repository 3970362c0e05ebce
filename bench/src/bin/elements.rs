//! Elastic elements: time for the gradient, the exact and the projected Hessian of each kind and material, on one thread.
//!
//! "element" is the formula alone, "assembled" adds positions gathered and terms summed into a vector or into a matrix whose
//! pattern stays. Vertices are moved by up to a tenth of an edge, so that about half of the solids have negative curvature.
//!
//! `cargo run --release --manifest-path bench/Cargo.toml --bin elements -- [cells [part of a name]]`

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use stiction::blocks::Blocks;
use stiction::distance::Psd;
use stiction::math::Vector;
use stiction::potential::Potential;
use stiction::stencil::Stencil;
use stiction::threads;
use stiction_sim::element::{Bend, Element, Hinge, Membrane, Simplex, Spring};
use stiction_sim::energy::Elastic;
use stiction_sim::material::{Lame, Material, MaterialKind};

/// Times that each figure is measured; the best counts.
const ROUNDS: usize = 12;

/// How far vertices move, in edges.
const MOVED: f64 = 0.1;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let cells = arguments.first().and_then(|a| a.parse().ok()).unwrap_or(12);
    let part = arguments.get(1).map_or("", String::as_str);
    match threads::set_count(1).map(|()| Lame::new(1e5, 0.3)) {
        Ok(Ok(lame)) => run(cells, part, lame),
        _ => return ExitCode::FAILURE,
    }
    ExitCode::SUCCESS
}

fn run(cells: u32, part: &str, lame: Lame) {
    println!("{:28} {:^26}   {:^26}", "ns for each", "element", "assembled");
    let columns = ["gradient", "exact", "clamped"].map(|name| format!("{name:>8}")).join(" ");
    println!("{:28} {columns}   {columns}", "");
    let (solid, plane, sheet) = (grid::<3>(cells, 3), grid::<2>(4 * cells, 2), grid::<3>(4 * cells, 2));
    for kind in MaterialKind::ALL {
        let material = Material { kind, lame };
        let show = |name: &str, table: &dyn Fn()| selected(&format!("{name} {kind}"), part, table);
        show("tetrahedron", &|| {
            let elements: Vec<_> =
                solid.tetrahedra().map(|s| Simplex::<3, 4>::new(s, &solid.rest, material)).collect();
            measure(&solid, &elements, Elastic { tetrahedra: elements.clone(), ..Elastic::default() });
        });
        show("triangle", &|| {
            let elements: Vec<_> =
                plane.triangles().map(|s| Simplex::<2, 3>::new(s, &plane.rest, material)).collect();
            measure(&plane, &elements, Elastic { triangles: elements.clone(), ..Elastic::default() });
        });
        show("membrane", &|| {
            let elements: Vec<_> =
                sheet.triangles().map(|s| Membrane::<3>::new(s, &sheet.rest, material, 1e-3)).collect();
            measure(&sheet, &elements, Elastic { membranes: elements.clone(), ..Elastic::default() });
        });
    }
    selected("hinge", part, &|| {
        let elements: Vec<_> = sheet.hinges().map(|s| Hinge::new(s, &sheet.rest, 0.1)).collect();
        measure(&sheet, &elements, Elastic { hinges: elements.clone(), ..Elastic::default() });
    });
    selected("spring", part, &|| {
        let elements: Vec<_> = sheet.lines().map(|[a, b, _]| Stencil([a, b])).collect();
        let elements: Vec<_> = elements.iter().map(|s| Spring::new(*s, &sheet.rest, 10.0)).collect();
        measure(&sheet, &elements, Elastic { springs: elements.clone(), ..Elastic::default() });
    });
    selected("bend", part, &|| {
        let elements: Vec<_> = sheet.lines().map(|s| Bend::<3>::new(Stencil(s), &sheet.rest, 10.0)).collect();
        measure(&sheet, &elements, Elastic { bends: elements.clone(), ..Elastic::default() });
    });
}

/// Starts a line of the table, if its name is asked for.
fn selected(name: &str, part: &str, measure: &dyn Fn()) {
    if name.contains(part) {
        print!("{name:28} ");
        measure();
    }
}

/// The rest of a line.
fn measure<const D: usize, const N: usize>(
    grid: &Grid<D>,
    elements: &[impl Element<D, N>],
    elastic: Elastic<D>,
) {
    let (x, count) = (&grid.x[..], elements.len());
    let show = |f: &mut dyn FnMut()| print!("{:8.1} ", best(f) / count as f64);
    let places: Vec<_> = elements.iter().map(|element| element.stencil().gather(x)).collect();
    show(&mut || {
        for (element, x) in elements.iter().zip(&places) {
            black_box(element.gradient(x));
        }
    });
    for psd in [Psd::None, Psd::Clamp] {
        show(&mut || {
            for (element, x) in elements.iter().zip(&places) {
                black_box(element.hessian(x, psd));
            }
        });
    }
    print!("  ");
    let mut gradient = vec![Vector::ZERO; x.len()];
    show(&mut || elastic.gradient(x, 0.5, black_box(&mut gradient)));
    let mut blocks = Blocks::default();
    for psd in [Psd::None, Psd::Clamp] {
        show(&mut || blocks.assemble(&elastic, x, 0.5, psd));
    }
    println!();
}

/// The shortest time of several calls, in ns.
fn best(f: &mut dyn FnMut()) -> f64 {
    let time = |f: &mut dyn FnMut()| {
        let start = Instant::now();
        f();
        start.elapsed().as_nanos() as f64
    };
    (0..ROUNDS).map(|_| time(f)).fold(f64::INFINITY, f64::min)
}

/// Points of a cube, or of a square in a plane, at rest and moved.
struct Grid<const D: usize> {
    cells: u32,
    rest: Vec<Vector<D>>,
    x: Vec<Vector<D>>,
}

/// A grid of so many dimensions with so many cells along a side.
fn grid<const D: usize>(cells: u32, dimensions: u32) -> Grid<D> {
    let mut seed = 7_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    let (side, edge) = (cells + 1, 1.0 / f64::from(cells));
    let place = |v: u32, k: usize| if k < dimensions as usize { v / side.pow(k as u32) % side } else { 0 };
    let rest: Vec<Vector<D>> = (0..side.pow(dimensions))
        .map(|v| Vector(std::array::from_fn(|k| f64::from(place(v, k)) * edge)))
        .collect();
    let x = rest.iter().map(|x| Vector(x.0.map(|x| x + MOVED * edge * random()))).collect();
    Grid { cells, rest, x }
}

impl<const D: usize> Grid<D> {
    /// The first corner of every cell, and what leads to its neighbours along the axes.
    fn corners(&self, dimensions: u32) -> impl Iterator<Item = (u32, [u32; 3])> {
        let (cells, side) = (self.cells, self.cells + 1);
        (0..cells.pow(dimensions)).map(move |cell| {
            let place = |k: u32| cell / cells.pow(k) % cells * side.pow(k);
            ((0..dimensions).map(place).sum(), [1, side, side * side])
        })
    }

    /// Six for every cube: along the edges, one order of the axes each.
    fn tetrahedra(&self) -> impl Iterator<Item = Stencil<4>> {
        let orders = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
        self.corners(3).flat_map(move |(a, by)| {
            orders.into_iter().enumerate().map(move |(k, [i, j, _])| {
                let (b, c, d) = (a + by[i], a + by[i] + by[j], a + by[0] + by[1] + by[2]);
                Stencil(if k < 3 { [a, b, c, d] } else { [a, c, b, d] })
            })
        })
    }

    fn triangles(&self) -> impl Iterator<Item = Stencil<3>> {
        self.corners(2).flat_map(|(a, [x, y, _])| [[a, a + x, a + x + y], [a, a + x + y, a + y]].map(Stencil))
    }

    /// One for every diagonal.
    fn hinges(&self) -> impl Iterator<Item = Stencil<4>> {
        self.corners(2).map(|(a, [x, y, _])| Stencil([a, a + x + y, a + y, a + x]))
    }

    /// Two segments along every edge in the first direction and diagonal.
    fn lines(&self) -> impl Iterator<Item = [u32; 3]> {
        self.corners(2).map(|(a, [x, y, _])| [a, a + x, a + x + y])
    }
}
