//! Linear conditions on the nodes, which are eliminated: nothing stretches, and no stiffness has to be chosen.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use stiction::linear_map::LinearMap;
use stiction::math::Vector;

use crate::boundary::Boundary;
use crate::error::{Error, Result};

/// What is left of a weight that should be 0, relative to the largest of those that made it.
const ROUNDING: f64 = 1e-12;

/// How far a link may be from holding, relative to its weights and the largest coordinate of its nodes: what rounding leaves of one that holds.
const HOLDS: f64 = 1e-10;

/// A condition on nodes that holds for each axis: a weighted sum of their positions stays as it is at rest.
///
/// ```text
/// Σₖ aₖ qₖ(t) = Σₖ aₖ Xₖ        a without unit, q and X in m
/// ```
/// With the weights of a point in one body, and of a point in another with the opposite sign, it keeps the vector between both points: a ball joint with
/// an arm of constant direction. So surfaces that are linked stay as far apart as they are at rest, and have to be apart: bodies that touch at rest count as
/// intersecting. The vector may be zero between points of the same body, and between nodes of solids with a [`Skin`](crate::model::Skin) each: these nodes
/// touch nothing themselves.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Its name in messages.
    pub name: String,
    /// Nodes and their weights `a`; a node that occurs twice counts twice.
    pub nodes: Vec<(u32, f64)>,
}

/// A node whose place follows from others.
#[derive(Clone, Debug, PartialEq)]
struct Follower<const D: usize> {
    node: u32,
    /// Nodes that are unknowns or prescribed, ascending, and their weights.
    leaders: Vec<(u32, f64)>,
    /// What is added to their weighted sum, in m.
    offset: Vector<D>,
}

impl<const D: usize> Follower<D> {
    fn sum(&self, field: &[Vector<D>]) -> Vector<D> {
        self.leaders.iter().fold(Vector::ZERO, |sum, (node, weight)| sum + field[*node as usize] * *weight)
    }
}

/// All conditions on the nodes of a model, prescribed motion included:
///
/// ```text
/// q = Z z + c(t)        z: the places of nodes that are unknowns, in m        Z without unit, the same for each axis
/// ```
/// A prescribed node has no part in `z`; its place is in `c`. A node that a [`Link`] binds follows from the others of the link, so that
/// prescribed motion reaches it, too. Every other node is an unknown. Newton's method solves `ZᵀHZ Δz = −Zᵀg`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Constraints<const D: usize> {
    /// Ascending by node.
    followers: Vec<Follower<D>>,
    /// `Z`; nothing where every node is an unknown.
    map: Option<LinearMap>,
    /// For every node whether an unknown moves it.
    free: Vec<bool>,
    links: Vec<Link>,
    redundant: Vec<String>,
}

impl<const D: usize> Constraints<D> {
    /// Eliminates what is prescribed and linked, for nodes that are at `rest`, in m.
    ///
    /// # Errors
    /// If a link or the boundary names a node that does not exist, or a link has no weight or contradicts prescribed motion.
    pub fn new(rest: &[Vector<D>], boundary: &Boundary<D>, links: Vec<Link>) -> Result<Self> {
        let prescribed = boundary.mask(rest.len())?;
        let mut elimination = Elimination::new(rest, boundary, &prescribed);
        let mut redundant = Vec::new();
        for link in &links {
            if !elimination.add(link)? {
                redundant.push(link.name.clone());
            }
        }
        let followers = elimination.followers();
        Self { followers, links, redundant, ..Self::default() }.with_prescribed(&prescribed)
    }

