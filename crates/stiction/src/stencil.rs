//! Which vertices a small term touches, and how the vector between two primitives depends on them.

use bytemuck::Zeroable;

use crate::math::Vector;

/// The `N` vertices of one term of a sum, by their numbers in the full vertex array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Zeroable)]
pub struct Stencil<const N: usize>(pub [u32; N]);

impl<const N: usize> Stencil<N> {
    /// The values of a vertex field at these vertices.
    ///
    /// # Panics
    /// If the field is shorter than the largest vertex number.
    #[inline]
    pub fn gather<const D: usize>(&self, field: &[Vector<D>]) -> [Vector<D>; N] {
        self.0.map(|v| field[v as usize])
    }
}

/// How the vector `r` between a point of one primitive and a point of another depends on their vertices.
///
/// ```text
/// r(x, α) = Σᵢ cᵢ(α) xᵢ        c(α) = c₀ + Σₚ αₚ Cₚ ,  p < free
/// ```
/// `α` are the coordinates of the two points on their primitives. Vertex order is argument order:
/// vertex-edge is (v, e₀, e₁), edge-edge (a₀, a₁, b₀, b₁), vertex-face (v, f₀, f₁, f₂).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair<const N: usize> {
    /// `c₀`.
    pub base: [f64; N],
    /// `C₁`, `C₂`; only the first `free` of them count.
    pub directions: [[f64; N]; 2],
    /// How many coordinates are free: 0, 1 or 2.
    pub free: usize,
}

/// Two vertices.
pub const VERTEX_VERTEX: Pair<2> = Pair { base: [1.0, -1.0], directions: [[0.0; 2]; 2], free: 0 };

/// A vertex and the line through an edge.
pub const VERTEX_EDGE: Pair<3> =
    Pair { base: [1.0, -1.0, 0.0], directions: [[0.0, 1.0, -1.0], [0.0; 3]], free: 1 };

/// The lines through two edges.
pub const EDGE_EDGE: Pair<4> =
    Pair { base: [1.0, 0.0, -1.0, 0.0], directions: [[-1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, -1.0]], free: 2 };

/// A vertex and the plane through a face.
pub const VERTEX_FACE: Pair<4> =
    Pair { base: [1.0, -1.0, 0.0, 0.0], directions: [[0.0, 1.0, -1.0, 0.0], [0.0, 1.0, 0.0, -1.0]], free: 2 };

/// A pair as a type, so that code for it is compiled with its constants.
pub trait PairKind<const N: usize>: Copy + Send + Sync {
    /// The pair.
    const PAIR: Pair<N>;
}

/// [`VERTEX_VERTEX`] as a type.
#[derive(Clone, Copy, Debug)]
pub struct VertexVertex;

impl PairKind<2> for VertexVertex {
    const PAIR: Pair<2> = VERTEX_VERTEX;
}

/// [`VERTEX_EDGE`] as a type.
#[derive(Clone, Copy, Debug)]
pub struct VertexEdge;

impl PairKind<3> for VertexEdge {
    const PAIR: Pair<3> = VERTEX_EDGE;
}

/// [`EDGE_EDGE`] as a type.
#[derive(Clone, Copy, Debug)]
pub struct EdgeEdge;

impl PairKind<4> for EdgeEdge {
    const PAIR: Pair<4> = EDGE_EDGE;
}

/// [`VERTEX_FACE`] as a type.
#[derive(Clone, Copy, Debug)]
pub struct VertexFace;

impl PairKind<4> for VertexFace {
    const PAIR: Pair<4> = VERTEX_FACE;
}

impl<const N: usize> Pair<N> {
    /// `c(α)`: the weights of the vertices, and of their velocities in the relative velocity of two points of the
    /// primitives.
    ///
    /// ```text
    /// v_rel = Σᵢ cᵢ(α) vᵢ        ∂c/∂αₚ = Cₚ
    /// ```
    #[inline]
    pub fn weights(&self, alpha: [f64; 2]) -> [f64; N] {
        let mut c = self.base;
        for p in 0..self.free {
            for i in 0..N {
                c[i] += alpha[p] * self.directions[p][i];
            }
        }
        c
    }

    /// The same pair with coordinate `p` held at `value`: a point of an edge becomes one of its ends. A coordinate that the
    /// pair does not have is not held.
    pub fn hold(mut self, p: usize, value: f64) -> Self {
        if p >= self.free {
            return self;
        }
        for i in 0..N {
            self.base[i] += value * self.directions[p][i];
        }
        if p == 0 {
            self.directions[0] = self.directions[1];
        }
        self.free -= 1;
        self
    }
}
