//! States as files, to go on from to the last bit.
//!
//! ```text
//! bytes   what, numbers with the least significant byte first
//! 8       stiction
//! 4       version of the format, 4
//! 4       dimension D
//! 8       fingerprint of the model: see fingerprint
//! 8       number n of nodes
//! 8       steps made
//! 8       time in s
//! 8       which of the parts below are there: 1 a, 2 before, 4 kappa, 8 f, 16 accelerations, 32 friction on vertices, added
//! 8       number m of contacts that remember something
//! 8       number k of contacts that had friction in the last step
//! 16 D n  q in m, v in m/s
//! 8 D n   a in m/s²
//! 8 D n   f in m/s²
//! 8       length in s of the step before
//! 16 D n  q in m, v in m/s before it
//! 8       kappa in J/m⁴
//! 8       reserve of energy in J
//! 40 m    each contact, ascending: 8 kind (0 vv, 1 ve, 2 ee, 3 vf, 4 obstacle), 4 + 4 numbers of its sides, 8 time of birth in s,
//!         8 distance slid in m, 8 heat in J
//! 8 D n   accelerations in m/s²
//! 8 D v   friction on each of the v vertices of the surface, in N
//! each of the k contacts, ascending: 8 kind, 4 + 4 numbers of its sides, 4 × 4 vertices, 4 × 8 weights, 8 D force in N, 8 speed in m/s,
//!         8 whether it sticks, 8 heat in J
//! 8       FNV-1a of all bytes before
//! ```

use std::fs::File;
use std::io::Read;
use std::path::Path;

use stiction::contact::{ContactKey, ContactMemory, Feature};
use stiction::math::{Vector, vector};

use super::fnv::Fnv;
use super::replace::replace;
use super::scan::{Coding, Number, Scan, Scanned};
use super::wrong;
use crate::error::{Error, Result};
use crate::forces::vertices_of;
use crate::model::Model;
use crate::state::{BIRTH, Before, ContactFriction, FrictionForces, Memory, SLIP, State};

const MAGIC: &[u8] = b"stiction";
const VERSION: usize = 4;

/// Bytes before `x`.
const HEADER: usize = 72;

/// Where the number of contacts is.
const CONTACTS: usize = 56;

/// Where the number of contacts with friction is.
const RUBBING: usize = 64;

/// Bytes of a contact.
const CONTACT: usize = 40;

/// Bytes of friction in a contact.
const fn friction_size(dimension: usize) -> usize {
    16 + 16 + 32 + 8 * dimension + 24
}

/// Larger numbers overflow in squares and differences; no step has made them.
const LARGEST: f64 = 1e100;

/// Bytes of the hash at the end.
const CHECKSUM: usize = 8;

const HAS_A: usize = 1;
const HAS_BEFORE: usize = 2;
const HAS_KAPPA: usize = 4;
const HAS_F: usize = 8;
const HAS_ACCELERATION: usize = 16;
const HAS_FRICTION: usize = 32;

impl<const D: usize> State<D> {
    /// Saves the state of a model. Whenever the process ends, the file has what it had before or all of this state.
    ///
    /// # Errors
    /// If the file cannot be written, or the state is not one of the model.
    pub fn save(&self, path: &Path, model: &Model<D>) -> Result<()> {
        let n = model.mass.len();
        let before = self.before.iter().flat_map(|before| [before.q.len(), before.v.len()]);
        let lists =
            [&self.a, &self.f, &self.acceleration].into_iter().filter(|list| !list.is_empty()).map(Vec::len);
        if [self.q.len(), self.v.len()].into_iter().chain(before).chain(lists).any(|count| count != n) {
            return Err(wrong(path, "state", format!("not every list has the {n} nodes that the model has")));
        }
        let on_vertices = self.friction.on_vertices.len();
        if on_vertices != 0 && on_vertices != model.surface.rest().len() {
            return Err(wrong(path, "state", "friction is not of the vertices of the model".to_owned()));
        }
        replace(path, &bytes(self, fingerprint(model)))
    }

    /// Loads a state that was saved with the same model, or one whose bodies have the same vertices, elements, masses and links: parameters other than
    /// the time step may differ. With the same model, steps from it have the same bits as they would have had then.
    ///
    /// # Errors
    /// If the file cannot be read, is no such state, is damaged, bodies intersect in it, or links do not hold; with the place.
    pub fn load(path: &Path, model: &Model<D>) -> Result<Self> {
        let bytes = read_whole::<D>(path, longest::<D>(model.mass.len(), model.surface.rest().len()))?;
        let state = read(&bytes, model).map_err(|trouble| wrong(path, &trouble.place, trouble.message))?;
        // A checksum fits a forgery, too; the guarantee begins with a configuration that is free.
        let free = model.check_free(&state).and_then(|()| model.constraints.check(&model.rest, &state.q));
        free.map_err(|error| wrong(path, "positions", error.to_string()))?;
        Ok(state)
    }
}

