"""Meshes in files: what meshio writes is read, what we write meshio reads, and broken files are errors with a place."""

from pathlib import Path

import meshio
import numpy as np
import pytest

import stiction

SHARED = Path(__file__).parents[3] / "shared" / "data" / "meshes"

POINTS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1 / 3, 1e-7, -2e5]])
EDGES = [[0, 1], [3, 4]]
TRIANGLES = [[0, 2, 1], [1, 2, 3], [4, 2, 3]]
TETRAHEDRA = [[0, 1, 2, 3], [1, 2, 3, 4]]

# What the formats have a place for, and how meshio is told to write them.
FORMATS = {
    "obj": ("obj", ("edges", "triangles"), [{}]),
    "ply": ("ply", ("triangles",), [{"binary": False}, {"binary": True}]),
    "stl": ("stl", ("triangles",), [{"binary": False}, {"binary": True}]),
    "msh 2": ("msh", ("edges", "triangles", "tetrahedra"), [
        {"file_format": "gmsh22", "binary": False}, {"file_format": "gmsh22", "binary": True},
    ]),
    "msh 4": ("msh", ("edges", "triangles", "tetrahedra"), [
        {"file_format": "gmsh", "binary": False}, {"file_format": "gmsh", "binary": True},
    ]),
    "vtu": ("vtu", ("edges", "triangles", "tetrahedra"), [{"binary": False}, {"binary": True, "compression": None}]),
}
CELLS = {"edges": ("line", EDGES), "triangles": ("triangle", TRIANGLES), "tetrahedra": ("tetra", TETRAHEDRA)}


def ours(kinds):
    lists = {"edges": EDGES, "triangles": TRIANGLES, "tetrahedra": TETRAHEDRA}
    return stiction.Mesh(POINTS, **{kind: lists[kind] for kind in kinds})


def write_with_meshio(path, kinds, options):
    """meshio's MSH 4.1 wants to be told of which geometric entity each point is."""
    data = {}
    if options.get("file_format") == "gmsh":
        data = {
            "point_data": {"gmsh:dim_tags": np.array([[3, 1]] * 3 + [[0, 1]] * 2)},
            "cell_data": {
                name: [np.ones(len(CELLS[kind][1]), int) for kind in kinds]
                for name in ("gmsh:geometrical", "gmsh:physical")
            },
        }
    meshio.Mesh(POINTS, [CELLS[kind] for kind in kinds], **data).write(path, **options)


def same_places(points, elements, expected):
    """The same elements by where their vertices are: STL has no order of points, and single precision in bytes."""
    assert points[np.asarray(elements)] == pytest.approx(POINTS[np.asarray(expected)], rel=1e-6)


@pytest.mark.parametrize("name", FORMATS)
def test_files_of_meshio(name, tmp_path):
    ending, kinds, variants = FORMATS[name]
    for options in variants:
        path = tmp_path / f"mesh.{ending}"
        kinds = [kind for kind in kinds if (ending, kind) != ("obj", "edges")]  # meshio does not write them
        write_with_meshio(path, kinds, options)
        mesh = stiction.read_mesh(path)
        for kind in kinds:
            same_places(mesh.points, getattr(mesh, kind), CELLS[kind][1])
        if ending != "stl" and name != "msh 4":
            assert mesh.points == pytest.approx(POINTS, rel=1e-8)


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("name", ["obj", "ply", "stl", "msh 2", "vtu"])
def test_meshio_reads_ours(name, binary, tmp_path):
    ending, kinds, _ = FORMATS[name]
    path = tmp_path / f"mesh.{ending}"
    mesh = ours(kinds)
    stiction.write_mesh(path, mesh, binary=binary)
    theirs = meshio.read(path)
    for kind in kinds:
        if ending in ("obj", "ply") and kind == "edges":
            continue  # meshio leaves them out
        same_places(theirs.points, theirs.cells_dict[CELLS[kind][0]], CELLS[kind][1])
    again = stiction.read_mesh(path)
    if ending == "stl":
        same_places(again.points, again.triangles, TRIANGLES)
        return
    for kind in ("points", "edges", "triangles", "tetrahedra"):
        assert np.array_equal(getattr(again, kind), getattr(mesh, kind)), kind


