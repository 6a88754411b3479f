"""A call of a compiled function -> the records of its inside, computed when a reader asks for the log."""

from __future__ import annotations

from types import FrameType
from typing import Any

import numpy as np
from tensorflow.python.eager import context, record
from tensorflow.python.framework import constant_op, ops
from tensorflow.python.framework.ops import EagerTensor

from tapeviz.events.program.frames import scope_called
from tapeviz.events.raw import KIND, OUTPUTS, STRIDE, VALUES
from tapeviz.events.types import StateWritten
from tapeviz.phrases import COMPUTED_AGAIN
from tapeviz.recorders.session import unheard
from tapeviz.recorders.tensorflow.compiled.again import GraphRun, Variables, run_again
from tapeviz.recorders.tensorflow.compiled.template import Template
from tapeviz.recorders.tensorflow.ledger import raw_id
from tapeviz.recorders.tensorflow.ops import Ops, value_in
from tapeviz.recorders.tensorflow.values import HeldEagerTensor, has_numbers, kept


class DeferredCall:
    """A call of the function of a template, which is about to be `given` tensors and the handles of variables."""

    def __init__(self, ops: Ops, template: Template, given: list[Any], frame: FrameType) -> None:
        self._template = template
        self._ops = ops
        ledger, log = ops.ledger, ops.log
        log.filenames |= template.files
        for variable in template.graph.variables:
            ledger.accessed(variable)
        self._given = [self._kept(each) for each in given]
        self._handles = [None if has_numbers(each) else each for each in map(_handle, given)]
        self._ids = [raw_id(_handle(each)) for each in given]
        for each in given:
            if isinstance(each, EagerTensor) and has_numbers(each):
                ledger.mention(each, frame)
        self._root = scope_called(f"{template.name}{COMPUTED_AGAIN}", log.scope, frame)
        self._place = frame.f_code, frame.f_lasti
        self._outputs: list[int] = []

    @property
    def kept(self) -> tuple[Any, ...]:
        """What counts against the log's budget."""
        return tuple([each for each in self._given if isinstance(each, HeldEagerTensor)])

    def _kept(self, tensor: Any) -> Any:
        """What the log keeps of an argument: of a variable, what it holds now."""
        handle = _handle(tensor)
        if not has_numbers(handle):
            if handle.dtype.name != "resource" or not getattr(handle, "_handle_data", None):
                return None
            data = handle._handle_data.shape_and_type
            if not data:
                return None
            tensor = value_in(handle, data[0].dtype)
        return kept(self._ops.log, tensor)

    def ran(self, outputs: list[Any]) -> None:
        """It has run, and gave this."""
        self._outputs = [raw_id(each) for each in outputs]

    # ----- when a reader asks -----

    def records(self, left: list[Any]) -> list[Any] | None:
        """Those of the ops inside."""
        graph = self._template.graph
        if len(self._outputs) != len(graph.outputs):
            return None
        names = {raw_id(symbol): raw for symbol, raw in zip(graph.inputs, self._ids, strict=True)}
        for external, internal in graph.captures:
            names[raw_id(external)] = names[raw_id(internal)]
        names |= {raw_id(symbol): raw for symbol, raw in zip(graph.outputs, self._outputs, strict=True)}
        own = _values_of(left)
        return self._template.records(self._run(), names, self._root, own)

    def _run(self) -> GraphRun:
        variables = Variables()
        with unheard(), ops.init_scope(), context.eager_mode(), record.stop_recording():
            given: list[Any] = []
            for kept_value, handle in zip(self._given, self._handles, strict=True):
                value = _tensor(kept_value)
                if handle is not None:
                    if handle.dtype.name == "resource" and kept_value is not None:
                        variables.stand_for(handle, value)
                    given.append(handle)
                else:
                    given.append(value)
            return run_again(self._template, given, variables, {})


def _handle(tensor: Any) -> Any:
    return getattr(tensor, "handle", tensor)


def _tensor(value: Any) -> Any:
    """The tensor of what a log has kept; None if it has let it go."""
    if isinstance(value, HeldEagerTensor):
        return value.tensor if isinstance(value.tensor, EagerTensor) else None
    return constant_op.constant(value) if isinstance(value, (np.generic, np.ndarray)) else None


def _values_of(records: list[Any]) -> dict[int, Any]:
    """The values that records tell of, by raw ids."""
    found: dict[int, Any] = {}
    for start in range(0, len(records), STRIDE):
        if type(records[start + KIND]) is not str:
            continue
        ids, values = records[start + OUTPUTS], records[start + VALUES]
        if type(ids) is tuple and type(values) is tuple:
            found.update(zip(ids, values, strict=False))
        elif type(ids) is int:
            found[ids] = values
    return found


_ = StateWritten