/// What a state must share with the model: positions at rest, surface, elements, masses and links.
fn fingerprint<const D: usize>(model: &Model<D>) -> u64 {
    let mut hash = Fnv::new();
    hash.add_reals(vector::flat(model.surface.rest()));
    if model.map.is_some() {
        hash.add_reals(vector::flat(&model.rest));
    }
    hash.add_reals(model.mass.diagonal());
    if !model.mass.pairs().is_empty() {
        hash.add_rows(model.mass.pairs().iter().map(|(nodes, _)| nodes));
        hash.add_reals(&model.mass.pairs().iter().map(|(_, mass)| *mass).collect::<Vec<_>>());
    }
    for link in model.constraints.links() {
        hash.add_rows(link.nodes.iter().map(|(node, _)| std::array::from_ref(node)));
        hash.add_reals(&link.nodes.iter().map(|(_, weight)| *weight).collect::<Vec<_>>());
    }
    hash.add_rows(model.surface.edges().iter());
    hash.add_rows(model.surface.faces().iter());
    hash.add_rows(model.elastic.triangles.iter().map(|element| &element.stencil.0));
    hash.add_rows(model.elastic.tetrahedra.iter().map(|element| &element.stencil.0));
    hash.value()
}

/// Bytes of a file with all parts, without contacts.
fn longest<const D: usize>(nodes: usize, vertices: usize) -> usize {
    HEADER + 8 * (7 * D * nodes + D * vertices + 3) + CHECKSUM
}

/// Reads one byte more than a good file can have, and no further: what is too long is seen, and not loaded. Without contacts it has at most
/// `longest` bytes.
fn read_whole<const D: usize>(path: &Path, longest: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|mut file| {
        file.by_ref().take(HEADER as u64).read_to_end(&mut bytes)?;
        let count = |at: usize| {
            bytes.get(at..at + 8).and_then(|count| count.try_into().ok()).map_or(0, u64::from_le_bytes)
        };
        let (contacts, rubbing) = (count(CONTACTS), count(RUBBING));
        let limit = contacts.saturating_mul(CONTACT as u64).saturating_add(longest as u64 + 1);
        let limit = limit.saturating_add(rubbing.saturating_mul(friction_size(D) as u64));
        file.take(limit - bytes.len() as u64).read_to_end(&mut bytes)
    });
    read.map_err(|source| Error::File { path: path.to_owned(), source })?;
    Ok(bytes)
}

fn bytes<const D: usize>(state: &State<D>, fingerprint: u64) -> Vec<u8> {
    let parts = [
        if state.a.is_empty() { 0 } else { HAS_A },
        state.before.as_ref().map_or(0, |_| HAS_BEFORE),
        state.kappa.map_or(0, |_| HAS_KAPPA),
        if state.f.is_empty() { 0 } else { HAS_F },
        if state.acceleration.is_empty() { 0 } else { HAS_ACCELERATION },
        if state.friction.on_vertices.is_empty() { 0 } else { HAS_FRICTION },
    ];
    let most = longest::<D>(state.q.len(), state.friction.on_vertices.len());
    let contacts = CONTACT * state.memory.len() + friction_size(D) * state.friction.in_contacts.len();
    let mut out = Vec::with_capacity(most + contacts);
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&(VERSION as u32).to_le_bytes());
    out.extend_from_slice(&(D as u32).to_le_bytes());
    for count in [fingerprint, state.q.len() as u64, state.step as u64] {
        out.extend_from_slice(&count.to_le_bytes());
    }
    push_reals(&mut out, &[state.time]);
    out.extend_from_slice(&(parts.iter().sum::<usize>() as u64).to_le_bytes());
    out.extend_from_slice(&(state.memory.len() as u64).to_le_bytes());
    out.extend_from_slice(&(state.friction.in_contacts.len() as u64).to_le_bytes());
    for field in [&state.q, &state.v, &state.a, &state.f] {
        push_reals(&mut out, vector::flat(field));
    }
    if let Some(before) = &state.before {
        push_reals(&mut out, &[before.h]);
        push_reals(&mut out, vector::flat(&before.q));
        push_reals(&mut out, vector::flat(&before.v));
    }
    push_reals(&mut out, state.kappa.as_slice());
    push_reals(&mut out, &[state.reserve]);
    for (key, numbers) in state.memory.iter() {
        push_key(&mut out, *key);
        push_reals(&mut out, numbers);
    }
    push_reals(&mut out, vector::flat(&state.acceleration));
    push_friction(&mut out, &state.friction);
    let checksum = Fnv::of(&out);
    out.extend_from_slice(&checksum.to_le_bytes());
    out
}

