"""A graph that was traced before any recording -> a template of it, as of one that a recording has seen traced.

The graph has the program's ops, where each was asked for, and the ops that its gradients have added. It has neither
tensors of which a gradient is None, nor what optimizers go by.
"""

from __future__ import annotations

import sys
from types import CodeType, FrameType
from typing import Any, cast
from weakref import WeakSet, ref

from tensorflow.python.eager.polymorphic_function import attributes
from tensorflow.python.ops import while_v2

from tapeviz.events.attrs import Attrs
from tapeviz.events.program.scope_codes import code_called
from tapeviz.events.raw import ScopeNode
from tapeviz.events.types import TapeClosed, TapeOpened
from tapeviz.recorders.naming import give_name
from tapeviz.recorders.tensorflow.backward.logged_ops import LoggedOps
from tapeviz.recorders.tensorflow.backward.saved import saved_slots
from tapeviz.recorders.tensorflow.backward.sweep import Sweep
from tapeviz.recorders.tensorflow.compiled.backward import BackwardGraphs
from tapeviz.recorders.tensorflow.compiled.copied_graph import CALLS, UnknownGradientError, own_gradient
from tapeviz.recorders.tensorflow.compiled.regions import accessed_by, is_of_gradient
from tapeviz.recorders.tensorflow.compiled.stacks import (
    NOWHERE,
    Stack,
    StackPlace,
    Stacks,
    function_in,
    is_low,
    stack_of,
)
from tapeviz.recorders.tensorflow.compiled.taken import TakenGradient, gradients_taken
from tapeviz.recorders.tensorflow.compiled.template import (
    TEMPLATES,
    Branches,
    Template,
    TracedFacts,
    handed_on,
    op_that_made,
    outside,
)
from tapeviz.recorders.tensorflow.compiled.traced_ops import LOOPS, NEAR, TracedOps, TraceSession
from tapeviz.recorders.tensorflow.ledger import Ledger, raw_id
from tapeviz.recorders.tensorflow.session import Session
from tapeviz.recorders.tensorflow.tapes import Tapes, TapeState
from tapeviz.recorders.tensorflow.values import dtype_of, enum_of, kept_ones


class _GraphSession(TraceSession):
    """A session whose place in the program is that of an op of the graph."""

    def __init__(self, outer: Session, graph: Any) -> None:
        super().__init__(outer, graph)
        self.at: StackPlace = NOWHERE
        self.stack: Stack = ()

    def enter(self, depth: int = 0) -> FrameType:
        """Where the op was asked for."""
        return cast(FrameType, self.at)


class _GraphOps(TracedOps):
    """The ops of a graph, by the stacks that TensorFlow keeps of them."""

    session: _GraphSession

    def __init__(
        self, session: _GraphSession, tapes: Tapes, backwards: BackwardGraphs, stacks: Stacks, is_branch: bool
    ) -> None:
        super().__init__(session, tapes, backwards)
        self._stacks = stacks
        self._is_branch = is_branch

    def asked_by(self, user: FrameType) -> Attrs:
        return self._stacks.asked_by(self.session.stack)

    def is_within(self, code: CodeType) -> bool:
        return any(each.is_of(code.co_filename, code.co_name) for each in self.session.stack[-NEAR:])

    def count_of_results(self) -> int | None:
        own = own_gradient(self._op)
        return None if own is None else own.results

    def _compute(self, name: str, inputs: Any, attrs: Any, outputs: Any) -> None:
        if self._is_branch and name == "Identity" and handed_on(outputs[0]) is not outputs[0]:
            self._skip(inputs, outputs)
            return
        super()._compute(name, inputs, attrs, outputs)
        own = own_gradient(self._op)
        if own is not None:
            self.write_function(own.name, inputs, outputs, users=own.is_users)

    def call(self, op: Any, callee: Template) -> None:
        """An op calls the function of a template; a tape knows the results that can have a gradient."""
        self._op = op
        inputs = outside(self.session.graph, op.inputs)
        recorded = [each for each in op.outputs[: len(callee.outputs)] if dtype_of(enum_of(each))[2]]
        if self.tapes.record(inputs, recorded):
            self.write_function(op.get_attr("f").name, inputs, recorded, users=False)
            self.write_followed_call(op, callee)
        else:
            self.write_call(op, callee)

    def is_loops_own(self) -> bool:
        made = next((each for each in reversed(self.session.stack) if not is_low(each) or each.file in _LOOPS), None)
        return made is not None and made.file in _LOOPS


class _GraphLedger(Ledger):
    """A ledger of tensors that are older than what is noted of them."""

    latest = 0
    """The id of what was made last."""

    def _now(self) -> int:
        return self.latest


