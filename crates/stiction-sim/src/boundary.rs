//! Vertices whose positions are given: fixed ones and moving ones.

use stiction::math::Vector;

use crate::error::{Error, Result};

/// A displacement as a function of time: straight lines between key frames, constant before the first
/// and after the last. Without key frames: at rest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Path<const D: usize> {
    frames: Vec<(f64, Vector<D>)>,
}

impl<const D: usize> Path<D> {
    /// A path through these times (in s, ascending) and displacements (in m).
    ///
    /// # Errors
    /// If a number is not finite or the times do not ascend.
    pub fn new(frames: Vec<(f64, Vector<D>)>) -> Result<Self> {
        let mut last = f64::NEG_INFINITY;
        for &(time, displacement) in &frames {
            if !(time > last && time.is_finite() && displacement.is_finite()) {
                let must = "finite and later than the one before";
                return Err(Error::BadParameter { name: "time of a key frame", value: time, must });
            }
            last = time;
        }
        Ok(Self { frames })
    }

    /// The displacement at time `t`.
    pub fn at(&self, t: f64) -> Vector<D> {
        let after = self.frames.partition_point(|&(time, _)| time <= t);
        match (after.checked_sub(1).map(|i| self.frames[i]), self.frames.get(after)) {
            (None, None) => Vector::ZERO,
            (None, Some(&(_, first))) => first,
            (Some((_, last)), None) => last,
            (Some((t0, a)), Some(&(t1, b))) => a + (b - a) * ((t - t0) / (t1 - t0)),
        }
    }
}

/// The prescribed vertices of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Boundary<const D: usize> {
    /// Which path each prescribed vertex follows, ascending by vertex.
    vertices: Vec<(u32, u32)>,
    paths: Vec<Path<D>>,
}

impl<const D: usize> Boundary<D> {
    /// Makes the vertices follow a path from their rest positions; a later call for the same vertex wins.
    pub fn prescribe(&mut self, vertices: impl IntoIterator<Item = u32>, path: Path<D>) {
        let index = self.paths.len() as u32;
        self.paths.push(path);
        for vertex in vertices {
            match self.vertices.binary_search_by_key(&vertex, |&(v, _)| v) {
                Ok(place) => self.vertices[place].1 = index,
                Err(place) => self.vertices.insert(place, (vertex, index)),
            }
        }
    }

    /// The prescribed vertices, ascending.
    pub fn vertices(&self) -> impl Iterator<Item = u32> {
        self.vertices.iter().map(|&(vertex, _)| vertex)
    }

    /// For every vertex of a model with `count` of them whether it is prescribed.
    pub fn mask(&self, count: usize) -> Vec<bool> {
        let mut mask = vec![false; count];
        for vertex in self.vertices() {
            mask[vertex as usize] = true;
        }
        mask
    }

    /// Where the prescribed vertices should be at time `t`.
    pub fn targets(&self, rest: &[Vector<D>], t: f64) -> Vec<(u32, Vector<D>)> {
        let place =
            |&(vertex, path): &(u32, u32)| (vertex, rest[vertex as usize] + self.paths[path as usize].at(t));
        self.vertices.iter().map(place).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_linear_between_its_frames() {
        let path = Path::new(vec![(1.0, Vector([0.0, 0.0])), (3.0, Vector([2.0, -4.0]))]).unwrap();
        assert_eq!(path.at(0.0), Vector([0.0, 0.0]));
        assert_eq!(path.at(2.0), Vector([1.0, -2.0]));
        assert_eq!(path.at(9.0), Vector([2.0, -4.0]));
        assert_eq!(Path::<2>::default().at(1.0), Vector::ZERO);
        assert!(Path::new(vec![(1.0, Vector([0.0])), (1.0, Vector([0.0]))]).is_err());
    }

    #[test]
    fn the_later_prescription_wins() {
        let mut boundary = Boundary::default();
        boundary.prescribe([5, 2], Path::default());
        boundary.prescribe([5], Path::new(vec![(0.0, Vector([1.0]))]).unwrap());
        assert_eq!(boundary.vertices().collect::<Vec<_>>(), [2, 5]);
        assert_eq!(boundary.targets(&[Vector([0.0]); 6], 0.0), [(2, Vector([0.0])), (5, Vector([1.0]))]);
        assert_eq!(boundary.mask(6), [false, false, true, false, false, true]);
    }
}
