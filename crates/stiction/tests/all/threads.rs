//! The bits of every result are the same for any number of threads.

use crate::support::{Random, assert_close, largest};
use stiction::barrier::{BarrierKind, BarrierLaw, BarrierPotential};
use stiction::blocks::{Blocks, Csc, FullBlocks, Pattern};
use stiction::broad_phase::{BroadPhaseKind, Candidates};
use stiction::ccd::{Ccd, CcdKind};
use stiction::contact::{Contacts, Selection, Weighting};
use stiction::crossing::{Crossing, crossings};
use stiction::distance::Psd;
use stiction::friction::{
    self, Anisotropy, Axes, Entry, FrictionKind, FrictionPotential, LaggedForce, Motion, Step,
};
use stiction::math::vector::flat;
use stiction::math::{Matrix, Vector};
use stiction::mesh::{MovingSurface, Surface};
use stiction::obstacle::{Obstacle, Plane, Sphere};
use stiction::ogc::TrustRegion;
use stiction::potential::Potential;

const SIDE: u32 = 40;
const DHAT: f64 = 0.6;

/// Two uneven sheets of `SIDE × SIDE` vertices above each other, spacing 1 m, gap about 0.3 m.
fn sheets() -> Surface<3> {
    let mut random = Random::new(1);
    let (mut x, mut faces) = (Vec::new(), Vec::new());
    for sheet in 0..2 {
        for i in 0..SIDE {
            for j in 0..SIDE {
                let [offset] = random.points::<3, 1>(0.1);
                x.push(Vector([f64::from(i), f64::from(j), 0.3 * f64::from(sheet)]) + offset);
                if i > 0 && j > 0 {
                    let v = (sheet * SIDE + i) * SIDE + j;
                    faces.push([v, v - 1, v - SIDE]);
                    faces.push([v - SIDE - 1, v - SIDE, v - 1]);
                }
            }
        }
    }
    Surface::new(x, vec![], faces).unwrap()
}

/// Everything a step asks for, as bits.
#[derive(PartialEq)]
struct Bits {
    contacts: Contacts,
    energies: [u64; 2],
    gradient: Vec<u64>,
    hessian: Hessian,
    jacobians: [(Vec<u64>, Vec<u32>, Vec<u32>); 2],
    /// By mu, of slides, and in total.
    forces: Vec<u64>,
    detection: Detection,
}

