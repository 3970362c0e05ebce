//! Energies of a surface as energies of nodes, against dense products.

use crate::support::Random;
use stiction::assemble::{self, Assembly};
use stiction::barrier::{BarrierKind, BarrierLaw, BarrierPotential};
use stiction::blocks::Blocks;
use stiction::broad_phase::BroadPhaseKind;
use stiction::contact::{Contacts, Selection};
use stiction::distance::Psd;
use stiction::linear_map::LinearMap;
use stiction::math::{Matrix, Vector, vector};
use stiction::mesh::Surface;
use stiction::potential::Potential;
use stiction::pull_back::{Congruence, PullBack};
use stiction::stencil::Stencil;

/// The whole matrix of a potential.
fn dense<const D: usize>(
    potential: &dyn Potential<D>,
    x: &[Vector<D>],
    scale: f64,
    psd: Psd,
) -> Vec<Vec<f64>> {
    let mut blocks = Blocks::default();
    blocks.assemble(potential, x, scale, psd);
    whole(&blocks)
}

/// All entries of a matrix.
fn whole<const D: usize>(blocks: &Blocks<D>) -> Vec<Vec<f64>> {
    let mut out = vec![vec![0.0; D * blocks.vertices()]; D * blocks.vertices()];
    for (row, column, Matrix(block)) in blocks.iter() {
        for k in 0..D {
            for l in 0..D {
                out[row * D + k][column * D + l] = block[k][l];
                out[column * D + l][row * D + k] = block[k][l];
            }
        }
    }
    out
}

/// Two rows of segments with gaps of about 0.05 m, whose vertices are moved by one to three of seven nodes; one of them twice by the same.
struct Case {
    surface: Surface<2>,
    map: LinearMap,
    q: Vec<Vector<2>>,
}

fn case() -> Case {
    let mut random = Random::new(11);
    let nodes = 7;
    let q: Vec<Vector<2>> = (0..nodes).map(|_| random.points::<2, 1>(1.0)[0]).collect();
    let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    let mut x = Vec::new();
    for vertex in 0..10 {
        // Weights of the nodes that have the vertex where it should be: solved for the last two of them.
        let row = vertex / 5;
        let target = Vector([f64::from(vertex % 5) * 0.2 + 0.03 * f64::from(row), 0.05 * f64::from(row)]);
        let chosen: Vec<u32> =
            if vertex == 3 { vec![1, 1, 4, 5] } else { vec![vertex % 7, (vertex + 2) % 7, (vertex + 3) % 7] };
        let first = random.between(-0.3, 0.3);
        let rest = chosen[..chosen.len() - 2].iter().fold(target, |rest, k| rest - q[*k as usize] * first);
        let [a, b] = [chosen[chosen.len() - 2], chosen[chosen.len() - 1]].map(|k| q[k as usize]);
        let solved = Matrix::from_columns([a, b]).inverse() * rest;
        values.extend(std::iter::repeat_n(first, chosen.len() - 2).chain(solved.0));
        columns.extend(chosen);
        offsets.push(columns.len());
        x.push(target);
    }
    let edges = (0..4).flat_map(|k| [[k, k + 1], [k + 5, k + 6]]).collect();
    let map = LinearMap::new(nodes, offsets, columns, values).unwrap();
    let found = map.apply(&q);
    assert!(found.iter().zip(&x).all(|(a, b)| (*a - *b).norm() < 1e-12));
    Case { surface: Surface::new(x, edges, vec![]).unwrap(), map, q }
}

