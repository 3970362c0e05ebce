//! A point mass on a surface: physics whose answers are known, for three time integrators.
//!
//! `cargo test -p stiction --test all point_mass:: -- --nocapture` prints what is measured. Newton's method starts where the velocity is
//! that of the last step: with `μ_s > μ_k` a step has two solutions, and this one continues the motion.

use stiction::barrier::{BarrierKind, BarrierLaw, BarrierPotential};
use stiction::broad_phase::BroadPhaseKind;
use stiction::contact::{Contacts, Selection};
use stiction::distance::Psd;
use stiction::friction::{
    self, Anisotropy, Axes, Coefficients, Entry, FrictionKind, FrictionLaw, FrictionPotential, LagChange,
    Lagged, Motion, Mu, Outcome, Peak, Refinement, Slides, refine,
};
use stiction::math::{Matrix, Vector};
use stiction::mesh::Surface;
use stiction::obstacle::{Obstacle, Plane, RigidVelocity};
use stiction::potential::Potential;

/// Gravity in m/s².
const G: f64 = 9.81;

/// `ε_v` in m/s.
const EPS: f64 = 1e-3;

// --- A tiny solver ---

#[derive(Clone, Copy, Debug, PartialEq)]
enum Integrator {
    ImplicitEuler,
    /// With β = ¼, γ = ½: the trapezoidal rule.
    Newmark,
    /// Its first step is one of implicit Euler.
    Bdf2,
}
use Integrator::{Bdf2, ImplicitEuler, Newmark};

const ALL: [Integrator; 3] = [ImplicitEuler, Newmark, Bdf2];

/// What a step needs of its integrator: `v(x) = (x − x_ref)/ĥ + v_ref`, `m(x − x̃) + scale ∇E(x) = 0`.
struct Scheme<const D: usize> {
    predicted: Vector<D>,
    scale: f64,
    x_ref: Vector<D>,
    v_ref: Vector<D>,
    h_hat: f64,
}

/// A mass of 1 kg that moves.
#[derive(Clone, Debug)]
struct Mass<const D: usize, L = FrictionKind> {
    integrator: Integrator,
    h: f64,
    law: L,
    x: Vector<D>,
    v: Vector<D>,
    a: Vector<D>,
    /// Position and velocity a step ago.
    before: Option<(Vector<D>, Vector<D>)>,
}

/// Forces on the mass: `constant − stiffness (x − anchor)` in N.
#[derive(Clone, Copy, Debug)]
struct Load<const D: usize> {
    constant: Vector<D>,
    stiffness: f64,
    anchor: Vector<D>,
}

impl<const D: usize> Load<D> {
    fn constant(constant: Vector<D>) -> Self {
        Self { constant, stiffness: 0.0, anchor: Vector::ZERO }
    }

    fn spring(stiffness: f64, anchor: Vector<D>) -> Self {
        Self { constant: Vector::ZERO, stiffness, anchor }
    }

    fn force(&self, x: Vector<D>) -> Vector<D> {
        self.constant - (x - self.anchor) * self.stiffness
    }

    fn energy(&self, x: Vector<D>) -> f64 {
        0.5 * self.stiffness * (x - self.anchor).norm_squared() - self.constant.dot(x)
    }
}

impl<const D: usize> Mass<D> {
    fn new(integrator: Integrator, h: f64) -> Self {
        let (x, v, a) = (Vector::ZERO, Vector::ZERO, Vector::ZERO);
        Self { integrator, h, law: FrictionKind::default(), x, v, a, before: None }
    }
}

impl<const D: usize, L: FrictionLaw> Mass<D, L> {
    /// Starts at a velocity, with the acceleration that belongs to it. A mass that friction holds has none, and is not started: in
    /// the smoothed law friction is zero at rest, for a time much shorter than a step, and one half of that
    /// acceleration over a step of the trapezoidal rule would tear it loose.
    fn start(mut self, v: Vector<D>, load: &Load<D>, slides: &Slides<D>) -> Self {
        self.v = v;
        let scheme = Scheme { predicted: self.x, scale: 1.0, x_ref: self.x, v_ref: v, h_hat: 1.0 };
        self.a = load.force(self.x) + self.friction(&scheme, slides, self.x);
        self
    }

    fn scheme(&self) -> Scheme<D> {
        let (h, x, v) = (self.h, self.x, self.v);
        match (self.integrator, self.before) {
            (Newmark, _) => Scheme {
                predicted: x + v * h + self.a * (0.25 * h * h),
                scale: 0.25 * h * h,
                x_ref: x,
                v_ref: -v,
                h_hat: 0.5 * h,
            },
            (Bdf2, Some((x_before, v_before))) => {
                let (h_hat, x_ref) = (2.0 / 3.0 * h, (x * 4.0 - x_before) * (1.0 / 3.0));
                let predicted = x_ref + (v * 4.0 - v_before) * (h_hat / 3.0);
                Scheme { predicted, scale: h_hat * h_hat, x_ref, v_ref: Vector::ZERO, h_hat }
            }
            _ => Scheme { predicted: x + v * h, scale: h * h, x_ref: x, v_ref: Vector::ZERO, h_hat: h },
        }
    }

