//! A ball around every vertex in which it may move, whatever the others do in theirs. \[Chen2025\]

use crate::broad_phase::BroadPhaseKind;
use crate::ccd::{Ccd, PairSearch};
use crate::error::{Error, Result};
use crate::math::Vector;
use crate::mesh::{MovingSurface, Surface};
use crate::obstacle::Obstacle;

/// How far a position may be outside its ball by rounding, in units of its distance from the origin.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Bounds of the motion of each vertex, instead of one fraction of a step for all of them.
///
/// ```text
/// |xᵢ − cᵢ| ≤ ρᵢ        ρᵢ = ½ γ (min(d of the pairs of i, inflation) − ξ)        [m]
/// ```
/// `c` are the positions at the last [`update`](Self::update), `γ` is 0.9 unless changed, `ξ` the minimum distance. The points of
/// a primitive move no further than the furthest of its vertices, so a pair that was `d` apart keeps more than
/// `ξ + (1 − γ)(d − ξ)`, also in rounded arithmetic. Vertices that are not on the surface are not bounded.
///
/// ```
/// use stiction::math::Vector;
/// use stiction::mesh::Surface;
/// use stiction::ogc::TrustRegion;
///
/// // A vertex of one segment 0.05 m above another segment.
/// let mut x = vec![Vector([0.0, 0.0]), Vector([1.0, 0.0]), Vector([0.5, 0.05]), Vector([0.5, 1.0])];
/// let surface = Surface::new(x.clone(), vec![[0, 1], [2, 3]], vec![])?;
/// let mut region = TrustRegion::new(0.1)?;
///
/// for _ in 0..10 {
///     region.update_if_needed(&surface, &[], &x)?;
///     // What a solver without any idea of contact wants to do.
///     let mut step = vec![Vector([0.0, 0.0]), Vector([0.0, 0.0]), Vector([0.0, -1.0]), Vector([0.0, -1.0])];
///     region.filter_step(&surface, &x, &mut step)?;
///     for (x, p) in x.iter_mut().zip(&step) {
///         *x += *p;
///     }
/// }
/// assert!(x[2][1] > 0.0);
/// # Ok::<(), stiction::error::Error>(())
/// ```
///
/// The contacts of positions inside the region are among the candidates that the broad phase finds around the centres with
/// [`contact_inflation`](Self::contact_inflation): they need not be looked for again until the next update.
///
/// Obstacles count as if they moved as far as the vertices do; one that moves further needs an update.
#[derive(Clone, Debug, PartialEq)]
pub struct TrustRegion<const D: usize> {
    dhat: f64,
    ccd: Ccd,
    threshold: f64,
    broad_phase: BroadPhaseKind,
    inflation: f64,
    centers: Vec<Vector<D>>,
    radii: Vec<f64>,
    needs_update: bool,
}

impl<const D: usize> TrustRegion<D> {
    /// A region for contacts below the distance `dhat`, in m; it has no balls before the first update.
    ///
    /// # Errors
    /// If `dhat` is not positive and finite.
    pub fn new(dhat: f64) -> Result<Self> {
        if !(dhat > 0.0 && 2.0 * dhat < f64::INFINITY) {
            return Err(Error::BadParameter { name: "dhat", value: dhat, must: "a positive length" });
        }
        Ok(Self {
            dhat,
            ccd: Ccd::default(),
            threshold: 0.01,
            broad_phase: BroadPhaseKind::default(),
            inflation: 2.0 * dhat,
            centers: Vec::new(),
            radii: Vec::new(),
            needs_update: true,
        })
    }

    /// The same with another minimum distance `ξ`, in m. Balls are looked for up to `2 ξ` at least: otherwise none had room.
    ///
    /// # Errors
    /// If it is negative or not finite.
    pub fn with_min_distance(mut self, min_distance: f64) -> Result<Self> {
        self.ccd = self.ccd.with_min_distance(min_distance)?;
        self.inflation = self.inflation_for(0.0);
        Ok(self.without_balls())
    }

