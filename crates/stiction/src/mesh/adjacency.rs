//! What is next to what.

/// A list of numbers for each of several items, one behind the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lists {
    /// List `i` is `numbers[offsets[i]..offsets[i + 1]]`.
    offsets: Vec<u32>,
    numbers: Vec<u32>,
}

impl Lists {
    /// `count` lists from pairs of an item (below `count`) and a number; each list ascends and has a number once.
    pub(crate) fn new(count: usize, mut pairs: Vec<(u32, u32)>) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        let mut offsets = vec![0; count + 1];
        for &(item, _) in &pairs {
            offsets[item as usize + 1] += 1;
        }
        for i in 0..count {
            offsets[i + 1] += offsets[i];
        }
        Self { offsets, numbers: pairs.into_iter().map(|(_, number)| number).collect() }
    }

    /// List `item`, ascending; empty if there is no such item.
    #[inline]
    pub fn of(&self, item: u32) -> &[u32] {
        match self.offsets.get(item as usize..) {
            Some(&[start, end, ..]) => &self.numbers[start as usize..end as usize],
            _ => &[],
        }
    }

    /// How many lists there are.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there is no list.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The neighbours of vertices, edges and faces, by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adjacency {
    /// For each vertex, the others on its edges.
    pub vertex_vertices: Lists,
    /// For each vertex, its edges.
    pub vertex_edges: Lists,
    /// For each vertex, its faces.
    pub vertex_faces: Lists,
    /// For each edge, the faces on its sides: 0 for a loose edge, 1 on a boundary, 2 inside, more where sheets meet.
    pub edge_faces: Lists,
    /// For each face, its edges: from its first vertex to its second, from there to the third, and back.
    pub face_edges: Vec<[u32; 3]>,
}

impl Adjacency {
    /// Of `vertices` vertices, `edges` in any order and direction, and `faces` all of whose edges are among them.
    pub(crate) fn new(vertices: usize, edges: &[[u32; 2]], faces: &[[u32; 3]]) -> Self {
        let ends = edges.iter().flat_map(|&[a, b]| [(a, b), (b, a)]).collect();
        let none = Lists::new(edges.len(), Vec::new());
        let mut next = Self {
            vertex_vertices: Lists::new(vertices, ends),
            vertex_edges: Lists::new(vertices, inverse(edges)),
            vertex_faces: Lists::new(vertices, inverse(faces)),
            edge_faces: none,
            face_edges: Vec::new(),
        };
        let side = |a: u32, b: u32| next.edge_between(edges, a, b).unwrap_or_default();
        let face_edges: Vec<_> =
            faces.iter().map(|&[a, b, c]| [side(a, b), side(b, c), side(c, a)]).collect();
        next.edge_faces = Lists::new(edges.len(), inverse(&face_edges));
        next.face_edges = face_edges;
        next
    }

    /// The number of the edge between two vertices, if it is among the `edges` that this was made of.
    pub(crate) fn edge_between(&self, edges: &[[u32; 2]], a: u32, b: u32) -> Option<u32> {
        self.vertex_edges.of(a).iter().copied().find(|&e| a != b && edges[e as usize].contains(&b))
    }
}

/// The pairs of an entry and the number of its row.
fn inverse<const N: usize>(rows: &[[u32; N]]) -> Vec<(u32, u32)> {
    (0..).zip(rows).flat_map(|(number, row)| row.map(|entry| (entry, number))).collect()
}

/// For each vertex, which connected piece it belongs to: pieces are numbered from 0 in the order of their smallest
/// vertices. `None` for vertices that are not among `used`.
pub(crate) fn components(neighbours: &Lists, used: &[u32]) -> Vec<Option<u32>> {
    let mut piece = vec![None; neighbours.len()];
    let (mut count, mut stack) = (0, Vec::new());
    for &start in used {
        if piece[start as usize].is_some() {
            continue;
        }
        piece[start as usize] = Some(count);
        stack.push(start);
        while let Some(vertex) = stack.pop() {
            for &next in neighbours.of(vertex) {
                if piece[next as usize].replace(count).is_none() {
                    stack.push(next);
                }
            }
        }
        count += 1;
    }
    piece
}

/// For each vertex, those that at most `rings` edges lead to, without itself.
pub(crate) fn within_rings(neighbours: &Lists, rings: u32) -> Lists {
    let mut pairs = Vec::new();
    let mut reached = Vec::new();
    for vertex in 0..neighbours.len() as u32 {
        reached.clear();
        reached.push(vertex);
        let mut ring = 0..1;
        for _ in 0..rings {
            for k in ring.clone() {
                reached.extend(neighbours.of(reached[k]).iter().copied());
            }
            ring = keep_first(&mut reached, ring.end);
            if ring.is_empty() {
                break;
            }
        }
        pairs.extend(reached[1..].iter().map(|other| (vertex, *other)));
    }
    Lists::new(neighbours.len(), pairs)
}

/// Drops from `list[known..]` what occurs before; the range of what is left of it.
fn keep_first(list: &mut Vec<u32>, known: usize) -> std::ops::Range<usize> {
    let mut new = list.split_off(known);
    new.sort_unstable();
    new.dedup();
    let mut before = list.clone();
    before.sort_unstable();
    new.retain(|v| before.binary_search(v).is_err());
    list.extend(&new);
    known..list.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_triangles_and_a_loose_edge() {
        let edges = [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3], [3, 4]];
        let adjacency = Adjacency::new(6, &edges, &[[0, 1, 2], [2, 1, 3]]);
        assert_eq!(adjacency.vertex_vertices.of(3), [1, 2, 4]);
        assert_eq!(adjacency.vertex_edges.of(0), [0, 1]);
        assert_eq!(adjacency.vertex_faces.of(2), [0, 1]);
        assert_eq!(adjacency.edge_faces.of(2), [0, 1]);
        assert!(adjacency.edge_faces.of(5).is_empty() && adjacency.vertex_edges.of(5).is_empty());
        assert!(adjacency.edge_faces.of(6).is_empty() && adjacency.edge_faces.of(u32::MAX).is_empty());
        assert_eq!(adjacency.face_edges, [[0, 2, 1], [2, 3, 4]]);
    }

    #[test]
    fn pieces_and_rings_of_a_chain() {
        let edges = [[0, 1], [1, 2], [2, 3], [5, 6]];
        let neighbours = Adjacency::new(8, &edges, &[]).vertex_vertices;
        let piece = components(&neighbours, &[0, 1, 2, 3, 5, 6, 7]);
        assert_eq!(piece, [Some(0), Some(0), Some(0), Some(0), None, Some(1), Some(1), Some(2)]);
        let rings = within_rings(&neighbours, 2);
        assert_eq!(rings.of(0), [1, 2]);
        assert_eq!(rings.of(2), [0, 1, 3]);
        assert!(rings.of(7).is_empty() && within_rings(&neighbours, 0).of(1).is_empty());
    }
}
