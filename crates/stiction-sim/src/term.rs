//! Energies that users add to a model.

use std::fmt;
use std::sync::Arc;

use stiction::linear_map::LinearMap;
use stiction::math::Vector;
use stiction::potential::Potential;

use crate::energy::Domain;

/// An energy of a model beside those that stiction knows: a spring to a moving point, a field, a glue.
///
/// ```text
/// E(q, t) in J        force −∂E/∂q in N        its work on the model in a step from (q₀, t₀) to (q₁, t₁), in J:
/// W = ½ (E(q₀, t₁) − E(q₀, t₀) + E(q₁, t₁) − E(q₁, t₀))
/// ```
/// The work, of what moves it in time, is exact for energies whose derivative by time is linear along the step, as those of springs are. Reports have the
/// energy by its [`name`](Self::name).
pub trait Term<const D: usize>: fmt::Debug + Send + Sync {
    /// Its name in reports and tables: letters, digits and `_`.
    fn name(&self) -> &str;

    /// What it depends on.
    fn domain(&self) -> Domain {
        Domain::Nodes
    }

    /// The energy at a time in s.
    fn at(&self, time: f64) -> Box<dyn Potential<D> + '_>;

    /// What went wrong in the energy since it was last asked, for energies that are computed by others; then a step fails with it.
    fn trouble(&self) -> Option<String> {
        None
    }
}

/// Where everything is: places of the nodes and of the surface, both in m.
#[derive(Clone, Copy, Debug)]
pub struct Configuration<'a, const D: usize> {
    /// Places of the nodes.
    pub q: &'a [Vector<D>],
    /// Places of the vertices of the surface.
    pub x: &'a [Vector<D>],
}

/// The energies that users added, in the order in which they are summed.
#[derive(Clone, Debug, Default)]
pub struct Terms<const D: usize>(pub Vec<Arc<dyn Term<D>>>);

impl<const D: usize> Terms<D> {
    /// Energies by name, in J, at a time in s.
    pub fn energies(&self, at: Configuration<'_, D>, time: f64) -> Vec<(String, f64)> {
        let of = |term: &Arc<dyn Term<D>>| (term.name().to_owned(), energy(&**term, at, time));
        self.0.iter().map(of).collect()
    }

    /// The work that time does through them in a step between two configurations and two times.
    pub fn work(
        &self,
        before: Configuration<'_, D>,
        after: Configuration<'_, D>,
        [from, to]: [f64; 2],
    ) -> f64 {
        let change = |term: &dyn Term<D>, at| energy(term, at, to) - energy(term, at, from);
        self.0.iter().map(|term| 0.5 * (change(&**term, before) + change(&**term, after))).sum()
    }

    /// The first term that something went wrong with, and what; all of them forget it.
    pub fn trouble(&self) -> Option<(String, String)> {
        let all = self.0.iter().filter_map(|term| Some((term.name().to_owned(), term.trouble()?)));
        all.collect::<Vec<_>>().into_iter().next()
    }

    /// The forces on the nodes in N at a time in s; empty without terms.
    pub fn forces(
        &self,
        Configuration { q, x }: Configuration<'_, D>,
        map: Option<&LinearMap>,
        time: f64,
    ) -> Vec<Vector<D>> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let mut out = vec![Vector::ZERO; q.len()];
        for term in &self.0 {
            let potential = term.at(time);
            match map {
                Some(map) if term.domain() == Domain::Surface => {
                    let mut on_surface = vec![Vector::ZERO; x.len()];
                    potential.gradient(x, -1.0, &mut on_surface);
                    map.add_transposed(&on_surface, &mut out);
                }
                _ => potential.gradient(q, -1.0, &mut out),
            }
        }
        out
    }
}

fn energy<const D: usize>(term: &dyn Term<D>, at: Configuration<'_, D>, time: f64) -> f64 {
    term.at(time).energy(if term.domain() == Domain::Surface { at.x } else { at.q })
}