fn push_key(out: &mut Vec<u8>, key: ContactKey) {
    let (kind, sides) = key.code();
    out.extend_from_slice(&u64::from(kind).to_le_bytes());
    for side in sides {
        out.extend_from_slice(&side.to_le_bytes());
    }
}

fn push_friction<const D: usize>(out: &mut Vec<u8>, friction: &FrictionForces<D>) {
    push_reals(out, vector::flat(&friction.on_vertices));
    for contact in &friction.in_contacts {
        push_key(out, contact.key);
        contact.vertices.iter().for_each(|v| out.extend_from_slice(&v.to_le_bytes()));
        push_reals(out, &contact.weights);
        push_reals(out, &contact.force.0);
        push_reals(out, &[contact.speed, f64::from(u8::from(contact.sticks)), contact.heat]);
    }
}

fn push_reals(out: &mut Vec<u8>, numbers: &[f64]) {
    for number in numbers {
        out.extend_from_slice(&number.to_le_bytes());
    }
}

fn read<const D: usize>(bytes: &[u8], model: &Model<D>) -> Scanned<State<D>> {
    let mut scan = Scan::new(bytes);
    scan.coding = Coding::Little;
    read_kind::<D>(&mut scan)?;
    check_model(&mut scan, model)?;
    let step = scan.count(Number::U64, "the number of steps")?;
    let time = read_time(&mut scan, step, model.params.time.step)?;
    let parts = scan.count(Number::U64, "the list of parts")?;
    let contacts = scan.count(Number::U64, "the number of contacts")?;
    let rubbing = scan.count(Number::U64, "the number of contacts with friction")?;
    check_whole(&scan, bytes, model, Sizes { parts, contacts, rubbing })?;
    let n = model.mass.len();
    let q = vectors(&mut scan, n, "the position")?;
    let v = vectors(&mut scan, n, "the velocity")?;
    let a = if parts & HAS_A == 0 { Vec::new() } else { vectors(&mut scan, n, "the acceleration")? };
    let f = if parts & HAS_F == 0 { Vec::new() } else { vectors(&mut scan, n, "the force")? };
    let before = if parts & HAS_BEFORE == 0 { None } else { Some(read_before(&mut scan, n)?) };
    let kappa = if parts & HAS_KAPPA == 0 {
        None
    } else {
        Some(real(&mut scan, "the barrier stiffness", |kappa| kappa > 0.0)?)
    };
    let reserve = real(&mut scan, "the reserve of energy", |_| true)?;
    let memory = read_memory(&mut scan, model, contacts, time)?;
    let acceleration =
        if parts & HAS_ACCELERATION == 0 { Vec::new() } else { vectors(&mut scan, n, "the acceleration")? };
    let on_vertices = if parts & HAS_FRICTION == 0 {
        Vec::new()
    } else {
        vectors(&mut scan, model.surface.rest().len(), "the friction")?
    };
    let friction = FrictionForces { on_vertices, in_contacts: read_friction(&mut scan, model, rubbing)? };
    Ok(State { q, v, time, step, a, f, before, kappa, reserve, memory, acceleration, friction })
}

/// Whether it is a state at all, of this version and dimension.
fn read_kind<const D: usize>(scan: &mut Scan<'_>) -> Scanned<()> {
    if !scan.take(MAGIC.len().min(scan.left()), "the mark").is_ok_and(|mark| mark == MAGIC) {
        return Err(scan.trouble_at(0, "this is no state that stiction saved: choose another file"));
    }
    let start = scan.offset();
    let version = scan.count(Number::U32, "the version")?;
    if version != VERSION {
        let message = format!(
            "the format is of version {version}, this program knows {VERSION}: load it with the program that saved it"
        );
        return Err(scan.trouble_at(start, message));
    }
    let start = scan.offset();
    let dimension = scan.count(Number::U32, "the dimension")?;
    if dimension != D {
        let message = format!("the state is of a scene in {dimension}D, this one is in {D}D: choose its own");
        return Err(scan.trouble_at(start, message));
    }
    Ok(())
}

