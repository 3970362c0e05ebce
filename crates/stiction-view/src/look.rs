//! The options of a picture.

use crate::camera::View;
use crate::color::Rgb;
use crate::error::{Error, Result};
use crate::film::Scenery;

/// Arrows for the forces of contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arrows {
    /// None.
    #[default]
    Off,
    /// Normal forces and friction forces.
    Forces,
    /// Friction forces only.
    Friction,
}

/// How pictures look.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// Where they are taken from.
    pub view: View,
    /// The field that colours bodies, by its name; a vector field by its magnitude, or by a component such as `velocity.x`. Without it each body
    /// has its own colour.
    pub field: Option<String>,
    /// The values at the ends of the colour bar, in the field's SI unit. By default they fit all frames.
    pub range: Option<[f64; 2]>,
    /// Arrows for forces.
    pub arrows: Arrows,
    /// Whether the edges of elements are drawn. They fade out where elements are smaller than some 6 pixels.
    pub mesh: bool,
    /// Whether there are shadows (3D only).
    pub shadows: bool,
    /// Colour of the background.
    pub background: Rgb,
    /// Whether there are title, time, legend, colour bar and scale bar.
    pub decoration: bool,
    /// Samples along each side of a pixel: 1, 3 or 5. Odd, so that one is at its centre.
    pub samples: u32,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            size: [1200, 900],
            view: View::default(),
            field: None,
            range: None,
            arrows: Arrows::Off,
            mesh: true,
            shadows: true,
            background: [255; 3],
            decoration: true,
            samples: 3,
        }
    }
}

/// A field of a scenery, or one component of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quantity {
    /// The field, by its number.
    pub field: usize,
    /// The component; all of them, for the magnitude, if it is none.
    pub component: Option<usize>,
}

const LARGEST: u32 = 4096;

impl Look {
    /// Checks that pictures of a scenery can look like this.
    ///
    /// # Errors
    /// If an option is out of its range or the scenery has no such field.
    pub fn check(&self, scenery: &Scenery) -> Result<()> {
        let wrong = |what: String| Err(Error::Request(what));
        if !self.size.iter().all(|pixels| (16..=LARGEST).contains(pixels)) {
            let [width, height] = self.size;
            return wrong(format!(
                "a picture of {width} × {height} pixels: each side may have 16 to {LARGEST}"
            ));
        }
        if !matches!(self.samples, 1 | 3 | 5) {
            return wrong(format!("{} samples along a pixel: there can be 1, 3 or 5", self.samples));
        }
        if let Some([least, most]) = self.range
            && !(least < most && (most - least).is_finite())
        {
            return wrong(format!(
                "the range {least} to {most} of the colour bar is not from small to large"
            ));
        }
        self.view.check()?;
        self.quantity(scenery).map(|_| ())
    }

    /// What colours bodies.
    pub(crate) fn quantity(&self, scenery: &Scenery) -> Result<Option<Quantity>> {
        let Some(name) = &self.field else { return Ok(None) };
        if let Some(field) = scenery.field(name) {
            return Ok(Some(Quantity { field, component: None }));
        }
        let component = name.rsplit_once('.').and_then(|(name, axis)| {
            let field = scenery.field(name)?;
            let component = ["x", "y", "z"].iter().position(|known| *known == axis)?;
            (component < scenery.fields[field].components)
                .then_some(Quantity { field, component: Some(component) })
        });
        component.map(Some).ok_or_else(|| unknown_field(name, scenery))
    }
}

fn unknown_field(name: &str, scenery: &Scenery) -> Error {
    let names: Vec<_> = scenery.fields.iter().map(|field| field.name.as_str()).collect();
    let known =
        if names.is_empty() { "it has none".to_owned() } else { format!("it has {}", names.join(", ")) };
    Error::Request(format!("the film has no field \"{name}\": {known}"))
}

impl Quantity {
    /// The number of a place: a component, or the magnitude.
    pub fn value(self, components: usize, values: &[f32], place: usize) -> f32 {
        let of_place = &values[place * components..(place + 1) * components];
        match self.component {
            Some(component) => of_place[component],
            None if components == 1 => of_place[0],
            None => of_place.iter().map(|value| value * value).sum::<f32>().sqrt(),
        }
    }
}