    /// Friction at `x`, in N.
    fn friction(&self, scheme: &Scheme<D>, slides: &Slides<D>, x: Vector<D>) -> Vector<D> {
        let mut gradient = [Vector::ZERO];
        let (x_ref, v_ref) = ([scheme.x_ref], [scheme.v_ref]);
        self.potential(scheme.h_hat, &x_ref, &v_ref, slides).gradient(&[x], 1.0, &mut gradient);
        -gradient[0]
    }

    fn potential<'a>(
        &self,
        h_hat: f64,
        x_ref: &'a [Vector<D>],
        v_ref: &'a [Vector<D>],
        slides: &'a Slides<D>,
    ) -> FrictionPotential<'a, D, L> {
        let motion = Motion { x_ref, v_ref, h_hat };
        FrictionPotential { slides, motion, law: self.law, eps_v: EPS }
    }

    /// The solution of a step, by Newton's method from `x` on.
    fn solve(&self, scheme: &Scheme<D>, load: &Load<D>, slides: &Slides<D>, x: Vector<D>) -> Vector<D> {
        let (x_ref, v_ref) = ([scheme.x_ref], [scheme.v_ref]);
        let friction = self.potential(scheme.h_hat, &x_ref, &v_ref, slides);
        let step = Step { scheme, load, friction };
        let mut x = x;
        for _ in 0..500 {
            let p = step.direction(x);
            x = step.descend(x, p);
            // Positions have about 1e-16 m.
            if p.norm() <= 1e-15 * (scheme.h_hat + x.norm()) {
                return x;
            }
        }
        panic!("a step from v = {:?} was not solved", self.v);
    }

    /// Moves on with friction and load as they are at the end of the step; returns friction there, in N.
    fn step(&mut self, load: &Load<D>, slides: &Slides<D>) -> Vector<D> {
        let scheme = self.scheme();
        let x = self.solve(&scheme, load, slides, scheme.x_ref + (self.v - scheme.v_ref) * scheme.h_hat);
        let friction = self.friction(&scheme, slides, x);
        self.finish(&scheme, x);
        friction
    }

    fn finish(&mut self, scheme: &Scheme<D>, x: Vector<D>) {
        self.before = Some((self.x, self.v));
        self.v = (x - scheme.x_ref) * (1.0 / scheme.h_hat) + scheme.v_ref;
        self.a = (x - scheme.predicted) * (1.0 / scheme.scale);
        self.x = x;
    }
}

/// The minimisation of a step.
struct Step<'a, const D: usize, L> {
    scheme: &'a Scheme<D>,
    load: &'a Load<D>,
    friction: FrictionPotential<'a, D, L>,
}

impl<const D: usize, L: FrictionLaw> Step<'_, D, L> {
    fn energy(&self, x: Vector<D>) -> f64 {
        let inertia = 0.5 * (x - self.scheme.predicted).norm_squared();
        inertia + self.scheme.scale * (self.load.energy(x) + self.friction.energy(&[x]))
    }

    fn gradient(&self, x: Vector<D>) -> Vector<D> {
        let mut out = [x - self.scheme.predicted - self.load.force(x) * self.scheme.scale];
        self.friction.gradient(&[x], self.scheme.scale, &mut out);
        out[0]
    }

    /// Newton's, if that goes down; else that of the matrix without negative curvature of friction.
    fn direction(&self, x: Vector<D>) -> Vector<D> {
        let gradient = self.gradient(x);
        let along = |psd| {
            let mut out = [Matrix::scalar(1.0 + self.scheme.scale * self.load.stiffness)];
            self.friction.diagonal(&[x], self.scheme.scale, psd, &mut out);
            -(out[0].inverse() * gradient)
        };
        let newton = along(Psd::None);
        if newton.dot(gradient) < 0.0 { newton } else { along(Psd::Clamp) }
    }

    /// As far as the energy falls, or within its rounding the gradient.
    fn descend(&self, x: Vector<D>, p: Vector<D>) -> Vector<D> {
        let (energy, slope) = (self.energy(x), self.gradient(x));
        let mut t = 1.0;
        for _ in 0..60 {
            let (to, rounding) = (x + p * t, 1e-14 * energy.abs());
            let now = self.energy(to);
            let flat = (now - energy).abs() <= rounding && self.gradient(to).norm() < slope.norm();
            if now <= energy + 1e-4 * t * p.dot(slope) - rounding || flat {
                return to;
            }
            t *= 0.5;
        }
        x
    }
}

/// A loose vertex above a plane whose normal is the last axis, its contact as stiff as gives the normal force `force` in N.
fn pressed<const D: usize>(force: f64, coefficients: &Coefficients<D>) -> Slides<D> {
    const REACH: f64 = 1e-3;
    let up = Vector::axis(D - 1);
    let x = [up * (0.5 * REACH)];
    let surface = Surface::new(x.to_vec(), vec![], vec![]).unwrap().with_loose_vertices(vec![0]).unwrap();
    let obstacles = [Obstacle::Plane(Plane::new(Vector::ZERO, up).unwrap())];
    let near = BroadPhaseKind::default().candidates(&surface, &x, &x, REACH);
    let contacts = Contacts::build(&surface, &near, &obstacles, &x, &Selection::within(REACH));
    let law = BarrierLaw::new(BarrierKind::ClampedLog, REACH).unwrap();
    let kappa = force / law.force(0.25 * REACH * REACH);
    let barrier = BarrierPotential { contacts: &contacts, obstacles: &obstacles, law, kappa: kappa.into() };
    friction::lag::check(&barrier, &x, coefficients).unwrap();
    let slides = friction::lag(&barrier, &x, coefficients);
    let [slide] = slides.obstacle[..] else { panic!("the mass does not touch the plane") };
    assert!((slide.force - force).abs() <= 1e-15 * force.abs() && slide.normal == up);
    slides
}

