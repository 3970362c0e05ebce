"""`stiction.ipctk.CollisionMesh` against ipctk's."""

import pickle

import both
import ipctk
import numpy as np
import pytest
import scenes
import scipy.sparse as sparse
from both import each, of_scene, soup

import stiction.ipctk as ours

SIZES = "num_vertices num_edges num_faces num_codim_vertices num_codim_edges dim ndof full_num_vertices full_ndof".split()
ARRAYS = "rest_positions edges faces faces_to_edges codim_vertices codim_edges vertex_areas edge_areas".split()
LISTS = "vertex_vertex_adjacencies vertex_edge_adjacencies edge_vertex_adjacencies".split()


def check_same(mine, peer, agree):
    for name in SIZES:
        assert getattr(mine, name) == getattr(peer, name), name
    for name in ARRAYS:
        mine_array, peer_array = np.asarray(getattr(mine, name)), np.asarray(getattr(peer, name))
        if peer_array.size:
            assert mine_array.shape == peer_array.shape and mine_array.dtype == peer_array.dtype, name
            agree(name, mine_array, peer_array, 1e-12)
        assert mine_array.size == peer_array.size, name
    for name in LISTS:
        assert getattr(mine, name) == getattr(peer, name), name
    np.testing.assert_array_equal(mine.to_full_vertex_id(), peer.to_full_vertex_id())


def check_gradients(mine, peer, agree):
    for mesh in (mine, peer):
        assert not mesh.are_area_jacobians_initialized()
        mesh.init_area_jacobians()
    for v in range(0, mine.num_vertices, 7):
        agree("vertex_area_gradient", mine.vertex_area_gradient(v), peer.vertex_area_gradient(v), 1e-12)
        assert mine.vertex_area(v) == pytest.approx(peer.vertex_area(v), rel=1e-13)
    for e in range(0, mine.num_edges, 7):
        agree("edge_area_gradient", mine.edge_area_gradient(e), peer.edge_area_gradient(e), 1e-12)
        assert mine.edge_area(e) == pytest.approx(peer.edge_area(e), rel=1e-13)


@each()
def test_scenes(scene, agree):
    mine, peer = of_scene(scene)
    check_same(mine, peer, agree)
    check_gradients(mine, peer, agree)
    if mine.dim == 3:
        agree("face_normals", mine.face_normals(scene.x), peer.face_normals(scene.x), 1e-12)


@pytest.mark.parametrize("dimension", [2, 3])
def test_loose_vertices_and_edges(dimension, agree):
    (mine, peer), _ = soup(dimension, 3)
    assert mine.num_codim_vertices > 0 and mine.num_codim_edges > 0
    check_same(mine, peer, agree)
    check_gradients(mine, peer, agree)


@pytest.mark.parametrize("form", ["flags", "documented", "keywords", "build_from_full_mesh"])
def test_part_of_a_full_mesh(form, agree):
    scene = scenes.sheets(2)
    random = np.random.default_rng(4)
    surface = scene.surface()
    # Vertices inside, which no edge uses, between those of the surface.
    place = np.sort(random.choice(2 * len(scene.rest), len(scene.rest), replace=False))
    full = random.normal(size=(2 * len(scene.rest), 3))
    full[place] = scene.rest
    edges, faces = place[both.mixed(surface.edges, random)], place[surface.faces]
    flags, free = [bool(i in set(place)) for i in range(len(full))], [False] * len(full)
    peer = ipctk.CollisionMesh(flags, free, full, edges.astype(np.int32), faces.astype(np.int32))
    make = {
        "flags": lambda: ours.CollisionMesh(flags, free, full, edges, faces),
        "documented": lambda: ours.CollisionMesh(flags, full, edges, faces),
        "keywords": lambda: ours.CollisionMesh(
            include_vertex=flags, orient_vertex=free, full_rest_positions=full, edges=edges, faces=faces
        ),
        "build_from_full_mesh": lambda: ours.CollisionMesh.build_from_full_mesh(full, edges, faces),
    }
    mine = make[form]()
    check_same(mine, peer, agree)
    assert ours.CollisionMesh.construct_is_on_surface(len(full), edges) == flags
    moved, gradient = random.normal(size=full.shape), random.normal(size=mine.ndof)
    agree("vertices", mine.vertices(moved), peer.vertices(moved), 1e-12)
    agree("displace_vertices", mine.displace_vertices(moved), peer.displace_vertices(moved), 1e-12)
    agree("map_displacements", mine.map_displacements(moved), peer.map_displacements(moved), 1e-12)
    agree("to_full_dof of a vector", mine.to_full_dof(gradient), peer.to_full_dof(gradient), 1e-12)
    hessian = sparse.random(mine.ndof, mine.ndof, 0.02, "csc", random_state=1)
    full_hessian = mine.to_full_dof(hessian)
    assert isinstance(full_hessian, sparse.csc_matrix)
    agree("to_full_dof of a matrix", full_hessian, peer.to_full_dof(sparse.csc_matrix(hessian)), 1e-12)


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("kind", ["csc", "csr", "lil", "array"])
def test_displacement_map(dimension, kind, agree):
    random = np.random.default_rng(5)
    (plain, _), x = soup(dimension, 1)
    matrix = sparse.random(len(x), 40, 0.1, random_state=2)
    given = matrix.toarray() if kind == "array" else matrix.asformat(kind)
    mine = ours.CollisionMesh(x, plain.edges, plain.faces, displacement_map=given)
    peer = ipctk.CollisionMesh(x, np.array(plain.edges), np.array(plain.faces), sparse.csc_matrix(matrix))
    nodes, gradient = random.normal(size=(40, dimension)), random.normal(size=mine.ndof)
    agree("mapped displacements", mine.map_displacements(nodes), peer.map_displacements(nodes), 1e-12)
    agree("mapped positions", mine.displace_vertices(nodes), peer.displace_vertices(nodes), 1e-12)
    agree("mapped gradient", mine.to_full_dof(gradient), peer.to_full_dof(gradient), 1e-12)
    hessian = sparse.csc_matrix(sparse.random(mine.ndof, mine.ndof, 0.05, random_state=3))
    agree("mapped Hessian", mine.to_full_dof(hessian), peer.to_full_dof(hessian), 1e-12)


