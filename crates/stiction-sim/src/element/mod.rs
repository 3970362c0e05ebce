//! Pieces of elastic bodies. A new one is a file with its formula on the type, which implements [`Element`], and a list of
//! [`Elastic`](crate::energy::Elastic).

mod strained;
pub mod simplex;
pub mod membrane;
pub mod hinge;
pub mod spring;
pub mod bend;

pub use bend::Bend;
pub use hinge::Hinge;
pub use membrane::Membrane;
pub use simplex::Simplex;
pub use spring::Spring;
use stiction::distance::Psd;
use stiction::math::{Matrix, Vector};
use stiction::stencil::Stencil;
pub use strained::Strained;

/// One term of the elastic energy, of `N` vertices.
pub trait Element<const D: usize, const N: usize>: Sync {
    /// Its vertices.
    fn stencil(&self) -> Stencil<N>;

    /// Its energy in J, with the vertices at `x`.
    fn energy(&self, x: &[Vector<D>; N]) -> f64;

    /// Gradient of the energy in N.
    fn gradient(&self, x: &[Vector<D>; N]) -> [Vector<D>; N];

    /// Hessian of the energy in N/m, its negative curvature treated as `psd` says.
    fn hessian(&self, x: &[Vector<D>; N], psd: Psd) -> [[Matrix<D>; N]; N];
}
