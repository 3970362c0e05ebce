//! The exact vertex-face barrier Hessian on our types and on nalgebra's, in the same run.
//!
//! Both sides take four positions and give 16 blocks of 3 × 3, with the formula of `stiction::distance` and
//! the same barrier. nalgebra gets four chances, which differ only in how the blocks are written:
//! its operators, nested `from_fn`, plain loops, and plain loops with our factors and our use of symmetry.
//! The first three are the same formula; the last is what nalgebra makes of our rearrangement of it.
//! Then our other kernels: closest features of pairs as the broad phase gives them, which are mostly not inside; and a
//! table of energies, gradients and Hessians of every pair, each a call of its own with the barrier. Nearly parallel
//! edges are timed through their potential on one thread, with what it costs to gather positions and to
//! list the blocks.

use std::array::from_fn;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use nalgebra::{Matrix2, Matrix3, Matrix3x2, Matrix3x4, Matrix4, Matrix4x2, Vector3, Vector4};
use stiction::barrier::{BarrierKind, BarrierLaw, BarrierPotential};
use stiction::closest::{self, EdgePart, FacePart};
use stiction::contact::{Contact, Contacts, ParallelContact};
use stiction::distance::{Psd, Separation};
use stiction::math::{Matrix, Vector};
use stiction::mollifier;
use stiction::potential::Potential;
use stiction::stencil::{EdgeEdge, PairKind, Stencil, VERTEX_FACE, VertexEdge, VertexFace, VertexVertex};
use stiction::threads;

const CONFIGURATIONS: usize = 4096;
const REPETITIONS: usize = 100;
const DHAT: f64 = 0.8;
const TOLERANCE: f64 = 1e-12;

type OurBlocks = [[Matrix<3>; 4]; 4];
type PeerBlocks = [[Matrix3<f64>; 4]; 4];

#[inline(always)]
fn ours(barrier: &BarrierLaw, x: &[Vector<3>; 4]) -> OurBlocks {
    let separation = Separation::new(&VERTEX_FACE, x);
    let d2 = separation.distance_squared();
    let (f1, f2) = barrier.derivatives(d2);
    separation.hessian(f1, f2, Psd::None)
}

/// Everything the blocks are made of: `cᵢ`, `r`, `K`, `tᵢ` (columns) and `wᵢⱼ`.
struct Peer {
    c: Vector4<f64>,
    r: Vector3<f64>,
    k: Matrix3<f64>,
    t: Matrix3x4<f64>,
    w: Matrix4<f64>,
}

impl Peer {
    /// Vertices are the columns of `x`.
    #[inline]
    fn new(barrier: &BarrierLaw, x: &Matrix3x4<f64>) -> Self {
        let base = Vector4::from(VERTEX_FACE.base);
        let directions = Matrix4x2::from(VERTEX_FACE.directions);
        let a: Matrix3x2<f64> = x * directions;
        let g = a.tr_mul(&a);
        let inverse = Matrix2::new(g.m22, -g.m12, -g.m21, g.m11) / (g.m11 * g.m22 - g.m12 * g.m21);
        let c = base - directions * (inverse * a.tr_mul(&(x * base)));
        let r = x * c;
        let d2 = r.norm_squared();
        let (f1, f2) = barrier.derivatives(d2);
        let w = inverse * (-2.0 * f1);
        let b = a * w;
        let k =
            r * (r * (4.0 * f2)).transpose() + Matrix3::from_diagonal_element(2.0 * f1) + a * b.transpose();
        Self { c, r, k, t: b * directions.transpose(), w: directions * w * directions.transpose() }
    }

    /// `cᵢcⱼ K + cⱼ r tᵢᵀ + cᵢ tⱼ rᵀ + wᵢⱼ rrᵀ`, entry by entry, so that no intermediate matrix is stored.
    #[inline]
    fn block(&self, rr: &Matrix3<f64>, i: usize, j: usize) -> Matrix3<f64> {
        let Self { c, r, k, t, w } = self;
        Matrix3::from_fn(|p, q| {
            c[i] * c[j] * k[(p, q)]
                + c[j] * r[p] * t[(q, i)]
                + c[i] * t[(p, j)] * r[q]
                + w[(i, j)] * rr[(p, q)]
        })
    }

