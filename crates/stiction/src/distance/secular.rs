//! The negative eigenvalues of the small matrix that the Hessian of `f(d²)` comes down to.

/// Laguerre steps after which the roots are given up; they need two or three.
const MAX_STEPS: usize = 16;

/// Relative length of a step after which the next one, whose length is of its third power, changes nothing.
const LAST_STEP: f64 = 1e-5;

/// Backward error up to which an eigenpair is taken, relative to the matrix.
const TOLERANCE: f64 = 1e-14;

/// Weight below which a block counts as not coupled, and relative difference below which two count as equal.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Blocks of two that one rank-one term couples.
///
/// ```text
/// S = Σᵢ [ 0    C σᵢ ] on (pᵢ, wᵢ)  +  g zzᵀ on (w₀, w₁, w₂)          |z| = 1
///        [ C σᵢ  σᵢ² ]
/// ```
/// with `C, σ₀ ≥ σ₁, g, z₂ > 0`. The blocks have the eigenvalues `−xᵢ` and `yᵢ = xᵢ + σᵢ²`. For every block, `S` has
/// one negative eigenvalue `−x`; with 0, the `xᵢ` lie between them. They are the roots of
/// ```text
/// h(x) = x/g + z₂² + Σᵢ zᵢ² x²/qᵢ(x)     qᵢ(x) = x² + σᵢ² x − C² σᵢ² = (x − xᵢ)(x + yᵢ)
/// ```
/// and the eigenvectors are `pᵢ = −C σᵢ zᵢ x/qᵢ`, `wᵢ = zᵢ x²/qᵢ`, `w₂ = z₂`, which leave the residual `g h(x) z`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coupled {
    pub(super) c: f64,
    pub(super) sigma: [f64; 2],
    pub(super) z: [f64; 3],
    pub(super) g: f64,
}

/// An eigenvalue `−x` and its unit eigenvector.
#[derive(Clone, Copy, Debug)]
pub(super) struct Negative {
    pub(super) x: f64,
    pub(super) p: [f64; 2],
    pub(super) w: [f64; 3],
}

/// A value of `x` and `x − xᵢ`, of which no digit is lost where `x` is close to `xᵢ`.
#[derive(Clone, Copy, Debug)]
struct Place {
    x: f64,
    beyond: [f64; 2],
}

impl Coupled {
    /// Both negative eigenvalues. Nothing where they would not be right to `1e-14 |S|`: where blocks and weights are of
    /// very different sizes, or not finite.
    #[inline]
    pub(super) fn negative(&self) -> Option<[Negative; 2]> {
        let poles = [self.pole(0), self.pole(1)];
        let [z0, z1, _] = self.z.map(f64::abs);
        let pairs = if z0.min(z1) < ROUNDING {
            let i = usize::from(z1 < z0);
            [self.alone(poles, i), self.single(poles, 1 - i)?]
        } else if poles[0] - poles[1] <= ROUNDING * poles[0] {
            self.equal(poles)?
        } else {
            let [a, b] = self.two_roots(poles)?;
            [self.vector(a)?, self.vector(b)?]
        };
        let skew = pairs[0].dot(&pairs[1]) * pairs[0].x.max(pairs[1].x);
        (skew.abs() <= TOLERANCE * self.size()).then_some(pairs)
    }

    /// The negative eigenvalue of the first block with the term, without the second block.
    #[inline]
    pub(super) fn negative_of_first(&self) -> Option<Negative> {
        self.single([self.pole(0), 0.0], 0)
    }

    /// `xᵢ`.
    #[inline]
    fn pole(&self, i: usize) -> f64 {
        let (c2, s2) = (self.c * self.c, self.sigma[i] * self.sigma[i]);
        2.0 * c2 * s2 / (s2 + (s2 * (s2 + 4.0 * c2)).sqrt())
    }

    /// A number of the order of `|S|`.
    #[inline]
    fn size(&self) -> f64 {
        self.g + self.sigma[0] * (self.sigma[0] + self.c)
    }

    /// The eigenvector `(C σᵢ, −xᵢ)` of block `i`, which nothing couples.
    #[inline]
    fn alone(&self, poles: [f64; 2], i: usize) -> Negative {
        let (mut p, mut w) = ([0.0; 2], [0.0; 3]);
        (p[i], w[i]) = (self.c * self.sigma[i], -poles[i]);
        Negative { x: poles[i], p, w }.normalized()
    }

    /// Two equal blocks: turned so that only the first is coupled, and back.
    #[cold]
    fn equal(&self, poles: [f64; 2]) -> Option<[Negative; 2]> {
        let [z0, z1, z2] = self.z;
        let length = (z0 * z0 + z1 * z1).sqrt();
        let (cos, sin) = (z0 / length, z1 / length);
        let turned = Self { z: [length, 0.0, z2], ..*self };
        let back = |v: [f64; 2]| [cos * v[0] - sin * v[1], sin * v[0] + cos * v[1]];
        Some([turned.alone(poles, 1), turned.single(poles, 0)?].map(|n| {
            let [w0, w1] = back([n.w[0], n.w[1]]);
            Negative { p: back(n.p), w: [w0, w1, n.w[2]], ..n }
        }))
    }

