//! A surface that objects of Python share.

use std::ops::Deref;
use std::sync::{Arc, Mutex, TryLockError, Weak};

use stiction::broad_phase::{BroadPhaseKind, Candidates, Nearby};
use stiction::math::Vector;
use stiction::mesh;

use crate::contacts::Scene;

/// A surface, and what the last searches for close pairs found: solvers ask again and again after small motions, and sometimes twice
/// in the same place.
pub struct SharedSurface<const D: usize> {
    surface: mesh::Surface<D>,
    nearby: Mutex<Nearby<D>>,
    last: Mutex<Weak<Scene<D>>>,
}

impl<const D: usize> SharedSurface<D> {
    pub fn new(surface: mesh::Surface<D>) -> Arc<Self> {
        Arc::new(Self { surface, nearby: Mutex::default(), last: Mutex::new(Weak::new()) })
    }

    /// The candidates of a motion, whose positions and inflation have been checked. The default method remembers; which one
    /// it is, and whether another thread is asking, changes nothing but the time.
    pub fn candidates(
        &self,
        kind: BroadPhaseKind,
        (start, end): (&[Vector<D>], &[Vector<D>]),
        inflation: f64,
    ) -> Candidates {
        if kind != BroadPhaseKind::default() {
            return kind.candidates(&self.surface, start, end, inflation);
        }
        let mut nearby = match self.nearby.try_lock() {
            Ok(nearby) => nearby,
            Err(TryLockError::Poisoned(broken)) => {
                let mut nearby = broken.into_inner();
                *nearby = Nearby::default();
                self.nearby.clear_poison();
                nearby
            }
            // Not worth waiting for.
            Err(TryLockError::WouldBlock) => return kind.candidates(&self.surface, start, end, inflation),
        };
        nearby.candidates(&self.surface, start, end, inflation)
    }

    /// The contacts built last, while someone has them.
    pub fn last_contacts(&self) -> Option<Arc<Scene<D>>> {
        self.last.try_lock().ok()?.upgrade()
    }

    /// Notes the contacts built last.
    pub fn keep_contacts(&self, contacts: &Arc<Scene<D>>) {
        if let Ok(mut last) = self.last.try_lock() {
            *last = Arc::downgrade(contacts);
        }
    }
}

impl<const D: usize> Deref for SharedSurface<D> {
    type Target = mesh::Surface<D>;

    fn deref(&self) -> &Self::Target {
        &self.surface
    }
}
