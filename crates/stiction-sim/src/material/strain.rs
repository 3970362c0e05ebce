//! Small numbers of deformations near rest, without the 1 that would round them off.

use stiction::math::Matrix;

/// What is left of a deformation without its rotation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strain {
    /// `tr FᵀF − D = 2 tr E`.
    pub stretched: f64,
    /// `det FᵀF − 1 = 2 tr E + 4 m + 8 det E`, with the sum `m` of the principal minors of E (in 2D `m = det E`, and nothing else).
    pub squared_growth: f64,
}

impl Strain {
    /// From `E = ½ (FᵀF − 1)`: what E lost to rounding is lost in the same way everywhere, so energies are off by their slope times that.
    pub fn of<const D: usize>(f: &Matrix<D>) -> Self {
        let mut e = f.transpose() * *f;
        for k in 0..D {
            e.0[k][k] -= 1.0;
        }
        let e = e * 0.5;
        let trace: f64 = (0..D).map(|k| e.0[k][k]).sum();
        let minors = 0.5 * (trace * trace - e.norm_squared());
        let cubic = if D == 3 { 8.0 * e.det() } else { 0.0 };
        Self { stretched: 2.0 * trace, squared_growth: 2.0 * trace + 4.0 * minors + cubic }
    }

    /// `2 ln J`, for a determinant `j` that is positive.
    pub fn log_squared(&self, j: f64) -> f64 {
        if self.squared_growth > -0.5 { self.squared_growth.ln_1p() } else { 2.0 * j.ln() }
    }

    /// `J − 1`, for a determinant `j`.
    pub fn growth(&self, j: f64) -> f64 {
        if j > 0.5 { self.squared_growth / (1.0 + (1.0 + self.squared_growth).sqrt()) } else { j - 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_what_it_is_called() {
        let f = Matrix([[1.2, 0.3, -0.1], [0.0, 0.9, 0.2], [0.1, -0.2, 1.1]]);
        let (strain, j) = (Strain::of(&f), f.det());
        assert!((strain.stretched - (f.norm_squared() - 3.0)).abs() < 1e-14);
        assert!((strain.squared_growth - (j * j - 1.0)).abs() < 1e-14);
        assert!((strain.log_squared(j) - 2.0 * j.ln()).abs() < 1e-14);
        assert!((strain.growth(j) - (j - 1.0)).abs() < 1e-14);
        let flat = Matrix([[0.3, 0.1], [0.0, 0.2]]);
        let (strain, j) = (Strain::of(&flat), flat.det());
        assert!((strain.squared_growth - (j * j - 1.0)).abs() < 1e-15);
        assert!(strain.log_squared(j) == 2.0 * j.ln() && strain.growth(j) == j - 1.0);
    }
}