/// The same with nothing but coefficients.
fn on_plane<const D: usize>(force: f64, mu: impl Into<Mu>) -> Slides<D> {
    pressed(force, &mu.into().into())
}

/// On a slope of the given tangent: the load along it, by gravity, and friction.
fn incline(tangent: f64, mu: impl Into<Mu>) -> (Load<2>, Slides<2>) {
    let angle = tangent.atan();
    (Load::constant(Vector([G * angle.sin(), 0.0])), on_plane(G * angle.cos(), mu))
}

fn along(speed: f64) -> Vector<2> {
    Vector([speed, 0.0])
}

/// How many steps of `h` a time has.
fn steps(time: f64, h: f64) -> usize {
    (1..1_000_000).take_while(|&n| f64::from(n) * h < time * (1.0 + 1e-9)).count()
}

/// A measured number with its answer and its tolerance.
fn check(what: &str, found: f64, expected: f64, tolerance: f64) {
    let error = found - expected;
    println!("{what}: {found:.9} expected {expected:.9} error {error:.2e} tolerance {tolerance:.0e}");
    assert!(error.abs() <= tolerance, "{what}: {found} is not {expected} within {tolerance}");
}

// --- Slides and slopes ---

/// V02: `a = g(sin θ − μ cos θ)`.
#[test]
fn acceleration_on_a_slope() {
    for (tangent, mu, expected) in [(0.6, 0.5, 0.841_201), (0.1, 0.09, 0.097_613_1)] {
        let (load, slides) = incline(tangent, mu);
        let angle = f64::atan(tangent);
        let exact = G * (angle.sin() - mu * angle.cos());
        assert!((exact - expected).abs() < 1e-6);
        for integrator in ALL {
            let mut mass = Mass::new(integrator, 0.01).start(Vector::ZERO, &load, &slides);
            let mut speeds = vec![];
            for _ in 0..200 {
                mass.step(&load, &slides);
                speeds.push(mass.v[0]);
            }
            let a = speeds[199] - speeds[99];
            check(&format!("V02 {integrator:?} tan {tangent}"), a / exact, 1.0, 1e-6);
        }
    }
}

/// A mass on a level plane at 1 m/s until it has come to rest: how far it came, and all friction forces with the motion.
struct Stop {
    distance: f64,
    /// When the speed fell to `ε_v`, interpolated within its step.
    time: f64,
    /// `Σ F·Δx` with friction at the end of each step, in J.
    work: f64,
    /// `Σ F·Δx` with the mean of friction at both ends, in J: what the trapezoidal rule does.
    mean_work: f64,
    /// `½ Σ m|Δv|²`, in J.
    numerical: f64,
    kinetic: f64,
}

fn stop(integrator: Integrator, h: f64, start: f64, slides: &Slides<2>) -> Stop {
    let load = Load::constant(Vector::ZERO);
    let mut mass = Mass::new(integrator, h).start(along(start), &load, slides);
    let mut out =
        Stop { distance: 0.0, time: f64::NAN, work: 0.0, mean_work: 0.0, numerical: 0.0, kinetic: 0.0 };
    let mut force = mass.a;
    for n in 0..steps(3.0, h) {
        let (x, v, before) = (mass.x, mass.v, force);
        force = mass.step(&load, slides);
        out.work += force.dot(mass.x - x);
        out.mean_work += 0.5 * (before + force).dot(mass.x - x);
        out.numerical += 0.5 * (mass.v - v).norm_squared();
        if v[0] > EPS && mass.v[0] <= EPS {
            out.time = h * (n as f64 + (v[0] - EPS) / (v[0] - mass.v[0]));
        }
    }
    (out.distance, out.kinetic) = (mass.x[0], 0.5 * mass.v.norm_squared());
    out
}

/// V03: `d = v²/(2μg)`, `t = v/(μg)`; implicit Euler stops `v h/2` short of it.
#[test]
fn stopping_distance() {
    let (mu, h) = (0.2, 0.01);
    let slides = on_plane(G, mu);
    let distance = 1.0 / (2.0 * mu * G);
    assert!((distance - 0.254_842).abs() < 1e-6);
    let of = |integrator| stop(integrator, h, 1.0, &slides);
    check("V03 Newmark distance", of(Newmark).distance, distance, 1e-5);
    check("V03 Bdf2 distance", of(Bdf2).distance, distance, 1e-4);
    check("V03 ImplicitEuler distance + v h/2", of(ImplicitEuler).distance + 0.5 * h, distance, 2e-5);
    for integrator in ALL {
        // Within a step, the last.
        check(&format!("V03 {integrator:?} time"), of(integrator).time, 1.0 / (mu * G), h);
    }
}