def test_boundary_vertices_of_an_open_sheet():
    """Defect D10 of ipctk: it takes vertices with any inner edge for inner ones."""
    x, faces = scenes.grid(2, np.random.default_rng(0))
    edges = ours.edges(faces)
    mine = ours.CollisionMesh(x, edges, faces)
    assert [v for v in range(9) if mine.is_vertex_on_boundary(v)] == [0, 1, 2, 3, 5, 6, 7, 8]
    (loose, _), _ = soup(2, 0)
    assert all(loose.is_vertex_on_boundary(v) for v in loose.codim_vertices)


def test_given_areas():
    mine, peer = of_scene(scenes.cubes(0))
    random = np.random.default_rng(0)
    for name, count in [("vertex_areas", mine.num_vertices), ("edge_areas", mine.num_edges)]:
        areas = random.uniform(0, 1, count)
        for mesh in (mine, peer):
            setattr(mesh, name, areas)
            np.testing.assert_array_equal(getattr(mesh, name), areas)
        with pytest.raises(ValueError, match=name):
            setattr(mine, name, areas[:-1])
        with pytest.raises(ValueError, match=name):
            setattr(mine, name, -areas)
    for mesh in (mine, peer):
        with pytest.raises(RuntimeError, match="custom areas"):
            mesh.init_area_jacobians()
    mine, _ = of_scene(scenes.cubes(0))
    with pytest.raises(RuntimeError, match="init_area_jacobians"):
        mine.vertex_area_gradient(0)
    mine.init_area_jacobians()
    with pytest.raises(RuntimeError, match="init_area_jacobians"):
        mine.vertex_areas = np.ones(mine.num_vertices)


def test_any_type_and_order_of_arrays():
    scene = scenes.sheets(0)
    surface = scene.surface()
    wanted = ours.CollisionMesh(scene.rest, surface.edges, surface.faces)
    read_only = np.asfortranarray(scene.rest)
    read_only.flags.writeable = False
    for integer in (np.int32, np.int64, np.uint16, np.uint32):
        for order in "CF":
            edges, faces = (np.asarray(a, dtype=integer, order=order) for a in (surface.edges, surface.faces))
            mesh = ours.CollisionMesh(read_only, edges, faces)
            np.testing.assert_array_equal(mesh.edges, wanted.edges)
            np.testing.assert_array_equal(mesh.vertex_areas, wanted.vertex_areas)
    lists = ours.CollisionMesh(scene.rest.tolist(), surface.edges.tolist(), surface.faces.tolist())
    np.testing.assert_array_equal(lists.rest_positions, wanted.rest_positions)


