//! The bodies of a scene.

use stiction::math::Vector;

use super::build::MAX_VERTICES;
use super::shape_mesh::{MeshShape, RodShape, ShapeMesh, SheetFrame, SheetShape, rotation};
use super::{Body, Damping, Scene, SceneError, Shape, Side};
use crate::boundary::Trajectory;
use crate::io::{self, Mesh};
use crate::load;
use crate::material::{self, Lame};
use crate::model::{self, BodyDamping};

impl Scene {
    pub(super) fn body<const D: usize>(&self, index: usize) -> Result<model::Body<D>, SceneError> {
        let body: &Body = &self.bodies[index];
        let key = format!("bodies[{index}]");
        if body.is_static {
            self.check_static(&key, body)?;
        }
        let mesh = self.shape_mesh(&format!("{key}.shape"), &body.shape)?;
        if body.is_static && mesh.skin.is_some() {
            let message =
                "means nothing for a static body, which does not deform: remove it, or static = true";
            return Err(self.error(&format!("{key}.shape.mesh.embed"), message));
        }
        let (prescribed, loads) = (self.prescribed(&key, body, &mesh)?, self.loads(&key, body, &mesh)?);
        self.check_idle(index, mesh.vertices.len(), &prescribed, &loads)?;
        let velocity = self.vector_or_zero(&format!("{key}.velocity"), body.velocity.as_deref())?;
        let empty = if body.is_static {
            model::Body::fixed_shape(&body.name, mesh.vertices)
        } else {
            let (material, density) = self.material(&key, body)?;
            model::Body::new(&body.name, mesh.vertices, material, density)
        };
        let whole = model::Body {
            edges: mesh.edges,
            triangles: mesh.triangles,
            tetrahedra: mesh.tetrahedra,
            skin: mesh.skin,
            damping: self.damping(&key, body)?,
            velocity,
            prescribed,
            loads,
            ..empty
        };
        self.sized(&key, body, whole)
    }

    /// Refuses what would do nothing on a fixed shape: whoever wrote it expects something.
    fn check_static(&self, key: &str, body: &Body) -> Result<(), SceneError> {
        const MATTER: &str = "means nothing for a static body, which has no mass and no elasticity: remove it, or \
                              static = true";
        const SPEED: &str = "means nothing for a static body, which moves only as its motions say: give a \
                             [[bodies.motions]] table with this velocity, or remove static = true";
        const FORCE: &str =
            "means nothing for a static body, which no force moves: remove it, or static = true";
        for (name, given, message) in [
            ("material", body.material.is_some(), MATTER),
            ("damping", body.damping.is_some(), MATTER),
            ("thickness", body.thickness.is_some(), MATTER),
            ("radius", body.radius.is_some(), MATTER),
            ("velocity", body.velocity.is_some(), SPEED),
            ("loads", !body.loads.is_empty(), FORCE),
            ("fixed", !body.fixed.is_empty(), "means nothing for a static body, which is fixed: remove it"),
        ] {
            if given {
                return Err(self.error(&format!("{key}.{name}"), message));
            }
        }
        Ok(())
    }

    /// Refuses motions that later ones replace everywhere, and velocities and loads of nothing but vertices whose motion is given.
    fn check_idle<const D: usize>(
        &self,
        index: usize,
        vertices: usize,
        prescribed: &[(Vec<u32>, Trajectory<D>)],
        loads: &[load::Load<D>],
    ) -> Result<(), SceneError> {
        let (key, body) = (format!("bodies[{index}]"), &self.bodies[index]);
        let mut given = vec![None; vertices];
        for (chosen, trajectory) in prescribed {
            for v in chosen {
                given[*v as usize] = Some(trajectory);
            }
        }
        for (i, (chosen, trajectory)) in prescribed.iter().enumerate() {
            if chosen.iter().all(|v| given[*v as usize] != Some(trajectory)) {
                let message = "moves nothing: later motions take all of its vertices; remove one of them";
                return Err(self.error(&format!("{key}.{}", body.prescription(i)), message));
            }
        }
        if body.velocity.is_some() && !body.is_static && given.iter().all(Option::is_some) {
            let message = "is the velocity of no vertex: motions are given for all of them; remove it";
            return Err(self.error(&format!("{key}.velocity"), message));
        }
        let idle = |load: &load::Load<D>| load.vertices().iter().all(|v| given[*v as usize].is_some());
        match loads.iter().position(idle) {
            None => Ok(()),
            Some(i) => {
                let message = "moves nothing: the motions of all of its vertices are given; remove it";
                Err(self.error(&format!("{key}.loads[{i}]"), message))
            }
        }
    }

