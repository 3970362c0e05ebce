//! Pictures of a film.
//!
//! A [`Renderer`] goes once through the frames that are to be shown, so that camera, colours and arrows are the same in all of them. Then it
//! makes the [`Picture`] of any frame.
//!
//! ```
//! use stiction_view::film::{Film, Frame, Kind, Scenery, Thing};
//! use stiction_view::{look::Look, picture::Renderer};
//!
//! let thing = Thing {
//!     name: "plate".to_owned(),
//!     kind: Kind::Sheet,
//!     material: String::new(),
//!     vertices: 0..3,
//!     triangles: 0..1,
//!     edges: 0..0,
//! };
//! let scenery =
//!     Scenery { dimension: 3, things: vec![thing], vertices: 3, triangles: vec![[0, 1, 2]], ..Scenery::default() };
//! let frame = Frame { points: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], ..Frame::default() };
//! let film = Film::new(scenery, Box::new(vec![frame]))?;
//!
//! let look = Look { size: [320, 240], view: "iso".parse()?, ..Look::default() };
//! let picture = Renderer::new(&film, &look)?.picture(0)?;
//! assert_eq!(picture.rgba.len(), 320 * 240 * 4);
//! assert!(picture.things.contains(&Some(0)));
//! # Ok::<(), stiction_view::error::Error>(())
//! ```

use rayon::prelude::*;

use crate::arrow::Quiver;
use crate::camera::Camera;
use crate::canvas::Canvas;
use crate::color::{Light, Rgb, light, rgb};
use crate::decoration::{Layout, Subject};
use crate::error::Result;
use crate::film::{Film, Frame, Place};
use crate::light::{Lamp, openness};
use crate::look::Look;
use crate::raster::{Centres, NONE, Samples, Tiles};
use crate::shade::{Shader, endless};
use crate::surface::{Surface, Topology};
use crate::survey::Survey;

/// A picture, row by row from the top.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Red, green, blue and opacity of each pixel.
    pub rgba: Vec<u8>,
    /// The thing that each pixel shows at its centre, also where a huge obstacle has faded into the background.
    pub things: Vec<Option<u32>>,
    /// The triangle that each pixel shows at its centre; none for rods.
    pub triangles: Vec<Option<u32>>,
    /// Depth along the view of what each pixel shows at its centre, in m; infinite where that is nothing.
    pub depth: Vec<f64>,
}

/// Takes pictures of a film that all have the same camera and the same colours.
pub struct Renderer<'a> {
    film: &'a Film,
    look: Look,
    survey: Survey,
    camera: Camera,
    topology: Topology,
}

impl<'a> Renderer<'a> {
    /// A renderer for all frames of a film.
    ///
    /// # Errors
    /// If the film cannot look like this, or a frame cannot be read.
    pub fn new(film: &'a Film, look: &Look) -> Result<Self> {
        Self::for_frames(film, look, &(0..film.count()).collect::<Vec<_>>())
    }

    /// A renderer for some frames: camera and colours fit those.
    ///
    /// # Errors
    /// If the film cannot look like this, or a frame cannot be read.
    pub fn for_frames(film: &'a Film, look: &Look, frames: &[usize]) -> Result<Self> {
        look.check(&film.scenery)?;
        let survey = Survey::new(film, look, frames)?;
        let camera = look.view.camera(&survey.stage, Layout::new(look).window())?;
        Ok(Self { film, look: look.clone(), survey, camera, topology: Topology::new(&film.scenery) })
    }

    /// The camera.
    pub fn camera(&self) -> &Camera {
        &self.camera
    }

    /// Times of the frames that the renderer is for, in s.
    pub fn times(&self) -> &[f64] {
        &self.survey.times
    }

    /// Colour of the background.
    pub fn background(&self) -> Rgb {
        self.look.background
    }

    /// The picture of a frame.
    ///
    /// # Errors
    /// If the frame cannot be read.
    pub fn picture(&self, index: usize) -> Result<Picture> {
        let frame = self.film.frame(index)?;
        let surface = self.surface(&frame);
        let tiles = Tiles::new(&self.camera, &surface.points, &surface.triangles);
        let centres = Centres::new(&self.camera, &tiles);
        let shader = self.shader(&frame, &surface, &centres);
        let mut rgba = paint(&tiles, &shader);
        self.draw_over(&mut rgba, &frame);
        Ok(self.develop(rgba, &surface, centres))
    }

    fn surface(&self, frame: &Frame) -> Surface {
        let mut surface = Surface::new(&self.film.scenery, &self.topology, frame);
        let pixels = (0.006 * f64::from(self.camera.size[1])).max(3.0);
        surface.add_rods(&self.film.scenery, &self.camera, pixels);
        surface
    }

    fn shader<'b>(&'b self, frame: &'b Frame, surface: &'b Surface, centres: &'b Centres) -> Shader<'b> {
        let stage = &self.survey.stage;
        let scenery = &self.film.scenery;
        let light = (!stage.flat).then(|| {
            let mut lamp = Lamp::new(&self.camera, stage);
            if !self.look.shadows {
                return (lamp, vec![1.0; centres.depth.len()]);
            }
            lamp.cast(surface, scenery, stage);
            (lamp, openness(&self.camera, surface, centres, (stage.centre(), 0.12 * stage.radius())))
        });
        Shader {
            scenery,
            frame,
            camera: &self.camera,
            stage,
            look: &self.look,
            tint: self.survey.tint.as_ref(),
            surface,
            centres,
            light,
            projected: surface.points.iter().map(|point| self.camera.project(*point)).collect(),
            endless: endless(scenery, &frame.points, stage),
            background: light_of(&self.look),
        }
    }

