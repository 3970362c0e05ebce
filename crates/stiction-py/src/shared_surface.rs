//! A surface that objects of Python share.

use std::any::Any;
use std::ops::Deref;
use std::sync::{Arc, Mutex, TryLockError, Weak};

use stiction::broad_phase::{BroadPhaseKind, Candidates, Nearby};
use stiction::error::Result;
use stiction::math::Vector;
use stiction::mesh;

use crate::known_free::{KnownFree, first_crossing};
use crate::sparse::Kept;

/// What someone found on a surface, of a type that only they know.
type Found = dyn Any + Send + Sync;

/// A surface, and what the last searches for close pairs found: solvers ask again and again after small motions, and sometimes twice
/// in the same place.
pub struct SharedSurface<const D: usize> {
    surface: mesh::Surface<D>,
    nearby: Mutex<Nearby<D>>,
    last: Mutex<Option<Weak<Found>>>,
    free: Mutex<Option<KnownFree<D>>>,
    /// The last Hessian of a barrier: the next contacts are often the same pairs.
    pub hessian: Kept<D>,
}

impl<const D: usize> SharedSurface<D> {
    pub fn new(surface: mesh::Surface<D>) -> Arc<Self> {
        let (nearby, last) = (Mutex::default(), Mutex::default());
        Arc::new(Self { surface, nearby, last, free: Mutex::default(), hessian: Kept::default() })
    }

    /// The candidates of a motion, whose positions and inflation have been checked. The default method remembers; which one
    /// it is, and whether another thread is asking, changes nothing but the time.
    pub fn candidates(
        &self,
        kind: BroadPhaseKind,
        start: &[Vector<D>],
        end: &[Vector<D>],
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

    /// What intersects at the start of a motion of which this part is free of contact for what is apart there, in words. Starts that follow
    /// from the last motion need no look.
    pub fn crossing_at_start(
        &self,
        start: &[Vector<D>],
        end: &[Vector<D>],
        part: f64,
    ) -> Result<Option<String>> {
        let mut free = self.free.try_lock().ok();
        let known = free.as_ref().and_then(|free| free.as_ref()).is_some_and(|known| known.has(start));
        if !known && let Some(found) = first_crossing(&self.surface, start)? {
            return Ok(Some(found));
        }
        if let Some(free) = &mut free {
            **free = Some(KnownFree::new(start, end, part));
        }
        Ok(None)
    }

    /// The contacts built last, while someone has them.
    pub fn last_contacts<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        self.last.try_lock().ok()?.as_ref()?.upgrade()?.downcast().ok()
    }

    /// Notes the contacts built last.
    pub fn keep_contacts<T: Any + Send + Sync>(&self, contacts: &Arc<T>) {
        let found: Arc<Found> = contacts.clone();
        if let Ok(mut last) = self.last.try_lock() {
            *last = Some(Arc::downgrade(&found));
        }
    }
}

impl<const D: usize> Deref for SharedSurface<D> {
    type Target = mesh::Surface<D>;

    fn deref(&self) -> &Self::Target {
        &self.surface
    }
}
