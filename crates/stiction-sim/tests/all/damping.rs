//! Rayleigh damping against closed forms.

use crate::support::run_text;
use stiction_sim::report::StepReport;
use stiction_sim::scene::Scene;

const YOUNG: f64 = 1e6;
const DENSITY: f64 = 1000.0;
const RADIUS: f64 = 0.01;

/// A rod of one segment, 1 m long, fixed at one end and drawn at the other: half of its mass on a spring.
fn rod(integrator: &str, damping: &str, step: f64) -> String {
    format!(
        "dimension = 2\ntime = {{ step = {step:e}, end = 0.4, integrator = \"{integrator}\" }}\n\
         [[bodies]]\nname = \"rod\"\nradius = {RADIUS}\ndamping = {{ {damping} }}\n\
         material = {{ young = {YOUNG:e}, poisson = 0.3, density = {DENSITY:e} }}\n\
         shape.rod = {{ start = [0.0, 0.0], end = [1.0, 0.0], segments = 1 }}\n\
         [[bodies.motions]]\nregion = {{ min = [-0.1, -0.1], max = [0.1, 0.1] }}\nvelocity = [0.0, 0.0]\n\
         [[bodies.loads]]\nregion = {{ min = [0.9, -0.1], max = [1.1, 0.1] }}\nacceleration = [-1.0, 0.0]\n"
    )
}

/// The place of the free end at a time: under a constant force `m a` a damped oscillator swings about `a/ω²`.
fn exact(zeta: f64, omega: f64, t: f64) -> f64 {
    let damped = omega * (1.0 - zeta * zeta).sqrt();
    let rest = -1.0 / (omega * omega);
    let (sin, cos) = (damped * t).sin_cos();
    rest * (1.0 - (-zeta * omega * t).exp() * (cos + zeta * omega / damped * sin))
}

fn omega() -> f64 {
    // Stiffness E A / L over the mass ρ A L / 2.
    (YOUNG / (DENSITY / 2.0)).sqrt()
}

#[test]
fn vibrations_fade_as_rayleigh_says() {
    for (damping, zeta) in [
        ("mass = 10.0", 10.0 / (2.0 * omega())),
        ("stiffness = 5e-3", 5e-3 * omega() / 2.0),
        ("mass = 4.0, stiffness = 2e-3", 4.0 / (2.0 * omega()) + 2e-3 * omega() / 2.0),
    ] {
        for (integrator, order) in [("newmark", 2), ("bdf2", 2), ("implicit_euler", 1)] {
            let error = |step: f64| {
                let finished = run_text::<2>("rod", &rod(integrator, damping, step));
                let last = finished.reports.last().unwrap();
                // The centre of the two ends moves half as far.
                (2.0 * last.bodies[0].center[0] - 1.0 - exact(zeta, omega(), last.time)).abs()
            };
            let (coarse, fine) = (error(1e-3), error(5e-4));
            let rate = (coarse / fine).log2();
            println!(
                "{damping}, {integrator}: {coarse:e} and {fine:e} m of {:e}, order {rate}",
                1.0 / omega().powi(2)
            );
            assert!(rate > f64::from(order) - 0.3, "{damping}, {integrator}: order {rate}");
            assert!(fine < 0.06 / omega().powi(2), "{damping}, {integrator}: {fine:e}");
        }
    }
}

/// What damping takes from the energy is heat, and nothing else takes any with Newmark's method.
#[test]
fn heat_of_damping_is_what_the_energy_loses() {
    let finished = run_text::<2>("rod", &rod("newmark", "mass = 4.0, stiffness = 2e-3", 1e-4));
    let (first, last) = (&finished.reports[0], finished.reports.last().unwrap());
    let heat: f64 = finished.reports.iter().map(|report| report.damping_heat).sum();
    let work: f64 = finished.reports.iter().map(|report| report.load_work).sum();
    let lost = first.energies.total() + work - last.energies.total();
    println!("heat {heat:e} J for {lost:e}");
    assert!(heat > 0.0 && (heat - lost).abs() < 0.01 * heat, "{heat:e} for {lost:e}");
}

/// A driven end works against damping: with implicit Euler nothing is gained, and little is lost but for the heat.
#[test]
fn work_against_damping_becomes_heat() {
    let text = rod("implicit_euler", "stiffness = 5e-3", 1e-4);
    let text = text.replace("velocity = [0.0, 0.0]", "formula = [\"0.01 * (1 - cos(20 * t))\", \"0\"]");
    let finished = run_text::<2>("driven rod", &text);
    let sum = |of: fn(&StepReport<2>) -> f64| finished.reports.iter().map(of).sum::<f64>();
    let (work, heat) = (sum(|report| report.work + report.load_work), sum(|report| report.damping_heat));
    let gained = finished.reports.last().unwrap().energies.total() - finished.reports[0].energies.total();
    println!("work {work:e} J, heat {heat:e} J, energy gained {gained:e} J");
    assert!(heat > 0.1 * work && (0.0..0.05 * work).contains(&(work - heat - gained)));
}

#[test]
fn impossible_damping_is_refused_at_its_key() {
    for (damping, key) in [("mass = -1.0", "damping.mass"), ("stiffness = nan", "damping.stiffness")] {
        let error =
            Scene::parse(&rod("bdf2", damping, 1e-3)).and_then(|scene| scene.build::<2>()).unwrap_err();
        assert!(error.to_string().contains(key), "{error}");
    }
    assert!(Scene::parse(&rod("bdf2", "drag = 1.0", 1e-3)).is_err());
}
