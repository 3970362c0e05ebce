//! Every integrator: its order, its energy, and what a step of it satisfies (V17, V18).

use stiction::math::Vector;
use stiction_sim::integrator::{IntegratorKind, Newmark};
use stiction_sim::state::{Before, FrictionForces, Memory, State};

/// `ẍ = −ω²x` from (1, 0), to the time `n h`.
fn oscillate(kind: IntegratorKind, omega: f64, h: f64, n: usize) -> State<1> {
    oscillate_from(rest_at_one(), kind, omega, h, n)
}

fn rest_at_one() -> State<1> {
    let (x, v) = (vec![Vector([1.0])], vec![Vector([0.0])]);
    State {
        q: x,
        v,
        time: 0.0,
        step: 0,
        a: Vec::new(),
        f: Vec::new(),
        before: None,
        kappa: None,
        reserve: 0.0,
        memory: Memory::default(),
        acceleration: Vec::new(),
        friction: FrictionForces::default(),
    }
}

fn oscillate_from(mut state: State<1>, kind: IntegratorKind, omega: f64, h: f64, n: usize) -> State<1> {
    for _ in 0..n {
        let scheme = kind.begin(&state, h);
        // The minimum of ½|x − x̃|² + s ½ω²|x|².
        let x = scheme.predicted.iter().map(|x| *x * (1.0 / (1.0 + scheme.scale * omega * omega))).collect();
        kind.finish(&mut state, &scheme, x, h);
    }
    state
}

fn energy(state: &State<1>, omega: f64) -> f64 {
    0.5 * (state.v[0][0].powi(2) + omega * omega * state.q[0][0].powi(2))
}

/// V18: energies after 100 steps of a hundredth of a period, over the first.
#[test]
fn energy_is_lost_as_known() {
    let (omega, h, n) = (std::f64::consts::TAU, 0.01, 100);
    let lost = |kind| energy(&oscillate(kind, omega, h, n), omega) / (0.5 * omega * omega);
    let euler = (1.0 + omega * omega * h * h).powf(-(n as f64));
    assert!((euler - 0.674_349).abs() < 1e-6);
    assert!((lost(IntegratorKind::ImplicitEuler) - euler).abs() < 1e-9);
    // Newmark from the exact acceleration; its own first step, by implicit Euler, loses a little.
    let newmark = IntegratorKind::Newmark(Newmark::default());
    let exact = State { a: vec![Vector([-omega * omega])], ..rest_at_one() };
    let kept = energy(&oscillate_from(exact, newmark, omega, h, n), omega) / (0.5 * omega * omega);
    assert!((kept - 1.0).abs() < 1e-9, "{kept}");
    assert!((lost(newmark) - 1.0 / (1.0 + omega * omega * h * h)).abs() < 1e-9);
    // BDF2 from two exact states; with its own first step, by implicit Euler, it loses a little more.
    let at = |t: f64| (vec![Vector([(omega * t).cos()])], vec![Vector([-omega * (omega * t).sin()])]);
    let ((x, v), (x_before, v_before)) = (at(h), at(0.0));
    let before = Some(Before { q: x_before, v: v_before, h });
    let start = State {
        q: x,
        v,
        time: h,
        step: 1,
        a: Vec::new(),
        f: Vec::new(),
        before,
        kappa: None,
        reserve: 0.0,
        memory: Memory::default(),
        acceleration: Vec::new(),
        friction: FrictionForces::default(),
    };
    let exact =
        energy(&oscillate_from(start, IntegratorKind::Bdf2, omega, h, n - 1), omega) / (0.5 * omega * omega);
    assert!((exact - 0.999_250).abs() < 1e-6, "{exact}");
    assert!((lost(IntegratorKind::Bdf2) - 0.993_372_021_494).abs() < 1e-9);
}

