//! Curves as bytes: times as 64-bit numbers, then each curve as 32-bit ones, all little-endian.

use crate::film::Scenery;

/// Curves with more points are thinned to the lowest and the highest value of each stretch of steps.
const STRETCHES: usize = 10_000;

/// The points of all curves.
pub fn encode(scenery: &Scenery) -> Vec<u8> {
    let times = &scenery.step_times;
    if times.len() <= 2 * STRETCHES {
        return bytes(times, scenery.curves.iter().map(|curve| curve.values.clone()));
    }
    let ends: Vec<usize> = (0..=STRETCHES).map(|index| index * times.len() / STRETCHES).collect();
    let thin_times: Vec<f64> =
        ends.windows(2).flat_map(|stretch| [times[stretch[0]], times[stretch[1] - 1]]).collect();
    let thin =
        |values: &[f64]| ends.windows(2).flat_map(|ends| extremes(&values[ends[0]..ends[1]])).collect();
    bytes(&thin_times, scenery.curves.iter().map(|curve| thin(&curve.values)))
}

/// How many points each curve has in the page.
pub fn points(scenery: &Scenery) -> usize {
    scenery.step_times.len().min(2 * STRETCHES)
}

fn bytes(times: &[f64], curves: impl Iterator<Item = Vec<f64>>) -> Vec<u8> {
    let mut out: Vec<u8> = times.iter().flat_map(|time| time.to_le_bytes()).collect();
    for values in curves {
        out.extend(values.iter().flat_map(|value| (*value as f32).to_le_bytes()));
    }
    out
}

/// The lowest and the highest value, in the order in which they come.
fn extremes(values: &[f64]) -> [f64; 2] {
    let (mut low, mut high) = (0, 0);
    for (index, value) in values.iter().enumerate() {
        if *value < values[low] || values[low].is_nan() {
            low = index;
        }
        if *value > values[high] || values[high].is_nan() {
            high = index;
        }
    }
    [values[low.min(high)], values[low.max(high)]]
}
