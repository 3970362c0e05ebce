//! Text on a picture, in Noto Sans Mono.

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};

use crate::canvas::{Canvas, Place};
use crate::color::Rgb;

/// The size of text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size(RasterHeight);

impl Size {
    /// The size for a picture.
    pub fn for_picture([width, height]: [u32; 2]) -> Self {
        Self(match height.min(width) {
            0..600 => RasterHeight::Size16,
            600..1100 => RasterHeight::Size20,
            1100..1600 => RasterHeight::Size24,
            _ => RasterHeight::Size32,
        })
    }

    /// The size for titles.
    pub fn larger(self) -> Self {
        Self(match self.0 {
            RasterHeight::Size16 => RasterHeight::Size20,
            RasterHeight::Size20 => RasterHeight::Size24,
            _ => RasterHeight::Size32,
        })
    }

    /// The height of a line in pixels.
    pub fn height(self) -> f64 {
        self.0.val() as f64
    }

    /// The width of a text in pixels.
    pub fn width(self, text: &str) -> f64 {
        let letters = known(text);
        letters.chars().map(|letter| self.advance(letter)).sum()
    }

    fn advance(self, letter: char) -> f64 {
        let width = get_raster_width(FontWeight::Regular, self.0) as f64;
        if raised(letter).is_some() { (width * RAISED).ceil() } else { width }
    }
}

/// Size of superscripts relative to text.
const RAISED: f64 = 0.7;

/// The sign that a superscript raises.
fn raised(letter: char) -> Option<char> {
    let signs = [
        ('⁰', '0'),
        ('¹', '1'),
        ('²', '2'),
        ('³', '3'),
        ('⁴', '4'),
        ('⁵', '5'),
        ('⁶', '6'),
        ('⁷', '7'),
        ('⁸', '8'),
        ('⁹', '9'),
        ('⁻', '-'),
    ];
    signs.iter().find(|sign| sign.0 == letter).map(|sign| sign.1)
}

/// The text with what the font has.
fn known(text: &str) -> String {
    text.chars().fold(String::new(), |mut out, letter| {
        if raised(letter).is_some() || raster(letter, RasterHeight::Size16).is_some() {
            out.push(letter);
        } else {
            out.push_str(substitute(letter));
        }
        out
    })
}

/// What stands for a sign that the font does not have.
fn substitute(letter: char) -> &'static str {
    match letter {
        '–' | '—' | '−' | '‐' => "-",
        '’' | '‘' => "'",
        '“' | '”' => "\"",
        '…' => "...",
        'α' => "alpha",
        'β' => "beta",
        'γ' => "gamma",
        'ε' => "epsilon",
        'κ' => "kappa",
        'λ' => "lambda",
        'μ' => "µ",
        'ν' => "nu",
        'ρ' => "rho",
        'σ' => "sigma",
        'τ' => "tau",
        'ω' => "omega",
        'Δ' => "Delta",
        '\t' => " ",
        letter if letter.is_control() => "",
        _ => "?",
    }
}

fn raster(letter: char, size: RasterHeight) -> Option<noto_sans_mono_bitmap::RasterizedChar> {
    get_raster(letter, FontWeight::Regular, size)
}

impl Canvas<'_> {
    /// Writes a text whose top left corner is at a place.
    pub fn write(&mut self, text: &str, place: Place, (size, color): (Size, Rgb)) {
        let mut x = place[0].round();
        let y = place[1].round();
        for letter in known(text).chars() {
            match raised(letter) {
                Some(sign) => self.write_raised(sign, [x, y], (size, color)),
                None => self.write_letter(letter, [x, y], (size, color)),
            }
            x += size.advance(letter);
        }
    }

    /// Writes a text that ends at a place.
    pub fn write_left_of(&mut self, text: &str, place: Place, (size, color): (Size, Rgb)) {
        self.write(text, [place[0] - size.width(text), place[1]], (size, color));
    }

    fn write_letter(&mut self, letter: char, place: Place, (size, color): (Size, Rgb)) {
        let Some(glyph) = raster(letter, size.0) else { return };
        for (row, shares) in (0..).zip(glyph.rows()) {
            for (column, share) in (0..).zip(shares) {
                let (x, y) = (place[0] as i64 + column, place[1] as i64 + row);
                self.blend(x, y, color, f64::from(*share) / 255.0);
            }
        }
    }

    /// A small sign: the mean of the pixels of a large one.
    fn write_raised(&mut self, sign: char, place: Place, (size, color): (Size, Rgb)) {
        let Some(glyph) = raster(sign, RasterHeight::Size32) else { return };
        let ratio = glyph.height() as f64 / (size.height() * RAISED);
        let count = |pixels: usize| (pixels as f64 / ratio).ceil() as i64;
        for row in 0..count(glyph.height()) {
            for column in 0..count(glyph.width()) {
                let share = mean(&glyph, [column as f64 * ratio, row as f64 * ratio], ratio);
                self.blend(place[0] as i64 + column, place[1] as i64 + row, color, share);
            }
        }
    }
}

fn mean(glyph: &noto_sans_mono_bitmap::RasterizedChar, corner: Place, side: f64) -> f64 {
    const PARTS: usize = 4;
    let sum: f64 = (0..PARTS * PARTS)
        .map(|part| {
            let at = |axis: usize, part: usize| {
                (corner[axis] + side * (part as f64 + 0.5) / PARTS as f64) as usize
            };
            glyph.pixel(at(0, part % PARTS), at(1, part / PARTS)).map_or(0.0, f64::from)
        })
        .sum();
    sum / (255.0 * (PARTS * PARTS) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_font_lacks_is_written_with_what_it_has() {
        assert_eq!(known("10⁻⁶ m² · µm × é"), "10⁻⁶ m² · µm × é");
        assert_eq!(known("κ – 界\n"), "kappa - ?");
    }
}
