//! Cameras: where a picture is taken from, and which pixel shows a point.
//!
//! A [`View`] is what a user asks for, such as `azimuth=30,elevation=20,zoom=1.2` or `top`. Together with the extent of the bodies it makes a
//! [`Camera`], which maps points to pixels.

use std::str::FromStr;

use crate::error::{Error, Result};
use crate::vector::{Vector, add, cross, dot, norm, scale, sub, unit};

/// How a camera maps depth to size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lens {
    /// Parallel rays: lengths across the view have one scale.
    Orthographic,
    /// Rays from the eye. What is nearer than `near` (in m, along the view) is cut away.
    Perspective {
        /// Distance of the near plane in m.
        near: f64,
    },
}

/// A camera with its picture: maps points to pixels and pixels to rays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where it is, in m.
    pub eye: [f64; 3],
    /// Unit vector to the right of the picture.
    pub right: [f64; 3],
    /// Unit vector to the top of the picture.
    pub up: [f64; 3],
    /// Unit vector into the picture.
    pub forward: [f64; 3],
    /// Its lens.
    pub lens: Lens,
    /// Pixels per metre; with perspective pixels per metre at a depth of 1 m.
    pub scale: f64,
    /// The place in the picture, in pixels from its top left corner, where the axis of view meets it.
    pub centre: [f64; 2],
    /// Width and height of the picture in pixels.
    pub size: [u32; 2],
}

/// A half-line. Its parameter is the depth along the view in m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it starts.
    pub origin: [f64; 3],
    /// Its direction, whose component along the view is 1.
    pub direction: [f64; 3],
}

/// A view that a user asks for. What is `None` is chosen to fit the film.
///
/// ```
/// use stiction_view::camera::View;
/// let view: View = "iso,zoom=1.2".parse()?;
/// assert_eq!((view.azimuth, view.zoom), (Some(45.0), 1.2));
/// let near: View = "eye=0:1:3,target=0:0:0,perspective=40".parse()?;
/// assert_eq!(near.eye, Some([0.0, 1.0, 3.0]));
/// # Ok::<(), stiction_view::error::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// Angle around the upward axis in degrees: 0 in front (+z where y is up), 90 at the right.
    pub azimuth: Option<f64>,
    /// Angle above the horizon in degrees.
    pub elevation: Option<f64>,
    /// Size relative to a picture that just shows all bodies.
    pub zoom: f64,
    /// Distance of the eye from the target in m; only with perspective.
    pub distance: Option<f64>,
    /// Where the eye is, in m, instead of azimuth, elevation and distance; implies perspective.
    pub eye: Option<[f64; 3]>,
    /// What the camera looks at, in m.
    pub target: Option<[f64; 3]>,
    /// The direction that is up in the picture.
    pub up: Option<[f64; 3]>,
    /// The angle between the top and the bottom of the view in degrees; orthographic without it.
    pub perspective: Option<f64>,
}

impl Default for View {
    fn default() -> Self {
        Self {
            azimuth: None,
            elevation: None,
            zoom: 1.0,
            distance: None,
            eye: None,
            target: None,
            up: None,
            perspective: None,
        }
    }
}

/// Field of view in degrees where perspective is implied.
const FIELD_OF_VIEW: f64 = 35.0;
/// The named views: azimuth and elevation in degrees.
const NAMED: [(&str, f64, f64); 7] = [
    ("front", 0.0, 0.0),
    ("back", 180.0, 0.0),
    ("left", -90.0, 0.0),
    ("right", 90.0, 0.0),
    ("top", 0.0, 90.0),
    ("bottom", 0.0, -90.0),
    ("iso", 45.0, 35.264_389_682_754_654),
];
const KEYS: &str = "azimuth, elevation, zoom, distance, perspective, eye, target, up, or a view: \
     front, back, left, right, top, bottom, iso";

impl Camera {
    /// The pixel coordinates (x to the right, y down, the first pixel's centre is (0.5, 0.5)) and the depth of a point.
    /// Behind a perspective camera only the depth means anything.
    pub fn project(&self, point: [f64; 3]) -> [f64; 3] {
        let [x, y, depth] = self.coordinates(point);
        let scale = self.scale_at(depth);
        [self.centre[0] + scale * x, self.centre[1] - scale * y, depth]
    }

    /// The ray through a place of the picture.
    pub fn ray(&self, x: f64, y: f64) -> Ray {
        let across = (x - self.centre[0]) / self.scale;
        let along = (self.centre[1] - y) / self.scale;
        let aside = add(scale(self.right, across), scale(self.up, along));
        match self.lens {
            Lens::Orthographic => Ray { origin: add(self.eye, aside), direction: self.forward },
            Lens::Perspective { .. } => Ray { origin: self.eye, direction: add(self.forward, aside) },
        }
    }

