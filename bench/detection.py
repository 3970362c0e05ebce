"""Collision detection beside ipctk: the same scenes, one process, one table of ratios.

    python bench/detection.py [--workloads W1 W4] [--sizes small medium] [--threads 1 2] [--only REGEX] [--budget 2]

The tables are explained in bench/beside.py.
"""

import sys

import ipctk
from beside import Operation, Scene, run

import stiction


def exact_count(scene, swept):
    """How many candidates ipctk finds with boxes in double precision; looked for once."""
    if swept not in scene.found:
        scene.found[swept] = len(peer_candidates(scene, swept, ipctk.HashGrid()))
    return scene.found[swept]


def peer_candidates(scene, swept, method):
    found = ipctk.Candidates()
    if swept:
        found.build(scene.mesh, scene.peer_x, scene.peer_pushed, 0.0, method)
    else:
        found.build(scene.mesh, scene.peer_x, scene.inflation, method)
    return found


def our_candidates(scene, swept, method):
    if swept:
        return stiction.candidates(scene.surface, scene.x, scene.pushed, method=method)
    return stiction.candidates(scene.surface, scene.x, inflation=scene.inflation, method=method)


def total(found):
    return sum(map(len, found.values())) if isinstance(found, dict) else len(found)


# Ours, ipctk's, and the largest sizes. Its spatial hash is quadratic in 2D.
METHODS = [
    ("bvh", "LBVH", ("large", "large")),
    ("hash_grid", "HashGrid", ("large", "medium")),
    ("spatial_hash", "SpatialHash", ("small", "medium")),
    ("sweep_and_prune", "SweepAndPrune", ("medium", "medium")),
    ("brute_force", "BruteForce", ("small", "small")),
]


def candidate_operation(swept, ours, theirs, largest):
    """Ours must be as many as ipctk finds in double precision; its tree finds a few more."""
    return Operation(
        name=f"candidates, {'swept' if swept else 'static'}, {ours}",
        peer=lambda scene: peer_candidates(scene, swept, getattr(ipctk, theirs)()),
        ours=lambda scene: our_candidates(scene, swept, ours),
        shown=total,
        agree=lambda scene, peer, own: own == exact_count(scene, swept) and own <= peer,
        largest=largest,
    )


def intersection_check():
    return Operation(
        name="intersection check",
        peer=lambda scene: ipctk.has_intersections(scene.mesh, scene.peer_x),
        ours=lambda scene: stiction.has_crossings(scene.surface, scene.x),
        shown=bool,
        agree=lambda scene, peer, own: peer == own,
    )


# Ours and ipctk's.
NARROW = [("additive", "AdditiveCCD"), ("tight_inclusion", "TightInclusionCCD")]


def motion(scene, pushed):
    """The displacements for us, both ends for ipctk."""
    return (scene.push, scene.peer_pushed) if pushed else (scene.nudge, scene.peer_nudged)


def step_operation(pushed, ours, theirs):
    """The steps differ by what each keeps of distances; whether the whole motion is safe must agree."""

    def peer(scene):
        method = getattr(ipctk, theirs)()
        return ipctk.compute_collision_free_stepsize(
            scene.mesh, scene.peer_x, motion(scene, pushed)[1], narrow_phase_ccd=method
        )

    return Operation(
        name=f"step, {'pushed' if pushed else 'nudged'}, {ours}",
        peer=peer,
        ours=lambda scene: stiction.largest_step(scene.surface, scene.x, motion(scene, pushed)[0], method=ours),
        shown=lambda step: round(step, 4),
        agree=lambda scene, peer, own: (peer < 1) == (own < 1),
    )


def free_operation(pushed, ours, theirs):
    def peer(scene):
        method = getattr(ipctk, theirs)()
        return ipctk.is_step_collision_free(
            scene.mesh, scene.peer_x, motion(scene, pushed)[1], narrow_phase_ccd=method
        )

    return Operation(
        name=f"free, {'pushed' if pushed else 'nudged'}, {ours}",
        peer=peer,
        ours=lambda scene: stiction.is_free(scene.surface, scene.x, motion(scene, pushed)[0], method=ours),
        shown=bool,
        agree=lambda scene, peer, own: peer == own,
    )


OPERATIONS = [candidate_operation(swept, *method) for method in METHODS for swept in (False, True)]
OPERATIONS += [intersection_check()]
for make in (step_operation, free_operation):
    OPERATIONS += [make(pushed, *method) for pushed in (False, True) for method in NARROW]


if __name__ == "__main__":
    sys.exit(run(__doc__, OPERATIONS, Scene))