/// Whether the state is one of this model.
fn check_model<const D: usize>(scan: &mut Scan<'_>, model: &Model<D>) -> Scanned<()> {
    let start = scan.offset();
    let mark = scan.take(8, "the fingerprint of the scene")? == fingerprint(model).to_le_bytes();
    let n = scan.count(Number::U64, "the number of nodes")?;
    if mark && n == model.mass.len() {
        return Ok(());
    }
    let message = format!(
        "the state has {n} nodes and is of other bodies than the scene, which has {}: load it with the scene that it \
         was saved with",
        model.mass.len()
    );
    Err(scan.trouble_at(start, message))
}

/// The time, which must be that of so many steps of length `h` in s: prescribed vertices would jump.
fn read_time(scan: &mut Scan<'_>, steps: usize, h: f64) -> Scanned<f64> {
    let start = scan.offset();
    let time = real(scan, "the time", |time| time >= 0.0)?;
    if time == steps as f64 * h {
        return Ok(time);
    }
    let message =
        format!("step {steps} at {time} s was made with another time.step than {h} s: set it as it was");
    Err(scan.trouble_at(start, message))
}

/// What a file says that it has.
#[derive(Clone, Copy)]
struct Sizes {
    parts: usize,
    contacts: usize,
    rubbing: usize,
}

/// Whether the file is as long as its parts and contacts want, and has the bytes that were written.
fn check_whole<const D: usize>(
    scan: &Scan<'_>,
    bytes: &[u8],
    model: &Model<D>,
    Sizes { parts, contacts, rubbing }: Sizes,
) -> Scanned<()> {
    if parts >= 2 * HAS_FRICTION {
        return Err(scan.trouble_at(CONTACTS - 8, "unknown parts: the file is damaged, take another"));
    }
    let (nodes, vertices) = (D * model.mass.len(), D * model.surface.rest().len());
    let has = |part: usize| usize::from(parts & part != 0);
    let fields = 2 + has(HAS_A) + has(HAS_F) + 2 * has(HAS_BEFORE) + has(HAS_ACCELERATION);
    let numbers = fields * nodes + has(HAS_FRICTION) * vertices + has(HAS_BEFORE) + has(HAS_KAPPA) + 1;
    let expected = HEADER + 8 * numbers + CHECKSUM;
    let expected = expected.saturating_add(contacts.saturating_mul(CONTACT));
    let expected = expected.saturating_add(rubbing.saturating_mul(friction_size(D)));
    if bytes.len() != expected {
        let how = if bytes.len() < expected { "is cut short" } else { "goes on" };
        let message = format!("the file {how}: it should have {expected} bytes; take another");
        return Err(scan.trouble_at(bytes.len().min(expected), message));
    }
    let (content, checksum) = bytes.split_at(expected - CHECKSUM);
    if Fnv::of(content).to_le_bytes() != checksum {
        let message = "the checksum does not fit: the file is damaged, take another";
        return Err(scan.trouble_at(content.len(), message));
    }
    Ok(())
}

fn read_before<const D: usize>(scan: &mut Scan<'_>, n: usize) -> Scanned<Before<D>> {
    let h = real(scan, "the length of the step before", |h| h > 0.0)?;
    let q = vectors(scan, n, "the earlier position")?;
    Ok(Before { q, v: vectors(scan, n, "the earlier velocity")?, h })
}

/// What so many contacts remember at a `time` in s.
fn read_memory<const D: usize>(
    scan: &mut Scan<'_>,
    model: &Model<D>,
    contacts: usize,
    time: f64,
) -> Scanned<Memory> {
    let mut entries: Vec<(ContactKey, [f64; 3])> = Vec::with_capacity(contacts);
    for _ in 0..contacts {
        let start = scan.offset();
        let key = read_key(scan)?;
        if !is_of(key, model) || entries.last().is_some_and(|last| last.0 >= key) {
            let message = format!("{key} do not belong there: the file is damaged, take another");
            return Err(scan.trouble_at(start, message));
        }
        let mut numbers = [0.0; 3];
        for (i, what) in ["the birth", "the distance slid", "the heat"].into_iter().enumerate() {
            let most = if i == BIRTH { time } else { LARGEST };
            let is_good = |number: f64| number.abs() <= most && (number >= 0.0 || (i != BIRTH && i != SLIP));
            numbers[i] = real(scan, &format!("{what} of the contact of {key}"), is_good)?;
        }
        entries.push((key, numbers));
    }
    ContactMemory::new(entries).map_err(|error| scan.trouble(error))
}

