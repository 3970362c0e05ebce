//! How far the barrier of each pair reaches: less far than `d̂` where a body is nearer than that to itself at rest.

use std::borrow::Cow;
use std::ops::Range;

use stiction::assemble::Assembly;
use stiction::barrier::{BarrierLaw, BarrierPotential};
use stiction::blocks::Stencils;
use stiction::broad_phase::Candidates;
use stiction::closest;
use stiction::contact::{AnyContact, Contacts, PerContact};
use stiction::distance::Psd;
use stiction::error::Result;
use stiction::friction::{self, Coefficients, PerSlide, Slides};
use stiction::math::Vector;
use stiction::mesh::Surface;
use stiction::obstacle::Obstacle;
use stiction::potential::Potential;
use stiction::threads;

/// Candidates that a task sorts.
const CHUNK: usize = 4096;

/// The reaches of all pairs of a surface.
///
/// Parts of a body may be nearer to each other than `d̂` at rest: slots, and meshes finer than `d̂`. They must not push each other there, and not pass
/// through each other later. So vertices of such parts have a shorter reach,
///
/// ```text
/// rᵢ = d̂ 2^−kᵢ        kᵢ: the smallest with rᵢ ≤ ½ (distance at rest − d_min) for all pairs nearer than d_min + d̂ that vertex i is in; otherwise 0
/// r  = min rᵢ         over the vertices of both primitives of a pair within a body; d̂ between bodies and at obstacles
/// κᵣ = κ F(½ d̂)/Fᵣ(½ r)          F, Fᵣ: the force of a contact of stiffness 1 at this clearance
/// ```
/// and a pair pushes below `d_min + r`: nothing does at rest, and what was nearer than `d̂` there not before it has lost half of its clearance. A contact carries the same
/// force at the same part of its reach: without `d_min`, `κᵣ = κ (d̂/r)³` for the clamped logarithm. The reach of a pair never changes, so the energy is as smooth as
/// with one reach for all. It belongs to the vertices and not to the pair, so that the sides of a slot may slide along each other: what comes to lie opposite has
/// a reach of at most half the width of the slot, wherever it was at rest.
#[derive(Clone, Debug, Default)]
pub struct Reaches {
    /// For every vertex of the surface 0, or one more than the number of its reach; empty where all are 0.
    classes: Vec<u16>,
    /// The body of every vertex; empty as well.
    bodies: Vec<u32>,
    /// The shorter reaches, descending.
    near: Vec<Reach>,
}

/// A reach shorter than `d̂`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// The barrier, with `r` in place of `d̂`.
    pub law: BarrierLaw,
    /// `κᵣ/κ`.
    pub stiffness: f64,
    /// `d̂/r`, a power of 2.
    pub part: f64,
}

impl Reach {
    /// That of `d̂/part`.
    fn new(usual: &BarrierLaw, part: f64) -> Result<Self> {
        let law = BarrierLaw::new(*usual.barrier(), usual.dhat() / part)?
            .with_dmin(usual.dmin())?
            .with_physical_units(usual.is_physical());
        let middle = |law: &BarrierLaw| {
            let d = law.dmin() + 0.5 * law.dhat();
            law.force(d * d)
        };
        Ok(Self { law, stiffness: middle(usual) / middle(&law), part })
    }
}

impl Reaches {
    /// Those of vertices whose reach is `d̂/part`, each part from [`part_of`] or 1; `bodies` has the number of each vertex's body.
    ///
    /// # Errors
    /// If a part is so large that the barrier is no number.
    pub(crate) fn new(usual: &BarrierLaw, parts: &[f64], bodies: Vec<u32>) -> Result<Self> {
        let mut all: Vec<f64> = parts.iter().copied().filter(|part| *part > 1.0).collect();
        all.sort_unstable_by(f64::total_cmp);
        all.dedup();
        if all.is_empty() {
            return Ok(Self::default());
        }
        let near = all.iter().map(|part| Reach::new(usual, *part)).collect::<Result<_>>()?;
        // As numbers are, there are no more than a thousand.
        let classes = parts.iter().map(|part| all.partition_point(|other| other <= part) as u16).collect();
        Ok(Self { classes, bodies, near })
    }

    /// Whether all pairs reach as far as `d̂`.
    pub fn is_empty(&self) -> bool {
        self.near.is_empty()
    }

    /// The shorter reaches, descending.
    pub fn near(&self) -> &[Reach] {
        &self.near
    }

