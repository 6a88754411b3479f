"""Graph -> Findings about gradients that still carry the factor of a scaled loss where they are clipped.

PyTorch's `GradScaler` multiplies the loss, so that gradients of few bits do not vanish, and divides them again before
the step, unless `unscale_` did so earlier. A clip that comes between compares its limit with numbers that are too
large by that factor, and the division then makes what is left too small by it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

import numpy as np

from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.op_kinds import CLIPS
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import EventLog, GradientStored, OpRecorded, OpSkipped
from tapeviz.events.summary import elements_of
from tapeviz.graph import Graph
from tapeviz.phrases import counted
from tapeviz.source.places import same_line, site_at

UNSCALES = "_amp_foreach_non_finite_check_and_unscale"
"""The op by which PyTorch, and nothing else, divides gradients by the factor of the loss: its kernel's name."""

CLAMPS = "_foreach_clamp_"
"""How PyTorch's kernels begin that keep the numbers of many tensors within limits."""


def clipped_before_unscaled(graph: Graph) -> Iterator[Finding]:
    """The lines that clip gradients which a scaler divides only after that, each once.

    A factor that is computed from the gradients, as one by their norm is, is a clip, too; a plain number is none.
    """
    owner: dict[int, int] = {}  # a gradient, also after ops in place, and the tensor that it is of
    clipped: dict[int, int] = {}  # such a gradient, and the op that clipped it first
    measures: set[int] = set()  # what was computed from gradients
    told: list[int] = []
    for position, event in enumerate(graph.log.events):
        match event:
            case GradientStored(tensor=tensor, gradient=gradient):
                owner[gradient] = tensor
            case OpSkipped(op=op, inputs=inputs) | OpRecorded(op=op, inputs=inputs) if not owner.keys().isdisjoint(
                inputs
            ) or not measures.isdisjoint(inputs):
                if op == UNSCALES:
                    at = next((clipped[each] for each in inputs if each in clipped), None)
                    site = None if at is None else site_at(graph.log, at)
                    if at is not None and not any(same_line(site, site_at(graph.log, each)) for each in told):
                        told.append(at)
                        yield _finding(graph, at, position, [owner[each] for each in inputs if each in clipped])
                    continue
                is_clip = op in CLIPS or op.startswith(CLAMPS) or not measures.isdisjoint(inputs)
                for before, after in zip_longest(inputs, event.outputs):
                    if after is None:
                        break
                    if before not in owner or not dict(event.attrs).get("in_place"):
                        measures.add(after)
                        continue
                    owner[after] = owner[before]
                    if before in clipped or (is_clip and _differ(graph.log, before, after)):
                        clipped[after] = clipped.get(before, position)


def _differ(log: EventLog, before: int, after: int) -> bool:
    """Whether a clip did anything, as far as is known."""
    one, other = elements_of(log.value(before)), elements_of(log.value(after))
    return one is None or other is None or not np.array_equal(one, other)


def _finding(graph: Graph, clip: int, unscaled: int, tensors: list[int]) -> Finding:
    line, later = site_at(graph.log, clip), site_at(graph.log, unscaled)
    what = name_of(graph, tensors[0])
    others = f" and {counted(len(tensors) - 1, 'other')}" if len(tensors) > 1 else ""
    return Finding.at(
        graph.log,
        "scaled_gradient_used",
        line,
        f"The gradients of {what}{others} are clipped at {words(line)} while they still carry the factor of the scaled "
        f"loss, which is divided out only at {words(later)}: they end that much below the limit.",
        None,
        clip,
        unscaled,
        symptom="wrong",
        source=tensors[0],
    )


RULES = (clipped_before_unscaled,)
