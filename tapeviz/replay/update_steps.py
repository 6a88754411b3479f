"""Log, where an optimizer's update begins -> its steps, by what there was before it."""

from __future__ import annotations

from itertools import takewhile
from math import prod
from typing import Any

import numpy as np

from tapeviz.events import EventLog, OptimizerCreated, ParameterUpdated
from tapeviz.events.summary import elements_of
from tapeviz.replay.joint_updates import made_together, turns_until
from tapeviz.replay.optimizers import lbfgs
from tapeviz.replay.optimizers.steps import Array, UpdateStep
from tapeviz.replay.update_rules import update_steps


def made_by(log: EventLog, update: ParameterUpdated) -> OptimizerCreated | None:
    """The optimizer that makes an update, if it is known."""
    made = log.of_kind(OptimizerCreated).values()
    return next((each for each in made if each.optimizer == update.optimizer), None)


def gradient_of(log: EventLog, update: ParameterUpdated) -> Array | None:
    """The gradient that an update goes by, if it was kept."""
    return None if update.gradient is None else elements_of(log.value(update.gradient))


def steps_at(
    log: EventLog, position: int, before: Array, shift: Array | float = 0.0, *, in_double: bool = True
) -> tuple[UpdateStep, ...]:
    """The steps of the update at this position, from the weight before it; none where they are not known.

    `shift` is added to the gradient. What cancels in LBFGS is computed `in_double` precision, or as it would be.
    """
    update = log.events[position]
    if not isinstance(update, ParameterUpdated):
        return ()
    optimizer, gradient, state = made_by(log, update), gradient_of(log, update), _state(log, update)
    if optimizer is None or gradient is None or state is None:
        return ()
    if optimizer.name == "LBFGS":
        kind = np.float64 if in_double else before.dtype.type
        return _of_lbfgs(log, position, update.tensor, before, optimizer, kind)
    options = {**dict(update.options), "gradients": _gradients(log, update, made_together(log, position))}
    counts = {name: options[name] for name in ("step", "mu_product") if isinstance(options.get(name), (int, float))}
    state |= {name: np.asarray(value) for name, value in counts.items()}
    return update_steps(optimizer.name, before, gradient + shift, state, options)


def _state(log: EventLog, update: ParameterUpdated) -> dict[str, Array] | None:
    """What an optimizer has kept for an update, by names; None where the log has not kept all of it."""
    known = zip(update.names, update.state, strict=True)
    found = {name: elements_of(log.value(each)) for name, each in known if each is not None}
    state = {name: value for name, value in found.items() if value is not None}
    return state if len(state) == len(update.names) else None


def _gradients(log: EventLog, update: ParameterUpdated, together: list[ParameterUpdated]) -> list[Array] | None:
    """Those of all parameters that the optimizer changes in the same way; None where one of them was not kept."""
    parts = dict(update.options).get("transformations")
    alike = [each for each in together if dict(each.options).get("transformations") == parts]
    known = [found for each in alike if (found := gradient_of(log, each)) is not None]
    return known if len(known) == len(alike) else None


def _of_lbfgs(
    log: EventLog, position: int, tensor: int, before: Array, optimizer: OptimizerCreated, kind: Any
) -> tuple[UpdateStep, ...]:
    """The steps of all parameters in a row, of which this one has a part."""
    turns = turns_until(log, position)
    state, options = _state(log, turns[0][0]), dict(turns[0][0].options)
    flat = [_in_a_row(log, each, optimizer.parameters) for each in turns]
    gradients = [each for each in flat if each is not None]
    if state is None or len(gradients) < len(flat) or "n_iter" not in options or options.get("line_search_fn"):
        return ()
    others = takewhile(lambda each: each != tensor, optimizer.parameters)
    start = sum(prod(log.tensors[each].shape) for each in others)

    def own(value: Array) -> Array:
        return value[start : start + before.size].reshape(before.shape) if value.shape else value

    found = tuple(each._replace(value=own(each.value)) for each in lbfgs.steps(gradients, state, options, kind))
    return (*found, UpdateStep("new weight", "w + t d", before + found[-1].value))


def _in_a_row(log: EventLog, updates: list[ParameterUpdated], parameters: tuple[int, ...]) -> Array | None:
    """The gradients of an optimizer's parameters; None where one has none, or is too large to be kept."""
    known = [found.ravel() for each in updates if (found := gradient_of(log, each)) is not None]
    is_whole = [each.tensor for each in updates] == [*parameters] and len(known) == len(updates)
    return np.concatenate(known) if is_whole else None