def test_a_copy_by_pickle_is_the_same(agree):
    mine, _ = of_scene(scenes.on_planes(0))
    mine.can_collide = ours.make_static_obstacle_filter(7)
    mine.vertex_areas = np.arange(mine.num_vertices)
    copy = pickle.loads(pickle.dumps(mine))
    check_same(copy, mine, agree)
    assert not copy.can_collide(8, 9) and copy.can_collide(6, 9)
    assert [p.offset() for p in copy.planes] == [p.offset() for p in mine.planes]
    x = scenes.on_planes(0).x
    for mesh in (mine, copy):
        candidates = ours.Candidates()
        candidates.build(mesh, x, 0.2)
        mesh.found = [str(c) for c in candidates]
    assert copy.found == mine.found and copy.found


X = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
E = np.array([[0, 1], [1, 2], [2, 0]])
F = np.array([[0, 1, 2]])


@pytest.mark.parametrize(
    "call, error, match",
    [
        (lambda: ours.CollisionMesh(X[:, :1], E), ValueError, "rest_positions: has shape"),
        (lambda: ours.CollisionMesh(X[0], E), ValueError, "rest_positions"),
        (lambda: ours.CollisionMesh(X * np.nan, E), ValueError, "rest_positions: row 0 is not finite"),
        (lambda: ours.CollisionMesh(X + 1j, E), ValueError, "rest_positions: has entries of type complex"),
        (lambda: ours.CollisionMesh(X, E + 2), ValueError, "edges: row 1 names 4"),
        (lambda: ours.CollisionMesh(X, -E), ValueError, "edges: row 0 names -1"),
        (lambda: ours.CollisionMesh(X, E * 1.0), ValueError, "edges: has entries of type float64"),
        (lambda: ours.CollisionMesh(X, F), ValueError, r"edges: has shape \(1, 3\)"),
        (lambda: ours.CollisionMesh(X, E[:2], F), RuntimeError, "Unable to find edge!"),
        (lambda: ours.CollisionMesh(X, [], F), RuntimeError, "Unable to find edge!"),
        (lambda: ours.CollisionMesh(X, [[0, 1], [1, 0]]), ValueError, "edge 1 has the same vertices as edge 0"),
        (lambda: ours.CollisionMesh(X, [[1, 1]]), ValueError, "edge 0 names vertex 1 twice"),
        (lambda: ours.CollisionMesh(), TypeError, "rest_positions is missing"),
        (lambda: ours.CollisionMesh(X, corners=E), TypeError, "corners"),
        (lambda: ours.CollisionMesh(X, E, F, None, 5), TypeError, "at most 4"),
        (lambda: ours.CollisionMesh([True] * 3, [False] * 4, X, E), ValueError, "include_vertex"),
        (lambda: ours.CollisionMesh([True, False] * 2, [False] * 4, X, E), ValueError, "row 0 names vertex 1"),
        (lambda: ours.CollisionMesh(X, E, displacement_map=np.ones((3, 3))), ValueError, "displacement_map: has 3 rows"),
        (lambda: ours.CollisionMesh(X, E).vertices(X[:3]), ValueError, "full_positions: has 3 rows, expected 4"),
        (lambda: ours.CollisionMesh(X, E).map_displacements(X[:, :2]), ValueError, "full_displacements"),
        (lambda: ours.CollisionMesh(X, E).to_full_dof(np.ones(5)), ValueError, "x: has shape"),
        (lambda: ours.CollisionMesh(X, E).to_full_dof(sparse.eye(5)), ValueError, "X: has shape"),
        (lambda: ours.CollisionMesh(X, E).to_full_vertex_id(4), ValueError, "id: is 4"),
        (lambda: ours.CollisionMesh(X, E).vertex_area(-1), ValueError, "vi: is -1"),
        (lambda: ours.CollisionMesh(X, E).edge_area(3), ValueError, "ei: is 3"),
        (lambda: ours.CollisionMesh(X, E).is_vertex_on_boundary("0"), TypeError, "vi"),
        (lambda: setattr(ours.CollisionMesh(X, E), "planes", [1]), TypeError, r"planes\[0\]"),
        (lambda: setattr(ours.CollisionMesh(X, E), "can_collide", 1), TypeError, "can_collide"),
    ],
)
def test_wrong_input(call, error, match):
    with pytest.raises(error, match=match):
        call()


def test_normals_of_faces_without_area_are_zero():
    x, faces = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]), np.array([[0, 1, 2]])
    for package in (ours, ipctk):
        mesh = package.CollisionMesh(x, package.edges(faces), faces)
        assert mesh.face_normals(x).tolist() == [[0, 0, 1]] and mesh.face_normals(0 * x).tolist() == [[0, 0, 0]]