    /// The law and the density of a body.
    fn material(&self, key: &str, body: &Body) -> Result<(material::Material, f64), SceneError> {
        let Some(given) = &body.material else {
            return Err(self.error(key, "needs a material, or static = true"));
        };
        let key = format!("{key}.material");
        let lame =
            Lame::new(given.young, given.poisson).map_err(|error| self.parameter_error(&key, &error))?;
        let kind = self.named(&format!("{key}.kind"), given.kind.as_deref())?;
        if !(given.density > 0.0 && given.density.is_finite()) {
            return Err(self.error(&format!("{key}.density"), "must be positive, in kg/m³"));
        }
        Ok((material::Material { kind, lame }, given.density))
    }

    fn damping(&self, key: &str, body: &Body) -> Result<BodyDamping, SceneError> {
        let Damping { mass, stiffness } = body.damping.unwrap_or_default();
        for (name, value) in [("mass", mass), ("stiffness", stiffness)] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(self.error(&format!("{key}.damping.{name}"), "must be 0 or positive"));
            }
        }
        Ok(BodyDamping { mass, stiffness })
    }

    /// The body with the thickness of its sheets or the radius of its rods.
    fn sized<const D: usize>(
        &self,
        key: &str,
        given: &Body,
        body: model::Body<D>,
    ) -> Result<model::Body<D>, SceneError> {
        let sheet = D == 3 && !body.triangles.is_empty();
        let flat = D == 2 && !body.triangles.is_empty();
        let key = |name: &str| format!("{key}.{name}");
        for (name, value, fits) in
            [("thickness", given.thickness, sheet || flat), ("radius", given.radius, !body.edges.is_empty())]
        {
            if value.is_some_and(|value| !(value > 0.0 && value.is_finite())) {
                return Err(self.error(&key(name), "must be positive, in m"));
            }
            if value.is_some() && !fits {
                return Err(self.error(&key(name), "this shape has none: remove it"));
            }
            if value.is_none() && fits && !flat && !body.is_static {
                return Err(self.error(&key(name), "is missing: this shape needs one, in m"));
            }
        }
        let (thickness, radius) =
            (given.thickness.unwrap_or(body.thickness), given.radius.unwrap_or(body.radius));
        Ok(model::Body { thickness, radius, ..body })
    }

    fn shape_mesh<const D: usize>(&self, key: &str, shape: &Shape) -> Result<ShapeMesh<D>, SceneError> {
        match shape {
            Shape::Box(shape) => self.box_mesh(&format!("{key}.box"), shape).map(ShapeMesh::from),
            Shape::Quad(shape) => self.quad(&format!("{key}.quad"), shape),
            Shape::Sheet(shape) => self.sheet(&format!("{key}.sheet"), shape),
            Shape::Rod(shape) => self.rod(&format!("{key}.rod"), shape),
            Shape::Mesh(shape) => self.mesh(&format!("{key}.mesh"), shape),
        }
    }

    fn sheet<const D: usize>(&self, key: &str, shape: &SheetShape) -> Result<ShapeMesh<D>, SceneError> {
        if D != 3 {
            return Err(self.error(key, "sheets exist only in 3D: choose a rod"));
        }
        let size = self.vector(&format!("{key}.size"), &shape.size)?;
        if shape.size.iter().any(|length| *length <= 0.0) {
            return Err(self.error(&format!("{key}.size"), "every length must be positive"));
        }
        let frame = SheetFrame {
            center: self.vector(&format!("{key}.center"), &shape.center)?,
            normal: self.direction(&format!("{key}.normal"), &shape.normal)?,
            degrees: self.finite(&format!("{key}.rotate_deg"), shape.rotate_deg)?,
        };
        Ok(frame.sheet(size, self.cells(&format!("{key}.cells"), &shape.cells)?))
    }

    fn rod<const D: usize>(&self, key: &str, shape: &RodShape) -> Result<ShapeMesh<D>, SceneError> {
        let start = self.vector(&format!("{key}.start"), &shape.start)?;
        let end = self.vector(&format!("{key}.end"), &shape.end)?;
        let [segments] = self.cells(&format!("{key}.segments"), &[shape.segments])?;
        Ok(ShapeMesh::rod(start, end, segments))
    }

    fn mesh<const D: usize>(&self, key: &str, shape: &MeshShape) -> Result<ShapeMesh<D>, SceneError> {
        if !(shape.scale > 0.0 && shape.scale.is_finite()) {
            return Err(self.error(&format!("{key}.scale"), "must be positive"));
        }
        let degrees = self.finite(&format!("{key}.rotate_deg"), shape.rotate_deg.unwrap_or_default())?;
        let axis_key = format!("{key}.axis");
        let axis = match (D, &shape.axis) {
            (_, None) => Vector::axis(2),
            (3, Some(_)) if shape.rotate_deg.is_none() => {
                return Err(self.error(&axis_key, "turns nothing without rotate_deg: give both, or neither"));
            }
            (3, Some(axis)) => self.direction(&axis_key, axis)?,
            _ => return Err(self.error(&axis_key, "exists only in 3D: remove it")),
        };
        let by = self.vector_or_zero::<D>(&format!("{key}.translate"), shape.translate.as_deref())?;
        let (file_key, mesh) = (format!("{key}.file"), self.read(&format!("{key}.file"), &shape.file)?);
        if D == 2 && !is_level(&mesh) {
            return Err(self.error(&file_key, "a mesh in 2D must have the same z everywhere"));
        }
        let turned = rotation(axis, degrees);
        let place = |x: Vector<3>| {
            let x = turned * (x * shape.scale);
            by + Vector(std::array::from_fn(|k| x[k]))
        };
        let shape_mesh = ShapeMesh::of_file(&mesh, place);
        let shape_mesh =
            shape_mesh.ok_or_else(|| self.error(&file_key, "has no edges, triangles or tetrahedra"))?;
        let Some(file) = &shape.embed else { return Ok(shape_mesh) };
        let skin = shape_mesh.into_skin();
        let skin = skin.ok_or_else(|| self.error(&file_key, "has no surface that a mesh could carry"))?;
        let mut carrier = self.carrier(&format!("{key}.embed"), file, place)?;
        carrier.skin = Some(skin);
        Ok(carrier)
    }

    /// The mesh of solid elements that carries a surface.
    fn carrier<const D: usize>(
        &self,
        key: &str,
        file: &str,
        place: impl Fn(Vector<3>) -> Vector<D>,
    ) -> Result<ShapeMesh<D>, SceneError> {
        let mesh = self.read(key, file)?;
        if D == 2 && !is_level(&mesh) {
            return Err(self.error(key, "a mesh in 2D must have the same z everywhere"));
        }
        let shape_mesh = ShapeMesh::of_file(&mesh, place).filter(|shape_mesh: &ShapeMesh<D>| {
            if D == 2 { !shape_mesh.triangles.is_empty() } else { !shape_mesh.tetrahedra.is_empty() }
        });
        let needs = if D == 2 { "triangles" } else { "tetrahedra" };
        shape_mesh.ok_or_else(|| self.error(key, format!("has no {needs}: a surface is carried by a solid")))
    }

    fn read(&self, key: &str, file: &str) -> Result<Mesh, SceneError> {
        let mesh =
            io::read_mesh(&self.folder.join(file)).map_err(|error| self.error(key, error.to_string()))?;
        if mesh.points.len() > MAX_VERTICES {
            return Err(self.error(key, format!("has more than {MAX_VERTICES} points")));
        }
        Ok(mesh)
    }

    fn finite(&self, key: &str, value: f64) -> Result<f64, SceneError> {
        if value.is_finite() { Ok(value) } else { Err(self.error(key, "must be finite")) }
    }

    /// A vector of length 1.
    fn direction(&self, key: &str, numbers: &[f64]) -> Result<Vector<3>, SceneError> {
        let direction = self.vector::<3>(key, numbers)?.normalized();
        if !direction.is_finite() || direction == Vector::ZERO {
            return Err(self.error(key, "must have a length"));
        }
        Ok(direction)
    }

    pub(super) fn side<const D: usize>(
        &self,
        key: &str,
        mesh: &ShapeMesh<D>,
        side: Side,
    ) -> Result<Vec<u32>, SceneError> {
        let vertices = mesh.side(side);
        if !vertices.is_empty() {
            return Ok(vertices.to_vec());
        }
        let only =
            if side.axis().0 >= D { "this side exists only in 3D" } else { "this shape has no such side" };
        Err(self.error(key, only))
    }
}

impl Body {
    /// The key below the body's of what is prescribed with this number: `fixed` first, then `motions`.
    pub(super) fn prescription(&self, number: usize) -> String {
        match number.checked_sub(self.fixed.len()) {
            None => format!("fixed[{number}]"),
            Some(motion) => format!("motions[{motion}]"),
        }
    }
}

/// Whether all points have the same third coordinate, to rounding.
fn is_level(mesh: &Mesh) -> bool {
    let size = mesh.points.iter().fold(0.0, |size: f64, point| size.max(point.max_abs()));
    mesh.points.iter().all(|point| (point[2] - mesh.points[0][2]).abs() <= 1e-12 * size)
}
