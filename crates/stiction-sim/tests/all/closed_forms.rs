//! Closed forms with nothing but defaults: what a first scene gives.

use crate::support;
use stiction_sim::integrator::IntegratorKind;
use stiction_sim::report::StepReport;
use stiction_sim::scene::Scene;
use stiction_sim::step::step;

const G: f64 = 9.81;

/// All steps of a scene in 2D, the start first.
fn reports(text: &str) -> Vec<StepReport<2>> {
    let scene = Scene::parse(text).unwrap();
    let (model, mut state, mut work) = support::begin::<2>(&scene);
    let mut reports = vec![StepReport::at_start(&model, &state)];
    for _ in 0..scene.steps() {
        reports.push(step(&model, &mut state, &mut work).unwrap());
    }
    reports
}

/// The largest energy beyond that of the start and all work, as a part of the largest energy of motion, deformation and contact.
fn energy_from_nowhere(reports: &[StepReport<2>]) -> f64 {
    let size = |report: &StepReport<2>| {
        let e = &report.energies;
        e.kinetic + e.elastic + e.barrier
    };
    let (mut work, mut gain) = (0.0, 0.0_f64);
    for report in &reports[1..] {
        work += report.work + report.load_work + report.stiffness_work;
        gain = gain.max(report.energies.total() - reports[0].energies.total() - work);
    }
    gain / reports.iter().map(size).fold(f64::MIN_POSITIVE, f64::max)
}

/// README's block, `gap` m above the table.
fn readme(young: f64, gap: f64, time: &str) -> Vec<StepReport<2>> {
    reports(&format!(
        "dimension = 2\ngravity = [0.0, -9.81]\ntime = {{ {time} }}\ncontact.dhat = 1e-3\nfriction = {{ mu = 0.5, eps_v = 1e-3 }}\n\
         [[bodies]]\nname = \"block\"\nshape.box = {{ center = [0.0, {}], size = [0.4, 0.2], cells = [12, 6] }}\n\
         material = {{ young = {young:e}, poisson = 0.4, density = 1000.0 }}\nvelocity = [1.0, 0.0]\n\
         [[planes]]\npoint = [0.0, 0.0]\nnormal = [0.0, 1.0]",
        0.1 + gap
    ))
}

/// v₀²/(2 μ g), however stiff the block is and wherever within or above the barrier it starts. Implicit Euler stops v₀ h/2 short.
///
/// A block of 10⁵ Pa is no rigid one: it bounces, shears by 3 % of its height and is held by its sole while its bulk goes on. With ever shorter steps it goes 0.107 to
/// 0.112 m with each of three integrators; while all of its sole slides it obeys Coulomb's law, see below.
#[test]
fn the_first_scene_stops_where_coulomb_says() {
    let expected = 1.0 / G;
    for young in [1e5, 1e6, 1e8, 1e9] {
        for gap in [0.5e-3, 0.8e-3, 1e-3, 2e-3] {
            for (time, short) in [
                ("step = 0.01, end = 0.5", 0.0),
                ("step = 0.01, end = 0.5, integrator = \"implicit_euler\"", 0.005),
            ] {
                let reports = readme(young, gap, time);
                let way = reports[reports.len() - 1].bodies[0].center[0] - reports[0].bodies[0].center[0];
                let error = (way + short) / expected - 1.0;
                println!("E = {young:e} Pa, gap {gap:e} m, {time}: {way:.5} m, error {error:.2e}");
                let tolerance = if young < 1e6 { 0.06 } else { 0.01 };
                assert!(error.abs() < tolerance, "{young:e} Pa, gap {gap:e} m, {time}: {way} m");
                assert!(energy_from_nowhere(&reports) <= 1e-6);
                let weight = 80.0 * G;
                // Within reach it begins at rest; from above it lands.
                let most = reports.iter().map(|report| report.normal_force).fold(0.0, f64::max);
                assert!(gap >= 1e-3 || most < 2.0 * weight, "{young:e} Pa, gap {gap:e} m: {most} N");
            }
        }
    }
}

