"""Friction beside ipctk: lagging, energies and derivatives, forces and their Jacobians.

    python bench/friction.py [--workloads W1 W4] [--sizes small medium] [--threads 1 2] [--only REGEX] [--tuned]

Both lag at the same contacts, and the norms of what is found must agree to 1e-9 (entries are compared in python/tests). ipctk leaves
nearly parallel edges without friction: ours work on them, but with weight 0. In the Jacobian by positions at rest they have their
weight, so there norms are compared to 5 % only. ipctk is quadratic in that: it is run on up to 20,000 contacts, and a
last table has our time for each contact at growing sizes.
"reused": our Hessian with the sparsity pattern kept from call to call; ipctk has no such thing.
The tables are explained in bench/beside.py.
"""

import re
import sys
import time
from dataclasses import dataclass
from functools import partial

import ipctk
import numpy as np
from beside import Operation, Scene, run
from contact import close, norm, once, peer_contacts
from workloads import workload

import stiction

KAPPA, MU, MU_K, EPS_V = 1e3, 0.5, 0.3, 1e-3
FRICTION = stiction.FrictionPotential(EPS_V)
PSD = {"none": ipctk.PSDProjectionMethod.NONE, "clamp": ipctk.PSDProjectionMethod.CLAMP}
REST = "Jacobian by rest, area weights"
# Above this the Jacobian by positions at rest takes ipctk minutes.
QUADRATIC = 20_000


def our_contacts(scene, **choices):
    """Contacts of which nearly parallel edges count nothing; they are worked on all the same."""
    make = partial(stiction.Contacts, scene.surface, scene.x, scene.workload.dhat, **choices)
    counts = make().counts
    start = sum(counts[kind] for kind in ("vv", "ve", "ee", "vf"))

    def factor(places):
        factors = np.ones(len(places))
        factors[start : start + counts["parallel"]] = 0
        return factors

    return make(weight_factor=factor)


def velocities(scene):
    """Slow enough that some slides stick, fast enough that others do not."""
    v = once(scene, "v", lambda: np.random.default_rng(1).normal(size=scene.x.shape) * EPS_V)
    return v, once(scene, "peer v", lambda: np.asfortranarray(v))


def kept(scene):
    """Contacts and barrier of both, made once."""
    theirs = once(scene, "peer contacts", partial(peer_contacts, scene))
    return theirs, once(scene, "contacts", partial(our_contacts, scene)), barrier(scene)


def barrier(scene):
    return ipctk.BarrierPotential(scene.workload.dhat, KAPPA)


def our_barrier(scene):
    return stiction.BarrierPotential(scene.workload.dhat, KAPPA)


def peer_slides(scene, *mu, contacts=None):
    found = ipctk.TangentialCollisions()
    found.build(scene.mesh, scene.peer_x, contacts or kept(scene)[0], barrier(scene), *mu)
    return found


def our_slides(scene, *mu, contacts=None):
    return stiction.Slides(contacts or kept(scene)[1], scene.x, our_barrier(scene), *mu)


def lag_operation(name, *mu):
    def at_vertices(scene):
        return [np.full(len(scene.x), value) if name.startswith("lag, per vertex") else value for value in mu]

    return Operation(
        name=name,
        peer=lambda scene: peer_slides(scene, *at_vertices(scene)),
        ours=lambda scene: our_slides(scene, *at_vertices(scene)),
        shown=len,
        agree=lambda scene, peer, own: peer == own - kept(scene)[1].counts["parallel"],
        prepare=kept,
    )


def both_slides(scene, *mu):
    kept(scene)
    theirs = once(scene, ("peer slides", mu), partial(peer_slides, scene, *mu))
    return theirs, once(scene, ("slides", mu), partial(our_slides, scene, *mu))


def slide_operation(name, peer, ours, shown=norm, agree=close, mu=(MU,)):
    """`peer(potential, slides, scene, v)` beside `ours(slides, scene, v)`."""
    potential = ipctk.FrictionPotential(EPS_V)

    def theirs(scene):
        return peer(potential, both_slides(scene, *mu)[0], scene, velocities(scene)[1])

    def own(scene):
        return ours(both_slides(scene, *mu)[1], scene, velocities(scene)[0])

    return Operation(name, theirs, own, shown, agree, lambda scene: both_slides(scene, *mu))


def law(mu):
    """ipctk's, which has no name of its own: it is used wherever the two coefficients differ."""
    return "smooth_mu" if len(mu) == 2 else "peak"


def gradient_operation(name, mu):
    return slide_operation(
        name,
        lambda potential, slides, scene, v: potential.gradient(slides, scene.mesh, v),
        lambda slides, scene, v: stiction.FrictionPotential(EPS_V, law(mu)).gradient(slides, v),
        mu=mu,
    )


def matrix_norm(matrix):
    return norm(matrix.data)


def hessian_operation(psd, reused):
    """Slides keep the pattern of their last Hessian: from scratch means with slides that have made none."""
    potential = ipctk.FrictionPotential(EPS_V)

    def prepare(scene):
        both_slides(scene, MU)
        if reused:
            ours(scene)
        else:
            scene.found["fresh"] = our_slides(scene, MU)

    def peer(scene):
        return potential.hessian(both_slides(scene, MU)[0], scene.mesh, velocities(scene)[1], PSD[psd])

    def ours(scene):
        slides = both_slides(scene, MU)[1] if reused else scene.found["fresh"]
        return FRICTION.hessian(slides, velocities(scene)[0], psd)

    name = f"Hessian, {psd}" + (", reused" if reused else "")
    return Operation(name, peer, ours, matrix_norm, close, prepare)


