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
    smallest_gap: float
    """The smallest distance of a contact beyond dmin, in m; infinite without contacts."""
    relative_gap: float
    """The same divided by d̂."""
    kappa: float | None
    """Barrier stiffness; none before the first contact."""
    normal_force: float
    """Sum of the normal forces of all contacts, in N."""
    friction_force: float
    """Largest friction force on a node, in N."""
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
