//! Every law against differences, published values and the laws' promises.
#![allow(clippy::excessive_precision, clippy::unreadable_literal, reason = "numbers from elsewhere")]

use std::path::Path;

use super::{FrictionLaw, Mu};
use crate::friction::mollifier::{f0, f1, f1_over_y, f1_over_y_slope, f2};
use crate::friction::{FrictionKind, Peak, SmoothMu, Stribeck};

/// Numbers from 0 to 1 that fill it evenly.
fn even(count: usize, step: f64) -> impl Iterator<Item = f64> {
    (1..=count).map(move |k| (k as f64 * step).fract())
}

/// Coefficients that are worth a test: `μ_s > μ_k`, then all others.
fn coefficients(kind: FrictionKind) -> Vec<Mu> {
    let random = even(12, 0.618034).zip(even(12, 0.414214)).map(|(a, b)| Mu { s: a.max(b), k: a.min(b) });
    let mut all: Vec<Mu> = random.collect();
    let more = [(0.5, 0.3), (1.0, 0.0), (0.3, 0.2999), (0.4, 0.4), (0.0, 0.0)];
    all.extend(more.map(|(s, k)| Mu { s, k }));
    if kind != FrictionKind::Peak {
        all.extend([Mu { s: 0.2, k: 0.7 }, Mu { s: 0.0, k: 0.5 }]);
    }
    all
}

fn kinds() -> [FrictionKind; 5] {
    let stribeck = |speed, viscous| FrictionKind::Stribeck(Stribeck::new(speed, viscous).unwrap());
    [
        FrictionKind::Peak,
        FrictionKind::SmoothMu,
        stribeck(0.05, 0.0),
        stribeck(0.002, 0.3),
        FrictionKind::Adhesion,
    ]
}

/// Where the pieces of a law meet, from 0 to well beyond ε; a Stribeck curve in pieces of the size of its bend.
fn pieces(kind: FrictionKind, mu: Mu, eps: f64) -> Vec<f64> {
    let inner = match kind {
        FrictionKind::Peak if mu.s > mu.k => vec![0.5 * (Peak.creep_bound(mu, eps) + eps)],
        FrictionKind::SmoothMu | FrictionKind::Adhesion => vec![0.5 * eps],
        _ => vec![],
    };
    if kind == FrictionKind::Adhesion {
        // Its slope jumps at 2ε, beyond which nothing is left.
        return [vec![0.0], inner, vec![eps, 2.0 * eps * (1.0 - 1e-10)]].concat();
    }
    let far = match kind {
        FrictionKind::Stribeck(law) => law.speed().min(3.0 * eps),
        _ => 3.0 * eps,
    };
    [vec![0.0], inner, vec![eps, eps + far, eps + 2.0 * far]].concat()
}

/// The derivative of `f` at `y` from values within a piece: five points, around `y` or to one side of it; exact for quartics.
fn slope_within(f: impl Fn(f64) -> f64, y: f64, [low, high]: [f64; 2]) -> f64 {
    let h = 5e-4 * (high - low);
    let (weights, first): ([f64; 5], f64) = if y - 2.0 * h >= low && y + 2.0 * h <= high {
        ([1.0, -8.0, 0.0, 8.0, -1.0], -2.0)
    } else if y - 2.0 * h < low {
        ([-25.0, 48.0, -36.0, 16.0, -3.0], 0.0)
    } else {
        ([3.0, -16.0, 36.0, -48.0, 25.0], -4.0)
    };
    let sum: f64 = weights.iter().enumerate().map(|(k, w)| w * f(y + (first + k as f64) * h)).sum();
    sum / (12.0 * h)
}

