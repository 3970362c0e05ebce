"""Steps of exactly parallel and coplanar bodies, beside ipctk: what stalls, and who.

    python bench/plates.py [--limit 10]

Each method of ipctk runs in a process of its own that is stopped after `--limit` seconds: its tight inclusion divides whole faces
that touch at once. Times are wall times in ms.
"""

import argparse
import multiprocessing
import time

import ipctk
import numpy as np

import stiction


def plate(n, offset):
    """A square of side 1 m with n × n vertices."""
    i, j = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    x = np.stack([i, j, np.zeros_like(i)], axis=-1).reshape(-1, 3) / (n - 1) + offset
    v = (i * n + j)[1:, 1:].ravel()
    faces = np.concatenate([np.stack([v, v - 1, v - n], 1), np.stack([v - n - 1, v - n, v - 1], 1)])
    return x, faces


def cube(offset):
    """A unit cube: a corner for each of three bits."""
    corners = np.array([[k & 1, k >> 1 & 1, k >> 2 & 1] for k in range(8)], float) + offset
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    faces = np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])
    return corners, faces


def case(lower, upper, motion):
    """Two bodies of which the second moves: positions, edges, faces, displacements."""
    x = np.concatenate([lower[0], upper[0]])
    faces = np.concatenate([lower[1], upper[1] + len(lower[0])])
    p = np.zeros_like(x)
    p[len(lower[0]) :] = motion
    return x, ipctk.edges(faces), faces, p


def turned(lower, upper, angle):
    """Two bodies that turn together about the y axis."""
    x, edges, faces, _ = case(lower, upper, [0, 0, 0])
    sin, cos = np.sin(angle), np.cos(angle)
    return x, edges, faces, x @ np.array([[cos, 0, -sin], [0, 1, 0], [sin, 0, cos]]) - x


CASES = {
    "plates 7x7 and 5x5, head-on": case(plate(7, [0, 0, 0]), plate(5, [0.1, 0.05, 0.01]), [0, 0, -0.02]),
    "plates 7x7 and 7x7, head-on": case(plate(7, [0, 0, 0]), plate(7, [0, 0, 0.01]), [0, 0, -0.02]),
    "plates sliding above each other": case(plate(7, [0, 0, 0]), plate(5, [0.1, 0.05, 0.01]), [0.3, 0.1, 0]),
    "plates sliding and approaching": case(plate(7, [0, 0, 0]), plate(5, [0.1, 0.05, 0.01]), [0.3, 0.1, -0.02]),
    "plates towards each other in one plane": case(plate(7, [0, 0, 0]), plate(5, [1.1, 0.1, 0]), [-0.2, 0, 0]),
    "plates turning together, gap 1e-5": turned(plate(7, [0, 0, 0]), plate(7, [0, 0, 1e-5]), 0.5),
    "plates turning together, gap 1e-7": turned(plate(7, [0, 0, 0]), plate(7, [0, 0, 1e-7]), 0.5),
    "cubes face to face": case(cube([0, 0, 0]), cube([0, 0, 1.01]), [0, 0, -0.02]),
    "cubes sliding face on face": case(cube([0, 0, 0]), cube([0, 0, 1.01]), [0.4, 0.3, 0]),
}
METHODS = {"additive": "AdditiveCCD", "tight_inclusion": "TightInclusionCCD"}


def peer(answer, name, method, min_distance):
    ipctk.set_logger_level(ipctk.LoggerLevel.error)  # It warns of every pair that is too close.
    x, edges, faces, p = CASES[name]
    fortran = np.asfortranarray
    mesh = ipctk.CollisionMesh(fortran(x), fortran(edges), fortran(faces))
    start = time.perf_counter()
    step = ipctk.compute_collision_free_stepsize(
        mesh, fortran(x), fortran(x + p), min_distance, narrow_phase_ccd=getattr(ipctk, METHODS[method])()
    )
    answer.put((step, time.perf_counter() - start))


def peer_with_limit(limit, *arguments):
    """What ipctk answers and how long it takes, in ms; without answer, the limit."""
    answer = multiprocessing.Queue()
    process = multiprocessing.Process(target=peer, args=(answer, *arguments))
    process.start()
    process.join(limit)
    if process.is_alive():
        process.kill()
        process.join()
        return f"more than {limit * 1e3:.0f}"
    if process.exitcode != 0:
        return f"failed ({process.exitcode})"
    step, seconds = answer.get()
    return f"{seconds * 1e3:.2f} ({step:.4f})"


def ours(name, method, min_distance):
    x, edges, faces, p = CASES[name]
    surface = stiction.Surface(x, edges, faces)
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        step = stiction.largest_step(surface, x, p, method=method, min_distance=min_distance)
        seconds.append(time.perf_counter() - start)
    return f"{max(seconds) * 1e3:.2f} ({step:.4f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=float, default=10.0, help="seconds that ipctk gets for a step")
    limit = parser.parse_args().limit
    print(f"{'case':40s} {'method':16s} {'min distance':>12s} | {'ours, slowest of 5':>20s} | {'ipctk':>20s}   ms (step)")
    for name in CASES:
        for method in METHODS:
            for min_distance in (0.0, 1e-3):
                own = ours(name, method, min_distance)
                theirs = peer_with_limit(limit, name, method, min_distance)
                print(f"{name:40s} {method:16s} {min_distance:12g} | {own:>20s} | {theirs:>20s}", flush=True)


if __name__ == "__main__":
    main()
