//! Linear conditions on the nodes, which are eliminated: nothing stretches, and no stiffness has to be chosen.

use std::borrow::Cow;
use std::collections::BTreeMap;

use stiction::math::Vector;
use stiction::mesh::DisplacementMap;

use crate::boundary::Boundary;
use crate::error::{Error, Result};

/// What is left of a weight that should be 0, relative to the largest of its link.
const ROUNDING: f64 = 1e-12;

/// How far a link may be from holding, relative to its weights and the largest coordinate: what rounding leaves of one that holds.
const HOLDS: f64 = 1e-10;

/// A condition on nodes that holds for each axis: a weighted sum of their positions stays as it is at rest.
///
/// ```text
/// Σₖ aₖ qₖ(t) = Σₖ aₖ Xₖ        a without unit, q and X in m
/// ```
/// Two bodies that share a point have one: the weights of the point in the one body, and in the other with the opposite sign.
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
    map: Option<DisplacementMap>,
    /// For every node whether an unknown moves it.
    free: Vec<bool>,
    links: Vec<Link>,
    redundant: Vec<String>,
}

impl<const D: usize> Constraints<D> {
    /// Eliminates what is prescribed and linked, for nodes that are at `rest`, in m.
    ///
    /// # Errors
    /// If a link names a node that does not exist, has no weight, or contradicts prescribed motion.
    pub fn new(rest: &[Vector<D>], boundary: &Boundary<D>, links: Vec<Link>) -> Result<Self> {
        let prescribed = boundary.mask(rest.len());
        let mut elimination = Elimination { rest, boundary, prescribed: &prescribed, rows: BTreeMap::new() };
        let mut redundant = Vec::new();
        for link in &links {
            if !elimination.add(link)? {
                redundant.push(link.name.clone());
            }
        }
        let followers = elimination.followers();
        let map = map(&prescribed, &followers)?;
        let free = match &map {
            Some(map) => (0..rest.len()).map(|node| map.row(node).next().is_some()).collect(),
            None => vec![true; rest.len()],
        };
        Ok(Self { followers, map, free, links, redundant })
    }

    /// For every node whether an unknown moves it; the others are where prescribed motion wants them.
    pub fn free(&self) -> &[bool] {
        &self.free
    }

