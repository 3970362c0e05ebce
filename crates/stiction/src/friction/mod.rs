//! Smoothed Coulomb friction whose normal force and plane are held fixed during a solve.
//!
//! [`lag()`] makes [`Slides`] of contacts, with [`Coefficients`]; a [`FrictionPotential`] with a [`FrictionLaw`] acts on them.
//!
//! ```
//! use stiction::barrier::{BarrierKind, BarrierLaw, BarrierPotential};
//! use stiction::broad_phase::BroadPhaseKind;
//! use stiction::contact::{Contacts, Selection};
//! use stiction::friction::{Coefficients, FrictionKind, FrictionPotential, Motion, Mu, PairTable, lag};
//! use stiction::math::Vector;
//! use stiction::mesh::Surface;
//! use stiction::potential::Potential;
//!
//! // A vertex of a rubber segment 0.05 m above a steel one.
//! let x = vec![Vector([0.0, 0.0]), Vector([1.0, 0.0]), Vector([0.5, 0.05]), Vector([0.5, 1.0])];
//! let surface = Surface::new(x.clone(), vec![[0, 1], [2, 3]], vec![])?;
//! let law = BarrierLaw::new(BarrierKind::ClampedLog, 0.1)?;
//! let candidates = BroadPhaseKind::default().candidates(&surface, &x, &x, 0.5 * law.reach());
//! let contacts = Contacts::build(&surface, &candidates, &[], &x, &Selection::within(law.reach()));
//! let barrier = BarrierPotential { contacts: &contacts, obstacles: &[], law, kappa: 1e6.into() };
//!
//! let table = PairTable::new(&["steel", "rubber"])?
//!     .with("steel", "rubber", Mu { s: 0.8, k: 0.6 })?
//!     .with_vertices(&["steel", "steel", "rubber", "rubber"])?;
//! let coefficients = Coefficients::from(0.3).with_pairs(table);
//! coefficients.check(x.len(), 0)?;
//! let slides = lag(&barrier, &x, &coefficients);
//!
//! // Implicit Euler with steps of 0.01 s: the rubber has moved by 1 mm, 0.1 m/s.
//! let mut moved = x.clone();
//! moved[2] += Vector([1e-3, 0.0]);
//! moved[3] += Vector([1e-3, 0.0]);
//! let motion = Motion { x_ref: &x, v_ref: &[], h_hat: 0.01 };
//! let friction = FrictionPotential { slides: &slides, motion, law: FrictionKind::default(), eps_v: 1e-3 };
//! let mut force = vec![Vector::ZERO; x.len()];
//! friction.force(&moved, &mut force);
//! assert!((force[2][0] + 0.6 * slides.ve[0].force).abs() < 1e-12 * slides.ve[0].force); // Coulomb, against the slide
//! # Ok::<(), stiction::error::Error>(())
//! ```

pub mod mollifier;
pub mod law;
pub mod peak;
pub mod static_kinetic;
pub mod stribeck;
pub mod adhesion;
pub mod kind;
pub mod anisotropy;
pub mod entry;
pub mod sides;
pub mod blend;
pub mod vertex_mu;
pub mod table;
pub mod axis;
pub mod grain;
pub mod coefficient;
pub mod slide;
pub mod effective;
pub mod lag;
pub mod potential;
pub mod per_slide;
pub mod by_mu;
pub mod forces;
pub mod account;
pub mod jacobian;
pub mod refine;

pub use account::{FrictionAccount, SlideAction, Step, forces_at_end};
pub use adhesion::TangentialAdhesion;
pub use anisotropy::{Anisotropy, Axes};
pub use blend::Blend;
pub use by_mu::ForceByMu;
pub use coefficient::Coefficients;
pub use entry::Entry;
pub use forces::{PairForce, Side};
pub use grain::Grain;
pub use jacobian::LaggedForce;
pub use kind::FrictionKind;
pub use lag::lag;
pub use law::{FrictionLaw, Mu, MuOrder};
pub use peak::Peak;
pub use per_slide::PerSlide;
pub use potential::{FrictionPotential, Motion};
pub use refine::{LagChange, Lagged, Outcome, Refinement, RefinementReport, refine};
pub use sides::Sides;
pub use slide::{Detail, Slide, Slides};
pub use static_kinetic::SmoothMu;
pub use stribeck::Stribeck;
pub use table::PairTable;
pub use vertex_mu::VertexMu;