    /// The same with more `nodes` prescribed, for a boundary that has them, too.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub(crate) fn holding(&self, nodes: &[u32], rest: &[Vector<D>], boundary: &Boundary<D>) -> Result<Self> {
        let prescribed = boundary.mask(rest.len())?;
        let held: BTreeSet<u32> = nodes.iter().copied().collect();
        if self.links.iter().flat_map(|link| &link.nodes).any(|(node, _)| held.contains(node)) {
            return Self::new(rest, boundary, self.links.clone());
        }
        // No follower is among them, or follows one of them.
        self.clone().with_prescribed(&prescribed)
    }

    /// The same followers with these nodes prescribed, none of them a follower.
    fn with_prescribed(self, prescribed: &[bool]) -> Result<Self> {
        let map = map(prescribed, &self.followers)?;
        let free = match &map {
            Some(map) => (0..prescribed.len()).map(|node| map.row(node).next().is_some()).collect(),
            None => vec![true; prescribed.len()],
        };
        Ok(Self { map, free, ..self })
    }

    /// For every node whether an unknown moves it; the others are where prescribed motion wants them.
    pub fn free(&self) -> &[bool] {
        &self.free
    }

    /// Checks that all links hold with the nodes at `q`, given their places at `rest`, both in m.
    ///
    /// # Errors
    /// Naming the first that does not; or if there is not one place for each node.
    pub fn check(&self, rest: &[Vector<D>], q: &[Vector<D>]) -> Result<()> {
        for (what, found) in [("list of places at rest", rest.len()), ("list of places of nodes", q.len())] {
            check_length(what, found, self.free.len())?;
        }
        for link in &self.links {
            let missing = missing(link, rest, q);
            let places = link.nodes.iter().map(|(node, _)| *node as usize);
            let reach = places.map(|node| rest[node].max_abs().max(q[node].max_abs())).fold(0.0, f64::max);
            let largest = largest(link);
            let weights: f64 = link.nodes.iter().map(|(_, a)| (a / largest).abs()).sum();
            // False where a number is none.
            let holds = missing.is_finite() && missing <= HOLDS * weights * reach;
            if !holds {
                let what = format!(
                    "is {missing:.3e} m from holding: begin with a state in which it holds, such as that at rest"
                );
                return Err(Error::Link { link: link.name.clone(), what });
            }
        }
        Ok(())
    }

    /// The links, in the order in which they were given.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Names of links that say what prescribed motion and the links before them say already.
    pub fn redundant(&self) -> &[String] {
        &self.redundant
    }

    /// `Z`; nothing where every node is an unknown.
    pub fn map(&self) -> Option<&LinearMap> {
        self.map.as_ref()
    }

    /// How many nodes are unknowns.
    pub fn unknowns(&self) -> usize {
        self.map.as_ref().map_or(self.free.len(), LinearMap::nodes)
    }

    /// Where the unknowns are, for nodes at `q`; in m.
    pub fn unknown_places<'a>(&self, q: &'a [Vector<D>]) -> Cow<'a, [Vector<D>]> {
        let Some(map) = &self.map else { return Cow::Borrowed(q) };
        let follows: Vec<u32> = self.followers.iter().map(|follower| follower.node).collect();
        let mut out = vec![Vector::ZERO; map.nodes()];
        for node in (0..q.len()).filter(|node| follows.binary_search(&(*node as u32)).is_err()) {
            if let Some((unknown, _)) = map.row(node).next() {
                out[unknown] = q[node];
            }
        }
        Cow::Owned(out)
    }

    /// `Zᵀ g` of a gradient by the nodes.
    pub fn reduced<'a>(&self, g: &'a [Vector<D>]) -> Cow<'a, [Vector<D>]> {
        let Some(map) = &self.map else { return Cow::Borrowed(g) };
        let mut out = vec![Vector::ZERO; map.nodes()];
        map.add_transposed(g, &mut out);
        Cow::Owned(out)
    }

    /// The diagonal of `Zᵀ diag(m) Z`.
    pub fn reduced_diagonal<'a>(&self, m: &'a [f64]) -> Cow<'a, [f64]> {
        let Some(map) = &self.map else { return Cow::Borrowed(m) };
        let mut out = vec![0.0; map.nodes()];
        for (node, m) in m.iter().enumerate() {
            for (unknown, weight) in map.row(node) {
                out[unknown] += weight * weight * m;
            }
        }
        Cow::Owned(out)
    }

    /// `Z Δz`: how nodes move with the unknowns while nothing prescribed moves.
    pub fn expanded(&self, ways: Vec<Vector<D>>) -> Vec<Vector<D>> {
        match &self.map {
            Some(map) => map.apply(&ways),
            None => ways,
        }
    }

    /// Puts followers where the others lead them; of places in m.
    pub fn place(&self, q: &mut [Vector<D>]) {
        for follower in &self.followers {
            q[follower.node as usize] = follower.sum(q) + follower.offset;
        }
    }

    /// Moves followers as the others move; of ways in m or of velocities.
    pub fn lead(&self, ways: &mut [Vector<D>]) {
        for follower in &self.followers {
            ways[follower.node as usize] = follower.sum(ways);
        }
    }

    /// Adds the forces on followers to those on the nodes that lead them, in N.
    pub fn gather(&self, forces: &mut [Vector<D>]) {
        for follower in &self.followers {
            let force = std::mem::replace(&mut forces[follower.node as usize], Vector::ZERO);
            for (node, weight) in &follower.leaders {
                forces[*node as usize] += force * *weight;
            }
        }
    }

    /// Whether any node follows others.
    pub fn has_followers(&self) -> bool {
        !self.followers.is_empty()
    }
}

/// Checks that a list has an entry for each of `expected` nodes.
pub(crate) fn check_length(what: &'static str, found: usize, expected: usize) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    Err(stiction::error::Error::WrongLength { what, found, expected }.into())
}

/// The largest weight of a link, without its sign.
fn largest(link: &Link) -> f64 {
    link.nodes.iter().map(|(_, weight)| weight.abs()).fold(0.0, f64::max)
}