def test_ply_of_either_byte_order_with_more_columns(tmp_path):
    header = (
        "ply\nformat {} 1.0\ncomment made by hand\nelement vertex 3\nproperty uchar red\nproperty float x\nproperty float y\n"
        "property float z\nproperty list uchar short neighbours\nelement face 1\nproperty list int uint vertex_index\n"
        "element edge 1\nproperty int vertex1\nproperty int vertex2\nproperty uchar colour\nend_header\n"
    )
    for order, name in [("<", "binary_little_endian"), (">", "binary_big_endian")]:
        row = np.dtype([("r", "u1"), ("x", order + "f4", 3), ("k", "u1"), ("n", order + "i2", 2)])
        rows = np.zeros(3, row)
        rows["x"], rows["k"] = [[0, 0, 0], [1, 0, 0], [0, 1, 0.5]], 2
        face = np.array([3, 0, 1, 2], order + "i4").tobytes()
        edge = np.array([2, 1], order + "i4").tobytes() + b"\x07"
        (tmp_path / "m.ply").write_bytes(header.format(name).encode() + rows.tobytes() + face + edge)
        mesh = stiction.read_mesh(tmp_path / "m.ply")
        assert mesh.points.tolist() == rows["x"].tolist()
        assert mesh.triangles.tolist() == [[0, 1, 2]] and mesh.edges.tolist() == [[2, 1]]


def test_obj_as_people_write_it(tmp_path):
    (tmp_path / "m.OBJ").write_text(
        "# words\r\nmtllib m.mtl\r\nv 0 0 0 1.0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvn 0 0 1\nvt 0 0\no thing\nf 1/1/1 2//1 \\\n  3/1 -1\n"
        "l 1 2 3\np 1\ns off\nusemtl stone\n"
    )
    mesh = stiction.read_mesh(str(tmp_path / "m.OBJ"))
    assert mesh.triangles.tolist() == [[0, 1, 2], [0, 2, 3]] and mesh.edges.tolist() == [[0, 1], [1, 2]]


