"""Simulated data whose truth is known, so that an importance can be right or wrong.

Every world is drawn by one function, seeded by `rng`, and carries its truth: which features are
associated with the target, relevant given the others, read by the ideal predictor, causal, and,
where a formula exists, how important. `WORLDS` lists them all. Arguments out of range are refused
by a ValueError that says what was expected.
"""

from fi_teach.worlds.causes import (
    collider,
    collider_model,
    confounder,
    confounder_model,
    mediator,
    mediator_model,
    shift,
)
from fi_teach.worlds.correlation import correlated_proxy, twins
from fi_teach.worlds.gates import and_gate, bit_cells, or_gate, xor_gate
from fi_teach.worlds.noise import cardinality, null
from fi_teach.worlds.practice import fairness, leak, pipeline_faults
from fi_teach.worlds.targets import friedman
from fi_teach.worlds.world import World

WORLDS = {
    draw.__name__: draw
    for draw in (
        null, cardinality, twins, correlated_proxy, and_gate, or_gate, xor_gate, confounder,
        mediator, collider, shift, leak, pipeline_faults, fairness, friedman,
    )
}
"""Every world by its name: WORLDS["twins"](n, rng=1)."""

__all__ = [
    "WORLDS", "World", "bit_cells", "collider_model", "confounder_model", "mediator_model", *WORLDS,
]