/// By how much the nodes at `q` fail to keep a link, in m, with its largest weight as 1.
fn missing<const D: usize>(link: &Link, rest: &[Vector<D>], q: &[Vector<D>]) -> f64 {
    let largest = largest(link);
    let way = |(node, a): &(u32, f64)| (q[*node as usize] - rest[*node as usize]) * (a / largest);
    link.nodes.iter().map(way).fold(Vector::ZERO, |sum, way| sum + way).norm()
}

/// `Z` of the nodes that are neither prescribed nor follow; nothing if those are all.
fn map<const D: usize>(prescribed: &[bool], followers: &[Follower<D>]) -> Result<Option<LinearMap>> {
    let mut follower_of = vec![None; prescribed.len()];
    for follower in followers {
        follower_of[follower.node as usize] = Some(follower);
    }
    let mut count = 0;
    let mut number = |node: usize| {
        let is_unknown = !prescribed[node] && follower_of[node].is_none();
        count += u32::from(is_unknown);
        is_unknown.then(|| count - 1)
    };
    let numbers: Vec<Option<u32>> = (0..prescribed.len()).map(&mut number).collect();
    if count as usize == prescribed.len() {
        return Ok(None);
    }
    let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for (number, follower) in numbers.iter().zip(&follower_of) {
        columns.extend(number);
        values.extend(number.map(|_| 1.0));
        for (leader, weight) in follower.iter().flat_map(|follower| &follower.leaders) {
            columns.extend(numbers[*leader as usize]);
            values.extend(numbers[*leader as usize].map(|_| *weight));
        }
        offsets.push(columns.len());
    }
    Ok(Some(LinearMap::new(count as usize, offsets, columns, values)?))
}

/// A weighted sum of nodes that are unknowns or prescribed.
type Row = BTreeMap<u32, f64>;

/// Row reduction of links, one after the other: each makes the node with its largest weight a follower.
struct Elimination<'a, const D: usize> {
    rest: &'a [Vector<D>],
    boundary: &'a Boundary<D>,
    prescribed: &'a [bool],
    /// Followers, and what they follow.
    rows: BTreeMap<u32, Row>,
    /// For nodes that are not prescribed the followers that may have them in their rows; some no longer do.
    led: BTreeMap<u32, BTreeSet<u32>>,
    /// For every trajectory the first that is equal; made when it is needed.
    alike: Option<Vec<usize>>,
}

/// What nodes of the same motion have of a link: it keeps its sum where both are zero, or the motion does not change them.
struct Share<const D: usize> {
    /// The sum of the weights.
    weight: f64,
    /// `Σ aₖ (Xₖ − c)`, in m, about the centre of the turn.
    moment: Vector<D>,
    /// The largest coordinate that the moment is made of, in m.
    reach: f64,
    /// The first of the nodes.
    node: u32,
}

impl<'a, const D: usize> Elimination<'a, D> {
    fn new(rest: &'a [Vector<D>], boundary: &'a Boundary<D>, prescribed: &'a [bool]) -> Self {
        Self { rest, boundary, prescribed, rows: BTreeMap::new(), led: BTreeMap::new(), alike: None }
    }

    /// Adds a link; whether it says anything new.
    fn add(&mut self, link: &Link) -> Result<bool> {
        let row = self.substituted(link)?;
        let Some((node, weight)) = self.pivot(&row) else {
            return self.check_prescribed(link, &row).map(|()| false);
        };
        let others = row.iter().filter(|(other, _)| **other != node);
        let new: Row = others.map(|(other, a)| (*other, -a / weight)).collect();
        for follower in self.led.remove(&node).unwrap_or_default() {
            self.replace(follower, node, &new);
        }
        self.index(node, &new);
        self.rows.insert(node, new);
        Ok(true)
    }

    /// The node that becomes a follower, and its weight: the one with the largest weight that is not prescribed. Of equals the one with the fewest
    /// followers, whose rows change; of those the first, whatever rounding does to the others.
    fn pivot(&self, row: &Row) -> Option<(u32, f64)> {
        let led = |node: &u32| self.led.get(node).map_or(0, BTreeSet::len);
        let unknown = row.iter().filter(|(node, _)| !self.prescribed[**node as usize]);
        let order = |a: &(&u32, &f64), b: &(&u32, &f64)| {
            a.1.abs().total_cmp(&b.1.abs()).then_with(|| led(b.0).cmp(&led(a.0)))
        };
        unknown.reduce(|a, b| if order(&a, &b).is_lt() { b } else { a }).map(|(node, a)| (*node, *a))
    }