/// All derivatives of a law at `y`, from within a piece.
fn check_derivatives(kind: FrictionKind, y: f64, mu: Mu, eps: f64, piece: [f64; 2]) {
    let scale = mu.s + mu.k + if let FrictionKind::Stribeck(law) = kind { law.viscous() * eps } else { 0.0 };
    let near = |found: f64, expected: f64, unit: f64, what: &str| {
        assert!(
            (found - expected).abs() <= 1e-8 * scale * unit,
            "{kind:?} {what} at {y}, {mu:?}, ε {eps}, piece {piece:?}: {found} is not {expected}"
        );
    };
    // A Stribeck curve that falls within ε is steeper than its values say.
    let unit = match kind {
        FrictionKind::Stribeck(law) => 1.0 + (eps / law.speed()).powi(2),
        _ => 1.0,
    };
    let of = |f: fn(&FrictionKind, f64, Mu, f64) -> f64| move |y| f(&kind, y, mu, eps);
    let g = kind.value(y, mu, eps);
    near(slope_within(of(FrictionKind::integral), y, piece), g, unit, "G′");
    near(slope_within(of(FrictionKind::value), y, piece), kind.slope(y, mu, eps), unit / eps, "g′");
    let ratio_slope = kind.ratio_slope(y, mu, eps);
    near(slope_within(of(FrictionKind::ratio), y, piece), ratio_slope, unit / (eps * eps), "(g/y)′");
    near(kind.ratio(y, mu, eps) * y, g, 1e-6 * unit, "g/y");
    let slope = kind.ratio(y, mu, eps) + ratio_slope * y;
    near(kind.slope(y, mu, eps), slope, 1e-6 * unit / eps, "both forms of g′");
}

#[test]
fn derivatives_match_differences_at_and_between_branch_points() {
    for kind in kinds() {
        for mu in coefficients(kind) {
            for eps in [1e-5, 1e-3, 2.0] {
                for pair in pieces(kind, mu, eps).windows(2) {
                    let piece = [pair[0], pair[1]];
                    for t in even(20, 0.618034).chain([0.0, 1e-12, 1e-3, 0.5, 1.0 - 1e-12, 1.0]) {
                        // Not beyond an end by rounding.
                        let y = (piece[0] + t * (piece[1] - piece[0])).min(piece[1]);
                        check_derivatives(kind, y, mu, eps, piece);
                    }
                }
            }
        }
    }
}

#[test]
fn laws_are_continuous_across_branch_points() {
    for kind in kinds() {
        for mu in coefficients(kind) {
            let eps = 1e-3;
            for y in &pieces(kind, mu, eps)[1..] {
                let jump = |f: &dyn Fn(f64) -> f64| (f(y * (1.0 + 1e-13)) - f(y * (1.0 - 1e-13))).abs();
                assert!(jump(&|y| kind.integral(y, mu, eps)) < 1e-12 * y);
                assert!(jump(&|y| kind.value(y, mu, eps)) < 3e-12);
                assert!(jump(&|y| kind.slope(y, mu, eps)) < 3e-11 / eps);
                assert!(jump(&|y| kind.ratio_slope(y, mu, eps)) < 3e-11 / (eps * eps));
            }
        }
    }
}

/// Differences in the coefficients. `g` is C¹ in them, with jumps of g″ where pieces meet.
#[test]
fn derivatives_in_the_coefficients_match_differences() {
    let eps = 1e-3;
    for kind in kinds() {
        for mu in coefficients(kind).into_iter().filter(|mu| kind != FrictionKind::Peak || mu.s > mu.k) {
            let h = 1e-5 * if kind == FrictionKind::Peak { (mu.s - mu.k) / mu.s.max(1.0) } else { 1.0 };
            let ratio = |y, s: f64, k: f64| kind.ratio(y, Mu { s, k }, eps);
            let branches = pieces(kind, mu, eps);
            for y in even(40, 0.618034).map(|t| 2.0 * eps * t).chain(branches.iter().copied()) {
                let by_s = (ratio(y, mu.s + h, mu.k) - ratio(y, mu.s - h, mu.k)) / (2.0 * h);
                let by_k = (ratio(y, mu.s, mu.k + h) - ratio(y, mu.s, mu.k - h)) / (2.0 * h);
                let [s, k] = kind.ratio_by_mu(y, mu, eps);
                // Of the size of 1/q where the coefficients are close.
                let size = (1.0 + s.abs().max(k.abs()) * eps) / eps;
                assert!((s - by_s).abs() < 2e-5 * size, "{kind:?} {mu:?} {y}: {s} is not {by_s}");
                assert!((k - by_k).abs() < 2e-5 * size, "{kind:?} {mu:?} {y}: {k} is not {by_k}");
                let viscous = if let FrictionKind::Stribeck(law) = kind { law.viscous() } else { 0.0 };
                // All laws are homogeneous in the coefficients.
                let euler = mu.s * s + mu.k * k + viscous;
                assert!((euler - ratio(y, mu.s, mu.k)).abs() < 1e-13 * size, "{kind:?} {mu:?} {y}");
            }
        }
    }
}

