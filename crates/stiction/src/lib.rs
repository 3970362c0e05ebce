//! Contact that nothing passes through, and friction that obeys Coulomb, for people who have their own
//! solver.
//!
//! Positions go in; energies, gradients, Hessians and step bounds come out. `D` is 2 or 3 throughout.
//!
//! ```
//! use stiction::barrier::{BarrierKind, BarrierLaw, BarrierPotential};
//! use stiction::broad_phase::BroadPhaseKind;
//! use stiction::contact::{Contacts, Selection};
//! use stiction::math::Vector;
//! use stiction::mesh::Surface;
//! use stiction::potential::Potential;
//!
//! // A vertex of one segment 0.05 m above another segment.
//! let x = vec![Vector([0.0, 0.0]), Vector([1.0, 0.0]), Vector([0.5, 0.05]), Vector([0.5, 1.0])];
//! let surface = Surface::new(x.clone(), vec![[0, 1], [2, 3]], vec![])?;
//!
//! let law = BarrierLaw::new(BarrierKind::ClampedLog, 0.1)?;
//! let candidates = BroadPhaseKind::default().candidates(&surface, &x, &x, 0.5 * law.reach());
//! let contacts = Contacts::build(&surface, &candidates, &[], &x, &Selection::within(law.reach()));
//! assert_eq!(contacts.ve.len(), 1);
//!
//! let potential = BarrierPotential { contacts: &contacts, obstacles: &[], law, kappa: 1e6.into() };
//! let mut gradient = vec![Vector::ZERO; x.len()];
//! potential.gradient(&x, 1.0, &mut gradient);
//! assert!(gradient[2][1] < 0.0); // the energy falls as the vertex rises
//! # Ok::<(), stiction::error::Error>(())
//! ```
//!
//! The order of the modules below is the order of the layers: a module uses only those above it.

pub mod error;
pub mod threads;
pub mod math;
pub mod linear_map;
pub mod stencil;
pub mod closest;
pub mod distance;
pub mod signed;
pub mod tangent;
pub mod mollifier;
pub mod mesh;
pub mod obstacle;
pub mod broad_phase;
pub mod crossing;
pub mod ccd;
pub mod blocks;
pub mod assemble;
pub mod potential;
pub mod pull_back;
pub mod ogc;
pub mod contact;
pub mod barrier;
pub mod friction;
