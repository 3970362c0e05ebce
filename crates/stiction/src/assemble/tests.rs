//! Patterns and values against a map that adds up all entries one by one.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::assemble::{self, Assembly};
use crate::blocks::{Blocks, Csc, EntryColumns, FullBlocks};
use crate::math::{Matrix, Vector};
use crate::stencil::Stencil;

/// Numbers from a linear congruence.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(limit)) as u32
    }

    /// Different vertices, in any order.
    fn stencils<const N: usize>(&mut self, count: usize, vertices: u32) -> Vec<Stencil<N>> {
        let mut stencil = || {
            let mut out = [u32::MAX; N];
            for i in 0..N {
                while out[i] == u32::MAX || out[..i].contains(&out[i]) {
                    out[i] = self.below(vertices);
                }
            }
            Stencil(out)
        };
        (0..count).map(|_| stencil()).collect()
    }
}

/// A symmetric local matrix of whole numbers, so that sums are exact.
fn local<const D: usize, const N: usize>(seed: usize) -> [[Matrix<D>; N]; N] {
    let entry = |i: usize, j: usize| ((seed * 31 + i.min(j) * 7 + i.max(j) * 13) % 101) as f64 - 50.0;
    let block = |i, j| Matrix(std::array::from_fn(|k| std::array::from_fn(|l| entry(i * D + k, j * D + l))));
    std::array::from_fn(|i| std::array::from_fn(|j| block(i, j)))
}

/// Stencils of every size, in lists.
#[derive(Default)]
struct Lists {
    single: Vec<Stencil<1>>,
    pairs: Vec<Stencil<2>>,
    triples: Vec<Stencil<3>>,
    fours: Vec<Stencil<4>>,
    fives: Vec<Stencil<5>>,
}

impl Lists {
    fn random(random: &mut Random, count: usize, vertices: u32) -> Self {
        Self {
            single: random.stencils(count, vertices),
            pairs: random.stencils(count, vertices),
            triples: random.stencils(count, vertices),
            fours: random.stencils(count, vertices),
            fives: random.stencils(count / 2, vertices),
        }
    }

    fn assemble<const D: usize>(&self, vertices: usize, blocks: &mut Blocks<D>) {
        blocks.begin(vertices, |out| {
            out.push(self.single.iter().copied());
            out.push(self.pairs.iter().copied());
            out.push(self.triples.iter().copied());
            out.push(self.fours.iter().copied());
            out.push(self.fives.iter().copied());
        });
        let out = &mut Assembly::Matrix(blocks);
        assemble::hessian(&self.single, out, |_, s| *s, |k, _| local(k));
        assemble::hessian(&self.pairs, out, |_, s| *s, |k, _| local(k));
        assemble::hessian(&self.triples, out, |_, s| *s, |k, _| local(k));
        assemble::hessian(&self.fours, out, |_, s| *s, |k, _| local(k));
        assemble::hessian(&self.fives, out, |_, s| *s, |k, _| local(k));
        blocks.finish();
    }

    /// Every entry of both triangles that a stencil touches, by column and row.
    fn twin<const D: usize>(&self) -> BTreeMap<(usize, usize), f64> {
        let mut out = BTreeMap::new();
        add::<D, 1>(&mut out, &self.single);
        add::<D, 2>(&mut out, &self.pairs);
        add::<D, 3>(&mut out, &self.triples);
        add::<D, 4>(&mut out, &self.fours);
        add::<D, 5>(&mut out, &self.fives);
        out
    }
}

fn add<const D: usize, const N: usize>(out: &mut BTreeMap<(usize, usize), f64>, stencils: &[Stencil<N>]) {
    for (seed, stencil) in stencils.iter().enumerate() {
        let local = local::<D, N>(seed);
        for (i, j) in (0..N).flat_map(|i| (0..N).map(move |j| (i, j))) {
            for (k, l) in (0..D).flat_map(|k| (0..D).map(move |l| (k, l))) {
                let place = (stencil.0[j] as usize * D + l, stencil.0[i] as usize * D + k);
                *out.entry(place).or_insert(0.0) += local[i][j].0[k][l];
            }
        }
    }
}