#[test]
fn derivatives_are_those_of_the_chain_rule() {
    let Case { surface, map, q } = case();
    let x = map.apply(&q);
    let law = BarrierLaw::new(BarrierKind::ClampedLog, 0.12).unwrap();
    let candidates = BroadPhaseKind::default().candidates(&surface, &x, &x, 0.5 * law.reach());
    let contacts = Contacts::build(&surface, &candidates, &[], &x, &Selection::within(law.reach()));
    assert!(contacts.len() > 5);
    let barrier = BarrierPotential { contacts: &contacts, obstacles: &[], law, kappa: 1e3.into() };
    let pulled = PullBack { potential: &barrier, map: &map };
    assert!((pulled.energy(&q) - barrier.energy(&x)).abs() == 0.0);
    // W, one row a vertex, for both axes.
    let mut w = vec![vec![0.0; 2 * q.len()]; 2 * x.len()];
    for v in 0..x.len() {
        for (node, weight) in map.row(v) {
            for k in 0..2 {
                w[2 * v + k][2 * node + k] += weight;
            }
        }
    }
    let close = |a: f64, b: f64, size: f64| assert!((a - b).abs() <= 1e-12 * size, "{a} for {b}");
    let mut gradient = vec![Vector::ZERO; x.len()];
    barrier.gradient(&x, 0.7, &mut gradient);
    let mut found = vec![Vector::ZERO; q.len()];
    pulled.gradient(&q, 0.7, &mut found);
    for (k, found) in vector::flat(&found).iter().enumerate() {
        let expected: f64 = (0..2 * x.len()).map(|i| w[i][k] * vector::flat(&gradient)[i]).sum();
        close(*found, expected, 1e3);
    }
    for psd in [Psd::None, Psd::Clamp] {
        let (h, found) = (dense(&barrier, &x, 0.7, psd), dense(&pulled, &q, 0.7, psd));
        let product = |k: usize, l: usize| -> f64 {
            let row = |i: usize| -> f64 { (0..h.len()).map(|j| h[i][j] * w[j][l]).sum() };
            (0..h.len()).map(|i| w[i][k] * row(i)).sum()
        };
        let size = h.iter().flatten().fold(0.0, |size: f64, a| size.max(a.abs()));
        let mut diagonal = vec![Matrix::ZERO; q.len()];
        pulled.diagonal(&q, 0.7, psd, &mut diagonal);
        for k in 0..found.len() {
            for l in 0..found.len() {
                close(found[k][l], product(k, l), size);
                if k / 2 == l / 2 {
                    close(diagonal[k / 2].0[k % 2][l % 2], found[k][l], size);
                }
            }
        }
        let p: Vec<Vector<2>> = (0..q.len()).map(|i| Vector([(i as f64).sin(), (i as f64).cos()])).collect();
        let mut product = vec![Vector::ZERO; q.len()];
        pulled.product(&q, 0.7, psd, &p, &mut product);
        let flat = vector::flat(&p);
        let times = |k: usize| -> f64 { (0..flat.len()).map(|l| found[k][l] * flat[l]).sum() };
        for (k, value) in vector::flat(&product).iter().enumerate() {
            close(*value, times(k), size);
        }
        let form: f64 = (0..flat.len()).map(|k| flat[k] * times(k)).sum();
        close(0.7 * pulled.quadratic_form(&q, psd, &p), form, size);
    }
}

/// The map of ten vertices that makes these move as these nodes and the others not at all.
fn chosen(vertices: &[usize], nodes: impl IntoIterator<Item = u32>) -> LinearMap {
    let columns: Vec<u32> = nodes.into_iter().collect();
    let offsets = (0..=10).map(|v| vertices.iter().filter(|chosen| **chosen < v).count()).collect();
    let values = vec![1.0; columns.len()];
    LinearMap::new(9, offsets, columns, values).unwrap()
}