// --- Peak ---

#[test]
fn a_peak_reaches_static_friction() {
    for (a, b) in even(2000, 0.618034).zip(even(2000, 0.414214)) {
        let (mu, eps) = (Mu { s: a.max(b), k: a.min(b) }, 1e-3 * (0.01 + b));
        let p = Peak.creep_bound(mu, eps);
        assert!((Peak.value(p, mu, eps) - mu.s).abs() <= 1e-14 * mu.s);
        assert!(Peak.slope(p, mu, eps).abs() <= 1e-12 * mu.s / eps);
        for t in even(50, 0.7320508) {
            assert!(Peak.value(1.2 * eps * t, mu, eps) <= mu.s * (1.0 + 1e-15));
            assert!(Peak.value(p * (1.0 + 1e-8 * (t - 0.5)), mu, eps) <= mu.s * (1.0 + 1e-15));
        }
        assert_eq!(Peak.value(eps, mu, eps), mu.k);
    }
}

#[test]
fn a_peak_of_one_coefficient_is_the_mollifier_bit_for_bit() {
    for (a, b) in even(2000, 0.618034).zip(even(2000, 0.414214)) {
        let (mu, eps, y) = (Mu::same(a), 1e-3, 2e-3 * b);
        assert_eq!(Peak.integral(y, mu, eps), a * f0(y, eps));
        assert_eq!(Peak.value(y, mu, eps), a * f1(y, eps));
        assert_eq!(Peak.slope(y, mu, eps), a * f2(y, eps));
        assert_eq!(Peak.ratio(y, mu, eps), a * f1_over_y(y, eps));
        assert_eq!(Peak.ratio_slope(y, mu, eps), a * f1_over_y_slope(y, eps));
        // Less static than kinetic friction counts as the same.
        let less = Mu { s: 0.5 * a, k: a };
        assert_eq!(Peak.value(y, less, eps), a * f1(y, eps));
        assert_eq!(Peak.integral(y, less, eps), a * f0(y, eps));
        assert_eq!(Peak.creep_bound(less, eps), eps);
    }
}

#[test]
fn a_peak_comes_to_the_mollifier_as_a_root() {
    let eps = 1e-3;
    for y in [1e-4, 5e-4, 9e-4] {
        let one = Peak.value(y, Mu::same(0.3), eps);
        for delta in [1e-4, 1e-8, 1e-12, 1e-16] {
            let mu = Mu { s: 0.3 + delta, k: 0.3 };
            let q = (2.0 * (mu.s - mu.k) / mu.s).sqrt();
            assert!((Peak.value(y, mu, eps) - one).abs() <= 0.7 * q + 1e-16);
        }
    }
}

/// Towards larger `μ_s` the derivative at `μ_s = μ_k` is infinite, like 1/q; what is returned there is that of the other side.
#[test]
fn where_the_coefficients_meet_derivatives_are_those_from_below() {
    let (y, mu, eps) = (4e-4, 0.3, 1e-3);
    let expected = [0.0, f1_over_y(y, eps)];
    assert_eq!(Peak.ratio_by_mu(y, Mu::same(mu), eps), expected);
    assert_eq!(Peak.ratio_by_mu(y, Mu { s: 0.1, k: mu }, eps), expected);
    let ratio = |s, k| Peak.ratio(y, Mu { s, k }, eps);
    let h = 1e-6;
    let from_below = [(ratio(mu, mu) - ratio(mu - h, mu)) / h, (ratio(mu, mu + h) - ratio(mu, mu)) / h];
    assert_eq!(from_below[0], 0.0);
    assert!((from_below[1] / expected[1] - 1.0).abs() < 1e-9);
    let both = (ratio(mu + h, mu + h) - ratio(mu - h, mu - h)) / (2.0 * h);
    assert!((both / (expected[0] + expected[1]) - 1.0).abs() < 1e-9);
    // From above: q times the derivative tends to 2(1 − y/ε)/ε.
    for delta in [1e-8, 1e-10, 1e-12] {
        let above = Mu { s: mu + delta, k: mu };
        let q = (2.0 * (above.s - above.k) / above.s).sqrt();
        let [by_s, by_k] = Peak.ratio_by_mu(y, above, eps).map(|d| d * q);
        let limit = 2.0 * (1.0 - y / eps) / eps;
        assert!((by_s / limit - 1.0).abs() < 10.0 * q && (by_k / limit + 1.0).abs() < 10.0 * q);
        assert!((ratio(above.s, mu) - ratio(mu, mu)) / delta > 0.5 * by_s / q);
    }
    // Slides beyond ε do not see the root.
    assert_eq!(Peak.ratio_by_mu(eps, Mu::same(mu), eps), [0.0, 1.0 / eps]);
}

