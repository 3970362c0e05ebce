"""Normal contact beside ipctk: contacts, their energies and derivatives, trust regions.

    python bench/contact.py [--workloads W1 W4] [--sizes small medium] [--threads 1 2] [--only REGEX] [--tuned]

Both work on the same candidates, find as many contacts, and the norms of gradients, Hessians and radii must agree to 1e-9 (entries are
compared in python/tests). "reused": our Hessian with the sparsity pattern kept from call to call; ipctk has no such thing.
Its update of a trust region also builds contacts, ours does not: one row has our radii alone, one with the same contacts.
The tables are explained in bench/beside.py.
"""

import sys
from functools import partial

import ipctk
import numpy as np
from beside import Operation, Scene, run

import stiction

KAPPA = 1.0
PSD = {"none": ipctk.PSDProjectionMethod.NONE, "clamp": ipctk.PSDProjectionMethod.CLAMP}
SETS = {
    "ipc": ipctk.NormalCollisions.CollisionSetType.IPC,
    "improved_max": ipctk.NormalCollisions.CollisionSetType.IMPROVED_MAX_APPROX,
    "ogc": ipctk.NormalCollisions.CollisionSetType.OGC,
}


def once(scene, key, make):
    """What `make` returns, made once for a scene."""
    if key not in scene.found:
        scene.found[key] = make()
    return scene.found[key]


def peer_candidates(scene):
    def make():
        found = ipctk.Candidates()
        found.build(scene.mesh, scene.peer_x, scene.inflation)
        return found

    return once(scene, "peer candidates", make)


def our_candidates(scene):
    return once(
        scene, "candidates", lambda: stiction.candidates(scene.surface, scene.x, inflation=scene.inflation)
    )


def peer_contacts(scene, contact_set="ipc", area=False, candidates=None):
    found = ipctk.NormalCollisions()
    found.use_area_weighting = area
    found.collision_set_type = SETS[contact_set]
    found.build(candidates or peer_candidates(scene), scene.mesh, scene.peer_x, scene.workload.dhat)
    return found


def our_contacts(scene, contact_set="ipc", weights="count", candidates=None):
    candidates = candidates or our_candidates(scene)
    return stiction.Contacts(
        scene.surface, scene.x, scene.workload.dhat, contact_set=contact_set, weights=weights, candidates=candidates
    )


def build_operation(contact_set, area):
    weights = "area" if area else "count"
    return Operation(
        name=f"contacts from candidates, {contact_set}" + (", area" if area else ""),
        peer=lambda scene: peer_contacts(scene, contact_set, area),
        ours=lambda scene: our_contacts(scene, contact_set, weights),
        shown=len,
        # In improved_max ipctk keeps terms whose weights cancel but for rounding, errs at open boundaries and merges pairs that differ.
        agree=lambda scene, peer, own: abs(peer - own) <= (0.03 * own if contact_set == "improved_max" else 0),
    )


def whole_operation():
    def peer(scene):
        found = ipctk.NormalCollisions()
        found.build(scene.mesh, scene.peer_x, scene.workload.dhat)
        return found

    return Operation(
        name="contacts from positions",
        peer=peer,
        ours=lambda scene: stiction.Contacts(scene.surface, scene.x, scene.workload.dhat),
        shown=len,
        agree=lambda scene, peer, own: peer == own,
    )


def kept(scene):
    """The contacts and the potential of both, made once."""
    theirs = once(scene, "peer contacts", partial(peer_contacts, scene))
    ours = once(scene, "contacts", partial(our_contacts, scene))
    return theirs, ours, ipctk.BarrierPotential(scene.workload.dhat, KAPPA)


def close(scene, peer, own):
    return np.isclose(float(peer), float(own), rtol=1e-9, atol=0)


def norm(values):
    """The Euclidean norm of an array, to as many digits as must agree."""
    return f"{np.linalg.norm(np.ravel(values)):.10e}"


def barrier(scene):
    return stiction.BarrierPotential(scene.workload.dhat, KAPPA)


def potential_operation(name, peer, ours, shown=norm):
    """`peer(potential, contacts, scene)` beside `ours(contacts, scene)`."""

    def theirs(scene):
        contacts, _, potential = kept(scene)
        return peer(potential, contacts, scene)

    return Operation(name, theirs, lambda scene: ours(kept(scene)[1], scene), shown, close, kept)


def hessian_operation(psd, reused):
    """Contacts keep the pattern of their last Hessian: from scratch means with contacts that have made none."""

    def prepare(scene):
        if reused:
            ours(scene)
        else:
            scene.found["fresh"] = our_contacts(scene)
        kept(scene)

    def peer(scene):
        contacts, _, potential = kept(scene)
        return potential.hessian(contacts, scene.mesh, scene.peer_x, PSD[psd])

    def ours(scene):
        contacts = kept(scene)[1] if reused else scene.found["fresh"]
        return barrier(scene).hessian(contacts, scene.x, psd)

    return Operation(
        name=f"Hessian, {psd}" + (", reused" if reused else ""),
        peer=peer,
        ours=ours,
        shown=lambda matrix: norm(matrix.data),
        agree=close,
        prepare=prepare,
    )


def trust_region_operation(with_contacts):
    def peer(scene):
        region = ipctk.ogc.TrustRegion(scene.workload.dhat)
        region.update(scene.mesh, scene.peer_x, ipctk.NormalCollisions())
        return region.trust_region_radii

    def ours(scene):
        region = stiction.TrustRegion(scene.surface, scene.workload.dhat)
        region.update(scene.x)
        if with_contacts:
            scene.found["contacts in the region"] = stiction.Contacts(scene.surface, scene.x, region.inflation)
        return region.radii

    name = "trust region, update" + (" and contacts" if with_contacts else "")
    return Operation(name, peer, ours, norm, close)


OPERATIONS = [build_operation(contact_set, area) for area in (False, True) for contact_set in SETS]
OPERATIONS += [
    whole_operation(),
    potential_operation(
        "smallest gap",
        lambda potential, contacts, scene: np.sqrt(contacts.compute_minimum_distance(scene.mesh, scene.peer_x)),
        lambda contacts, scene: contacts.smallest_gap(scene.x),
        float,
    ),
    potential_operation(
        "energy",
        lambda potential, contacts, scene: potential(contacts, scene.mesh, scene.peer_x),
        lambda contacts, scene: barrier(scene).energy(contacts, scene.x),
        float,
    ),
    potential_operation(
        "gradient",
        lambda potential, contacts, scene: potential.gradient(contacts, scene.mesh, scene.peer_x),
        lambda contacts, scene: barrier(scene).gradient(contacts, scene.x),
    ),
    potential_operation(
        "Gauss-Newton diagonal",
        lambda potential, contacts, scene: potential.gauss_newton_hessian_diagonal(contacts, scene.mesh, scene.peer_x),
        lambda contacts, scene: barrier(scene).gauss_newton_diagonal(contacts, scene.x),
    ),
]
OPERATIONS += [hessian_operation(psd, reused) for psd in PSD for reused in (False, True)]
OPERATIONS += [trust_region_operation(with_contacts) for with_contacts in (False, True)]


if __name__ == "__main__":
    sys.exit(run(__doc__, OPERATIONS, Scene))
