//! Coefficients of pairs of materials.

use super::entry::Entry;
use super::sides::Sides;
use crate::error::{Error, Result};
use crate::mesh::Surface;

/// Friction of every pair of materials or bodies, by names: the recommended way, because friction is measured for pairs.
///
/// ```
/// use stiction::friction::{Mu, PairTable};
///
/// let table = PairTable::<3>::new(&["steel", "rubber"])?
///     .with("steel", "rubber", Mu { s: 1.0, k: 0.8 })?
///     .with("steel", "steel", 0.2)?
///     .with_vertices(&["steel", "steel", "rubber", "rubber"])?
///     .with_obstacles(&["steel"])?;
/// # Ok::<(), stiction::error::Error>(())
/// ```
/// The order of two names does not matter; a name may meet itself. Pairs without an entry are those that the rest of
/// [`Coefficients`](super::Coefficients) says.
#[derive(Clone, Debug, PartialEq)]
pub struct PairTable<const D: usize> {
    names: Vec<String>,
    entries: Vec<Entry<D>>,
    /// For each name those that come with it or after it, ascending, each with the number of its entry.
    rows: Vec<Vec<(u32, u32)>>,
    vertices: Vec<u32>,
    obstacles: Vec<u32>,
}

/// What has no material.
const NONE: u32 = u32::MAX;

