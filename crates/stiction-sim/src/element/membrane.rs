//! Triangles that resist stretching and shearing in their own plane.

use std::array::from_fn;

use stiction::distance::Psd;
use stiction::math::{Matrix, Vector};
use stiction::stencil::Stencil;

use super::{Element, Strained};
use crate::material::Material;
use crate::material::stretch::{complete, turned};
use crate::material::svd::perpendicular;

/// The smallest ratio of areas, relative to the stretches, that the stress is divided by.
const SMALLEST: f64 = 1e-12;

/// The square of the sine of an angle below which columns are made perpendicular twice.
const NARROW: f64 = 1e-2;

/// A triangle of a thin sheet, in 2D or 3D, with constant strain and no stress across the sheet.
///
/// ```text
/// F = Σᵢ xᵢ bᵢᵀ = Q R        bᵢ = ∇Nᵢ in the plane at rest [1/m]        Q: two orthonormal columns, R: 2 × 2
/// E = A t Ψ(R)               ∂E/∂xᵢ = A t Q P bᵢ
/// ∂²E/∂xᵢ∂xⱼ = A t (Q (bᵢ · ∂P/∂R · bⱼ) Qᵀ + (bᵢ·S bⱼ)(I − QQᵀ))        S = R⁻¹P
/// ```
/// with area `A` at rest, thickness `t` and the second Piola–Kirchhoff stress `S` in Pa: what is pressed
/// gives way across its plane, where the eigenvalues are those of `S`. Any isotropic law of two dimensions will do; its
/// [`Lame`](crate::material::Lame) parameters are those of plane stress, so small strains are those of a thin sheet.
/// In 2D `R` is `F`, and a triangle that is turned over is inverted. Below 10⁻¹² of its area a triangle counts as that large in `S`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Membrane<const D: usize> {
    /// Its vertices.
    pub stencil: Stencil<3>,
    /// `A t` in m³.
    pub volume: f64,
    /// The law, with the stiffness of plane stress.
    pub material: Material,
    b: [Vector<2>; 3],
}

impl<const D: usize> Membrane<D> {
    /// The triangle with these vertices at positions `rest`, made of a sheet of `thickness` (m) of a `material`. Its volume is not
    /// positive if it is flat (in 2D also if it is inverted): the caller checks.
    ///
    /// # Panics
    /// If a vertex is not in `rest`.
    pub fn new(stencil: Stencil<3>, rest: &[Vector<D>], material: Material, thickness: f64) -> Self {
        let x = stencil.gather(rest);
        let edges = [x[1] - x[0], x[2] - x[0]];
        let edges = in_frame(&frame(edges), edges);
        let inverse = edges.inverse();
        let (second, third) = (Vector(inverse.0[0]), Vector(inverse.0[1]));
        Self {
            stencil,
            volume: 0.5 * edges.det() * thickness,
            material: Material { lame: material.lame.plane_stress(), ..material },
            b: [-(second + third), second, third],
        }
    }

    /// Its stress and strain with the vertices at `x`.
    pub fn strained(&self, x: &[Vector<D>; 3]) -> Strained<D> {
        let (q, r) = self.factors(x);
        let flat = Strained::new(&r, &self.material.stress(&r));
        Strained { stress: turned(&flat.stress, &q), strain: turned(&flat.strain, &q) }
    }

    /// `Q` and `R`.
    fn factors(&self, x: &[Vector<D>; 3]) -> ([Vector<D>; 2], Matrix<2>) {
        let f = from_fn(|k| x[0] * self.b[0][k] + x[1] * self.b[1][k] + x[2] * self.b[2][k]);
        let q = frame(f);
        (q, in_frame(&q, f))
    }
}

/// `S` with its eigenvalues treated as `psd` says.
fn pressure(material: &Material, r: &Matrix<2>, psd: Psd) -> Matrix<2> {
    let det = r.det().max(SMALLEST * r.norm_squared()).max(f64::MIN_POSITIVE);
    let s = r.adjugate() * material.stress(r) * (1.0 / det);
    projected((s + s.transpose()) * 0.5, psd)
}

