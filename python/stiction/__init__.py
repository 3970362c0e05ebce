"""Contact that nothing passes through, and friction that obeys Coulomb.

Positions go in, as arrays of shape (n, D) with D = 2 or 3; energies, gradients, Hessians and step bounds come out.

>>> import numpy as np, stiction
>>> x = np.array([[0, 0], [1, 0], [0.5, 0.05], [0.5, 1]])  # a vertex 0.05 m above a segment
>>> surface = stiction.Surface(x, edges=[[0, 1], [2, 3]])
>>> contacts = stiction.Contacts(surface, x, dhat=0.1)
>>> contacts.counts["ve"]
1
>>> barrier = stiction.BarrierPotential(dhat=0.1, kappa=1e6)
>>> bool(barrier.gradient(contacts, x)[2, 1] < 0)  # the energy falls as the vertex rises
True
"""

from ._drop_in import use_as_ipctk
from ._stiction import (
    BarrierPotential,
    Contacts,
    Filter,
    FrictionLaw,
    FrictionPotential,
    Slides,
    Surface,
    TrustRegion,
    VertexFilter,
    barrier_derivatives,
    barrier_value,
    candidates,
    closest_distance_squared,
    closest_features,
    closest_point,
    closest_point_jacobian,
    contact_distances,
    crossings,
    describe_crossings,
    distance,
    distance_gradient,
    distance_hessian,
    distance_squared,
    distance_squared_gradient,
    distance_squared_hessian,
    edge_edge_mollifier,
    edge_edge_mollifier_gradient,
    edge_edge_mollifier_hessian,
    edge_edge_mollifier_mixed_hessian,
    edge_edge_mollifier_rest_gradient,
    edge_edge_threshold,
    has_crossings,
    initial_stiffness,
    is_free,
    largest_step,
    num_threads,
    pair_normal,
    pair_normal_jacobian,
    relative_weights,
    relative_weights_jacobian,
    set_num_threads,
    signed_distance,
    signed_distance_gradient,
    signed_distance_hessian,
    signed_normal,
    signed_normal_jacobian,
    slip_speeds,
    tangent_basis,
    tangent_basis_jacobian,
    updated_stiffness,
    version,
)

from ._contact_report import ContactReport
from ._ipc_contact import IPCContact, IPCSelfContact

__version__ = version

__all__ = [
    "BarrierPotential",
    "ContactReport",
    "Contacts",
    "Filter",
    "FrictionLaw",
    "FrictionPotential",
    "IPCContact",
    "IPCSelfContact",
    "Slides",
    "Surface",
    "TrustRegion",
    "VertexFilter",
    "barrier_derivatives",
    "barrier_value",
    "candidates",
    "closest_distance_squared",
    "closest_features",
    "closest_point",
    "closest_point_jacobian",
    "contact_distances",
    "crossings",
    "describe_crossings",
    "distance",
    "distance_gradient",
    "distance_hessian",
    "distance_squared",
    "distance_squared_gradient",
    "distance_squared_hessian",
    "edge_edge_mollifier",
    "edge_edge_mollifier_gradient",
    "edge_edge_mollifier_hessian",
    "edge_edge_mollifier_mixed_hessian",
    "edge_edge_mollifier_rest_gradient",
    "edge_edge_threshold",
    "has_crossings",
    "initial_stiffness",
    "is_free",
    "largest_step",
    "num_threads",
    "pair_normal",
    "pair_normal_jacobian",
    "relative_weights",
    "relative_weights_jacobian",
    "set_num_threads",
    "signed_distance",
    "signed_distance_gradient",
    "signed_distance_hessian",
    "signed_normal",
    "signed_normal_jacobian",
    "slip_speeds",
    "tangent_basis",
    "tangent_basis_jacobian",
    "updated_stiffness",
    "use_as_ipctk",
    "version",
]
