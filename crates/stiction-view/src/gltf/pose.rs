//! Rigid motions, found from points.

use crate::vector::{Vector, add, cross, dot, norm, sub, unit};

/// Three orthogonal unit vectors.
type Basis = [Vector; 3];

/// Vectors whose turned form may be off by this, relative to the size of the thing.
const TOLERANCE: f64 = 1e-6;
/// Three points make a basis if the third is off the line of the others by this, relative to their distance.
const OFF_LINE: f64 = 1e-3;

/// Where a rigid thing is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pose {
    /// A unit quaternion: x, y, z, w.
    pub(super) rotation: [f64; 4],
    /// Where the origin of the thing is, in m.
    pub(super) translation: Vector,
}

/// Three points of a thing that tell how it is turned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchors {
    indices: [usize; 3],
    basis: Basis,
}

impl Anchors {
    /// Three points that are far from each other and from a common line, if there are.
    pub(super) fn new(points: &[Vector]) -> Option<Self> {
        let start = *points.first()?;
        let far = farthest(points, |point| squared(sub(point, start)));
        let along = sub(points[far], start);
        let off = farthest(points, |point| squared(cross(along, sub(point, start))));
        let area = norm(cross(along, sub(points[off], start)));
        let indices = [0, far, off];
        let basis = basis(indices.map(|index| points[index]))?;
        (area > OFF_LINE * squared(along)).then_some(Self { indices, basis })
    }

    /// The rigid motion that takes `before` to `after`, if there is one: exact but for rounding.
    pub(super) fn pose(&self, before: &[Vector], after: &[Vector], origin: Vector) -> Option<Pose> {
        let now = basis(self.indices.map(|index| after[index]))?;
        let rotation = [0, 1, 2].map(|row| {
            [0, 1, 2].map(|column| (0..3).map(|axis| now[axis][row] * self.basis[axis][column]).sum())
        });
        let [start, far, _] = self.indices;
        let (from, to) = (before[start], after[start]);
        let moved = |point| add(times(rotation, sub(point, from)), to);
        let limit = TOLERANCE * TOLERANCE * squared(sub(before[far], from));
        let fits = |(old, new): (&Vector, &Vector)| squared(sub(moved(*old), *new)) <= limit;
        let pose = || Pose { rotation: quaternion(rotation), translation: moved(origin) };
        before.iter().zip(after).all(fits).then(pose)
    }
}

fn farthest(points: &[Vector], distance: impl Fn(Vector) -> f64) -> usize {
    (0..points.len()).max_by(|a, b| distance(points[*a]).total_cmp(&distance(points[*b]))).unwrap_or(0)
}

/// The first vector along the first two points, the third normal to all of them.
fn basis([a, b, c]: [Vector; 3]) -> Option<Basis> {
    let first = unit(sub(b, a))?;
    let third = unit(cross(first, sub(c, a)))?;
    Some([first, cross(third, first), third])
}

/// Shepperd's method: divides by the largest component, whose sign is positive.
fn quaternion(m: Basis) -> [f64; 4] {
    let trace = m[0][0] + m[1][1] + m[2][2];
    let (i, largest) = [m[0][0], m[1][1], m[2][2], trace]
        .into_iter()
        .enumerate()
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .unwrap_or((3, trace));
    let mut q = [m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1], 1.0 + trace];
    if i < 3 {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let w = q[i];
        q[i] = 1.0 + 2.0 * largest - trace;
        q[j] = m[j][i] + m[i][j];
        q[k] = m[k][i] + m[i][k];
        q[3] = w;
    }
    let length = q.iter().map(|value| value * value).sum::<f64>().sqrt();
    q.map(|value| value / length)
}

/// The shortest rotation that takes a direction to +y, unless the direction is +y or zero.
pub(super) fn upright(up: Vector) -> Option<[f64; 4]> {
    let [x, y, z] = unit(up)?;
    let (axis, w) = ([-z, 0.0, x], 1.0 + y);
    let length = (squared(axis) + w * w).sqrt();
    if w < 1e-12 {
        // Upside down: about z, so that what is in the plane of a 2D film stays in it.
        return Some([0.0, 0.0, 1.0, 0.0]);
    }
    (squared(axis) > 1e-24).then(|| [axis[0], axis[1], axis[2], w].map(|value| value / length))
}

/// A matrix, row by row, times a vector.
fn times(m: Basis, v: Vector) -> Vector {
    m.map(|row| dot(row, v))
}

fn squared(v: Vector) -> f64 {
    dot(v, v)
}
