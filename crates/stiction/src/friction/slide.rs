//! Contacts as friction sees them: normal force, plane and coefficient, frozen.

use bytemuck::Zeroable;

use super::law::Mu;
use crate::math::{Matrix, Vector};
use crate::stencil::Stencil;

/// A contact whose normal force and geometry are held fixed ("lagged").
#[derive(Clone, Copy, Debug, PartialEq, Zeroable)]
pub struct Slide<const D: usize, const N: usize> {
    /// Its vertices.
    pub stencil: Stencil<N>,
    /// Number of its [`Detail`], or [`Slide::PLAIN`].
    pub detail: u32,
    /// Weights of the vertices in the relative velocity `Σ cᵢ vᵢ` of the closest points.
    pub c: [f64; N],
    /// Unit normal of the sliding plane.
    pub normal: Vector<D>,
    /// Normal force λ in N.
    pub force: f64,
    /// Friction coefficients: effective ones where they depend on the direction.
    pub mu: Mu,
}

impl<const D: usize, const N: usize> Slide<D, N> {
    /// The `detail` of a slide that is isotropic and on nothing that moves by itself.
    pub const PLAIN: u32 = u32::MAX;

    /// The tangential part `T Σ cᵢ vᵢ`, `T = I − nnᵀ`, of a relative field such as the velocity.
    #[inline]
    pub fn tangential(&self, field: &[Vector<D>; N]) -> Vector<D> {
        let mut sum = Vector::ZERO;
        for i in 0..N {
            sum += field[i] * self.c[i];
        }
        sum - self.normal * self.normal.dot(sum)
    }
}

/// What only some slides have: axes of anisotropic friction, and the velocity of an obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Detail<const D: usize> {
    /// Velocity of the obstacle where it is touched, in m/s; zero for pairs.
    pub drift: Vector<D>,
    /// First axis of anisotropic friction: a unit vector across the normal, or zero.
    pub axis: Vector<D>,
    /// The direction that `axis` is the projection of; nothing if it is the contact's own.
    pub direction: Option<Vector<D>>,
    /// `a₀`, `a₁`: factors of the slide along the axes.
    pub scaling: [f64; 2],
    /// Static axes of the matchstick ellipse; zeros without.
    pub ellipse_s: [f64; 2],
    /// Kinetic axes of the matchstick ellipse; zeros without.
    pub ellipse_k: [f64; 2],
    /// Coefficients where the ellipse has no axes.
    pub mu: Mu,
}

impl<const D: usize> Detail<D> {
    /// `S = a₁ T + (a₀ − a₁) ttᵀ` with the first axis `t`: scales a vector of the sliding plane along the axes.
    #[inline]
    pub fn scaling(&self, normal: Vector<D>) -> Matrix<D> {
        let [a0, a1] = self.scaling;
        let plane = Matrix::scalar(1.0) - normal.outer(normal);
        plane * a1 + self.axis.outer(self.axis) * (a0 - a1)
    }
}

/// All slides, by kind of contact: in the order of [`Contacts`](crate::contact::Contacts), but with nearly parallel edges behind others.
#[derive(Clone, Debug, PartialEq)]
pub struct Slides<const D: usize> {
    /// Two vertices.
    pub vv: Vec<Slide<D, 2>>,
    /// A vertex and an edge.
    pub ve: Vec<Slide<D, 3>>,
    /// Two edges, and then nearly parallel ones.
    pub ee: Vec<Slide<D, 4>>,
    /// A vertex and a face.
    pub vf: Vec<Slide<D, 4>>,
    /// A vertex on an obstacle.
    pub obstacle: Vec<Slide<D, 1>>,
    /// What only some slides have.
    pub details: Vec<Detail<D>>,
}

impl<const D: usize> Default for Slides<D> {
    fn default() -> Self {
        Self { vv: vec![], ve: vec![], ee: vec![], vf: vec![], obstacle: vec![], details: vec![] }
    }
}

impl<const D: usize> Slides<D> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.vv.len() + self.ve.len() + self.ee.len() + self.vf.len() + self.obstacle.len()
    }

    /// Whether there is no friction at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Puts the slides of other contacts behind these, as [`Contacts::append`](crate::contact::Contacts::append) does with contacts: of the edges of
    /// both, `parallel` many are nearly parallel.
    ///
    /// # Panics
    /// If a list is shorter than that.
    pub fn append(&mut self, others: &Self, parallel: [usize; 2]) {
        fn behind<const D: usize, const N: usize>(slides: &[Slide<D, N>], shift: usize) -> Vec<Slide<D, N>> {
            let mut slides = slides.to_vec();
            for slide in slides.iter_mut().filter(|slide| slide.detail != Slide::<D, N>::PLAIN) {
                slide.detail += shift as u32;
            }
            slides
        }
        let shift = self.details.len();
        self.vv.extend(behind(&others.vv, shift));
        self.ve.extend(behind(&others.ve, shift));
        append_edges(&mut self.ee, behind(&others.ee, shift), parallel);
        self.vf.extend(behind(&others.vf, shift));
        self.obstacle.extend(behind(&others.obstacle, shift));
        self.details.extend_from_slice(&others.details);
    }

    /// What a slide has beyond the usual, if anything.
    #[inline]
    pub fn detail<const N: usize>(&self, slide: &Slide<D, N>) -> Option<&Detail<D>> {
        self.details.get(slide.detail as usize)
    }
}

/// Puts others behind these, those of nearly parallel edges, `parallel` many at the end of each list, behind all of them.
pub(super) fn append_edges<T>(edges: &mut Vec<T>, mut others: Vec<T>, parallel: [usize; 2]) {
    let mut last = edges.split_off(edges.len() - parallel[0]);
    last.extend(others.split_off(others.len() - parallel[1]));
    edges.append(&mut others);
    edges.append(&mut last);
}
