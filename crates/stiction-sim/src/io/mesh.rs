//! Meshes as files have them.

use stiction::math::Vector;

use super::scan::{Scan, Scanned, Trouble};

/// Points with the segments, triangles and tetrahedra between them. Flat meshes have a zero third coordinate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Positions.
    pub points: Vec<Vector<3>>,
    /// Segments.
    pub edges: Vec<[u32; 2]>,
    /// Triangles.
    pub triangles: Vec<[u32; 3]>,
    /// Tetrahedra.
    pub tetrahedra: Vec<[u32; 4]>,
}

impl Mesh {
    /// Whether all vertex numbers exist.
    pub fn is_valid(&self) -> bool {
        let edges = self.edges.as_flattened().iter();
        let vertices = edges.chain(self.triangles.as_flattened()).chain(self.tetrahedra.as_flattened());
        vertices.max().is_none_or(|last| (*last as usize) < self.points.len())
    }
}

/// A mesh that is being read. Vertices may be named before they come.
#[derive(Default)]
pub(super) struct Draft {
    pub mesh: Mesh,
    /// The largest vertex number so far, and where it was.
    largest: Option<(u32, usize)>,
}

impl Draft {
    /// Adds a point.
    pub fn point(&mut self, scan: &Scan<'_>, point: [f64; 3]) -> Scanned<()> {
        if !Vector(point).is_finite() {
            return Err(scan.trouble(format!("point {} is not finite", self.mesh.points.len())));
        }
        if self.mesh.points.len() >= u32::MAX as usize {
            return Err(scan.trouble("there are too many points"));
        }
        self.mesh.points.push(Vector(point));
        Ok(())
    }

    /// The vertex that is called `name` where the first is called `first`.
    pub fn vertex(&mut self, scan: &Scan<'_>, name: i64, first: i64) -> Scanned<u32> {
        let number = name.checked_sub(first).and_then(|number| u32::try_from(number).ok());
        let Some(number) = number else {
            return Err(scan.trouble(format!("there is no vertex {name}")));
        };
        if self.largest.is_none_or(|(largest, _)| number > largest) {
            self.largest = Some((number, scan.offset()));
        }
        Ok(number)
    }

    /// Adds a segment, a triangle or, cut into triangles that share its first vertex, a polygon.
    pub fn polygon(&mut self, scan: &Scan<'_>, vertices: &[u32]) -> Scanned<()> {
        match vertices {
            [a, b] => self.mesh.edges.push([*a, *b]),
            [a, others @ ..] if others.len() >= 2 => {
                self.mesh.triangles.extend(others.windows(2).map(|pair| [*a, pair[0], pair[1]]));
            }
            _ => return Err(scan.trouble(format!("a face has {} vertices", vertices.len()))),
        }
        Ok(())
    }

    /// The mesh, if all vertices exist.
    pub fn finished(self, scan: &Scan<'_>) -> Result<Mesh, Trouble> {
        match self.largest {
            Some((number, offset)) if number as usize >= self.mesh.points.len() => {
                let message =
                    format!("vertex {number} (from 0) is used, but there are {}", self.mesh.points.len());
                Err(scan.trouble_at(offset, message))
            }
            _ => Ok(self.mesh),
        }
    }
}