    /// The same with another part `γ` of the distances used up.
    ///
    /// # Errors
    /// If it is not between 0 and 1.
    pub fn with_relaxation(mut self, relaxation: f64) -> Result<Self> {
        let must = "between 0 and 1";
        let refuse = |_| Error::BadParameter { name: "relaxation of the radii", value: relaxation, must };
        self.ccd = self.ccd.with_keep(1.0 - relaxation).map_err(refuse)?;
        Ok(self.without_balls())
    }

    /// The balls were those of other settings.
    fn without_balls(mut self) -> Self {
        self.centers.clear();
        self.radii.clear();
        self.needs_update = true;
        self
    }

    /// The same with another part of the surface's vertices that may be held before the region is to be updated: 0.01 unless
    /// changed.
    ///
    /// # Errors
    /// If it is not from 0 to 1.
    pub fn with_update_threshold(mut self, threshold: f64) -> Result<Self> {
        if !(0.0..=1.0).contains(&threshold) {
            let (name, must) = ("part of the vertices that may be held", "from 0 to 1");
            return Err(Error::BadParameter { name, value: threshold, must });
        }
        self.threshold = threshold;
        Ok(self)
    }

    /// The same with another way to find near pairs. The balls are the same for all.
    pub fn with_broad_phase(mut self, broad_phase: BroadPhaseKind) -> Self {
        self.broad_phase = broad_phase;
        self
    }

    /// The region with balls of another time: their centres and radii in m, the distance up to which pairs were looked for, and whether it
    /// needs an update.
    ///
    /// # Errors
    /// If there is not one radius for each centre, or the distance is not positive.
    pub fn with_balls(
        mut self,
        centers: Vec<Vector<D>>,
        radii: Vec<f64>,
        inflation: f64,
        needs_update: bool,
    ) -> Result<Self> {
        if centers.len() != radii.len() {
            return Err(Error::WrongLength { what: "radii", found: radii.len(), expected: centers.len() });
        }
        if inflation.is_nan() || inflation <= 0.0 {
            return Err(Error::BadParameter {
                name: "inflation",
                value: inflation,
                must: "a positive length",
            });
        }
        (self.centers, self.radii) = (centers, radii);
        (self.inflation, self.needs_update) = (inflation, needs_update);
        Ok(self)
    }

    /// `c`: the middles of the balls; none before the first update.
    pub fn centers(&self) -> &[Vector<D>] {
        &self.centers
    }

    /// `ρ` in m; infinite off the surface.
    pub fn radii(&self) -> &[f64] {
        &self.radii
    }

    /// The distance up to which pairs are looked for, in m.
    pub fn inflation(&self) -> f64 {
        self.inflation
    }

    /// Whether too many vertices were held since the last update, or there was none.
    pub fn needs_update(&self) -> bool {
        self.needs_update
    }

    /// The inflation with which the broad phase finds, at the centres, all pairs that come within `reach` (in m) while the
    /// vertices stay in their balls, in m.
    ///
    /// ```text
    /// ½ (reach + 2 max ρ)
    /// ```
    pub fn contact_inflation(&self, reach: f64) -> f64 {
        let largest = self.radii.iter().copied().filter(|radius| radius.is_finite()).fold(0.0, f64::max);
        0.5 * reach + largest
    }

    /// Puts the balls around positions `x` of a surface, among obstacles. The contacts are not looked for.
    ///
    /// # Errors
    /// If there is not one finite position for each vertex.
    pub fn update(&mut self, surface: &Surface<D>, obstacles: &[Obstacle<D>], x: &[Vector<D>]) -> Result<()> {
        self.radii = self.ccd.safe_distances_within(surface, obstacles, x, self.search())?;
        self.centers.clear();
        self.centers.extend(x);
        self.needs_update = false;
        Ok(())
    }

    /// [`update`](Self::update) if [`needs_update`](Self::needs_update); whether it was done.
    ///
    /// # Errors
    /// As for [`update`](Self::update).
    pub fn update_if_needed(
        &mut self,
        surface: &Surface<D>,
        obstacles: &[Obstacle<D>],
        x: &[Vector<D>],
    ) -> Result<bool> {
        let needed = self.needs_update;
        if needed {
            self.update(surface, obstacles, x)?;
        }
        Ok(needed)
    }