/// V05: what friction and implicit Euler take is the kinetic energy.
#[test]
fn energy_of_a_stop() {
    let slides = on_plane(G, 0.2);
    let euler = stop(ImplicitEuler, 0.01, 1.0, &slides);
    check("V05 ImplicitEuler friction", -euler.work, 0.490_209, 1e-6);
    check("V05 ImplicitEuler numerical", euler.numerical, 0.009_791, 1e-6);
    check("V05 ImplicitEuler balance", euler.kinetic - euler.work + euler.numerical, 0.5, 1e-10);
    let newmark = stop(Newmark, 0.01, 1.0, &slides);
    check("V05 Newmark numerical", 0.5 - newmark.kinetic + newmark.mean_work, 0.0, 1e-10);
    // For comparison: the last steps, in which friction changes, seen from their ends.
    println!(
        "V05 Newmark with friction at the ends of the steps: {:.2e} J",
        0.5 - newmark.kinetic + newmark.work
    );
}

/// V04: a slope that holds creeps at `p(1 − √(1 − φ))`.
#[test]
fn creep_on_a_slope() {
    for mu in [Mu::same(0.5), Mu { s: 0.5, k: 0.3 }] {
        for phi in [0.5, 0.9, 0.98] {
            let (load, slides) = incline(phi * mu.s, mu);
            let expected = Peak.creep(phi * mu.s, mu, EPS);
            let formula = Peak.creep_bound(mu, EPS) * (1.0 - f64::sqrt(1.0 - phi));
            assert!((expected / formula - 1.0).abs() < 1e-14);
            for integrator in ALL {
                let mut mass = Mass::new(integrator, 0.01);
                for _ in 0..2000 {
                    mass.step(&load, &slides);
                }
                let what = format!("V04 {integrator:?} μ_k {} φ {phi}", mu.k);
                check(&what, mass.v[0] / expected, 1.0, 1e-6);
                assert!(mass.x[0] < EPS * 20.0, "{what}: drift {}", mass.x[0]);
            }
        }
    }
}

/// V06b: where `μ_k < tan θ < μ_s`, what rests creeps and what slides goes on sliding.
#[test]
fn a_slope_with_two_states() {
    let mu = Mu { s: 0.5, k: 0.3 };
    let (load, slides) = incline(0.4, mu);
    let angle = f64::atan(0.4);
    let sliding = G * (angle.sin() - mu.k * angle.cos());
    assert!((sliding - 0.910_836).abs() < 1e-6);
    for integrator in ALL {
        let run = |mut mass: Mass<2>| {
            for _ in 0..1000 {
                mass.step(&load, &slides);
            }
            mass.v[0]
        };
        let creep = run(Mass::new(integrator, 0.01));
        check(&format!("V06b {integrator:?} creep by formula"), creep / 0.2918e-3, 1.0, 1e-4);
        check(&format!("V06b {integrator:?} creep"), creep / Peak.creep(0.4, mu, EPS), 1.0, 1e-6);
        // Far below h g(μ_s cos θ − sin θ) = 9 mm/s, where a start at the last position would let it stick again.
        for v0 in [0.05, 2e-3] {
            let end = run(Mass::new(integrator, 0.01).start(along(v0), &load, &slides));
            check(&format!("V06b {integrator:?} slide from {v0}"), (end - v0) / 10.0 / sliding, 1.0, 1e-4);
        }
    }
}

// --- Stick-slip ---

/// What a mass on a driven spring does, over its cycles.
struct Cycles {
    period: f64,
    peak: f64,
    least: f64,
    fastest: f64,
    jump: f64,
    /// How much shorter the spring is after a slide.
    drop: f64,
}

/// V06: m = 1 kg, k = 100 N/m, N = 9.81 N, `μ_s = 0.5`, `μ_k = 0.3`, drive 0.05 m/s.
fn stick_slip(integrator: Integrator, h: f64) -> Cycles {
    let (k, drive, mu) = (100.0, 0.05, Mu { s: 0.5, k: 0.3 });
    let slides = on_plane(G, mu);
    let load = |t: f64| Load::spring(k, along(drive * t));
    let mut mass = Mass::new(integrator, h).start(Vector::ZERO, &load(0.0), &slides);
    // Spring force, speed and position at every time.
    let mut history = vec![];
    for n in 1..=steps(40.0, h) {
        let t = n as f64 * h;
        mass.step(&load(t), &slides);
        history.push((load(t).force(mass.x)[0], mass.v[0], mass.x[0]));
    }
    cycles(&history, h)
}

/// From the first start of a slide that begins a full cycle to the last.
fn cycles(history: &[(f64, f64, f64)], h: f64) -> Cycles {
    let starts: Vec<usize> =
        (1..history.len()).filter(|&n| history[n - 1].1 <= EPS && history[n].1 > EPS).collect();
    // The first comes from rest and not from a cycle.
    let (first, last) = (starts[1], starts[starts.len() - 1]);
    let whole = &history[first..last];
    let count = (starts.len() - 2) as f64;
    let over = |f: fn(f64, f64) -> f64, start: f64, of: fn(&(f64, f64, f64)) -> f64| {
        whole.iter().map(of).fold(start, f)
    };
    let slipped = |n: usize| (n..history.len()).find(|&n| history[n].1 <= EPS).unwrap();
    // From the last time before each slide to the first after it.
    let slides: Vec<_> = starts[1..starts.len() - 1].iter().map(|&n| [n - 1, slipped(n)]).collect();
    let mean = |of: fn(&(f64, f64, f64)) -> f64| {
        slides.iter().map(|[a, b]| of(&history[*b]) - of(&history[*a])).sum::<f64>() / count
    };
    Cycles {
        period: (last - first) as f64 * h / count,
        peak: over(f64::max, 0.0, |s| s.0),
        least: over(f64::min, f64::INFINITY, |s| s.0),
        fastest: over(f64::max, 0.0, |s| s.1),
        jump: mean(|s| s.2),
        drop: -mean(|s| s.0) / 100.0,
    }
}