/// To leave out rows and columns is to copy the others: the same pattern and values as with the sums of all maps, for any number of blocks and threads.
#[test]
fn copied_blocks_are_those_of_the_sums() {
    let count = 5000;
    let mut random = Random::new(5);
    let springs: Vec<[u32; 3]> = (0..count - 7).map(|v| [v + 7, v, v + 1 + v % 5]).collect();
    let stiffness: Vec<Matrix<2>> = springs
        .iter()
        .map(|_| Matrix::from_columns(random.points::<2, 2>(1.0)))
        .map(|a| a + a.transpose())
        .collect();
    let mut matrix = Blocks::default();
    matrix.begin(count as usize, |stencils| stencils.push(springs.iter().map(|nodes| Stencil(*nodes))));
    let local = |k: usize, _: &[u32; 3]| {
        std::array::from_fn(|i| std::array::from_fn(|j| stiffness[k] * ((i + 1) * (j + 1)) as f64))
    };
    let out = &mut Assembly::Matrix(&mut matrix);
    assemble::hessian(&springs, out, |_, nodes| Stencil(*nodes), local);
    matrix.finish();
    let left = |v: u32| v % 7 != 3 && v % 100 != 50;
    let maps = [false, true].map(|doubled| {
        let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        let mut nodes = 0;
        for v in 0..count {
            if left(v) {
                // A second entry of weight 0 changes nothing but the way.
                let entries = if doubled { &[1.0, 0.0][..] } else { &[1.0] };
                columns.extend(entries.iter().map(|_| nodes));
                values.extend(entries);
                nodes += 1;
            }
            offsets.push(columns.len());
        }
        LinearMap::new(nodes as usize, offsets, columns, values).unwrap()
    });
    let on = |threads: usize, map: &LinearMap| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut product = Congruence::default();
            product.reduce(&matrix, Some(map));
            product.matrix(&matrix).clone()
        })
    };
    let sums = on(1, &maps[1]);
    for threads in [1, 2, 3] {
        let copied = on(threads, &maps[0]);
        assert_eq!(copied.pattern(), sums.pattern());
        assert!(copied.values() == sums.values());
    }
}

/// A product that is kept serves other numbers, other patterns and other maps.
#[test]
fn congruences_are_products_whatever_came_before() {
    let Case { surface, map, q } = case();
    let law = BarrierLaw::new(BarrierKind::ClampedLog, 0.12).unwrap();
    let mut random = Random::new(3);
    let all = |nodes: u32| {
        let columns: Vec<u32> = (0..10).flat_map(|v| [v % nodes, (v + 1) % nodes]).collect();
        LinearMap::new(nodes as usize, (0..=10).map(|k| 2 * k).collect(), columns, vec![0.5; 20]).unwrap()
    };
    // Seven of the ten vertices, of which the copies leave out others; and as many in another order, or one of them twice.
    let maps = [
        Some(map.clone()),
        None,
        Some(all(3)),
        Some(chosen(&[1, 2, 3, 5, 6, 7, 8], 0..7)),
        Some(all(6)),
        Some(chosen(&[0, 1, 2, 5, 6, 8, 9], [0, 1, 2, 4, 5, 6, 8])),
        Some(chosen(&[1, 2, 3, 5, 6, 7, 8], (0..7).rev())),
        Some(chosen(&[1, 2, 3, 5, 6, 7, 8], [0, 1, 2, 2, 3, 4, 5])),
    ];
    let mut kept = Congruence::default();
    for round in 0..32 {
        let x: Vec<Vector<2>> =
            map.apply(&q).into_iter().map(|x| x + random.points::<2, 1>(0.01)[0]).collect();
        let reach = if round % 3 == 0 { 0.06 } else { law.reach() };
        let candidates = BroadPhaseKind::default().candidates(&surface, &x, &x, 0.5 * reach);
        let contacts = Contacts::build(&surface, &candidates, &[], &x, &Selection::within(reach));
        let barrier = BarrierPotential { contacts: &contacts, obstacles: &[], law, kappa: 1e3.into() };
        let mut matrix = Blocks::default();
        matrix.assemble(&barrier, &x, 1.0, Psd::None);
        let map = maps[round / 2 % maps.len()].as_ref();
        kept.reduce(&matrix, map);
        let (found, h) = (whole(kept.matrix(&matrix)), whole(&matrix));
        let weight = |vertex: usize, node: usize| match map {
            Some(map) => map.row(vertex).filter(|(k, _)| *k == node).map(|(_, weight)| weight).sum(),
            None => f64::from(u8::from(vertex == node)),
        };
        let size = h.iter().flatten().fold(0.0, |m: f64, a| m.max(a.abs()));
        for (k, row) in found.iter().enumerate() {
            for (l, entry) in row.iter().enumerate() {
                let term = |v: usize, w: usize| {
                    weight(v, k / 2) * h[2 * v + k % 2][2 * w + l % 2] * weight(w, l / 2)
                };
                let sum: f64 =
                    (0..10).flat_map(|v| (0..10).map(move |w| (v, w))).map(|(v, w)| term(v, w)).sum();
                assert!((entry - sum).abs() <= 1e-11 * size, "round {round}: {entry} for {sum}");
            }
        }
    }
}