    /// Moves `x` towards `predicted` as far as the balls around `x` allow, and says how many vertices were held.
    ///
    /// ```text
    /// inflation = max(2 d̂, 2 ξ, max |x̂ − x|)
    /// ```
    /// The balls are put around the new positions if too many were held. A vertex that nothing is near is still held by
    /// `½ γ (inflation − ξ)`: the way to a far prediction takes several updates.
    ///
    /// # Errors
    /// If there is not one finite position for each vertex, or a way is longer than the largest number.
    pub fn warm_start(
        &mut self,
        surface: &Surface<D>,
        obstacles: &[Obstacle<D>],
        x: &mut [Vector<D>],
        predicted: &[Vector<D>],
    ) -> Result<usize> {
        surface.check_positions(x)?;
        surface.check_positions(predicted)?;
        let moves: Vec<_> = x.iter().zip(predicted).map(|(x, y)| *y - *x).collect();
        let on_surface = surface.vertices().iter().map(|v| moves[*v as usize]);
        let longest = on_surface.map(length).fold(0.0, f64::max);
        if longest == f64::INFINITY {
            return Err(Error::BadParameter { name: "way to a prediction", value: longest, must: "finite" });
        }
        self.inflation = self.inflation_for(longest);
        self.update(surface, obstacles, x)?;
        let mut held = 0;
        for i in 0..x.len() {
            let ball = Ball { center: self.centers[i], radius: self.radii[i] };
            if ball.contains(predicted[i]) {
                x[i] = predicted[i];
            } else {
                x[i] += ball.shortened(x[i], moves[i]);
                held += 1;
            }
        }
        if self.is_too_many(held, surface) {
            self.update(surface, obstacles, x)?;
        }
        Ok(held)
    }

    /// Shortens the `step` (in m) of each vertex from `x` so that it ends in its ball, and says how many vertices were held.
    ///
    /// Any part of the step is then allowed, too. If too many are held the region [needs an update](Self::needs_update).
    ///
    /// # Errors
    /// If there is not one finite position and step for each vertex, the region was not updated for this surface, or a
    /// position is not in its ball.
    pub fn filter_step(
        &mut self,
        surface: &Surface<D>,
        x: &[Vector<D>],
        step: &mut [Vector<D>],
    ) -> Result<usize> {
        surface.check_positions(x)?;
        let held = shorten_to_balls(&self.centers, &self.radii, x, step)?;
        self.needs_update |= self.is_too_many(held, surface);
        Ok(held)
    }

    /// Shortens the `step` (in m) of each vertex from `x` by planes that divide the near pairs, and says how many vertices were
    /// held; see [`Ccd::divided_steps`].
    ///
    /// Only what goes towards another primitive is held back, so vertices slide along each other, which
    /// [`filter_step`](Self::filter_step) does not let them do for long. It looks for pairs within the
    /// [`inflation`](Self::inflation) around `x` itself: no update is needed before, but one is before the next `filter_step`. Any
    /// part of the step is allowed, too.
    ///
    /// # Errors
    /// If there is not one finite position and step for each vertex, or a vertex would go beyond the largest number.
    pub fn planar_filter_step(
        &mut self,
        surface: &Surface<D>,
        obstacles: &[Obstacle<D>],
        x: &[Vector<D>],
        step: &mut [Vector<D>],
    ) -> Result<usize> {
        check_steps(step, x.len())?;
        let end: Vec<_> = x.iter().zip(&*step).map(|(x, p)| *x + *p).collect();
        let moving = MovingSurface::new(surface, x, &end);
        let parts = self.ccd.divided_steps(&moving, obstacles, self.search())?;
        let mut held = 0;
        for (p, part) in step.iter_mut().zip(parts) {
            if part < 1.0 {
                *p = *p * part;
                held += 1;
            }
        }
        self.needs_update = true;
        Ok(held)
    }

    fn search(&self) -> PairSearch {
        PairSearch { reach: self.inflation, broad_phase: self.broad_phase }
    }

    fn inflation_for(&self, longest: f64) -> f64 {
        (2.0 * self.dhat).max(2.0 * self.ccd.min_distance()).max(longest)
    }

    fn is_too_many(&self, held: usize, surface: &Surface<D>) -> bool {
        held as f64 > self.threshold * surface.vertices().len() as f64
    }
}

