"""Wrong calls of the drop-in: an exception each, that names what is wrong, and never a crash."""

import subprocess
import sys
import textwrap

PROGRAM = """
import gc, threading
import numpy as np
from scipy.sparse import csc_matrix, eye
import stiction.ipctk as ipctk

x = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0.2, 0.2, 0.03], [1.2, 0.2, 0.5], [0.2, 1.2, 0.5], [0.9, -0.05, 0.04]])
faces = np.array([[0, 1, 2], [3, 4, 5]])
edges = ipctk.edges(faces)
mesh = ipctk.CollisionMesh(x, edges, faces)
mesh.planes = [ipctk.Hyperplane([0, 0, 1.0], [0, 0, -0.05])]
other = ipctk.CollisionMesh(x[:6], edges, faces)
c = ipctk.NormalCollisions()
c.build(mesh, x, 0.1)
B = ipctk.BarrierPotential(0.1, 10.0)
T = ipctk.TangentialCollisions()
T.build(mesh, x, c, B, 0.3)
P = ipctk.FrictionPotential(0.1)
A = ipctk.NormalAdhesionPotential(0.1, 0.2, 1.0, 1.0)
v = 0.1 * x
nan = x.copy(); nan[1, 1] = np.nan
inf = x.copy(); inf[2, 0] = np.inf
NONE = ipctk.PSDProjectionMethod.NONE
VEL = ipctk.FrictionPotential.DiffWRT.VELOCITIES
LAG = ipctk.FrictionPotential.DiffWRT.LAGGED_DISPLACEMENTS
REST = ipctk.FrictionPotential.DiffWRT.REST_POSITIONS
loose = ipctk.EdgeEdgeNormalCollision(0, 1, 1e-3)
hess = csc_matrix(eye(x.size))
assert len(c) > 2 and len(T) == len(c)

def freed():
    local = ipctk.NormalCollisions()
    local.build(mesh, x, 0.1)
    view = local[0]
    del local
    gc.collect()
    view.weight = "heavy"

def in_thread(call):
    # The exception of another thread, raised in this one.
    found = []
    def run():
        try:
            call()
        except BaseException as error:
            found.append(error)
    threads = [threading.Thread(target=run) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert len(found) == 4
    raise found[0]

def many_builds_at_once():
    # Nothing is wrong with this; afterwards something is.
    def run():
        for _ in range(20):
            c.build(mesh, x, 0.1)
            B.gradient(c, mesh, x)
            c[0].weight = 2.0
    threads = [threading.Thread(target=run) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    c.build(mesh, x[:3], 0.1)

class Broken(ipctk.Barrier):
    def __call__(self, d, dhat): raise KeyError("broken barrier")
    def first_derivative(self, d, dhat): return "a word"
    def second_derivative(self, d, dhat): return 0.0
    def units(self, dhat): return 1.0

def set_weight(value): c[0].weight = value
def set_basis(value): T[0].tangent_basis = value
def set_mu(name, value): setattr(T[0], name, value)
def assign(name, value): setattr(c, name, value)
def assign_tangential(name, value): setattr(T, name, value)
def set_potential(potential, name, value): setattr(potential, name, value)

CALLS = {
    # Shapes.
    "build: one row short": lambda: c.build(mesh, x[:-1], 0.1),
    "build: one row more": lambda: c.build(mesh, np.vstack([x, x[:1]]), 0.1),
    "build: 2D": lambda: c.build(mesh, x[:, :2], 0.1),
    "build: one row of all": lambda: c.build(mesh, x.ravel(), 0.1),
    "build: three dimensions": lambda: c.build(mesh, x[None], 0.1),
    "energy: one row short": lambda: B(c, mesh, x[:-1]),
    "energy: empty": lambda: B(c, mesh, np.zeros((0, 3))),
    "gradient: transposed": lambda: B.gradient(c, mesh, x.T),
    "hessian: scalar": lambda: B.hessian(c, mesh, 1.0),
    "shape: 2D": lambda: B.shape_derivative(c, mesh, x[:, :2]),
    "quadratic form: p too short": lambda: B.gauss_newton_hessian_quadratic_form(c, mesh, x, np.ones(5)),
    "one: too few positions": lambda: B(c[0], np.ones(5)),
    "one: no positions": lambda: B.gradient(c[0]),
    "friction: one row short": lambda: P.gradient(T, mesh, v[:-1]),
    "friction build: one row short": lambda: T.build(mesh, x[:-1], c, B, 0.3),
    "friction: mu of too few vertices": lambda: T.build(mesh, x, c, B, np.ones(3), np.ones(3)),
    "friction: mu_s and mu_k of different lengths": lambda: T.build(mesh, x, c, B, np.ones(7), np.ones(6)),
    "force: displacements too short": lambda: P.force(T, mesh, x, v[:3], v, B),
    "jacobian: velocities too short": lambda: P.force_jacobian(T, mesh, x, 0 * v, v[:3], B, VEL),
    "tangents of another shape": lambda: set_basis(np.eye(3)),
    "stiffness: gradients of different lengths": lambda: ipctk.initial_barrier_stiffness(1.0, B.barrier, 0.1, 1.0, np.ones(3), np.ones(4)),
    "semi-implicit: matrix too small": lambda: ipctk.semi_implicit_stiffness(mesh, x, c, np.ones(7), csc_matrix(eye(3)), 0.0),
    "semi-implicit: masses too few": lambda: ipctk.semi_implicit_stiffness(mesh, x, c, np.ones(3), hess, 0.0),
    # Types.
    "build: words": lambda: c.build(mesh, [["a", "b", "c"]] * 7, 0.1),
    "build: complex": lambda: c.build(mesh, x.astype(complex), 0.1),
    "build: objects": lambda: c.build(mesh, x.astype(object), 0.1),
    "build: no mesh": lambda: c.build(None, x, 0.1),
    "build: mesh and positions exchanged": lambda: c.build(x, mesh, 0.1),
    "build: a word for dhat": lambda: c.build(mesh, x, "0.1"),
    "build: a class for a broad phase": lambda: c.build(mesh, x, 0.1, 0.0, ipctk.LBVH),
    "energy: mesh and positions exchanged": lambda: B(c, x, mesh),
    "energy: friction collisions": lambda: B(T, mesh, v),
    "friction: no mesh": lambda: P(T, None, v),
    "energy: no mesh": lambda: B(c, None, x),
    "friction: normal collisions": lambda: P(c, mesh, v),
    "friction build: no potential": lambda: T.build(mesh, x, c, None, 0.3),
    "friction build: friction collisions": lambda: T.build(mesh, x, T, B, 0.3),
    "friction build: no coefficient": lambda: T.build(mesh, x, c, B),
    "hessian: a word for the projection": lambda: B.hessian(c, mesh, x, "clamp"),
    "jacobian: a word for the derivative": lambda: P.force_jacobian(T, mesh, x, 0 * v, v, B, "velocities"),
    "set type: a number": lambda: assign("collision_set_type", 1),
    "lists: collisions of another kind": lambda: assign("vv_collisions", [loose]),
    "lists: not a list": lambda: assign("ee_collisions", 3),
    "lists: normal collisions in a friction set": lambda: assign_tangential("vv_collisions", [loose]),
    "weight: a word": lambda: set_weight("heavy"),
    "weight: a list": lambda: set_weight([1.0, 2.0]),
    "barrier: no barrier": lambda: ipctk.BarrierPotential(object(), 0.1, 1.0),
    "blend: no function": lambda: T.build(mesh, x, c, B, np.ones(7), np.ones(7), 3),
    "blend: returns a word": lambda: T.build(mesh, x, c, B, np.ones(7), np.ones(7), lambda a, b: "much"),
    "blend: raises": lambda: T.build(mesh, x, c, B, np.ones(7), np.ones(7), lambda a, b: 1 / 0),
    "index: a word": lambda: c["first"],
    "index: a slice": lambda: T[:2],
    # Numbers.
    "build: NaN": lambda: c.build(mesh, nan, 0.1),
    "build: infinite": lambda: c.build(mesh, inf, 0.1),
    "build: dhat 0": lambda: c.build(mesh, x, 0.0),
    "build: dhat negative": lambda: c.build(mesh, x, -0.1),
    "build: dhat NaN": lambda: c.build(mesh, x, np.nan),
    "build: dmin negative": lambda: c.build(mesh, x, 0.1, -1e-3),
    "minimum distance: NaN": lambda: c.compute_minimum_distance(mesh, nan),
    "energy: NaN": lambda: B(c, mesh, nan),
    "hessian: infinite": lambda: B.hessian(c, mesh, inf),
    "friction: NaN": lambda: P.hessian(T, mesh, nan),
    "force: NaN": lambda: P.force(T, mesh, nan, 0 * v, v, B),
    "force: dmin negative": lambda: P.force(T, mesh, x, 0 * v, v, B, -1.0),
    "lagged jacobian: NaN": lambda: P.force_jacobian(T, mesh, x, 0 * v, nan, B, LAG),
    "update: NaN": lambda: T.update_lagged_anisotropic_friction_coefficients(mesh, x, 0 * x, nan),
    "mu negative": lambda: T.build(mesh, x, c, B, -0.1),
    "mu NaN": lambda: T.build(mesh, x, c, B, np.nan),
    "mu_k negative": lambda: T.build(mesh, x, c, B, 0.3, -0.1),
    "mu of a vertex negative": lambda: T.build(mesh, x, c, B, -np.ones(7), np.ones(7)),
    "mu_s written negative": lambda: set_mu("mu_s", -1.0),
    "mu_aniso written negative": lambda: set_mu("mu_aniso", [-1.0, 1.0]),
    "mu_s_aniso written NaN": lambda: set_mu("mu_s_aniso", [np.nan, 1.0]),
    "normal force NaN": lambda: set_mu("normal_force_magnitude", np.nan),
    "tangents that are none": lambda: set_basis(np.ones((3, 2))),
    "weight NaN": lambda: set_weight(np.nan),
    "eps_v 0": lambda: ipctk.FrictionPotential(0.0),
    "eps_v negative": lambda: set_potential(P, "eps_v", -1.0),
    "eps_a NaN": lambda: ipctk.TangentialAdhesionPotential(np.nan),
    "stiffness negative": lambda: ipctk.BarrierPotential(0.1, -1.0),
    "stiffness NaN": lambda: ipctk.BarrierPotential(0.1, np.nan),
    "dhat infinite": lambda: ipctk.BarrierPotential(np.inf, 1.0),
    "adhesion: dhat_a below dhat_p": lambda: ipctk.NormalAdhesionPotential(0.2, 0.1, 1.0, 1.0),
    "adhesion: dhat_p moved beyond dhat_a": lambda: set_potential(A, "dhat_p", 0.3),
    "adhesion: modulus negative": lambda: ipctk.NormalAdhesionPotential(0.1, 0.2, -1.0, 1.0),
    "eps_x negative": lambda: ipctk.EdgeEdgeNormalCollision(0, 1, -1.0),
    "vertex negative": lambda: ipctk.VertexVertexNormalCollision(-1, 2),
    "stiffness: mass 0": lambda: ipctk.initial_barrier_stiffness(1.0, B.barrier, 0.1, 0.0, np.ones(3), np.ones(3)),
    "stiffness: NaN in a gradient": lambda: ipctk.initial_barrier_stiffness(1.0, B.barrier, 0.1, 1.0, np.full(3, np.nan), np.ones(3)),
    "stiffness: negative distance": lambda: ipctk.update_barrier_stiffness(-1.0, 1.0, 1.0, 1.0, 1.0),
    "stiffness: NaN distance": lambda: ipctk.update_barrier_stiffness(1.0, np.nan, 1.0, 1.0, 1.0),
    # Places and owners.
    "index beyond the end": lambda: c[len(c)],
    "negative index": lambda: c[-1],
    "friction index beyond the end": lambda: T[10**9],
    "view of a freed owner": freed,
    "another mesh": lambda: B(c, other, x[:6]),
    "friction on another mesh": lambda: P(T, other, v[:6]),
    "list that names a vertex that is not there": lambda: (assign("vv_collisions", [ipctk.VertexVertexNormalCollision(0, 99)]), B(c, mesh, x)),
    "list that names an edge that is not there": lambda: (assign("ev_collisions", [ipctk.EdgeVertexNormalCollision(99, 0)]), B(c, mesh, x)),
    "list that names a vertex twice": lambda: (assign("vv_collisions", [ipctk.VertexVertexNormalCollision(3, 3)]), B(c, mesh, x)),
    "shape derivatives that were not asked for": lambda: B.shape_derivative(c, mesh, x),
    "rest jacobian that was not asked for": lambda: P.force_jacobian(T, mesh, x, 0 * v, v, B, REST),
    "dmin of one collision": lambda: set_potential(c[0], "dmin", 0.05),
    # Functions of Python.
    "a barrier that raises": lambda: ipctk.BarrierPotential(Broken(), 0.1, 1.0)(c, mesh, x),
    "a barrier that returns a word": lambda: ipctk.BarrierPotential(Broken(), 0.1, 1.0).gradient(c, mesh, x),
    "abstract potentials": lambda: ipctk.NormalPotential(),
    "abstract tangential potentials": lambda: ipctk.TangentialPotential(),
    "what is missing": lambda: ipctk.SmoothCollisions(),
    # Threads.
    "wrong in four threads": lambda: in_thread(lambda: B.gradient(c, mesh, x[:3])),
    "wrong friction in four threads": lambda: in_thread(lambda: P.hessian(T, mesh, nan)),
    "a broken barrier in four threads": lambda: in_thread(lambda: ipctk.BarrierPotential(Broken(), 0.1, 1.0)(c, mesh, x)),
    "many builds at once": many_builds_at_once,
}

EXPECTED = (ValueError, TypeError, IndexError, RuntimeError, NotImplementedError, KeyError, ZeroDivisionError)
for name, call in CALLS.items():
    c.build(mesh, x, 0.1)
    T.build(mesh, x, c, B, 0.3)
    try:
        call()
    except EXPECTED as error:
        assert str(error), name
        print("refused:", name, "|", type(error).__name__, "|", str(error).splitlines()[0])
    else:
        raise SystemExit(f"taken: {name}")
# And all is as before.
c.build(mesh, x, 0.1)
T.build(mesh, x, c, B, 0.3)
assert B(c, mesh, x) > 0.0 and np.isfinite(P.gradient(T, mesh, v)).all() and A.dhat_p == 0.1
print("number of calls:", len(CALLS))
"""


def test_wrong_calls():
    found = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PROGRAM)], capture_output=True, text=True, timeout=300, check=False
    )
    assert found.returncode == 0, found.stdout[-2000:] + found.stderr[-2000:]
    count = int(found.stdout.rsplit("number of calls: ", 1)[1])
    assert count >= 60 and found.stdout.count("refused: ") == count
    print(found.stdout)