    /// Pixels per metre at a depth.
    pub fn scale_at(&self, depth: f64) -> f64 {
        match self.lens {
            Lens::Orthographic => self.scale,
            Lens::Perspective { .. } => self.scale / depth,
        }
    }

    /// The least depth that is shown.
    pub fn near(&self) -> f64 {
        match self.lens {
            Lens::Orthographic => f64::NEG_INFINITY,
            Lens::Perspective { near } => near,
        }
    }

    /// Coordinates to the right, to the top and into the picture, from the eye, in m.
    pub(crate) fn coordinates(&self, point: Vector) -> Vector {
        let from_eye = sub(point, self.eye);
        [dot(from_eye, self.right), dot(from_eye, self.up), dot(from_eye, self.forward)]
    }

    /// The direction from a point to the camera.
    pub(crate) fn toward(&self, point: Vector) -> Vector {
        match self.lens {
            Lens::Orthographic => scale(self.forward, -1.0),
            Lens::Perspective { .. } => unit(sub(self.eye, point)).unwrap_or(scale(self.forward, -1.0)),
        }
    }
}

impl Ray {
    /// The point at a depth.
    pub fn at(&self, depth: f64) -> [f64; 3] {
        add(self.origin, scale(self.direction, depth))
    }
}

impl FromStr for View {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut view = Self::default();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            match part.split_once('=') {
                Some((key, value)) => view.set(key.trim(), value.trim())?,
                None => view.take_named(part)?,
            }
        }
        view.check()?;
        Ok(view)
    }
}

impl View {
    fn take_named(&mut self, name: &str) -> Result<()> {
        let found = NAMED.iter().find(|named| named.0 == name);
        let (_, azimuth, elevation) = found
            .ok_or_else(|| Error::Request(format!("camera: \"{name}\" is not understood; give {KEYS}")))?;
        (self.azimuth, self.elevation) = (Some(*azimuth), Some(*elevation));
        Ok(())
    }

    fn set(&mut self, key: &str, value: &str) -> Result<()> {
        match key {
            "azimuth" => self.azimuth = Some(number(key, value)?),
            "elevation" => self.elevation = Some(number(key, value)?),
            "zoom" => self.zoom = number(key, value)?,
            "distance" => self.distance = Some(number(key, value)?),
            "perspective" => self.perspective = Some(number(key, value)?),
            "eye" => self.eye = Some(point(key, value)?),
            "target" => self.target = Some(point(key, value)?),
            "up" => self.up = Some(point(key, value)?),
            _ => return Err(Error::Request(format!("camera: there is no \"{key}\"; give {KEYS}"))),
        }
        Ok(())
    }

