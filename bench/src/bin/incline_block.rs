//! An elastic block on an incline of 20° that sticks (μ = 0.5) or slides (μ = 0.2): CPU time a step and a Newton iteration, and how
//! near the motion is to the closed forms.
//!
//! 405 vertices and, refined, 2,601; E = 1 MPa, ν = 0.4, 1000 kg/m³, implicit Euler with h = 0.01 s. The block begins where it rests on
//! the plane with gravity straight onto it (a quasi-static step). After 600 steps, in which it bends to the slope and its creep becomes steady (by a factor of e in 0.5 s), 200 are measured.
//!
//! `cargo run --release --manifest-path bench/Cargo.toml --bin incline_block -- [threads [solver [steps]]]`

use std::error::Error;
use std::fs;

use stiction::math::Vector;
use stiction::threads;
use stiction_sim::report::StepReport;
use stiction_sim::scene::Scene;
use stiction_sim::step::step;

const G: f64 = 9.81;
const SLOPE_DEG: f64 = 20.0;
const EPS_V: f64 = 1e-3;
const H: f64 = 0.01;
const SETTLE: usize = 600;
const CELLS: [[usize; 3]; 2] = [[8, 4, 8], [16, 8, 16]];

type Report = StepReport<3>;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize| arguments.get(k).map(|a| a.parse::<usize>()).transpose();
    threads::set_count(number(0)?.unwrap_or(1))?;
    let solver = arguments.get(1).map_or("direct", String::as_str);
    let steps = number(2)?.unwrap_or(200);
    println!("vertices    μ   ms/step  its/step   ms/it  against the closed form            smallest gap");
    for cells in CELLS {
        for mu in [0.5, 0.2] {
            measure(cells, mu, solver, steps)?;
        }
    }
    Ok(())
}

fn measure(cells: [usize; 3], mu: f64, solver: &str, steps: usize) -> Result<(), Box<dyn Error>> {
    let scene = Scene::parse(&text(cells, mu, solver))?;
    let (model, mut state) = scene.build::<3>()?;
    state.q = at_rest(&scene)?;
    let mut work = scene.workspace()?;
    for _ in 0..SETTLE {
        step(&model, &mut state, &mut work)?;
    }
    let begin = cpu_seconds()?;
    let mut reports: Vec<Report> = Vec::new();
    for _ in 0..steps {
        reports.push(step(&model, &mut state, &mut work)?);
    }
    let ms = 1e3 * (cpu_seconds()? - begin);
    let iterations: usize = reports.iter().map(|report| report.iterations).sum();
    let gap = reports.iter().map(|report| report.gap).fold(f64::INFINITY, f64::min);
    println!(
        "{:8}  {mu:.1}  {:8.2}  {:8.2}  {:6.2}  {}  {gap:.2e} m",
        model.mass.len(),
        ms / steps as f64,
        iterations as f64 / steps as f64,
        ms / iterations as f64,
        accuracy(&reports, mu),
    );
    Ok(())
}

/// Where the block rests, with gravity straight onto the plane.
fn at_rest(scene: &Scene) -> Result<Vec<Vector<3>>, Box<dyn Error>> {
    let (sin, cos) = SLOPE_DEG.to_radians().sin_cos();
    let onto = format!("gravity = [{}, {}, 0.0]", G * cos * sin, -G * cos * cos);
    let still = scene.text().replace(&format!("gravity = [0.0, -{G}, 0.0]"), &onto);
    let still = still.replace("implicit_euler", "quasi_static");
    let still = Scene::parse(&still)?;
    let (model, mut state) = still.build::<3>()?;
    step(&model, &mut state, &mut still.workspace()?)?;
    Ok(state.q)
}

/// The block's bottom is 0.1 m below its middle, and the plane d̂/2 below that.
fn text(cells: [usize; 3], mu: f64, solver: &str) -> String {
    let (sin, cos) = SLOPE_DEG.to_radians().sin_cos();
    let [nx, ny, nz] = cells;
    let down = 0.1 + 0.5e-3 * 0.6;
    let solver = if solver == "direct" { String::new() } else { format!("linear = \"{solver}\"") };
    format!(
        "dimension = 3\ngravity = [0.0, -{G}, 0.0]\n\
         [time]\nintegrator = \"implicit_euler\"\nstep = {H}\nend = 100.0\n\
         [friction]\nmu = {mu}\neps_v = {EPS_V}\n\
         [solver]\n{solver}\n\
         [[bodies]]\nname = \"block\"\n\
         shape.box = {{ center = [0.0, 0.0, 0.0], size = [0.4, 0.2, 0.4], cells = [{nx}, {ny}, {nz}], rotate_deg = {SLOPE_DEG} }}\n\
         material = {{ young = 1e6, poisson = 0.4, density = 1000.0 }}\n\
         [[planes]]\npoint = [{}, {}, 0.0]\nnormal = [{}, {cos}, 0.0]\n",
        down * sin,
        -down * cos,
        -sin,
    )
}

/// Creep ε_v (1 − √(1 − tan θ/μ)), at the end, of a block that sticks, acceleration g (sin θ − μ cos θ) of one that slides.
fn accuracy(reports: &[Report], mu: f64) -> String {
    let (sin, cos) = SLOPE_DEG.to_radians().sin_cos();
    let velocity = |report: &Report| report.bodies[0].velocity.dot(Vector([-cos, -sin, 0.0]));
    let (first, last) = (&reports[0], &reports[reports.len() - 1]);
    if mu * cos > sin {
        let (found, expected) = (velocity(last), EPS_V * (1.0 - (1.0 - sin / cos / mu).sqrt()));
        format!("creep {found:.4e} m/s, {:+.1e}", found / expected - 1.0)
    } else {
        let expected = G * (sin - mu * cos);
        let found = (velocity(last) - velocity(first)) / (last.time - first.time);
        format!("acceleration {found:.4} m/s², {:+.1e}", found / expected - 1.0)
    }
}

/// What all threads of this process have used so far.
fn cpu_seconds() -> Result<f64, Box<dyn Error>> {
    let mut nanoseconds = 0.0;
    for task in fs::read_dir("/proc/self/task")? {
        let stat = fs::read_to_string(task?.path().join("schedstat"))?;
        nanoseconds += stat.split(' ').next().unwrap_or("0").parse::<f64>()?;
    }
    Ok(1e-9 * nanoseconds)
}
