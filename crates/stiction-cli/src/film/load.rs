//! Reading a run back.

use std::fs;
use std::path::{Path, PathBuf};

use stiction_sim::fields::{self, FieldKind};
use stiction_sim::io::vtu::{FrameData, read_frame};
use stiction_view::error::{Error, Result};
use stiction_view::film::{Contact, Curve, Field, Film, Frame, Place, Reel, Regime, Scenery};

use super::layout::{Layout, Shapes};
use crate::columnar::{fields_of, name_and_unit};

/// The files of a frame.
#[derive(Clone, Debug, Default)]
struct Files {
    time: f64,
    bodies: PathBuf,
    contacts: Option<PathBuf>,
    obstacles: Option<PathBuf>,
}

/// The film of a run, from the folder of its results, with these fields, or all that are there. Frames are read when they are needed.
///
/// # Errors
/// If the folder has no run, or a file of it cannot be read.
pub fn load(folder: &Path, fields: Option<&[FieldKind]>) -> Result<Film> {
    let files = frames(folder)?;
    let Some(first) = files.first() else {
        return Err(Error::Request(format!("{}: the run has no frames", folder.display())));
    };
    let parts = Parts::read(first)?;
    let shapes = parts.shapes(first)?;
    let sizes = parts.sizes();
    let (layout, mut scenery) = Layout::new(&shapes);
    let title = fs::canonicalize(folder).ok();
    let title = title.as_deref().and_then(Path::file_name).unwrap_or_default();
    scenery.title = title.to_string_lossy().into_owned();
    if let [x, y, z] = parts.bodies.of_whole("gravity") {
        scenery.gravity = [*x, *y, *z];
    }
    scenery.fields = chosen(&parts.bodies, fields);
    add_curves(&mut scenery, folder);
    let (names, places) = (names(&scenery.fields), layout);
    Film::new(scenery, Box::new(Run { files, layout: places, fields: names, sizes }))
}

/// The fields of a film that frames have: numbers and vectors, no tensors.
fn chosen(bodies: &FrameData, wanted: Option<&[FieldKind]>) -> Vec<Field> {
    let has = |kind: &FieldKind| {
        let found = bodies.on_points(kind.name()).or_else(|| bodies.on_cells(kind.name()));
        found.is_some() && kind.components() < 9 && wanted.is_none_or(|wanted| wanted.contains(kind))
    };
    FieldKind::ALL.into_iter().filter(has).map(field).collect()
}

/// What a field is, for those who look at it.
pub(super) fn field(kind: FieldKind) -> Field {
    Field {
        name: kind.name().to_owned(),
        unit: kind.unit().to_owned(),
        meaning: kind.meaning().to_owned(),
        place: match kind.place() {
            fields::Place::Vertices => Place::Vertices,
            fields::Place::Cells => Place::Triangles,
        },
        components: kind.components(),
        categories: kind.categories().iter().map(|name| (*name).to_owned()).collect(),
    }
}

fn names(fields: &[Field]) -> Vec<(String, Place, usize)> {
    fields.iter().map(|field| (field.name.clone(), field.place, field.components)).collect()
}

/// The frames that the index of a run names, in order.
fn frames(folder: &Path) -> Result<Vec<Files>> {
    let path = folder.join("frames.pvd");
    let text = fs::read_to_string(&path).map_err(|source| {
        if source.kind() == std::io::ErrorKind::NotFound {
            return Error::Request(format!(
                "{} has no frames.pvd: name the folder that `stiction run -o` wrote",
                folder.display()
            ));
        }
        Error::at(&path)(source)
    })?;
    let mut out: Vec<Files> = Vec::new();
    for tag in text.split("<DataSet ").skip(1) {
        let value =
            |name: &str| tag.split_once(&format!("{name}=\"")).and_then(|(_, rest)| rest.split('"').next());
        let (Some(time), Some(file)) = (value("timestep").and_then(|time| time.parse().ok()), value("file"))
        else {
            return Err(Error::Request(format!("{}: an entry has no time or no file", path.display())));
        };
        let file = folder.join(file);
        match value("part") {
            Some("1") => out.last_mut().into_iter().for_each(|frame| frame.contacts = Some(file.clone())),
            Some("2") => out.last_mut().into_iter().for_each(|frame| frame.obstacles = Some(file.clone())),
            _ => out.push(Files { time, bodies: file, ..Files::default() }),
        }
    }
    Ok(out)
}

