"""A rectifier that is off -> the update before which it was on."""

from __future__ import annotations

from tapeviz.diagnosis.numbers.sweep import Sweep
from tapeviz.diagnosis.wording.places import same_line, site_at
from tapeviz.events import Site, StateWritten
from tapeviz.graph import Op

SMALLER = (
    "Take smaller steps: it was on before that one, and nothing brings it back, since no gradient passes it. A leaky "
    "version has one."
)
"""What to do about units that a training has put out."""


def put_out(sweep: Sweep, position: int) -> Site | None:
    """The line of the first update after which the op of one line, in one layer, is off; None if it never was on."""
    return sweep.call.once(("put out", position), lambda: _put_out(sweep, position))


def _put_out(sweep: Sweep, position: int) -> Site | None:
    graph, log = sweep.call.graph, sweep.call.log
    op, site, leaves = graph.ops[position], site_at(log, position), _leaves(sweep, graph.ops[position])
    before = (at for at, each in graph.ops.items() if at < position and each.op == op.op)
    rounds = [at for at in before if same_line(site_at(log, at), site) and _leaves(sweep, graph.ops[at]) == leaves]
    on = max((at for at in rounds if _is_on(sweep, at)), default=None) if leaves else None
    if on is None:
        return None
    updates = (at for at in range(on, position) if isinstance(log.events[at], StateWritten))
    return next((written for at in updates if (written := site_at(log, at)) is not None), None)


def _leaves(sweep: Sweep, op: Op) -> set[int]:
    """The leaves of the layer that a rectifier follows."""
    made = sweep.call.graph.op_of(op.inputs[0])
    return set() if made is None else {each for each in made.inputs if sweep.call.graph.is_variable(each)}


def _is_on(sweep: Sweep, position: int) -> bool:
    out = sweep.value(sweep.call.graph.ops[position].outputs[0], position)
    return out is not None and bool((out > 0).any())
