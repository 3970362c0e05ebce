//! Frames in 3D: rendered with a depth buffer, as images in the sheet.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use stiction::math::Vector;
use stiction_sim::model::Model;
use stiction_view::error::Result;
use stiction_view::film::{Film, Frame};
use stiction_view::look::Look;
use stiction_view::picture::Renderer;
use stiction_view::png;

use super::view::Configuration;
use super::{Area, scale_bar};
use crate::film::{Layout, Shapes, obstacle_meshes};

/// Pixels of an image for each unit of the sheet: sharp also on fine displays.
const PIXELS: f64 = 2.0;

/// Draws configurations into fields of the sheet, all seen by the same camera.
pub fn draw<const D: usize>(
    out: &mut String,
    model: &Model<D>,
    shown: &[Configuration<'_, D>],
    areas: &[Area],
) -> Result<()> {
    let (layout, scenery) = Layout::new(&Shapes::of_model(model));
    let frames: Vec<Frame> = shown.iter().map(|configuration| frame(model, &layout, configuration)).collect();
    let film = Film::new(scenery, Box::new(frames))?;
    let [_, _, width, height] = areas.first().copied().unwrap_or_default();
    #[expect(clippy::cast_sign_loss, reason = "fields have a size")]
    let size = [width, height].map(|side| (PIXELS * side).round() as u32);
    let look = Look { size, decoration: false, background: [0xf4, 0xf6, 0xf8], ..Look::default() };
    let renderer = Renderer::new(&film, &look)?;
    for (index, [left, top, width, height]) in areas.iter().enumerate() {
        let data = STANDARD.encode(png::bytes(&renderer.picture(index)?)?);
        let _ = writeln!(
            out,
            "<image x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" \
             href=\"data:image/png;base64,{data}\"/>"
        );
    }
    if let Some(area) = areas.first() {
        scale_bar(out, *area, renderer.camera().scale / PIXELS);
    }
    Ok(())
}

fn frame<const D: usize>(model: &Model<D>, layout: &Layout, configuration: &Configuration<'_, D>) -> Frame {
    let in_space = |x: &Vector<D>| Vector(std::array::from_fn(|k| x.0.get(k).copied().unwrap_or(0.0)));
    let bodies: Vec<Vector<3>> = configuration.x.iter().map(in_space).collect();
    let obstacles: Vec<[f64; 3]> =
        obstacle_meshes(model, configuration.time).flat_map(|mesh| mesh.points).collect();
    Frame { time: configuration.time, points: layout.points(&bodies, &obstacles), ..Frame::default() }
}
