"""A call of a compiled function -> the records of its inside, computed when a reader asks for the log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy as np
from tensorflow.python.eager import context, record
from tensorflow.python.framework import constant_op, ops
from tensorflow.python.framework.ops import EagerTensor

from tapeviz.events.program.scope_codes import code_called
from tapeviz.events.raw import KIND, OUTPUTS, STRIDE, TAPES, VALUES, ScopeNode
from tapeviz.events.types import StateWritten
from tapeviz.phrases import AGAIN_BY_XLA, COMPUTED_AGAIN, TRACED
from tapeviz.recorders.session import unheard
from tapeviz.recorders.tensorflow.backward.logged_ops import LoggedOp
from tapeviz.recorders.tensorflow.backward.sweep import Sweep
from tapeviz.recorders.tensorflow.compiled.backward import BackwardGraph
from tapeviz.recorders.tensorflow.compiled.batches import TakenBatches, iterator_over
from tapeviz.recorders.tensorflow.compiled.instance import CallContext, Instance
from tapeviz.recorders.tensorflow.compiled.rerun import GraphValues, Variables, run_again
from tapeviz.recorders.tensorflow.compiled.template import Template
from tapeviz.recorders.tensorflow.ledger import raw_id
from tapeviz.recorders.tensorflow.ops import Ops, value_in
from tapeviz.recorders.tensorflow.values import HeldEagerTensor, has_numbers, kept

AGREES = 1e-4
"""How far, as a part of the largest element, a value that is computed again may be from the program's own."""


