//! The Python module `stiction._stiction.drop_in`: what only ipctk's interface, `stiction.ipctk`, needs.
//!
//! ipctk's shapes (gradients in one row, old matrices of `SciPy`, numbers of primitives), its rules to the last bit, and shortcuts for what its
//! programs call in every iteration. Nothing outside uses it.

mod meeting;
mod part;
mod cross;
mod stiffness;
mod contact_names;
mod shapes;
mod slide_arrays;
mod built_contacts;
mod path;

/// What only `stiction.ipctk` needs. Use that.
#[pyo3::pymodule(name = "drop_in", submodule)]
pub mod entries {
    use pyo3::prelude::*;
    use pyo3::types::{PyCFunction, PyDict};

    #[pymodule_export]
    use super::built_contacts::BuiltContacts;
    #[pymodule_export]
    use super::contact_names::{kind_counts, primitives};
    #[pymodule_export]
    use super::cross::{
        edge_edge_cross_squared, edge_edge_cross_squared_gradient, edge_edge_cross_squared_hessian,
    };
    #[pymodule_export]
    use super::meeting::{segment_meets_triangle, segments_meet};
    #[pymodule_export]
    use super::part::{part_distance_squared, part_distance_squared_gradient, part_distance_squared_hessian};
    #[pymodule_export]
    use super::path::{
        belongs_to, divided_steps, is_feasible, pair_step, path_is_free, path_step, primitive_pairs,
        safe_distances, shortened_to_balls, vertex_distances,
    };
    #[pymodule_export]
    use super::shapes::{barrier_matrix, friction_matrix, gradient_row, lenient};
    #[pymodule_export]
    use super::slide_arrays::{of_contacts, replaced};
    #[pymodule_export]
    use super::stiffness::{force_balance, update_barrier_stiffness};

    const NAME: &str = "stiction._stiction.drop_in";

    /// Makes it one that can be imported by its whole name, and its functions ones that can be stored: Python looks for files of
    /// submodules, and there is none.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.setattr("__name__", NAME)?;
        for (_, item) in module.dict() {
            if item.is_instance_of::<PyCFunction>() {
                item.setattr("__module__", NAME)?;
            }
        }
        let loaded = module.py().import("sys")?.getattr("modules")?;
        loaded.cast::<PyDict>()?.set_item(NAME, module)
    }
}