#[test]
fn creep_is_where_friction_is_the_load() {
    let eps = 1e-3;
    for (phi, expected) in [(0.5, 0.29289), (0.9, 0.68377), (0.98, 0.85858)] {
        let creep = Peak.creep(0.4 * phi, Mu::same(0.4), eps);
        assert!((creep / eps - expected).abs() < 1e-5);
        let mu = Mu { s: 0.4, k: 0.25 };
        let creep = Peak.creep(0.4 * phi, mu, eps);
        assert!((Peak.value(creep, mu, eps) / (0.4 * phi) - 1.0).abs() < 1e-14);
        assert!(creep < Peak.creep_bound(mu, eps));
    }
    let bistable = Peak.creep(0.4, Mu { s: 0.5, k: 0.3 }, eps);
    assert!((bistable - 0.2918e-3).abs() < 1e-7);
    assert_eq!(Peak.creep(0.51, Mu { s: 0.5, k: 0.3 }, eps), f64::INFINITY);
}

/// Values of the published vectors, which have 16 digits and were computed in double precision.
#[test]
fn peaks_have_the_values_of_the_test_vectors() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/mollifier_vectors.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: no {}", path.display());
        return;
    };
    let vectors: serde_json::Value = serde_json::from_str(&text).unwrap();
    let (mut count, mut worst) = (0, 0.0_f64);
    for case in vectors["cases"].as_array().unwrap() {
        let number = |key: &str| case[key].as_f64().unwrap();
        let column = |key: &str| -> Vec<f64> {
            case[key].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
        };
        let (mu, eps) = (Mu { s: number("mu_s"), k: number("mu_k") }, number("eps"));
        let p = Peak.creep_bound(mu, eps);
        assert!(
            (p - number("p")).abs() <= 1e-15 * eps && (0.5 * (p + eps) - number("m")).abs() <= 1e-15 * eps
        );
        let keys = ["y", "g", "dg", "G", "g_over_y", "dg_y_minus_g_over_y2"].map(column);
        for i in 0..keys[0].len() {
            let y = keys[0][i];
            let scale = mu.s.max(mu.k);
            let mut near = |found: f64, expected: f64, unit: f64| {
                worst = worst.max((found - expected).abs() / (scale * unit));
                count += 1;
            };
            near(Peak.value(y, mu, eps), keys[1][i], 1.0);
            near(Peak.slope(y, mu, eps), keys[2][i], 1.0 / p);
            near(Peak.integral(y, mu, eps), keys[3][i], y.max(eps));
            near(Peak.ratio(y, mu, eps), keys[4][i], 1.0 / p);
            near(Peak.ratio_slope(y, mu, eps), keys[5][i], 1.0 / (p * p));
        }
    }
    println!("{count} values, largest difference {worst:.1e}");
    assert!(count > 200 && worst < 2e-15, "{count} values, largest difference {worst:e}");
}

// --- SmoothMu ---