    /// Candidates by their reach: those of `d̂`, then those of the shorter ones.
    pub fn sorted<const D: usize>(&self, surface: &Surface<D>, candidates: &Candidates) -> Vec<Candidates> {
        let (edges, faces) = (surface.edges(), surface.faces());
        let vv = self.by_class(&candidates.vv, |v, w| self.class(&[v], &[w]));
        let ve = self.by_class(&candidates.ve, |v, e| self.class(&[v], &edges[e as usize]));
        let ee = self.by_class(&candidates.ee, |e, f| self.class(&edges[e as usize], &edges[f as usize]));
        let vf = self.by_class(&candidates.vf, |v, f| self.class(&[v], &faces[f as usize]));
        let kinds = vv.into_iter().zip(ve).zip(ee).zip(vf);
        kinds.map(|(((vv, ve), ee), vf)| Candidates { vv, ve, ee, vf }).collect()
    }

    /// 0 for a pair of the usual reach, or one more than the number of its own.
    fn class(&self, a: &[u32], b: &[u32]) -> usize {
        let class = a.iter().chain(b).map(|v| self.classes[*v as usize]).fold(0, u16::max);
        let same = self.bodies[a[0] as usize] == self.bodies[b[0] as usize];
        if same { usize::from(class) } else { 0 }
    }

    /// Pairs in lists by their classes, each in the order that they had.
    fn by_class(
        &self,
        pairs: &[(u32, u32)],
        class: impl Fn(u32, u32) -> usize + Sync,
    ) -> Vec<Vec<(u32, u32)>> {
        let empty = || vec![Vec::new(); 1 + self.near.len()];
        let of_range = |range: Range<usize>| {
            let mut out = empty();
            pairs[range].iter().for_each(|&(a, b)| out[class(a, b)].push((a, b)));
            out
        };
        let mut all = empty();
        for part in threads::in_chunks_of(CHUNK, pairs.len(), &of_range) {
            all.iter_mut().zip(part).for_each(|(all, mut part)| all.append(&mut part));
        }
        all
    }
}

/// The smallest power of 2 by which `d̂` has to be divided to be no more than half of the clearance at a distance in m.
pub fn part_of(usual: &BarrierLaw, distance: f64) -> f64 {
    let most = 0.5 * (distance - usual.dmin());
    let mut part = 1.0;
    while usual.dhat() > most * part && part.is_finite() {
        part *= 2.0;
    }
    part
}

/// Calls `f` with the vertices and the distance, in m, of every pair among candidates that is nearer than `reach` at positions `x`.
pub fn for_each_near<const D: usize>(
    (surface, x): (&Surface<D>, &[Vector<D>]),
    candidates: &Candidates,
    reach: f64,
    mut f: impl FnMut(&[u32], f64),
) {
    let mut note = |vertices: &[u32], d2: f64| {
        if d2 < reach * reach {
            f(vertices, d2.sqrt());
        }
    };
    let at = |v: u32| x[v as usize];
    let edge = |e: u32| surface.edges()[e as usize];
    for &(v, w) in &candidates.vv {
        note(&[v, w], (at(v) - at(w)).norm_squared());
    }
    for &(v, e) in &candidates.ve {
        let [a, b] = edge(e);
        note(&[v, a, b], closest::vertex_edge(at(v), at(a), at(b)).1);
    }
    for &(e, f) in &candidates.ee {
        let ([a, b], [c, d]) = (edge(e), edge(f));
        note(&[a, b, c, d], closest::edge_edge([at(a), at(b)], [at(c), at(d)]).1);
    }
    for &(v, f) in &candidates.vf {
        let [a, b, c] = surface.faces()[f as usize];
        note(&[v, a, b, c], closest::vertex_face(at(v), [at(a), at(b), at(c)]).1);
    }
}

/// The contacts of a configuration by their reach.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactsByReach {
    /// Those within `d̂`.
    pub usual: Contacts,
    /// Those within shorter reaches, in the order of [`Reaches::near`]; empty where a model has none.
    pub near: Vec<Contacts>,
}

impl From<Contacts> for ContactsByReach {
    /// All of them with the usual reach.
    fn from(usual: Contacts) -> Self {
        Self { usual, near: Vec::new() }
    }
}

impl ContactsByReach {
    /// Those of each reach, the usual one first.
    pub fn iter(&self) -> impl Iterator<Item = &Contacts> {
        std::iter::once(&self.usual).chain(&self.near)
    }