/// The answers: `A = (μ_s − μ_k)N/k`, `ω = √(k/m)`.
///
/// ```text
/// T = 2A/V + (2/ω)(π − atan(Aω/V))        forces k(μ_k N/k ± √(A² + V²/ω²))        v_max = V + √(A²ω² + V²)
/// ```
fn exact_cycles() -> Cycles {
    let (k, drive, omega) = (100.0, 0.05, 10.0);
    let amplitude = (0.5 - 0.3) * G / k;
    let (swing, center) = (f64::hypot(amplitude, drive / omega), 0.3 * G / k);
    let slip = 2.0 / omega * (std::f64::consts::PI - f64::atan(amplitude * omega / drive));
    let drop = 2.0 * amplitude;
    Cycles {
        period: drop / drive + slip,
        peak: k * (center + swing),
        least: k * (center - swing),
        fastest: drive + swing * omega,
        jump: drop + drive * slip,
        drop,
    }
}

/// Errors of period, largest force, least force (by the largest), largest speed, jump and drop, relative.
fn cycle_errors(found: &Cycles) -> [f64; 6] {
    let exact = exact_cycles();
    [
        found.period / exact.period - 1.0,
        found.peak / exact.peak - 1.0,
        (found.least - exact.least) / exact.peak,
        found.fastest / exact.fastest - 1.0,
        found.jump / exact.jump - 1.0,
        found.drop / exact.drop - 1.0,
    ]
}

fn percent(errors: &[f64]) -> String {
    errors.iter().map(|e| format!("{:+.2} %", 100.0 * e)).collect::<Vec<_>>().join(", ")
}

#[test]
fn stick_slip_of_a_driven_spring() {
    let exact = exact_cycles();
    assert!((exact.period - 1.148_87).abs() < 1e-5 && (exact.drop - 0.039_24).abs() < 1e-9);
    assert!((exact.peak - 4.967_71).abs() < 1e-5 && (exact.least - 0.918_29).abs() < 1e-5);
    assert!((exact.fastest - 0.252_47).abs() < 1e-5 && (exact.jump - 0.057_44).abs() < 1e-5);
    for (integrator, h, tolerance) in
        [(Newmark, 0.005, 0.01), (Bdf2, 0.005, 0.02), (ImplicitEuler, 0.001, 0.04)]
    {
        let errors = cycle_errors(&stick_slip(integrator, h));
        println!("V06 {integrator:?} h {h}: period, forces, speed, jump, drop {}", percent(&errors));
        assert!(errors.iter().all(|e| e.abs() <= tolerance), "V06 {integrator:?}: {errors:?}");
    }
    // Implicit Euler damps the slide: its swing needs shorter steps than its period.
    for (h, tolerance) in [(0.01, 0.07), (0.005, 0.04), (0.002, 0.01), (0.001, 1e-3)] {
        let errors = cycle_errors(&stick_slip(ImplicitEuler, h));
        println!("V06 ImplicitEuler h {h}: period, forces, speed, jump, drop {}", percent(&errors));
        assert!(errors[0].abs() <= tolerance, "V06 ImplicitEuler, h {h}: {errors:?}");
    }
}

// --- Anisotropy ---

/// Axes of the anisotropic cases.
const AXES: [f64; 2] = [0.6, 0.2];

/// A slope in 3D: the load by gravity at the angle `phi` from the first axis.
fn anisotropic_slope(tangent: f64, phi: f64) -> (Load<3>, f64) {
    let angle = tangent.atan();
    let load = Vector([phi.cos(), phi.sin(), 0.0]) * (G * angle.sin());
    (Load::constant(load), G * angle.cos())
}

/// The first axis, once it is projected to the plane.
const FIRST: Axes<3> = Axes::World(Vector([2.0, 0.0, -1.0]));

/// Friction with coefficients by the direction of the last slide `v`.
fn matchsticks(force: f64, v: Vector<3>) -> Slides<3> {
    let anisotropy = Anisotropy::Matchstick { s: AXES, k: AXES, scaling: [1.0; 2] };
    let mut slides = pressed(force, &Entry { mu: Mu::same(1.0), anisotropy, axes: FIRST }.into());
    slides.refresh_anisotropy(&[v]);
    slides
}

/// Friction from the potential `λ f₀(|S v|)`.
fn elliptic_cone(force: f64) -> Slides<3> {
    pressed(force, &Entry::elliptic(AXES, FIRST).unwrap().into())
}

/// Runs `steps` steps from rest.
fn slide_from_rest(
    integrator: Integrator,
    load: &Load<3>,
    friction: impl Fn(Vector<3>) -> Slides<3>,
    steps: usize,
) -> Mass<3> {
    let mut mass = Mass::new(integrator, 0.01).start(Vector::ZERO, load, &friction(Vector::ZERO));
    for _ in 0..steps {
        let slides = friction(mass.v);
        mass.step(load, &slides);
    }
    mass
}

