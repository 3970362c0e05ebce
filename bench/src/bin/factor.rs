//! Direct solvers of linear systems at several sizes: the time to analyse a pattern, and to factorise and solve, beside faer's on one thread with
//! approximate minimum degree.
//!
//! Blocks of tetrahedra and square sheets, of which every tenth vertex of one side is in contact with one of the opposite side.
//!
//! `cargo run --release --manifest-path bench/Cargo.toml --bin factor -- [threads …]`

use std::process::ExitCode;
use std::time::Instant;

use stiction::assemble::{self, Assembly};
use stiction::blocks::Blocks;
use stiction::error::Result;
use stiction::math::{Matrix, Vector};
use stiction::stencil::Stencil;
use stiction::threads;
use stiction_sim::linear::{Cholesky, DirectSolver, Sequential};

/// Vertices along the edges of what is measured.
const SIZES: [[u32; 3]; 9] = [
    [8, 8, 8],
    [12, 12, 12],
    [13, 13, 13],
    [20, 20, 20],
    [34, 17, 17],
    [30, 30, 30],
    [50, 50, 1],
    [100, 100, 1],
    [224, 224, 1],
];

/// Larger ones, where minimum degree takes minutes.
const LARGE: [[u32; 3]; 1] = [[40, 40, 40]];

fn main() -> ExitCode {
    let mut counts: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    if counts.is_empty() {
        counts = vec![1, 2];
    }
    let large = std::env::args().any(|a| a == "large");
    match run(&counts, large) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(counts: &[usize], large: bool) -> Result<()> {
    println!("ms, best of several; ratios to faer on one thread with minimum degree");
    for size in SIZES.into_iter().chain(LARGE.into_iter().filter(|_| large)) {
        let (matrix, other) = (body(size, 0), body(size, 5));
        let n = matrix.vertices();
        println!("{size:?}: {n} vertices, {} blocks", matrix.pattern().rows().len());
        threads::set_count(1)?;
        let old = measure::<Sequential>([&matrix, &other]);
        show("faer", 1, old, old);
        for &count in counts {
            threads::set_count(count)?;
            show("ours", count, measure::<Cholesky>([&matrix, &other]), old);
        }
    }
    Ok(())
}

fn show(name: &str, threads: usize, times: [f64; 3], old: [f64; 3]) {
    print!("  {name}, threads: {threads}");
    for (name, (time, old)) in
        ["analysis", "with other contacts", "numeric"].into_iter().zip(times.into_iter().zip(old))
    {
        print!("   {name} {time:8.1} ({:5.2})", time / old);
    }
    println!();
}

/// Milliseconds to analyse a pattern, to do so again after contacts have changed, and to factorise and solve.
fn measure<S: DirectSolver<3> + Default>(matrices: [&Blocks<3>; 2]) -> [f64; 3] {
    let b: Vec<_> = (0..matrices[0].vertices()).map(|i| Vector([1.0, (i % 7) as f64, -1.0])).collect();
    let mut best = [f64::INFINITY; 4];
    let begin = Instant::now();
    for round in 0..10 {
        let mut solver = S::default();
        for (best, matrix) in best.iter_mut().zip([matrices[0], matrices[0], matrices[1], matrices[1]]) {
            let start = Instant::now();
            let p = solver.solve(matrix, &b, &[]).expect("a positive definite matrix");
            *best = best.min(1e3 * start.elapsed().as_secs_f64());
            assert!(residual(matrix, &p, &b) < 1e-8);
        }
        if round > 0 && begin.elapsed().as_secs_f64() > 2.0 {
            break;
        }
    }
    let [first, numeric, changed, again] = best;
    [first - numeric, changed - again, numeric]
}

/// The largest error of an equation.
fn residual(matrix: &Blocks<3>, p: &[Vector<3>], b: &[Vector<3>]) -> f64 {
    let mut product = vec![Vector::ZERO; b.len()];
    matrix.multiply(p, &mut product);
    product.iter().zip(b).map(|(a, b)| (*a - *b).norm()).fold(0.0, f64::max)
}

/// The paths from a corner of a cell to the opposite one.
const PATHS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];

/// The matrix of a block of tetrahedra, or of a sheet if one size is 1, with contacts of every tenth vertex from the `first`.
fn body(size: [u32; 3], first: u32) -> Blocks<3> {
    let [nx, ny, nz] = size;
    let number = |[x, y, z]: [u32; 3]| (z * ny + y) * nx + x;
    let mut tetrahedra = Vec::new();
    let depth = if nz == 1 { 2 } else { nz };
    for (x, y, z) in
        (0..nx - 1).flat_map(|x| (0..ny - 1).flat_map(move |y| (0..depth - 1).map(move |z| (x, y, z))))
    {
        if nz == 1 {
            // Both triangles of a cell, as a bending stencil.
            tetrahedra.push([[x, y, 0], [x + 1, y, 0], [x, y + 1, 0], [x + 1, y + 1, 0]].map(number));
            continue;
        }
        for path in PATHS {
            let mut corner = [x, y, z];
            let mut corners = [number(corner); 4];
            for (k, axis) in path.into_iter().enumerate() {
                corner[axis] += 1;
                corners[k + 1] = number(corner);
            }
            tetrahedra.push(corners);
        }
    }
    let last = nx * ny * nz;
    let contacts: Vec<[u32; 4]> = (first..nx * ny.min(50))
        .step_by(10)
        .map(|v| [v, last - 2 - v / 2, last - 1 - v / 2, last - nx + v % nx])
        .collect();
    let contacts: Vec<_> = contacts.into_iter().filter(|c| (1..4).all(|k| !c[..k].contains(&c[k]))).collect();
    assembled(last, &tetrahedra, &contacts)
}

fn assembled(vertices: u32, tetrahedra: &[[u32; 4]], contacts: &[[u32; 4]]) -> Blocks<3> {
    let all: Vec<u32> = (0..vertices).collect();
    let mut blocks = Blocks::default();
    blocks.begin(vertices as usize, |stencils| {
        stencils.push(all.iter().map(|v| Stencil([*v])));
        stencils.push(tetrahedra.iter().map(|t| Stencil(*t)));
        stencils.push(contacts.iter().map(|c| Stencil(*c)));
    });
    let out = &mut Assembly::Matrix(&mut blocks);
    assemble::hessian(&all, out, |_, v| Stencil([*v]), |_, _| [[Matrix::scalar(1.0)]]);
    assemble::hessian(
        tetrahedra,
        out,
        |_, t| Stencil(*t),
        |_, _| {
            std::array::from_fn(|i| {
                std::array::from_fn(|j| Matrix::scalar(if i == j { 30.0 } else { -10.0 }))
            })
        },
    );
    assemble::hessian(
        contacts,
        out,
        |_, c| Stencil(*c),
        |_, _| {
            let (weights, n) = ([1.0, -0.5, -0.25, -0.25], Vector([0.6, 0.0, 0.8]));
            std::array::from_fn(|i| std::array::from_fn(|j| n.outer(n) * (1e4 * weights[i] * weights[j])))
        },
    );
    blocks.finish();
    blocks
}
