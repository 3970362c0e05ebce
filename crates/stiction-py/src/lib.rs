//! The Python module `stiction._stiction`: arrays in, checked once, arrays out.
//!
//! What may take long leaves the interpreter free for other threads meanwhile. Input that cannot be used is a
//! `ValueError` that names the argument and the place in it.

mod error;
mod trouble;
mod lock;
mod fork;
mod array;
mod sparse;
mod distance;
mod kernels;
mod filter_tree;
mod known_free;
mod crowd;
mod shared_surface;
mod surface;
mod filter;
mod candidates;
mod obstacles;
mod contact_lists;
mod weight_lists;
mod contacts;
mod barrier;
mod any_barrier;
mod barrier_potential;
mod friction_law;
mod coefficients;
mod slide_lists;
mod slides;
mod friction_potential;
mod refine;
mod contact_report;
mod stiffness;
mod policy;
mod way;
mod motion;
mod trust_region;
mod drop_in;
mod mesh_file;
mod interrupt;
mod command;
mod scene;
mod term;
mod simulation;
mod frame;

/// Contact and friction, computed in Rust. Use it through the package `stiction`.
#[pyo3::pymodule]
mod _stiction {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::barrier::{barrier_derivatives, barrier_value};
    #[pymodule_export]
    use crate::barrier_potential::BarrierPotential;
    #[pymodule_export]
    use crate::candidates::{candidates, num_threads, set_num_threads};
    #[pymodule_export]
    use crate::command::main;
    #[pymodule_export]
    use crate::contact_report::{contact_distances, slip_speeds, smallest_distance};
    #[pymodule_export]
    use crate::contacts::{Contacts, restore_contacts};
    #[pymodule_export]
    use crate::distance::{
        closest_distance_squared, distance_squared, distance_squared_gradient, distance_squared_hessian,
    };
    #[pymodule_export]
    use crate::drop_in::entries;
    #[pymodule_export]
    use crate::filter::{Filter, VertexFilter, restore_filter, restore_vertex_filter};
    #[pymodule_export]
    use crate::frame::{field_names, read_frame};
    #[pymodule_export]
    use crate::friction_law::Law;
    #[pymodule_export]
    use crate::friction_potential::FrictionPotential;
    #[pymodule_export]
    use crate::kernels::{
        closest_features, closest_point, closest_point_jacobian, distance, distance_gradient,
        distance_hessian, edge_edge_mollifier, edge_edge_mollifier_gradient, edge_edge_mollifier_hessian,
        edge_edge_mollifier_mixed_hessian, edge_edge_mollifier_rest_gradient, edge_edge_threshold,
        pair_normal, pair_normal_jacobian, relative_weights, relative_weights_jacobian, signed_distance,
        signed_distance_gradient, signed_distance_hessian, signed_normal, signed_normal_jacobian,
        tangent_basis, tangent_basis_jacobian,
    };
    #[pymodule_export]
    use crate::mesh_file::{Mesh, boundary_edges, boundary_faces, read_mesh, write_mesh};
    #[pymodule_export]
    use crate::motion::{crossings, describe_crossings, has_crossings, is_free, largest_step};
    #[pymodule_export]
    use crate::obstacles::{Cylinder, Obstacle, Plane, Sphere};
    #[pymodule_export]
    use crate::policy::{StiffnessPolicy, raised_stiffness};
    #[pymodule_export]
    use crate::refine::refine;
    #[pymodule_export]
    use crate::scene::Scene;
    #[pymodule_export]
    use crate::simulation::{Simulation, StepError};
    #[pymodule_export]
    use crate::slides::{Slides, restore_slides};
    #[pymodule_export]
    use crate::stiffness::{initial_stiffness, updated_stiffness};
    #[pymodule_export]
    use crate::surface::{Surface, restore_surface};
    #[pymodule_export]
    use crate::trust_region::TrustRegion;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::fork::register(module)?;
        module.add("version", env!("CARGO_PKG_VERSION"))
    }
}