    /// The root below `xᵢ`, with block `i` only: of the cubic `(x/g + z₂²) qᵢ + zᵢ² x²`, by Laguerre's method from `xᵢ`.
    #[inline]
    fn single(&self, poles: [f64; 2], i: usize) -> Option<Negative> {
        let (z2, s2, slope) = (self.z[i] * self.z[i], self.sigma[i] * self.sigma[i], 1.0 / self.g);
        let (pole, top) = (poles[i], poles[i] + s2);
        if self.z[i].abs() < ROUNDING {
            return Some(self.alone(poles, i));
        }
        let mut beyond = 0.0;
        for _ in 0..MAX_STEPS {
            let x = pole + beyond;
            let (a, q, q1) = (slope * x + self.z[2] * self.z[2], beyond * (x + top), 2.0 * x + s2);
            let value = a * q + z2 * x * x;
            let first = slope * q + a * q1 + 2.0 * z2 * x;
            let second = 2.0 * (slope * q1 + a + z2);
            let step = laguerre(3.0, [value, first, second], 1.0);
            beyond += step;
            if step.abs() <= LAST_STEP * beyond.abs() {
                let mut place = Place { x: pole + beyond, beyond: [0.0; 2] };
                place.beyond[i] = beyond;
                let mut only = *self;
                only.z[1 - i] = 0.0;
                return only.vector(place);
            }
        }
        None
    }

    /// The roots between the poles and below both, of the quintic `(x/g + z₂²) q₀q₁ + x² (z₀² q₁ + z₁² q₀)`.
    #[inline]
    fn two_roots(&self, poles: [f64; 2]) -> Option<[Place; 2]> {
        let (starts, gap) = (self.starts(poles), poles[0] - poles[1]);
        // Measured from the pole that is closer.
        let upper = starts[0] > 0.5 * gap;
        let origin = [if upper { poles[0] } else { poles[1] }, poles[1]];
        let shift = [if upper { [0.0, gap] } else { [-gap, 0.0] }, [-gap, 0.0]];
        let mut t = [if upper { starts[0] - gap } else { starts[0] }, starts[1]];
        let place = |t: f64, k: usize| Place { x: origin[k] + t, beyond: shift[k].map(|shift| t + shift) };
        for _ in 0..MAX_STEPS {
            let mut last = true;
            for k in 0..2 {
                let step = laguerre(5.0, self.quintic(place(t[k], k), poles), [1.0, -1.0][k]);
                t[k] += step;
                last &= step.abs() <= LAST_STEP * t[k].abs();
            }
            if last {
                return Some([place(t[0], 0), place(t[1], 1)]);
            }
        }
        None
    }

    /// Both roots beyond `x₁`, roughly: of `k + A/(x − x₀) + B/(x − x₁)`, which is `h` with all else as it is at `x₁`; not
    /// below zero, where other roots are.
    #[inline]
    fn starts(&self, poles: [f64; 2]) -> [f64; 2] {
        let (x, gap) = (poles[1], poles[0] - poles[1]);
        let k = x / self.g + self.z[2] * self.z[2];
        let [a, b]: [f64; 2] = std::array::from_fn(|i| {
            let top = poles[i] + self.sigma[i] * self.sigma[i];
            (self.z[i] * x).powi(2) / (x + top)
        });
        let half = 0.5 * (a + b - k * gap);
        let q = -(half + (half * half + k * b * gap).sqrt().copysign(half));
        let (one, other) = (q / k, -b * gap / q);
        [one.max(other), one.min(other).max(-0.9 * x)]
    }

    /// The quintic and its first two derivatives.
    #[inline]
    fn quintic(&self, place: Place, poles: [f64; 2]) -> [f64; 3] {
        let Place { x, beyond } = place;
        let (slope, [z0, z1, z2]) = (1.0 / self.g, self.z.map(|z| z * z));
        let s2 = self.sigma.map(|s| s * s);
        let q = [beyond[0] * (x + poles[0] + s2[0]), beyond[1] * (x + poles[1] + s2[1])];
        let q1 = s2.map(|s2| 2.0 * x + s2);
        let a = slope * x + z2;
        let e = [q[0] * q[1], q1[0] * q[1] + q[0] * q1[1], 2.0 * (q[0] + q[1] + q1[0] * q1[1])];
        let n = [z0 * q[1] + z1 * q[0], z0 * q1[1] + z1 * q1[0], 2.0 * (z0 + z1)];
        [
            a * e[0] + x * x * n[0],
            slope * e[0] + a * e[1] + x * (2.0 * n[0] + x * n[1]),
            2.0 * slope * e[1] + a * e[2] + 2.0 * n[0] + x * (4.0 * n[1] + x * n[2]),
        ]
    }

