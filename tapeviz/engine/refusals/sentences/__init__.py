"""An op that failed in NumPy -> TensorFlow's sentence about it: a function of the values for each kind of mistake.

Each family of mistakes has a table of the ops that it can happen to. Nothing here runs unless an op has failed. If no
function knows why, NumPy's sentence is used. Some sentences are for code that finds a mistake itself.
"""

from __future__ import annotations

from typing import Any

from tapeviz.engine.refusals.sentences import axes, building, indices, matrices, shapes
from tapeviz.engine.refusals.sentences.building import (
    below_a_matrix,
    unlike_lengths,
    unlike_parts,
    unlike_shapes,
    unlike_sides,
)
from tapeviz.engine.refusals.sentences.indices import (
    outside,
    unindexed,
    unscattered,
    unscattered_in_place,
    unscattered_rows,
)
from tapeviz.engine.refusals.sentences.matrices import not_square
from tapeviz.engine.refusals.sentences.seeds import unfit_seed, unstretched_seed
from tapeviz.engine.refusals.sentences.shapes import unbroadcastable, unequal, unequal_update
from tapeviz.engine.refusals.sentences.terms import Sentence, Values, listed

__all__ = [
    "below_a_matrix",
    "listed",
    "not_square",
    "outside",
    "sentence",
    "unbroadcastable",
    "unequal",
    "unequal_update",
    "unfit_seed",
    "unindexed",
    "unlike_lengths",
    "unlike_parts",
    "unlike_shapes",
    "unlike_sides",
    "unscattered",
    "unscattered_in_place",
    "unscattered_rows",
    "unstretched_seed",
    "while_building",
]

SENTENCES: dict[str, Sentence] = {**axes.SENTENCES, **shapes.SENTENCES, **indices.SENTENCES, **matrices.SENTENCES}
WHILE_BUILDING: dict[str, Sentence] = {**axes.WHILE_BUILDING, **building.SENTENCES}


def sentence(op: str, values: Values, attributes: dict[str, Any]) -> str | None:
    """TensorFlow's sentence about an op that failed on these values, or None."""
    return SENTENCES[op](values, **attributes) if op in SENTENCES else None


def while_building(op: str, values: Values, attributes: dict[str, Any]) -> str | None:
    """Its sentence while it builds a graph, where only shapes are known, or None if it is the same."""
    return WHILE_BUILDING[op](values, **attributes) if op in WHILE_BUILDING else None