/// Asserts that blocks, columns and products are those of the map.
fn assert_twin<const D: usize>(blocks: &Blocks<D>, twin: &BTreeMap<(usize, usize), f64>) {
    let csc = Csc::<u32>::new(blocks).unwrap();
    let size = blocks.vertices() * D;
    assert_eq!(csc.indptr.len(), size + 1);
    let columns = (0..size).flat_map(|c| (csc.indptr[c]..csc.indptr[c + 1]).map(move |_| c));
    let rows = csc.indices.iter().map(|&row| row as usize);
    let found: Vec<_> = columns.zip(rows).zip(csc.data.iter().copied()).collect();
    let expected: Vec<_> = twin.iter().map(|(place, value)| (*place, *value)).collect();
    assert_eq!(found, expected);
    for (row, column, block) in blocks.iter() {
        assert!(row >= column);
        assert_eq!(block.0[D - 1][0], twin[&(column * D, row * D + D - 1)]);
    }
    let p: Vec<Vector<D>> =
        (0..size / D).map(|i| Vector(std::array::from_fn(|k| (i * 3 + k) as f64))).collect();
    let mut product = vec![Vector::ZERO; size / D];
    blocks.multiply(&p, &mut product);
    let mut expected = vec![0.0; size];
    for (&(column, row), value) in twin {
        expected[row] += value * crate::math::vector::flat(&p)[column];
    }
    assert_eq!(crate::math::vector::flat(&product), expected);
}

#[test]
fn random_stencils_give_the_matrix_of_a_map() {
    let mut random = Random(1);
    let mut kept = (Blocks::<2>::default(), Blocks::<3>::default());
    for (count, vertices) in [(0, 0), (0, 7), (1, 5), (40, 5), (40, 400), (3000, 300), (20, 60_000)] {
        let lists = Lists::random(&mut random, count, vertices);
        // In memory that was used for another matrix, and in fresh one.
        lists.assemble(vertices as usize, &mut kept.0);
        assert_twin(&kept.0, &lists.twin::<2>());
        lists.assemble(vertices as usize, &mut kept.1);
        assert_twin(&kept.1, &lists.twin::<3>());
        let mut fresh = Blocks::<3>::default();
        lists.assemble(vertices as usize, &mut fresh);
        assert_eq!((kept.1.pattern(), kept.1.values()), (fresh.pattern(), fresh.values()));
    }
}

#[test]
fn columns_with_many_rows_are_searched_too() {
    let star: Vec<_> = (1..500).map(|i| Stencil([i, 0])).collect();
    let lists = Lists { pairs: star, ..Lists::default() };
    let mut blocks = Blocks::<2>::default();
    lists.assemble(500, &mut blocks);
    assert_twin(&blocks, &lists.twin::<2>());
}

#[test]
fn a_vertex_named_twice_gets_both_blocks() {
    let lists = Lists { triples: vec![Stencil([2, 0, 2]), Stencil([1, 1, 1])], ..Lists::default() };
    let mut blocks = Blocks::<2>::default();
    lists.assemble(3, &mut blocks);
    assert_twin(&blocks, &lists.twin::<2>());
    let (p, mut product, mut diagonal) = ([Vector([1.0, 2.0]); 3], [Vector::ZERO; 3], [Matrix::<2>::ZERO; 3]);
    let mut expected = [Vector::ZERO; 3];
    blocks.multiply(&p, &mut expected);
    let local = |k: usize, _: &Stencil<3>| local(k);
    assemble::hessian(&lists.triples, &mut Assembly::Product { p: &p, out: &mut product }, |_, s| *s, local);
    assemble::hessian(&lists.triples, &mut Assembly::Diagonal(&mut diagonal), |_, s| *s, local);
    assert_eq!(product, expected);
    let blocks: Vec<_> = blocks.iter().filter(|(row, column, _)| row == column).map(|b| *b.2).collect();
    assert_eq!(diagonal[..], blocks);
}