class DeferredFunction:
    """A call of the function of a template, which is about to get `arguments`: tensors and the handles of variables.

    `taken` has what it takes of iterators.
    """

    def __init__(
        self, ops: Ops, held: HeldVariables, template: Template, arguments: list[Any], taken: TakenBatches
    ) -> None:
        self.template = template
        self._ops = ops
        ledger, log = ops.ledger, ops.log
        frame = ops.session.enter()
        log.filenames |= template.files
        for variable in template.graph.variables:
            ledger.accessed(variable)
        self._given = [_handle(each) for each in arguments]
        self._ids = list(map(raw_id, self._given))
        for each in filter(is_variable, self._given):
            if ledger.lacks_value(each):
                ledger.read(each, held.read(each))
        self._held = [held.value(each) if is_variable(each) else self._kept(each, frame) for each in self._given]
        self._unknown = {
            raw
            for raw, each in zip(self._ids, self._given, strict=True)
            if is_variable(each) and raw not in ledger.known
        }
        left_out = [has_numbers(each) or at in taken.iterators for at, each in enumerate(self._given)]
        self._given = [None if is_left_out else each for each, is_left_out in zip(self._given, left_out, strict=True)]
        self._fed = {name: [kept(log, each) for each in values] for name, values in taken.fed.items()}
        self._passing = taken.passed
        self._passed: dict[int, list[list[Any]]] = {}
        self._scope = log.scope
        self._place = frame.f_code, frame.f_lasti
        self.outputs: list[int] = []
        self._followed: dict[int, set[int]] = {}
        self._is_passed_unseen = False
        self._instance: Instance | None = None
        self._has_failed = False

    def _kept(self, tensor: Any, frame: FrameType) -> Any:
        """What the log keeps of an argument that is no variable."""
        if not has_numbers(tensor):
            return None
        self._ops.ledger.mention(tensor, frame)
        return kept(self._ops.log, tensor)

    @property
    def kept(self) -> tuple[Any, ...]:
        """What counts against the log's budget."""
        fed = [each for values in self._fed.values() for each in values]
        fed += [each for elements in self._passed.values() for element in elements for each in element]
        return tuple([each for each in (*self._held, *fed) if isinstance(each, HeldEagerTensor)])

    def ran(self, outputs: list[Any]) -> None:
        """It has run, and gave this."""
        self.outputs = [raw_id(each) for each in outputs]
        log = self._ops.log
        for at, (elements, *_) in self._passing.items():
            self._passed[at] = [[kept(log, each) for each in element] for element in elements]
            elements.clear()
        self._followed = {tape.id: {raw for raw in self._ids if raw in tape.follows} for tape in self._ops.tapes.open}

    def pulled(self, op: LoggedOp, sweep: Sweep, backward: BackwardGraph | None, upstream: Sequence[Any]) -> Pull:
        """A pass has come through it, by a graph that differentiates it, if it is known which."""
        if backward is None or backward.steps is None or self._ops.tapes.open:
            self._is_passed_unseen = True
            return Pull(self, None, (), 0, 0, {})
        number, tape = sweep.about
        counts = sweep.counts(op)
        sweep.arriving_more(op, backward.by_place(self.template))
        return Pull(self, backward, [kept(self._ops.log, each) for each in upstream], number, tape.id, counts)

    # ----- when a reader asks -----

    def records(self, left: list[Any]) -> list[Any] | None:
        """Those of the ops inside."""
        template = self.template
        if self._has_failed or self._is_passed_unseen or len(self.outputs) != len(template.outputs):
            return None
        own = values_of(left)
        recorded = {tape for tapes in left[TAPES::STRIDE] for tape in tapes}
        try:
            run = self._run()
            is_same = self._ops.log.keeps_values and (template.is_by_xla or self._agrees(run, own))
            ending = TRACED if not is_same else AGAIN_BY_XLA if template.is_by_xla else COMPUTED_AGAIN
            name = f"{template.name}{ending}"
            root = self._scope  # of a step of Keras' own, which is no part of the user's program
            if "." not in template.name:
                root = ScopeNode(root, code_called(name), *self._place)
            call = CallContext(
                own,
                self._unknown,
                self._place,
                {tape: set(ids) for tape, ids in self._followed.items() if tape in recorded},
            )
            names = template.names(self._ids, self.outputs)
            self._instance = Instance(template, run if is_same else GraphValues(), names, root, call)
            return [*_others(left), *self._instance.records()]
        except Exception as error:
            self._has_failed, self._instance = True, None
            self._ops.session.missed(f"the inside of {template.name}", error)
            return None

    def pull(self, pull: Pull) -> list[Any] | None:
        """The records of a pass through it; None where it was not opened."""
        instance = self._instance
        if instance is None:
            return None
        if pull.backward is None:
            return []
        try:
            run = self._run_back(pull, instance.run)
            return instance.pulled(pull.backward, run, pull.number, pull.tape, dict(pull.counts))
        except Exception as error:
            self._ops.session.missed(f"a pass through {self.template.name}", error)
            return []

    def _run_back(self, pull: Pull, there: GraphValues) -> GraphValues:
        backward: Any = pull.backward
        captured = {internal._id: external for external, internal in backward.graph.captures}
        upstream = iter(pull.upstream)
        with computing():
            arguments = [
                there.of_either(captured[each._id]) if each._id in captured else _tensor(next(upstream, None))
                for each in backward.inputs
            ]
            return run_again(backward, arguments, Variables(), {})

    def _run(self) -> GraphValues:
        variables = Variables()
        with computing():
            arguments: list[Any] = []
            for held, handle in zip(self._held, self._given, strict=True):
                value = _tensor(held)
                if handle is not None and held is not None:
                    variables.stand_for(handle, value)
                arguments.append(value if handle is None else handle)
            for at, elements in self._passed.items():
                tensors = [tuple(map(_tensor, element)) for element in elements]
                if tensors and all(each is not None for element in tensors for each in element):
                    arguments[at] = own = iterator_over(tensors, *self._passing[at][1:])
                    variables.iterators[own._id] = own
            fed = {name: list(map(_tensor, values)) for name, values in self._fed.items()}
            return run_again(self.template, arguments, variables, fed)

    def _agrees(self, run: GraphValues, own: Mapping[int, Any]) -> bool:
        """Whether what was computed is what the program got, as far as that is known."""
        pairs = [(run.of(each), own.get(raw)) for each, raw in zip(self.template.outputs, self.outputs, strict=True)]
        pairs += [(value, own.get(~handle)) for handle, value in run.finally_.items()]
        return all(_is_near(ours, theirs) for ours, theirs in pairs)


