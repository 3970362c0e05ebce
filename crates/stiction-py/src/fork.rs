//! Children of a fork, such as the workers of `multiprocessing`, have none of the threads of their parent.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use stiction::threads;

#[pyfunction]
fn after_fork() {
    threads::after_fork();
}

/// Makes every child that Python forks start threads of its own. Systems that cannot fork have nothing to call.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let Ok(register) = py.import("os")?.getattr("register_at_fork") else { return Ok(()) };
    let call = PyDict::new(py);
    call.set_item("after_in_child", wrap_pyfunction!(after_fork, module)?)?;
    register.call((), Some(&call)).map(drop)
}