/// Angle from the first axis in degrees, and acceleration, of a slide from rest: over its second half.
fn direction_and_acceleration(
    integrator: Integrator,
    load: &Load<3>,
    friction: impl Fn(Vector<3>) -> Slides<3>,
) -> (f64, f64) {
    let half = slide_from_rest(integrator, load, &friction, 1000);
    let whole = slide_from_rest(integrator, load, &friction, 2000);
    let gained = (whole.v - half.v) * 0.1;
    (gained[1].atan2(gained[0]).to_degrees(), gained.norm())
}

/// V07: 35°, axes (0.6, 0.2). Lagged coefficients do not deflect a slide from rest, the elliptic cone does.
#[test]
fn anisotropic_slides() {
    let tangent = f64::to_radians(35.0).tan();
    for (phi, straight, angle, deflected) in
        [(45.0, 2.033_03, 73.762, 2.883_49), (30.0, 1.374_60, 64.339, 2.104_83)]
    {
        let (load, force) = anisotropic_slope(tangent, f64::to_radians(phi));
        for integrator in ALL {
            let what = |what: &str| format!("V07 {integrator:?} φ {phi} {what}");
            let (found, a) = direction_and_acceleration(integrator, &load, |v| matchsticks(force, v));
            check(&what("matchstick angle"), found, phi, 0.1);
            check(&what("matchstick acceleration"), a, straight, 1e-3);
            let (found, a) = direction_and_acceleration(integrator, &load, |_| elliptic_cone(force));
            check(&what("cone angle"), found, angle, 0.1);
            check(&what("cone acceleration"), a, deflected, 1e-3);
        }
    }
}

/// V07: where anisotropic friction lets go at 45°: tan θ = 0.44721 by lagged coefficients, 0.26833 by the cone.
#[test]
fn anisotropic_friction_holds_up_to_its_limit() {
    type Model = fn(f64, Vector<3>) -> Slides<3>;
    let fastest = |limit: f64, part: f64, model: Model| {
        let (load, force) = anisotropic_slope(limit * part, f64::to_radians(45.0));
        slide_from_rest(ImplicitEuler, &load, |v| model(force, v), 500).v.norm()
    };
    let models: [(&str, f64, Model); 2] =
        [("matchstick", 0.447_21, matchsticks), ("cone", 0.268_33, |force, _| elliptic_cone(force))];
    for (what, limit, model) in models {
        let (below, above) = (fastest(limit, 0.999, model), fastest(limit, 1.001, model));
        println!("V07 {what} at 0.999 and 1.001 of {limit}: {below:.2e}, {above:.2e} m/s");
        // ε_v is a speed of the scaled slide: the smaller factor, 0.2/0.6, allows three times as much.
        let most = EPS * AXES[0] / AXES[1];
        assert!(below < most && above > 2.0 * EPS / AXES[1], "{what}: {below}, {above}");
    }
}

// --- Orders ---

/// `log₂` of the ratio of the errors of the last two of several time steps, each half of the one before.
fn order(error: impl Fn(usize) -> f64) -> f64 {
    (error(320) / error(640)).abs().log2()
}

/// V17: an oscillator, without friction.
#[test]
fn orders_of_a_free_oscillator() {
    let (omega, time) = (2.0 * std::f64::consts::PI, 0.8);
    for (integrator, expected) in [(ImplicitEuler, 1.0), (Newmark, 2.0), (Bdf2, 2.0)] {
        let error = |steps: usize| {
            let (load, slides) = (Load::spring(omega * omega, Vector::ZERO), Slides::default());
            let mut mass = Mass::<2>::new(integrator, time / steps as f64);
            mass.x = along(1.0);
            mass = mass.start(Vector::ZERO, &load, &slides);
            for _ in 0..steps {
                mass.step(&load, &slides);
            }
            mass.x[0] - (omega * time).cos()
        };
        check(&format!("V17 {integrator:?} oscillator order"), order(error), expected, 0.1);
    }
}

/// V17: a slide under `N(t) = g(1 + ½ sin 5t)`; with N of the start of each step all integrators are of first order.
#[test]
fn orders_of_a_slide_under_a_changing_load() {
    let (mu, time, v0) = (0.3, 0.5, 3.0);
    let normal = |t: f64| G * (1.0 + 0.5 * (5.0 * t).sin());
    // ∫∫ N from 0.
    let exact = v0 * time - mu * G * (0.5 * time * time + 0.1 * time - 0.02 * f64::sin(5.0 * time));
    for (integrator, with_end) in [(ImplicitEuler, 1.0), (Newmark, 2.0), (Bdf2, 2.0)] {
        for (lagged, expected) in [(false, with_end), (true, 1.0)] {
            let error = |steps: usize| {
                let h = time / steps as f64;
                let load = Load::constant(Vector::ZERO);
                let mut mass = Mass::new(integrator, h).start(along(v0), &load, &on_plane(normal(0.0), mu));
                for n in 0..steps {
                    let t = (n + usize::from(!lagged)) as f64 * h;
                    mass.step(&load, &on_plane(normal(t), mu));
                }
                mass.x[0] - exact
            };
            let what =
                format!("V17 {integrator:?} slide, N {}", if lagged { "lagged" } else { "at the end" });
            check(&what, order(error), expected, 0.1);
        }
    }
}

// --- Refinement ---