/// Shortens the `step` (in m) of each vertex from `x` so that it ends in its ball, given by centres and radii, and says how many
/// vertices were held.
///
/// # Errors
/// If there is not one ball, one finite position and one finite step for each vertex, or a position is not in its ball.
pub fn shorten_to_balls<const D: usize>(
    centers: &[Vector<D>],
    radii: &[f64],
    x: &[Vector<D>],
    step: &mut [Vector<D>],
) -> Result<usize> {
    check_inside(centers, radii, x)?;
    check_steps(step, x.len())?;
    let mut held = 0;
    for i in 0..x.len() {
        let ball = Ball { center: centers[i], radius: radii[i] };
        if !ball.contains(x[i] + step[i]) {
            step[i] = ball.shortened(x[i], step[i]);
            held += 1;
        }
    }
    Ok(held)
}

/// Checks that every position is in its ball, but for rounding.
fn check_inside<const D: usize>(centers: &[Vector<D>], radii: &[f64], x: &[Vector<D>]) -> Result<()> {
    if centers.len() != x.len() || radii.len() != x.len() {
        let what = "the trust region (update it for this surface first): its list of balls";
        return Err(Error::WrongLength { what, found: centers.len().min(radii.len()), expected: x.len() });
    }
    let inside = |i: usize| {
        let tolerance = ROUNDING * (length(centers[i]) + length(x[i]));
        length(x[i] - centers[i]) <= radii[i] + tolerance
    };
    match (0..x.len()).find(|i| !inside(*i)) {
        None => Ok(()),
        Some(index) => Err(Error::BadEntry {
            what: "distance from the centre of its trust region, of vertex",
            index,
            value: length(x[index] - centers[index]),
            must: "at most the radius: filter every step, and update where the positions were changed otherwise",
        }),
    }
}

fn check_steps<const D: usize>(step: &[Vector<D>], expected: usize) -> Result<()> {
    if step.len() != expected {
        return Err(Error::WrongLength { what: "the step", found: step.len(), expected });
    }
    match step.iter().position(|p| !p.is_finite()) {
        None => Ok(()),
        Some(index) => Err(Error::NotFinite { what: "step of vertex", index }),
    }
}

/// A length that neither overflows nor vanishes where the sum of squares would.
fn length<const D: usize>(p: Vector<D>) -> f64 {
    let side = p.0.iter().fold(0.0, |side: f64, entry| side.max(entry.abs()));
    if (1e-100..1e100).contains(&side) || side == 0.0 || side == f64::INFINITY {
        return if side == f64::INFINITY { side } else { p.norm() };
    }
    (p * (1.0 / side)).norm() * side
}

/// Where one vertex may be.
#[derive(Clone, Copy)]
struct Ball<const D: usize> {
    center: Vector<D>,
    radius: f64,
}

impl<const D: usize> Ball<D> {
    fn contains(&self, x: Vector<D>) -> bool {
        self.radius == f64::INFINITY || length(x - self.center) <= self.radius
    }

    /// The part of a step from `x` that ends at the surface of the ball, inside for certain.
    ///
    /// ```text
    /// |x + s u − c| = ρ        s = −b + √(b² + ρ² − q²)        u = p/|p| ,  b = u·(x − c) ,  q = |x − c|
    /// ```
    fn shortened(&self, x: Vector<D>, step: Vector<D>) -> Vector<D> {
        if self.radius == 0.0 {
            return Vector::ZERO;
        }
        // In units of the radius: squares of it may not exist.
        let (whole, out) = (length(step), (x - self.center) * (1.0 / self.radius));
        let (b, q) = ((step * (1.0 / whole)).dot(out), out.norm());
        let left = (1.0 - q) * (1.0 + q);
        let root = (b * b + left).max(0.0).sqrt();
        let s = if b > 0.0 { left / (b + root) } else { root - b };
        let mut part = (s * self.radius / whole).clamp(0.0, 1.0);
        // Rounding may put the end outside: a few digits less.
        for digits in 0..8 {
            let shortened = step * part;
            if shortened.is_finite() && self.contains(x + shortened) {
                return shortened;
            }
            part *= 1.0 - f64::EPSILON * f64::from(1 << (4 * digits));
        }
        Vector::ZERO
    }
}
