//! What contacts remember from step to step.

use super::key::{ContactKey, Feature};
use crate::error::{Error, Result};
use crate::mesh::Surface;

/// What becomes of a number where a contact changes its key, several become one or one becomes several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carry {
    /// It is shared out by weight, and shares are added: forces, energies. Its sum over all contacts that go on stays what it is, to rounding.
    Extensive,
    /// All have the smallest: the time of birth.
    Smallest,
    /// All have the largest: the distance slid since birth.
    Largest,
}

impl Carry {
    /// The value that any other replaces.
    const fn none(self) -> f64 {
        match self {
            Self::Extensive => 0.0,
            Self::Smallest => f64::INFINITY,
            Self::Largest => f64::NEG_INFINITY,
        }
    }

    /// A number and the `share` of another that joins it.
    fn join(self, number: f64, other: f64, share: f64) -> f64 {
        match self {
            Self::Extensive => number + share * other,
            Self::Smallest => number.min(other),
            Self::Largest => number.max(other),
        }
    }
}

/// `N` numbers for each contact, ascending by key.
///
/// From step to step a contact goes on under its own key, or under that of a neighbour:
/// ```text
/// neighbours   have one side in common, and a vertex on the other side;
///              or one is a pair of edges and the other a vertex of each
/// ```
/// So a vertex on a face that comes to lie over an edge of it, then over a vertex, is the same contact, and so are edges of which one comes to
/// an end. A vertex that leaves a face or an edge for the next one within a step is, too: half way it is over what they share. A
/// vertex of one body on a face of another never becomes a vertex of the other on a face of the one.
///
/// A new key takes the numbers of all neighbours that ended; what ended gives its numbers to all neighbours that are new, by their weights
/// where a number is [`Carry::Extensive`]. Keys that are old and new keep what they have and take nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactMemory<const N: usize> {
    entries: Vec<(ContactKey, [f64; N])>,
}

/// Where a contact comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It had the same key before.
    Same,
    /// It goes on for neighbours that ended.
    Neighbour,
    /// It is new.
    New,
}

/// Memory after a step, with what became of whom.
#[derive(Clone, Debug, PartialEq)]
pub struct Carried<const N: usize> {
    /// The numbers of the contacts that there are now.
    pub memory: ContactMemory<N>,
    /// Where each of them comes from.
    pub origins: Vec<Origin>,
    /// The contacts before that nothing goes on for, ascending.
    pub ended: Vec<ContactKey>,
}

impl<const N: usize> Default for ContactMemory<N> {
    fn default() -> Self {
        Self { entries: Vec::new() }
    }
}

impl<const N: usize> ContactMemory<N> {
    /// Of contacts in any order.
    ///
    /// # Errors
    /// If a key occurs twice.
    pub fn new(entries: Vec<(ContactKey, [f64; N])>) -> Result<Self> {
        if entries.is_sorted_by(|a, b| a.0 < b.0) {
            return Ok(Self { entries });
        }
        let mut order: Vec<usize> = (0..entries.len()).collect();
        order.sort_by_key(|&k| entries[k].0);
        if let Some(two) = order.windows(2).find(|two| entries[two[0]].0 == entries[two[1]].0) {
            return Err(Error::Duplicate { what: "contact", index: two[1], first: two[0] });
        }
        Ok(Self { entries: order.into_iter().map(|k| entries[k]).collect() })
    }

    /// The numbers of a contact, if it is known.
    pub fn get(&self, key: ContactKey) -> Option<&[f64; N]> {
        let place = self.entries.binary_search_by_key(&key, |entry| entry.0).ok()?;
        Some(&self.entries[place].1)
    }

