"""A rectifier that is off -> the update before which it was on."""

from __future__ import annotations

from collections.abc import Iterator

from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.events import Site, StateWritten
from tapeviz.graph import Op
from tapeviz.source.places import same_line, site_at

SMALLER = (
    "Take smaller steps: it was on before that one, and nothing brings it back, since no gradient passes it. A leaky "
    "version has one."
)
"""What to do about units that a training has switched off."""


def update_before(call: GradientCall, position: int) -> Site | None:
    """The line of the first update after which the op of one line, in one layer, is off; None if it never was on."""
    return call.once(("update before", position), lambda: _update_before(call, position))


def _update_before(call: GradientCall, position: int) -> Site | None:
    log = call.log
    on = next((at for at in _earlier(call, position) if _is_on(call, at)), None)
    updates = () if on is None else range(on, position)
    sites = (site_at(log, at) for at in updates if isinstance(log.events[at], StateWritten))
    return next((each for each in sites if each is not None), None)


def _earlier(call: GradientCall, position: int) -> Iterator[int]:
    """The ops of the same line that followed the same layer before, the last of them first."""
    graph, log = call.graph, call.log
    op, leaves = graph.ops[position], _leaves(call, graph.ops[position])
    layers = [at for at, _ in graph.consumers(min(leaves)) if at < position] if leaves else []
    for layer in reversed(layers):
        after = [at for each in graph.ops[layer].outputs for at, _ in graph.consumers(each)]
        for at in after:
            is_same = graph.ops[at].op == op.op and same_line(site_at(log, at), site_at(log, position))
            if is_same and at < position and _leaves(call, graph.ops[at]) == leaves:
                yield at


def _leaves(call: GradientCall, op: Op) -> set[int]:
    """The leaves of the layer that a rectifier follows."""
    made = call.graph.op_of(op.inputs[0])
    return set() if made is None else {each for each in made.inputs if call.graph.is_variable(each)}


def _is_on(call: GradientCall, position: int) -> bool:
    out = call.numbers.value(call.graph.ops[position].outputs[0], position)
    return out is not None and bool((out > 0).any())