    /// The same with nalgebra's operators.
    #[inline]
    fn operators(&self) -> PeerBlocks {
        let Self { c, r, k, t, w } = self;
        let rr = r * r.transpose();
        let mut h = [[Matrix3::zeros(); 4]; 4];
        for i in 0..4 {
            for j in 0..4 {
                h[i][j] = k * (c[i] * c[j])
                    + r * t.column(i).transpose() * c[j]
                    + t.column(j) * r.transpose() * c[i]
                    + rr * w[(i, j)];
            }
        }
        h
    }

    #[inline]
    fn nested(&self) -> PeerBlocks {
        let rr = self.r * self.r.transpose();
        from_fn(|i| from_fn(|j| self.block(&rr, i, j)))
    }

    #[inline]
    fn looped(&self) -> PeerBlocks {
        let mut h = [[Matrix3::zeros(); 4]; 4];
        let rr = self.r * self.r.transpose();
        for i in 0..4 {
            for j in 0..4 {
                h[i][j] = self.block(&rr, i, j);
            }
        }
        h
    }

    #[inline]
    fn factored(&self) -> PeerBlocks {
        let mut h = [[Matrix3::zeros(); 4]; 4];
        let Self { c, r, k, t, w } = self;
        for j in 0..4 {
            let m = k * c[j] + t.column(j) * r.transpose();
            for i in 0..=j {
                let q = t.column(i) * c[j] + r * w[(i, j)];
                h[i][j] = m * c[i] + r * q.transpose();
                h[j][i] = h[i][j].transpose();
            }
        }
        h
    }
}

/// Vertices over the inside of faces that are no slivers, closer than `DHAT`; the same in every run.
fn configurations() -> Vec<[Vector<3>; 4]> {
    let mut random = random();
    let mut out = Vec::new();
    while out.len() < CONFIGURATIONS {
        let x: [Vector<3>; 4] = from_fn(|_| Vector(from_fn(|_| random())));
        let (u, v) = (x[2] - x[1], x[3] - x[1]);
        let area2 = u.norm_squared() * v.norm_squared() - u.dot(v).powi(2);
        let (part, d2) = closest::vertex_face(x[0], [x[1], x[2], x[3]]);
        if part == FacePart::Inside && area2 > 0.02 && d2 > 0.01 && d2 < DHAT * DHAT {
            out.push(x);
        }
    }
    out
}

/// Pairs of primitives anywhere in the unit cube, at any angle: so many that no branch predictor learns them by heart.
fn candidates() -> Vec<[Vector<3>; 4]> {
    let mut random = random();
    (0..16 * CONFIGURATIONS).map(|_| from_fn(|_| Vector(from_fn(|_| random())))).collect()
}