class _GraphTapes(Tapes):
    """The tapes of a graph, which open and close where the ops of their blocks do."""

    def _are_stopped(self) -> bool:
        return False

    def opened(self, state: TapeState) -> None:
        """A tape begins to record."""
        self._alive[state.id] = ref(self)
        self.open.append(state)
        self.session.note(TapeOpened, (state.id, state.persistent, state.accessed))

    def watch(self, state: TapeState, tensor: Any) -> None:
        """A tape is told to follow a tensor."""
        self._watch(state, self.ledger.mention(tensor, self.session.enter()), "explicit")

    def closed(self) -> None:
        """The tape that is open records nothing more."""
        for state in self.open:
            self.log.append(TapeClosed, (state.id,))
        self.open.clear()


class GraphReading:
    """A graph, of a function or of a branch or loop in one, that a template is made of."""

    def __init__(
        self, outer: Session, graph: Any, is_by_xla: bool, backwards: BackwardGraphs, *, is_branch: bool = False
    ) -> None:
        self._graph = graph
        self._is_branch = is_branch
        self._is_by_xla = is_by_xla
        self._outer = outer
        self._backwards = backwards
        self._added = graph.get_operations()
        self._stacks = [stack_of(op) for op in self._added]
        self.name = next((name for each in self._stacks if "." in (name := function_in(each, graph.name))), graph.name)
        self._root = ScopeNode(None, code_called(self.name), None, -1)
        self._variables = {each.handle._id: each for each in graph.variables}
        self._handles = {
            internal._id: self._variables[external._id]
            for external, internal in graph.captures
            if external._id in self._variables
        }
        self._is_taken_unseen = False

    def template(self) -> Template:
        """The template."""
        graph, taken = self._graph, self._taken()
        session = self._session = _GraphSession(self._outer, graph)
        oldest = min((each._id for op in self._added for each in op.outputs), default=0)
        ledger = self._ledger = _GraphLedger(session, sys._getframe(), ~oldest + 1)
        tapes = self._tapes = _GraphTapes(session, ledger, LoggedOps())
        places = self._places = Stacks(self._root)
        traced = self._traced = _GraphOps(session, tapes, self._backwards, places, self._is_branch)
        try:
            self._write(taken)
        finally:
            ledger.close()
        records = session.log.take()
        for each in traced.followed:
            each.put_into(records)
        facts = TracedFacts(
            traced.callees,
            traced.traced,
            traced.untracked,
            traced.apart,
            traced.skipped,
            {},
            (),
            self._is_by_xla,
            self._is_taken_unseen,
            branches=branches_in(graph, traced, self._outer, self._backwards),
        )
        return Template(graph, self.name, records, self._root, facts)

    def _taken(self) -> list[TakenGradient]:
        trainable = {internal for internal, each in self._handles.items() if each.trainable}
        try:
            return gradients_taken(self._graph, self._stacks, trainable)
        except UnknownGradientError:
            self._is_taken_unseen = True
            return []

    def _write(self, taken: list[TakenGradient]) -> None:
        tapes, ledger, at = self._tapes, self._ledger, 0
        states = {
            each.region.block: TapeState(each.region.text.tape.is_accessed, each.region.text.tape.is_persistent)
            for each in taken
        }
        by_first = {each.region.first: each for each in taken}
        watched = {before: (each, tensor) for each in taken for before, tensor in each.watched}
        while at < len(self._added):
            gradient = by_first.get(at)
            if gradient is not None:
                tapes.closed()
                self._sweep(gradient, states[gradient.region.block])
                at = gradient.region.end
                continue
            op, stack = self._added[at], self._stacks[at]
            self._turn_to(stack, op.name, self._function_called(op))
            around = next((each.region for each in taken if each.region.is_around(stack)), None)
            state = states[around.block] if around is not None else None
            if state not in tapes.open:
                tapes.closed()
                if around is not None and state is not None:
                    self._turn_to(around.opening, "")
                    tapes.opened(state)
                    self._turn_to(stack, op.name, self._function_called(op))
            if at in watched:
                each, tensor = watched[at]
                tapes.watch(states[each.region.block], outside(self._graph, [tensor])[0])
            self._add(op, stack)
            ledger.latest = min((raw_id(each) for each in op.outputs), default=ledger.latest)
            at += 1
        tapes.closed()

    def _turn_to(self, stack: Stack, name: str, function: str = "") -> None:
        """What is written next is at the place of an op of some name, which may call a function."""
        session = self._session
        session.stack, session.at = stack, self._places.place(stack, function)
        session.log.scope = self._places.scope(stack, name)

    def _add(self, op: Any, stack: Stack) -> None:
        session = self._session
        for each in accessed_by(op):
            if each._id in self._handles:
                self._tapes.access(self._handles[each._id])
        if is_of_gradient(stack):  # of which nothing is known
            self._ledger.hide(op.outputs, (session.at.f_code, session.at.f_lasti))
        elif op.type in CALLS:
            self._call(op)
        else:
            self._traced(op.type, tuple(op.inputs), (), tuple(op.outputs), op.name, self._graph)

    def _function_called(self, op: Any) -> str:
        """The name of the function that an op calls; "" of any other op."""
        called = self._graph._get_function(op.get_attr("f").name) if op.type in CALLS else None
        return called.graph.name if called is not None else ""

    def _call(self, op: Any) -> None:
        """An op that calls a function."""
        called = self._graph._get_function(op.get_attr("f").name)
        if called is None:
            raise UnknownGraphError
        is_by_xla = op.node_def.attr[attributes.XLA_COMPILE].b
        callee = template_of(self._outer, called.graph, is_by_xla, self._backwards)
        if callee is None or len(op.outputs) < len(callee.outputs):
            raise UnknownGraphError
        self._traced.call(op, callee)

    def _sweep(self, taken: TakenGradient, state: TapeState) -> None:
        region, ledger, traced = taken.region, self._ledger, self._traced
        self._turn_to(region.stack, "")
        place = self._session.at.f_code, self._session.at.f_lasti
        for op in self._added[region.first : region.end]:
            ledger.hide(op.outputs, place)
        variables = [self._handles.get(each._id) for each in taken.sources]
        sources = [
            variable.handle if variable is not None else each
            for variable, each in zip(variables, outside(self._graph, taken.sources), strict=True)
        ]
        if self._session.at is NOWHERE:  # a library takes it, as `fit` does
            give_name(self._session.log, raw_id(taken.target), region.text.target)
        sweep = Sweep(self._tapes, state)
        sweep.begin([taken.target], sources, variables, [kept_ones(self._session.log, taken.target)])
        for each in taken.pulled:
            logged = op_that_made(traced.traced, tuple(map(raw_id, each.op.outputs)))
            if logged is not None:
                if each.inputs is not None:
                    saved_slots(logged.form, len(logged.outputs)).learn(each.inputs, each.outputs)
                sweep.pull(logged, each.upstream, each.contributions)
                if each.call is not None:
                    traced.passed(self._graph._get_function(each.call.get_attr("f").name).graph, each.call)
                    traced.pulled(logged, sweep)
        sweep.end(sources, taken.gradients)