/// `y, μ_s, μ_k, ε` and then `μ, μ′, G, g, g′, g/y, (g/y)′/y` as the IPC Toolkit 1.6.1 has them (`smooth_mu…`).
const TOOLKIT: [[f64; 11]; 8] = [
    [
        0.0001,
        0.5,
        0.3,
        0.001,
        0.496,
        -80.00000000000001,
        5.898080000000002e-05,
        0.09424,
        877.5999999999999,
        942.3999999999999,
        -6480000000.0,
    ],
    [
        0.00025,
        1.0,
        0.1,
        0.001,
        0.8875,
        -900.0,
        -0.00011878906249999998,
        0.38828124999999997,
        937.5,
        1553.125,
        -9850000000.0,
    ],
    [
        0.0005,
        0.6,
        0.2,
        0.001,
        0.4,
        -799.9999999999999,
        7.999999999999998e-05,
        0.30000000000000004,
        -199.99999999999991,
        600.0,
        -3200000000.0000005,
    ],
    [
        0.0007,
        0.5,
        0.3,
        0.001,
        0.336,
        -240.00000000000003,
        0.00020929439999999993,
        0.30576,
        -16.799999999999955,
        436.8,
        -925714285.7142861,
    ],
    [
        0.009000000000000001,
        0.2,
        0.7,
        0.01,
        0.69,
        19.99999999999997,
        0.006305646666666666,
        0.6830999999999999,
        33.59999999999995,
        75.89999999999998,
        -522222.2222222223,
    ],
    [0.001, 0.5, 0.3, 0.001, 0.3, 0.0, 0.0003, 0.3, 0.0, 300.0, -299999999.99999994],
    [
        0.0017,
        0.5,
        0.3,
        0.001,
        0.3,
        0.0,
        0.0005099999999999999,
        0.3,
        0.0,
        176.47058823529412,
        -61062487.27864848,
    ],
    [
        0.165,
        0.3,
        0.8,
        0.5,
        0.4089,
        1.32,
        0.20773659857000001,
        0.22534479000000002,
        1.8233039999999998,
        1.365726,
        16.807272727272725,
    ],
];

#[test]
fn smooth_mu_is_that_of_the_toolkit() {
    for [y, s, k, eps, mu, mu_slope, integral, g, slope, ratio, ratio_slope] in TOOLKIT {
        let pair = Mu { s, k };
        let near = |found: f64, expected: f64, unit: f64| {
            assert!((found - expected).abs() <= 1e-15 * s.max(k) * unit, "{found} is not {expected} at {y}");
        };
        near(SmoothMu.mu(y, pair, eps), mu, 1.0);
        near(SmoothMu.mu_slope(y, pair, eps), mu_slope, 4.0 / eps);
        near(SmoothMu.integral(y, pair, eps), integral, y.max(eps));
        near(SmoothMu.value(y, pair, eps), g, 1.0);
        near(SmoothMu.slope(y, pair, eps), slope, 4.0 / eps);
        near(SmoothMu.ratio(y, pair, eps), ratio, 2.0 / eps);
        near(SmoothMu.ratio_slope(y, pair, eps) / y, ratio_slope, 4.0 / (eps * eps * y));
    }
}

/// `(μ_s/μ_k, max g by μ_s, its place by ε)`: how much smaller than `μ_s` the largest friction is.
#[test]
fn smooth_mu_stays_below_static_friction() {
    let table = [(5.0 / 3.0, 0.6125, 0.646), (2.0, 0.5625, 0.5), (4.0, 0.488, 0.423), (10.0, 0.456, 0.391)];
    for (ratio, expected, place) in table {
        let mu = Mu { s: 0.5, k: 0.5 / ratio };
        check_smooth_peak(mu, expected, place);
    }
    check_smooth_peak(Mu { s: 0.5, k: 0.0 }, 0.438, 0.373);
    for ratio in [1.0, 1.25, 1.5] {
        check_smooth_peak(Mu { s: 0.5, k: 0.5 / ratio }, 1.0 / ratio, 1.0);
    }
}

fn check_smooth_peak(mu: Mu, expected: f64, place: f64) {
    let eps = 1e-3;
    let at = SmoothMu.creep_bound(mu, eps);
    let peak = SmoothMu.value(at, mu, eps);
    assert!((at / eps - place).abs() < 6e-4, "{mu:?}: at {}", at / eps);
    assert!((peak / mu.s - expected).abs() < 6e-4, "{mu:?}: {}", peak / mu.s);
    assert!(SmoothMu.slope(at, mu, eps).abs() < 1e-12 / eps);
    for t in even(1000, 0.618034) {
        assert!(SmoothMu.value(2.0 * eps * t, mu, eps) <= peak * (1.0 + 1e-15));
    }
}

