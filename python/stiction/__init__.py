"""Contact that nothing passes through, and friction that obeys Coulomb.

Positions go in, as arrays of shape (n, D) with D = 2 or 3; energies, gradients, Hessians and step bounds come out.

>>> import numpy as np, stiction
>>> x = np.array([[0, 0], [1, 0], [0.5, 0.05], [0.5, 1]])  # a vertex 0.05 m above a segment
>>> surface = stiction.Surface(x, edges=[[0, 1], [2, 3]])
>>> contacts = stiction.Contacts(surface, x, dhat=0.1)
>>> contacts.counts["ve"]
1
>>> bool(contacts.barrier_gradient(x, kappa=1e6)[2, 1] < 0)  # the energy falls as the vertex rises
True
"""

from ._contacts import Contacts
from ._stiction import (
    Surface,
    candidates,
    closest_distance_squared,
    crossings,
    describe_crossings,
    distance_squared,
    distance_squared_gradient,
    distance_squared_hessian,
    has_crossings,
    is_free,
    largest_step,
    num_threads,
    set_num_threads,
    version,
)

__version__ = version

__all__ = [
    "Contacts",
    "Surface",
    "candidates",
    "closest_distance_squared",
    "crossings",
    "describe_crossings",
    "distance_squared",
    "distance_squared_gradient",
    "distance_squared_hessian",
    "has_crossings",
    "is_free",
    "largest_step",
    "num_threads",
    "set_num_threads",
    "version",
]
