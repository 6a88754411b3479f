"""An op of a log -> a function that runs it on other inputs, in double precision too."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from inspect import signature
from typing import Any, TypeAlias

import numpy as np

from tapeviz.diagnosis.numbers.slips import epsilon
from tapeviz.engine.ops import OPS
from tapeviz.errors import LogError
from tapeviz.events import EventLog, OpRecorded, OpSkipped
from tapeviz.events.summary import elements_of
from tapeviz.live.stand_ins import STAND_INS

Primal: TypeAlias = Callable[[Sequence[Any]], Any]
USUAL = {"axis": None, "keepdims": False}
"""Attributes that frameworks omit if they have these values."""
NEAR = 1e-3
"""So far two results may be apart, relative to their size; those of few bits by two roundings."""
INTERNAL = frozenset(("cudnn_enable", "cudnn_enabled", "recomputed"))
"""Attributes that say nothing of what an op computes."""


def primal_of(log: EventLog, op: OpRecorded | OpSkipped, position: int, inputs: Sequence[Any]) -> Primal:
    """A function that runs the op at a position. For a framework's op, it is tapeviz's own, if that gives the same.

    Raises:
        LogError: it is a function of the user's, or the engine has no such op, or one with other results.
    """
    facts = log.facts
    if log.is_users(op):
        how = facts.checks.format(name=op.op)
        raise LogError(f"{op.op} is a function of yours, which only your program can run again: check it by {how}.")
    if facts.reruns_ops:
        return _with_its_signs(log, op, lambda moved: log.evaluate(position, moved))
    problem = LogError(_without_counterpart(op, facts.framework))
    for own in counterparts(op):
        primal = _with_its_signs(log, op, _stand_in(op, own, facts.framework))
        try:
            require_same(log, op, primal(inputs))
        except LogError as error:
            problem = error
        else:
            return primal
    raise problem


def require_same(log: EventLog, op: OpRecorded | OpSkipped, found: Any) -> None:
    """Raise unless this is what was recorded of an op's outputs."""
    for output, ours in zip(op.outputs, found if len(op.outputs) > 1 else (found,), strict=False):
        theirs, within = elements_of(log.value(output)), max(NEAR, 2 * epsilon(log.tensors[output].dtype))
        if theirs is not None and (
            np.shape(ours) != theirs.shape or not np.allclose(ours, theirs, within, within / 100, equal_nan=True)
        ):
            raise LogError(f"tapeviz's own {op.op} gives other numbers than {log.facts.framework}'s did: no check.")


def _options(op: OpRecorded | OpSkipped) -> dict[str, Any]:
    """The options of an op, without switches that are off."""
    return {name: value for name, value in op.attrs if value and name not in INTERNAL}


def _without_counterpart(op: OpRecorded | OpSkipped, framework: str) -> str:
    options = _options(op)
    having = f" with the options {', '.join(options)}" if options and any(_own(op.op)) else ""
    return f"tapeviz has no {op.op} of its own{having} that could stand in for {framework}'s: no check."


def counterparts(op: OpRecorded | OpSkipped) -> Iterator[Callable[..., Any]]:
    """The functions of tapeviz that accept the options of a framework's op and require no others."""
    options = _options(op)
    for own in _own(op.op):
        known = signature(own).parameters.values()
        needed = {each.name for each in known if each.kind is each.KEYWORD_ONLY and each.default is each.empty}
        given = {name for name, _ in op.attrs} | USUAL.keys()
        if options.keys() <= {each.name for each in known} and needed <= given:
            yield own


def _stand_in(op: OpRecorded | OpSkipped, own: Callable[..., Any], framework: str) -> Primal:
    """A function of tapeviz with the options of a framework's op, as a primal."""
    given = options_for(op, own)

    def primal(moved: Sequence[Any]) -> Any:
        try:
            return own(*moved, **given)
        except Exception as error:
            raise LogError(f"tapeviz's own {op.op} cannot run as {framework}'s did: {error}") from error

    return primal


def options_for(op: OpRecorded | OpSkipped, own: Callable[..., Any]) -> dict[str, Any]:
    """The options of a framework's op that a function of tapeviz takes."""
    known = signature(own).parameters
    given = {name: value for name, value in op.attrs if name in known}
    needed = {name for name, each in known.items() if each.default is each.empty}
    return given | {name: value for name, value in USUAL.items() if name in needed and name not in given}


def _own(op: str) -> Iterator[Callable[..., Any]]:
    """The candidates to replace an op: the engine's op of that name, and the function in `stand_ins`."""
    if op in OPS:
        yield OPS[op].primal
    if op in STAND_INS:
        yield STAND_INS[op]


def _with_its_signs(log: EventLog, op: OpRecorded | OpSkipped, primal: Primal) -> Primal:
    """A primal whose vectors of arbitrary sign get the recorded signs, which may depend on the last digits."""
    free = OPS[op.op].facts.free_signs if op.op in OPS else ()
    if not free:
        return primal
    before = {slot: elements_of(log.value(op.outputs[slot])) for slot in free}

    def run(moved: Sequence[Any]) -> Any:
        outputs = list(primal(moved))
        for slot, vectors in before.items():
            if vectors is not None and vectors.shape == outputs[slot].shape:
                along = np.sum(outputs[slot] * vectors.conj(), axis=-2, keepdims=True).real
                outputs[slot] = np.where(along < 0, -outputs[slot], outputs[slot])
        return tuple(outputs)

    return run