def branches_in(graph: Any, traced: TracedOps, session: Session, backwards: BackwardGraphs) -> dict[str, Branches]:
    """Of the branches and loops of a graph that no tape in it records, by the names of their ops, the templates."""
    found: dict[str, Branches] = {}
    for op in graph.get_operations():
        if op.type not in _GRAPHS or not traced.is_apart_from_tapes(op):
            continue
        functions = [graph._get_function(op.get_attr(each).name) for each in _GRAPHS[op.type]]
        known = [each.graph for each in functions if each is not None]
        graphs = [template_of(session, each, False, backwards, is_branch=True) for each in known]
        first, other = graphs if len(graphs) == 2 else (None, None)
        if first is not None and other is not None:
            found[op.name] = Branches(op, (first, other))
    return found


_IF, _WHILE = ("then_branch", "else_branch"), ("cond", "body")
_GRAPHS = {"If": _IF, "StatelessIf": _IF, "While": _WHILE, "StatelessWhile": _WHILE}
"""The attributes of an op that are the graphs it runs."""
OWN = "tensorflow."
"""How the names of TensorFlow's own functions begin: a loop that it vectorises stays one op."""
OWN_GRAPHS: WeakSet[Any] = WeakSet()
"""The graphs of these."""
_LOOPS = (LOOPS, while_v2.__file__)
"""The files of TensorFlow's that make a loop out of what the program runs in it."""
_UNKNOWN: WeakSet[Any] = WeakSet()
"""Graphs that no template can be made of."""


class UnknownGraphError(Exception):
    """A graph has an op of which it is not known what a log has of it."""


def template_of(
    session: Session, graph: Any, is_by_xla: bool, backwards: BackwardGraphs, *, is_branch: bool = False
) -> Template | None:
    """The template of a graph, which is made now if no recording has seen it traced; None where there is none."""
    if graph not in TEMPLATES and graph not in _UNKNOWN:
        _UNKNOWN.add(graph)  # until it is known
        reading = GraphReading(session, graph, is_by_xla, backwards, is_branch=is_branch)
        if reading.name.startswith(OWN):
            OWN_GRAPHS.add(graph)
        else:
            try:
                TEMPLATES[graph] = reading.template()
            except UnknownGraphError:
                return None
            _UNKNOWN.discard(graph)
    return TEMPLATES.get(graph)