    /// All of them in one list, as [`Contacts::append`] makes it: for what does not ask for their reach.
    pub fn all(&self) -> Cow<'_, Contacts> {
        if self.near.iter().all(Contacts::is_empty) {
            return Cow::Borrowed(&self.usual);
        }
        let mut all = self.usual.clone();
        self.near.iter().for_each(|near| all.append(near));
        Cow::Owned(all)
    }

    /// How many contacts there are.
    pub fn len(&self) -> usize {
        self.iter().map(Contacts::len).sum()
    }

    /// Whether nothing is close to anything.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether these are the same pairs of features as the others, each with the same reach.
    pub fn has_same_pairs(&self, other: &Self) -> bool {
        self.near.len() == other.near.len() && self.iter().zip(other.iter()).all(|(a, b)| a.has_same_pairs(b))
    }

    /// Calls `f` with every vertex of every contact, as often as it is in one.
    pub fn for_each_vertex(&self, mut f: impl FnMut(u32)) {
        self.iter().for_each(|contacts| contacts.for_each_vertex(&mut f));
    }

    /// Drops the contacts that `keep` refuses; it sees each once.
    pub fn retain(&mut self, mut keep: impl FnMut(AnyContact<'_>) -> bool) {
        self.usual.retain(&mut keep);
        self.near.iter_mut().for_each(|contacts| contacts.retain(&mut keep));
    }

    /// The smallest distance of a contact at positions `x`, in m; infinite without contacts.
    pub fn smallest_gap<const D: usize>(&self, x: &[Vector<D>], obstacles: &[Obstacle<D>]) -> f64 {
        self.iter().map(|contacts| contacts.smallest_gap(x, obstacles)).fold(f64::INFINITY, f64::min)
    }
}

/// The barrier of contacts with several reaches.
#[derive(Clone, Debug)]
pub struct BarrierByReach<'a, const D: usize> {
    /// Of the contacts within `d̂`.
    pub usual: BarrierPotential<'a, D>,
    /// Of those within shorter reaches.
    pub near: Vec<BarrierPotential<'a, D>>,
}

impl<'a, const D: usize> BarrierByReach<'a, D> {
    /// The barrier over contacts: the usual one with its stiffness in J/m⁴, and those of shorter reaches.
    pub fn new(
        usual: BarrierPotential<'a, D>,
        (kappa, contacts): (f64, &'a ContactsByReach),
        reaches: &Reaches,
    ) -> Self {
        let of = |(contacts, reach): (&'a Contacts, &Reach)| BarrierPotential {
            contacts,
            law: reach.law,
            kappa: (kappa * reach.stiffness).into(),
            ..usual
        };
        let near = contacts.near.iter().zip(&reaches.near).filter(|(contacts, _)| !contacts.is_empty());
        Self { usual, near: near.map(of).collect() }
    }

    /// Those of each reach, the usual one first.
    fn iter(&self) -> impl Iterator<Item = &BarrierPotential<'a, D>> {
        std::iter::once(&self.usual).chain(&self.near)
    }

    /// Sum of the normal forces of all contacts at positions `x`, in N.
    pub fn total_force(&self, x: &[Vector<D>]) -> f64 {
        self.near.iter().fold(self.usual.total_force(x), |sum, near| sum + near.total_force(x))
    }

    /// Normal force of every contact at positions `x`, in N, in the order of [`ContactsByReach::all`].
    pub fn forces(&self, x: &[Vector<D>]) -> PerContact<f64> {
        let mut forces = self.usual.forces(x);
        self.near.iter().for_each(|near| forces.append(near.forces(x)));
        forces
    }

    /// Friction frozen at positions `x`, with slides in the order of [`ContactsByReach::all`], see [`friction::lag()`].
    pub fn lag(&self, x: &[Vector<D>], coefficients: &Coefficients<D>) -> Slides<D> {
        let mut parts =
            self.iter().map(|barrier| friction::lag(barrier, x, coefficients)).zip(self.parallel());
        let (mut slides, _) = parts.next().unwrap_or_default();
        parts.for_each(|(near, parallel)| slides.append(&near, parallel));
        slides
    }

    /// Normal forces at positions `x` of the contacts that friction was frozen at, in N, see [`friction::forces_at_end`].
    pub fn forces_at_end(&self, x: &[Vector<D>]) -> PerSlide<f64> {
        let mut parts = self.iter().map(|barrier| friction::forces_at_end(barrier, x)).zip(self.parallel());
        let (mut forces, _) = parts.next().unwrap_or_default();
        parts.for_each(|(near, parallel)| forces.append(near, parallel));
        forces
    }

    /// How many nearly parallel edges there are before each part and in it.
    fn parallel(&self) -> impl Iterator<Item = [usize; 2]> {
        self.iter().scan(0, |before, barrier| {
            let here = barrier.contacts.parallel.len();
            *before += here;
            Some([*before - here, here])
        })
    }
}

impl<const D: usize> Potential<D> for BarrierByReach<'_, D> {
    fn energy(&self, x: &[Vector<D>]) -> f64 {
        self.near.iter().fold(self.usual.energy(x), |sum, near| sum + near.energy(x))
    }

    fn gradient(&self, x: &[Vector<D>], scale: f64, out: &mut [Vector<D>]) {
        self.iter().for_each(|barrier| barrier.gradient(x, scale, out));
    }

    fn stencils(&self, out: &mut Stencils) {
        self.iter().for_each(|barrier| barrier.stencils(out));
    }

    fn hessian(&self, x: &[Vector<D>], scale: f64, psd: Psd, out: &mut Assembly<'_, D>) {
        self.iter().for_each(|barrier| barrier.hessian(x, scale, psd, out));
    }
}
