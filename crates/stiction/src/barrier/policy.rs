//! Which stiffness κ a barrier begins with and when it grows: the rule of the simulator and of Python's `IPCContact`.

use super::{Barrier, BarrierKind, BarrierLaw};
use crate::contact::Contacts;
use crate::error::{Error, Result};
use crate::math::Vector;
use crate::mesh::Surface;

/// The part `ε` of the modulus that a contact carries as pressure at half its reach.
const REFERENCE_STRAIN: f64 = 0.1;

/// Clearances below this part of `d̂` ask for a stiffer barrier.
pub const DEEP: f64 = 0.1;

/// By how much the barrier becomes stiffer at a time: few sizes, so that it matters little how it was reached.
const RISE: f64 = 4.0;

/// The most of these steps at once.
const MOST_RISES: f64 = 8.0;

/// How far κ rises at most, beyond what it begins with: further on, the numbers of a matrix are further apart than its precision.
const MAX_RISE: f64 = 1e9;

/// A body as its contacts feel it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Softness {
    /// `1/E` in 1/Pa; 0 for a body that is driven, which is as good as rigid.
    pub inverse_modulus: f64,
    /// `A` in m²: the area of the surface that a contact stands for; 1 where contacts are weighted by area.
    pub area: f64,
}

/// The barrier stiffness that follows from the bodies, in J/m⁴ for the clamped logarithm and counted contacts.
///
/// A contact of bodies 1 and 2 carries a tenth of their modulus as pressure at half its reach:
///
/// ```text
/// κ₁₂ |b′(d_min + d̂/2)| = ε E* A        ε = 0.1 ,   1/E* = 1/E₁ + 1/E₂ ,   A = min(A₁, A₂)
/// ```
/// with the barrier's slope `b′ = ∂f/∂d` (in m³ for the clamped logarithm), moduli `E` in Pa and the typical area `A` in m² of a vertex
/// on the surface. What is driven has 1/E = 0, as obstacles do; a body in contact with itself counts once. One number is the κ of all:
///
/// ```text
/// first:   κ₀ = max κ₁₂ over all pairs of bodies, in contact or not;   the weight of a contact is multiplied by κ₁₂/κ₀
/// raised:  κ → κ · 4ⁿ  where the smallest clearance c of a solution is below 0.1 d̂
///          n = ⌊log₄(|b′(d_min + c)| / |b′(d_min + 0.1 d̂)|)⌋, at least 1 and at most 8;   κ never beyond 10⁹ κ₀
/// ```
/// So κ follows the stiffness of the bodies, in any units, and hardly depends on their meshes. It does not depend on how steps
/// were cut: forces at the first contact, which nearly vanish, have no part in it, nor has the order in which contacts begin. A rise is
/// never more than the force at `c` needs to be carried at 0.1 d̂ (or one factor of 4): what is missing follows after the next solution. It
/// never falls, because a κ that went to and fro would put energy in.
///
/// ```
/// use stiction::barrier::policy::{Softness, StiffnessPolicy};
/// use stiction::barrier::{BarrierKind, BarrierLaw};
///
/// let law = BarrierLaw::new(BarrierKind::ClampedLog, 1e-3)?;
/// let rubber = Softness { inverse_modulus: 1e-6, area: 1e-4 };
/// let policy = StiffnessPolicy::new(law, vec![rubber], vec![0; 100])?;
/// let kappa = policy.first();
/// assert!((kappa * law.force(0.25e-6) / (0.1 * 1e6 * 1e-4) - 1.0).abs() < 1e-12);
/// // A solution with a clearance of 0.05 d̂: four times as stiff, and solved again.
/// assert_eq!(policy.raised(kappa, kappa, 5e-5), 4.0 * kappa);
/// # Ok::<(), stiction::error::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct StiffnessPolicy<B = BarrierKind> {
    law: BarrierLaw<B>,
    bodies: Vec<Softness>,
    /// The body of each vertex.
    body_of: Vec<u32>,
    /// `κ₀`.
    first: f64,
    /// `ε/|b′|` in 1/m³.
    factor: f64,
    /// Whether all pairs have the same `κ`.
    uniform: bool,
}

