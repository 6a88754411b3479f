"""An op that TensorFlow adds to a graph -> its record in the log of a trace; of a call of a function, what is in it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import islice, takewhile
from types import CodeType, FrameType
from typing import Any

from tensorflow.python.autograph.operators import control_flow
from tensorflow.python.eager import execute
from tensorflow.python.eager.polymorphic_function import concrete_function
from tensorflow.python.framework import ops
from tensorflow.python.framework.ops import EagerTensor
from tensorflow.python.ops import custom_gradient

from tapeviz.events.catalog import CUSTOM
from tapeviz.events.program.frames import asking_frame, outward
from tapeviz.events.raw import ATTRS, INPUTS, KIND, STRIDE
from tapeviz.events.types import VjpApplied
from tapeviz.recorders.patches import Row
from tapeviz.recorders.plain_values import plain
from tapeviz.recorders.tensorflow.backward.logged_ops import LoggedOp
from tapeviz.recorders.tensorflow.backward.sweep import Sweep
from tapeviz.recorders.tensorflow.compiled.backward import BackwardGraph, BackwardGraphs
from tapeviz.recorders.tensorflow.compiled.copied_graph import CALLS
from tapeviz.recorders.tensorflow.compiled.template import (
    COPIES,
    TEMPLATES,
    AfterWrite,
    InnerCall,
    InnerPull,
    Template,
    op_that_made,
    outside,
)
from tapeviz.recorders.tensorflow.datasets import REDUCE, Datasets
from tapeviz.recorders.tensorflow.ledger import Instruction, raw_id
from tapeviz.recorders.tensorflow.names import Form
from tapeviz.recorders.tensorflow.ops import Ops
from tapeviz.recorders.tensorflow.reads import Reads
from tapeviz.recorders.tensorflow.session import Session
from tapeviz.recorders.tensorflow.tapes import Tapes
from tapeviz.recorders.tensorflow.traces import Traces
from tapeviz.recorders.tensorflow.values import TraceLog, dtype_of, enum_of, has_numbers, is_numeric, number_in

CUSTOM_GRADIENT_IN_GRAPH = custom_gradient._graph_mode_decorator.__code__
"""The code of TensorFlow's that calls a user's function with its own gradient, while it builds a graph."""
DATASET = "Dataset"
"""How the names of ops end that make a dataset."""
BRANCHES = frozenset(("If", "StatelessIf", "While", "StatelessWhile", "Case"))
"""The ops that run branches, and bodies of loops."""
NEAR = 16
"""How many calls up the stack it is looked for."""
ITERATORS = frozenset(("IteratorGetNext", "IteratorGetNextSync", "OptionalGetValue"))
"""Ops that make data: what comes out is a leaf."""
LOOPS: str = control_flow.__file__
"""Where AutoGraph makes a loop of TensorFlow's out of Python's, with ops that no line of the program's asks for."""


class TraceSession(Session):
    """What is recorded is the trace of one graph, in the thread of a recording."""

    def __init__(self, outer: Session, graph: Any) -> None:
        super().__init__(TraceLog(graph))
        self.log.sign("tensorflow")
        self._outer = outer
        self.graph = graph

    @property
    def is_here(self) -> bool:
        """Whether the thread is the recorded one."""
        return self._outer.is_here

    @property
    def is_within(self) -> bool:
        """Whether ops are added to the graph, or to that of a branch, a loop or another function in it."""
        graph = ops.get_default_graph() if self.is_here else None
        while graph is not None and graph is not self.graph:
            graph = getattr(graph, "outer_graph", None)
        return graph is not None

    @property
    def is_running(self) -> bool:
        """Whether ops are added to the graph itself, rather than run, or added to that of a branch or loop in it."""
        return self.is_here and ops.get_default_graph() is self.graph