    fn draw_over(&self, rgba: &mut [u8], frame: &Frame) {
        let scenery = &self.film.scenery;
        let mut canvas = Canvas { rgba, size: self.camera.size };
        self.draw_contact_values(&mut canvas, frame);
        let side = f64::from(self.camera.size[0].min(self.camera.size[1]));
        let depth = self.camera.coordinates(self.survey.stage.centre())[2];
        let length = 0.12 * side / self.camera.scale_at(depth).abs();
        if let Some(quiver) =
            Quiver::new(self.look.arrows, self.survey.force, length, (side / 350.0).max(1.2))
        {
            quiver.draw(&mut canvas, &self.camera, scenery, frame);
        }
        let subject = Subject {
            scenery,
            camera: &self.camera,
            tint: self.survey.tint.as_ref(),
            time: frame.time,
            latest: self.survey.times.iter().fold(0.0, |latest: f64, time| latest.max(time.abs())),
            background: self.look.background,
            arrows: self.look.arrows,
        };
        Layout::new(&self.look).draw(&mut canvas, &subject);
    }

    /// Values of contacts have no surface: they are dots.
    fn draw_contact_values(&self, canvas: &mut Canvas<'_>, frame: &Frame) {
        let Some(tint) = &self.survey.tint else { return };
        let field = &self.film.scenery.fields[tint.quantity.field];
        if field.place != Place::Contacts {
            return;
        }
        let radius = (f64::from(self.camera.size[1]) / 220.0).max(2.0);
        for (index, contact) in frame.contacts.iter().enumerate() {
            let [x, y, depth] = self.camera.project(contact.point);
            if depth < self.camera.near() {
                continue;
            }
            let value = tint.quantity.value(field.components, &frame.fields[tint.quantity.field], index);
            canvas.disc([x, y], radius + 1.0, [255; 3]);
            canvas.disc([x, y], radius, tint.color(field, f64::from(value)));
        }
    }

    fn develop(&self, rgba: Vec<u8>, surface: &Surface, centres: Centres) -> Picture {
        let [width, height] = self.camera.size;
        let shown = |triangle: &u32| (*triangle != NONE).then_some(*triangle);
        let things = centres
            .triangles
            .iter()
            .map(|triangle| shown(triangle).map(|triangle| surface.things[triangle as usize]));
        let triangles = centres
            .triangles
            .iter()
            .map(|triangle| shown(triangle).filter(|triangle| (*triangle as usize) < surface.own));
        let (things, triangles) = (things.collect(), triangles.collect());
        Picture { width, height, rgba, things, triangles, depth: centres.depth }
    }
}

fn light_of(look: &Look) -> Light {
    light(look.background)
}

/// Colours all pixels. Each tile is on its own, so that the number of threads changes nothing.
fn paint(tiles: &Tiles, shader: &Shader<'_>) -> Vec<u8> {
    let [width, height] = shader.camera.size.map(|pixels| pixels as usize);
    let parts: Vec<Vec<[u8; 3]>> = (0..tiles.count())
        .into_par_iter()
        .map(|tile| pixels(&tiles.samples(tile, shader.look.samples), shader))
        .collect();
    let mut rgba = vec![255; width * height * 4];
    for (tile, colors) in parts.iter().enumerate() {
        let (origin, size) = tiles.area(tile);
        for (index, color) in (0..).zip(colors) {
            let (x, y) = (origin[0] + index % size[0], origin[1] + index / size[0]);
            rgba[4 * (y as usize * width + x as usize)..][..3].copy_from_slice(color);
        }
    }
    rgba
}

fn pixels(samples: &Samples, shader: &Shader<'_>) -> Vec<[u8; 3]> {
    let [width, height] = samples.size;
    let mut groups = Vec::new();
    (0..width * height)
        .map(|index| {
            let (column, row) = (index % width, index / width);
            group(samples, [column, row], &mut groups);
            blend(&groups, shader, samples.per_side)
        })
        .collect()
}

/// The samples of a pixel that show the same triangle: how many, and the sum of their places.
struct Group {
    triangle: u32,
    count: u32,
    sum: [f64; 2],
}

fn group(samples: &Samples, pixel: [u32; 2], groups: &mut Vec<Group>) {
    groups.clear();
    let per_side = samples.per_side;
    for row in pixel[1] * per_side..(pixel[1] + 1) * per_side {
        for column in pixel[0] * per_side..(pixel[0] + 1) * per_side {
            let triangle = samples.triangles[(row * samples.size[0] * per_side + column) as usize];
            let at = [samples.place(0, column), samples.place(1, row)];
            match groups.iter_mut().find(|group| group.triangle == triangle) {
                Some(group) => {
                    group.count += 1;
                    group.sum = [group.sum[0] + at[0], group.sum[1] + at[1]];
                }
                None => groups.push(Group { triangle, count: 1, sum: at }),
            }
        }
    }
}

/// The colour of a pixel. Each triangle in it is shaded once, at the centre of its samples.
fn blend(groups: &[Group], shader: &Shader<'_>, per_side: u32) -> [u8; 3] {
    if matches!(groups, [Group { triangle: NONE, .. }]) {
        return shader.look.background;
    }
    let mut sum = [0.0; 3];
    for group in groups {
        let centre = group.sum.map(|sum| sum / f64::from(group.count));
        let color = match group.triangle {
            NONE => shader.background,
            triangle => shader.color(triangle as usize, centre),
        };
        let share = group.count as f32 / (per_side * per_side) as f32;
        sum = std::array::from_fn(|i| sum[i] + share * color[i]);
    }
    rgb(sum)
}
