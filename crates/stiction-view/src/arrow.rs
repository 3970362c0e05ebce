//! Arrows for the forces of contacts, drawn over the picture.

use crate::camera::Camera;
use crate::canvas::{Canvas, Place};
use crate::color::Rgb;
use crate::film::{Contact, Frame, Kind, Regime, Scenery};
use crate::look::Arrows;
use crate::vector::{Vector, add, norm, scale};

/// Colour of normal forces.
pub const NORMAL: Rgb = [0x3d, 0x44, 0x50];
/// Colour of friction that sticks.
pub const STICK: Rgb = [0x1f, 0x7a, 0x8c];
/// Colour of friction that slips.
pub const SLIP: Rgb = [0xc8, 0x3e, 0x2e];

/// How forces become arrows.
#[derive(Clone, Copy, Debug)]
pub struct Quiver {
    /// Which ones.
    pub arrows: Arrows,
    /// Metres per newton.
    pub length: f64,
    /// Width of shafts in pixels.
    pub width: f64,
}

/// An arrow on the picture.
struct Arrow {
    tail: Place,
    tip: Place,
    color: Rgb,
}

impl Quiver {
    /// A force that few exceed becomes `length` metres long.
    pub fn new(arrows: Arrows, force: f64, length: f64, width: f64) -> Option<Self> {
        let length = length / force;
        (arrows != Arrows::Off && force > 0.0 && length.is_finite()).then_some(Self { arrows, length, width })
    }

    /// Draws the forces of a frame.
    pub fn draw(&self, canvas: &mut Canvas<'_>, camera: &Camera, scenery: &Scenery, frame: &Frame) {
        let arrows: Vec<Arrow> = frame
            .contacts
            .iter()
            .flat_map(|contact| self.arrows_of(camera, scenery, contact))
            .flatten()
            .collect();
        for arrow in &arrows {
            arrow.draw(canvas, self.width, 1.5, [255; 3]);
        }
        for arrow in &arrows {
            arrow.draw(canvas, self.width, 0.0, arrow.color);
        }
    }

    fn arrows_of(&self, camera: &Camera, scenery: &Scenery, contact: &Contact) -> [Option<Arrow>; 2] {
        // Forces on a body say more than those on an obstacle.
        let first = &scenery.things[contact.things[0] as usize];
        let sign = if first.kind == Kind::Obstacle { -1.0 } else { 1.0 };
        let arrow = |force: Vector, color| self.arrow(camera, contact.point, scale(force, sign), color);
        let rubbing = if contact.regime == Regime::Slip { SLIP } else { STICK };
        let normal = (self.arrows == Arrows::Forces).then(|| arrow(contact.normal_force, NORMAL)).flatten();
        [normal, arrow(contact.friction_force, rubbing)]
    }

    fn arrow(&self, camera: &Camera, point: Vector, force: Vector, color: Rgb) -> Option<Arrow> {
        // Rare large forces must not fill the picture.
        let most = 3.0;
        let length = norm(force) * self.length;
        let shown = if length > 0.0 { scale(force, self.length) } else { return None };
        let tail = camera.project(point);
        let head = camera.project(add(point, shown));
        if tail[2] < camera.near() || head[2] < camera.near() || !head.iter().all(|at| at.is_finite()) {
            return None;
        }
        let across = [head[0] - tail[0], head[1] - tail[1]];
        let pixels = across[0].hypot(across[1]);
        let limit = most * 0.12 * f64::from(camera.size[1]);
        let shrink = if pixels > limit { limit / pixels } else { 1.0 };
        let tip = [tail[0] + shrink * across[0], tail[1] + shrink * across[1]];
        (pixels >= 1.0).then_some(Arrow { tail: [tail[0], tail[1]], tip, color })
    }
}

impl Arrow {
    fn draw(&self, canvas: &mut Canvas<'_>, width: f64, outline: f64, color: Rgb) {
        let along = [self.tip[0] - self.tail[0], self.tip[1] - self.tail[1]];
        let length = along[0].hypot(along[1]);
        let along = along.map(|part| part / length);
        let head = (4.0 * width).min(0.6 * length);
        let base = [self.tip[0] - head * along[0], self.tip[1] - head * along[1]];
        let side = [-along[1] * head * 0.42, along[0] * head * 0.42];
        canvas.line([self.tail, base], width.min(0.35 * length + 0.6) + 2.0 * outline, color);
        let corners =
            [self.tip, [base[0] + side[0], base[1] + side[1]], [base[0] - side[0], base[1] - side[1]]];
        canvas.triangle(corners, outline, color);
    }
}