class Pull:
    """A pass through a call, in a run and by a tape of some numbers, with what arrived and how often before."""

    def __init__(
        self,
        call: DeferredFunction,
        backward: BackwardGraph | None,
        upstream: Sequence[Any],
        number: int,
        tape: int,
        counts: Mapping[int, int],
    ) -> None:
        self._call = call
        self.backward = backward
        self.upstream = upstream
        self.number = number
        self.tape = tape
        self.counts = counts

    @property
    def kept(self) -> tuple[Any, ...]:
        """What counts against the log's budget."""
        return tuple([each for each in self.upstream if isinstance(each, HeldEagerTensor)])

    def records(self, left: list[Any]) -> list[Any] | None:
        """Those of the VJPs inside."""
        return self._call.pull(self)


@contextmanager
def computing() -> Iterator[None]:
    """A block of the recorder's own ops, which run at once, and which no recording and no tape sees."""
    with unheard(), ops.init_scope(), context.eager_mode(), record.stop_recording():
        yield


class HeldVariables:
    """What variables hold when a function is called: one value as long as nothing is written to them."""

    def __init__(self, ops: Ops) -> None:
        self._ops = ops
        self._latest: dict[int, tuple[int, Any]] = {}

    def value(self, handle: Any) -> Any:
        """What the log keeps of the value of a variable now."""
        raw, ledger = raw_id(handle), self._ops.ledger
        stamp, value = self._latest.get(raw, (1, None))
        now = ledger.last_written(raw)
        if stamp != now or not _is_held(value):
            value = kept(self._ops.log, self.read(handle))
            self._latest[raw] = now, value
        return value

    @staticmethod
    def read(handle: Any) -> Any:
        """What a variable holds now."""
        return value_in(handle, handle._handle_data.shape_and_type[0].dtype)


def is_variable(tensor: Any) -> bool:
    """Whether a tensor is the handle of a variable."""
    data = getattr(tensor, "_handle_data", None)
    return tensor.dtype.name == "resource" and data is not None and len(data.shape_and_type) == 1


def _is_held(value: Any) -> bool:
    return not isinstance(value, HeldEagerTensor) or isinstance(value.tensor, EagerTensor)


def _is_near(ours: Any, theirs: Any) -> bool:
    """Whether a value computed again is the program's own, but for rounding."""
    own = theirs.read() if isinstance(theirs, HeldEagerTensor) and _is_held(theirs) else theirs
    if ours is None or not isinstance(own, (np.ndarray, np.generic)):
        return True
    mine = ours._numpy_internal() if isinstance(ours, EagerTensor) else np.asarray(ours)
    if mine.shape != own.shape or mine.dtype != own.dtype:
        return False
    if own.dtype.kind not in "fcV" or not own.size:
        return bool(own.dtype.kind in "fcV" or np.array_equal(mine, own))
    mine, own = (np.asarray(each, np.result_type(each.dtype, np.float32)) for each in (mine, own))
    finite = np.abs(own[np.isfinite(own)])
    least = AGREES * float(finite.max()) if finite.size else 0.0
    return bool(np.allclose(mine, own, rtol=AGREES, atol=least, equal_nan=True))


def _handle(tensor: Any) -> Any:
    return getattr(tensor, "handle", tensor)


def _tensor(value: Any) -> Any:
    """The tensor of what a log has kept; None if it has let it go."""
    if isinstance(value, HeldEagerTensor):
        return value.tensor if isinstance(value.tensor, EagerTensor) else None
    return constant_op.constant(value) if isinstance(value, (np.generic, np.ndarray)) else None


def _others(records: list[Any]) -> list[Any]:
    """Of the records of a call, those that are not of the op, nor of what it has written."""
    starts = range(0, len(records), STRIDE)
    others = [at for at in starts if type(records[at + KIND]) is not str and records[at + KIND] is not StateWritten]
    return [entry for at in others for entry in records[at : at + STRIDE]]


def values_of(records: list[Any]) -> dict[int, Any]:
    """The values that records tell of, by raw ids; of a variable, the last one that was written."""
    found: dict[int, Any] = {}
    for start in range(0, len(records), STRIDE):
        ids, values = records[start + OUTPUTS], records[start + VALUES]
        if type(records[start + KIND]) is not str and records[start + KIND] is not StateWritten:
            continue
        if type(ids) is tuple and type(values) is tuple:
            found.update(zip(ids, values, strict=False))
        elif type(ids) is int:
            found[ids] = values
    return found