/// A block of 10⁵ Pa loses μ N h/m of its speed in every step in which all that touches slips forwards, however it bounces.
#[test]
fn a_soft_block_obeys_coulomb_while_it_slides() {
    for gap in [0.5e-3, 2e-3] {
        let h = 2e-3;
        let reports = readme(1e5, gap, &format!("step = {h}, end = 0.3, integrator = \"implicit_euler\""));
        let (mut slides, mut least, mut most) = (0, f64::INFINITY, 0.0_f64);
        for pair in reports.windows(2) {
            let (friction, normal) = (&pair[1].friction, pair[1].normal_force);
            // Slower ones slip backwards in places: shear waves have 0.16 m/s.
            if friction.stick > 0 || friction.slip == 0 || pair[1].bodies[0].velocity[0] < 0.3 {
                continue;
            }
            let lost = pair[0].bodies[0].velocity[0] - pair[1].bodies[0].velocity[0];
            let expected = 0.5 * normal * h / 80.0;
            assert!(
                (lost - expected).abs() < 2e-3 * 0.5 * G * h,
                "{} s: {lost} m/s of {expected}",
                pair[1].time
            );
            (slides, least, most) = (slides + 1, least.min(normal), most.max(normal));
        }
        println!("gap {gap:e} m: {slides} steps that slide, normal forces {least:.0} to {most:.0} N");
        assert!(slides > 30 && most > 1.2 * 80.0 * G);
    }
}

/// A block that is dropped on a belt of 2 m/s takes its speed in v/(μ g); half of the work becomes heat.
#[test]
fn a_block_on_a_belt_takes_its_speed() {
    let reports = reports(
        "dimension = 2\ngravity = [0.0, -9.81]\ntime = { step = 0.01, end = 1.0 }\ncontact.dhat = 1e-3\n\
         friction = { mu = 0.35, eps_v = 1e-3 }\n[[bodies]]\nname = \"block\"\n\
         shape.box = { center = [0.0, 0.105], size = [0.4, 0.2], cells = [6, 3] }\n\
         material = { young = 1e7, poisson = 0.3, density = 1000.0 }\n\
         [[planes]]\npoint = [0.0, 0.0]\nnormal = [0.0, 1.0]\nmotion.velocity = [2.0, 0.0]",
    );
    let speed = |report: &StepReport<2>| report.bodies[0].velocity[0];
    let (early, late) = (&reports[20], &reports[50]);
    let rate = (speed(late) - speed(early)) / (late.time - early.time);
    let time = early.time + (2.0 - speed(early)) / rate;
    let heat: f64 = reports.iter().map(|report| report.friction.dissipation).sum();
    let work: f64 = reports.iter().map(|report| report.work).sum();
    println!("belt: {time:.5} s, heat {heat:.3} J of 160, work {work:.3} J of 320");
    assert!((time / (2.0 / (0.35 * G)) - 1.0).abs() < 2e-3);
    assert!((heat / 160.0 - 1.0).abs() < 0.02 && (work / 320.0 - 1.0).abs() < 0.02);
    let fastest = reports.iter().map(speed).fold(0.0, f64::max);
    let gain = energy_from_nowhere(&reports);
    assert!(fastest < 2.005 && gain <= 1e-6, "{fastest} m/s, {gain:e}");
}

/// A block that hits the floor loses μ times its change of normal velocity, with every integrator.
#[test]
fn an_oblique_impact_obeys_coulomb() {
    for kind in IntegratorKind::ALL.into_iter().filter(|kind| kind.has_inertia()) {
        let reports = reports(&format!(
            "dimension = 2\ngravity = [0.0, -9.81]\ntime = {{ step = 0.01, end = 0.3, integrator = \"{kind}\" }}\n\
             contact.dhat = 1e-3\nfriction = {{ mu = 0.3, eps_v = 1e-3 }}\n[[bodies]]\nname = \"block\"\n\
             shape.box = {{ center = [0.0, 0.054], size = [0.3, 0.1], cells = [6, 2] }}\n\
             material = {{ young = 1e7, poisson = 0.3, density = 1000.0 }}\nvelocity = [2.0, -1.0]\n\
             [[planes]]\npoint = [0.0, 0.0]\nnormal = [0.0, 1.0]"
        ));
        let (start, end) = (&reports[0].bodies[0], &reports[reports.len() - 1].bodies[0]);
        let change = end.velocity - start.velocity;
        let expected = -0.3 * (change[1] + G * 0.3);
        println!("{kind}: {:.6} m/s along the floor, expected {expected:.6}", change[0]);
        assert!((change[0] / expected - 1.0).abs() < 1e-3, "{kind}: {} for {expected}", change[0]);
        assert!(energy_from_nowhere(&reports) <= 1e-6, "{kind}");
    }
}

