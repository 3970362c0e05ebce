//! Triangles in 2D and tetrahedra in 3D with constant strain.

use std::array::from_fn;

use stiction::distance::Psd;
use stiction::math::{Matrix, Vector};
use stiction::stencil::Stencil;

use super::{Element, Strained};
use crate::material::Material;
use crate::material::stretch::complete;

/// A solid element of `N = D + 1` vertices.
///
/// ```text
/// F = Σᵢ xᵢ bᵢᵀ        bᵢ = ∇Nᵢ at rest  [1/m]
/// E = V Ψ(F)           ∂E/∂xᵢ = V P bᵢ        ∂²E/∂xᵢ∂xⱼ = V bᵢ · ∂P/∂F · bⱼ
/// ```
/// with rest volume `V` (area times thickness in 2D) and ∂P/∂F from its [`Tangent`](crate::material::Tangent).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Simplex<const D: usize, const N: usize> {
    /// Its vertices.
    pub stencil: Stencil<N>,
    /// `V` in m³.
    pub volume: f64,
    /// The material.
    pub material: Material,
    b: [Vector<D>; N],
}

impl<const D: usize, const N: usize> Simplex<D, N> {
    /// The element with these vertices, at positions `rest`; in 2D it is 1 m thick. Its volume is not positive if it is inverted
    /// or flat: the caller checks.
    ///
    /// # Panics
    /// If `N ≠ D + 1`, or a vertex is not in `rest`.
    pub fn new(stencil: Stencil<N>, rest: &[Vector<D>], material: Material) -> Self {
        assert!(N == D + 1, "a solid element in {D} dimensions has {} vertices", D + 1);
        let x = stencil.gather(rest);
        let edges = Matrix::from_columns(from_fn(|k| x[k + 1] - x[0]));
        let inverse = edges.inverse();
        let mut b = [Vector::ZERO; N];
        for k in 0..D {
            b[k + 1] = Vector(inverse.0[k]);
            b[0] -= b[k + 1];
        }
        let simplices_per_box = if D == 2 { 2.0 } else { 6.0 };
        Self { stencil, volume: edges.det() / simplices_per_box, material, b }
    }

    /// Whether an element with vertices at `x` contains a point.
    pub fn contains(x: &[Vector<D>; N], point: Vector<D>) -> bool {
        let edges = Matrix::from_columns(from_fn(|k| x[k + 1] - x[0]));
        let coordinates = edges.inverse() * (point - x[0]);
        coordinates.0.iter().all(|c| *c >= 0.0) && coordinates.0.iter().sum::<f64>() <= 1.0
    }

    /// Its stress and strain with the vertices at `x`.
    pub fn strained(&self, x: &[Vector<D>; N]) -> Strained<D> {
        let f = self.deformation(x);
        Strained::new(&f, &self.material.stress(&f))
    }

    /// `F`.
    #[inline]
    fn deformation(&self, x: &[Vector<D>; N]) -> Matrix<D> {
        let mut f = Matrix::ZERO;
        for i in 0..N {
            f += x[i].outer(self.b[i]);
        }
        f
    }
}

impl<const D: usize, const N: usize> Element<D, N> for Simplex<D, N> {
    fn stencil(&self) -> Stencil<N> {
        self.stencil
    }

    fn energy(&self, x: &[Vector<D>; N]) -> f64 {
        self.volume * self.material.energy(&self.deformation(x))
    }

    fn gradient(&self, x: &[Vector<D>; N]) -> [Vector<D>; N] {
        let stress = self.material.stress(&self.deformation(x)) * self.volume;
        self.b.map(|b| stress * b)
    }

    fn hessian(&self, x: &[Vector<D>; N], psd: Psd) -> [[Matrix<D>; N]; N] {
        let material = self.material.scaled(self.volume);
        let mut h = material.hessian(&self.deformation(x), &self.b, psd);
        complete(&mut h);
        h
    }
}
