//! Every broad phase against brute force: the same candidates in the same order.

mod support;

use stiction::broad_phase::BroadPhaseKind;
use stiction::math::Vector;
use stiction::mesh::Surface;
use support::Random;

/// How the places and sizes of random triangles are spread.
#[derive(Clone, Copy, Debug)]
enum Spread {
    Even,
    Clustered,
    Flat,
    HugeAndTiny,
    OnePlace,
}

fn triangles<const D: usize>(count: u32, spread: Spread, random: &mut Random) -> Vec<Vector<D>> {
    let mut x = Vec::new();
    for _ in 0..count {
        let (place, size) = match spread {
            Spread::Even => (random.points::<D, 1>(1.0)[0], 0.25),
            Spread::Clustered => (random.points::<D, 1>(1.0)[0] * random.between(0.0, 1.0).powi(6), 0.03),
            Spread::Flat => {
                let mut place = random.points::<D, 1>(1.0)[0];
                place[1] = 0.0;
                (place, 0.1)
            }
            Spread::HugeAndTiny => (random.points::<D, 1>(1.0)[0], 10_f64.powf(random.between(-6.0, 0.5))),
            Spread::OnePlace => (Vector([3.0; D]), 1e-3),
        };
        x.extend(random.points::<D, 3>(size).map(|corner| place + corner));
    }
    x
}

fn compare<const D: usize>() {
    let mut random = Random::new(D as u64);
    for spread in [Spread::Even, Spread::Clustered, Spread::Flat, Spread::HugeAndTiny, Spread::OnePlace] {
        for count in [0, 1, 2, 3, 5, 40, 150] {
            let x = triangles::<D>(count, spread, &mut random);
            let faces: Vec<[u32; 3]> = (0..count).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
            let edges = faces.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
            let surface = Surface::new(x.clone(), edges, if D == 2 { vec![] } else { faces }).unwrap();
            let end: Vec<_> = x.iter().map(|x| *x + random.points::<D, 1>(0.2)[0]).collect();
            for (end, inflation) in [(&x, 0.0), (&x, 0.05), (&end, 0.0), (&end, 0.01)] {
                let exact = BroadPhaseKind::BruteForce.candidates(&surface, &x, end, inflation);
                let found = BroadPhaseKind::Bvh.candidates(&surface, &x, end, inflation);
                assert_eq!(exact, found, "{spread:?}, {count} triangles in {D}D, inflation {inflation}");
                if count == 150 {
                    assert!(exact.ve.len() + exact.ee.len() > 100, "{spread:?} has no candidates");
                }
            }
        }
    }
}

#[test]
fn trees_find_what_brute_force_finds_in_2d() {
    compare::<2>();
}

#[test]
fn trees_find_what_brute_force_finds_in_3d() {
    compare::<3>();
}