    /// All contacts with their numbers, ascending by key.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &(ContactKey, [f64; N])> {
        self.entries.iter()
    }

    /// All contacts with their numbers, to change these.
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = (ContactKey, &mut [f64; N])> {
        self.entries.iter_mut().map(|(key, numbers)| (*key, numbers))
    }

    /// How many contacts it has.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The memory of the contacts that there are `now`, each with its weight, of which those that go on for no other begin with `fresh`
    /// numbers. Contacts with the same key count as one; of weights only the magnitudes count, and where all are 0, contacts share alike.
    ///
    /// Takes O(n log n) for n contacts, and less where few of them change.
    pub fn carried_over<const D: usize>(
        &self,
        now: &[(ContactKey, f64)],
        surface: &Surface<D>,
        rules: &[Carry; N],
        fresh: [f64; N],
    ) -> Carried<N> {
        let now = by_key(now);
        let (mut carried, changes) = self.compared(&now, fresh);
        let links = changes.links(surface);
        let mut place = 0;
        for (gone, (key, numbers)) in changes.gone.iter().enumerate() {
            let start = place;
            place += links[start..].iter().take_while(|link| link.0 == gone).count();
            let heirs: Vec<usize> = links[start..place].iter().map(|link| changes.new[link.1]).collect();
            if heirs.is_empty() {
                carried.ended.push(*key);
            }
            let total: f64 = heirs.iter().map(|&k| now[k].1).sum();
            for &k in &heirs {
                let share = if total > 0.0 { now[k].1 / total } else { 1.0 / heirs.len() as f64 };
                carried.inherit(k, rules, numbers, share);
            }
        }
        carried
    }

    /// The contacts that there are `now`, ascending, with what is known under their own keys; what is new and what is gone.
    fn compared(&self, now: &[(ContactKey, f64)], fresh: [f64; N]) -> (Carried<N>, Changes<'_, N>) {
        let mut entries = Vec::with_capacity(now.len());
        let mut origins = Vec::with_capacity(now.len());
        let (mut new, mut gone) = (Vec::new(), Vec::new());
        let mut old = self.entries.iter().peekable();
        for (k, &(key, _)) in now.iter().enumerate() {
            while let Some(before) = old.next_if(|entry| entry.0 < key) {
                gone.push(before);
            }
            let same = old.next_if(|entry| entry.0 == key);
            if same.is_none() {
                new.push(k);
            }
            entries.push((key, same.map_or(fresh, |entry| entry.1)));
            origins.push(if same.is_some() { Origin::Same } else { Origin::New });
        }
        gone.extend(old);
        let keys = new.iter().map(|&k| now[k].0).collect();
        let carried = Carried { memory: Self { entries }, origins, ended: Vec::new() };
        (carried, Changes { new, keys, gone })
    }
}

impl<const N: usize> Carried<N> {
    /// Contact `k`, which is new, takes a share of the numbers of one that ended.
    fn inherit(&mut self, k: usize, rules: &[Carry; N], numbers: &[f64; N], share: f64) {
        let own = &mut self.memory.entries[k].1;
        if self.origins[k] == Origin::New {
            *own = rules.map(Carry::none);
            self.origins[k] = Origin::Neighbour;
        }
        for i in 0..N {
            own[i] = rules[i].join(own[i], numbers[i], share);
        }
    }
}

/// Each key once, ascending, with the magnitude of its weights.
fn by_key(contacts: &[(ContactKey, f64)]) -> Vec<(ContactKey, f64)> {
    let mut sorted: Vec<_> = contacts.iter().map(|&(key, weight)| (key, weight.abs())).collect();
    // Stable: weights of the same key are added in the order of contacts.
    sorted.sort_by_key(|entry| entry.0);
    sorted.dedup_by(|next, first| {
        let same = next.0 == first.0;
        if same {
            first.1 += next.1;
        }
        same
    });
    sorted
}

/// What a step changed.
struct Changes<'a, const N: usize> {
    /// Places of the new contacts among those of now.
    new: Vec<usize>,
    /// Their keys, ascending.
    keys: Vec<ContactKey>,
    /// The contacts that are not there any more, ascending.
    gone: Vec<&'a (ContactKey, [f64; N])>,
}

impl<const N: usize> Changes<'_, N> {
    /// The neighbours among them: pairs of numbers in `gone` and in `new`, ascending, each once.
    fn links<const D: usize>(&self, surface: &Surface<D>) -> Vec<(usize, usize)> {
        if self.new.is_empty() || self.gone.is_empty() {
            return Vec::new();
        }
        let (hinges, mut links) = (self.hinges(surface), Vec::new());
        for (g, (key, _)) in self.gone.iter().enumerate() {
            key.for_each_hinge(surface, |hinge| {
                let start = hinges.partition_point(|entry| entry.0 < hinge);
                let same = hinges[start..].iter().take_while(|entry| entry.0 == hinge);
                links.extend(same.map(|entry| (g, entry.1)));
            });
            key.for_each_pair_of_ends(surface, |ends| {
                links.extend(self.keys.binary_search(&ends).map(|n| (g, n)));
            });
        }
        for (n, key) in self.keys.iter().enumerate() {
            key.for_each_pair_of_ends(surface, |ends| {
                links.extend(self.gone.binary_search_by_key(&ends, |entry| entry.0).map(|g| (g, n)));
            });
        }
        links.sort_unstable();
        links.dedup();
        links
    }

    /// What the new contacts may have in common with others, ascending, with their numbers.
    fn hinges<const D: usize>(&self, surface: &Surface<D>) -> Vec<((Feature, u32), usize)> {
        let mut hinges = Vec::new();
        for (n, key) in self.keys.iter().enumerate() {
            key.for_each_hinge(surface, |hinge| hinges.push((hinge, n)));
        }
        hinges.sort_unstable();
        hinges
    }
}
