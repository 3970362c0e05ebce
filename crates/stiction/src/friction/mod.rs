//! Smoothed Coulomb friction whose normal force and plane are held fixed during a solve.

pub mod mollifier;
pub mod law;
pub mod peak;
pub mod static_kinetic;
pub mod stribeck;
pub mod kind;
pub mod anisotropy;
pub mod coefficient;
pub mod slide;
pub mod lag;
pub mod potential;
pub mod per_slide;
pub mod by_mu;
pub mod forces;
pub mod account;
pub mod jacobian;
pub mod refine;

pub use account::{FrictionAccount, Step};
pub use anisotropy::{Anisotropy, Axes};
pub use by_mu::ForceByMu;
pub use coefficient::{Coefficients, Entry};
pub use forces::{PairForce, Side};
pub use jacobian::LaggedForce;
pub use kind::FrictionKind;
pub use lag::lag;
pub use law::{FrictionLaw, Mu};
pub use peak::Peak;
pub use per_slide::PerSlide;
pub use potential::{FrictionPotential, Motion};
pub use refine::{LagChange, Lagged, Outcome, Refinement, RefinementReport, refine};
pub use slide::{Detail, Slide, Slides};
pub use static_kinetic::SmoothMu;
pub use stribeck::Stribeck;