/// A symmetric matrix with its eigenvalues m ± r treated as `psd` says.
///
/// ```text
/// f(A) = ½(f(m + r) + f(m − r)) I + (f(m + r) − f(m − r))/2r (A − m I)
/// ```
fn projected(a: Matrix<2>, psd: Psd) -> Matrix<2> {
    let (mean, half) = (0.5 * (a.0[0][0] + a.0[1][1]), 0.5 * (a.0[0][0] - a.0[1][1]));
    let radius = (half * half + a.0[1][0] * a.0[1][0]).sqrt();
    if psd == Psd::None || mean > radius {
        return a;
    }
    let (upper, lower) = (psd.apply(mean + radius), psd.apply(mean - radius));
    let slope = if radius > 0.0 { 0.5 * (upper - lower) / radius } else { 0.0 };
    (a - Matrix::scalar(mean)) * slope + Matrix::scalar(0.5 * (upper + lower))
}

/// Orthonormal columns that span the same as two vectors; the axes in 2D.
#[inline]
fn frame<const D: usize>(columns: [Vector<D>; 2]) -> [Vector<D>; 2] {
    if D == 2 {
        return from_fn(Vector::axis);
    }
    let first = columns[0].normalized();
    let rest = columns[1] - first * first.dot(columns[1]);
    // Where columns are nearly parallel, or 0, this is worth more care.
    if columns[0].norm_squared() > 0.0 && rest.norm_squared() > NARROW * columns[1].norm_squared() {
        return [first, rest.normalized()];
    }
    let first = perpendicular(columns[0], &[]);
    [first, perpendicular(columns[1], &[first])]
}

/// `QᵀA`, of columns.
fn in_frame<const D: usize>(q: &[Vector<D>; 2], columns: [Vector<D>; 2]) -> Matrix<2> {
    Matrix(from_fn(|k| from_fn(|l| q[k].dot(columns[l]))))
}

/// `Q a`.
fn out_of_frame<const D: usize>(q: &[Vector<D>; 2], a: Vector<2>) -> Vector<D> {
    q[0] * a[0] + q[1] * a[1]
}

impl<const D: usize> Element<D, 3> for Membrane<D> {
    fn stencil(&self) -> Stencil<3> {
        self.stencil
    }

    fn energy(&self, x: &[Vector<D>; 3]) -> f64 {
        self.volume * self.material.energy(&self.factors(x).1)
    }

    fn gradient(&self, x: &[Vector<D>; 3]) -> [Vector<D>; 3] {
        let (q, r) = self.factors(x);
        let stress = self.material.stress(&r) * self.volume;
        self.b.map(|b| out_of_frame(&q, stress * b))
    }

    fn hessian(&self, x: &[Vector<D>; 3], psd: Psd) -> [[Matrix<D>; 3]; 3] {
        let (q, r) = self.factors(x);
        let across = Matrix::scalar(1.0) - q[0].outer(q[0]) - q[1].outer(q[1]);
        let material = self.material.scaled(self.volume);
        let s = pressure(&material, &r, psd);
        let flat = material.hessian(&r, &self.b, psd);
        let mut h = [[Matrix::ZERO; 3]; 3];
        for i in 1..3 {
            for j in 1..=i {
                h[i][j] = turned(&flat[i][j], &q) + across * self.b[i].dot(s * self.b[j]);
            }
        }
        complete(&mut h);
        h
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the columns are, also where one or both are 0.
    #[test]
    fn frames_are_orthonormal_and_span_the_columns() {
        let vectors =
            [[0.0; 3], [2.0, 0.0, 0.0], [0.3, -0.4, 1.2], [0.3, -0.4, 1.200_000_1], [0.0, 1e-200, 0.0]]
                .map(Vector);
        for columns in vectors.iter().flat_map(|a| vectors.map(|b| [*a, b])) {
            let q = frame(columns);
            let gram = in_frame(&q, q);
            assert!((gram - Matrix::scalar(1.0)).norm_squared() < 1e-28, "{columns:?}: {q:?}");
            let inside = in_frame(&q, columns);
            for k in 0..2 {
                let back = out_of_frame(&q, inside.column(k));
                assert!((back - columns[k]).norm() <= 1e-12 * columns[k].norm(), "{columns:?}: {q:?}");
            }
        }
    }
}
