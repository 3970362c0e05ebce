"""Runs a generated scene with libuipc (written for pyuipc 0.0.29) on a GPU; a process of its own, as it never gives the GPU back.

    uipc_run.py NAME RESULT.json --steps N --limit SECONDS --tolerance SPEED

A step is world.advance() and world.retrieve(). Its early end of Newton's method (`semi_implicit`) is off: it ends after a few
iterations whatever the residual.
"""

import argparse
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import catalogue
import numpy as np
from scene import Body, Scene
from uipc import Logger, Timer, builtin, view
from uipc.constitution import (
    AffineBodyConstitution,
    DiscreteShellBending,
    ElasticModuli,
    ElasticModuli2D,
    NeoHookeanShell,
    StableNeoHookean,
)
from uipc.core import Engine, World
from uipc.core import Scene as UipcScene
from uipc.geometry import flip_inward_triangles, ground, label_surface, label_triangle_orient, tetmesh, trimesh

RESISTANCE = 1e9  # of contacts, in Pa
RADIUS = 1e-6  # by which libuipc keeps sheets apart, in m; stiction keeps none


def config(scene: Scene, tolerance: float) -> dict[str, Any]:
    """libuipc's configuration with the numbers of the scene."""
    out: dict[str, Any] = UipcScene.default_config()
    out["dt"] = scene.step
    out["gravity"] = [[x] for x in scene.settings["gravity"]]
    out["contact"]["d_hat"] = scene.settings["contact"]["dhat"]
    out["contact"]["eps_velocity"] = scene.settings["friction"]["eps_v"]
    out["newton"]["velocity_tol"] = tolerance
    out["newton"]["semi_implicit"]["enable"] = 0
    out["sanity_check"]["enable"] = 0
    return out


def sheet(body: Body) -> Any:
    """A sheet of triangles with bending.

    libuipc's thickness is a radius that keeps sheets apart; mass and energy are proportional to thickness times density or
    modulus. A thinner sheet of a denser and stiffer matter is the same sheet, with contact at its middle as in stiction.
    """
    mesh = trimesh(np.array(body.points), np.array(body.cells, np.int32))
    label_surface(mesh)
    material, thickness = body.settings["material"], body.settings["thickness"]
    young, poisson = material["young"], material["poisson"]
    factor = thickness / (2 * RADIUS)
    moduli = ElasticModuli2D.youngs_poisson(young * factor, poisson)
    NeoHookeanShell().apply_to(mesh, moduli=moduli, mass_density=material["density"] * factor, thickness=RADIUS)
    # libuipc: κ (θ − θ₀)² L/h with h = A/(3L); stiction: ½ B (θ − θ₀)² L²/A.
    bending = young * thickness**3 / (12 * (1 - poisson**2))
    DiscreteShellBending().apply_to(mesh, bending_stiffness=bending / 6)
    return mesh


def solid(body: Body) -> Any:
    mesh = tetmesh(np.array(body.points), np.array(body.cells, np.int32))
    label_surface(mesh)
    label_triangle_orient(mesh)
    mesh = flip_inward_triangles(mesh)
    if body.kind == "static":
        AffineBodyConstitution().apply_to(mesh, 1e8)
        view(mesh.instances().find(builtin.is_fixed))[:] = 1
        return mesh
    material = body.settings["material"]
    moduli = ElasticModuli.youngs_poisson(material["young"], material["poisson"])
    StableNeoHookean().apply_to(mesh, moduli, mass_density=material["density"])
    return mesh


def build(scene: Scene, tolerance: float) -> UipcScene:
    out = UipcScene(config(scene, tolerance))
    out.contact_tabular().default_model(scene.settings["friction"]["mu"], RESISTANCE)
    element = out.contact_tabular().default_element()
    for body in scene.bodies:
        mesh = sheet(body) if body.kind == "sheet" else solid(body)
        element.apply_to(mesh)
        if "velocity" in body.settings:
            view(mesh.vertices().find(builtin.velocity))[:] = np.array(body.settings["velocity"]).reshape(3, 1)
        out.objects().create(body.name).geometries().create(mesh)
    for _ in scene.settings.get("planes", []):
        out.objects().create("ground").geometries().create(ground(0.0))
    return out


def advance(world: World, engine: Engine, steps: int, limit: float) -> tuple[list[float], list[int]]:
    """Wall time and Newton iterations of each step; no new one begins after the limit."""
    times: list[float] = []
    iterations: list[int] = []
    while len(times) < steps and sum(times) < limit:
        begin = time.perf_counter()
        world.advance()
        world.retrieve()
        times.append(time.perf_counter() - begin)
        iterations.append(int((engine.frame_stats() or {}).get("newton_iterations", 0)))
        if not world.is_valid() or engine.status().has_error():
            raise RuntimeError(f"step {len(times)}: {json.dumps(engine.status().to_json())[:400]}")
    return times, iterations


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name")
    parser.add_argument("result", type=Path)
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--limit", type=float, required=True)
    parser.add_argument("--tolerance", type=float, required=True)
    args = parser.parse_args()
    Logger.set_level(Logger.Level.Warn)
    Timer.disable_all()
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="uipc-") as folder:
        engine = Engine("cuda", folder)
        world = World(engine)
        world.init(build(catalogue.load(args.name, None), args.tolerance))
        if not world.is_valid():
            raise RuntimeError("the world is not valid after init()")
        start = time.perf_counter() - begin
        times, iterations = advance(world, engine, args.steps, args.limit)
        result = {"start_seconds": start, "step_wall": times, "step_iterations": iterations}
        args.result.write_text(json.dumps(result))


if __name__ == "__main__":
    main()
    # Taking the engine down may hang.
    os._exit(0)