/// The same numbers from 0 to 1 in every run.
fn random() -> impl FnMut() -> f64 {
    let mut seed = 1_u64;
    move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// The largest difference relative to the largest entry.
fn disagreement(h: &OurBlocks, peer: &PeerBlocks) -> f64 {
    let (mut difference, mut scale) = (0.0_f64, 0.0_f64);
    for (k, entry) in h.as_flattened().iter().flat_map(|block| block.0.as_flattened()).enumerate() {
        let (block, place) = (k / 9, k % 9);
        difference = difference.max((entry - peer[block / 4][block % 4][(place / 3, place % 3)]).abs());
        scale = scale.max(entry.abs());
    }
    difference / scale
}

/// One evaluation as a call of its own, so that no side is optimised together with the loop around it.
#[inline(never)]
fn call<X, Y>(f: &impl Fn(&X) -> Y, x: &X) -> Y {
    f(x)
}

/// Nanoseconds an evaluation, all configurations once.
fn time<X, Y>(configurations: &[X], f: impl Fn(&X) -> Y) -> f64 {
    let start = Instant::now();
    for x in configurations {
        black_box(&call(&f, black_box(x)));
    }
    start.elapsed().as_secs_f64() * 1e9 / configurations.len() as f64
}

/// Pairs of one kind with closest points inside both primitives, closer than `DHAT` and no slivers.
fn regular<K: PairKind<N>, const D: usize, const N: usize>() -> Vec<[Vector<D>; N]> {
    let mut random = random();
    let mut out = Vec::new();
    while out.len() < CONFIGURATIONS {
        let x: [Vector<D>; N] = from_fn(|_| Vector(from_fn(|_| random())));
        let separation = Separation::new(&K::PAIR, &x);
        let along = |p: usize| (0..N).fold(Vector::ZERO, |sum, i| sum + x[i] * K::PAIR.directions[p][i]);
        let (u, v) = (along(0), along(1));
        let area2 = u.norm_squared() * v.norm_squared() - u.dot(v).powi(2);
        let round = match K::PAIR.free {
            0 => true,
            1 => u.norm_squared() > 0.02,
            _ => area2 > 0.02,
        };
        let inside = separation.c.iter().all(|c| c.abs() <= 1.0);
        let d2 = separation.distance_squared();
        if round && inside && d2 > 0.01 && d2 < DHAT * DHAT {
            out.push(x);
        }
    }
    out
}

const COLUMNS: [&str; 7] = ["distance", "energy", "gradient", "None", "Clamp", "Abs", "GaussNewton"];

/// The best of many rounds, column by column.
fn best_of(mut round: impl FnMut() -> [f64; 7]) -> [f64; 7] {
    (0..REPETITIONS).fold([f64::INFINITY; 7], |best, _| {
        let now = round();
        from_fn(|k| best[k].min(now[k]))
    })
}

fn print_row(name: &str, row: [f64; 7]) {
    println!("{name:10}{}", row.map(|ns| format!(" {ns:11.1}")).concat());
}

fn pair_row<K: PairKind<N>, const D: usize, const N: usize>(name: &str, barrier: &BarrierLaw) {
    let x = regular::<K, D, N>();
    let hessian = |psd: Psd| {
        time(&x, |x| {
            let separation = Separation::new(&K::PAIR, x);
            let (f1, f2) = barrier.derivatives(separation.distance_squared());
            separation.hessian(f1, f2, psd)
        })
    };
    let row = best_of(|| {
        [
            time(&x, |x| Separation::new(&K::PAIR, x).distance_squared()),
            time(&x, |x| barrier.value(Separation::new(&K::PAIR, x).distance_squared())),
            time(&x, |x| {
                let separation = Separation::new(&K::PAIR, x);
                separation.gradient(barrier.first(separation.distance_squared()))
            }),
            hessian(Psd::None),
            hessian(Psd::Clamp),
            hessian(Psd::Abs),
            hessian(Psd::GaussNewton),
        ]
    });
    print_row(name, row);
}

/// Few contacts at a time: memory for the blocks of thousands would cost more than the blocks.
const GROUP: usize = 16;

/// Pairs of edges within 1.8° of parallel, each with vertices of its own, and their contacts in groups.
fn parallel_edges(parts: (EdgePart, EdgePart)) -> (Vec<Vector<3>>, Vec<Contacts>) {
    let mut random = random();
    let (mut x, mut groups) = (Vec::new(), vec![Contacts::default(); CONFIGURATIONS / GROUP]);
    for k in 0..CONFIGURATIONS {
        let mut near = |reach: f64| Vector(from_fn(|_| (random() - 0.5) * reach));
        let (a, u, turn) = (near(1.0), near(1.0) + Vector([1.0, 0.0, 0.0]), near(0.02));
        let b = a + u * 0.3 + near(0.3) + Vector([0.0, 0.0, 0.3]);
        let edges = [a, a + u, b, b + u + turn];
        let threshold = mollifier::threshold(&edges);
        let contact = Contact { stencil: Stencil(from_fn(|i| (4 * k + i) as u32)), weight: 1.0 };
        groups[k / GROUP].parallel.push(ParallelContact { contact, parts, threshold });
        x.extend(edges);
    }
    (x, groups)
}

fn potential(contacts: &Contacts, law: BarrierLaw) -> BarrierPotential<'_, 3> {
    BarrierPotential { contacts, obstacles: &[], law, kappa: 1.0.into() }
}