class FollowedCall:
    """A call of a compiled function in another one, which a tape follows; its record begins at an index of the log's.

    It is opened if each pass that comes through it can be.
    """

    def __init__(self, op: Any, callee: Template, followed: dict[int, set[int]], at: int) -> None:
        self.op = op
        self._callee = callee
        self._followed = followed
        self._at = at
        self.is_open = True
        self.pulls: list[tuple[int, Any]] = []

    def weights(self, backward: BackwardGraph) -> dict[int, int]:
        """How many contributions arrive at each of its inputs, by place."""
        return backward.by_place(self._callee)

    def put_into(self, records: list[Any]) -> None:
        """Have the call, and passes through it, be opened where the template is read."""
        if not self.is_open:
            return
        records[self._at + ATTRS] = self.op, self._callee, self._followed
        records[self._at + KIND] = InnerCall
        for at, about in self.pulls:
            records[at + KIND], records[at + ATTRS] = InnerPull, about


class TracedOps(Ops):
    """The callback that TensorFlow calls for every op that it adds to a graph."""

    def __init__(self, session: TraceSession, tapes: Tapes, backwards: BackwardGraphs) -> None:
        super().__init__(session, tapes, Reads(tapes), Datasets(tapes, Traces(session)))
        self._backwards = backwards
        self.callees: dict[str, Any] = {}
        """The templates of the functions that the graph calls, by the names of the ops that call them."""
        self.followed: list[FollowedCall] = []
        """The calls of functions that a tape follows."""
        self._of_output: dict[int, FollowedCall] = {}
        self._latest: Any = None
        self.own_gradient: Callable[[tuple[int, ...]], None] = lambda added: None
        """What is done when a function with its own gradient has given tensors of these ids."""
        self.traced: dict[tuple[int, ...], LoggedOp] = {}
        """The ops that are in the log, by the ids of what they make."""
        self.untracked: set[int] = set()
        """What no tape follows further, because of its dtype."""
        self.apart: set[int] = set()
        """What was computed in a graph of its own."""
        self.skipped: set[int] = set()
        """What is another tensor in the log."""
        self.captured: dict[int, tuple[Any, Any]] = {}
        """Tensors from outside, with those in the graph, by the numbers of these."""
        self._added: dict[tuple[int, ...], LoggedOp] = {}
        self._op: Any = None

    def rows(self) -> list[Row]:
        """What TensorFlow's tape is told of, by the tuple of attributes that its gradient function will get."""
        running = self.session.running
        return [
            running.before(execute, "record_gradient", self._recorded),
            running.instead(concrete_function.ConcreteFunction, "_call_flat", self._call),
        ]

    def __call__(
        self, op_type: Any, inputs: Any, attrs: Any, outputs: Any, op_name: Any = None, graph: Any = None
    ) -> Any:
        """An op is in the graph."""
        if graph is self.session.graph and graph is not None:
            if op_type == "Placeholder":
                self.ledger.known.update(map(raw_id, outputs))
            elif op_type != "Const":
                self._op = outputs[0].op if outputs else graph.get_operation_by_name(op_name)
                self._noted(op_type, self._outside(inputs), attrs, outputs)
        return outputs

    def _outside(self, tensors: Any) -> tuple[Any, ...]:
        """Tensors, those from outside of the graph as they are there."""
        found = outside(self.session.graph, tensors)
        for external, internal in zip(found, tensors, strict=True):
            if external is not internal:
                self.captured[internal._id] = external, internal
        return found

    def attributes(self, form: Form, inputs: Any, attrs: Any) -> tuple[tuple[str, Any], ...]:
        """As of an op that runs, as far as they are constants."""
        pairs = [(key, number_in(inputs[index])) for index, key in form.attributes]
        known = [(key, plain(value)) for key, value in pairs if value is not None]
        return (*known, *[(ours, _plain_attr(self._op.get_attr(theirs))) for theirs, ours in form.attrs])

    def write_op(self, form: Form, inputs: Any, outputs: Any, attrs: Any, frame: Any, saved: Any = None) -> Any:
        """Append the record, and remember the op, of which TensorFlow's tape will be told next."""
        op = super().write_op(form, inputs, outputs, attrs, frame, saved)
        entries = self.log.raw[len(self.log.raw) - STRIDE + INPUTS]
        added = tuple(map(raw_id, outputs))
        self.traced[added] = op or LoggedOp(entries, added, form)
        self.untracked.update([raw_id(each) for each in outputs if not dtype_of(enum_of(each))[2]])
        if op is not None:
            self._added[added] = op
        return op

    def _compute(self, name: str, inputs: Any, attrs: Any, outputs: Any) -> None:
        if name in COPIES and self.is_within(CUSTOM_GRADIENT_IN_GRAPH):
            for added, of in zip(outputs, inputs, strict=True):
                self.copies[raw_id(added)] = self.copies.get(raw_id(of), raw_id(of))
            if name == "Identity":
                self._skip(inputs, outputs)
        elif name == REDUCE and (behind := self._behind_dataset(inputs)):
            self.write_apart(name, behind, outputs, self.session.enter())
        elif name == "Identity" and self.is_loops_own():
            self._skip(inputs, outputs)
        elif name in ITERATORS or (name not in BRANCHES and self.is_loops_own()):
            frame = self.session.enter()
            self.ledger.hide(outputs, (frame.f_code, frame.f_lasti))
        else:
            super()._compute(name, inputs, attrs, outputs)

    def _is_preparation(self, name: str, inputs: Any, outputs: Any, place: Instruction) -> bool:
        """As of an op that runs; what branches and loops compute may be more than what they give."""
        return name not in BRANCHES and super()._is_preparation(name, inputs, outputs, place)

    def is_within(self, code: CodeType) -> bool:
        """Whether code of TensorFlow's adds the op."""
        return any(each.f_code is code for each in _near())

    def is_loops_own(self) -> bool:
        """Whether the op is made by AutoGraph for a loop, rather than by what the loop calls."""
        frame = asking_frame(3)
        inward = takewhile(lambda at: at is not frame, outward(sys._getframe(2)))
        return any(each.f_code.co_filename == LOOPS for each in inward)

    def _behind_dataset(self, inputs: Any) -> list[Any]:
        """What the program has that the functions of a dataset read."""
        found: dict[int, Any] = {}
        waiting = list(inputs)
        while waiting:
            each = waiting.pop()
            if is_numeric(enum_of(each)) or raw_id(each) in self.ledger.known:
                found[raw_id(each)] = each
            elif not isinstance(each, EagerTensor) and each.op.type.endswith(DATASET):
                waiting += self._outside(each.op.inputs)
        return [each for raw, each in found.items() if raw in self.ledger.known]

    def write_apart(self, name: str, apart: Any, outputs: Any, frame: FrameType) -> None:
        """As of an op that runs; nor do tapes see it that follow a call of the function."""
        super().write_apart(name, apart, outputs, frame)
        self.apart.update(map(raw_id, outputs))

    def _skip(self, inputs: Any, outputs: Any) -> None:
        """An op gives what it was given."""
        self.skipped.add(raw_id(outputs[0]))
        self.tapes.record(inputs, outputs)
        self.ledger.alias(raw_id(outputs[0]), self.ledger.mention(inputs[0], self.session.enter()))

    def write_function(self, name: str, inputs: Any, outputs: Any, *, users: bool) -> LoggedOp | None:
        """As of one that runs. Of a user's function TensorFlow tells what it computes beside what it is given."""
        count = self.count_of_results()
        if count is None:
            return super().write_function(name, inputs, outputs, users=users)
        given = [self.copies.get(raw_id(each), raw_id(each)) for each in inputs[count:]]
        if [self.copies.pop(raw_id(each), None) for each in outputs[:count]] == given and not self.tapes.open:
            for raw, each in zip(given, outputs, strict=False):
                self.skipped.add(raw_id(each))
                self.ledger.alias(raw_id(each), raw)
            return None
        form = Form(name, tuple(range(count, len(inputs))), (), ())
        attrs = (CUSTOM,) if users else ()
        op: LoggedOp | None = self.write_op(form, inputs, outputs[:count], attrs, self.session.enter(), saved=())
        self.own_gradient(tuple(map(raw_id, outputs[:count])))
        return op

    def count_of_results(self) -> int | None:
        """Of a function with its own gradient that has just run, how many tensors it gives; None of any other."""
        frame = next((each for each in _near() if each.f_code is CUSTOM_GRADIENT_IN_GRAPH), None)
        return None if frame is None else int(frame.f_locals["flat_result_len"])

    def _meet(self, handle: Any, raw: int, value: Any) -> bool:
        """Which variables the log knows is seen at a call."""
        self.ledger.known.add(raw)
        return True

    def _call(self, call: Any, function: Any, tensor_inputs: Any, captured_inputs: Any) -> Any:
        """Another compiled function is called: an op of the graph, in whose place its own template is to be put."""
        graph, begin = self.session.graph, self.log.end
        before = len(graph.get_operations())
        result = call(function, tensor_inputs, captured_inputs)
        added = [each for each in graph.get_operations()[before:] if each.type in CALLS]
        if len(added) != 1:
            return result
        (op,) = added
        backward, callee = self._backwards.of(function.graph), TEMPLATES.get(function.graph)
        if backward is not None:
            self.passed(function.graph, op)
        elif callee is not None and len(op.outputs) == len(callee.outputs):
            if self.log.end == begin:
                self.write_call(op, callee)
            else:
                self.write_followed_call(op, callee)
        return result

    def write_followed_call(self, op: Any, callee: Template) -> None:
        """An op of the graph, whose record is the latest, calls the function of a template, and a tape follows it.

        If that is a tape around the graph's own function, it stays one op, as which passes come through it.
        """
        self.callees[op.name] = callee
        if not self.tapes.open:
            return
        given = list(map(raw_id, outside(self.session.graph, op.inputs)))
        followed = {tape.id: {raw for raw in given if raw in tape.follows} for tape in self.tapes.open}
        call = FollowedCall(op, callee, followed, self.log.end - STRIDE)
        self.followed.append(call)
        self._of_output.update(dict.fromkeys(map(raw_id, op.outputs), call))

    def passed(self, graph: Any, op: Any) -> None:
        """An op calls the graph by which TensorFlow differentiates a function."""
        backward = self._backwards.of(graph)
        if backward is not None:
            self.callees[op.name] = backward
            self._latest = backward, op

    def is_apart_from_tapes(self, op: Any) -> bool:
        """Whether an op is in the log, and no tape in the function has recorded it."""
        made = tuple(map(raw_id, op.outputs))
        return op_that_made(self.traced, made) is not None and op_that_made(self._added, made) is None

    def write_call(self, op: Any, callee: Template) -> None:
        """An op of the graph calls the function of a template, which no tape follows."""
        self.callees[op.name] = callee
        for each in outside(self.session.graph, op.inputs):
            if has_numbers(each):
                self.ledger.mention(each, self.session.enter())
        self.ledger.known.update(map(raw_id, op.outputs))
        self.log.append(InnerCall, None, None, None, (op, callee, {}), *self.session.place())

    def pulled(self, op: LoggedOp, sweep: Sweep) -> None:
        """A pass has come through a function that is called, by the function that differentiates it."""
        latest, self._latest = self._latest, None
        call = self._of_output.get(op.outputs[0])
        if call is None:
            return
        at = self.log.end - STRIDE
        if latest is None or latest[0].steps is None or self.tapes.open or self.log.raw[at + KIND] is not VjpApplied:
            call.is_open = False
            return
        backward, added = latest
        call.pulls.append((at, (backward, added, call.op, sweep.about[1].id, sweep.counts(op))))
        sweep.arriving_more(op, call.weights(backward))

    def _recorded(self, name: Any, inputs: Any, attrs: Any, outputs: Any) -> None:
        op = self._added.get(tuple(map(raw_id, outputs)))
        if op is not None:
            self.tapes.logged.add(attrs, op)

    def value_of(self, handle: Any, written: Any) -> Any:
        """What stands for the value of a variable after the op."""
        return AfterWrite(self._op.name, handle, enum_of(written))


def _near() -> Iterator[FrameType]:
    """The calls that led to where this is asked."""
    return islice(outward(sys._getframe(2)), NEAR)


def _plain_attr(value: Any) -> Any:
    return value.name if hasattr(value, "as_datatype_enum") else plain(value)