    /// Checks that the numbers make a camera.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn check(&self) -> Result<()> {
        let wrong = |what: &str| Err(Error::Request(format!("camera: {what}")));
        let optional = [self.azimuth, self.elevation, self.distance, self.perspective];
        let points = [self.eye, self.target, self.up];
        let finite = optional.iter().flatten().chain(points.iter().flatten().flatten());
        if finite.chain([&self.zoom]).any(|number| !number.is_finite()) {
            return wrong("all numbers must be finite");
        }
        if self.zoom <= 0.0 {
            return wrong("zoom must be positive; 1 shows all bodies");
        }
        if self.distance.is_some_and(|distance| distance <= 0.0) {
            return wrong("distance must be positive");
        }
        if self.perspective.is_some_and(|angle| !(1.0..=150.0).contains(&angle)) {
            return wrong("perspective is the angle of view in degrees, from 1 to 150");
        }
        match (self.eye, self.azimuth.or(self.elevation).or(self.distance)) {
            (Some(_), Some(_)) => wrong("give either eye or azimuth, elevation and distance"),
            _ if self.up.is_some_and(|up| unit(up).is_none()) => wrong("up must not be zero"),
            _ => Ok(()),
        }
    }

    /// The angle of view in degrees, if the view has perspective.
    fn angle(&self) -> Option<f64> {
        let implied = self.eye.is_some() || self.distance.is_some();
        self.perspective.or(implied.then_some(FIELD_OF_VIEW))
    }

    /// The camera of this view.
    pub(crate) fn camera(&self, stage: &Stage, window: Window) -> Result<Camera> {
        let axes = self.axes(stage)?;
        let points = stage.extremes();
        let target = self.target.unwrap_or_else(|| middle(&points, axes));
        let mut camera = Camera {
            eye: target,
            right: axes[0],
            up: axes[1],
            forward: axes[2],
            lens: Lens::Orthographic,
            scale: 1.0,
            centre: window.centre(),
            size: window.size,
        };
        match self.angle() {
            None => camera.scale = self.zoom * window.scale(half_extent(&points, target, axes)),
            Some(angle) => self.move_eye(&mut camera, &points, (window, angle)),
        }
        Ok(camera)
    }

    /// Right, up and forward before the extent of the film is known: a view from an eye to the centre is not known yet.
    pub(crate) fn first_axes(&self, stage: &Stage) -> Result<[Vector; 3]> {
        if stage.flat || self.target.is_some() {
            return self.axes(stage);
        }
        Self { eye: None, ..self.clone() }.axes(stage)
    }

    /// Right, up and forward.
    pub(crate) fn axes(&self, stage: &Stage) -> Result<[Vector; 3]> {
        let up = unit(self.up.unwrap_or(stage.up)).unwrap_or([0.0, 1.0, 0.0]);
        if stage.flat {
            if self.azimuth.or(self.elevation).or(self.perspective).or(self.distance).is_some()
                || self.eye.is_some()
            {
                let what = "camera: the film is in 2D; only zoom, target and up can be chosen";
                return Err(Error::Request(what.to_owned()));
            }
            let forward = [0.0, 0.0, -1.0];
            let right = unit(cross(forward, up)).unwrap_or([1.0, 0.0, 0.0]);
            return Ok([right, cross(right, forward), forward]);
        }
        let forward = match self.eye {
            Some(eye) => self.forward_from(eye, stage)?,
            None => self.forward_from_angles(up),
        };
        // A view along the upward axis has the front at the bottom of the picture.
        let sky =
            if norm(cross(forward, up)) > 1e-9 { up } else { scale(front(up), dot(forward, up).signum()) };
        let right = unit(cross(forward, sky)).unwrap_or([1.0, 0.0, 0.0]);
        Ok([right, cross(right, forward), forward])
    }

    fn forward_from(&self, eye: Vector, stage: &Stage) -> Result<Vector> {
        let target = self.target.unwrap_or_else(|| stage.centre());
        unit(sub(target, eye)).ok_or_else(|| {
            let [x, y, z] = eye;
            let what = format!("camera: the eye is at the target {x}:{y}:{z}; give another eye or target");
            Error::Request(what)
        })
    }

    fn forward_from_angles(&self, up: Vector) -> Vector {
        let azimuth = self.azimuth.unwrap_or(30.0).to_radians();
        let elevation = self.elevation.unwrap_or(22.0).to_radians();
        let front = front(up);
        let right = cross(up, front);
        let level = add(scale(front, azimuth.cos()), scale(right, azimuth.sin()));
        let toward = add(scale(level, elevation.cos()), scale(up, elevation.sin()));
        scale(unit(toward).unwrap_or(front), -1.0)
    }

    /// Puts the eye of a camera with perspective where all points are in view, or where it should be.
    fn move_eye(&self, camera: &mut Camera, points: &[Vector], (window, angle): (Window, f64)) {
        let slope = (angle.to_radians() / 2.0).tan();
        let [width, height] = window.inner();
        let target = camera.eye;
        let fitting = || fitting_distance(camera, points, [slope * width / height, slope]);
        let distance = match self.eye {
            Some(eye) => norm(sub(eye, target)).max(f64::MIN_POSITIVE),
            None => self.distance.unwrap_or_else(fitting),
        };
        camera.eye = self.eye.unwrap_or_else(|| sub(target, scale(camera.forward, distance)));
        camera.lens = Lens::Perspective { near: 1e-3 * distance };
        camera.scale = 0.5 * height / slope;
        if self.eye.or(self.target).is_none() && self.distance.is_none() {
            window.fill(camera, points);
        }
        camera.scale *= self.zoom;
        let middle = window.centre();
        camera.centre = [0, 1].map(|axis| middle[axis] + self.zoom * (camera.centre[axis] - middle[axis]));
    }
}

/// The distance from the eye of a camera, backward, from which points are all within the slopes of its view.
fn fitting_distance(camera: &Camera, points: &[Vector], slopes: [f64; 2]) -> f64 {
    let local: Vec<Vector> = points.iter().map(|point| camera.coordinates(*point)).collect();
    let farthest = |reach: &dyn Fn(&Vector) -> f64| local.iter().map(reach).fold(f64::NEG_INFINITY, f64::max);
    let fitting = farthest(&|at| (at[0].abs() / slopes[0]).max(at[1].abs() / slopes[1]) - at[2]);
    // Not so near that the nearest point is at the eye.
    let distance = fitting.max(1.05 * farthest(&|at| -at[2]));
    if distance > 0.0 && distance.is_finite() { distance } else { 1.0 }
}

