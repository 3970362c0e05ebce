//! What stands around a picture: title, time, names of bodies, colour bar, length scale.

use crate::arrow::{NORMAL, SLIP, STICK};
use crate::camera::{Camera, Lens, Window};
use crate::canvas::Canvas;
use crate::color::{INK, Rgb, mix, of_body, of_category};
use crate::film::{Field, Kind, Scenery};
use crate::look::{Arrows, Look};
use crate::scale::{Unit, label, round_down, ticks};
use crate::survey::Tint;
use crate::text::Size;

/// Where decoration goes, and the space that it takes.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    size: [u32; 2],
    text: Size,
    /// Whether there is a colour bar or a list of categories at the right.
    bar: bool,
    shown: bool,
}

/// More names than these are not listed.
const MOST_NAMES: usize = 12;

impl Layout {
    pub fn new(look: &Look) -> Self {
        let text = Size::for_picture(look.size);
        Self { size: look.size, text, bar: look.field.is_some(), shown: look.decoration }
    }

    fn margin(&self) -> f64 {
        (0.02 * f64::from(self.size[0].min(self.size[1]))).max(4.0)
    }

    /// The part of the picture that bodies should fill.
    pub fn window(&self) -> Window {
        let margin = 2.0 * self.margin();
        if !self.shown {
            return Window { size: self.size, margins: [margin; 4] };
        }
        let line = self.text.height();
        let right = if self.bar { margin + 8.0 * line } else { margin };
        let limit = |pixels: f64, axis: usize| pixels.min(0.3 * f64::from(self.size[axis]));
        Window {
            size: self.size,
            margins: [margin, limit(margin + 2.6 * line, 1), limit(right, 0), limit(margin + 1.6 * line, 1)],
        }
    }

    /// Draws all of it.
    pub fn draw(&self, canvas: &mut Canvas<'_>, on: &Subject<'_>) {
        if !self.shown {
            return;
        }
        let margin = self.margin();
        let title = self.text.larger();
        canvas.write(&self.fitting(&on.scenery.title, title, 0.55), [margin, margin], (title, INK));
        let unit = Unit::for_size("s", on.latest);
        let time = format!("t = {} {}", label(on.time / unit.factor, 3), unit.text);
        canvas.write(&time, [margin, margin + 1.1 * title.height()], (self.text, on.faint(0.3)));
        match (on.tint, on.tint.map(|tint| &on.scenery.fields[tint.quantity.field])) {
            (Some(tint), Some(field)) if field.categories.is_empty() => self.bar(canvas, tint, field),
            (Some(_), Some(field)) => self.list(canvas, on, &categories(field)),
            _ => self.list(canvas, on, &bodies(on.scenery)),
        }
        self.arrows(canvas, on);
        if matches!(on.camera.lens, Lens::Orthographic) {
            self.scale_bar(canvas, on);
        }
    }

    /// The beginning of a text that fits into a share of the picture's width.
    fn fitting(&self, text: &str, size: Size, share: f64) -> String {
        let letters = (share * f64::from(self.size[0]) / size.width("x")) as usize;
        if text.chars().count() <= letters {
            return text.to_owned();
        }
        text.chars().take(letters.saturating_sub(3)).chain("...".chars()).collect()
    }

    /// Names with their colours at the top right.
    fn list(&self, canvas: &mut Canvas<'_>, on: &Subject<'_>, names: &[(String, Rgb)]) {
        let line = 1.15 * self.text.height();
        let short = |(name, color): &(String, Rgb)| (self.fitting(name, self.text, 0.3), *color);
        let names: Vec<(String, Rgb)> = names.iter().map(short).collect();
        let longest = names.iter().map(|(name, _)| self.text.width(name)).fold(0.0, f64::max);
        let x = f64::from(self.size[0]) - self.margin() - longest;
        let rows = names.len().min(MOST_NAMES + 1) as f64;
        self.veil(canvas, on, [x - 1.2 * self.text.height(), self.margin() + rows * line]);
        for (index, (name, color)) in names.iter().take(MOST_NAMES).enumerate() {
            let y = self.margin() + index as f64 * line;
            let side = 0.6 * self.text.height();
            let corner = [x - 1.5 * side, y + 0.2 * self.text.height()];
            canvas.rectangle([corner, [corner[0] + side, corner[1] + side]], *color);
            canvas.write(name, [x, y], (self.text, on.faint(0.1)));
        }
        if names.len() > MOST_NAMES {
            let more = format!("and {} more", names.len() - MOST_NAMES);
            let y = self.margin() + MOST_NAMES as f64 * line;
            canvas.write_left_of(
                &more,
                [f64::from(self.size[0]) - self.margin(), y],
                (self.text, on.faint(0.4)),
            );
        }
    }

    /// Lightens the top right corner, as long lists reach down to bodies.
    fn veil(&self, canvas: &mut Canvas<'_>, on: &Subject<'_>, [left, bottom]: [f64; 2]) {
        let right = f64::from(self.size[0]);
        canvas.fill([[left, 0.0], [right, bottom]], (on.background, 0.7), |at| {
            (left - at[0]).max(at[1] - bottom)
        });
    }

