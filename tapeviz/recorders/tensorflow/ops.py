"""Every op that TensorFlow runs eagerly -> its record, or what it means for the leaves: data, a read, a write."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from types import CodeType, FrameType
from typing import Any

from tensorflow.python.eager import context, execute
from tensorflow.python.ops import custom_gradient

from tapeviz.events.attrs import Attrs
from tapeviz.events.catalog import CUSTOM
from tapeviz.events.program.frames import outward
from tapeviz.events.program.inspection import attributes, pairs
from tapeviz.events.types import StateWritten
from tapeviz.recorders.packages import Packages
from tapeviz.recorders.plain_values import plain
from tapeviz.recorders.tensorflow.backward.logged_ops import LoggedOp
from tapeviz.recorders.tensorflow.backward.saved import saved_slots
from tapeviz.recorders.tensorflow.datasets import Datasets
from tapeviz.recorders.tensorflow.ledger import Instruction, raw_id
from tapeviz.recorders.tensorflow.names import (
    FORWARD,
    MADE_OF_NOTHING,
    MEASURES,
    WRITES,
    Form,
    form_of,
    form_of_function,
    is_write,
)
from tapeviz.recorders.tensorflow.reads import Reads
from tapeviz.recorders.tensorflow.session import Session
from tapeviz.recorders.tensorflow.tapes import Tapes
from tapeviz.recorders.tensorflow.tensor_ids import RecentTensors
from tapeviz.recorders.tensorflow.values import dtype_of, has_numbers, kept, kept_if_small

READS = frozenset(("ReadVariableOp", "_ReadVariablesOp"))
NO_RECORD = frozenset(
    ("VarHandleOp", "VarIsInitializedOp", "DestroyResourceOp", "DisableCopyOnRead", "NoOp", "Assert", "AssertV2")
)

DTYPES = frozenset(("SrcT", "DstT"))
"""Attributes that are dtypes, which TensorFlow may write as numbers."""
CUSTOM_GRADIENT = custom_gradient._eager_mode_decorator.__code__
"""The code of TensorFlow's that calls a user's function with its own gradient."""
NEAR = 8
"""How many calls up the stack the function of TensorFlow's that called an op is looked for."""


