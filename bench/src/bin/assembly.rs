//! Energies, gradients and Hessians of many contacts: time and memory for each contact, at several sizes.
//!
//! Two wavy cloths above each other, one turned by 7°, d̂ half an edge and the gap half of d̂: the workload W1 of
//! `bench/workloads.py` with other random numbers.
//!
//! `cargo run --release --manifest-path bench/Cargo.toml --bin assembly -- [threads [cells …]]`

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use stiction::barrier::{BarrierKind, BarrierLaw, BarrierPotential};
use stiction::blocks::{Blocks, Csc};
use stiction::broad_phase::BroadPhaseKind;
use stiction::contact::{Contacts, Selection};
use stiction::distance::Psd;
use stiction::error::Result;
use stiction::math::Vector;
use stiction::mesh::Surface;
use stiction::potential::Potential;
use stiction::threads;

/// Cells along a side of each cloth: 5 thousand, 50 thousand and 300 thousand faces.
const CELLS: [u32; 3] = [35, 112, 274];

/// Contacts to evaluate, about, for each figure.
const WORK: usize = 4_000_000;

fn main() -> ExitCode {
    match run(std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Vec<u32>) -> Result<()> {
    threads::set_count(arguments.first().map_or(1, |&count| count as usize))?;
    println!(
        "ns per contact, best of several, with {} threads: by the clock, and of all processors",
        threads::count()
    );
    let cells = arguments.get(1..).filter(|cells| !cells.is_empty()).unwrap_or(&CELLS);
    for &cells in cells {
        measure(cells)?;
    }
    Ok(())
}

fn measure(cells: u32) -> Result<()> {
    let (surface, dhat) = cloths(cells)?;
    let x = surface.rest();
    let law = BarrierLaw::new(BarrierKind::ClampedLog, dhat)?;
    let candidates = BroadPhaseKind::default().candidates(&surface, x, x, 0.5 * law.reach());
    let contacts = Contacts::build(&surface, &candidates, &[], x, &Selection::within(law.reach()));
    drop(candidates);
    let potential = BarrierPotential { contacts: &contacts, obstacles: &[], law, kappa: 1e3.into() };
    let (vertices, count) = (x.len(), contacts.len());
    println!("{vertices} vertices, {count} contacts");
    let bytes = peak_of_hessian(&potential, x);

    let show = |name: &str, f: &mut dyn FnMut()| {
        let repetitions = (WORK / count.max(1)).clamp(5, 200);
        let [wall, busy] = best(repetitions, f).map(|ns| ns / count.max(1) as f64);
        println!("  {name:<46} {wall:8.1} {busy:8.1}");
    };
    let mut gradient = vec![Vector::ZERO; vertices];
    let p: Vec<_> = x.iter().map(|x| Vector([x[1], x[2], x[0]])).collect();
    show("energy", &mut || _ = black_box(potential.energy(x)));
    show("gradient", &mut || potential.gradient(x, 1.0, black_box(&mut gradient)));
    show("product without assembly, exact", &mut || potential.product(x, 1.0, Psd::None, &p, &mut gradient));
    let mut blocks = Blocks::default();
    show("stencils compared, values zeroed", &mut || blocks.begin(vertices, |s| potential.stencils(s)));
    show("stencils listed, pattern, values zeroed", &mut || {
        blocks.begin(0, |_| ());
        blocks.begin(vertices, |s| potential.stencils(s));
    });
    for (name, psd) in [("exact", Psd::None), ("clamped", Psd::Clamp), ("Gauss–Newton", Psd::GaussNewton)] {
        show(&format!("blocks, {name}, pattern kept"), &mut || blocks.assemble(&potential, x, 1.0, psd));
    }
    let mut columns = Csc::<i32>::new(&blocks)?;
    show("CSC refilled", &mut || columns.refill(&blocks).unwrap_or_default());
    show("CSC from blocks, in fresh memory", &mut || _ = black_box(Csc::<i32>::new(&blocks)));
    show("exact Hessian to CSC, pattern kept", &mut || {
        blocks.assemble(&potential, x, 1.0, Psd::None);
        columns.refill(&blocks).unwrap_or_default();
    });
    show("exact Hessian to CSC, from scratch", &mut || {
        let mut blocks = Blocks::default();
        blocks.assemble(&potential, x, 1.0, Psd::None);
        _ = black_box(Csc::<i32>::new(&blocks));
    });
    show("blocks times vector", &mut || blocks.multiply(&p, &mut gradient));
    println!("  {:<46} {:8.1}", "bytes per contact, peak of a Hessian to CSC", bytes / count.max(1) as f64);
    Ok(())
}

/// The shortest time of several calls by the clock, and the mean time that processors were busy, in ns.
///
/// The system counts busy time only now and then, so single calls say nothing.
fn best(repetitions: usize, f: &mut dyn FnMut()) -> [f64; 2] {
    let (mut best, before) = (f64::INFINITY, busy());
    for _ in 0..repetitions {
        let start = Instant::now();
        f();
        best = best.min(start.elapsed().as_nanos() as f64);
    }
    [best, (busy() - before) / repetitions as f64]
}

/// How long the process's threads have run, in ns; not a number where the system does not say.
fn busy() -> f64 {
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else { return f64::NAN };
    let statistics = tasks.flatten().map(|task| std::fs::read_to_string(task.path().join("schedstat")));
    statistics
        .map(|text| text.ok()?.split(' ').next()?.parse::<f64>().ok())
        .sum::<Option<f64>>()
        .unwrap_or(f64::NAN)
}

/// How many bytes more than before are resident at most while a Hessian becomes CSC; not a number where the system does
/// not say.
fn peak_of_hessian(potential: &impl Potential<3>, x: &[Vector<3>]) -> f64 {
    let reset = std::fs::write("/proc/self/clear_refs", "5").is_ok();
    let before = resident("VmRSS");
    let mut blocks = Blocks::default();
    blocks.assemble(potential, x, 1.0, Psd::None);
    let columns = Csc::<i32>::new(&blocks);
    black_box((&blocks, &columns));
    if reset { resident("VmHWM") - before } else { f64::NAN }
}

/// An entry of the process's status, in bytes.
fn resident(name: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    let kilobytes = line.and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.map_or(f64::NAN, |kilobytes| 1024.0 * kilobytes)
}

/// Numbers between −1 and 1 from a linear congruence.
struct Random(u64);

impl Random {
    fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// The two cloths, and d̂ in m.
fn cloths(cells: u32) -> Result<(Surface<3>, f64)> {
    let mut random = Random(101);
    let h = 1.0 / f64::from(cells);
    let (dhat, gap) = (0.5 * h, 0.25 * h);
    let (sine, cosine) = 7.0_f64.to_radians().sin_cos();
    let (mut x, mut faces) = (Vec::new(), Vec::new());
    for cloth in 0..2 {
        let first = x.len() as u32;
        for i in 0..=cells {
            for j in 0..=cells {
                let u = (f64::from(i) + 0.1 * random.number()) * h;
                let v = (f64::from(j) + 0.1 * random.number()) * h;
                let lift = (f64::from(cloth) + 0.05 * random.number()) * gap;
                let (a, b) = (u - 0.5, v - 0.5);
                let turned = (a * cosine - b * sine + 0.5 + 0.37 * h, a * sine + b * cosine + 0.5 + 0.21 * h);
                let (u, v) = if cloth == 0 { (u, v) } else { turned };
                x.push(on_wave(u, v, lift));
            }
        }
        faces.extend(triangles(cells).iter().map(|face| face.map(|v| v + first)));
    }
    Ok((Surface::new(x, vec![], faces)?, dhat))
}

/// A point of the plane on `z = 0.05 sin(kx) cos(ky)`, `k = 3π`, and up along the normal there.
fn on_wave(u: f64, v: f64, lift: f64) -> Vector<3> {
    let k = 3.0 * std::f64::consts::PI;
    let ((sin_u, cos_u), (sin_v, cos_v)) = ((k * u).sin_cos(), (k * v).sin_cos());
    let normal = Vector([-0.05 * k * cos_u * cos_v, 0.05 * k * sin_u * sin_v, 1.0]).normalized();
    Vector([u, v, 0.05 * sin_u * cos_v]) + normal * lift
}

/// The triangles of a grid, with alternating diagonals.
fn triangles(cells: u32) -> Vec<[u32; 3]> {
    let mut faces = Vec::new();
    for i in 0..cells {
        for j in 0..cells {
            let a = i * (cells + 1) + j;
            let (b, c, d) = (a + cells + 1, a + cells + 2, a + 1);
            faces.extend(if (i + j) % 2 == 1 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] });
        }
    }
    faces
}
