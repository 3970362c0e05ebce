//! How stiff the barrier is: as stiff as the bodies ask for, whatever their units.

use stiction::barrier::BarrierLaw;
use stiction::contact::Contacts;

use super::Part;
use crate::error::{Error, Result};

/// The part `ε` of the modulus that a contact carries as pressure at half its reach.
const REFERENCE_STRAIN: f64 = 0.1;

/// Gaps below this part of `d̂` ask for a stiffer barrier.
pub const DEEP: f64 = 0.1;

/// By how much the barrier becomes stiffer at a time: few sizes, so that it matters little how it was reached.
const RISE: f64 = 4.0;

/// The stiffness of contacts between two bodies, in J/m⁴ for counted contacts:
///
/// ```text
/// κ |b′(dmin + d̂/2)| = ε E* A        1/E* = 1/E₁ + 1/E₂
/// ```
/// with the barrier's slope `b′` in m³, moduli `E` in Pa and the typical area `A` in m² of a vertex on the surface, the smaller of the two
/// (1 for contacts that are weighted by area). What is driven is rigid: its 1/E is 0, as is that of obstacles; a body in contact with itself
/// counts once.
///
/// So κ follows the stiffness of the bodies and hardly depends on their meshes, and not at all on how steps were cut: forces at the first
/// contact, which nearly vanish, have no part in it. One number, the largest, is the κ of the model; contacts of softer pairs have smaller
/// weights.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyStiffness {
    bodies: Vec<Softness>,
    /// The body of each vertex.
    body_of: Vec<u32>,
    /// `κ` of the stiffest pair.
    largest: f64,
    /// `ε/|b′|` in 1/m³.
    factor: f64,
    /// Whether all pairs have the same `κ`.
    uniform: bool,
}

/// A body as its contacts feel it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Softness {
    /// `1/E` in 1/Pa; 0 for what is driven.
    pub inverse_modulus: f64,
    /// `A` in m².
    pub area: f64,
}

impl BodyStiffness {
    /// The stiffness of contacts of these bodies under a barrier.
    ///
    /// # Errors
    /// If moduli and sizes are so different that κ is no number.
    pub fn new(bodies: Vec<Softness>, parts: &[Part], law: &BarrierLaw) -> Result<Self> {
        let middle = law.dmin() + 0.5 * law.dhat();
        let factor = REFERENCE_STRAIN / law.force(middle * middle);
        let mut stiffness =
            Self { bodies, body_of: body_of(parts), largest: f64::INFINITY, factor, uniform: true };
        let count = stiffness.bodies.len() as u32;
        let pairs = (0..count).flat_map(|a| (a..count).map(move |b| (a, b)));
        let all: Vec<f64> = pairs.map(|(a, b)| stiffness.pair(a, b)).filter(|kappa| *kappa != 0.0).collect();
        if let Some(value) = all.iter().copied().find(|kappa| !kappa.is_normal()) {
            return Err(Error::OutOfScale { what: "the barrier stiffness", value });
        }
        // Without a body that can be deformed nothing is pushed, and any number does.
        stiffness.largest = all.iter().copied().reduce(f64::max).unwrap_or(1.0);
        stiffness.uniform = all.iter().all(|kappa| *kappa == stiffness.largest);
        Ok(stiffness)
    }

    /// `κ` of the stiffest pair, in J/m⁴.
    pub fn largest(&self) -> f64 {
        self.largest
    }

    /// `κ` of two bodies; 0 if neither can be deformed.
    fn pair(&self, a: u32, b: u32) -> f64 {
        let (first, second) = (self.bodies[a as usize], self.bodies[b as usize]);
        let softness =
            if a == b { first.inverse_modulus } else { first.inverse_modulus + second.inverse_modulus };
        let area = first.area.min(second.area);
        if softness == 0.0 { 0.0 } else { self.factor * area / softness }
    }

    /// Multiplies the weights of contacts by what their pair's `κ` is of the largest.
    pub fn weigh(&self, contacts: &mut Contacts) {
        if self.uniform {
            return;
        }
        let factor = |a: u32, b: u32| {
            let kappa = self.pair(self.body_of[a as usize], self.body_of[b as usize]);
            if kappa == 0.0 { 1.0 } else { kappa / self.largest }
        };
        contacts.vv.iter_mut().for_each(|c| c.weight *= factor(c.stencil.0[0], c.stencil.0[1]));
        contacts.ve.iter_mut().for_each(|c| c.weight *= factor(c.stencil.0[0], c.stencil.0[1]));
        contacts.ee.iter_mut().for_each(|c| c.weight *= factor(c.stencil.0[0], c.stencil.0[2]));
        contacts.vf.iter_mut().for_each(|c| c.weight *= factor(c.stencil.0[0], c.stencil.0[1]));
        let parallel = contacts.parallel.iter_mut().map(|c| &mut c.contact);
        parallel.for_each(|c| c.weight *= factor(c.stencil.0[0], c.stencil.0[2]));
        contacts.obstacle.iter_mut().for_each(|c| c.weight *= factor(c.stencil.0[0], c.stencil.0[0]));
    }
}