#[test]
fn smooth_mu_of_one_coefficient_is_the_mollifier() {
    for (a, b) in even(200, 0.618034).zip(even(200, 0.414214)) {
        let (mu, eps, y) = (Mu::same(a), 1e-3, 2e-3 * b);
        assert_eq!(SmoothMu.integral(y, mu, eps), a * f0(y, eps));
        assert_eq!(SmoothMu.value(y, mu, eps), a * f1(y, eps));
        assert_eq!(SmoothMu.ratio(y, mu, eps), a * f1_over_y(y, eps));
        assert_eq!(SmoothMu.ratio_slope(y, mu, eps), a * f1_over_y_slope(y, eps));
    }
}

// --- Adhesion ---

#[test]
fn adhesion_rises_like_friction_and_lets_go() {
    let eps = 1e-3;
    for mu in coefficients(FrictionKind::Adhesion) {
        let law = FrictionKind::Adhesion;
        assert!(law.integral(0.0, mu, eps).abs() < 1e-18, "{mu:?}");
        for t in even(50, 0.618034) {
            let y = t * eps;
            assert_eq!(law.ratio(y, mu, eps), SmoothMu.ratio(y, mu, eps));
            assert!((law.slope(y, mu, eps) - SmoothMu.slope(y, mu, eps)).abs() < 1e-12 / eps);
            for y in [2.0 * eps, (2.0 + t) * eps, 1e9] {
                let found = [law.value(y, mu, eps), law.slope(y, mu, eps), law.ratio_slope(y, mu, eps)];
                assert_eq!(found, [0.0; 3], "{mu:?} at {y}");
                let whole = mu.k * 4.0 / 3.0 + (mu.s - mu.k) * 11.0 / 48.0;
                assert!((law.integral(y, mu, eps) - whole * eps).abs() < 1e-15 * eps);
            }
        }
    }
}

// --- Stribeck ---

#[test]
fn stribeck_falls_from_static_to_kinetic_friction() {
    let (mu, eps) = (Mu { s: 0.5, k: 0.3 }, 1e-3);
    let law = Stribeck::new(0.05, 0.0).unwrap();
    assert_eq!(law.value(eps, mu, eps), mu.s);
    assert!((law.value(eps + law.speed(), mu, eps) - 0.4).abs() < 1e-15);
    assert!((law.value(1e4, mu, eps) - mu.k).abs() < 1e-11);
    let viscous = Stribeck::new(0.05, 0.2).unwrap();
    assert!((viscous.value(2.0, mu, eps) - law.value(2.0, mu, eps) - 0.4).abs() < 1e-15);
    assert_eq!(viscous.creep_bound(mu, eps), eps);
    for y in even(1000, 0.618034) {
        assert!(law.value(y, mu, eps) <= mu.s && viscous.value(y * eps, mu, eps) <= mu.s + 0.2 * eps);
    }
}

/// Kernels return numbers for anything that their constructors let through.
#[test]
fn extremes_are_numbers() {
    let eps = 1e-3;
    for kind in [1e-300, 1e300].map(|speed| FrictionKind::Stribeck(Stribeck::new(speed, 0.0).unwrap())) {
        for y in [0.0, 1e-300, eps, eps * (1.0 + 1e-15), 1.0, 1e100] {
            let mu = Mu { s: 0.5, k: 0.3 };
            assert!(kind.integral(y, mu, eps).is_finite());
            assert!(kind.value(y, mu, eps).is_finite() && kind.slope(y, mu, eps).is_finite());
            assert!(kind.ratio(y, mu, eps).is_finite() && kind.ratio_slope(y, mu, eps).is_finite());
            assert!(kind.ratio_by_mu(y, mu, eps).iter().all(|d| d.is_finite()));
        }
    }
    for kind in FrictionKind::NAMED.into_iter().chain([FrictionKind::Adhesion]) {
        for mu in [Mu::same(0.0), Mu { s: 1.0, k: 0.0 }, Mu { s: 0.0, k: 1.0 }] {
            for y in [0.0, 1e-300, 1e-9, eps, 1.0, 1e100] {
                assert!(kind.ratio_slope(y, mu, eps).is_finite() && kind.slope(y, mu, eps).is_finite());
                assert!(kind.ratio_by_mu(y, mu, eps).iter().all(|d| d.is_finite()));
                assert!(kind.creep_bound(mu, eps).is_finite());
            }
        }
    }
}
