//! How a material answers to deformation. A new one is a file with its formula on top and three functions, and a variant here.

pub mod lame;
pub mod svd;
pub mod stretch;
pub mod neo_hookean;
pub mod stable_neo_hookean;
pub mod fixed_corotated;
pub mod stvk;

use std::fmt;
use std::str::FromStr;

pub use lame::Lame;
use stiction::distance::Psd;
use stiction::math::{Matrix, Vector};
pub use stretch::Tangent;

/// The materials by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum MaterialKind {
    /// `neo_hookean`: infinitely stiff where an element would invert.
    #[default]
    NeoHookean,
    /// `stable_neo_hookean`: finite for every deformation.
    StableNeoHookean,
    /// `fixed_corotated`: linear in the stretches.
    FixedCorotated,
    /// `stvk`, St. Venant–Kirchhoff: linear in the strains of Green.
    StVenantKirchhoff,
}

impl MaterialKind {
    /// All materials.
    pub const ALL: [Self; 4] =
        [Self::NeoHookean, Self::StableNeoHookean, Self::FixedCorotated, Self::StVenantKirchhoff];

    /// The name of the material.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NeoHookean => "neo_hookean",
            Self::StableNeoHookean => "stable_neo_hookean",
            Self::FixedCorotated => "fixed_corotated",
            Self::StVenantKirchhoff => "stvk",
        }
    }
}

impl fmt::Display for MaterialKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for MaterialKind {
    type Err = stiction::error::Error;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let unknown = || stiction::error::Error::UnknownName {
            what: "material",
            name: name.to_owned(),
            known: Self::ALL.map(Self::name).join(", "),
        };
        Self::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(unknown)
    }
}

/// An elastic material: its law and its stiffness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// The law.
    pub kind: MaterialKind,
    /// The stiffness.
    pub lame: Lame,
}

impl From<Lame> for Material {
    fn from(lame: Lame) -> Self {
        Self { kind: MaterialKind::default(), lame }
    }
}

impl Material {
    /// `Ψ(F)` in J/m³.
    pub fn energy<const D: usize>(&self, f: &Matrix<D>) -> f64 {
        match self.kind {
            MaterialKind::NeoHookean => neo_hookean::energy(&self.lame, f),
            MaterialKind::StableNeoHookean => stable_neo_hookean::energy(&self.lame, f),
            MaterialKind::FixedCorotated => fixed_corotated::energy(&self.lame, f),
            MaterialKind::StVenantKirchhoff => stvk::energy(&self.lame, f),
        }
    }

    /// `P(F) = ∂Ψ/∂F` in Pa.
    pub fn stress<const D: usize>(&self, f: &Matrix<D>) -> Matrix<D> {
        match self.kind {
            MaterialKind::NeoHookean => neo_hookean::stress(&self.lame, f),
            MaterialKind::StableNeoHookean => stable_neo_hookean::stress(&self.lame, f),
            MaterialKind::FixedCorotated => fixed_corotated::stress(&self.lame, f),
            MaterialKind::StVenantKirchhoff => stvk::stress(&self.lame, f),
        }
    }

    /// The blocks `(i, j)`, `0 < j ≤ i`, of the Hessian of `Ψ(F)`, `F = Σᵢ xᵢ bᵢᵀ`, by positions `x`, in Pa times the square of the unit of `b`: that of
    /// [`tangent`](Self::tangent), directly where that is possible. The others are 0, and follow by [`stretch::complete`].
    #[inline]
    pub fn hessian<const D: usize, const N: usize>(
        &self,
        f: &Matrix<D>,
        b: &[Vector<D>; N],
        psd: Psd,
    ) -> [[Matrix<D>; N]; N] {
        let direct = match self.kind {
            MaterialKind::NeoHookean => neo_hookean::hessian(&self.lame, f, b, psd),
            _ => None,
        };
        direct.unwrap_or_else(|| self.tangent(f, psd).hessian(b))
    }

    /// The material whose energies are so many times as large: they are linear in Lamé's parameters.
    #[inline]
    pub fn scaled(&self, by: f64) -> Self {
        Self { lame: Lame { shear: self.lame.shear * by, lambda: self.lame.lambda * by }, ..*self }
    }

    /// ∂P/∂F, its eigenvalues treated as `psd` says.
    #[inline]
    pub fn tangent<const D: usize>(&self, f: &Matrix<D>, psd: Psd) -> Tangent<D> {
        let svd = svd::svd(*f);
        let of = match self.kind {
            MaterialKind::NeoHookean => neo_hookean::curvature(&self.lame, svd.sigma, f.det()),
            MaterialKind::StableNeoHookean => stable_neo_hookean::curvature(&self.lame, svd.sigma),
            MaterialKind::FixedCorotated => fixed_corotated::curvature(&self.lame, svd.sigma),
            MaterialKind::StVenantKirchhoff => stvk::curvature(&self.lame, svd.sigma),
        };
        Tangent::new(&svd, &of.projected(psd))
    }
}
