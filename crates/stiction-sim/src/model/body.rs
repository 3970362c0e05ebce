//! Bodies as they are put into a model.

use stiction::math::Vector;
use stiction::mesh::surface::check_indices;

use super::Skin;
use crate::boundary::Trajectory;
use crate::error::{Error, Result};
use crate::load::Load;
use crate::mass::MassKind;
use crate::material::{Lame, Material};

/// Rayleigh damping of a body: forces `−(α M + β K) v`. Nothing damps quasi-static steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyDamping {
    /// `α` in 1/s: as if it moved through something thick; slows down rigid motion, too.
    pub mass: f64,
    /// `β` in s: resists deforming.
    pub stiffness: f64,
}

/// A body as it is put into a model: solid, sheet, rod, or several of these joined at their vertices. Vertex numbers count
/// from 0 in each body.
#[derive(Clone, Debug, PartialEq)]
pub struct Body<const D: usize> {
    /// Its name, for messages and reports.
    pub name: String,
    /// Positions of its vertices, at rest and at the start, in m.
    pub vertices: Vec<Vector<D>>,
    /// In 2D its solid elements, counter-clockwise. In 3D triangles of a sheet, which stretches and bends; sides that
    /// two of them share are hinges, and of those that more share each is joined to the next.
    pub triangles: Vec<[u32; 3]>,
    /// Its solid elements in 3D, of positive volume.
    pub tetrahedra: Vec<[u32; 4]>,
    /// Segments of rods, which stretch, and bend where just two meet; where more meet is a joint.
    pub edges: Vec<[u32; 2]>,
    /// What it is made of.
    pub material: Material,
    /// Its density in kg/m³.
    pub density: f64,
    /// How the masses of its elements go to its vertices.
    pub mass: MassKind,
    /// How its vibrations fade.
    pub damping: BodyDamping,
    /// How thick a sheet is (3D), or a solid across the plane (2D), in m.
    pub thickness: f64,
    /// Radius of the round cross-section of rods, in m.
    pub radius: f64,
    /// Whether it is a fixed shape: without mass and elasticity, all of its vertices prescribed, at rest unless told otherwise. It does
    /// not touch itself. Material, density, damping, thickness and radius do not matter.
    pub is_static: bool,
    /// Its velocity at the start, in m/s.
    pub velocity: Vector<D>,
    /// Vertices whose motion is given.
    pub prescribed: Vec<(Vec<u32>, Trajectory<D>)>,
    /// Forces that are given.
    pub loads: Vec<Load<D>>,
    /// A finer surface that touches and is drawn in place of the boundary of the elements, which carry it; only of solids that are not static.
    pub skin: Option<Skin<D>>,
}

impl<const D: usize> Body<D> {
    /// An elastic body with vertices and nothing between them yet, 1 m thick, at rest; the radius of rods is not set.
    pub fn new(
        name: impl Into<String>,
        vertices: Vec<Vector<D>>,
        material: impl Into<Material>,
        density: f64,
    ) -> Self {
        Self {
            name: name.into(),
            vertices,
            triangles: Vec::new(),
            tetrahedra: Vec::new(),
            edges: Vec::new(),
            material: material.into(),
            density,
            mass: MassKind::default(),
            damping: BodyDamping::default(),
            thickness: 1.0,
            radius: 0.0,
            is_static: false,
            velocity: Vector::ZERO,
            prescribed: Vec::new(),
            loads: Vec::new(),
            skin: None,
        }
    }

    /// A fixed shape with vertices and nothing between them yet.
    pub fn fixed_shape(name: impl Into<String>, vertices: Vec<Vector<D>>) -> Self {
        let material = Lame { shear: 1.0, lambda: 0.0 };
        Self { is_static: true, ..Self::new(name, vertices, material, 0.0) }
    }

    /// Whether its triangles are a sheet.
    pub(super) fn is_sheet(&self) -> bool {
        D == 3 && !self.triangles.is_empty()
    }

    /// Checks numbers and lists, but for the sizes of elements.
    pub(super) fn check(&self, index: usize) -> Result<()> {
        if !self.velocity.is_finite() {
            return Err(stiction::error::Error::NotFinite { what: "velocity of body", index }.into());
        }
        if let Some(vertex) = self.vertices.iter().position(|x| !x.is_finite()) {
            return Err(stiction::error::Error::NotFinite { what: "vertex", index: vertex }.into());
        }
        if D == 2 && !self.tetrahedra.is_empty() {
            let (what, found) = ("tetrahedra of a body in 2D", self.tetrahedra.len());
            return Err(stiction::error::Error::WrongLength { what, found, expected: 0 }.into());
        }
        self.check_list("edge", &self.edges)?;
        self.check_list("triangle", &self.triangles)?;
        self.check_list("tetrahedron", &self.tetrahedra)?;
        self.check_loose()?;
        self.check_skin()?;
        if self.is_static { Ok(()) } else { self.check_matter() }
    }

    fn check_list<const N: usize>(&self, what: &'static str, list: &[[u32; N]]) -> Result<()> {
        check_indices(what, list, self.vertices.len())?;
        let sorted = |(index, primitive): (usize, &[u32; N])| {
            let mut vertices = *primitive;
            vertices.sort_unstable();
            (vertices, index)
        };
        let mut keyed: Vec<_> = list.iter().enumerate().map(sorted).collect();
        keyed.sort_unstable();
        match keyed.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            None => Ok(()),
            Some(pair) => {
                let (body, first, second) = (self.name.clone(), pair[0].1, pair[1].1);
                Err(Error::Twice { body, what, first, second })
            }
        }
    }

    /// Checks that a surface has a solid to carry it.
    fn check_skin(&self) -> Result<()> {
        let Some(skin) = &self.skin else { return Ok(()) };
        let solids = if D == 2 { self.triangles.len() } else { self.tetrahedra.len() };
        let others = self.edges.len() + if D == 2 { 0 } else { self.triangles.len() };
        if self.is_static || solids == 0 || others > 0 {
            let must = "that of a solid, without sheets and rods, that is not static: remove it";
            return Err(Error::BadBody {
                body: self.name.clone(),
                name: "embedded surface",
                value: 1.0,
                must,
            });
        }
        skin.check()
    }

    fn check_loose(&self) -> Result<()> {
        let mut used = vec![false; self.vertices.len()];
        let lists =
            [self.edges.as_flattened(), self.triangles.as_flattened(), self.tetrahedra.as_flattened()];
        for &vertex in lists.into_iter().flatten() {
            used[vertex as usize] = true;
        }
        match used.iter().position(|used| !used) {
            None => Ok(()),
            Some(vertex) => Err(Error::LooseVertex { body: self.name.clone(), vertex }),
        }
    }

    fn check_matter(&self) -> Result<()> {
        let BodyDamping { mass, stiffness } = self.damping;
        for (name, value) in [("damping.mass", mass), ("damping.stiffness", stiffness)] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(Error::BadBody { body: self.name.clone(), name, value, must: "0 or positive" });
            }
        }
        self.check_positive("density", self.density, "positive, in kg/m³")?;
        if !self.triangles.is_empty() {
            self.check_positive("thickness", self.thickness, "positive, in m")?;
        }
        if !self.edges.is_empty() {
            self.check_positive("radius", self.radius, "positive, in m: rods have one")?;
        }
        Ok(())
    }

    fn check_positive(&self, name: &'static str, value: f64, must: &'static str) -> Result<()> {
        if value > 0.0 && value.is_finite() {
            return Ok(());
        }
        Err(Error::BadBody { body: self.name.clone(), name, value, must })
    }
}
