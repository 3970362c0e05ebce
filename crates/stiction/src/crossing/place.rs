//! Where primitives that share a point meet, in plain numbers: good to rounding, to be shown to a person.

use super::exact::{segment_meets_triangle, segments_meet, sides};
use crate::math::Vector;
use crate::mesh::orientation::{exact_sides, exact_turns, side_value, space, turn_value, view};

/// Differences of plain numbers larger than this part of what they are made of have digits enough.
const CLEAR: f64 = 1e-3;

/// A common point of two segments that meet.
pub(super) fn of_segments<const D: usize>(p: [Vector<D>; 2], q: [Vector<D>; 2]) -> Vector<D> {
    let unit = power_near_largest(p.iter().chain(&q));
    of_unit_segments(p.map(|p| p * (1.0 / unit)), q.map(|q| q * (1.0 / unit))) * unit
}

/// A common point of an edge and a face that meet.
pub(super) fn of_edge_and_face<const D: usize>(p: [Vector<D>; 2], t: [Vector<D>; 3]) -> Vector<D> {
    let unit = power_near_largest(p.iter().chain(&t));
    let small = |x: Vector<D>| space(x) * (1.0 / unit);
    let place = of_segment_and_triangle(p.map(small), t.map(small)) * unit;
    Vector(std::array::from_fn(|k| place.0[k % 3]))
}

/// A power of two near the largest coordinate: divided by it, products do not overflow.
fn power_near_largest<'a, const D: usize>(points: impl Iterator<Item = &'a Vector<D>>) -> f64 {
    let largest = points.flat_map(|p| p.0).fold(0.0, |m: f64, x| m.max(x.abs()));
    if largest > 0.0 { 2.0_f64.powi(largest.log2().clamp(-1000.0, 1000.0) as i32) } else { 1.0 }
}

fn of_unit_segments<const D: usize>(p: [Vector<D>; 2], q: [Vector<D>; 2]) -> Vector<D> {
    let distances = |k: usize| {
        let q = q.map(|q| view(q, k));
        p.map(|p| turn_value(q[0], q[1], view(p, k)))
    };
    // The view in which they cross most widely tells where.
    let widest = (0..3).map(|k| (k, distances(k))).max_by(|a, b| spread(a.1).total_cmp(&spread(b.1)));
    let Some((k, rough)) = widest else { return p[0] };
    let clear = CLEAR * extent(p.iter().chain(&q)).powi(2);
    let views = |x: [Vector<D>; 2]| x.map(|x| view(x, k));
    let distances = if spread(rough) > clear { rough } else { exact_turns(views(q), views(p)) };
    if spread(distances) > 0.0 { between(p, distances) } else { end_on_both(p, q) }
}

fn of_segment_and_triangle(p: [Vector<3>; 2], t: [Vector<3>; 3]) -> Vector<3> {
    let rough = p.map(|p| side_value(t, p));
    let clear = CLEAR * extent(p.iter().chain(&t)).powi(3);
    let distances = if spread(rough) > clear { rough } else { exact_sides(t, p) };
    if spread(distances) > 0.0 {
        return between(p, distances);
    }
    if let Some(end) = p.into_iter().find(|end| segment_meets_triangle([*end; 2], t)) {
        return end;
    }
    sides(t).find(|side| segments_meet(p, *side)).map_or(p[0], |side| of_unit_segments(p, side))
}

/// The largest difference of two coordinates of the same axis.
fn extent<'a, const D: usize>(points: impl Iterator<Item = &'a Vector<D>>) -> f64 {
    let none = (Vector([f64::INFINITY; D]), Vector([f64::NEG_INFINITY; D]));
    let (low, high) = points.fold(none, |(low, high), p| (low.min(*p), high.max(*p)));
    (high - low).0.into_iter().fold(0.0, f64::max)
}

fn spread([a, b]: [f64; 2]) -> f64 {
    (a - b).abs()
}

/// The point of a segment where a quantity that changes linearly from `a` to `b` is zero.
fn between<const D: usize>(p: [Vector<D>; 2], [a, b]: [f64; 2]) -> Vector<D> {
    let t = a / (a - b);
    // Where the quantity overflows, the middle has to do.
    let t = if t.is_finite() { t.clamp(0.0, 1.0) } else { 0.5 };
    p[0] * (1.0 - t) + p[1] * t
}

/// An end of one of two segments on a line that lies on the other.
fn end_on_both<const D: usize>(p: [Vector<D>; 2], q: [Vector<D>; 2]) -> Vector<D> {
    p.into_iter().find(|end| segments_meet([*end; 2], q)).unwrap_or(q[0])
}