/// V17, the free oscillator: 1, 2, 2.
#[test]
fn orders_are_those_of_the_books() {
    let (omega, end) = (2.0, 1.0);
    for (kind, expected) in [
        (IntegratorKind::ImplicitEuler, 1.0),
        (IntegratorKind::Bdf2, 2.0),
        (IntegratorKind::Newmark(Newmark::default()), 2.0),
        (IntegratorKind::Newmark(Newmark { beta: 0.36, gamma: 0.7 }), 1.0),
    ] {
        let error = |n: usize| {
            let state = oscillate(kind, omega, end / n as f64, n);
            (state.q[0][0] - (omega * end).cos()).hypot(state.v[0][0] / omega + (omega * end).sin())
        };
        let order = (error(400) / error(800)).log2();
        println!("{kind}: {order:.3}");
        assert!((order - expected).abs() < 0.1, "{kind}: {order}");
    }
}

/// A state after a few steps, with everything that integrators remember.
fn some_state(kind: IntegratorKind) -> State<1> {
    oscillate(kind, 3.0, 0.02, 4)
}

#[test]
fn velocities_of_positions_and_positions_of_velocities_agree() {
    for kind in IntegratorKind::ALL {
        let state = some_state(kind);
        let scheme = kind.begin(&state, 0.02);
        let x = scheme.with_velocity(&[Vector([0.7])]);
        assert!((scheme.motion().velocity(&x, 0)[0] - 0.7).abs() < 1e-13, "{kind}");
        assert!((scheme.scale - kind.scale(0.02)).abs() < 1e-18, "{kind}");
        let mut after = state.clone();
        kind.finish(&mut after, &scheme, x, 0.02);
        assert!((after.v[0][0] - 0.7).abs() < 1e-13, "{kind}");
        assert!((after.time - 0.1).abs() < 1e-15 && after.step == 5);
    }
}

/// Uniform motion is followed exactly, and what is at rest does not move at all.
#[test]
fn uniform_motion_is_exact() {
    for kind in IntegratorKind::ALL.into_iter().filter(|kind| kind.has_inertia()) {
        for speed in [2.0, 0.0] {
            let mut state = State { q: vec![Vector([0.1])], v: vec![Vector([speed])], ..rest_at_one() };
            for _ in 0..10 {
                let scheme = kind.begin(&state, 0.1);
                let x = scheme.predicted.clone();
                kind.finish(&mut state, &scheme, x, 0.1);
            }
            let (off, change) = (state.q[0][0] - 0.1 - speed, state.v[0][0] - speed);
            assert!(off.abs() < 1e-14 && change.abs() < 1e-13, "{kind}");
            assert!(speed > 0.0 || (off, change) == (0.0, 0.0), "{kind}");
        }
    }
}

/// Free fall from rest: the error of the speed is that of the order, also with the first step that integrators make themselves.
#[test]
fn free_fall_is_of_the_order_of_the_integrator() {
    for (kind, order) in IntegratorKind::ALL.into_iter().zip([1, 2, 2]) {
        let error = |n: usize| {
            let (h, mut state) = (1.0 / n as f64, State { q: vec![Vector([0.0])], ..rest_at_one() });
            for _ in 0..n {
                let scheme = kind.begin(&state, h);
                let x = scheme.predicted.iter().map(|x| *x + Vector([scheme.scale])).collect();
                kind.finish(&mut state, &scheme, x, h);
            }
            assert!((state.v[0][0] - 1.0).abs() < 1e-10, "{kind}: {}", state.v[0][0]);
            (state.q[0][0] - 0.5).abs()
        };
        let found = error(100) / error(200);
        assert!((found / 2_f64.powi(order) - 1.0).abs() < 0.1, "{kind}: {found}");
    }
}

/// A vertex that is led has the velocity of its way, whatever the integrator makes of free ones.
#[test]
fn prescribed_vertices_have_the_velocity_of_their_way() {
    for kind in IntegratorKind::ALL {
        let (h, mut state) = (0.1, rest_at_one());
        for way in [0.2, 0.2, 0.2, 0.0, 0.0, -0.1] {
            let mut scheme = kind.begin(&state, h);
            let (to, v) = (state.q[0] + Vector([way]), state.v[0]);
            scheme.prescribe(&state, 0, to, h);
            assert!((scheme.motion().velocity(&[to], 0)[0] - way / h).abs() < 1e-12);
            kind.finish(&mut state, &scheme, vec![to], h);
            assert!((state.v[0][0] - way / h).abs() < 1e-12, "{kind}: {}", state.v[0][0]);
            let a = state.f.first().or(state.a.first()).map_or((way / h - v[0]) / h, |a| a[0]);
            assert!((a - (way / h - v[0]) / h).abs() < 1e-9, "{kind}: {a}");
        }
    }
}

