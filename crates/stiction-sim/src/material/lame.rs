//! Lamé's parameters.

use crate::error::{Error, Result};

/// Lamé's parameters, in Pa.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lame {
    /// Shear modulus `G`.
    pub shear: f64,
    /// First parameter `λ`.
    pub lambda: f64,
}

impl Lame {
    /// ```text
    /// G = E / 2(1 + ν)        λ = E ν / (1 + ν)(1 − 2ν)
    /// ```
    /// from Young's modulus `E` in Pa and Poisson's ratio `ν`; in 2D this is plane strain.
    ///
    /// # Errors
    /// If `E` is not positive or `ν` not in [0, 0.5).
    pub fn new(young: f64, poisson: f64) -> Result<Self> {
        if !(young > 0.0 && young.is_finite()) {
            return Err(Error::BadParameter { name: "young", value: young, must: "positive, in Pa" });
        }
        if !(0.0..0.5).contains(&poisson) {
            let must = "at least 0 and less than 0.5";
            return Err(Error::BadParameter { name: "poisson", value: poisson, must });
        }
        let shear = young / (2.0 * (1.0 + poisson));
        let lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
        Ok(Self { shear, lambda })
    }

    /// `E = G (3λ + 2G)/(λ + G)` in Pa.
    pub fn young(&self) -> f64 {
        self.shear * (3.0 * self.lambda + 2.0 * self.shear) / (self.lambda + self.shear)
    }

    /// `ν = λ/2(λ + G)`.
    pub fn poisson(&self) -> f64 {
        0.5 * self.lambda / (self.lambda + self.shear)
    }

    /// The parameters with which two dimensions have no stress across them, as thin sheets do: `G` and `2λG/(λ + 2G)`.
    pub fn plane_stress(&self) -> Self {
        let lambda = 2.0 * self.lambda * self.shear / (self.lambda + 2.0 * self.shear);
        Self { shear: self.shear, lambda }
    }
}
