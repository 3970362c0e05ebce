//! A surface that moves.

use crate::error::Result;
use crate::math::Vector;
use crate::mesh::Surface;
use crate::stencil::Stencil;

/// A surface whose vertices move on straight lines, all in the same time.
#[derive(Clone, Copy, Debug)]
pub struct MovingSurface<'a, const D: usize> {
    /// The surface.
    pub surface: &'a Surface<D>,
    /// Positions of all vertices at the start, in m.
    pub start: &'a [Vector<D>],
    /// Positions of all vertices at the end, in m.
    pub end: &'a [Vector<D>],
}

impl<'a, const D: usize> MovingSurface<'a, D> {
    /// A surface on its way from `start` to `end`, in m.
    pub fn new(surface: &'a Surface<D>, start: &'a [Vector<D>], end: &'a [Vector<D>]) -> Self {
        Self { surface, start, end }
    }

    /// A surface that stays at positions `x`, in m.
    pub fn at_rest(surface: &'a Surface<D>, x: &'a [Vector<D>]) -> Self {
        Self { surface, start: x, end: x }
    }

    /// Checks that every vertex has finite positions.
    ///
    /// # Errors
    /// If there is not one finite position for each vertex at the start and at the end.
    pub fn check(&self) -> Result<()> {
        self.surface.check_positions(self.start)?;
        self.surface.check_positions(self.end)
    }

    /// Positions of the vertices of a stencil at the start and at the end, in m.
    #[inline]
    pub(crate) fn ends<const N: usize>(&self, stencil: Stencil<N>) -> ([Vector<D>; N], [Vector<D>; N]) {
        (stencil.gather(self.start), stencil.gather(self.end))
    }
}