impl<const D: usize> PairTable<D> {
    /// A table of materials without entries.
    ///
    /// # Errors
    /// If a name is given twice.
    pub fn new<S: AsRef<str>>(names: &[S]) -> Result<Self> {
        let names: Vec<String> = names.iter().map(|name| name.as_ref().to_owned()).collect();
        let mut sorted: Vec<&String> = names.iter().collect();
        sorted.sort();
        if let Some(same) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Error::RepeatedName { what: "material", name: same[0].clone() });
        }
        let rows = vec![vec![]; names.len()];
        Ok(Self { names, entries: vec![], rows, vertices: vec![], obstacles: vec![] })
    }

    /// The same table with friction between two of the materials, which may be the same.
    ///
    /// # Errors
    /// If a name is unknown, the pair has an entry already, or the entry is not possible.
    pub fn with(mut self, a: &str, b: &str, entry: impl Into<Entry<D>>) -> Result<Self> {
        let (entry, names) = (entry.into(), [a.to_owned(), b.to_owned()]);
        entry.check().map_err(|error| Error::Between { names, error: Box::new(error) })?;
        let (a, b) = ordered(self.number(a)?, self.number(b)?);
        let row = &mut self.rows[a as usize];
        match row.binary_search_by_key(&b, |pair| pair.0) {
            Ok(_) => {
                let name = [a, b].map(|name| self.names[name as usize].as_str()).join("\" and \"");
                return Err(Error::RepeatedName { what: "friction between", name });
            }
            Err(place) => row.insert(place, (b, self.entries.len() as u32)),
        }
        self.entries.push(entry);
        Ok(self)
    }

    /// The same table with the material of every vertex of the full vertex array.
    ///
    /// # Errors
    /// If a name is unknown.
    pub fn with_vertices<S: AsRef<str>>(mut self, materials: &[S]) -> Result<Self> {
        self.vertices = self.numbers("material of vertex", materials)?;
        Ok(self)
    }

    /// The same table with the material of every vertex given by its number in the list of names.
    ///
    /// # Errors
    /// If there is no such name.
    pub fn with_numbered_vertices(mut self, materials: Vec<u32>) -> Result<Self> {
        let unknown = |material: &u32| *material as usize >= self.names.len();
        if let Some(index) = materials.iter().position(unknown) {
            let (what, name) = ("material of vertex", materials[index].to_string());
            let known = format!("the numbers below {}", self.names.len());
            return Err(Error::UnknownEntry { what, index, name, known });
        }
        self.vertices = materials;
        Ok(self)
    }

    /// The same table with the material of every body of a surface, see [`Surface::body`]: entry `k` of body `k`. Vertices off the
    /// surface have none.
    ///
    /// # Errors
    /// If a name is unknown or there are fewer names than bodies.
    pub fn with_bodies<S: AsRef<str>>(mut self, surface: &Surface<D>, materials: &[S]) -> Result<Self> {
        let numbers = self.numbers("material of body", materials)?;
        let bodies = || (0..surface.rest().len() as u32).map(|v| surface.body(v));
        let count = bodies().flatten().max().map_or(0, |last| last as usize + 1);
        if numbers.len() < count {
            let (what, found) = ("list of materials of bodies", numbers.len());
            return Err(Error::WrongLength { what, found, expected: count });
        }
        self.vertices = bodies().map(|body| body.map_or(NONE, |body| numbers[body as usize])).collect();
        Ok(self)
    }

    /// The same table with the material of every obstacle; without, obstacles have none.
    ///
    /// # Errors
    /// If a name is unknown.
    pub fn with_obstacles<S: AsRef<str>>(mut self, materials: &[S]) -> Result<Self> {
        self.obstacles = self.numbers("material of obstacle", materials)?;
        Ok(self)
    }

    /// The names of the materials.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// All entries, in the order in which they were given.
    pub fn entries(&self) -> &[Entry<D>] {
        &self.entries
    }

    /// Friction between two materials by their names, if it was given.
    ///
    /// # Errors
    /// If a name is unknown.
    pub fn between(&self, a: &str, b: &str) -> Result<Option<&Entry<D>>> {
        Ok(self.entry(self.number_of(self.number(a)?, self.number(b)?)))
    }

    /// Checks that there is a material for each of so many vertices and, if for any, for each of so many obstacles.
    ///
    /// # Errors
    /// If there is not.
    pub fn check(&self, vertices: usize, obstacles: usize) -> Result<()> {
        check_length("list of materials of vertices", self.vertices.len(), vertices)?;
        if self.obstacles.is_empty() {
            return Ok(());
        }
        check_length("list of materials of obstacles", self.obstacles.len(), obstacles)
    }

    /// Number of the entry of a vertex on an obstacle.
    #[inline]
    pub(super) fn of_obstacle(&self, vertex: u32, obstacle: u32) -> Option<u32> {
        let material = *self.obstacles.get(obstacle as usize)?;
        self.number_of(self.vertices[vertex as usize], material)
    }

    /// Number of the entry of a contact whose sides have one material each; otherwise the materials.
    #[inline]
    pub(super) fn of_pair<const N: usize>(
        &self,
        sides: &Sides<N>,
    ) -> std::result::Result<Option<u32>, [u32; N]> {
        let materials = sides.vertices.map(|v| self.vertices[v as usize]);
        let (a, b) = (materials[0], materials[N - 1]);
        if materials[..sides.first].iter().all(|m| *m == a)
            && materials[sides.first..].iter().all(|m| *m == b)
        {
            return Ok(self.number_of(a, b));
        }
        Err(materials)
    }

    /// Number of the entry of two materials.
    #[inline]
    pub(super) fn number_of(&self, a: u32, b: u32) -> Option<u32> {
        let (a, b) = ordered(a, b);
        let row = self.rows.get(a as usize)?;
        row.binary_search_by_key(&b, |pair| pair.0).ok().map(|place| row[place].1)
    }

    /// The entry of this number.
    #[inline]
    pub(super) fn entry(&self, number: Option<u32>) -> Option<&Entry<D>> {
        self.entries.get(number? as usize)
    }

    fn number(&self, name: &str) -> Result<u32> {
        let found = self.names.iter().position(|known| known == name);
        found.map(|number| number as u32).ok_or_else(|| Error::UnknownName {
            what: "material",
            name: name.to_owned(),
            known: self.names.join(", "),
        })
    }

    fn numbers<S: AsRef<str>>(&self, what: &'static str, materials: &[S]) -> Result<Vec<u32>> {
        let mut sorted: Vec<(&str, u32)> = self.names.iter().map(String::as_str).zip(0..).collect();
        sorted.sort_unstable();
        let number = |(index, name): (usize, &S)| {
            let name = name.as_ref();
            let found = sorted.binary_search_by_key(&name, |pair| pair.0);
            let unknown = |_| {
                let (name, known) = (name.to_owned(), self.names.join(", "));
                Error::UnknownEntry { what, index, name, known }
            };
            found.map(|place| sorted[place].1).map_err(unknown)
        };
        materials.iter().enumerate().map(number).collect()
    }
}

#[inline]
fn ordered(a: u32, b: u32) -> (u32, u32) {
    (a.min(b), a.max(b))
}

/// Checks the length of a list.
pub(super) fn check_length(what: &'static str, found: usize, expected: usize) -> Result<()> {
    if found == expected { Ok(()) } else { Err(Error::WrongLength { what, found, expected }) }
}