fn read(path: &Path) -> Result<FrameData> {
    read_frame(path).map_err(|error| Error::Request(error.to_string()))
}

/// The files of a frame, read.
struct Parts {
    bodies: FrameData,
    contacts: FrameData,
    obstacles: FrameData,
}

impl Parts {
    fn read(files: &Files) -> Result<Self> {
        let other = |path: &Option<PathBuf>| path.as_deref().map_or_else(|| Ok(FrameData::default()), read);
        Ok(Self {
            bodies: read(&files.bodies)?,
            contacts: other(&files.contacts)?,
            obstacles: other(&files.obstacles)?,
        })
    }

    /// What is drawn; files are named in errors.
    fn shapes(&self, files: &Files) -> Result<Shapes> {
        let mesh = &self.bodies.mesh;
        let cells = mesh.edges.len() + mesh.triangles.len() + mesh.tetrahedra.len();
        let (things, mut materials) =
            (self.contacts.words("things"), self.contacts.words("materials").to_vec());
        // Without names there is no more than one thing for each cell.
        let most = if things.is_empty() { cells + self.obstacles.mesh.triangles.len() } else { things.len() };
        let bodies = numbers(&self.bodies, "body", most).ok_or_else(|| no_numbers(&files.bodies, "body"))?;
        let owners = match &files.obstacles {
            Some(path) => numbers(&self.obstacles, "thing", most).ok_or_else(|| no_numbers(path, "thing"))?,
            None => Vec::new(),
        };
        let count = bodies.iter().max().map_or(0, |last| last + 1);
        materials.resize(materials.len().max(count), String::new());
        let mut names = things.to_vec();
        let things = owners.iter().max().map_or(0, |last| last + 1).max(materials.len());
        (names.len()..things).for_each(|number| names.push(format!("thing {number}")));
        let flat = self.bodies.of_whole("dimension").first() == Some(&2.0);
        Ok(Shapes {
            dimension: if flat { 2 } else { 3 },
            mesh: mesh.clone(),
            bodies,
            names,
            materials,
            obstacle_triangles: self.obstacles.mesh.triangles.clone(),
            obstacle_owners: owners,
            obstacle_vertices: self.obstacles.mesh.points.len(),
        })
    }

    /// How many vertices bodies and obstacles have.
    fn sizes(&self) -> [usize; 2] {
        [self.bodies.mesh.points.len(), self.obstacles.mesh.points.len()]
    }

    fn contacts(&self) -> Vec<Contact> {
        let array = |name: &str| self.contacts.on_points(name).map_or(&[][..], |array| &array.values[..]);
        let three = |values: &[f64], k: usize| {
            std::array::from_fn(|axis| values.get(3 * k + axis).copied().unwrap_or(0.0))
        };
        let (first, second, regimes) = (array("first"), array("second"), array("regime"));
        let (normal, friction) = (array("normal_force"), array("friction_force"));
        let number = |values: &[f64], k: usize| values.get(k).map_or(0, |value| whole(*value));
        let contact = |(k, point): (usize, &stiction::math::Vector<3>)| Contact {
            things: [number(first, k) as u32, number(second, k) as u32],
            point: point.0,
            normal_force: three(normal, k),
            friction_force: three(friction, k),
            regime: match number(regimes, k) {
                1 => Regime::Stick,
                2 => Regime::Slip,
                _ => Regime::Frictionless,
            },
        };
        self.contacts.mesh.points.iter().enumerate().map(contact).collect()
    }
}