impl<B: Barrier> StiffnessPolicy<B> {
    /// The stiffness of contacts of these bodies under a barrier; `body_of` has the number of each vertex's body.
    ///
    /// Without a body that can be deformed nothing is pushed, and κ is 1.
    ///
    /// # Errors
    /// If a vertex names a body that does not exist, or moduli and sizes are so different that κ is no number.
    pub fn new(law: BarrierLaw<B>, bodies: Vec<Softness>, body_of: Vec<u32>) -> Result<Self> {
        let known = |body: &u32| (*body as usize) < bodies.len();
        if let Some(vertex) = body_of.iter().position(|body| !known(body)) {
            let value = f64::from(body_of[vertex]);
            return Err(Error::BadParameter {
                name: "body of a vertex",
                value,
                must: "the number of a body",
            });
        }
        let middle = law.dmin() + 0.5 * law.dhat();
        let factor = REFERENCE_STRAIN / law.force(middle * middle);
        let policy = Self { law, bodies, body_of, first: 1.0, factor, uniform: true };
        policy.prepared()
    }

    /// Finds the largest κ, which is that of a body with itself: a second body only makes contacts softer, and no larger.
    fn prepared(self) -> Result<Self> {
        let soft: Vec<Softness> =
            self.bodies.iter().copied().filter(|body| body.inverse_modulus != 0.0).collect();
        let Some(softest) = soft.iter().map(|body| body.inverse_modulus).reduce(f64::max) else {
            return Ok(self);
        };
        let smallest = self.bodies.iter().map(|body| body.area).fold(f64::INFINITY, f64::min);
        let first = soft.iter().map(|body| self.kappa(body.inverse_modulus, body.area)).fold(0.0, f64::max);
        // No pair is softer than this.
        let least = self.kappa(2.0 * softest, smallest);
        if let Some(value) = [first, least].into_iter().find(|kappa| !kappa.is_normal()) {
            let must = "a number: moduli, areas and dhat are too different";
            return Err(Error::BadParameter { name: "barrier stiffness", value, must });
        }
        let uniform = soft.len() == 1 && smallest == soft[0].area;
        Ok(Self { first, uniform, ..self })
    }

    fn kappa(&self, softness: f64, area: f64) -> f64 {
        self.factor * area / softness
    }

    /// `κ` of two bodies; 0 if neither can be deformed.
    fn pair(&self, a: u32, b: u32) -> f64 {
        let (one, other) = (self.bodies[a as usize], self.bodies[b as usize]);
        let softness = if a == b { one.inverse_modulus } else { one.inverse_modulus + other.inverse_modulus };
        if softness == 0.0 { 0.0 } else { self.kappa(softness, one.area.min(other.area)) }
    }

    /// `κ₀`, that of the stiffest pair of bodies: what contact begins with.
    pub fn first(&self) -> f64 {
        self.first
    }

    /// Whether all pairs have the same `κ`, so that [`weigh`](Self::weigh) changes nothing.
    pub fn is_uniform(&self) -> bool {
        self.uniform
    }

    /// Multiplies the weights of contacts by what their pair's `κ` is of `κ₀`: contacts of soft bodies must not push as those of stiff ones
    /// do. To be done once, after contacts were built.
    ///
    /// # Panics
    /// If contacts are of another surface, with more vertices.
    pub fn weigh(&self, contacts: &mut Contacts) {
        if self.uniform {
            return;
        }
        let factor = |a: u32, b: u32| {
            let kappa = self.pair(self.body_of[a as usize], self.body_of[b as usize]);
            if kappa == 0.0 { 1.0 } else { kappa / self.first }
        };
        contacts.vv.iter_mut().for_each(|c| c.weight *= factor(c.stencil.0[0], c.stencil.0[1]));
        contacts.ve.iter_mut().for_each(|c| c.weight *= factor(c.stencil.0[0], c.stencil.0[1]));
        contacts.ee.iter_mut().for_each(|c| c.weight *= factor(c.stencil.0[0], c.stencil.0[2]));
        contacts.vf.iter_mut().for_each(|c| c.weight *= factor(c.stencil.0[0], c.stencil.0[1]));
        let parallel = contacts.parallel.iter_mut().map(|c| &mut c.contact);
        parallel.for_each(|c| c.weight *= factor(c.stencil.0[0], c.stencil.0[2]));
        contacts.obstacle.iter_mut().for_each(|c| c.weight *= factor(c.stencil.0[0], c.stencil.0[0]));
    }

    /// `κ` after a solution with this smallest clearance, in m: distance less `d_min`: see [`raised`].
    pub fn raised(&self, kappa: f64, first: f64, clearance: f64) -> f64 {
        raised(kappa, first, clearance, &self.law)
    }
}