/// A step that is far longer than the one before starts anew: the formula would not be stable.
#[test]
fn bdf2_restarts_where_steps_grow_too_fast() {
    let state = some_state(IntegratorKind::Bdf2);
    for (h, restarts) in [(0.01, false), (0.02, false), (0.04, false), (0.05, true)] {
        let euler = IntegratorKind::ImplicitEuler.begin(&state, h);
        assert_eq!(IntegratorKind::Bdf2.begin(&state, h) == euler, restarts, "{h}");
    }
}

/// The velocity of a parabola through three positions is exact, whatever the steps between them.
#[test]
fn bdf2_is_exact_for_parabolas_at_unequal_steps() {
    for h in [0.005, 0.01, 0.02, 0.035] {
        let at = |t: f64| (vec![Vector([3.0 * t * t - t + 0.5])], vec![Vector([6.0 * t - 1.0])]);
        let ((x, v), (x_before, v_before)) = (at(0.02), at(0.0));
        let before = Some(Before { q: x_before, v: v_before, h: 0.02 });
        let state = State {
            q: x,
            v,
            time: 0.02,
            step: 1,
            a: Vec::new(),
            f: Vec::new(),
            before,
            kappa: None,
            reserve: 0.0,
            memory: Memory::default(),
            acceleration: Vec::new(),
            friction: FrictionForces::default(),
        };
        let scheme = IntegratorKind::Bdf2.begin(&state, h);
        let (x, v) = at(0.02 + h);
        assert!((scheme.motion().velocity(&x, 0)[0] - v[0][0]).abs() < 1e-12, "{h}");
        // x̃ + s a, with the acceleration 6 m/s² at the end, is where the parabola goes.
        assert!((scheme.predicted[0][0] + scheme.scale * 6.0 - x[0][0]).abs() < 1e-14, "{h}");
    }
}

/// Order two also where every third step is made in four substeps, after which the memory is that of a whole step.
#[test]
fn bdf2_keeps_its_order_through_substeps() {
    let (kind, omega, end) = (IntegratorKind::Bdf2, 2.0, 1.0);
    let error = |n: usize| {
        let h = end / n as f64;
        let mut state = rest_at_one();
        for k in 0..n {
            let earlier = state.clone();
            let parts = if k % 3 == 2 { 4 } else { 1 };
            state = oscillate_from(state, kind, omega, h / parts as f64, parts);
            state.before = Some(Before { q: earlier.q, v: earlier.v, h });
        }
        (state.q[0][0] - (omega * end).cos()).hypot(state.v[0][0] / omega + (omega * end).sin())
    };
    let order = (error(300) / error(600)).log2();
    assert!((order - 2.0).abs() < 0.1, "{order}");
}

#[test]
fn numbers_that_are_not_stable_are_refused() {
    for (beta, gamma, name) in [
        (0.25, 0.4, "time.gamma"),
        (0.2, 0.5, "time.beta"),
        (f64::NAN, 0.5, "time.beta"),
        (0.3, f64::NAN, "time.gamma"),
    ] {
        let message = IntegratorKind::Newmark(Newmark { beta, gamma }).check().unwrap_err().to_string();
        assert!(message.contains(name), "{message}");
    }
    for kind in IntegratorKind::ALL {
        assert!(kind.check().is_ok());
        assert_eq!(kind.to_string().parse(), Ok(kind));
    }
    assert!(
        "leapfrog"
            .parse::<IntegratorKind>()
            .unwrap_err()
            .to_string()
            .contains("implicit_euler, bdf2, newmark")
    );
}