/// V19: the mass at 5 m/s meets a guided spring at an angle, which presses it down as it stops it: one step of 0.01 s.
struct Guided {
    mass: Mass<2>,
    stiffness: f64,
    angle: f64,
    anchor: f64,
    mu: f64,
    x: Vector<2>,
    slides: Slides<2>,
    again: Slides<2>,
    solutions: Vec<f64>,
}

impl Guided {
    fn new(stiffness: f64, degrees: f64, anchor: f64, mu: f64) -> Self {
        let mut mass = Mass::new(ImplicitEuler, 0.01);
        mass.v = along(5.0);
        let (x, slides, again) = (Vector::ZERO, Slides::default(), Slides::default());
        let angle = degrees.to_radians();
        let mut guided = Self { mass, stiffness, angle, anchor, mu, x, slides, again, solutions: vec![] };
        guided.slides = guided.lag();
        guided
    }

    /// `N = mg + K s sin α`, `s = (x − x₀) cos α`.
    fn lag(&self) -> Slides<2> {
        let s = (self.x[0] - self.anchor) * self.angle.cos();
        on_plane(G + self.stiffness * s * self.angle.sin(), self.mu)
    }

    fn rho(&self) -> f64 {
        let (sin, cos) = self.angle.sin_cos();
        self.mu * self.stiffness * sin * cos / (1e4 + self.stiffness * cos * cos)
    }

    /// The fixed point.
    fn exact(&self) -> f64 {
        let (sin, cos) = self.angle.sin_cos();
        let (c2, sc) = (self.stiffness * cos * cos, self.stiffness * sin * cos);
        (1e4 * 0.05 + (c2 + self.mu * sc) * self.anchor - self.mu * G) / (1e4 + c2 + self.mu * sc)
    }
}

impl Lagged for Guided {
    type Error = std::convert::Infallible;

    fn solve(&mut self) -> Result<(), Self::Error> {
        let along_plane = self.stiffness * self.angle.cos().powi(2);
        let load = Load::spring(along_plane, along(self.anchor));
        let scheme = self.mass.scheme();
        self.x = self.mass.solve(&scheme, &load, &self.slides, scheme.predicted);
        self.solutions.push(self.x[0]);
        Ok(())
    }

    fn measure(&mut self) -> Result<LagChange, Self::Error> {
        self.again = self.lag();
        let (x_ref, v_ref) = ([self.mass.x], []);
        let used = self.mass.potential(self.mass.h, &x_ref, &v_ref, &self.slides);
        let next = FrictionPotential { slides: &self.again, ..used };
        Ok(LagChange::between(&used, &next, &[self.x]))
    }

    fn relag(&mut self) {
        std::mem::swap(&mut self.slides, &mut self.again);
    }
}

/// The scale of a change is the larger force, whether it comes before or after.
#[test]
fn changes_are_relative_to_the_larger_force() {
    let mass = Mass::<2>::new(ImplicitEuler, 0.01);
    let (x_ref, v_ref, mu) = ([Vector::ZERO], [along(1.0)], 0.5);
    let slides = [2.0, 5.0, 0.0].map(|force| on_plane(force, mu));
    let [two, five, none] = [0, 1, 2].map(|k| mass.potential(1.0, &x_ref, &v_ref, &slides[k]));
    for (used, next) in [(&two, &five), (&five, &two)] {
        let found = LagChange::between(used, next, &x_ref);
        assert!((found.change - 1.5).abs() < 1e-14 && (found.scale - 2.5).abs() < 1e-14, "{found:?}");
        assert!((found.relative() - 0.6).abs() < 1e-14);
    }
    for (used, next) in [(&none, &five), (&five, &none)] {
        assert!((LagChange::between(used, next, &x_ref).relative() - 1.0).abs() < 1e-14);
    }
    assert_eq!(LagChange::between(&none, &none, &x_ref), LagChange::default());
}

#[test]
fn refinement_contracts() {
    let known = [0.015_503_17, 0.010_335_44, 0.012_058_02, f64::NAN, 0.011_675_22];
    for (mu, rho, exact) in [(0.5, 1.0 / 3.0, 0.011_627_38), (0.9, 0.6, 0.009_441_06)] {
        let mut guided = Guided::new(4e4, 45.0, -1e-3, mu);
        assert!((guided.rho() - rho).abs() < 1e-12 && (guided.exact() - exact).abs() < 5e-9);
        let report = refine(&mut guided, &Refinement { rounds: 80, tolerance: 1e-10 }).unwrap();
        assert_eq!(report.outcome, Outcome::Converged);
        let what = |what: &str| format!("V19 μ {mu} {what}");
        check(&what("contraction"), report.contraction().unwrap(), rho, 1e-3);
        check(&what("x"), guided.solutions[report.rounds() - 1], guided.exact(), 1e-11);
        let errors: Vec<f64> = guided.solutions.iter().map(|x| x - guided.exact()).collect();
        for pair in errors[..8].windows(2) {
            assert!((pair[1] / pair[0] + rho).abs() < 1e-3, "V19 μ {mu}: {pair:?}");
        }
        if mu == 0.5 {
            for (j, x) in known.iter().enumerate().filter(|(_, x)| x.is_finite()) {
                check(&what(&format!("x_{}", j + 1)), guided.solutions[j], *x, 5e-9);
            }
        }
    }
}

