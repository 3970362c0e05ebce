//! The 256 colours of a GIF.

use crate::color::Rgb;
use crate::picture::Picture;

/// A palette, with the entry for each colour.
pub struct Palette {
    /// Its colours.
    pub colors: Vec<Rgb>,
    /// The nearest entry for each colour of [`BITS`] bits a part.
    nearest: Vec<u8>,
}

/// Colours are told apart by the upper bits of their parts.
const BITS: u32 = 6;
const MOST: usize = 256;

/// Colours of pictures, and how many pixels have them.
type Counted = (Rgb, f64);

impl Palette {
    /// The colours that stand best for those of some pictures. The background keeps its colour exactly.
    pub fn new(pictures: &[Picture], background: Rgb) -> Self {
        let mut groups = vec![Group::new(histogram(pictures))];
        while groups.len() < MOST - 1 {
            let widest = (0..groups.len()).max_by(|i, j| groups[*i].spread.total_cmp(&groups[*j].spread));
            let Some(widest) = widest.filter(|index| groups[*index].spread > 0.0) else { break };
            let widest = groups.swap_remove(widest);
            groups.extend(widest.split());
        }
        let mut colors = vec![background];
        let used = groups.iter().filter(|group| !group.colors.is_empty());
        colors.extend(used.map(|group| mean(&group.colors).map(|part| part.round() as u8)));
        let mut nearest: Vec<u8> = (0..1 << (3 * BITS)).map(|bin| nearest(&colors, color_of(bin))).collect();
        nearest[bin_of(background)] = 0;
        Self { colors, nearest }
    }

    /// The entry for a colour.
    pub fn entry(&self, color: Rgb) -> u8 {
        self.nearest[bin_of(color)]
    }
}

fn bin_of(color: Rgb) -> usize {
    color.iter().fold(0, |bin, part| bin << BITS | usize::from(*part >> (8 - BITS)))
}

fn color_of(bin: usize) -> Rgb {
    [2 * BITS, BITS, 0].map(|shift| {
        let part = (bin >> shift & ((1 << BITS) - 1)) as u8;
        part << (8 - BITS) | part >> (2 * BITS - 8)
    })
}

fn histogram(pictures: &[Picture]) -> Vec<Counted> {
    let mut counts = vec![0.0; 1 << (3 * BITS)];
    for picture in pictures {
        for pixel in picture.rgba.chunks_exact(4) {
            counts[bin_of([pixel[0], pixel[1], pixel[2]])] += 1.0;
        }
    }
    // The root, so that small things have colours beside large ones.
    let used = counts.iter().enumerate().filter(|(_, count)| **count > 0.0);
    used.map(|(bin, count)| (color_of(bin), f64::sqrt(*count))).collect()
}

fn mean(colors: &[Counted]) -> [f64; 3] {
    let total: f64 = colors.iter().map(|(_, count)| count).sum();
    std::array::from_fn(|part| {
        colors.iter().map(|(color, count)| f64::from(color[part]) * count).sum::<f64>() / total
    })
}

/// Colours that one entry may stand for.
struct Group {
    colors: Vec<Counted>,
    /// The part of colours that differs most.
    part: usize,
    /// The sum of its squared differences from the mean.
    spread: f64,
}

impl Group {
    fn new(colors: Vec<Counted>) -> Self {
        let mean = mean(&colors);
        let of = |part: usize| -> f64 {
            colors.iter().map(|(color, count)| (f64::from(color[part]) - mean[part]).powi(2) * count).sum()
        };
        let spreads = (0..3).map(|part| (part, of(part)));
        let (part, spread) = spreads.max_by(|one, other| one.1.total_cmp(&other.1)).unwrap_or((0, 0.0));
        Self { colors, part, spread: if spread.is_nan() { 0.0 } else { spread } }
    }

    /// Cuts at the mean of the part that differs most.
    fn split(self) -> [Self; 2] {
        let (part, limit) = (self.part, mean(&self.colors)[self.part]);
        let (lower, upper) = self.colors.into_iter().partition(|(color, _)| f64::from(color[part]) < limit);
        [Self::new(lower), Self::new(upper)]
    }
}

fn nearest(colors: &[Rgb], color: Rgb) -> u8 {
    let apart = |other: &Rgb| -> i32 {
        (0..3).map(|part| (i32::from(other[part]) - i32::from(color[part])).pow(2)).sum()
    };
    (0..colors.len()).min_by_key(|index| apart(&colors[*index])).unwrap_or(0) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(colors: &[Rgb]) -> Picture {
        let count = colors.len();
        Picture {
            width: count as u32,
            height: 1,
            rgba: colors.iter().flat_map(|color| [color[0], color[1], color[2], 255]).collect(),
            things: vec![None; count],
            triangles: vec![None; count],
            depth: vec![f64::INFINITY; count],
        }
    }

    #[test]
    fn the_background_keeps_its_color() {
        let near: Vec<Rgb> = (240..=255).map(|part| [part; 3]).collect();
        let palette = Palette::new(&[picture(&near)], [250, 251, 253]);
        assert_eq!(palette.colors[usize::from(palette.entry([250, 251, 253]))], [250, 251, 253]);
    }

    #[test]
    fn a_thousand_colors_become_256_that_are_close() {
        let many: Vec<Rgb> =
            (0..1000u32).map(|i| [i / 4, i % 100, i * 7 % 256].map(|part| part as u8)).collect();
        let palette = Palette::new(&[picture(&many)], [255; 3]);
        assert!(palette.colors.len() <= 256);
        let apart = |color: &Rgb| {
            let entry = palette.colors[usize::from(palette.entry(*color))];
            (0..3).map(|part| entry[part].abs_diff(color[part])).max().unwrap_or(0)
        };
        assert!(many.iter().map(apart).max() < Some(40));
        assert!(many.iter().map(|color| f64::from(apart(color))).sum::<f64>() < 14.0 * 1000.0);
    }

    #[test]
    fn no_pictures_have_a_palette() {
        assert_eq!(Palette::new(&[], [255; 3]).colors, [[255; 3]]);
    }
}