#[test]
fn the_pattern_stays_while_the_stencils_do() {
    let mut random = Random(2);
    let lists = Lists::random(&mut random, 50, 40);
    let mut blocks = Blocks::<3>::default();
    lists.assemble(40, &mut blocks);
    let mut csc = Csc::<usize>::new(&blocks).unwrap();
    let (before, values) = (Arc::clone(blocks.pattern()), blocks.values().to_vec());
    lists.assemble(40, &mut blocks);
    assert!(Arc::ptr_eq(&before, blocks.pattern()));
    assert_eq!(values, blocks.values());
    csc.data.fill(f64::NAN);
    csc.refill(&blocks).unwrap();
    assert_eq!(csc.data, blocks.to_csc().data);
    // Another vertex, another number of vertices: another pattern.
    for (first, vertices) in [(39, 40), (39, 41), (0, 41)] {
        let mut changed = Lists::random(&mut Random(2), 50, 40);
        changed.single[0] = Stencil([first]);
        let before = Arc::clone(blocks.pattern());
        changed.assemble(vertices, &mut blocks);
        assert!(!Arc::ptr_eq(&before, blocks.pattern()));
        assert_twin(&blocks, &changed.twin::<3>());
        csc.refill(&blocks).unwrap();
        let fresh = blocks.to_csc();
        assert_eq!((&csc.data, &csc.indices, &csc.indptr), (&fresh.data, &fresh.indices, &fresh.indptr));
    }
}

#[test]
fn the_same_pattern_in_another_dimension_has_other_columns() {
    let mut csc = Csc::<usize>::default();
    let lists = Lists { single: vec![Stencil([1])], ..Lists::default() };
    let mut blocks = Blocks::<3>::default();
    lists.assemble(2, &mut blocks);
    csc.refill(&blocks).unwrap();
    assert_eq!(csc.indptr, [0, 0, 0, 0, 3, 6, 9]);
    let mut flat = Blocks::<2>::default();
    flat.begin(2, |out| out.push([Stencil([1])].into_iter()));
    csc.refill(&flat).unwrap();
    assert_eq!((csc.indptr, csc.indices), (vec![0, 0, 0, 2, 4], vec![2, 3, 2, 3]));
}

/// What `f` says when it panics.
fn complaint(f: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let payload = std::panic::catch_unwind(f).unwrap_err();
    payload.downcast_ref::<String>().cloned().unwrap_or_default()
}

#[test]
fn a_vertex_that_does_not_exist_is_noticed_every_time() {
    let mut blocks = Blocks::<2>::default();
    for _ in 0..2 {
        let mut list = || blocks.begin(3, |out| out.push([Stencil([0, 3])].into_iter()));
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(&mut list));
        assert!(panicked.is_err());
    }
    blocks.begin(4, |out| out.push([Stencil([0, 3])].into_iter()));
    assert_eq!(blocks.pattern().rows(), [0, 3, 3]);
}

#[test]
fn other_stencils_than_listed_are_noticed() {
    let begun = || {
        let mut blocks = Blocks::<2>::default();
        blocks.begin(4, |out| out.push([Stencil([0, 1]), Stencil([2, 1])].into_iter()));
        blocks
    };
    let add = |items: &[Stencil<2>]| {
        let mut blocks = begun();
        assemble::hessian(items, &mut Assembly::Matrix(&mut blocks), |_, s| *s, |k, _| local(k));
        blocks.finish();
    };
    add(&[Stencil([0, 1]), Stencil([2, 1])]);
    assert!(complaint(|| add(&[Stencil([0, 1])])).contains("list 0: 1 local matrices of 2 vertices"));
    assert!(complaint(|| add(&[Stencil([0, 1]), Stencil([1, 2])])).contains("[1, 2]"));
    assert!(complaint(|| begun().finish()).contains("only 0 of 1 lists"));
    let more = || {
        let mut blocks = begun();
        let out = &mut Assembly::Matrix(&mut blocks);
        assemble::hessian(&[1.0], out, |_, _| Stencil([3]), |_, s| [[Matrix::scalar(*s)]]);
    };
    assert!(complaint(more).contains("1 local matrices of 1 vertices"));
}

/// A local matrix of whole numbers that is not symmetric.
fn skew<const D: usize, const N: usize>(seed: usize) -> [[Matrix<D>; N]; N] {
    let entry = |i: usize, j: usize| ((seed * 31 + i * 7 + j * 13) % 101) as f64 - 50.0;
    let block = |i, j| Matrix(std::array::from_fn(|k| std::array::from_fn(|l| entry(i * D + k, j * D + l))));
    std::array::from_fn(|i| std::array::from_fn(|j| block(i, j)))
}

