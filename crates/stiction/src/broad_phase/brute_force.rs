//! Every box against every other: the yardstick for faster methods.

use super::{Aabb, Candidates};
use crate::math::Vector;
use crate::mesh::Surface;
use crate::threads;

/// Candidates of a surface that moves from `start` to `end` on straight lines.
///
/// Every box is grown by `inflation`, so pairs that come within `2·inflation` (in m) are all found.
/// For a surface at rest pass the same positions twice. Cost: all pairs of boxes.
///
/// # Panics
/// If `start` or `end` is shorter than the surface's vertex array.
pub fn candidates<const D: usize>(
    surface: &Surface<D>,
    start: &[Vector<D>],
    end: &[Vector<D>],
    inflation: f64,
) -> Candidates {
    let around = |vertices: &[u32]| {
        let points = vertices.iter().flat_map(|&v| [start[v as usize], end[v as usize]]);
        Aabb::around(points, inflation)
    };
    let vertices: Vec<_> = surface.vertices().iter().map(|&v| (v, [v], around(&[v]))).collect();
    let edges = boxes(surface.edges(), &around);
    let faces = boxes(surface.faces(), &around);
    if D == 2 {
        Candidates { ve: pairs(&vertices, &edges, false), ..Candidates::default() }
    } else {
        Candidates { ee: pairs(&edges, &edges, true), vf: pairs(&vertices, &faces, false), ve: Vec::new() }
    }
}

/// A primitive's number, its vertices and its box.
type Boxed<const D: usize, const N: usize> = (u32, [u32; N], Aabb<D>);

fn boxes<const D: usize, const N: usize>(
    primitives: &[[u32; N]],
    around: &impl Fn(&[u32]) -> Aabb<D>,
) -> Vec<Boxed<D, N>> {
    primitives.iter().enumerate().map(|(i, p)| (i as u32, *p, around(p))).collect()
}

/// All pairs whose boxes meet and that share no vertex; of one list with itself, each pair once.
fn pairs<const D: usize, const N: usize, const M: usize>(
    first: &[Boxed<D, N>],
    second: &[Boxed<D, M>],
    same: bool,
) -> Vec<(u32, u32)> {
    let of_one = |(i, a, a_box): &Boxed<D, N>, out: &mut Vec<(u32, u32)>| {
        let rest = if same { &second[*i as usize + 1..] } else { second };
        let meets = |(_, b, b_box): &&Boxed<D, M>| a_box.meets(b_box) && !a.iter().any(|v| b.contains(v));
        out.extend(rest.iter().filter(meets).map(|(j, ..)| (*i, *j)));
    };
    threads::collect(first.len(), &|range| {
        let mut out = Vec::new();
        first[range].iter().for_each(|one| of_one(one, &mut out));
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