/// Two bars of equal length exchange their speeds (St Venant), with every integrator without energy from nowhere.
#[test]
fn bars_that_collide_exchange_their_speeds() {
    let speed_of_sound = 1000_f64.sqrt();
    for kind in IntegratorKind::ALL.into_iter().filter(|kind| kind.has_inertia()) {
        let h = 1e-2 / speed_of_sound;
        let reports = reports(&format!(
            "dimension = 2\ntime = {{ step = {h}, end = {}, integrator = \"{kind}\" }}\ncontact.dhat = 1e-4\n\
             [[bodies]]\nname = \"a\"\nshape.box = {{ center = [-0.25006, 0.0], size = [0.5, 0.02], cells = [50, 1] }}\n\
             material = {{ young = 1e6, poisson = 0.0, density = 1000.0 }}\nvelocity = [0.2, 0.0]\n\
             [[bodies]]\nname = \"b\"\nshape.box = {{ center = [0.25006, 0.0], size = [0.5, 0.02], cells = [50, 1] }}\n\
             material = {{ young = 1e6, poisson = 0.0, density = 1000.0 }}",
            150.0 * h
        ));
        let most = reports.iter().map(|report| report.normal_force).fold(0.0, f64::max);
        let touching: Vec<_> = reports.iter().filter(|report| report.normal_force > 0.01 * most).collect();
        let (first, last) = (touching[0].time, touching[touching.len() - 1].time);
        let duration = (last - first) * speed_of_sound;
        let middle: Vec<f64> = touching
            .iter()
            .filter(|report| ((report.time - first) / (last - first) - 0.5).abs() < 0.3)
            .map(|report| report.normal_force)
            .collect();
        // ρ c v A/2.
        let force =
            middle.iter().sum::<f64>() / middle.len() as f64 / (1000.0 * speed_of_sound * 0.2 * 0.02 / 2.0);
        let gain = energy_from_nowhere(&reports);
        println!("{kind}: duration {duration:.4} L/c for 1, force {force:.4} of ρcvA/2, energy +{gain:.1e}");
        assert!((duration - 1.0).abs() < 0.02 && (force - 1.0).abs() < 0.02, "{kind}: {duration}, {force}");
        assert!(gain <= 1e-6, "{kind}: {gain:e}");
        let momentum = |report: &StepReport<2>| report.bodies[0].velocity[0] + report.bodies[1].velocity[0];
        assert!(reports.iter().all(|report| (momentum(report) - 0.2).abs() < 1e-12));
    }
}

/// Second order with default lagging iterations, and first order where friction is lagged once: a stiff block slides under a load that changes,
/// m dv/dt = −μ (m g + P sin ω t).
#[test]
fn friction_that_follows_keeps_the_order() {
    let (mass, push, omega, end) = (20.0, 150.0, 12.0, 0.4);
    let lost = 0.3 * (G * end + push / mass * (1.0 - f64::cos(omega * end)) / omega);
    let error = |integrator: &str, lagging: &str, h: f64| {
        let reports = reports(&format!(
            "dimension = 2\ngravity = [0.0, -9.81]\ntime = {{ step = {h}, end = {end}, integrator = \"{integrator}\" }}\n\
             contact.dhat = 1e-3\nfriction = {{ mu = 0.3, eps_v = 1e-3{lagging} }}\n[[bodies]]\nname = \"block\"\n\
             shape.box = {{ center = [0.0, 0.0508], size = [0.2, 0.1], cells = [2, 1] }}\n\
             material = {{ young = 1e9, poisson = 0.3, density = 1000.0 }}\nvelocity = [5.0, 0.0]\n\
             [[bodies.loads]]\nforce = [0.0, -{push}]\nfactor = \"sin({omega} * t)\"\n\
             [[planes]]\npoint = [0.0, 0.0]\nnormal = [0.0, 1.0]"
        ));
        (reports[reports.len() - 1].bodies[0].velocity[0] - (5.0 - lost)) / lost
    };
    let once = ", lag_iterations = 1";
    for (integrator, lagging, expected) in
        [("bdf2", "", 2.0), ("newmark", "", 2.0), ("generalized_alpha", "", 2.0), ("bdf2", once, 1.0)]
    {
        // Newmark's method with γ = ½ rings by 2e-4 with shorter steps.
        let errors = [0.02, 0.01, 0.005].map(|h| error(integrator, lagging, h));
        let orders: Vec<f64> = errors.windows(2).map(|pair| (pair[0] / pair[1]).abs().log2()).collect();
        println!("{integrator}{lagging}: errors {errors:.6?}, orders {orders:.2?}");
        assert!(
            orders.iter().all(|order| (order - expected).abs() < 0.2),
            "{integrator}{lagging}: {orders:?}"
        );
        assert!(expected < 2.0 || errors[2].abs() < 3e-4, "{integrator}: {errors:?}");
    }
}