    /// Puts what a node follows into the row of one of its followers.
    fn replace(&mut self, follower: u32, node: u32, new: &Row) {
        let Some(row) = self.rows.get_mut(&follower) else { return };
        let Some(factor) = row.remove(&node) else { return };
        let largest = row.values().fold(0.0, |largest: f64, weight| largest.max(weight.abs()));
        let largest = largest.max(add_times(row, new, factor));
        cancel(row, largest);
        self.index(follower, new);
    }

    /// Notes that a follower may have these nodes in its row.
    fn index(&mut self, follower: u32, row: &Row) {
        for node in row.keys().filter(|node| !self.prescribed[**node as usize]) {
            self.led.entry(*node).or_default().insert(follower);
        }
    }

    /// The weights of a link by nodes that follow none, the largest of the link as 1; those that cancel are left out.
    fn substituted(&self, link: &Link) -> Result<Row> {
        let wrong = |what: String| Err(Error::Link { link: link.name.clone(), what });
        for &(node, weight) in &link.nodes {
            if node as usize >= self.rest.len() {
                return wrong(format!("names node {node} of {}: give one that exists", self.rest.len()));
            }
            if !weight.is_finite() {
                return wrong(format!("weighs node {node} with {weight}: give a number"));
            }
        }
        let whole = largest(link);
        if whole == 0.0 {
            return wrong("binds nothing: give nodes with weights other than 0".to_owned());
        }
        let (mut row, mut largest) = (Row::new(), 1.0_f64);
        for &(node, weight) in &link.nodes {
            let weight = weight / whole;
            match self.rows.get(&node) {
                Some(leaders) => largest = largest.max(add_times(&mut row, leaders, weight)),
                None => *row.entry(node).or_insert(0.0) += weight,
            }
        }
        cancel(&mut row, largest);
        Ok(row)
    }

    /// Checks that prescribed motion alone keeps what is left of a link.
    fn check_prescribed(&mut self, link: &Link, row: &Row) -> Result<()> {
        let shares = self.shares(row);
        let size = row.values().map(|weight| weight.abs()).fold(0.0, f64::max);
        let moves = |(trajectory, share): &(&usize, &Share<D>)| {
            let trajectory = self.boundary.trajectory(**trajectory);
            let shifts = !trajectory.is_still() && share.weight.abs() > ROUNDING * size;
            let moment = share.moment;
            // What lies on the axis of a turn stays.
            let turned = |axis: Vector<D>| if D == 3 { moment - axis * axis.dot(moment) } else { moment };
            shifts
                || trajectory.axis().is_some_and(|axis| turned(axis).norm() > ROUNDING * size * share.reach)
        };
        match shares.iter().find(moves) {
            Some((_, Share { node, .. })) => {
                let what = format!(
                    "contradicts the prescribed motion of node {node}: every node that could give way is prescribed, or bound by links before it; \
                     remove the link or the motion"
                );
                Err(Error::Link { link: link.name.clone(), what })
            }
            None => Ok(()),
        }
    }

    /// What the prescribed nodes of each motion have of a row, by the first of equal trajectories: their nodes move together.
    fn shares(&mut self, row: &Row) -> BTreeMap<usize, Share<D>> {
        let boundary = self.boundary;
        let alike = self.alike.get_or_insert_with(|| boundary.alike());
        let mut shares = BTreeMap::new();
        for (&node, &weight) in row {
            let Some(trajectory) = boundary.trajectory_of(node).map(|number| alike[number]) else { continue };
            let none = Share { weight: 0.0, moment: Vector::ZERO, reach: 0.0, node };
            let share = shares.entry(trajectory).or_insert(none);
            let center = boundary.trajectory(trajectory).center().unwrap_or(Vector::ZERO);
            let place = self.rest[node as usize];
            share.weight += weight;
            share.moment += (place - center) * weight;
            share.reach = share.reach.max(place.max_abs()).max(center.max_abs());
        }
        shares
    }

    /// The followers, where they are at rest.
    fn followers(self) -> Vec<Follower<D>> {
        let rest = self.rest;
        let follower = |(node, row): (u32, Row)| {
            let mut follower = Follower { node, leaders: row.into_iter().collect(), offset: Vector::ZERO };
            follower.offset = rest[node as usize] - follower.sum(rest);
            follower
        };
        self.rows.into_iter().map(follower).collect()
    }
}

/// Adds a multiple of one row to another; the largest weight that was added, without its sign.
fn add_times(row: &mut Row, other: &Row, factor: f64) -> f64 {
    let mut largest = 0.0_f64;
    for (node, weight) in other {
        let weight = factor * weight;
        largest = largest.max(weight.abs());
        *row.entry(*node).or_insert(0.0) += weight;
    }
    largest
}

/// Leaves out weights that are nothing but rounding of others as large as the `largest`.
fn cancel(row: &mut Row, largest: f64) {
    row.retain(|_, weight| weight.abs() > ROUNDING * largest);
}