/// What is made of the Hessian of the sum of the potentials.
#[derive(PartialEq)]
struct Hessian {
    pattern: Pattern,
    blocks: Vec<u64>,
    columns: (Vec<u64>, Vec<usize>, Vec<usize>),
    products: [Vec<u64>; 2],
    diagonal: Vec<u64>,
    form: u64,
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

fn block_bits(blocks: &[Matrix<3>]) -> Vec<u64> {
    blocks.iter().flat_map(|block| bits(block.0.as_flattened())).collect()
}

fn differentiate(potential: &[&dyn Potential<3>], x: &[Vector<3>]) -> Hessian {
    let mut blocks = Blocks::default();
    blocks.assemble(potential, x, 0.7, Psd::Clamp);
    let first = block_bits(blocks.values());
    blocks.assemble(potential, x, 0.7, Psd::Clamp);
    assert!(first == block_bits(blocks.values()), "bits change when the pattern is kept");
    // Not smooth: a motion that hardly changes distances would lose digits.
    let mut random = Random::new(2);
    let p: Vec<_> = x.iter().map(|_| random.points::<3, 1>(1.0)[0]).collect();
    let mut products = [vec![Vector::ZERO; x.len()], vec![Vector::ZERO; x.len()]];
    blocks.multiply(&p, &mut products[0]);
    potential.product(x, 0.7, Psd::Clamp, &p, &mut products[1]);
    let mut diagonal = vec![Matrix::ZERO; x.len()];
    potential.diagonal(x, 0.7, Psd::Clamp, &mut diagonal);
    let form = potential.quadratic_form(x, Psd::Clamp, &p);
    let along: f64 = p.iter().zip(&products[0]).map(|(p, q)| p.dot(*q)).sum();
    assert!((0.7 * form / along - 1.0).abs() < 1e-13, "{form} for {along}");
    let [assembled, direct] = products.each_ref().map(|product| flat(product));
    assert_close(direct, assembled, 1e-13 * largest(assembled), "product without assembly");
    for (row, column, block) in blocks.iter().filter(|(row, column, _)| row == column) {
        let (found, expected) = (diagonal[row].0.as_flattened(), block.0.as_flattened());
        assert_close(found, expected, 1e-13 * largest(expected), &format!("diagonal at {row} {column}"));
    }
    let columns = blocks.to_csc();
    Hessian {
        pattern: Pattern::clone(blocks.pattern()),
        blocks: first,
        columns: (bits(&columns.data), columns.indices, columns.indptr),
        products: products.map(|product| bits(flat(&product))),
        diagonal: block_bits(&diagonal),
        form: form.to_bits(),
    }
}

/// What collision detection says of a motion.
#[derive(PartialEq)]
struct Detection {
    candidates: Candidates,
    steps: Vec<u64>,
    free: Vec<bool>,
    safe: Vec<u64>,
    crossings: Vec<Crossing<3>>,
}

/// The upper sheet is pushed through the lower one, unevenly.
fn detect(surface: &Surface<3>) -> Detection {
    let x = surface.rest();
    let push = |v: usize| if v < x.len() / 2 { 0.0 } else { -0.5 - 0.3 * (v as f64).sin() };
    let end: Vec<_> = x.iter().enumerate().map(|(v, x)| *x + Vector([0.2, 0.0, push(v)])).collect();
    let candidates = BroadPhaseKind::Bvh.candidates(surface, x, &end, 0.0);
    let near = BroadPhaseKind::Bvh.candidates(surface, x, x, 0.1);
    let ball = Obstacle::Sphere(Sphere::new(Vector([9.0, 9.0, -4.0]), 3.0).unwrap());
    let (mut steps, mut free, mut safe) = (Vec::new(), Vec::new(), Vec::new());
    for kind in CcdKind::ALL {
        let ccd = Ccd::new(kind);
        steps.push(ccd.largest_step(surface, &candidates, x, &end).unwrap().to_bits());
        steps.push(
            ccd.obstacle_step(&ball, Vector([0.0, 0.0, 1.0]), &MovingSurface::new(surface, x, &end))
                .unwrap()
                .to_bits(),
        );
        free.push(ccd.is_free(surface, &candidates, x, &end).unwrap());
        free.push(ccd.is_motion_free(surface, x, &end, BroadPhaseKind::Bvh).unwrap());
        safe.extend(ccd.safe_distances(surface, &near, x, 0.1).unwrap().iter().map(|r| r.to_bits()));
    }
    let mut region = TrustRegion::new(0.1).unwrap();
    region.update(surface, &[ball], x).unwrap();
    safe.extend(bits(region.radii()));
    let mut step: Vec<_> = end.iter().zip(x).map(|(end, x)| *end - *x).collect();
    region.filter_step(surface, x, &mut step).unwrap();
    safe.extend(bits(flat(&step)));
    let mut step: Vec<_> = end.iter().zip(x).map(|(end, x)| *end - *x).collect();
    region.planar_filter_step(surface, &[ball], x, &mut step).unwrap();
    safe.extend(bits(flat(&step)));
    Detection { crossings: crossings(surface, &end).unwrap(), candidates, steps, free, safe }
}

/// Friction by displacements and by positions at rest, anisotropic and with weights by area.
fn jacobians(surface: &Surface<3>, v: &[Vector<3>]) -> [(Vec<u64>, Vec<u32>, Vec<u32>); 2] {
    let x = surface.rest();
    let law = BarrierLaw::new(BarrierKind::ClampedLog, DHAT).unwrap();
    let candidates = BroadPhaseKind::Bvh.candidates(surface, x, x, DHAT);
    let selection = Selection { weighting: Weighting::Area, ..Selection::within(DHAT) };
    let (contacts, sources) = Contacts::build_with_sources(surface, &candidates, &[], x, &selection);
    let normal = BarrierPotential { contacts: &contacts, obstacles: &[], law, kappa: 3.0.into() };
    let anisotropy = Anisotropy::Scaling([1.2, 0.7]);
    let entry = Entry { mu: 0.3.into(), anisotropy, axes: Axes::Contact };
    let slides = friction::lag(&normal, x, &entry.into());
    let force = LaggedForce::new(&normal, &slides, FrictionKind::default(), 1.0).unwrap();
    let mut full = FullBlocks::default();
    force.by_displacement(x, v, &mut full);
    let by_rest = force.by_rest(surface, &sources, x, v);
    [Csc::<u32>::of_full(&full).unwrap(), Csc::of_entries(&by_rest).unwrap()]
        .map(|csc| (bits(&csc.data), csc.indices, csc.indptr))
}

/// Derivatives by mu, forces of slides, and the account of a step.
fn forces(
    friction: &FrictionPotential<'_, 3>,
    normal: &BarrierPotential<'_, 3>,
    x: &[Vector<3>],
) -> Vec<u64> {
    let by_mu = friction.force_by_mu(x, None).unwrap();
    let slides: Vec<_> = friction.slide_forces(x).iter().copied().collect();
    let start: Vec<_> = x.iter().map(|x| *x + Vector([x[1], 0.0, x[0]]) * 1e-3).collect();
    let step = Step { x_start: &start, x, h: 0.01 };
    let account = friction.account(&step, &(&normal.forces(x)).into(), 0.0).unwrap();
    let total = [account.dissipation, account.distance, account.cone_excess, account.creep];
    [flat(&by_mu.s), flat(&by_mu.k), flat(&slides), &total].concat().iter().map(|f| f.to_bits()).collect()
}

fn evaluate(surface: &Surface<3>, threads: usize) -> Bits {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let x = surface.rest();
        let floor = Plane::new(Vector([0.0, 0.0, -0.5]), Vector([0.1, 0.0, 1.0])).unwrap();
        let obstacles = [Obstacle::Plane(floor)];
        let law = BarrierLaw::new(BarrierKind::ClampedLog, DHAT).unwrap();
        let candidates = BroadPhaseKind::Bvh.candidates(surface, x, x, DHAT);
        let contacts = Contacts::build(surface, &candidates, &obstacles, x, &Selection::within(DHAT));
        let normal = BarrierPotential { contacts: &contacts, obstacles: &obstacles, law, kappa: 3.0.into() };
        let slides = friction::lag(&normal, x, &0.3.into());
        let v_ref: Vec<_> = x.iter().map(|p| Vector([p[1], 0.3, p[0] * p[0]])).collect();
        let motion = Motion { x_ref: x, v_ref: &v_ref, h_hat: 0.01 };
        let tangential =
            FrictionPotential { slides: &slides, motion, law: FrictionKind::default(), eps_v: 1e-3 };
        let both: [&dyn Potential<3>; 2] = [&normal, &tangential];
        let mut gradient = vec![Vector::ZERO; x.len()];
        both[..].gradient(x, 0.7, &mut gradient);
        Bits {
            energies: [normal.energy(x).to_bits(), tangential.energy(x).to_bits()],
            gradient: bits(flat(&gradient)),
            hessian: differentiate(&both, x),
            jacobians: jacobians(surface, &v_ref),
            forces: forces(&tangential, &normal, x),
            contacts,
            detection: detect(surface),
        }
    })
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let surface = sheets();
    let one = evaluate(&surface, 1);
    let c = &one.contacts;
    assert!(c.vf.len() > 600 && c.ee.len() > 1000 && c.ve.len() > 600, "several chunks of each kind");
    assert!(!c.vv.is_empty() && !c.parallel.is_empty() && !c.obstacle.is_empty());
    assert!(one.energies.iter().all(|e| f64::from_bits(*e) > 0.0));
    let found = &one.detection;
    assert!(found.candidates.len() > 10_000 && found.crossings.len() > 100, "many chunks");
    assert!(
        found.free == [false; 4] && found.steps.iter().all(|t| (0.05..0.99).contains(&f64::from_bits(*t)))
    );
    for threads in [2, 8] {
        let other = evaluate(&surface, threads);
        assert!(one == other, "{threads} threads give other bits than one");
    }
}