def test_gmsh_with_other_sections_and_sparse_tags(tmp_path):
    (tmp_path / "m.msh").write_text(
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n2 1 \"skin\"\n$EndPhysicalNames\n$Entities\n0 0 1 0\n"
        "1 0 0 0 1 1 0 0 0\n$EndEntities\n$Nodes\n2 4 5 90\n0 1 0 1\n90\n0 0 0\n2 1 1 3\n5\n7\n6\n1 0 0 0.1 0.2\n1 1 0 0.3 0.4\n"
        "0 1 0 0.5 0.6\n$EndNodes\n$Elements\n2 2 1 2\n0 1 15 1\n1 90\n2 1 3 1\n2 90 5 7 6\n$EndElements\n$Periodic\n0\n$EndPeriodic\n"
    )
    mesh = stiction.read_mesh(tmp_path / "m.msh")
    assert mesh.points.tolist() == [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    assert mesh.triangles.tolist() == [[0, 1, 2], [0, 2, 3]]


BAD = {
    "unknown ending": ("m.step", b"", r"m\.step: the name: must end with"),
    "obj, word": ("m.obj", b"v 0 0 0\nv 1 zero 0\n", r"m\.obj: line 2: \"zero\" is not a coordinate"),
    "obj, short point": ("m.obj", b"v 0 0\n", "line 1: a point has fewer than 3"),
    "obj, infinite point": ("m.obj", b"v 0 0 inf\n", "line 1: point 0 is not finite"),
    "obj, vertex out of range": ("m.obj", b"v 0 0 0\n\nf 1 2 3\n", "line 3: vertex 2 .* there are 1"),
    "obj, vertex 0": ("m.obj", b"v 0 0 0\nf 0 1 1\n", "line 2: there is no vertex 0"),
    "obj, vertex before the first": ("m.obj", b"v 0 0 0\nf -2 1 1\n", "line 2: there is no vertex -2"),
    "obj, huge vertex": ("m.obj", b"f 1 2 99999999999\n", "no vertex 99999999999"),
    "obj, face of two": ("m.obj", b"v 0 0 0\nf 1 1\n", "line 2: a face"),
    "ply, no ply": ("m.ply", b"solid\n", "begins with the word ply"),
    "ply, empty": ("m.ply", b"", "begins with the word ply"),
    "ply, header without end": ("m.ply", b"ply\nformat ascii 1.0\n", "no end_header"),
    "ply, no format": ("m.ply", b"ply\nend_header\n", "no format"),
    "ply, type": ("m.ply", b"ply\nformat ascii 1.0\nelement vertex 1\nproperty quad x\nend_header\n", "line 4: .*quad"),
    "ply, rows": ("m.ply", b"ply\nformat ascii 1.0\nelement vertex -1\n", "line 3: \"-1\" is not a number of rows"),
    "ply, truncated text": (
        "m.ply",
        b"ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nend_header\n0 0\n1",
        "the file ends where a coordinate should be",
    ),
    "ply, truncated bytes": (
        "m.ply",
        b"ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\nproperty float x\nproperty float y\nend_header\n1234",
        "byte [0-9]+: the file ends within a coordinate",
    ),
    "ply, endless list": (
        "m.ply",
        b"ply\nformat binary_big_endian 1.0\nelement face 1\nproperty list uint uint vertex_indices\nend_header\n\xff\xff\xff\xff\0\0\0\0",
        "byte [0-9]+: the file ends within a vertex",
    ),
    "ply, rows of nothing": (
        "m.ply",
        b"ply\nformat ascii 1.0\nelement face 99999999999999999\nend_header\n",
        "face has no properties",
    ),
    "stl, short": ("m.stl", b"\0" * 50, "byte 0: the file ends within the header"),
    "stl, too many": ("m.stl", b"\0" * 80 + b"\xff\xff\xff\xff" + b"\0" * 50, "4294967295 triangles do not fit"),
    "stl, facet of two": (
        "m.stl",
        b"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\nendfacet\nendsolid\n",
        "line 7: a facet has 2 vertices",
    ),
    "stl, cut": ("m.stl", b"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n", "ends within a facet"),
    "stl, words": ("m.stl", b"solid a\nonce upon a time\n", "line 2: \"once\" is no word"),
    "msh, version": ("m.msh", b"$MeshFormat\n4.0 0 8\n$EndMeshFormat\n", "line 2: version 4.0 cannot be read"),
    "msh, nothing": ("m.msh", b"", "no \\$Elements"),
    "msh, no end": ("m.msh", b"$MeshFormat\n2.2 0 8\n", "no \\$EndMeshFormat"),
    "msh, node twice": (
        "m.msh",
        b"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2\n1 0 0 0\n1 0 0 1\n$EndNodes\n",
        "line 7: node 1 comes twice",
    ),
    "msh, node that is none": (
        "m.msh",
        b"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n1\n1 1 0 1 2\n$EndElements\n",
        "line 10: there is no node 2",
    ),
    "msh, hexahedron": (
        "m.msh",
        b"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Elements\n1\n1 5 0 1 2 3 4 5 6 7 8\n$EndElements\n",
        "line 6: elements of type 5 cannot be read",
    ),
    "msh, counts without end": (
        "m.msh",
        b"$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 1 1 1\n2 1 0 9999999999999\n1\n$EndNodes\n",
        "is not the tag of a node",
    ),
    "msh, binary cut": ("m.msh", b"$MeshFormat\n4.1 1 8\n\x01\0\0\0\n$EndMeshFormat\n$Nodes\n\x01\0\0", "byte [0-9]+: the file ends"),
    "vtu, no xml": ("m.vtu", b"hello", "no VTKFile"),
    "vtu, compressed": (
        "m.vtu",
        b'<VTKFile type="UnstructuredGrid" compressor="vtkZLibDataCompressor"><Piece></Piece></VTKFile>',
        "without compression",
    ),
    "vtu, no points": ("m.vtu", b'<VTKFile type="UnstructuredGrid"><Piece></Piece></VTKFile>', "there is no Points"),
    "vtu, bad data": (
        "m.vtu",
        b'<VTKFile type="UnstructuredGrid"><Piece><Points>\n<DataArray type="Float64" format="binary">????</DataArray></Points></Piece></VTKFile>',
        "line 2: the data is no base64",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_broken_files_name_the_place(name, tmp_path):
    file, content, message = BAD[name]
    (tmp_path / file).write_bytes(content)
    with pytest.raises(ValueError, match=message):
        stiction.read_mesh(tmp_path / file)


@pytest.mark.parametrize("name", FORMATS)
def test_damaged_files_are_errors_or_meshes(name, tmp_path):
    """Every beginning of a file, and files with bytes changed, end with a mesh or a ValueError, never otherwise."""
    ending, kinds, variants = FORMATS[name]
    random = np.random.default_rng(5)
    for options in variants:
        path = tmp_path / f"mesh.{ending}"
        write_with_meshio(path, [kind for kind in kinds if (ending, kind) != ("obj", "edges")], options)
        whole = path.read_bytes()
        for length in range(0, len(whole), max(1, len(whole) // 200)):
            read_damaged(path, whole[:length])
        for _ in range(200):
            damaged = bytearray(whole)
            for place in random.integers(len(whole), size=3):
                damaged[place] = random.integers(256)
            read_damaged(path, bytes(damaged))


def read_damaged(path, content):
    path.write_bytes(content)
    try:
        mesh = stiction.read_mesh(path)
    except ValueError as error:
        assert str(error).startswith(str(path))
    else:
        assert np.isfinite(mesh.points).all()


def test_errors_of_writing(tmp_path):
    with pytest.raises(ValueError, match="has tetrahedra, for which the format has no place"):
        stiction.write_mesh(tmp_path / "m.ply", ours(["tetrahedra"]))
    with pytest.raises(ValueError, match="has edges"):
        stiction.write_mesh(tmp_path / "m.stl", ours(["edges"]))
    with pytest.raises(FileNotFoundError, match="nowhere"):
        stiction.write_mesh(tmp_path / "nowhere" / "m.ply", ours(["triangles"]))
    with pytest.raises(FileNotFoundError, match="nowhere"):
        stiction.read_mesh(tmp_path / "nowhere.obj")
    with pytest.raises(ValueError, match="triangles: row 0 names vertex 9, but there are 5 points"):
        stiction.Mesh(POINTS, triangles=[[0, 1, 9]])


def test_surfaces_of_meshes():
    mesh = stiction.Mesh(POINTS, EDGES, None, TETRAHEDRA)
    surface = mesh.surface()
    assert len(surface.faces) == 6 == len(stiction.boundary_faces(TETRAHEDRA))
    assert [3, 4] in surface.edges.tolist()
    square = stiction.Mesh([[0, 0], [1, 0], [1, 1], [0, 1]], triangles=[[0, 1, 2], [0, 2, 3]])
    assert square.points.shape == (4, 3) and square.surface(2).edges.tolist() == [[0, 1], [0, 3], [1, 2], [2, 3]]
    assert stiction.boundary_edges(square.triangles).tolist() == [[0, 1], [3, 0], [1, 2], [2, 3]]
    with pytest.raises(ValueError, match="dimension: is 2, but point 3"):
        mesh.surface(2)
    with pytest.raises(ValueError, match="dimension: is 4"):
        mesh.surface(4)


def test_meshes_that_others_made():
    if not SHARED.is_dir():
        pytest.skip("no shared meshes beside this project")
    for path in sorted(SHARED.glob("**/*.ply")):
        mesh, theirs = stiction.read_mesh(path), meshio.read(path)
        assert np.array_equal(mesh.points, theirs.points), path
        assert np.array_equal(mesh.triangles, theirs.cells_dict["triangle"]), path
