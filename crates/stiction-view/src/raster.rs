//! Which triangle each sample of a picture shows: a depth buffer over edge functions.
//!
//! A sample belongs to a triangle if it is inside, or on a top or left edge. The edge function of an edge is the same expression of the same
//! numbers for both triangles that share it, but for its sign, so that no sample is left out between them or drawn twice.
//!
//! ```text
//! e(p) = (b − a) × (p − a)     twice the area of (a, b, p); a and b ordered by their coordinates
//! ```

use rayon::prelude::*;

use crate::camera::{Camera, Lens};
use crate::vector::{Vector, add, scale, sub};

/// No triangle.
pub const NONE: u32 = u32::MAX;
/// Width and height of a tile in pixels.
pub const TILE: u32 = 32;

/// A triangle, or a part of it, as the picture has it.
#[derive(Clone, Copy, Debug)]
pub struct Facet {
    /// Pixel coordinates and nearness of the corners. Nearness is linear over the picture and greater where it is nearer: minus the depth,
    /// with perspective its inverse. The corners run clockwise in the picture (its y is downward).
    corners: [Vector; 3],
    /// The triangle.
    triangle: u32,
}

/// Samples of a part of a picture.
pub struct Samples {
    /// First pixel.
    pub origin: [u32; 2],
    /// Pixels to the right and down.
    pub size: [u32; 2],
    /// Samples along each side of a pixel.
    pub per_side: u32,
    /// The triangle of each sample, row by row.
    pub triangles: Vec<u32>,
    /// Its nearness; minus infinity where there is none.
    pub nearness: Vec<f64>,
}

/// Triangles of a picture, sorted into tiles.
pub struct Tiles {
    facets: Vec<Facet>,
    columns: u32,
    rows: u32,
    size: [u32; 2],
    /// The facets of each tile, in their order.
    members: Vec<Vec<u32>>,
}

impl Facet {
    /// None if it has no area in the picture or is not finite there.
    fn new(corners: [Vector; 3], triangle: u32) -> Option<Self> {
        let area = doubled_area(corners);
        if area == 0.0 || !area.is_finite() {
            return None;
        }
        let [a, b, c] = corners;
        Some(Self { corners: if area > 0.0 { corners } else { [a, c, b] }, triangle })
    }

    /// The least and greatest coordinate along an axis of the picture.
    fn extent(&self, axis: usize) -> [f64; 2] {
        let at = self.corners.map(|corner| corner[axis]);
        [at[0].min(at[1]).min(at[2]), at[0].max(at[1]).max(at[2])]
    }
}