/// The numbers of things that cells have, if there is one below `most` for each.
fn numbers(data: &FrameData, name: &str, most: usize) -> Option<Vec<usize>> {
    let cells = data.mesh.edges.len() + data.mesh.triangles.len() + data.mesh.tetrahedra.len();
    let Some(array) = data.on_cells(name) else { return (cells == 0).then(Vec::new) };
    let number =
        |value: &f64| (value.fract() == 0.0 && (0.0..most as f64).contains(value)).then(|| whole(*value));
    array.values.iter().map(number).collect()
}

fn no_numbers(path: &Path, name: &str) -> Error {
    let path = path.display();
    Error::Request(format!(
        "{path}: the array {name} does not have the number of a thing for each cell: run the scene anew"
    ))
}

/// The count that a number is; 0 if it is none.
#[expect(clippy::cast_sign_loss, reason = "numbers below 0 become 0")]
fn whole(value: f64) -> usize {
    value as usize
}

/// The frames of a run on disk.
struct Run {
    /// How many vertices bodies and obstacles have in every frame.
    sizes: [usize; 2],
    files: Vec<Files>,
    layout: Layout,
    fields: Vec<(String, Place, usize)>,
}

impl Reel for Run {
    fn count(&self) -> usize {
        self.files.len()
    }

    fn frame(&self, index: usize) -> Result<Frame> {
        let Some(files) = self.files.get(index) else {
            return Err(Error::Request(format!("there is no frame {index}")));
        };
        let parts = Parts::read(files)?;
        if parts.sizes() != self.sizes {
            let path = files.bodies.display();
            return Err(Error::Request(format!(
                "{path}: this frame is of another scene than the first: run the scene anew"
            )));
        }
        let obstacles: Vec<[f64; 3]> = parts.obstacles.mesh.points.iter().map(|x| x.0).collect();
        let fields = self.fields.iter().map(|field| self.values(&parts.bodies, field)).collect();
        Ok(Frame {
            step: parts.bodies.of_whole("step").first().map_or(0, |step| whole(*step)),
            time: files.time,
            points: self.layout.points(&parts.bodies.mesh.points, &obstacles),
            fields,
            contacts: parts.contacts(),
        })
    }
}

impl Run {
    /// A field of a frame at the places of the film.
    fn values(&self, bodies: &FrameData, (name, place, components): &(String, Place, usize)) -> Vec<f32> {
        let values =
            bodies.on_points(name).or_else(|| bodies.on_cells(name)).map_or(&[][..], |array| &array.values);
        let place = if *place == Place::Vertices { fields::Place::Vertices } else { fields::Place::Cells };
        self.layout.values(place, *components, values)
    }
}

/// The columns of the table of steps, as curves; none if there is no table.
fn add_curves(scenery: &mut Scenery, folder: &Path) {
    let Ok(text) = fs::read_to_string(folder.join("steps.csv")) else { return };
    let mut lines = text.lines();
    let titles = fields_of(lines.next().unwrap_or_default());
    let mut columns: Vec<Vec<f64>> = vec![Vec::new(); titles.len()];
    for line in lines {
        let row = fields_of(line);
        for (column, field) in
            columns.iter_mut().zip(row.iter().map(String::as_str).chain(std::iter::repeat("")))
        {
            column.push(field.parse().unwrap_or(f64::NAN));
        }
    }
    for (title, values) in titles.into_iter().zip(columns) {
        let (name, unit) = name_and_unit(&title);
        if name == "time" {
            scenery.step_times.clone_from(&values);
        }
        let (name, unit) = (name.to_owned(), unit.to_owned());
        if values.iter().any(|value| !value.is_nan()) {
            scenery.curves.push(Curve { name, unit, meaning: String::new(), values });
        }
    }
}
