"""What an assembly did: one record, ready for a table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ContactReport:
    """The state of contact and friction at one configuration. `dataclasses.asdict` makes a row of a table of it."""

    contacts: int
    """How many pairs are in contact."""
    counts: dict[str, int]
    """How many of each kind."""
    smallest_clearance: float
    """The smallest distance of a contact less dmin, in m; infinite without contacts."""
    relative_clearance: float
    """The same divided by d̂."""
    kappa: float | None
    """Barrier stiffness; none before the first contact."""
    total_normal_force: float
    """Sum of the magnitudes of the normal forces of all contacts, in N."""
    total_friction_force: float
    """Sum of the magnitudes of the friction forces of all contacts, in N; divided by `total_normal_force`, the mean friction coefficient in
    use. Friction is lagged: its normal forces are those at which it was frozen, so right after contact begins the ratio may be off."""
    largest_normal_force: float
    """Largest normal force of a contact, in N."""
    largest_friction_force: float
    """Largest friction force of a contact, in N."""
    sticking: int
    """Slides slower than eps_v."""
    slipping: int
    """The others."""
    fastest_slip: float
    """Speed of the fastest slide, in m/s; in m per increment without a time step."""
    held: tuple[int, ...]
    """Nodes that the last `filter_step` held back."""
    min_extra_iterations: int
    """How many more iterations an increment takes after its criterion is met."""