/// Friction in so many contacts.
fn read_friction<const D: usize>(
    scan: &mut Scan<'_>,
    model: &Model<D>,
    contacts: usize,
) -> Scanned<Vec<ContactFriction<D>>> {
    let mut list: Vec<ContactFriction<D>> = Vec::with_capacity(contacts);
    for _ in 0..contacts {
        let start = scan.offset();
        let key = read_key(scan)?;
        let contact = read_contact_friction(scan, key)?;
        if !is_of(key, model)
            || !has_vertices_of(&contact, model)
            || list.last().is_some_and(|last| last.key >= key)
        {
            let message =
                format!("friction of {key} does not belong there: the file is damaged, take another");
            return Err(scan.trouble_at(start, message));
        }
        list.push(contact);
    }
    Ok(list)
}

fn read_contact_friction<const D: usize>(
    scan: &mut Scan<'_>,
    key: ContactKey,
) -> Scanned<ContactFriction<D>> {
    let (mut vertices, mut weights, mut force) = ([0; 4], [0.0; 4], Vector::ZERO);
    for v in &mut vertices {
        *v = scan.count(Number::U32, "a vertex of a contact")? as u32;
    }
    for c in &mut weights {
        *c = real(scan, "a weight of a contact", |c| c.abs() <= LARGEST)?;
    }
    for k in 0..D {
        force[k] = real(scan, "the friction of a contact", |f| f.abs() <= LARGEST)?;
    }
    let speed = real(scan, "the speed of a contact", |speed| (0.0..=LARGEST).contains(&speed))?;
    let sticks = real(scan, "whether a contact sticks", |sticks| sticks == 0.0 || sticks == 1.0)? != 0.0;
    let heat = real(scan, "the heat of a contact", |heat| heat.abs() <= LARGEST)?;
    Ok(ContactFriction { key, vertices, weights, force, speed, sticks, heat })
}

/// Whether the vertices of a contact are those of its key.
fn has_vertices_of<const D: usize>(contact: &ContactFriction<D>, model: &Model<D>) -> bool {
    let count = vertices_of(contact.key);
    let mut expected = Vec::new();
    contact
        .key
        .sides()
        .into_iter()
        .for_each(|side| side.for_each_vertex(&model.surface, |v| expected.push(v)));
    let (mut found, rest) = (contact.vertices[..count].to_vec(), &contact.vertices[count..]);
    found.sort_unstable();
    expected.sort_unstable();
    found == expected && rest.iter().all(|v| *v == 0)
}

fn read_key(scan: &mut Scan<'_>) -> Scanned<ContactKey> {
    let start = scan.offset();
    let kind = scan.count(Number::U64, "the kind of a contact")?;
    let mut side = || Ok(scan.count(Number::U32, "a side of a contact")? as u32);
    let sides = [side()?, side()?];
    let key = u8::try_from(kind).ok().and_then(|kind| ContactKey::from_code(kind, sides));
    key.ok_or_else(|| {
        let message = format!("there is no contact of kind {kind} with sides {sides:?}: take another file");
        scan.trouble_at(start, message)
    })
}

/// Whether the model has the sides of a contact. Obstacles may be others than those it was saved with.
fn is_of<const D: usize>(key: ContactKey, model: &Model<D>) -> bool {
    let (edges, faces) = (model.surface.edges().len(), model.surface.faces().len());
    let vertices = model.surface.rest().len();
    key.sides().into_iter().all(|side| match side {
        Feature::Vertex(v) => (v as usize) < vertices,
        Feature::Edge(e) => (e as usize) < edges,
        Feature::Face(f) => (f as usize) < faces,
        Feature::Obstacle(_) => true,
    })
}

/// A number that is finite and as it should be.
fn real(scan: &mut Scan<'_>, what: &str, good: impl Fn(f64) -> bool) -> Scanned<f64> {
    let start = scan.offset();
    let value = scan.real(Number::F64, what)?;
    if value.is_finite() && good(value) {
        return Ok(value);
    }
    Err(scan.trouble_at(start, format!("{what} is {value}: take another file")))
}

fn vectors<const D: usize>(scan: &mut Scan<'_>, n: usize, what: &str) -> Scanned<Vec<Vector<D>>> {
    let mut out = vec![Vector::ZERO; n];
    for (index, number) in vector::flat_mut(&mut out).iter_mut().enumerate() {
        let start = scan.offset();
        *number = scan.real(Number::F64, what)?;
        let wrong = if number.is_finite() { "too large" } else { "not finite" };
        if !number.is_finite() || number.abs() > LARGEST {
            let message = format!("{what} of vertex {} is {wrong}: take another file", index / D);
            return Err(scan.trouble_at(start, message));
        }
    }
    Ok(out)
}