    /// The eigenvector at a root; nothing where it leaves too much.
    #[inline]
    fn vector(&self, place: Place) -> Option<Negative> {
        let Place { x, beyond } = place;
        let (mut p, mut w) = ([0.0; 2], [0.0, 0.0, self.z[2]]);
        for i in 0..2 {
            if self.z[i] != 0.0 {
                let s2 = self.sigma[i] * self.sigma[i];
                // x + yᵢ = 2x − (x − xᵢ) + σᵢ².
                let scaled = self.z[i] * x / (beyond[i] * (2.0 * x - beyond[i] + s2));
                (p[i], w[i]) = (-self.c * self.sigma[i] * scaled, x * scaled);
            }
        }
        let vector = Negative { x, p, w };
        let length = vector.dot(&vector).sqrt();
        let left = self.g * (self.z[0] * w[0] + self.z[1] * w[1] + self.z[2] * w[2]) + x;
        (x > 0.0 && left.abs() <= TOLERANCE * self.size() * length).then(|| vector.scaled(1.0 / length))
    }
}

impl Negative {
    #[inline]
    fn dot(&self, other: &Self) -> f64 {
        self.p[0] * other.p[0]
            + self.p[1] * other.p[1]
            + self.w[0] * other.w[0]
            + self.w[1] * other.w[1]
            + self.w[2] * other.w[2]
    }

    #[inline]
    fn scaled(self, factor: f64) -> Self {
        Self { x: self.x, p: self.p.map(|v| v * factor), w: self.w.map(|v| v * factor) }
    }

    #[inline]
    fn normalized(self) -> Self {
        self.scaled(1.0 / self.dot(&self).sqrt())
    }
}

/// Laguerre's step for a polynomial of degree `n` all of whose roots are real, towards the next root at which it
/// rises (`sign` 1) or falls (−1), and not beyond.
///
/// ```text
/// −n P/(P′ ± √((n − 1)²P′² − n(n − 1) P P″))
/// ```
#[inline]
fn laguerre(n: f64, [value, first, second]: [f64; 3], sign: f64) -> f64 {
    let inside = (n - 1.0) * ((n - 1.0) * first * first - n * value * second);
    -n * value / (first + sign * inside.max(0.0).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::eigen;

    /// In the order p₀, p₁, w₀, w₁, w₂.
    fn dense(m: &Coupled) -> [[f64; 5]; 5] {
        let mut s = [[0.0; 5]; 5];
        for i in 0..2 {
            (s[i][2 + i], s[2 + i][i]) = (m.c * m.sigma[i], m.c * m.sigma[i]);
            s[2 + i][2 + i] = m.sigma[i] * m.sigma[i];
        }
        for i in 0..3 {
            for j in 0..3 {
                s[2 + i][2 + j] += m.g * m.z[i] * m.z[j];
            }
        }
        s
    }

    /// The same numbers from 0 to 1 in every run.
    fn random(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// The largest difference of the negative part from that by Jacobi's rotations, relative to the matrix.
    fn difference(m: &Coupled, found: [Negative; 2]) -> f64 {
        let (w, v) = eigen::symmetric(dense(m), 5);
        let flat = found.map(|n| [n.p[0], n.p[1], n.w[0], n.w[1], n.w[2]]);
        let mut worst = 0.0_f64;
        for i in 0..5 {
            for j in 0..5 {
                let exact: f64 = (0..5).map(|k| w[k].min(0.0) * v[i][k] * v[j][k]).sum();
                let ours: f64 = (0..2).map(|k| -found[k].x * flat[k][i] * flat[k][j]).sum();
                worst = worst.max((exact - ours).abs());
            }
        }
        worst / m.size()
    }

    #[test]
    fn negative_parts_are_those_of_the_whole_matrix() {
        let (mut seed, mut missing) = (1, 0);
        for round in 0..200_000 {
            let mut any = |low: f64, high: f64| 10.0_f64.powf(low + (high - low) * random(&mut seed));
            let wide = f64::from(round % 4);
            let (s0, s1) = (any(-wide, wide), any(-wide, wide));
            let z = [any(-2.0 * wide, 0.0), any(-2.0 * wide, 0.0), any(-1.0, 0.0)];
            let z = if round % 7 == 0 { [0.0, z[1], z[2]] } else { z };
            let z = if round % 11 == 0 { [z[0], 0.0, z[2]] } else { z };
            let s1 = if round % 13 == 0 { s0 * (1.0 - any(-17.0, -1.0)) } else { s1 };
            let length = (z[0] * z[0] + z[1] * z[1] + z[2] * z[2]).sqrt();
            let m = Coupled {
                c: any(0.0, 0.5),
                sigma: [s0.max(s1), s0.min(s1)],
                z: z.map(|z| z / length),
                g: any(-1.0 - wide, 1.0 + 3.0 * wide),
            };
            match m.negative() {
                Some(found) => {
                    let error = difference(&m, found);
                    assert!(error < 1e-13, "{error:e} with {m:?}: {found:?}");
                }
                None => missing += 1,
            }
        }
        assert_eq!(missing, 0);
    }
}