/// The `κ` that follows one that began as `first`, after a solution with the smallest `clearance`, in m: as it is unless that is
/// below `0.1 d̂`, otherwise multiplied by a power of 4, as [`StiffnessPolicy`] says. Also for a `κ` that someone chose.
pub fn raised<B: Barrier>(kappa: f64, first: f64, clearance: f64, law: &BarrierLaw<B>) -> f64 {
    let deep = DEEP * law.dhat();
    if !(clearance > 0.0 && clearance < deep) {
        return kappa;
    }
    let force = |clearance: f64| {
        let d = law.dmin() + clearance;
        law.force(d * d)
    };
    let powers = ((force(clearance) / force(deep)).ln() / RISE.ln()).floor().clamp(1.0, MOST_RISES);
    (kappa * RISE.powf(powers)).min(MAX_RISE * first).max(kappa)
}

/// The bodies of a surface as their contacts feel them, and the number of each vertex's body, from a modulus in Pa for each vertex.
///
/// Modulus and area of a body are the medians over its vertices that have an area (1 m² without any); with a modulus of 0 it counts as
/// driven. `by_area`: for contacts that are weighted by area. Vertices off the surface are given to body 0: they have no contacts.
///
/// # Errors
/// If there is not one modulus, 0 or larger, for each vertex, or all bodies are driven.
pub fn softness_of<const D: usize>(
    surface: &Surface<D>,
    moduli: &[f64],
    by_area: bool,
) -> Result<(Vec<Softness>, Vec<u32>)> {
    let areas = &surface.areas().vertices;
    if moduli.len() != areas.len() {
        return Err(Error::WrongLength { what: "moduli", found: moduli.len(), expected: areas.len() });
    }
    if let Some(value) = moduli.iter().copied().find(|modulus| !(modulus.is_finite() && *modulus >= 0.0)) {
        return Err(Error::BadParameter { name: "modulus", value, must: "0 or a larger number of Pa" });
    }
    let mut labels: Vec<u32> = (0..areas.len() as u32).filter_map(|v| surface.body(v)).collect();
    labels.sort_unstable();
    labels.dedup();
    let mut members: Vec<Vec<Vector<2>>> = vec![Vec::new(); labels.len()];
    let mut body_of = vec![0; areas.len()];
    for (v, body) in body_of.iter_mut().enumerate() {
        if let Some(Ok(number)) = surface.body(v as u32).map(|label| labels.binary_search(&label)) {
            *body = number as u32;
            members[number].push(Vector([moduli[v], areas[v]]));
        }
    }
    let bodies: Vec<Softness> = members.iter().map(|vertices| typical(vertices, by_area)).collect();
    if bodies.iter().all(|body| body.inverse_modulus == 0.0) {
        let must = "larger than 0 at the surface of a body, so that the barrier can follow it";
        return Err(Error::BadParameter { name: "modulus", value: 0.0, must });
    }
    Ok((bodies, body_of))
}

/// A body from modulus and area of its vertices, of which there is at least one.
fn typical(vertices: &[Vector<2>], by_area: bool) -> Softness {
    let with_area: Vec<Vector<2>> = vertices.iter().copied().filter(|of| of.0[1] > 0.0).collect();
    let modulus = median((if with_area.is_empty() { vertices } else { &with_area }).iter().map(|of| of.0[0]));
    let inverse_modulus = modulus.filter(|modulus| *modulus > 0.0).map_or(0.0, |modulus| 1.0 / modulus);
    let area = median(with_area.iter().map(|of| of.0[1])).filter(|_| !by_area).unwrap_or(1.0);
    Softness { inverse_modulus, area }
}

