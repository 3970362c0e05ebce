"""The interface of IPC Toolkit's Python package `ipctk` 1.6, computed by stiction.

For programs written for `ipctk`: `import stiction.ipctk as ipctk`, or `stiction.use_as_ipctk()` before they are imported.
Names, argument names, shapes and orders are those of `ipctk`; distances are squared wherever they are there. In this module alone:
the rest of stiction speaks of distances in m.
"""

# Functions and barriers.

# Meshes, filters, candidates, continuous collision detection, trust regions.

# Collisions and potentials.

__version__ = "1.6.1"
