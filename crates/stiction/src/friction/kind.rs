//! Friction laws by name.

use super::adhesion::TangentialAdhesion;
use super::law::{FrictionLaw, Mu};
use super::peak::Peak;
use super::static_kinetic::SmoothMu;
use super::stribeck::Stribeck;
use crate::error::{Error, Result};

/// The choice of a friction law.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum FrictionKind {
    /// [`Peak`].
    #[default]
    Peak,
    /// [`SmoothMu`].
    SmoothMu,
    /// [`Stribeck`].
    Stribeck(Stribeck),
    /// [`TangentialAdhesion`].
    Adhesion,
}

impl FrictionKind {
    /// Those of dry friction that need no more than their name.
    pub const NAMED: [Self; 2] = [Self::Peak, Self::SmoothMu];

    /// Its name in Python; scenes have those of [`NAMED`](Self::NAMED) and Stribeck's.
    pub fn name(self) -> &'static str {
        match self {
            Self::Peak => "peak",
            Self::SmoothMu => "smooth_mu",
            Self::Stribeck(_) => "stribeck",
            Self::Adhesion => "adhesion",
        }
    }
}

impl std::str::FromStr for FrictionKind {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let found = Self::NAMED.into_iter().chain([Self::Adhesion]).find(|kind| kind.name() == name);
        let known = || format!("{} (stribeck needs numbers too)", Self::NAMED.map(Self::name).join(", "));
        found.ok_or_else(|| Error::UnknownName {
            what: "friction law",
            name: name.to_owned(),
            known: known(),
        })
    }
}

/// What `$result` is for the law of that kind.
macro_rules! each {
    ($kind:expr, $law:ident => $result:expr) => {
        match $kind {
            FrictionKind::Peak => {
                let $law = Peak;
                $result
            }
            FrictionKind::SmoothMu => {
                let $law = SmoothMu;
                $result
            }
            FrictionKind::Stribeck($law) => $result,
            FrictionKind::Adhesion => {
                let $law = TangentialAdhesion;
                $result
            }
        }
    };
}

/// The function of the trait, in place for the usual law and by a call for the others: a choice among all of them in every
/// loop over slides makes the loop slower for the usual one.
macro_rules! by_kind {
    ($($function:ident by $other:ident;)*) => {
        impl FrictionLaw for FrictionKind {
            $(
                #[inline]
                fn $function(&self, y: f64, mu: Mu, eps: f64) -> f64 {
                    if matches!(self, Self::Peak) { Peak.$function(y, mu, eps) } else { self.$other(y, mu, eps) }
                }
            )*

            fn ratio_by_mu(&self, y: f64, mu: Mu, eps: f64) -> [f64; 2] {
                each!(self, law => law.ratio_by_mu(y, mu, eps))
            }

            fn creep_bound(&self, mu: Mu, eps: f64) -> f64 {
                each!(self, law => law.creep_bound(mu, eps))
            }

            fn check(&self, mu: Mu) -> Result<Mu> {
                each!(self, law => law.check(mu))
            }
        }

        impl FrictionKind {
            $(
                #[inline(never)]
                fn $other(self, y: f64, mu: Mu, eps: f64) -> f64 {
                    each!(self, law => law.$function(y, mu, eps))
                }
            )*
        }
    };
}

by_kind! {
    integral by other_integral;
    ratio by other_ratio;
    ratio_slope by other_ratio_slope;
    value by other_value;
    slope by other_slope;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_names() {
        for kind in FrictionKind::NAMED.into_iter().chain([FrictionKind::Adhesion]) {
            assert_eq!(kind.name().parse(), Ok(kind));
        }
        let stribeck = FrictionKind::Stribeck(Stribeck::new(0.1, 0.0).unwrap());
        let error = stribeck.name().parse::<FrictionKind>().unwrap_err().to_string();
        assert_eq!(
            error,
            "there is no friction law \"stribeck\": choose one of peak, smooth_mu (stribeck needs numbers too)"
        );
    }

    #[test]
    fn kinds_are_their_laws() {
        let (mu, eps) = (Mu { s: 0.5, k: 0.3 }, 1e-3);
        let stribeck = Stribeck::new(0.01, 0.2).unwrap();
        for y in [0.0, 2e-4, 6e-4, 9e-4, 1e-3, 0.02] {
            assert_eq!(of(Peak, y, mu, eps), of(FrictionKind::Peak, y, mu, eps));
            assert_eq!(of(SmoothMu, y, mu, eps), of(FrictionKind::SmoothMu, y, mu, eps));
            assert_eq!(of(stribeck, y, mu, eps), of(FrictionKind::Stribeck(stribeck), y, mu, eps));
            assert_eq!(of(TangentialAdhesion, y, mu, eps), of(FrictionKind::Adhesion, y, mu, eps));
        }
    }

    fn of(law: impl FrictionLaw, y: f64, mu: Mu, eps: f64) -> [f64; 8] {
        let [by_s, by_k] = law.ratio_by_mu(y, mu, eps);
        let (g, slope) = (law.value(y, mu, eps), law.slope(y, mu, eps));
        let (ratio, ratio_slope) = (law.ratio(y, mu, eps), law.ratio_slope(y, mu, eps));
        [law.integral(y, mu, eps), g, slope, ratio, ratio_slope, by_s, by_k, law.creep_bound(mu, eps)]
    }

    #[test]
    fn only_a_peak_refuses_more_kinetic_than_static_friction() {
        let mu = Mu { s: 0.2, k: 0.3 };
        assert!(
            FrictionKind::Peak.check(mu).unwrap_err().to_string().starts_with("mu_s = 0.2 is not possible")
        );
        assert_eq!(FrictionKind::SmoothMu.check(mu), Ok(mu));
        assert_eq!(FrictionKind::Adhesion.check(mu), Ok(mu));
        assert_eq!(FrictionKind::Stribeck(Stribeck::new(0.1, 0.0).unwrap()).check(mu), Ok(mu));
        for kind in FrictionKind::NAMED {
            assert!(kind.check(Mu { s: f64::NAN, k: 0.1 }).is_err());
            assert!(kind.check(Mu { s: 0.1, k: -0.1 }).is_err());
        }
    }

    #[test]
    fn bad_numbers_of_stribeck_are_refused() {
        for (speed, viscous) in [(0.0, 0.0), (-1.0, 0.0), (f64::NAN, 0.0), (f64::INFINITY, 0.0)] {
            assert!(Stribeck::new(speed, viscous).unwrap_err().to_string().contains("stribeck speed"));
        }
        for viscous in [-1e-9, f64::NAN, f64::INFINITY] {
            assert!(Stribeck::new(0.1, viscous).unwrap_err().to_string().contains("stribeck viscous"));
        }
    }
}
