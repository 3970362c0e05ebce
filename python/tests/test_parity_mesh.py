"""Areas, neighbours and boundaries of surfaces against ipctk's CollisionMesh."""

import ipctk
import numpy as np
import pytest

import stiction


def grid(n):
    """n x n vertices, uneven, with two triangles in each cell."""
    i, j = np.divmod(np.arange(n * n), n)
    x = np.column_stack([i, j, np.sin(i + 2.0 * j)]) / n
    cell = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    faces = np.concatenate([np.stack([cell, cell + n, cell + 1], 1), np.stack([cell + 1, cell + n, cell + n + 1], 1)])
    return x, faces


def everything():
    """A sheet, a rod from its corner, a free rod of two edges and two particles."""
    x, faces = grid(5)
    x = np.concatenate([x, [[2, 0, 0], [3, 0, 1], [3, 1, 1], [4, 1, 0.5], [5, 5, 5], [6, 5, 5]]])
    return x, np.array([[24, 25], [26, 27], [27, 28]]), faces


def both(x, edges, faces, loose=()):
    ours = stiction.Surface(x, edges, faces, loose_vertices=loose)
    return ours, ipctk.CollisionMesh(x, ours.edges.astype(np.int32), ours.faces.astype(np.int32))


def meshes():
    x, edges, faces = everything()
    flat = np.ascontiguousarray(x[:, :2] + x[:, 2:])
    chain = [[0, 1], [1, 2], [2, 7], [7, 5], [3, 4]]
    used = np.unique(chain)
    yield "everything", x, edges, faces, [29, 30]
    yield "sheet", *grid(7)[:1], [], grid(7)[1], []
    yield "plane", flat, chain, None, np.setdiff1d(np.arange(len(flat)), used)


@pytest.mark.parametrize(("name", "x", "edges", "faces", "loose"), list(meshes()))
def test_areas_and_neighbours(name, x, edges, faces, loose, agree):
    ours, theirs = both(x, edges, faces, loose)
    agree("vertex areas", ours.vertex_areas, theirs.vertex_areas)
    agree("edge areas", ours.edge_areas, theirs.edge_areas)
    assert np.array_equal(ours.loose_vertices, np.ravel(theirs.codim_vertices))
    if x.shape[1] == 3:
        assert np.array_equal(ours.loose_edges, np.ravel(theirs.codim_edges))
        assert np.array_equal(ours.faces_to_edges, theirs.faces_to_edges)


def test_boundary_of_an_open_mesh():
    """ipctk calls a vertex interior if any of its edges has two faces: D10 of the peer's defects."""
    ours, theirs = both(*grid(3)[:1], [], grid(3)[1])
    assert ours.boundary_vertices.sum() == 8 and not ours.boundary_vertices[4]
    assert sum(theirs.is_vertex_on_boundary(v) for v in range(9)) == 2
    assert ours.boundary_edges.sum() == 8


def test_boundary_of_closed_meshes_and_chains():
    tetrahedron = np.eye(4, 3)
    ours, theirs = both(tetrahedron, [], [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]])
    assert ours.boundary_vertices.tolist() == [theirs.is_vertex_on_boundary(v) for v in range(4)] == [False] * 4
    x = np.random.default_rng(1).normal(size=(6, 2))
    ours, theirs = both(x, [[0, 1], [1, 2], [2, 0], [3, 4]], None, [5])
    assert ours.boundary_vertices.tolist() == [theirs.is_vertex_on_boundary(v) for v in range(6)]
    assert not ours.boundary_edges.any()


def test_bodies():
    x, edges, faces = everything()
    surface = stiction.Surface(x, edges, faces, loose_vertices=[29])
    assert surface.bodies.tolist() == [0] * 26 + [1, 1, 1, 2, -1]
    labels = np.arange(len(x)) // 10
    assert stiction.Surface(x, edges, faces, bodies=labels).bodies.tolist() == [0] * 10 + [1] * 10 + [2] * 9 + [-1] * 2
    for bodies, message in ((labels[:5], "bodies has 5 entries"), (-labels - 1, "entry 0 is -1"), ([[1]], "shape")):
        with pytest.raises(ValueError, match=message):
            stiction.Surface(x, edges, faces, bodies=bodies)
    with pytest.raises(ValueError, match="loose vertex 0 names vertex 99"):
        stiction.Surface(x, edges, faces, loose_vertices=[99])


def test_crossings_of_every_kind():
    # A needle through a face, a bar that touches the needle's end, and two particles there.
    x = np.array([[0, 0, 0], [4, 0, 0], [0, 4, 0], [1, 1, -1], [1, 1, 1], [0, 1, 1], [2, 1, 1], [1, 1, 1], [1, 1, 1.0]])
    surface = stiction.Surface(x, [[3, 4], [5, 6]], [[0, 1, 2]], loose_vertices=[7, 8])
    assert stiction.crossings(surface, x).tolist() == [[3, 0]]
    assert stiction.crossings(surface, x, "ee").tolist() == [[3, 4]]
    assert stiction.crossings(surface, x, "ve").tolist() == [[7, 3], [7, 4], [8, 3], [8, 4]]
    assert stiction.crossings(surface, x, "vv").tolist() == [[7, 8]]
    assert stiction.crossings(surface, x, "vf").shape == (0, 2)
    words = stiction.describe_crossings(surface, x)
    assert len(words) == 7
    assert "edge (3, 4) of body 1 crosses face (0, 1, 2) of body 0 near (1.0, 1.0, 0.0): move" in words[-1]
    assert stiction.has_crossings(surface, x)
    assert not stiction.has_crossings(stiction.Surface(x, [], [[0, 1, 2]]), x)
    with pytest.raises(ValueError, match="kind"):
        stiction.crossings(surface, x, "fe")
