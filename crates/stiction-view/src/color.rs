//! Colours: those of bodies, and colour maps.

use std::sync::LazyLock;

/// Red, green and blue from 0 to 255, in sRGB.
pub type Rgb = [u8; 3];
/// The same from 0 to 1, proportional to light, in which colours are mixed.
pub type Light = [f32; 3];

/// Colours of bodies, which people with colour-blindness can tell apart.
pub const BODIES: [Rgb; 6] = [
    [0x2f, 0x6f, 0xb2],
    [0xe0, 0x8a, 0x1e],
    [0x3a, 0x9d, 0x6e],
    [0xb4, 0x43, 0x8f],
    [0x7a, 0x6a, 0xd8],
    [0x8a; 3],
];
/// Colour of obstacles.
pub const OBSTACLE: Rgb = [0xd5, 0xd8, 0xdc];
/// Colours of categories: the first is for those that do nothing.
pub const CATEGORIES: [Rgb; 8] = [
    [0xc9, 0xcd, 0xd3],
    [0x2f, 0x6f, 0xb2],
    [0xe0, 0x8a, 0x1e],
    [0x3a, 0x9d, 0x6e],
    [0xb4, 0x43, 0x8f],
    [0x7a, 0x6a, 0xd8],
    [0x8c, 0x6d, 0x46],
    [0x5b, 0xb8, 0xc9],
];
/// Colour of text and of outlines.
pub const INK: Rgb = [0x26, 0x2b, 0x33];
/// Colour where a field has no value.
pub const UNKNOWN: Rgb = [0xb8, 0xbc, 0xc2];

/// Viridis (Smith and van der Walt 2015), for quantities from small to large.
const SEQUENTIAL: [Rgb; 10] = [
    [0x44, 0x01, 0x54],
    [0x48, 0x28, 0x78],
    [0x3e, 0x49, 0x89],
    [0x31, 0x68, 0x8e],
    [0x26, 0x82, 0x8e],
    [0x1f, 0x9e, 0x89],
    [0x35, 0xb7, 0x79],
    [0x6e, 0xce, 0x58],
    [0xb5, 0xde, 0x2b],
    [0xfd, 0xe7, 0x25],
];
/// Blue to red (Brewer's `RdBu`), for quantities with a sign.
const DIVERGING: [Rgb; 9] = [
    [0x21, 0x66, 0xac],
    [0x43, 0x93, 0xc3],
    [0x92, 0xc5, 0xde],
    [0xd1, 0xe5, 0xf0],
    [0xf2, 0xf2, 0xf2],
    [0xfd, 0xdb, 0xc7],
    [0xf4, 0xa5, 0x82],
    [0xd6, 0x60, 0x4d],
    [0xb2, 0x18, 0x2b],
];

/// A colour map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Map {
    /// From dark to bright.
    Sequential,
    /// From blue over light grey to red.
    Diverging,
}

impl Map {
    /// The colour at a place from 0 to 1; beyond them that of the ends.
    pub fn at(self, place: f64) -> Rgb {
        match self {
            Self::Sequential => along(&SEQUENTIAL, place),
            Self::Diverging => along(&DIVERGING, place),
        }
    }
}

fn along(colors: &[Rgb], place: f64) -> Rgb {
    let last = colors.len() - 1;
    let at = if place.is_nan() { 0.0 } else { place.clamp(0.0, 1.0) * last as f64 };
    let first = (at as usize).min(last - 1);
    mix(colors[first], colors[first + 1], at - first as f64)
}

/// A mixture of colours as the eye would have it.
pub fn mix(a: Rgb, b: Rgb, share: f64) -> Rgb {
    std::array::from_fn(|i| {
        let (a, b) = (f64::from(a[i]), f64::from(b[i]));
        byte(a + (b - a) * share)
    })
}

/// The colour of a body.
pub fn of_body(index: usize) -> Rgb {
    BODIES[index % BODIES.len()]
}

/// A colour as six hexadecimal digits.
pub fn hex([red, green, blue]: Rgb) -> String {
    format!("{red:02x}{green:02x}{blue:02x}")
}

/// The colour of a category.
pub fn of_category(index: usize) -> Rgb {
    if index == 0 { CATEGORIES[0] } else { CATEGORIES[1 + (index - 1) % (CATEGORIES.len() - 1)] }
}

/// The light of each part of a colour.
static LIGHT: LazyLock<[f32; 256]> = LazyLock::new(|| {
    std::array::from_fn(|part| {
        let part = part as f32 / 255.0;
        if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    })
});

/// The light of a colour.
pub fn light(color: Rgb) -> Light {
    color.map(|part| LIGHT[usize::from(part)])
}

/// The colour of light.
pub fn rgb(light: Light) -> Rgb {
    light.map(|part| {
        let part = part.clamp(0.0, 1.0);
        let part = if part <= 0.003_130_8 { part * 12.92 } else { 1.055 * part.powf(1.0 / 2.4) - 0.055 };
        byte(f64::from(part) * 255.0)
    })
}

fn byte(part: f64) -> u8 {
    part.round().clamp(0.0, 255.0) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_survive_the_way_to_light_and_back() {
        for part in 0..=255 {
            assert_eq!(rgb(light([part; 3])), [part; 3]);
        }
    }

    #[test]
    fn lightness_of_the_sequential_map_only_grows() {
        let lightness: Vec<f32> = (0..=100)
            .map(|i| light(Map::Sequential.at(f64::from(i) / 100.0)))
            .map(|light| 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2])
            .collect();
        assert!(lightness.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(Map::Diverging.at(0.5), [0xf2; 3]);
        assert_eq!(Map::Diverging.at(f64::NAN), Map::Diverging.at(-3.0));
    }
}