/// The direction of the front view: where a camera of azimuth 0 is.
fn front(up: Vector) -> Vector {
    let right = if up[0].abs() < 0.9 { [1.0, 0.0, 0.0] } else { [0.0, 0.0, 1.0] };
    unit(cross(right, up)).unwrap_or([0.0, 0.0, 1.0])
}

/// The centre of points across the view, and along it.
fn middle(points: &[Vector], axes: [Vector; 3]) -> Vector {
    axes.iter().fold([0.0; 3], |sum, axis| {
        let along = points.iter().map(|point| dot(*point, *axis));
        let (least, most) =
            along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)));
        let at = if least <= most { f64::midpoint(least, most) } else { 0.0 };
        add(sum, scale(*axis, at))
    })
}

/// How far points reach from a target to the side and up or down.
fn half_extent(points: &[Vector], target: Vector, axes: [Vector; 3]) -> [f64; 2] {
    let reach =
        |axis: Vector| points.iter().map(|point| dot(sub(*point, target), axis).abs()).fold(0.0, f64::max);
    [reach(axes[0]), reach(axes[1])]
}

fn number(key: &str, value: &str) -> Result<f64> {
    value.parse().map_err(|_| Error::Request(format!("camera: {key} must be a number, not \"{value}\"")))
}

fn point(key: &str, value: &str) -> Result<Vector> {
    let numbers: Vec<f64> =
        value.split([':', ' ']).map(|coordinate| number(key, coordinate)).collect::<Result<_>>()?;
    numbers.try_into().map_err(|_| {
        Error::Request(format!("camera: {key} must be three numbers such as 0:1.5:2, not \"{value}\""))
    })
}

/// The part of a picture that bodies should fill.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Window {
    /// Width and height of the picture.
    pub size: [u32; 2],
    /// Pixels at the left, the top, the right and the bottom that are for other things.
    pub margins: [f64; 4],
}

impl Window {
    fn inner(&self) -> [f64; 2] {
        let [left, top, right, bottom] = self.margins;
        [(f64::from(self.size[0]) - left - right).max(1.0), (f64::from(self.size[1]) - top - bottom).max(1.0)]
    }

    fn centre(&self) -> [f64; 2] {
        let inner = self.inner();
        [self.margins[0] + inner[0] / 2.0, self.margins[1] + inner[1] / 2.0]
    }

    /// Makes points, which are before a camera, just fill the window. The eye stays, so that they look the same.
    fn fill(&self, camera: &mut Camera, points: &[Vector]) {
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for point in points {
            let place = camera.project(*point);
            for axis in 0..2 {
                low[axis] = low[axis].min(place[axis]);
                high[axis] = high[axis].max(place[axis]);
            }
        }
        let inner = self.inner();
        let times = (inner[0] / (high[0] - low[0])).min(inner[1] / (high[1] - low[1]));
        if times.is_finite() && times > 0.0 {
            camera.scale *= times;
            let shift = |axis: usize| times * (f64::midpoint(low[axis], high[axis]) - camera.centre[axis]);
            camera.centre = [0, 1].map(|axis| self.centre()[axis] - shift(axis));
        }
    }

    /// Pixels per metre with which a half extent fits.
    fn scale(&self, half: [f64; 2]) -> f64 {
        let inner = self.inner();
        let scale = (inner[0] / (2.0 * half[0])).min(inner[1] / (2.0 * half[1]));
        if scale.is_finite() && scale > 0.0 { scale } else { 0.25 * inner[0].min(inner[1]) }
    }
}

/// The extent of what a film shows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stage {
    /// Corners of the box around all bodies in all frames.
    pub bounds: [Vector; 2],
    /// The points that reach farthest in some directions.
    pub points: Vec<Vector>,
    /// Up.
    pub up: Vector,
    /// Whether the film is in 2D.
    pub flat: bool,
}

impl Stage {
    pub fn centre(&self) -> Vector {
        scale(add(self.bounds[0], self.bounds[1]), 0.5)
    }

    /// The radius of the ball around the bounds.
    pub fn radius(&self) -> f64 {
        let radius = 0.5 * norm(sub(self.bounds[1], self.bounds[0]));
        if radius > 0.0 { radius } else { 1.0 }
    }

    /// Points that stand for all of the bodies: those that reach farthest; where those are unknown the corners of the bounds.
    fn extremes(&self) -> Vec<Vector> {
        if !self.points.is_empty() {
            return self.points.clone();
        }
        (0..8).map(|corner| std::array::from_fn(|axis| self.bounds[corner >> axis & 1][axis])).collect()
    }
}