class Ops:
    """The callback that TensorFlow calls after every op."""

    def __init__(self, session: Session, tapes: Tapes, reads: Reads, datasets: Datasets) -> None:
        self.session = session
        self.log = session.log
        self.ledger = tapes.ledger
        self.tapes = tapes
        self.reads = reads
        self.datasets = datasets
        self.initial: dict[int, Any] = {}
        self.copies: RecentTensors[int] = RecentTensors()
        self.within_gradients = 0
        """The number of nested blocks of `within_gradient`."""
        self.switched_off = 0
        """The number of nested blocks of `unrecorded`."""
        self._signed = False
        self.packages = Packages("tensorflow", "keras")

    def __call__(
        self, op_type: Any, inputs: Any, attrs: Any, outputs: Any, op_name: Any = None, graph: Any = None
    ) -> Any:
        """An op has run. An error in here loses a record of the log, but never reaches the program.

        Of an op in a graph TensorFlow hands on to the next callback what this one returns.
        """
        if graph is None:
            self._noted(op_type, inputs, attrs, outputs)
        return outputs

    def _noted(self, op_type: Any, inputs: Any, attrs: Any, outputs: Any) -> None:
        if self.switched_off or (self.within_gradients and not self.tapes.open) or not self.session.is_here:
            return
        name = op_type if type(op_type) is str else op_type.decode()
        try:
            self.reads.notice(name, inputs)
            self._note(name, inputs, attrs, outputs)
        except Exception as error:
            self.session.missed(name, error)

    # ----- which ops are recorded -----

    @property
    def is_recording(self) -> bool:
        """Whether what the program does here and now is recorded."""
        is_on = not self.switched_off and (not self.within_gradients or bool(self.tapes.open))
        return is_on and self.session.is_running

    @contextmanager
    def unrecorded(self) -> Iterator[None]:
        """A block of TensorFlow's own ops, which are not recorded."""
        self.switched_off += 1
        try:
            yield
        finally:
            self.switched_off -= 1

    @contextmanager
    def within_gradient(self) -> Iterator[None]:
        """A block of ops that compute a gradient. They are recorded only if a tape is open, which records them, too."""
        self.within_gradients += 1
        try:
            yield
        finally:
            self.within_gradients -= 1

    @contextmanager
    def within_users_function(self) -> Iterator[None]:
        """A block of the user's ops, which are recorded although a gradient is being computed."""
        before, self.within_gradients = self.within_gradients, 0
        try:
            yield
        finally:
            self.within_gradients = before

    def _note(self, name: str, inputs: Any, attrs: Any, outputs: Any) -> None:
        if name in READS:
            self.ledger.read(inputs[0], outputs[0])
            self.tapes.record(inputs, outputs)
        elif is_write(name):
            self._write(WRITES.get(name, "assign_by_optimizer"), inputs)
        elif name not in NO_RECORD and outputs and not name.startswith(FORWARD):  # whose record `record_operation` asks
            self._compute(name, inputs, attrs, outputs)

    # ----- ops that make tensors -----

    def _compute(self, name: str, inputs: Any, attrs: Any, outputs: Any) -> None:
        frame = self.session.enter()
        place = frame.f_code, frame.f_lasti
        apart = self.datasets.read_for(name, inputs)
        if apart:
            self.write_apart(name, apart, outputs, frame)
            return
        if self._is_preparation(name, inputs, outputs, place):
            self.ledger.hide(outputs, place)
            return
        if name == "Identity" and is_called_by(CUSTOM_GRADIENT):
            self.copies[raw_id(outputs[0])] = raw_id(inputs[0])
            return
        form = form_of(name, len(inputs))
        attributes = self.attributes(form, inputs, attrs) + self.asked_by(frame)
        op = self.write_op(form, inputs, outputs, attributes, frame)
        if op is not None:
            self.tapes.logged.add(attrs, op)

    def asked_by(self, user: FrameType) -> Attrs:
        """The attribute of an op that says which package, called from the user's frame, has asked for it."""
        return self.packages.passed(sys._getframe(2), user)

    def write_apart(self, name: str, apart: Any, outputs: Any, frame: FrameType) -> None:
        """Append the record of an op that has run in a graph of its own, where it has read these; no tape sees it."""
        with self.tapes.paused():
            self.write_op(Form(name, tuple(range(len(apart))), (), ()), apart, outputs, (), frame)

    def attributes(self, form: Form, inputs: Any, attrs: Any) -> tuple[tuple[str, Any], ...]:
        """The attributes that the catalog has for an op: TensorFlow's, and inputs that it takes for settings."""
        pairs = [(key, plain(inputs[index]._numpy_internal())) for index, key in form.attributes]
        for theirs, ours in form.attrs:
            value = attrs[attrs.index(theirs) + 1]
            pairs.append((ours, dtype_of(value)[0] if theirs in DTYPES and type(value) is int else plain(value)))
        return tuple(pairs)

    def write_op(
        self,
        form: Form,
        inputs: Any,
        outputs: Any,
        attrs: tuple[tuple[str, Any], ...],
        frame: FrameType,
        saved: Iterable[int] | None = None,
    ) -> LoggedOp | None:
        """Append the record of an op. `saved` are the slots that the tape keeps; None if they are not known yet.

        Returns:
            The op, for its gradient; None if no tape has recorded it.
        """
        log, ledger = self.log, self.ledger
        if not self._signed:
            self._signed = True
            log.sign("tensorflow")
        entries = tuple([ledger.entry(inputs[index], frame) for index in form.arguments])
        tapes = self.tapes.record(inputs, outputs)
        made = tuple([raw_id(each) for each in outputs])
        for each in made:
            ledger.known.add(each)
        keep = kept
        if not self.tapes.open and any(type(each) is int and each in ledger.gradients for each in entries):
            ledger.gradients.update(made)
            keep = kept_if_small
        if len(outputs) == 1:
            ids: Any = made[0]
            values: Any = keep(log, outputs[0])
        else:
            ids, values = made, tuple([keep(log, each) for each in outputs])
        if saved is None:
            saved = saved_slots(form, len(outputs)) if tapes else ()
        log.raw += (form.name, entries, ids, values, attrs, saved, tapes, log.scope, frame.f_code, frame.f_lasti)
        return LoggedOp(entries, made, form) if tapes else None

    def write_folded(self, name: str, entries: tuple[int, ...], outputs: Any) -> None:
        """Append one record for many ops, of which only inputs and outputs are known. All open tapes record it."""
        frame, log = self.session.enter(), self.log
        ids, values = tuple([raw_id(each) for each in outputs]), tuple([kept(log, each) for each in outputs])
        self.ledger.known.update(ids)
        for tape in self.tapes.open:
            tape.follows.update(ids)
        tapes = tuple([tape.id for tape in self.tapes.open])
        log.raw += (name, entries, ids, values, (), (), tapes, log.scope, frame.f_code, frame.f_lasti)

    def write_function(self, name: str, inputs: Any, outputs: Any, *, users: bool) -> LoggedOp | None:
        """Append the record of a function with its own gradient, unless it returns its arguments unchanged.

        A function of the user's is not taken for an op of TensorFlow's that has the same name.
        """
        frame = self.session.enter()
        given = [raw_id(each) for each in inputs]
        if [self.copies.pop(raw_id(each), None) for each in outputs] == given and not self.tapes.open:
            for raw, each in zip(given, outputs, strict=True):
                self.ledger.alias(raw_id(each), raw)
            return None
        form = form_of_function(name, len(inputs)) if users else form_of(name, len(inputs))
        return self.write_op(form, inputs, outputs, (CUSTOM,) if users else (), frame, saved=())

    def _is_preparation(self, name: str, inputs: Any, outputs: Any, place: Instruction) -> bool:
        """Whether an op only prepares something for another one, within one call of the user's."""
        if name in MEASURES or not (has_numbers(outputs[0]) or any(map(has_numbers, outputs[1:]))):
            return True
        from_nothing = name in MADE_OF_NOTHING
        for each in inputs:
            raw = raw_id(each)
            made = self.ledger.hidden(raw)
            if not (self.ledger.is_fresh(raw) if made is None else from_nothing or made == place):
                return False
        return bool(inputs) or from_nothing

    # ----- ops that write variables -----

    def _write(self, how: str, inputs: Any) -> None:
        handle, value = inputs[0], inputs[-1]
        log, ledger = self.log, self.ledger
        raw = ledger.interned(raw_id(handle))
        if raw not in ledger.known and not self._meet(handle, raw, value):
            return
        frame, source = self.session.enter(), raw_id(value)
        is_number = ledger.is_fresh(source) or ledger.hidden(source) is not None
        entry = None if is_number else ledger.mention(value, frame)
        ledger.written(raw)
        held = None
        if log.keeps_values:
            whole = how == "assign" and len(inputs) == 2
            held = ledger.hold(raw, value if whole else self.value_of(handle, value))
        log.append(StateWritten, entry, raw, held, how, frame.f_code, frame.f_lasti, log.scope)

    def value_of(self, handle: Any, written: Any) -> Any:
        """The value of a variable after something was written to it."""
        return value_in(handle, written._datatype_enum())

    def _meet(self, handle: Any, raw: int, value: Any) -> bool:
        """A variable that is not in the log is written; return whether it is now, so that a gradient can pass.

        A variable that is just being made gets its first value in this way.
        """
        if not self.ledger.is_older(raw):
            self.initial[raw] = value
        elif self.ledger.tapes_of(raw_id(value)) and (variable := _writer(handle)) is not None:
            self.ledger.accessed(variable)
            return True
        return False


def _writer(handle: Any) -> Any:
    """The variable whose method writes to a handle; None if none of TensorFlow's callers is such a method."""
    for frame in islice(outward(sys._getframe(3)), NEAR):
        owner = dict(pairs(frame.f_locals)).get("self")
        if attributes(owner).get("_handle") is handle:
            return owner
    return None


def value_in(handle: Any, dtype: int) -> Any:
    """The value of a variable, read without tapes and callbacks noticing."""
    return execute.quick_execute("ReadVariableOp", 1, [handle], ("dtype", dtype), context.context())[0]


def is_called_by(code: CodeType) -> bool:
    """Whether a function of this code, a few calls up the stack, called the op that runs."""
    return any(frame.f_code is code for frame in islice(outward(sys._getframe(2)), NEAR))
