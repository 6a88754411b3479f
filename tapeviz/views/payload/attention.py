"""Reading -> the weights of attentions that keep none, since one op does all of it, computed from query and key."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeviz.events.summary import elements_of
from tapeviz.graph import Op
from tapeviz.phrases import quoted
from tapeviz.views.payload.axes import ATTENTION
from tapeviz.views.payload.room import MOST_CELLS
from tapeviz.views.reading import Reading
from tapeviz.views.words.cells import Axes, cells
from tapeviz.views.words.numbers import shape_text

FUSED = "attention"
MOST_COMPUTED = 1 << 20
"""Weights of one op; more are not computed."""
MOST_SHOWN = 12_000
"""Elements in the pictures of all weights together."""


def attention_cards(reading: Reading) -> dict[str, Any]:
    """A card for every op that attends in one go, by its position: what is known of its weights, and their picture."""
    fused = [op for op in sorted(reading.sketch.box_of_op) if reading.graph.ops[op].op == FUSED]
    room = min(MOST_CELLS, MOST_SHOWN // max(1, len(fused)))
    return {str(position): _card(reading, reading.graph.ops[position], room) for position in fused}


def _card(reading: Reading, op: Op, room: int) -> dict[str, Any]:
    query, key = (quoted(reading.names.tensor(each)) for each in op.inputs[:2])
    shapes = [reading.log.tensors[each].shape for each in op.inputs[:2]]
    shape = (*shapes[0][:-1], shapes[1][-2])
    found = None
    if math.prod(shape) > MOST_COMPUTED:
        words = f"This op keeps none, and they are too many to compute here from {query} and {key}."
    elif (found := weights(reading, op)) is None:
        words = f"This op keeps none, and the numbers of {query} and {key} are not known."
    else:
        words = f"This op keeps none. They are computed here from {query} and {key}: {_formula(op, shapes[0][-1])}."
    others = ATTENTION[:-2] if len(shape) == 4 else ("",) * (len(shape) - 2)
    axes = Axes(len(shape) - 2, len(shape) - 1, (*others, *ATTENTION[-2:]))
    grid = None if found is None else cells(found, axes, room)
    return {"name": "the attention", "words": words, "shape": shape_text(shape), "grid": grid, "rewritten": False}


def weights(reading: Reading, op: Op) -> np.ndarray[Any, Any] | None:
    """What softmax gives, before dropout: `(..., heads, queries, keys)` in float64; None where a number is not kept."""
    given = [elements_of(reading.log.value(each)) for each in op.inputs]
    if any(each is None for each in given):
        return None
    query, key, _, *masks = [np.asarray(each) for each in given]
    attrs = dict(op.attrs)
    query, key = query.astype(np.float64), key.astype(np.float64)
    if query.ndim > 2 and key.shape[-3] not in (1, query.shape[-3]):
        if query.shape[-3] % key.shape[-3]:
            return None
        key = np.repeat(key, query.shape[-3] // key.shape[-3], axis=-3)  # of fewer heads each serves several queries'
    scores = query @ key.swapaxes(-1, -2) * (attrs.get("scale") or 1 / math.sqrt(query.shape[-1]))
    if attrs.get("is_causal"):
        scores = np.where(np.tri(*scores.shape[-2:]) > 0, scores, -np.inf)
    for mask in masks:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask.astype(np.float64)
    with np.errstate(invalid="ignore"):  # of a row in which all is masked
        raised = np.exp(scores - scores.max(axis=-1, keepdims=True))
        result: np.ndarray[Any, Any] = raised / raised.sum(axis=-1, keepdims=True)
    return result


def _formula(op: Op, width: int) -> str:
    attrs = dict(op.attrs)
    scale = attrs.get("scale")
    scores = f"q kᵀ / √{width}" if scale is None else f"{scale:.4g} q kᵀ"
    masked = ", causal" if attrs.get("is_causal") else ", masked" if len(op.inputs) > 3 else ""
    return f"softmax({scores}){masked}{', before dropout' if attrs.get('dropout_p') else ''}"
