//! Matrices for tests.

use stiction::assemble::{self, Assembly};
use stiction::blocks::Blocks;
use stiction::math::{Matrix, Vector};
use stiction::stencil::Stencil;

/// Numbers between −1 and 1, the same in every run.
pub(super) fn random(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

pub(super) fn vectors<const D: usize>(n: usize, seed: &mut u64) -> Vec<Vector<D>> {
    (0..n).map(|_| Vector(std::array::from_fn(|_| random(seed)))).collect()
}

/// `5 g gᵀ + 0.1` for each pair of vertices, with random `g`, and `ground` at each vertex.
pub(super) fn matrix<const D: usize>(n: u32, pairs: &[[u32; 2]], ground: f64) -> Blocks<D> {
    touching(n, pairs, &[], ground)
}

/// The same, with contacts between pairs besides: `s g gᵀ` with their stiffness `s`.
pub(super) fn touching<const D: usize>(
    n: u32,
    pairs: &[[u32; 2]],
    contacts: &[([u32; 2], f64)],
    ground: f64,
) -> Blocks<D> {
    let vertices: Vec<u32> = (0..n).collect();
    let (g, normals) = (vectors::<D>(pairs.len(), &mut 3), vectors::<D>(contacts.len(), &mut 4));
    let mut blocks = Blocks::default();
    blocks.begin(n as usize, |stencils| {
        stencils.push(vertices.iter().map(|v| Stencil([*v])));
        stencils.push(pairs.iter().map(|pair| Stencil(*pair)));
        stencils.push(contacts.iter().map(|(pair, _)| Stencil(*pair)));
    });
    let out = &mut Assembly::Matrix(&mut blocks);
    assemble::hessian(&vertices, out, |_, v| Stencil([*v]), |_, _| [[Matrix::scalar(ground)]]);
    assemble::hessian(
        pairs,
        out,
        |_, pair| Stencil(*pair),
        |k, _| {
            let (one, spring) = (g[k].outer(g[k]), Matrix::scalar(0.1));
            let whole = one * 5.0 + spring;
            [[whole, whole * -1.0], [whole * -1.0, whole]]
        },
    );
    assemble::hessian(
        contacts,
        out,
        |_, (pair, _)| Stencil(*pair),
        |k, (_, stiffness)| {
            let one = normals[k].outer(normals[k]) * *stiffness;
            [[one, one * -1.0], [one * -1.0, one]]
        },
    );
    blocks.finish();
    blocks
}

/// Pairs of neighbours, also across diagonals, in a grid.
pub(super) fn grid([nx, ny, nz]: [u32; 3]) -> (u32, Vec<[u32; 2]>) {
    let number = |x, y, z| (z * ny + y) * nx + x;
    let mut pairs = Vec::new();
    for (x, y, z) in (0..nx).flat_map(|x| (0..ny).flat_map(move |y| (0..nz).map(move |z| (x, y, z)))) {
        for (a, b, c) in [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (0, 1, 1), (1, 1, 1)] {
            if x + a < nx && y + b < ny && z + c < nz {
                pairs.push([number(x, y, z), number(x + a, y + b, z + c)]);
            }
        }
    }
    (nx * ny * nz, pairs)
}

pub(super) fn random_pairs(n: u32, count: usize, seed: &mut u64) -> Vec<[u32; 2]> {
    let mut vertex = || (random(seed).abs() * 1e9).to_bits() as u32 % n;
    (0..count).map(|_| [vertex(), vertex()]).filter(|[a, b]| a != b).collect()
}

/// Where the vertices of such a grid are.
pub(super) fn places<const D: usize>([nx, ny, nz]: [u32; 3]) -> Vec<Vector<D>> {
    let all = (0..nz).flat_map(|z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z])));
    all.map(|x| Vector(std::array::from_fn(|k| f64::from(x[k])))).collect()
}