    /// Checks that all links hold for nodes at `q` that are at `rest` elsewhere, both in m.
    ///
    /// # Errors
    /// Naming the first that does not.
    pub fn check(&self, rest: &[Vector<D>], q: &[Vector<D>]) -> Result<()> {
        let far = rest.iter().chain(q).map(|x| x.norm()).fold(0.0, f64::max);
        for link in &self.links {
            let missing = |(node, a): &(u32, f64)| (q[*node as usize] - rest[*node as usize]) * *a;
            let missing = link.nodes.iter().map(missing).fold(Vector::ZERO, |sum, way| sum + way).norm();
            let weights: f64 = link.nodes.iter().map(|(_, a)| a.abs()).sum();
            if missing > HOLDS * weights * far {
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
    pub fn map(&self) -> Option<&DisplacementMap> {
        self.map.as_ref()
    }

    /// How many nodes are unknowns.
    pub fn unknowns(&self) -> usize {
        self.map.as_ref().map_or(self.free.len(), DisplacementMap::nodes)
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

/// `Z` of the nodes that are neither prescribed nor follow; nothing if those are all.
fn map<const D: usize>(prescribed: &[bool], followers: &[Follower<D>]) -> Result<Option<DisplacementMap>> {
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
    Ok(Some(DisplacementMap::new(count as usize, offsets, columns, values)?))
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
}

impl<const D: usize> Elimination<'_, D> {
    /// Adds a link; whether it says anything new.
    fn add(&mut self, link: &Link) -> Result<bool> {
        let row = self.substituted(link)?;
        let unknown = |(node, _): &(&u32, &f64)| !self.prescribed[**node as usize];
        // The first of equals, whatever rounding does to the others.
        let pivot = row.iter().filter(unknown).reduce(|a, b| if b.1.abs() > a.1.abs() { b } else { a });
        let Some((&node, &weight)) = pivot else {
            return self.check_prescribed(link, &row).map(|()| false);
        };
        let others = row.iter().filter(|(other, _)| **other != node);
        let new: Row = others.map(|(other, a)| (*other, -a / weight)).collect();
        for row in self.rows.values_mut() {
            if let Some(factor) = row.remove(&node) {
                add_times(row, &new, factor);
            }
        }
        self.rows.insert(node, new);
        Ok(true)
    }

    /// The weights of a link by nodes that follow none; those that cancel are left out.
    fn substituted(&self, link: &Link) -> Result<Row> {
        let wrong = |what: String| Err(Error::Link { link: link.name.clone(), what });
        let mut row = Row::new();
        for &(node, weight) in &link.nodes {
            if node as usize >= self.rest.len() {
                return wrong(format!("names node {node} of {}: give one that exists", self.rest.len()));
            }
            if !weight.is_finite() {
                return wrong(format!("weighs node {node} with {weight}: give a number"));
            }
            match self.rows.get(&node) {
                Some(leaders) => add_times(&mut row, leaders, weight),
                None => *row.entry(node).or_insert(0.0) += weight,
            }
        }
        let largest = link.nodes.iter().map(|(_, weight)| weight.abs()).fold(0.0, f64::max);
        if largest == 0.0 {
            return wrong("binds nothing: give nodes with weights other than 0".to_owned());
        }
        row.retain(|_, weight| weight.abs() > ROUNDING * largest);
        Ok(row)
    }

    /// Checks that prescribed motion alone keeps what is left of a link.
    fn check_prescribed(&self, link: &Link, row: &Row) -> Result<()> {
        let mut paths: BTreeMap<usize, (f64, Vector<D>, u32)> = BTreeMap::new();
        for (&node, &weight) in row {
            let Some(path) = self.boundary.path_of(node) else { continue };
            let path = self.first_alike(path);
            let (sum, moment, _) = paths.entry(path).or_insert((0.0, Vector::ZERO, node));
            *sum += weight;
            let center = self.boundary.path(path).center().unwrap_or(Vector::ZERO);
            *moment += (self.rest[node as usize] - center) * weight;
        }
        let size = row.values().map(|weight| weight.abs()).fold(0.0, f64::max);
        let reach = row.keys().map(|node| self.rest[*node as usize].norm()).fold(0.0, f64::max);
        let moves = |(path, (sum, moment, _)): &(&usize, &(f64, Vector<D>, u32))| {
            let path = self.boundary.path(**path);
            let shifts = !path.is_still() && sum.abs() > ROUNDING * size;
            // What lies on the axis of a turn stays.
            let turned = |axis: Vector<D>| if D == 3 { *moment - axis * axis.dot(*moment) } else { *moment };
            shifts || path.axis().is_some_and(|axis| turned(axis).norm() > ROUNDING * size * reach)
        };
        match paths.iter().find(moves) {
            Some((_, (.., node))) => {
                let what = format!(
                    "contradicts the prescribed motion of node {node}: every node that could give way is prescribed, or bound by links before it; \
                     remove the link or the motion"
                );
                Err(Error::Link { link: link.name.clone(), what })
            }
            None => Ok(()),
        }
    }

    /// The first path that is the same as one with this number: nodes of both move together.
    fn first_alike(&self, path: usize) -> usize {
        (0..path).find(|first| self.boundary.path(*first) == self.boundary.path(path)).unwrap_or(path)
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

/// Adds a multiple of one row to another.
fn add_times(row: &mut Row, other: &Row, factor: f64) {
    for (node, weight) in other {
        *row.entry(*node).or_insert(0.0) += factor * weight;
    }
}