#[test]
fn a_refinement_that_diverges_is_reported() {
    let mut guided = Guided::new(4e6, 75.0, -1e-5, 0.5);
    check("V19 divergent rho", guided.rho(), 1.799, 5e-4);
    let report = refine(&mut guided, &Refinement { rounds: 1000, tolerance: 1e-6 }).unwrap();
    let changes: Vec<f64> = report.changes.iter().map(|c| c.change).collect();
    println!(
        "V19 divergent: {:?} after {} rounds, changes in N {changes:?}",
        report.outcome,
        report.rounds()
    );
    assert_eq!(report.outcome, Outcome::Diverged);
    assert!(report.rounds() <= 5 && report.residual() > 0.1);
}

/// V19: a normal force that rises with time; lagging loses `μ h (N_end − N_0)/m` of the speed.
#[test]
fn lagging_a_ramp_loses_one_step_of_it() {
    let (mu, h, steps) = (0.3, 0.01, 100);
    let run = |lagged: bool| {
        let load = Load::constant(Vector::ZERO);
        let mut mass = Mass::new(ImplicitEuler, h).start(along(10.0), &load, &Slides::default());
        for n in 0..steps {
            let t = (n + usize::from(!lagged)) as f64 / f64::from(steps as u32);
            mass.step(&load, &on_plane(G * (1.0 + t), mu));
        }
        mass.v[0]
    };
    check("V19 ramp", run(true) - run(false), mu * h * G, 1e-12);
}

// --- Moving obstacles ---

/// V21: dropped on a belt at 1 m/s: as V03, seen from the belt.
#[test]
fn a_mass_on_a_belt() {
    let (mu, h) = (0.2, 0.01);
    let belt = RigidVelocity::translation(along(1.0)).unwrap();
    let slides = pressed(G, &Coefficients::from(mu).with_obstacle_velocities(vec![belt]));
    let load = Load::constant(Vector::ZERO);
    for (integrator, short, tolerance) in
        [(ImplicitEuler, 0.5 * h, 2e-5), (Newmark, 0.0, 1e-5), (Bdf2, 0.0, 1e-4)]
    {
        let mut mass = Mass::new(integrator, h).start(Vector::ZERO, &load, &slides);
        let mut reached = f64::NAN;
        for n in 0..300 {
            let before = 1.0 - mass.v[0];
            mass.step(&load, &slides);
            let now = 1.0 - mass.v[0];
            if before > EPS && now <= EPS {
                reached = h * (f64::from(n) + (before - EPS) / (before - now));
            }
        }
        let lag = 3.0 - mass.x[0];
        check(&format!("V21 {integrator:?} lag"), lag + short, 1.0 / (2.0 * mu * G), tolerance);
        check(&format!("V21 {integrator:?} time"), reached, 1.0 / (mu * G), h);
    }
}

// --- A law of one's own ---

/// `g = μ_k tanh(y/ε)`: a smoothed law that is nowhere exactly constant.
#[derive(Clone, Copy, Debug)]
struct Tanh;

impl FrictionLaw for Tanh {
    fn integral(&self, y: f64, mu: Mu, eps: f64) -> f64 {
        // ln cosh, which does not overflow.
        let u = y / eps;
        mu.k * eps * (u + (-2.0 * u).exp().ln_1p() - std::f64::consts::LN_2)
    }

    fn ratio(&self, y: f64, mu: Mu, eps: f64) -> f64 {
        let u = y / eps;
        mu.k / eps * if u < 1e-4 { 1.0 - u * u / 3.0 } else { u.tanh() / u }
    }

    fn ratio_slope(&self, y: f64, mu: Mu, eps: f64) -> f64 {
        let u = y / eps;
        let cosh = u.min(300.0).cosh();
        let slope = if u < 1e-4 { -2.0 / 3.0 * u } else { (1.0 / (cosh * cosh) - u.tanh() / u) / u };
        mu.k / (eps * eps) * slope
    }

    fn ratio_by_mu(&self, y: f64, _mu: Mu, eps: f64) -> [f64; 2] {
        [0.0, self.ratio(y, Mu::same(1.0), eps)]
    }

    fn creep_bound(&self, _mu: Mu, _eps: f64) -> f64 {
        f64::INFINITY
    }
}

/// A law that this crate does not know goes through the same potential: creep at `ε atanh(tan θ/μ)`, slides as Coulomb says.
#[test]
fn a_law_of_ones_own() {
    let mu = 0.5;
    for integrator in ALL {
        let mass = |load: &Load<2>, slides: &Slides<2>| {
            let Mass { integrator, h, x, v, a, before, .. } = Mass::<2>::new(integrator, 0.01);
            Mass { integrator, h, law: Tanh, x, v, a, before }.start(Vector::ZERO, load, slides)
        };
        let run = |tangent, steps| {
            let (load, slides) = incline(tangent, mu);
            let mut mass = mass(&load, &slides);
            for _ in 0..steps {
                mass.step(&load, &slides);
            }
            mass.v[0]
        };
        check(&format!("tanh {integrator:?} creep"), run(0.4, 1000) / (EPS * f64::atanh(0.8)), 1.0, 1e-6);
        let angle = f64::atan(0.6);
        let exact = G * (angle.sin() - mu * angle.cos());
        let a = (run(0.6, 1000) - run(0.6, 500)) / 5.0;
        check(&format!("tanh {integrator:?} slide"), a / exact, 1.0, 1e-6);
    }
}