fn median(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let mut all: Vec<f64> = numbers.collect();
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{Contact, ObstacleContact};
    use crate::stencil::Stencil;

    fn law() -> BarrierLaw {
        BarrierLaw::new(BarrierKind::ClampedLog, 1e-3).unwrap()
    }

    fn body(modulus: f64, area: f64) -> Softness {
        Softness { inverse_modulus: 1.0 / modulus, area }
    }

    /// Bodies of two vertices each.
    fn policy(bodies: &[Softness]) -> Result<StiffnessPolicy> {
        let body_of = (0..2 * bodies.len() as u32).map(|v| v / 2).collect();
        StiffnessPolicy::new(law(), bodies.to_vec(), body_of)
    }

    const RIGID: Softness = Softness { inverse_modulus: 0.0, area: 0.02 };

    #[test]
    fn a_contact_carries_a_tenth_of_the_modulus_at_half_its_reach() {
        let policy = policy(&[body(1e6, 0.01), body(3e6, 0.04)]).unwrap();
        let force = policy.pair(0, 1) * law().force(0.25e-6);
        assert!((force - 0.1 * 0.75e6 * 0.01).abs() < 1e-9 * force);
        // Alone, or at an obstacle, the stiff one is stiffest.
        assert_eq!(policy.first(), policy.pair(1, 1));
    }

    #[test]
    fn the_first_is_the_largest_of_all_pairs() {
        let sets = [
            vec![body(1e6, 0.01), body(3e6, 0.04), RIGID],
            vec![body(1e6, 0.01), RIGID],
            vec![body(1e6, 0.03), RIGID],
            vec![body(1e6, 0.01)],
            vec![body(1e6, 0.01); 3],
        ];
        for bodies in sets {
            let (policy, count) = (policy(&bodies).unwrap(), bodies.len() as u32);
            let pairs = (0..count).flat_map(|a| (a..count).map(move |b| (a, b)));
            let all: Vec<f64> = pairs.map(|(a, b)| policy.pair(a, b)).filter(|kappa| *kappa != 0.0).collect();
            assert_eq!(policy.first(), all.iter().copied().fold(0.0, f64::max));
            assert_eq!(policy.is_uniform(), all.iter().all(|kappa| *kappa == policy.first()), "{bodies:?}");
        }
    }

    #[test]
    fn softer_pairs_weigh_less() {
        let policy = policy(&[body(1e6, 0.01), body(1e9, 0.01), RIGID]).unwrap();
        let pair = |a, b| Contact { stencil: Stencil([a, b]), weight: 2.0 };
        let obstacle = ObstacleContact { stencil: Stencil([0]), obstacle: 0, weight: 1.0 };
        let mut contacts = Contacts {
            vv: vec![pair(0, 4), pair(2, 3), pair(4, 5)],
            obstacle: vec![obstacle],
            ..Contacts::default()
        };
        policy.weigh(&mut contacts);
        let weights: Vec<f64> = contacts.weights().iter().copied().collect();
        for (weight, expected) in weights.into_iter().zip([2e-3, 2.0, 2.0, 1e-3]) {
            assert!((weight - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn it_rises_by_fours_until_gaps_are_deep_enough() {
        let law = law();
        assert_eq!(raised(3.0, 3.0, 2e-4, &law), 3.0);
        assert_eq!(raised(3.0, 3.0, f64::INFINITY, &law), 3.0);
        assert_eq!(raised(3.0, 3.0, f64::NAN, &law), 3.0);
        assert_eq!(raised(3.0, 3.0, 9.9e-5, &law), 12.0);
        let gap = 1e-7;
        let ratio = raised(1.0, 1.0, gap, &law) * law.force(1e-8) / law.force(gap * gap);
        assert!(ratio <= 1.0 && ratio > 0.25);
        // Not beyond what a matrix can hold, and never less.
        assert_eq!(raised(9e8, 1.0, gap, &law), 1e9);
        assert_eq!(raised(2e9, 1.0, gap, &law), 2e9);
    }

    #[test]
    fn what_is_no_number_is_refused() {
        assert!(policy(&[body(1e300, 1e300)]).unwrap_err().to_string().contains("barrier stiffness"));
        assert_eq!(policy(&[RIGID]).unwrap().first(), 1.0);
        let stray = StiffnessPolicy::new(law(), vec![RIGID], vec![0, 1]).unwrap_err();
        assert!(stray.to_string().contains("body of a vertex"), "{stray}");
    }

    #[test]
    fn bodies_of_a_surface_have_the_medians_of_their_vertices() {
        let x = [[0.0, 0.0], [1.0, 0.0], [3.0, 0.0], [9.0, 9.0], [0.0, 5.0], [2.0, 5.0]];
        let edges = vec![[0, 1], [1, 2], [4, 5]];
        let surface = Surface::new(x.map(Vector).to_vec(), edges, vec![]).unwrap();
        let moduli = [1e6, 3e6, 2e6, 7.0, 0.0, 0.0];
        let (bodies, body_of) = softness_of(&surface, &moduli, false).unwrap();
        assert_eq!(bodies, [body(2e6, 1.0), Softness { inverse_modulus: 0.0, area: 1.0 }]);
        assert_eq!(body_of, [0, 0, 0, 0, 1, 1]);
        assert_eq!(softness_of(&surface, &moduli, true).unwrap().0[0].area, 1.0);
        for (moduli, words) in
            [(&[1.0][..], "moduli"), (&[-1.0; 6], "0 or a larger"), (&[0.0; 6], "larger than 0")]
        {
            let message = softness_of(&surface, moduli, false).unwrap_err().to_string();
            assert!(message.contains(words), "{message}");
        }
    }
}