fn doubled_area([a, b, c]: [Vector; 3]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// The part of a triangle before a camera, as facets.
fn facets_of(camera: &Camera, corners: [Vector; 3], triangle: u32) -> [Option<Facet>; 2] {
    let local = corners.map(|corner| camera.coordinates(corner));
    let near = camera.near();
    let seen = |corner: Vector| {
        let scale = camera.scale_at(corner[2]);
        let nearness = match camera.lens {
            Lens::Orthographic => -corner[2],
            Lens::Perspective { .. } => 1.0 / corner[2],
        };
        [camera.centre[0] + scale * corner[0], camera.centre[1] - scale * corner[1], nearness]
    };
    if local.iter().all(|corner| corner[2] >= near) {
        return [Facet::new(local.map(seen), triangle), None];
    }
    let (part, count) = clipped(local, near);
    let part = part.map(seen);
    [
        (count >= 3).then(|| Facet::new([part[0], part[1], part[2]], triangle)).flatten(),
        (count == 4).then(|| Facet::new([part[0], part[2], part[3]], triangle)).flatten(),
    ]
}

/// The part of a triangle that is at least `near` deep: a polygon and its number of corners.
fn clipped(corners: [Vector; 3], near: f64) -> ([Vector; 4], usize) {
    let mut part = [[0.0, 0.0, near]; 4];
    let mut count = 0;
    for i in 0..3 {
        let (a, b) = (corners[i], corners[(i + 1) % 3]);
        if a[2] >= near {
            part[count] = a;
            count += 1;
        }
        if (a[2] >= near) != (b[2] >= near) {
            part[count] = crossing(a, b, near);
            count += 1;
        }
    }
    (part, count)
}

/// Where an edge crosses the near plane: the same for both triangles of the edge.
fn crossing(a: Vector, b: Vector, near: f64) -> Vector {
    let (inside, outside) = if a[2] >= near { (a, b) } else { (b, a) };
    let share = (near - outside[2]) / (inside[2] - outside[2]);
    let at = add(outside, scale(sub(inside, outside), share));
    [at[0], at[1], near]
}

impl Tiles {
    /// Sorts the triangles that a camera sees into tiles.
    pub fn new(camera: &Camera, points: &[Vector], triangles: &[[u32; 3]]) -> Self {
        let facets: Vec<Facet> = triangles
            .par_iter()
            .enumerate()
            .flat_map_iter(|(index, triangle)| {
                let corners = triangle.map(|vertex| points[vertex as usize]);
                facets_of(camera, corners, index as u32).into_iter().flatten()
            })
            .collect();
        let [columns, rows] = camera.size.map(|pixels| pixels.div_ceil(TILE));
        let members = vec![Vec::new(); (columns * rows) as usize];
        let mut tiles = Self { facets, columns, rows, size: camera.size, members };
        for index in 0..tiles.facets.len() {
            tiles.sort_in(index);
        }
        tiles
    }

    fn sort_in(&mut self, index: usize) {
        let facet = self.facets[index];
        let (Some(columns), Some(rows)) =
            (tiles_of(facet.extent(0), self.columns), tiles_of(facet.extent(1), self.rows))
        else {
            return;
        };
        for row in rows {
            for column in columns.clone() {
                self.members[(row * self.columns + column) as usize].push(index as u32);
            }
        }
    }

    pub fn count(&self) -> usize {
        self.members.len()
    }

    /// The first pixel of a tile, and its pixels to the right and down.
    pub fn area(&self, tile: usize) -> ([u32; 2], [u32; 2]) {
        let origin = [tile as u32 % self.columns * TILE, tile as u32 / self.columns * TILE];
        (origin, [0, 1].map(|axis| TILE.min(self.size[axis] - origin[axis])))
    }

    /// The samples of a tile.
    pub fn samples(&self, tile: usize, per_side: u32) -> Samples {
        let (origin, size) = self.area(tile);
        let mut samples = Samples::empty(origin, size, per_side);
        for member in &self.members[tile] {
            samples.draw(&self.facets[*member as usize]);
        }
        samples
    }
}

/// The tiles along an axis that an extent meets.
fn tiles_of([least, most]: [f64; 2], count: u32) -> Option<std::ops::RangeInclusive<u32>> {
    let pixels = f64::from(count * TILE);
    if most < 0.0 || least > pixels {
        return None;
    }
    let tile = |at: f64| ((at.clamp(0.0, pixels) / f64::from(TILE)) as u32).min(count - 1);
    Some(tile(least)..=tile(most))
}

impl Samples {
    fn empty(origin: [u32; 2], size: [u32; 2], per_side: u32) -> Self {
        let count = (size[0] * size[1] * per_side * per_side) as usize;
        Self {
            origin,
            size,
            per_side,
            triangles: vec![NONE; count],
            nearness: vec![f64::NEG_INFINITY; count],
        }
    }

    /// Where a sample is along an axis, in pixels.
    pub fn place(&self, axis: usize, index: u32) -> f64 {
        let (pixel, part) = (index / self.per_side, index % self.per_side);
        f64::from(self.origin[axis] + pixel) + (f64::from(part) + 0.5) / f64::from(self.per_side)
    }

    /// The samples along an axis that may be within an extent.
    fn within(&self, axis: usize, extent: [f64; 2]) -> std::ops::Range<u32> {
        let per_side = f64::from(self.per_side);
        let count = self.size[axis] * self.per_side;
        let at =
            |place: f64| ((place - f64::from(self.origin[axis])) * per_side).clamp(-1.0, f64::from(count));
        let first = (at(extent[0]) - 1.0).max(0.0) as u32;
        let last = (at(extent[1]) + 1.0).max(0.0) as u32;
        first..last.min(count)
    }

    fn draw(&mut self, facet: &Facet) {
        let [a, b, c] = facet.corners;
        let edges = [Edge::new(b, c), Edge::new(c, a), Edge::new(a, b)];
        let slope = Slope::new(facet);
        let width = self.size[0] * self.per_side;
        let columns = self.within(0, facet.extent(0));
        let places: Vec<f64> = columns.clone().map(|column| self.place(0, column)).collect();
        for row in self.within(1, facet.extent(1)) {
            let starts = edges.map(|edge| edge.start(self.place(1, row)));
            for (column, x) in columns.clone().zip(&places) {
                let e: [f64; 3] = std::array::from_fn(|i| edges[i].value(starts[i], *x));
                if (0..3).all(|i| e[i] > 0.0 || (e[i] == 0.0 && edges[i].top_left)) {
                    self.set((row * width + column) as usize, slope.at(e), facet.triangle);
                }
            }
        }
    }

    fn set(&mut self, sample: usize, nearness: f64, triangle: u32) {
        if nearness > self.nearness[sample] {
            self.nearness[sample] = nearness;
            self.triangles[sample] = triangle;
        }
    }
}

/// An edge of a facet.
#[derive(Clone, Copy)]
struct Edge {
    /// Its end that comes first by coordinates, and the vector to the other.
    from: [f64; 2],
    along: [f64; 2],
    /// −1 if the facet runs through it the other way.
    sign: f64,
    /// Whether samples on it belong to the facet.
    top_left: bool,
}

impl Edge {
    fn new(p: Vector, q: Vector) -> Self {
        let forward = (p[0], p[1]) <= (q[0], q[1]);
        let (a, b) = if forward { (p, q) } else { (q, p) };
        let down = q[1] - p[1];
        Self {
            from: [a[0], a[1]],
            along: [b[0] - a[0], b[1] - a[1]],
            sign: if forward { 1.0 } else { -1.0 },
            top_left: down < 0.0 || (down == 0.0 && q[0] > p[0]),
        }
    }

    /// The part of the edge function that is the same along a row.
    fn start(&self, y: f64) -> f64 {
        self.along[0] * (y - self.from[1])
    }

    fn value(&self, start: f64, x: f64) -> f64 {
        self.sign * (start - self.along[1] * (x - self.from[0]))
    }
}

/// How nearness changes over a facet.
struct Slope {
    at: f64,
    to: [f64; 2],
    range: [f64; 2],
    area: f64,
}

impl Slope {
    fn new(facet: &Facet) -> Self {
        let n = facet.corners.map(|corner| corner[2]);
        // Differences, so that facets of one depth have exactly that depth everywhere.
        Self {
            at: n[0],
            to: [n[1] - n[0], n[2] - n[0]],
            range: facet.extent(2),
            area: doubled_area(facet.corners),
        }
    }

    /// Nearness from the three edge functions, never outside what the corners have.
    fn at(&self, e: [f64; 3]) -> f64 {
        let nearness = self.at + (e[1] * self.to[0] + e[2] * self.to[1]) / self.area;
        nearness.clamp(self.range[0], self.range[1])
    }
}

/// The triangle and the depth at the centre of each pixel.
pub struct Centres {
    /// [`NONE`] where there is none.
    pub triangles: Vec<u32>,
    /// Depth in m; infinite where there is none.
    pub depth: Vec<f64>,
}

impl Centres {
    pub fn new(camera: &Camera, tiles: &Tiles) -> Self {
        let [width, height] = camera.size.map(|pixels| pixels as usize);
        let mut centres =
            Self { triangles: vec![NONE; width * height], depth: vec![f64::INFINITY; width * height] };
        let parts: Vec<Samples> =
            (0..tiles.count()).into_par_iter().map(|tile| tiles.samples(tile, 1)).collect();
        for part in &parts {
            centres.paste(part, camera);
        }
        centres
    }

    fn paste(&mut self, part: &Samples, camera: &Camera) {
        for (index, triangle) in part.triangles.iter().enumerate() {
            let (x, y) = (index as u32 % part.size[0], index as u32 / part.size[0]);
            let pixel = ((part.origin[1] + y) * camera.size[0] + part.origin[0] + x) as usize;
            self.triangles[pixel] = *triangle;
            self.depth[pixel] = match camera.lens {
                Lens::Orthographic => -part.nearness[index],
                Lens::Perspective { .. } if *triangle == NONE => f64::INFINITY,
                Lens::Perspective { .. } => 1.0 / part.nearness[index],
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A camera whose picture has as many pixels as the tile, one per metre, y upward.
    fn camera() -> Camera {
        Camera {
            eye: [0.0; 3],
            right: [1.0, 0.0, 0.0],
            up: [0.0, 1.0, 0.0],
            forward: [0.0, 0.0, -1.0],
            lens: Lens::Orthographic,
            scale: 1.0,
            centre: [0.0, f64::from(TILE)],
            size: [TILE; 2],
        }
    }

    /// How many of the triangles each sample belongs to.
    fn coverage(points: &[Vector], triangles: &[[u32; 3]], per_side: u32) -> Vec<u32> {
        let mut counts = vec![0; (TILE * TILE * per_side * per_side) as usize];
        for triangle in triangles {
            let tiles = Tiles::new(&camera(), points, &[*triangle]);
            for (count, shown) in counts.iter_mut().zip(tiles.samples(0, per_side).triangles) {
                *count += u32::from(shown != NONE);
            }
        }
        counts
    }

    /// Triangles around a point within a square that is larger than the picture.
    fn fan(middle: [f64; 2]) -> (Vec<Vector>, Vec<[u32; 3]>) {
        let side = f64::from(TILE) + 2.0;
        let rim = [[-2.0, -2.0], [side / 2.0, -2.5], [side, -2.0], [side, side], [7.0, side], [-2.0, side]];
        let points = std::iter::once(middle).chain(rim).map(|[x, y]| [x, y, 0.0]).collect();
        // Every other one is turned, as both sides of a surface are seen.
        let triangle = |i: u32| {
            if i.is_multiple_of(2) { [0, i + 1, (i + 1) % 6 + 1] } else { [0, (i + 1) % 6 + 1, i + 1] }
        };
        (points, (0..6).map(triangle).collect())
    }

    #[test]
    fn every_sample_belongs_to_one_triangle_of_a_fan() {
        // Places on pixel centres, pixel corners, samples, and none of them.
        for middle in [[16.5, 16.5], [9.0, 23.0], [12.0 + 1.0 / 6.0, 20.5], [13.3, 17.77], [0.5, 31.5]] {
            let (points, triangles) = fan(middle);
            for per_side in [1, 3] {
                let counts = coverage(&points, &triangles, per_side);
                assert!(counts.iter().all(|count| *count == 1), "around {middle:?}");
            }
        }
    }

    #[test]
    fn squares_on_pixel_centres_have_a_top_and_a_left_edge() {
        let square = [[4.5, 4.5, 0.0], [9.5, 4.5, 0.0], [9.5, 9.5, 0.0], [4.5, 9.5, 0.0]];
        let counts = coverage(&square, &[[0, 1, 2], [0, 2, 3]], 1);
        assert_eq!(counts.iter().sum::<u32>(), 25);
        let row_of_top_edge = TILE as usize - 10;
        assert_eq!(counts[row_of_top_edge * TILE as usize + 4], 1);
    }

    #[test]
    fn what_is_behind_a_camera_is_cut_away() {
        let near = 0.1;
        let before = [[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 2.0]];
        assert_eq!(clipped(before, near).1, 3);
        let mut through = before;
        through[2][2] = -1.0;
        let (part, count) = clipped(through, near);
        assert_eq!(count, 4);
        assert!(part.iter().all(|corner| corner[2] >= near));
        assert_eq!(clipped(before.map(|[x, y, _]| [x, y, -1.0]), near).1, 0);
    }
}
