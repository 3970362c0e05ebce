//! Distances so large that everything is near everything.

use std::sync::OnceLock;

use pyo3::PyResult;
use pyo3::exceptions::PyMemoryError;
use stiction::math::Vector;
use stiction::mesh::Surface;

/// All pairs of fewer vertices fit into memory.
const FEW: usize = 4096;

/// Vertices whose neighbours are counted.
const SAMPLE: usize = 8;

/// Memory in bytes where the system does not tell.
const USUAL_MEMORY: f64 = 16e9;

/// Refuses a search that would find more pairs than memory can hold, as with a distance in mm for positions in m: the process would be ended
/// without a word. Counts the neighbours of a few vertices, which takes a small part of the time of the search.
pub fn check<const D: usize>(
    surface: &Surface<D>,
    start: &[Vector<D>],
    end: &[Vector<D>],
    inflation: f64,
) -> PyResult<()> {
    let vertices = surface.vertices();
    if vertices.len() < FEW {
        return Ok(());
    }
    let range = |v: u32, k: usize| {
        let (a, b) = (start[v as usize][k], end[v as usize][k]);
        (a.min(b) - inflation, a.max(b) + inflation)
    };
    let meet = |v: u32, w: u32| {
        (0..D).all(|k| {
            let (a, b) = (range(v, k), range(w, k));
            a.0 <= b.1 && b.0 <= a.1
        })
    };
    let sample = vertices.iter().step_by(vertices.len() / SAMPLE);
    let near: usize = sample.map(|v| vertices.iter().filter(|w| meet(*v, **w)).count()).sum();
    // Edges are three times as many as vertices where there are faces, and those twice as many.
    let kinds = if surface.faces().is_empty() { 1.0 } else { 6.0 };
    let pairs = kinds * vertices.len() as f64 * near as f64 / SAMPLE as f64;
    if pairs * 8.0 < 0.5 * memory() {
        return Ok(());
    }
    Err(PyMemoryError::new_err(format!(
        "about {pairs:.0e} pairs are within {:e} m of each other, more than there is memory for: is the distance in the unit of the \
         positions, and no place shared by too many vertices?",
        2.0 * inflation
    )))
}

/// All memory of the machine, in bytes.
fn memory() -> f64 {
    static MEMORY: OnceLock<f64> = OnceLock::new();
    *MEMORY.get_or_init(|| {
        let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
        let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
        kilobytes.map_or(USUAL_MEMORY, |kilobytes| kilobytes * 1024.0)
    })
}
