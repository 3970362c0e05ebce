//! Flat shapes on a picture, with smooth edges.

use crate::color::{Rgb, mix};

/// The pixels of a picture.
pub struct Canvas<'a> {
    /// Red, green, blue and opacity of each pixel.
    pub rgba: &'a mut [u8],
    /// Width and height.
    pub size: [u32; 2],
}

/// A place on a canvas, in pixels.
pub type Place = [f64; 2];

impl Canvas<'_> {
    /// Lays a colour over a pixel.
    pub fn blend(&mut self, column: i64, row: i64, color: Rgb, share: f64) {
        let [width, height] = self.size.map(i64::from);
        if share <= 0.0 || !(0..width).contains(&column) || !(0..height).contains(&row) {
            return;
        }
        let at = 4 * (row * width + column) as usize;
        let under = [self.rgba[at], self.rgba[at + 1], self.rgba[at + 2]];
        self.rgba[at..at + 3].copy_from_slice(&mix(under, color, share.min(1.0)));
    }

    /// Fills what is at a negative distance: `distance` is that of a pixel's centre to the shape, in pixels, and the shape lies within `bounds`.
    pub fn fill(&mut self, bounds: [Place; 2], (color, share): (Rgb, f64), distance: impl Fn(Place) -> f64) {
        let limit = |at: f64, axis: usize| at.clamp(-1.0, f64::from(self.size[axis]) + 1.0) as i64;
        let columns = limit(bounds[0][0] - 2.0, 0)..=limit(bounds[1][0] + 2.0, 0);
        for row in limit(bounds[0][1] - 2.0, 1)..=limit(bounds[1][1] + 2.0, 1) {
            for column in columns.clone() {
                let away = distance([column as f64 + 0.5, row as f64 + 0.5]);
                self.blend(column, row, color, share * (0.5 - away).clamp(0.0, 1.0));
            }
        }
    }

    /// A rectangle, between two corners.
    pub fn rectangle(&mut self, corners: [Place; 2], color: Rgb) {
        let [low, high] = corners;
        self.fill(corners, (color, 1.0), |at| {
            (low[0] - at[0]).max(at[0] - high[0]).max(low[1] - at[1]).max(at[1] - high[1])
        });
    }

    /// A line with round ends.
    pub fn line(&mut self, ends: [Place; 2], width: f64, color: Rgb) {
        let reach = width / 2.0;
        let low = [ends[0][0].min(ends[1][0]) - reach, ends[0][1].min(ends[1][1]) - reach];
        let high = [ends[0][0].max(ends[1][0]) + reach, ends[0][1].max(ends[1][1]) + reach];
        self.fill([low, high], (color, 1.0), |at| distance_to_segment(at, ends) - reach);
    }

    /// A disc.
    pub fn disc(&mut self, centre: Place, radius: f64, color: Rgb) {
        let bounds = [centre.map(|at| at - radius), centre.map(|at| at + radius)];
        self.fill(bounds, (color, 1.0), |at| (at[0] - centre[0]).hypot(at[1] - centre[1]) - radius);
    }

    /// A triangle, made larger by some pixels.
    pub fn triangle(&mut self, corners: [Place; 3], larger: f64, color: Rgb) {
        let around = |axis: usize| {
            let at = corners.map(|corner| corner[axis]);
            [at[0].min(at[1]).min(at[2]) - larger, at[0].max(at[1]).max(at[2]) + larger]
        };
        let (x, y) = (around(0), around(1));
        self.fill([[x[0], y[0]], [x[1], y[1]]], (color, 1.0), |at| {
            distance_to_triangle(at, corners) - larger
        });
    }
}

fn distance_to_segment(at: Place, [a, b]: [Place; 2]) -> f64 {
    let (along, from) = ([b[0] - a[0], b[1] - a[1]], [at[0] - a[0], at[1] - a[1]]);
    let square = along[0] * along[0] + along[1] * along[1];
    let share = if square > 0.0 { (from[0] * along[0] + from[1] * along[1]) / square } else { 0.0 };
    let share = share.clamp(0.0, 1.0);
    (from[0] - share * along[0]).hypot(from[1] - share * along[1])
}

/// Negative inside.
fn distance_to_triangle(at: Place, corners: [Place; 3]) -> f64 {
    let edges = [[corners[0], corners[1]], [corners[1], corners[2]], [corners[2], corners[0]]];
    let nearest = edges.iter().map(|edge| distance_to_segment(at, *edge)).fold(f64::INFINITY, f64::min);
    let sides = edges.map(|[a, b]| (b[0] - a[0]) * (at[1] - a[1]) - (b[1] - a[1]) * (at[0] - a[0]));
    let inside = sides.iter().all(|side| *side >= 0.0) || sides.iter().all(|side| *side <= 0.0);
    if inside { -nearest } else { nearest }
}