type Map = BTreeMap<(usize, usize), f64>;

fn add_block<const D: usize>(out: &mut Map, row: u32, column: u32, block: &Matrix<D>) {
    for (k, l) in (0..D).flat_map(|k| (0..D).map(move |l| (k, l))) {
        *out.entry((column as usize * D + l, row as usize * D + k)).or_insert(0.0) += block.0[k][l];
    }
}

fn add_full<const D: usize, const N: usize>(
    stencils: &[Stencil<N>],
    blocks: &mut FullBlocks<D>,
    out: &mut Map,
) {
    assemble::jacobian(stencils, blocks, |_, s| *s, |k, _| skew(k));
    for (seed, stencil) in stencils.iter().enumerate() {
        for (i, j) in (0..N).flat_map(|i| (0..N).map(move |j| (i, j))) {
            add_block(out, stencil.0[i], stencil.0[j], &skew::<D, N>(seed)[i][j]);
        }
    }
}

fn entries_of_csc(csc: &Csc<u32>) -> Vec<((usize, usize), f64)> {
    let size = csc.indptr.len() - 1;
    let columns = (0..size).flat_map(|c| (csc.indptr[c]..csc.indptr[c + 1]).map(move |_| c));
    let rows = csc.indices.iter().map(|&row| row as usize);
    columns.zip(rows).zip(csc.data.iter().copied()).collect()
}

fn check_full<const D: usize>(count: usize, vertices: u32, blocks: &mut FullBlocks<D>) {
    let mut random = Random(7);
    let mut lists = Lists::random(&mut random, count, vertices);
    if count > 0 {
        lists.triples.push(Stencil([2, 0, 2]));
    }
    blocks.begin(vertices as usize, |out| {
        out.push(lists.single.iter().copied());
        out.push(lists.pairs.iter().copied());
        out.push(lists.triples.iter().copied());
        out.push(lists.fours.iter().copied());
    });
    let mut map = Map::new();
    add_full(&lists.single, blocks, &mut map);
    add_full(&lists.pairs, blocks, &mut map);
    add_full(&lists.triples, blocks, &mut map);
    add_full(&lists.fours, blocks, &mut map);
    blocks.finish();
    let found = entries_of_csc(&Csc::of_full(blocks).unwrap());
    assert_eq!(found, map.iter().map(|(place, value)| (*place, *value)).collect::<Vec<_>>());
    let p: Vec<Vector<D>> =
        (0..vertices).map(|i| Vector(std::array::from_fn(|k| f64::from(i * 3) + k as f64))).collect();
    let mut product = vec![Vector([1.0; D]); vertices as usize];
    blocks.multiply(&p, &mut product);
    let mut expected = vec![0.0; vertices as usize * D];
    for (&(column, row), value) in &map {
        expected[row] += value * crate::math::vector::flat(&p)[column];
    }
    assert_eq!(crate::math::vector::flat(&product), expected);
    // Entries at any places, added to it and alone.
    let place = |k: usize, random: &mut Random| {
        (random.below(vertices), random.below(vertices), skew::<D, 1>(k)[0][0])
    };
    let entries: Vec<_> = (0..2 * count).map(|k| place(k, &mut random)).collect();
    let mut alone = Map::new();
    for (row, column, block) in &entries {
        add_block(&mut map, *row, *column, block);
        add_block(&mut alone, *row, *column, block);
    }
    let both = EntryColumns::sum(blocks, &entries);
    let found = entries_of_csc(&Csc::of_entries(&both).unwrap());
    assert_eq!(found, map.into_iter().collect::<Vec<_>>());
    let found = EntryColumns::new(vertices as usize, &entries);
    assert_eq!(entries_of_csc(&Csc::of_entries(&found).unwrap()), alone.into_iter().collect::<Vec<_>>());
}

#[test]
fn matrices_that_are_not_symmetric_are_those_of_a_map() {
    let mut kept = (FullBlocks::<2>::default(), FullBlocks::<3>::default());
    for (count, vertices) in [(0, 0), (0, 7), (1, 5), (40, 5), (40, 400), (3000, 300), (20, 6000)] {
        check_full(count, vertices, &mut kept.0);
        check_full(count, vertices, &mut kept.1);
    }
}
