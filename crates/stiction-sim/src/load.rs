//! Forces that are given.

use stiction::math::Vector;

use crate::signal::Signal;

/// What a load does, at its full size. Vertices are those of a body, or of a model.
#[derive(Clone, Debug, PartialEq)]
pub enum LoadKind<const D: usize> {
    /// A force in N on each of some vertices.
    Force(Vec<(u32, Vector<D>)>),
    /// A pressure in Pa on pieces of a boundary, edges in 2D and faces in 3D, whose vertices go around so that what is outside is on the right
    /// (2D) or where the right hand's thumb points (3D). It follows the surface, from step to step: within a step it is that of its start.
    Pressure(Vec<[u32; D]>, f64),
    /// An acceleration in m/s² of some vertices, as gravity is one of all.
    Acceleration(Vec<u32>, Vector<D>),
}

/// A load that changes with time.
#[derive(Clone, Debug, PartialEq)]
pub struct Load<const D: usize> {
    /// What it does.
    pub kind: LoadKind<D>,
    /// How much of it acts when.
    pub factor: Signal,
}

impl<const D: usize> Load<D> {
    /// The same for vertices whose numbers begin at `offset`.
    pub fn shifted(&self, offset: u32) -> Self {
        let kind = match &self.kind {
            LoadKind::Force(all) => LoadKind::Force(all.iter().map(|&(v, f)| (v + offset, f)).collect()),
            LoadKind::Pressure(sides, p) => {
                LoadKind::Pressure(sides.iter().map(|side| side.map(|v| v + offset)).collect(), *p)
            }
            LoadKind::Acceleration(all, a) => {
                LoadKind::Acceleration(all.iter().map(|v| v + offset).collect(), *a)
            }
        };
        Self { kind, factor: self.factor.clone() }
    }

    /// The same on a body of this thickness in m instead of 1 m: a pressure has as much more to push.
    pub fn of_thickness(self, thickness: f64) -> Self {
        match self.kind {
            LoadKind::Pressure(sides, p) => {
                Self { kind: LoadKind::Pressure(sides, p * thickness), factor: self.factor }
            }
            kind => Self { kind, factor: self.factor },
        }
    }

    /// Its vertices, as often as they occur.
    pub fn vertices(&self) -> Vec<u32> {
        match &self.kind {
            LoadKind::Force(all) => all.iter().map(|(v, _)| *v).collect(),
            LoadKind::Pressure(sides, _) => sides.iter().flatten().copied().collect(),
            LoadKind::Acceleration(all, _) => all.clone(),
        }
    }

    fn add(&self, x: &[Vector<D>], masses: &[f64], t: f64, out: &mut [Vector<D>]) {
        let factor = self.factor.at(t);
        match &self.kind {
            LoadKind::Force(all) => {
                for (v, force) in all {
                    out[*v as usize] += *force * factor;
                }
            }
            LoadKind::Acceleration(all, a) => {
                for v in all {
                    out[*v as usize] += *a * (factor * masses[*v as usize]);
                }
            }
            LoadKind::Pressure(sides, p) => {
                for side in sides {
                    let push = outwards(side.map(|v| x[v as usize])) * (-factor * p / D as f64);
                    for v in side {
                        out[*v as usize] += push;
                    }
                }
            }
        }
    }
}

/// The normal of an edge or face, as long as it is large, in m² (m times 1 m in 2D).
fn outwards<const D: usize>(corners: [Vector<D>; D]) -> Vector<D> {
    let edge = |k: usize| corners[k] - corners[0];
    let mut normal = Vector::ZERO;
    if D == 2 {
        let along = edge(1);
        (normal[0], normal[1]) = (along[1], -along[0]);
        return normal;
    }
    let (a, b) = (edge(1), edge(2));
    for k in 0..D {
        let (i, j) = ((k + 1) % D, (k + 2) % D);
        normal[k] = 0.5 * (a[i] * b[j] - a[j] * b[i]);
    }
    normal
}

/// How large an edge or face is, in m² (m times 1 m in 2D).
pub fn size<const D: usize>(corners: [Vector<D>; D]) -> f64 {
    outwards(corners).norm()
}

/// All loads of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Loads<const D: usize>(pub Vec<Load<D>>);

impl<const D: usize> Loads<D> {
    /// The forces in N on all vertices at positions `x`, in m, and time `t`, in s; empty without loads.
    pub fn forces(&self, x: &[Vector<D>], masses: &[f64], t: f64) -> Vec<Vector<D>> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let mut out = vec![Vector::ZERO; x.len()];
        for load in &self.0 {
            load.add(x, masses, t, &mut out);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::Formula;

    #[test]
    fn loads_push() {
        let x = [Vector([0.0, 0.0]), Vector([2.0, 0.0]), Vector([0.0, 1.0])];
        let half = Signal::Formula(Formula::parse("t / 4").unwrap());
        let load = |kind| Load { kind, factor: half.clone() };
        // Below the body, whose boundary goes around against the clock.
        let pressure = load(LoadKind::Pressure(vec![[0, 1]], 3.0));
        let force = load(LoadKind::Force(vec![(2, Vector([1.0, 0.0]))]));
        let acceleration = load(LoadKind::Acceleration(vec![1], Vector([0.0, -10.0])));
        let found = Loads(vec![pressure, force, acceleration]).forces(&x, &[1.0, 2.0, 3.0], 2.0);
        assert_eq!(found, [Vector([0.0, 1.5]), Vector([0.0, 1.5 - 10.0]), Vector([0.5, 0.0])]);
    }

    #[test]
    fn a_face_is_pushed_inwards() {
        let x = [Vector([0.0, 0.0, 0.0]), Vector([1.0, 0.0, 0.0]), Vector([0.0, 1.0, 0.0])];
        let load = Load { kind: LoadKind::Pressure(vec![[0, 1, 2]], 6.0), factor: Signal::default() };
        let found = Loads(vec![load]).forces(&x, &[1.0; 3], 0.0);
        assert_eq!(found, [Vector([0.0, 0.0, -1.0]); 3]);
        let thin = Load { kind: LoadKind::Pressure(vec![[0, 1]], 2.0), factor: Signal::default() };
        assert_eq!(thin.of_thickness(0.5).kind, LoadKind::<2>::Pressure(vec![[0, 1]], 1.0));
        assert!(Loads::<3>::default().forces(&x, &[1.0; 3], 0.0).is_empty());
    }
}
