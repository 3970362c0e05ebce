"""Loads the sample film in Blender and compares every vertex in every frame. Optional: needs `pip install bpy`, some 800 MB.

    cargo run -p stiction-view --example sample-film -- FOLDER
    python check_blender.py FOLDER
"""

import json
import sys
from pathlib import Path

import bpy

# Metres, for things of some metres: single precision in the file, and in Blender.
PRECISION = 5e-6
# Frames a second of the sample.
RATE = 30


def difference(thing, points, hidden):
    """The largest difference of a coordinate between what Blender shows and the film."""
    shown = bpy.data.objects[thing["name"]].evaluated_get(bpy.context.evaluated_depsgraph_get())
    found = [shown.matrix_world @ vertex.co for vertex in shown.data.vertices]
    expected = [points[vertex] for vertex in range(*thing["vertices"]) if vertex not in hidden]
    assert len(found) == len(expected), thing["name"]
    return max(abs(a - b) for one, other in zip(found, expected) for a, b in zip(one, other))


def check(folder):
    said = json.loads((folder / "sample.json").read_text())
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = RATE
    bpy.ops.import_scene.gltf(filepath=str(folder / "sample.glb"))
    worst = 0.0
    for index, frame in enumerate(said["frames"]):
        bpy.context.scene.frame_set(index)
        worst = max(worst, *(difference(thing, frame["points"], said["hidden"]) for thing in said["things"]))
    assert worst < PRECISION, worst
    print(f"Blender {bpy.app.version_string}: vertices are within {worst:.1e} m in {len(said['frames'])} frames")


if __name__ == "__main__":
    check(Path(sys.argv[1]))
