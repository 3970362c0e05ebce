//! What makes an animation of pictures.

use crate::error::Result;
use crate::picture::Picture;

/// Takes the pictures of an animation one by one.
pub trait Encoder {
    /// Adds a picture that is shown for some ticks.
    fn add(&mut self, picture: &Picture, ticks: u32) -> Result<()>;

    /// Completes the file.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// The part of a picture in which it differs from the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    pub left: u32,
    pub top: u32,
    pub width: u32,
    pub height: u32,
}

impl Change {
    /// All of a picture.
    pub fn all(picture: &Picture) -> Self {
        Self { left: 0, top: 0, width: picture.width, height: picture.height }
    }

    /// The least rectangle outside which both pictures are equal; one pixel where they are equal.
    pub fn between(before: &[u8], picture: &Picture) -> Self {
        let row_bytes = 4 * picture.width as usize;
        let rows: Vec<(&[u8], &[u8])> =
            before.chunks_exact(row_bytes).zip(picture.rgba.chunks_exact(row_bytes)).collect();
        let differs = |row: &&(&[u8], &[u8])| row.0 != row.1;
        let top = rows.iter().take_while(|row| !differs(row)).count();
        if top == rows.len() {
            return Self { left: 0, top: 0, width: 1, height: 1 };
        }
        let bottom = rows.len() - rows.iter().rev().take_while(|row| !differs(row)).count();
        let column_differs = |column: usize| {
            rows[top..bottom].iter().any(|row| row.0[4 * column..][..4] != row.1[4 * column..][..4])
        };
        let width = picture.width as usize;
        let left = (0..width).find(|column| column_differs(*column)).unwrap_or(0);
        let right = (0..width).rev().find(|column| column_differs(*column)).unwrap_or(0) + 1;
        Self {
            left: left as u32,
            top: top as u32,
            width: (right - left) as u32,
            height: (bottom - top) as u32,
        }
    }

    /// The pixels of a picture in this part.
    pub fn pixels<'a>(&self, picture: &'a Picture) -> impl Iterator<Item = [u8; 3]> + use<'a> {
        let Self { left, top, width, height } = *self;
        (top..top + height).flat_map(move |row| {
            let start = 4 * (row as usize * picture.width as usize + left as usize);
            picture.rgba[start..start + 4 * width as usize]
                .chunks_exact(4)
                .map(|pixel| [pixel[0], pixel[1], pixel[2]])
        })
    }
}
