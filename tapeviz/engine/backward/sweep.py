"""One backward pass: a tape's nodes and seeds -> cotangents; each VJP and each sum is logged.

The sweep is the same whether it runs on arrays or, while an outer tape records, on tensors: the rules are written in
ops that take both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import float32, ndarray

from tapeviz.engine.backward.slices import Slices, dense, pulled_by_row, total
from tapeviz.engine.recording import APART, NODE, Trace, current
from tapeviz.engine.specs.dtypes import DIFFERENTIABLE
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.values.convert import unboxed
from tapeviz.events.log import EventLog
from tapeviz.events.raw import PulledBack
from tapeviz.events.types import CotangentAccumulated, VjpApplied


class Sweep:
    """One backward pass over a tape, with the sum of what has arrived at each tensor so far.

    A `recorded` sweep works on tensors, one for `rows` on batches, whose values the log does not keep.
    """

    passed: tuple[list[Any], ...] = [], [], []
    """The nodes of the tape: plans, input ids, output ids."""
    _steps: list[Any] | None = None
    """The steps of the last `PulledBack` record, while more can be added to it."""

    def __init__(
        self, trace: Trace, log: EventLog, run: int, sources: tuple[int, ...], *, recorded: bool, rows: bool = False
    ) -> None:
        self._trace = trace
        self._log = log
        self._run = run
        self._asked_for = {*sources}  # whose cotangents stay when they have been passed on
        self._as_tensor = _lifting(current.get().traces) if recorded else None
        self._on_arrays = not (recorded or rows)
        self._keeps_values = log.keeps_values and not rows
        self._noted = recorded or self._keeps_values
        self._cotangents: dict[Any, Any] = {}
        self.arrived = self._cotangents.get  # of a tensor's id: an array, a `Tensor` in a recorded sweep, or None
        self._summed: set[Any] = set()

    def arrive(self, tensor: int, contribution: object) -> None:
        """Add a contribution to what has arrived at a tensor."""
        before = self.arrived(tensor)
        if before is None:
            self._cotangents[tensor] = contribution
        else:
            self._add(tensor, before, contribution)

    def _add(self, tensor: int, before: Any, contribution: Any) -> None:
        """Add a contribution to what has arrived `before`: in place, if nobody else has that sum."""
        kept: Any = True
        raw_id: int | None = None
        if (
            tensor in self._summed
            and type(contribution) is ndarray
            and before.dtype is contribution.dtype
            and before.shape == contribution.shape
        ):
            before += contribution
        else:
            self._cotangents[tensor] = both = total(before, contribution)
            if self._noted:
                kept, raw_id = self._logged(both)
            elif type(both) is ndarray:
                self._summed.add(tensor)
        steps = self._steps
        if steps is not None and type(kept) is not ndarray:
            steps += (tensor, None, kept)
        else:
            self._steps = None
            self._log.raw += (CotangentAccumulated, self._run, tensor, kept, raw_id, (), (), None, None, -1)

    def run(self, *, release: bool) -> None:
        """Apply the VJPs of all ops whose result has a cotangent, last op first; `release` frees what was saved."""
        nodes = self._trace.nodes
        plans, inputs, outs, saved_by_op = nodes[::NODE], nodes[1::NODE], nodes[2::NODE], nodes[3::NODE]
        self.passed = plans, inputs, outs
        if release:
            self._trace.nodes, self._trace.alive = [], False
        del nodes  # else what was saved is held to the end
        cotangents, asked_for, add, on_arrays = self._cotangents, self._asked_for, self._add, self._on_arrays
        as_tensor = self._as_tensor
        note = None if not self._noted else self._note if as_tensor is None else self._note_tensor
        steps = self._opened() if note is None else []  # without values, many steps share one record
        take = cotangents.pop
        for plan, entries, out in zip(reversed(plans), reversed(inputs), reversed(outs), strict=True):
            saved = saved_by_op.pop()
            g = take(out, None)
            if g is None:
                saved, g = (saved, None) if type(out) is int else self._many(out, *saved)
                if g is None:
                    continue
            elif out in asked_for:
                cotangents[out] = g
            if on_arrays and type(g) is not Slices:
                pull = plan.pull_arrays  # quicker than in one, as in `quick`
                pulled = pull(g, saved)
            else:
                if as_tensor is not None:
                    saved = plan.lift(saved, entries, out, as_tensor)
                pull = plan.pull_arrays if on_arrays else plan.pull
                if type(g) is Slices and out in self._trace.results:
                    g = g.dense()  # TensorFlow goes back into a graph with that alone
                pulled = pulled_by_row(plan, entries, g, saved, pull) if type(g) is Slices else pull(g, saved)
            index = plan.only
            if index is None or pulled is None:
                if pulled is None:
                    pulled = (None,) * len(entries)
                if note is not None:
                    self._note_several(plan, out, pulled)
                else:
                    steps += (out, plan.mask or _mask(pulled), True)
                for tensor, contribution in zip(entries, pulled, strict=True):
                    if contribution is None:
                        continue
                    if tensor in cotangents:
                        add(tensor, cotangents[tensor], contribution)
                    else:
                        cotangents[tensor] = contribution
                continue
            if note is not None:
                note(out, index, pulled)
            else:
                steps += (out, index, True)
            tensor = entries[index]
            if tensor in cotangents:
                add(tensor, cotangents[tensor], pulled)
            else:
                cotangents[tensor] = pulled

    def _many(self, outs: tuple[int, ...], saved: object, specs: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...] | None]:
        """What an op with several outputs saved, and its upstream gradients, with zeros for outputs without one.

        None in place of these if no output has one. Slices become dense, as the rules compute with all of them.
        """
        arrived = [self._cotangents.get(out) for out in outs]
        for out in outs:
            if out not in self._asked_for:
                self._cotangents.pop(out, None)
        if all(each is None for each in arrived):
            return saved, None
        return saved, tuple(
            [unboxed(np.zeros(*spec)) if g is None else dense(g) for g, spec in zip(arrived, specs, strict=True)]
        )

    def _opened(self) -> list[Any]:
        """Begin a `PulledBack` record. Returns the list of its steps."""
        steps: list[Any] = []
        self._steps = steps
        self._log.raw += (PulledBack, self._run, None, steps, None, (), (), None, None, -1)
        return steps

    def _note(self, out: int, index: int, pulled: object) -> None:
        """Log a VJP of one input. An array gets a record of its own, so that the budget for values can drop it."""
        if type(pulled) is ndarray:
            self._steps = None
            self._log.raw += (PulledBack, self._run, None, (out, index, pulled), None, (), (), None, None, -1)
            self._log.keep(pulled)
            return
        steps = self._steps
        if steps is None:
            steps = self._opened()
        steps += (out, index, pulled)

    def _note_tensor(self, out: int, index: int, pulled: object) -> None:
        """The same for a tensor: it gets a record of its own, after the ops that computed it."""
        noted: Any = True
        if type(pulled) is Tensor:
            noted = pulled._id
        elif self._keeps_values:
            noted = self._log.keep(pulled)
        self._steps = None
        self._log.raw += (PulledBack, self._run, None, (out, index, noted), None, (), (), None, None, -1)

    def _note_several(self, plan: object, out: object, contributions: tuple[Any, ...]) -> None:
        """Log a VJP of several inputs, with a contribution or None for each; the last `PulledBack` record ends here."""
        self._steps = None
        if self._as_tensor is not None:
            self._log_tensors(plan, out, contributions)
            return
        self._log.raw += (VjpApplied, self._run, out, contributions, None, (), (), None, None, -1)
        for each in contributions:
            if type(each) is ndarray:
                self._log.keep(each)

    def _log_tensors(self, plan: Any, out: object, contributions: tuple[Any, ...]) -> None:
        """The same for tensors. They are outputs of recorded ops, whose values the log has: their ids are enough."""
        raw_ids = tuple([each._id if type(each) is Tensor else None for each in contributions])
        if plan.mask and raw_ids.count(None) == plan.mask.count(None):
            values = plan.mask
        else:
            values = tuple([self._logged(each)[0] for each in contributions])
        self._log.raw += (VjpApplied, self._run, out, values, raw_ids, (), (), None, None, -1)

    def _logged(self, contribution: object) -> tuple[Any, int | None]:
        """What the log keeps of a cotangent, and its id if it is a tensor."""
        if contribution is None:
            return None, None
        if type(contribution) is Slices:
            return True, None
        value, raw_id = contribution, None
        if type(contribution) is Tensor:
            value, raw_id = contribution._value, contribution._id
        return (self._log.keep(value) if self._keeps_values else True), raw_id


def _lifting(traces: tuple[Trace, ...]) -> Callable[[Any, Any], Any]:
    """A function from a saved value and its entry to a tensor, with the marks of those `traces` that follow it.

    A value that was no tensor stays what it is.
    """
    followed = [trace.follows() for trace in traces]
    by_all = set.intersection(*followed) if followed else set()
    again = Tensor._again

    def tensor(value: Any, entry: Any) -> Any:
        if type(entry) is not int:
            return value
        if entry in by_all and (type(value) is float32 or value.dtype.kind == "f"):  # the class is quicker to test
            return again(value, entry, traces)
        kind = value.dtype.kind
        marks = [trace for trace, ids in zip(traces, followed, strict=True) if entry in ids and kind in DIFFERENTIABLE]
        return Tensor._again(value, entry, APART.get(kind, tuple)(marks))

    return tensor


def _mask(contributions: tuple[Any, ...]) -> tuple[bool | None, ...]:
    """What a log without values contains of contributions: True, or None where there is none."""
    return tuple([None if each is None else True for each in contributions])
