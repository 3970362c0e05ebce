//! Values of slides.

use super::slide::{Slide, Slides, append_edges};
use crate::contact::{Contacts, PerContact};
use crate::error::{Error, Result};

/// One value for each slide, in the order of [`Slides`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PerSlide<T> {
    /// Of `vv`.
    pub vv: Vec<T>,
    /// Of `ve`.
    pub ve: Vec<T>,
    /// Of `ee`, nearly parallel ones last.
    pub ee: Vec<T>,
    /// Of `vf`.
    pub vf: Vec<T>,
    /// Of `obstacle`.
    pub obstacle: Vec<T>,
}

impl<T> PerSlide<T> {
    /// All values: those of `vv`, then `ve`, `ee`, `vf` and `obstacle`.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        [&self.vv, &self.ve, &self.ee, &self.vf, &self.obstacle].into_iter().flatten()
    }

    /// What `f` makes of the vertices of each slide: two, three, four and four, and one for a slide on an obstacle.
    pub fn by_vertices<const D: usize>(slides: &Slides<D>, f: impl Fn(&[u32]) -> T) -> Self {
        fn of<T, const D: usize, const N: usize>(slides: &[Slide<D, N>], f: impl Fn(&[u32]) -> T) -> Vec<T> {
            slides.iter().map(|slide| f(&slide.stencil.0)).collect()
        }
        Self {
            vv: of(&slides.vv, &f),
            ve: of(&slides.ve, &f),
            ee: of(&slides.ee, &f),
            vf: of(&slides.vf, &f),
            obstacle: of(&slides.obstacle, &f),
        }
    }

    /// Puts the values of other slides behind these, as [`Slides::append`] does with slides.
    ///
    /// # Panics
    /// As [`Slides::append`].
    pub fn append(&mut self, mut others: Self, parallel: [usize; 2]) {
        self.vv.append(&mut others.vv);
        self.ve.append(&mut others.ve);
        append_edges(&mut self.ee, others.ee, parallel);
        self.vf.append(&mut others.vf);
        self.obstacle.append(&mut others.obstacle);
    }

    /// Checks that there is a value for each slide.
    ///
    /// # Errors
    /// If there are fewer or more of a kind.
    pub fn check<const D: usize>(&self, slides: &Slides<D>) -> Result<()> {
        let kinds = [
            ("values of slides of two vertices", self.vv.len(), slides.vv.len()),
            ("values of slides of a vertex and an edge", self.ve.len(), slides.ve.len()),
            ("values of slides of two edges", self.ee.len(), slides.ee.len()),
            ("values of slides of a vertex and a face", self.vf.len(), slides.vf.len()),
            ("values of slides on obstacles", self.obstacle.len(), slides.obstacle.len()),
        ];
        match kinds.into_iter().find(|(_, found, expected)| found != expected) {
            Some((what, found, expected)) => Err(Error::WrongLength { what, found, expected }),
            None => Ok(()),
        }
    }
}

impl<T: Clone> From<&PerContact<T>> for PerSlide<T> {
    /// The values of the contacts that the slides were lagged from.
    fn from(values: &PerContact<T>) -> Self {
        Self {
            vv: values.vv.clone(),
            ve: values.ve.clone(),
            ee: values.ee.iter().chain(&values.parallel).cloned().collect(),
            vf: values.vf.clone(),
            obstacle: values.obstacle.clone(),
        }
    }
}

impl<T: Clone> PerSlide<T> {
    /// As values of the contacts that the slides were lagged from.
    ///
    /// # Errors
    /// If there is not one value for each contact.
    pub fn to_contacts(&self, contacts: &Contacts) -> Result<PerContact<T>> {
        let values: Vec<T> = [&self.vv, &self.ve].into_iter().flatten().cloned().collect();
        let (edges, parallel) = self.ee.split_at(contacts.ee.len().min(self.ee.len()));
        let rest = [edges, &self.vf, parallel, &self.obstacle].concat();
        PerContact::of(contacts, &[values, rest].concat())
    }
}