fn parallel_row(name: &str, barrier: BarrierLaw, parts: (EdgePart, EdgePart)) {
    let (x, groups) = parallel_edges(parts);
    let each = |f: &mut dyn FnMut(&Contacts)| {
        let start = Instant::now();
        groups.iter().for_each(|contacts| f(black_box(contacts)));
        start.elapsed().as_secs_f64() * 1e9 / CONFIGURATIONS as f64
    };
    // Times a vector: a matrix would cost more than its terms.
    let hessian = |psd: Psd| {
        let mut out = vec![Vector::ZERO; x.len()];
        each(&mut |contacts| {
            potential(contacts, barrier).product(&x, 1.0, psd, &x, &mut out);
            black_box(&out);
        })
    };
    let mut out = vec![Vector::ZERO; x.len()];
    let row = best_of(|| {
        [
            each(&mut |contacts| {
                black_box(contacts.smallest_gap(&x, &[]));
            }),
            each(&mut |contacts| {
                black_box(potential(contacts, barrier).energy(&x));
            }),
            each(&mut |contacts| {
                potential(contacts, barrier).gradient(&x, 1.0, &mut out);
                black_box(&out);
            }),
            hessian(Psd::None),
            hessian(Psd::Clamp),
            hessian(Psd::Abs),
            hessian(Psd::GaussNewton),
        ]
    });
    print_row(name, row);
}

/// Every pair, in ns.
fn table(barrier: &BarrierLaw) {
    println!("\n{:10}{}", "ns", COLUMNS.map(|name| format!(" {name:>11}")).concat());
    pair_row::<VertexVertex, 2, 2>("vv 2D", barrier);
    pair_row::<VertexEdge, 2, 3>("ve 2D", barrier);
    pair_row::<VertexVertex, 3, 2>("vv 3D", barrier);
    pair_row::<VertexEdge, 3, 3>("ve 3D", barrier);
    pair_row::<EdgeEdge, 3, 4>("ee 3D", barrier);
    pair_row::<VertexFace, 3, 4>("vf 3D", barrier);
    parallel_row("parallel", *barrier, (EdgePart::Inside, EdgePart::Inside));
    parallel_row(" with end", *barrier, (EdgePart::End, EdgePart::Inside));
}

fn main() -> ExitCode {
    let barrier = BarrierLaw::new(BarrierKind::ClampedLog, DHAT).expect("DHAT is positive");
    let x = configurations();
    let y: Vec<Matrix3x4<f64>> = x.iter().map(|x| Matrix3x4::from_fn(|k, i| x[i][k])).collect();

    let mut worst = 0.0_f64;
    for (x, y) in x.iter().zip(&y) {
        let (h, peer) = (ours(&barrier, x), Peer::new(&barrier, y));
        for other in [peer.operators(), peer.nested(), peer.looped(), peer.factored()] {
            worst = worst.max(disagreement(&h, &other));
        }
    }
    println!("largest relative difference: {worst:.1e}");
    if worst.is_nan() || worst > TOLERANCE {
        println!("the two sides do not compute the same: more than {TOLERANCE:e}");
        return ExitCode::FAILURE;
    }

    let pairs = candidates();
    let names = [
        "Hessian, exact, ours",
        "Hessian, exact, nalgebra, operators",
        "Hessian, exact, nalgebra, nested from_fn",
        "Hessian, exact, nalgebra, loops",
        "Hessian, exact, nalgebra, loops with our factors",
        "closest features, edge-edge, ours",
        "closest features, vertex-face, ours",
    ];
    let mut best = [f64::INFINITY; 7];
    for _ in 0..REPETITIONS {
        let now = [
            time(&x, |x| ours(&barrier, x)),
            time(&y, |y| Peer::new(&barrier, y).operators()),
            time(&y, |y| Peer::new(&barrier, y).nested()),
            time(&y, |y| Peer::new(&barrier, y).looped()),
            time(&y, |y| Peer::new(&barrier, y).factored()),
            time(&pairs, |x| closest::edge_edge([x[0], x[1]], [x[2], x[3]])),
            time(&pairs, |x| closest::vertex_face(x[0], [x[1], x[2], x[3]])),
        ];
        best = from_fn(|k| best[k].min(now[k]));
    }
    for (name, ns) in names.iter().zip(best) {
        println!("{name:50} {ns:7.1} ns");
    }
    let fastest = |range: std::ops::Range<usize>| best[range].iter().copied().fold(f64::INFINITY, f64::min);
    println!("{:50} {:7.2}", "fastest nalgebra with the same formula / ours", fastest(1..4) / best[0]);
    println!("{:50} {:7.2}", "nalgebra with our factors as well / ours", best[4] / best[0]);
    if let Err(error) = threads::set_count(1) {
        println!("{error}");
        return ExitCode::FAILURE;
    }
    table(&barrier);
    ExitCode::SUCCESS
}
