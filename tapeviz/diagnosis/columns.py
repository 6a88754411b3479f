"""Graph -> the columns of a table: the gradient calls that were made, or could be, with a Cell for each source."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Literal, TypeAlias

from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.numbers.run_numbers import norm_of
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.recorded_calls import bad_gradients, bad_numbers, gradient_calls
from tapeviz.diagnosis.why import without_gradient
from tapeviz.events import BackwardStarted, OpRecorded, Watched
from tapeviz.graph import Graph
from tapeviz.phrases import counted, unquoted

CellState: TypeAlias = Literal["arrives", "zero", "nan", "none", "reaches", "apart"]
"""arrives: a sound gradient; zero, nan, none: what came instead; reaches, apart: nobody asked, and one would arrive or
would not."""


MOST_RESULTS = 8
"""Columns of one tape, of which no gradient was asked yet."""


@dataclass(frozen=True)
class Cell:
    """One source against one target: what arrived, its norm where that is known, and the finding where it is amiss.

    `tensor` is the id in the log of the source, `gradient` that of what arrived, which `is_jacobian` where it came row
    by row. Of a distributed one, `placement` says how processes hold it, and the norm is that of this one's part.
    """

    target: str
    source: str
    tensor: int
    state: CellState
    norm: float | None
    finding: Finding | None
    gradient: int | None = None
    is_jacobian: bool = False
    placement: str | None = None

    @property
    def arrived(self) -> str:
        """What arrived, as it is read: a norm, or what there is in its place; nothing where nobody asked."""
        if self.state == "arrives":
            known = f"{self.norm:.4g}" if self.norm is not None else "Jacobian" if self.is_jacobian else "arrives"
            return f"{known} {self.placement}" if self.placement else known
        if self.state == "nan":  # or infinite, and then its norm is
            return "inf" if self.norm == inf else "NaN"
        return {"zero": "0", "none": "None"}.get(self.state, "")


@dataclass(frozen=True)
class TableColumn:
    """A gradient call, made or possible, and its sources.

    It is that of number `turn` of the `times` that its line made the call.
    """

    call: GradientCall
    sources: Sequence[int]
    turn: int = 1
    times: int = 1

    def note(self, target: str) -> str:
        """Which of several calls it is."""
        which = "the last" if self.turn == self.times else f"number {self.turn:,}, the first with something wrong,"
        return f"{target}: of {counted(self.times, 'call')} at its line, {which} is shown"

    def cell(self, source: int) -> Cell:
        question = Question(self.call, source)
        target = " + ".join(unquoted(question.name(each)) for each in self.call.targets)
        state, norm, finding = self._answer(question)
        gradient = self.call.gradients.get(source)
        is_jacobian = gradient is not None and self.call.run.rows is not None
        placement = None if gradient is None else self.call.log.tensors[gradient].placement
        name = unquoted(question.source_name)
        return Cell(target, name, source, state, norm, finding, gradient, is_jacobian, placement)

    def _answer(self, question: Question) -> tuple[CellState, float | None, Finding | None]:
        source, call = question.source, self.call
        if source not in call.gradients:
            if source in call.reached:
                return "reaches", None, None
            return ("apart", None, None) if call.is_made else ("none", None, without_gradient(question))
        gradient = call.gradients[source]
        if gradient is None:
            return "none", None, without_gradient(question)
        kind = call.numbers.badness(gradient)
        finding = None if kind is None or call.is_moot(kind) else bad_numbers(call, source)
        return kind or "arrives", norm_of(call.log, gradient), finding


def asked_columns(graph: Graph) -> list[TableColumn]:
    """One column per line and target: the first call there in which something is amiss, else the last."""
    calls = list(gradient_calls(graph))
    amiss = {id(each.call) for each in bad_gradients(calls)}
    chosen: dict[Hashable, tuple[GradientCall, int]] = {}
    times: Counter[Hashable] = Counter()
    for each in calls:
        key = each.key()
        times[key] += 1
        if key not in chosen or id(chosen[key][0]) not in amiss:
            chosen[key] = each, times[key]
    return [TableColumn(call, tuple(call.gradients), turn, times[key]) for key, (call, turn) in chosen.items()]


def unasked_columns(graph: Graph) -> tuple[list[TableColumn], int]:
    """The last results of each tape, by all that the tape was to follow, and how many results there are.

    A long program leaves thousands of results that nothing uses; the last few of each tape stand for them.
    """
    if graph.log.of_kind(BackwardStarted):
        return [], 0
    watched: dict[int, dict[int, None]] = {}
    for event in graph.log.of_kind(Watched).values():
        watched.setdefault(event.tape, {})[event.tensor] = None
    ends: defaultdict[int, list[int]] = defaultdict(list)
    for op in graph.ops.values():
        last = [output for output in op.outputs if not graph.links_from(output)] if isinstance(op, OpRecorded) else []
        for tape, decision in op.tapes:
            if decision == "recorded":
                ends[tape] += last
    columns = [
        TableColumn(GradientCall(graph, tape, (end,), None), tuple(sources))
        for tape, sources in watched.items()
        for end in ends.get(tape, ())[-MOST_RESULTS:]
    ]
    return columns, sum(len(ends.get(tape, ())) for tape in watched)
