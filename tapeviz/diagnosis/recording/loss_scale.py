"""Graph -> Findings about gradients that still carry the factor of a scaled loss where they are clipped.

PyTorch's `GradScaler` multiplies the loss, so that gradients of few bits do not vanish, and divides them again before
the step, unless `unscale_` did so earlier. A clip that comes between compares its limit with numbers that are too
large by that factor, and the division then makes what is left too small by it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

import numpy as np

from tapeviz.diagnosis.dialects import dialect_of
from tapeviz.diagnosis.edits import calls
from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.op_kinds import CLIPS
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import EventLog, GradientStored, OpRecorded, OpSkipped, Site
from tapeviz.events.raw import IN_PLACE, UNSCALES
from tapeviz.events.summary import elements_of, summary_of
from tapeviz.graph import Graph
from tapeviz.phrases import counted
from tapeviz.source.edits import Edit
from tapeviz.source.places import site_at

CLAMPS = "_foreach_clamp_"
"""How PyTorch's kernels begin that keep the numbers of many tensors within limits."""


class _Gradients:
    """The gradients of a recording, as ops change them in place.

    `owner` is the tensor that each is of, `clipped` the op that clipped it first, and `measures` what was computed from
    any: a factor that is, as one by their norm, makes a clip; a plain number does not.
    """

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self.owner: dict[int, int] = {}
        self.clipped: dict[int, int] = {}
        self._measures: set[int] = set()

    def follow(self, position: int, event: OpSkipped | OpRecorded) -> None:
        """What an op makes of those that it reads."""
        if self.owner.keys().isdisjoint(event.inputs) and self._measures.isdisjoint(event.inputs):
            return
        changes = IN_PLACE in event.attrs
        limits = event.op in CLIPS or event.op.startswith(CLAMPS) or not self._measures.isdisjoint(event.inputs)
        for before, after in zip_longest(event.inputs, event.outputs):
            if after is None:
                break
            if not changes or before not in self.owner:
                self._measures.add(after)
                continue
            self.owner[after] = self.owner[before]
            if before in self.clipped or (limits and _differ(self._log, before, after)):
                self.clipped[after] = self.clipped.get(before, position)


def clipped_before_unscaled(graph: Graph) -> Iterator[Finding]:
    """The lines that clip gradients which a scaler divides only after that, each once."""
    gradients, told = _Gradients(graph.log), set[Site | None]()
    for position, event in enumerate(graph.log.events):
        match event:
            case GradientStored(tensor=tensor, gradient=gradient):
                gradients.owner[gradient] = tensor
            case OpSkipped(op=op, inputs=inputs) | OpRecorded(op=op, inputs=inputs) if op == UNSCALES:
                clipped = [each for each in inputs if each in gradients.clipped]
                clip = gradients.clipped[clipped[0]] if clipped else None
                site = None if clip is None else site_at(graph.log, clip)
                if clip is not None and site not in told:
                    told.add(site)
                    yield _finding(graph, clip, position, [gradients.owner[each] for each in clipped])
            case OpSkipped() | OpRecorded():
                gradients.follow(position, event)


def _differ(log: EventLog, before: int, after: int) -> bool:
    """Whether a clip did anything, as far as is known."""
    was, is_now = log.value(before), log.value(after)
    if was is None or is_now is None:
        return True
    one, other = elements_of(was), elements_of(is_now)
    return summary_of(was) != summary_of(is_now) if one is None or other is None else not np.array_equal(one, other)


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
        Fix(dialect_of(graph.log).cause("scaled_gradient_used").fix, _unscaled_first(graph, line, later)),
        clip,
        unscaled,
        symptom="wrong",
        source=tensors[0],
    )


def _unscaled_first(graph: Graph, clip: Site | None, step: Site | None) -> Edit | None:
    """The factor is divided out before the line that clips."""
    editor = Editor(graph.log)
    scaler, optimizer = calls.scaler_at(editor, step), calls.optimizer_at(editor, step)
    return None if scaler is None else calls.before(editor, clip, f"{scaler}.unscale_({optimizer})")


RULES = (clipped_before_unscaled,)
