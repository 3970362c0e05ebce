//! The same input gives the same bits, whatever the number of threads.

use crate::support;
use stiction_sim::step::step;

/// Bits of positions and velocities after some steps of a scene, on a pool of so many threads.
fn bits<const D: usize>(name: &str, steps: usize, threads: usize) -> Vec<u64> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let (model, mut state, mut work) = support::begin::<D>(&support::scene(name));
        let mut contacts = 0;
        for _ in 0..steps {
            let report = step(&model, &mut state, &mut work).unwrap();
            contacts += report.contacts.total();
        }
        assert!(contacts > 0, "{name} touches nothing");
        state.q.iter().chain(&state.v).flat_map(|v| v.0).map(f64::to_bits).collect()
    })
}

fn compare<const D: usize>(name: &str, steps: usize) {
    let one = bits::<D>(name, steps, 1);
    for threads in [2, 8] {
        assert!(one == bits::<D>(name, steps, threads), "{name} differs on {threads} threads");
    }
}

#[test]
fn threads_do_not_matter() {
    compare::<2>("slide-2d.toml", 60);
    compare::<3>("slide-3d.toml", 30);
    compare::<2>("rub-2d.toml", 50);
    compare::<3>("rub-3d.toml", 40);
    compare::<2>("rollers-2d.toml", 30);
    compare::<2>("press-2d.toml", 40);
}