def lagged(scene):
    """Positions at rest and displacements, for both."""
    rest, displacements = scene.workload.rest, scene.x - scene.workload.rest
    fortran = once(scene, "peer lagged", lambda: (np.asfortranarray(rest), np.asfortranarray(displacements)))
    return (rest, displacements), fortran


def force_operation():
    return slide_operation(
        "force from positions",
        lambda potential, slides, scene, v: potential.force(slides, scene.mesh, *lagged(scene)[1], v, barrier(scene)),
        lambda slides, scene, v: FRICTION.force(slides, *lagged(scene)[0], v),
    )


def jacobian_operation(wrt, peer_wrt):
    # By positions ipctk is off by 2e-6 where edges are almost nearly parallel; differences of its own forces say so.
    digits = 1e-9 if wrt == "velocities" else 1e-5
    return slide_operation(
        f"Jacobian by {wrt}",
        lambda potential, slides, scene, v: potential.force_jacobian(
            slides, scene.mesh, *lagged(scene)[1], v, barrier(scene), peer_wrt
        ),
        lambda slides, scene, v: FRICTION.force_jacobian(slides, wrt, *lagged(scene)[0], v),
        matrix_norm,
        lambda scene, peer, own: np.isclose(float(peer), float(own), rtol=digits, atol=0),
    )


def shape_contacts(scene):
    """Contacts weighted by area that know how their weights depend on positions at rest. Nearly parallel edges count."""

    def peer():
        scene.mesh.init_area_jacobians()
        found = ipctk.NormalCollisions()
        found.use_area_weighting = found.enable_shape_derivatives = True
        found.build(scene.mesh, scene.peer_x, scene.workload.dhat)
        return found

    return once(scene, "peer shape contacts", peer), our_shape_contacts(scene)


def our_shape_contacts(scene):
    choices = {"weights": "area", "shape_derivatives": True}
    make = partial(stiction.Contacts, scene.surface, scene.x, scene.workload.dhat, **choices)
    return once(scene, "shape contacts", make)


@dataclass
class Quadratic(Operation):
    def fits(self, scene):
        return len(kept(scene)[1]) <= QUADRATIC


def rest_operation():
    potential = ipctk.FrictionPotential(EPS_V)

    def slides(scene):
        theirs, ours = shape_contacts(scene)
        peer = once(scene, "peer shape slides", lambda: peer_slides(scene, MU, contacts=theirs))
        return peer, once(scene, "shape slides", lambda: our_slides(scene, MU, contacts=ours))

    def peer(scene):
        wrt = ipctk.FrictionPotential.DiffWRT.REST_POSITIONS
        arrays = (*lagged(scene)[1], velocities(scene)[1])
        return potential.force_jacobian(slides(scene)[0], scene.mesh, *arrays, barrier(scene), wrt)

    def ours(scene):
        return FRICTION.force_jacobian(slides(scene)[1], "rest", *lagged(scene)[0], velocities(scene)[0])

    return Quadratic(
        name=REST,
        peer=peer,
        ours=ours,
        shown=matrix_norm,
        agree=lambda scene, peer, own: np.isclose(float(peer), float(own), rtol=0.05),
        prepare=slides,
    )


DIFF = ipctk.FrictionPotential.DiffWRT
OPERATIONS = [
    lag_operation("lag, one coefficient", MU),
    lag_operation("lag, static and kinetic", MU, MU_K),
    lag_operation("lag, per vertex", MU, MU_K),
    slide_operation(
        "energy",
        lambda potential, slides, scene, v: potential(slides, scene.mesh, v),
        lambda slides, scene, v: FRICTION.energy(slides, v),
        float,
    ),
    gradient_operation("gradient", (MU,)),
    gradient_operation("gradient, static and kinetic", (MU, MU_K)),
    *[hessian_operation(psd, reused) for psd in PSD for reused in (False, True)],
    force_operation(),
    jacobian_operation("velocities", DIFF.VELOCITIES),
    jacobian_operation("lagged", DIFF.LAGGED_DISPLACEMENTS),
    rest_operation(),
]


def growth():
    """Our Jacobian by positions at rest at growing sizes: its time for each contact."""
    print("\nJacobian by rest, ours alone (W1, 1 thread)")
    stiction.set_num_threads(1)
    for size in ("tiny", "small", "medium"):
        scene = Scene(workload("W1", size))
        slides = our_slides(scene, MU, contacts=our_shape_contacts(scene))
        arguments = (slides, "rest", *lagged(scene)[0], velocities(scene)[0])
        spent = []
        for _ in range(3):
            start = time.perf_counter()
            FRICTION.force_jacobian(*arguments)
            spent.append(time.perf_counter() - start)
        print(f"{size:8s} {len(slides):8d} contacts {min(spent) * 1e3:9.2f} ms {min(spent) / len(slides) * 1e6:6.2f} µs each")


if __name__ == "__main__":
    status = run(__doc__, OPERATIONS, Scene)
    only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
    if "--memory" not in sys.argv and re.search(only, REST):
        growth()
    sys.exit(status)
