//! Every box against every other: the yardstick for faster methods.

use super::{Boxed, Boxes, Candidates};
use crate::math::Vector;
use crate::mesh::Surface;
use crate::threads;

/// Candidates as [`super::BroadPhaseKind::candidates`] defines them. Cost: all pairs of boxes.
///
/// # Panics
/// If `start` or `end` is shorter than the surface's vertex array.
pub fn candidates<const D: usize>(
    surface: &Surface<D>,
    start: &[Vector<D>],
    end: &[Vector<D>],
    inflation: f64,
) -> Candidates {
    let Boxes { vertices, edges, faces } = Boxes::new(surface, start, end, inflation);
    if D == 2 {
        Candidates { ve: pairs(&vertices, &edges, false), ..Candidates::default() }
    } else {
        Candidates { ee: pairs(&edges, &edges, true), vf: pairs(&vertices, &faces, false), ve: Vec::new() }
    }
}

/// All pairs that may touch; of one list with itself, each pair once.
fn pairs<const D: usize, const N: usize, const M: usize>(
    first: &[Boxed<D, N>],
    second: &[Boxed<D, M>],
    same: bool,
) -> Vec<(u32, u32)> {
    threads::collect(first.len(), &|range| {
        let mut out = Vec::new();
        for i in range {
            let rest = if same { &second[i + 1..] } else { second };
            let others = rest.iter().filter(|other| first[i].may_touch(other));
            out.extend(others.map(|other| (first[i].number, other.number)));
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sharing_a_vertex_is_no_candidate_and_distance_counts_once_inflated() {
        let x = vec![Vector([0.0, 0.0]), Vector([1.0, 0.0]), Vector([0.0, 0.1]), Vector([1.0, 0.1])];
        let surface = Surface::new(x.clone(), vec![[0, 1], [2, 3]], vec![]).unwrap();
        assert!(candidates(&surface, &x, &x, 0.04).ve.is_empty());
        assert_eq!(candidates(&surface, &x, &x, 0.06).ve, [(0, 1), (1, 1), (2, 0), (3, 0)]);
        let mut end = x.clone();
        end[2][1] = -0.1;
        end[3][1] = -0.1;
        assert_eq!(candidates(&surface, &x, &end, 0.0).ve.len(), 4);
    }
}