    /// The colour bar at the right.
    fn bar(&self, canvas: &mut Canvas<'_>, tint: &Tint, field: &Field) {
        let line = self.text.height();
        let [width, height] = self.size.map(f64::from);
        let unit = Unit::for_size(&field.unit, tint.range[0].abs().max(tint.range[1].abs()));
        let right = width - self.margin();
        let heading = self.fitting(&heading(field, tint, &unit), self.text, 0.42);
        canvas.write_left_of(&heading, [right, self.margin()], (self.text, INK));
        let (top, bottom) = (self.margin() + 2.2 * line, height - self.margin() - 3.0 * line);
        let left = right - 7.0 * self.text.width("0") - 0.9 * line;
        for row in top as i64..bottom as i64 {
            let share = (bottom - row as f64 - 0.5) / (bottom - top);
            for column in left as i64..(left + 0.8 * line) as i64 {
                canvas.blend(column, row, tint.map.at(share), 1.0);
            }
        }
        let count = ((bottom - top) / (2.5 * line)).clamp(2.0, 6.0) as usize;
        for (value, text) in ticks(tint.range.map(|end| end / unit.factor), count) {
            let y = bottom - tint.place(value * unit.factor) * (bottom - top);
            let x = left + 0.8 * line;
            canvas.rectangle([[x, y - 0.5], [x + 0.25 * line, y + 0.5]], INK);
            canvas.write(&text, [x + 0.45 * line, y - 0.5 * line], (self.text, INK));
        }
    }

    /// What the colours of arrows mean, above the scale bar at the bottom right.
    fn arrows(&self, canvas: &mut Canvas<'_>, on: &Subject<'_>) {
        let names: &[(&str, Rgb)] = match on.arrows {
            Arrows::Off => return,
            Arrows::Forces => {
                &[("normal force", NORMAL), ("friction, stick", STICK), ("friction, slip", SLIP)]
            }
            Arrows::Friction => &[("friction, stick", STICK), ("friction, slip", SLIP)],
        };
        let line = 1.15 * self.text.height();
        let mut x = f64::from(self.size[0]) - self.margin();
        let y = f64::from(self.size[1]) - self.margin() - line;
        for (name, color) in names.iter().rev() {
            x -= self.text.width(name);
            canvas.write(name, [x, y], (self.text, on.faint(0.1)));
            let middle = y + 0.5 * self.text.height();
            canvas.line([[x - line, middle], [x - 0.4 * line, middle]], 3.0, *color);
            x -= 1.8 * line;
        }
    }

    /// A line of a round length at the bottom left.
    fn scale_bar(&self, canvas: &mut Canvas<'_>, on: &Subject<'_>) {
        let length = round_down(0.2 * f64::from(self.size[0]) / on.camera.scale);
        let pixels = length * on.camera.scale;
        if !(pixels.is_finite() && pixels >= 1.0) {
            return;
        }
        let unit = Unit::for_size("m", length);
        let text = format!(
            "{} {}",
            label((length / unit.factor * 10.0).round() / 10.0, length_digits(length, &unit)),
            unit.text
        );
        let (x, y) = (self.margin(), f64::from(self.size[1]) - self.margin() - 3.0);
        canvas.rectangle([[x, y - 1.0], [x + pixels, y + 1.0]], INK);
        for end in [x, x + pixels] {
            canvas.rectangle([[end - 0.75, y - 5.0], [end + 0.75, y + 5.0]], INK);
        }
        let at = x + (pixels - self.text.width(&text)) / 2.0;
        canvas.write(&text, [at.max(x), y - 4.0 - self.text.height()], (self.text, INK));
    }
}

/// Lengths from 0.1 of a unit on have one digit where they are below 1.
fn length_digits(length: f64, unit: &Unit) -> usize {
    usize::from(length / unit.factor < 0.99)
}

/// What decoration is about.
pub struct Subject<'a> {
    pub scenery: &'a Scenery,
    pub camera: &'a Camera,
    pub tint: Option<&'a Tint>,
    /// The time of the frame, and the latest of all, in s.
    pub time: f64,
    pub latest: f64,
    pub background: Rgb,
    pub arrows: Arrows,
}

impl Subject<'_> {
    /// Ink that is mixed with a share of the background.
    fn faint(&self, share: f64) -> Rgb {
        mix(INK, self.background, share)
    }
}

fn bodies(scenery: &Scenery) -> Vec<(String, Rgb)> {
    let things = scenery.things.iter().enumerate().filter(|(_, thing)| thing.kind != Kind::Obstacle);
    things.map(|(index, thing)| (thing.name.clone(), of_body(index))).collect()
}

fn categories(field: &Field) -> Vec<(String, Rgb)> {
    let names = field.categories.iter().enumerate();
    names.map(|(index, name)| (name.clone(), of_category(index))).collect()
}

/// Name and unit.
fn heading(field: &Field, tint: &Tint, unit: &Unit) -> String {
    let name = field.name.replace('_', " ");
    let name = match tint.quantity.component {
        Some(axis) => format!("{name} {}", ["x", "y", "z"][axis.min(2)]),
        None if field.components > 1 => format!("|{name}|"),
        None => name,
    };
    if unit.text.is_empty() { name } else { format!("{name} ({})", unit.text) }
}