fn body_of(parts: &[Part]) -> Vec<u32> {
    let numbered = parts.iter().enumerate();
    numbered.flat_map(|(number, part)| part.vertices.clone().map(move |_| number as u32)).collect()
}

/// The `κ` that carries the force of this one at the given gap, in m, no deeper than a tenth of `d̂`: `κ` times a power of 4.
pub fn risen(kappa: f64, gap: f64, law: &BarrierLaw) -> f64 {
    let deep = DEEP * law.dhat();
    if !(gap > 0.0 && gap < deep) {
        return kappa;
    }
    let force = |gap: f64| {
        let d = law.dmin() + gap;
        law.force(d * d)
    };
    // Never more than is needed: what is missing is added after the next solution.
    let powers = ((force(gap) / force(deep)).ln() / RISE.ln()).floor().clamp(1.0, 8.0);
    kappa * RISE.powf(powers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction::barrier::BarrierKind;
    use stiction::contact::{Contact, ObstacleContact};
    use stiction::stencil::Stencil;

    fn law() -> BarrierLaw {
        BarrierLaw::new(BarrierKind::ClampedLog, 1e-3).unwrap()
    }

    fn parts(count: usize) -> Vec<Part> {
        (0..count)
            .map(|k| Part {
                name: k.to_string(),
                nodes: 2 * k..2 * k + 2,
                vertices: 2 * k..2 * k + 2,
                embedded: false,
            })
            .collect()
    }

    fn body(modulus: f64, area: f64) -> Softness {
        Softness { inverse_modulus: 1.0 / modulus, area }
    }

    #[test]
    fn a_contact_carries_a_tenth_of_the_modulus_at_half_its_reach() {
        let stiffness =
            BodyStiffness::new(vec![body(1e6, 0.01), body(3e6, 0.04)], &parts(2), &law()).unwrap();
        let force = stiffness.pair(0, 1) * law().force(0.25e-6);
        assert!((force - 0.1 * 0.75e6 * 0.01).abs() < 1e-9 * force);
        // Alone, or at an obstacle, the stiff one is stiffest.
        assert_eq!(stiffness.largest(), stiffness.pair(1, 1));
    }

    #[test]
    fn softer_pairs_weigh_less() {
        let rigid = Softness { inverse_modulus: 0.0, area: 0.02 };
        let bodies = vec![body(1e6, 0.01), body(1e9, 0.01), rigid];
        let stiffness = BodyStiffness::new(bodies, &parts(3), &law()).unwrap();
        let pair = |a, b| Contact { stencil: Stencil([a, b]), weight: 2.0 };
        let obstacle = ObstacleContact { stencil: Stencil([0]), obstacle: 0, weight: 1.0 };
        let mut contacts = Contacts {
            vv: vec![pair(0, 4), pair(2, 3), pair(4, 5)],
            obstacle: vec![obstacle],
            ..Contacts::default()
        };
        stiffness.weigh(&mut contacts);
        let weights: Vec<f64> = contacts.weights().iter().copied().collect();
        for (weight, expected) in weights.into_iter().zip([2e-3, 2.0, 2.0, 1e-3]) {
            assert!((weight - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn it_rises_by_fours_until_gaps_are_deep_enough() {
        let law = law();
        assert_eq!(risen(3.0, 2e-4, &law), 3.0);
        assert_eq!(risen(3.0, f64::INFINITY, &law), 3.0);
        assert_eq!(risen(3.0, 9.9e-5, &law), 12.0);
        let gap = 1e-7;
        let ratio = risen(1.0, gap, &law) * law.force(1e-8) / law.force(gap * gap);
        assert!(ratio <= 1.0 && ratio > 0.25);
    }

    #[test]
    fn what_is_no_number_is_refused() {
        let far = BodyStiffness::new(vec![body(1e300, 1e300)], &parts(1), &law());
        assert!(far.unwrap_err().to_string().contains("barrier stiffness"));
        let rigid = Softness { inverse_modulus: 0.0, area: 1.0 };
        assert_eq!(BodyStiffness::new(vec![rigid], &parts(1), &law()).unwrap().largest(), 1.0);
    }
}
