"""EventLog, a parameter -> Update: the way from its gradient to its new weight, and what of it did not change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from tapeviz.diagnosis.comparing.equations import equation
from tapeviz.diagnosis.comparing.rounding import SURE, of_sum
from tapeviz.diagnosis.numbers.slips import epsilon
from tapeviz.diagnosis.wording.places import words
from tapeviz.errors import LogError
from tapeviz.events import (
    EventLog,
    GradientStored,
    ParameterUpdated,
    Site,
    log_of,
)
from tapeviz.events.summary import elements_of, norm
from tapeviz.markup.table import Toned, grid
from tapeviz.phrases import counted, side_by_side
from tapeviz.replay.optimizers.steps import UpdateStep
from tapeviz.replay.update_steps import gradient_of, made_by, steps_at
from tapeviz.replay.written import Written, updates_of
from tapeviz.source.places import site_at
from tapeviz.validation import whole
from tapeviz.views.words import numbers

Array: TypeAlias = "np.ndarray[Any, Any]"
ROUNDINGS = 32
"""How many roundings of its largest entry a gradient may be off that was computed again."""
BACKENDS_APART = 1e-5
"""How far, of its largest entry, an update of Keras' may be off: each backend computes in an order of its own."""


@dataclass(frozen=True)
class Update:
    """One update of one parameter: `before`, its `steps` in order, and `after`, what the optimizer wrote.

    `steps` begin with the gradient, and end with the new weight as the formulas give it, `after` withheld; where the
    optimizer's rule is not known they are none. `dtype` is that of the parameter; `uncertain` is by how much the new
    weight changes with the roundings of a gradient that was computed again for the log, or of LBFGS' products. As text,
    and in a notebook, it is a table.
    """

    parameter: str
    optimizer: str | None
    number: int
    site: Site | None
    dtype: str
    before: Array
    after: Array
    steps: tuple[UpdateStep, ...]
    uncertain: Array | float = 0.0

    @property
    def difference(self) -> Array:
        """What was added to the weight."""
        found: Array = self.after.astype(np.float64) - self.before.astype(np.float64)
        return found

    @property
    def ratio(self) -> float:
        """The norm of what was added, relative to that of the weight."""
        size = norm(self.before)
        return norm(self.difference) / size if size else float("inf") if self.difference.any() else 0.0

    @property
    def unchanged(self) -> dict[str, int]:
        """How many entries did not change, by the reason: no gradient, a learning rate of zero, or rounded away."""
        same = self.after == self.before
        if not self.steps:
            return {"the same number was written": int(same.sum())} if same.any() else {}
        named = {step.name: step.value for step in self.steps}
        moved = named["new weight"] != self.before
        gradient = named["gradient"]
        reasons = {
            f"rounded away in {self.dtype}": same & moved,
            "the gradient is zero": same & ~moved & (gradient == 0),
            "the update is zero, and the gradient is not": same & ~moved & (gradient != 0),
        }
        return {reason: int(found.sum()) for reason, found in reasons.items() if found.any()}

    @property
    def is_as_computed(self) -> bool | None:
        """Whether the optimizer wrote what the formulas give; None where there are none.

        It may be off by the last digit for each time that the weight is written, and by a rounding of the largest entry
        of the update for each formula.
        """
        if not self.steps:
            return None
        due, wrote = self.steps[-1].value, self.after.astype(np.float64)
        last_digit = np.exp2(np.frexp(due)[1] - 1) * epsilon(self.dtype)
        writes = sum(each.name.endswith("weight") for each in self.steps)
        least = max(epsilon(self.dtype), *(epsilon("bfloat16") for each in self.steps if "bfloat16" in each.name), 0.0)
        roundings = len(self.steps) * least / 2 * np.abs(self.steps[-2].value).max(initial=0.0)
        return bool((np.abs(due - wrote) <= writes * last_digit + roundings + self.uncertain).all())

    def __str__(self) -> str:
        rows = [(name, formula, *cells) for name, formula, cells in self._rows()]
        told = side_by_side([("", "formula", "norm", "numbers"), *rows])
        return "\n".join([self._title, *(f"  {line}" for line in told), *(f"  {each}" for each in self._remarks())])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows: list[tuple[str, list[Toned]]] = [
            (name, [(formula, ""), *((cell, "soft") for cell in cells)]) for name, formula, cells in self._rows()
        ]
        return grid("; ".join([self._title, *self._remarks()]), ("formula", "norm", "numbers"), rows)

    @property
    def _title(self) -> str:
        by = "" if self.optimizer is None else f" by {self.optimizer}"
        return f"update {self.number} of {self.parameter}{by}, {words(self.site)}:"

    def _rows(self) -> Iterator[tuple[str, str, tuple[str, str]]]:
        steps = self.steps or (UpdateStep("difference", "new weight - w", self.difference),)
        for each in (UpdateStep("weight", "w", self.before), *steps, UpdateStep("written", "", self.after)):
            yield each.name, each.formula, (numbers.number(norm(each.value)), numbers.short_text(each.value))

    def _remarks(self) -> Iterator[str]:
        size = self.before.size
        yield f"the update is {self.ratio:.1e} of the weight"
        for reason, count in self.unchanged.items():
            yield f"{count:,} of {counted(size, 'entry')} did not change: {reason}"
        if self.is_as_computed is False:
            yield "the optimizer wrote something else than its formulas give"
        if not self.steps:
            yield "the rule of the optimizer, or the gradient that it got, is not known: the difference is all there is"


def update(log_or_tape: Any, parameter: Any, number: int = -1) -> Update:
    """The way from the gradient of a parameter to its new weight, step by step, as the optimizer goes it.

    Of SGD, Adam, AdamW, Adagrad, RMSprop and NAdam, those of PyTorch, Keras and optax, and of PyTorch's Adafactor, Muon
    and LBFGS the new weight is computed from the old one, the gradient, the state and the hyperparameters, in whichever
    way these are implemented; of other optimizers there are the weight before and after, and the difference. Of
    parameters above 4 KiB a recording of PyTorch keeps no copies.

    A step of LBFGS calls its closure for each of several updates. Each goes by the products of all its parameters, of
    which the steps show the part of this one. With a line search the weights that are tried are updates, too, and have
    no steps.

    Args:
        log_or_tape: a log, or anything with `.log`.
        parameter: the parameter, or its name.
        number: which update of it, counted from 0; by default the last one.

    Returns:
        The steps with their formulas and numbers, the ratio of update to weight, and how many entries did not change
        and why.

    Raises:
        LogError: the log does not have the parameter, or no update of it whose numbers were kept.
        IndexError: there is no such update.
        TypeError: a number that is no whole number.

    >>> import tapeviz as tv
    >>> w = tv.Variable([1.0, 2.0], name="w")
    >>> with tv.record() as log:
    ...     with tv.GradientTape() as tape:
    ...         loss = tv.reduce_sum(w * w)
    ...     _ = w.assign_sub(0.25 * tape.gradient(loss, w))
    >>> update(log, w).difference
    array([-0.5, -1. ])
    """
    log, number = log_of(log_or_tape), whole(number, "number", "the number of an update, counted from 0")
    tensor = log.id_of(parameter)
    updates = updates_of(log, tensor)
    name = log.tensors[tensor].name or "the parameter"
    if not updates:
        replaced = " An array that replaces another is seen where `optax.apply_updates` gives it."
        why = replaced if log.facts.differentiates_arguments else ""
        raise LogError(f"The log has no update of {name}: let `record()` go around the step, too.{why}")
    if not -len(updates) <= number < len(updates):
        raise IndexError(f"update {number}: the log has {len(updates)} of {name}, counted from 0.")
    found = updates[number]
    before, after = (elements_of(log.value(tensor, each)) for each in (found.first - 1, found.last))
    if before is None or after is None:
        raise LogError(
            f"The values of {name} were not kept: a log keeps those of up to 4 KiB, where its budget lets it."
        )
    since = updates[number - 1].last if number % len(updates) else -1
    optimizer, steps, uncertain = _steps(log, found, since, before)
    site, dtype = site_at(log, found.last), log.tensors[tensor].dtype
    return Update(name, optimizer, number % len(updates), site, dtype, before, after, steps, uncertain)


def _steps(
    log: EventLog, update: Written, since: int, before: Array
) -> tuple[str | None, tuple[UpdateStep, ...], Array | float]:
    """The optimizer that made an update, its steps there, and by how much the last of them may be off.

    So it is where a gradient was computed again, or numbers cancel that were rounded.
    """
    found = None if update.goes_by is None else log.events[update.goes_by]
    if update.goes_by is None or not isinstance(found, ParameterUpdated):
        return None, (), 0.0
    optimizer, gradient = made_by(log, found), gradient_of(log, found)
    name = None if optimizer is None else optimizer.name
    computed = steps_at(log, update.goes_by, before)
    if gradient is None or not computed:
        return name, (), 0.0
    is_of_keras = dict(found.options).get("library") == "keras"
    if log.facts.computes_gradients_again or is_of_keras:  # in a function that is compiled
        rounding = ROUNDINGS * epsilon(log.tensors[found.tensor].dtype) * np.abs(gradient).max(initial=0.0)
        nearby = [steps_at(log, update.goes_by, before, each) for each in (-rounding, rounding)]
        uncertain = np.max([np.abs(each[-1].value - computed[-1].value) for each in nearby], axis=0)
        uncertain += BACKENDS_APART * is_of_keras * np.abs(computed[-2].value).max(initial=0.0)
    else:
        rounded = steps_at(log, update.goes_by, before, in_double=False)
        uncertain = ROUNDINGS * np.abs(rounded[-1].value - computed[-1].value).max(initial=0.0)
    return name, (*_gradients(log, found.tensor, since, update.first, gradient), *computed), uncertain


def _gradients(log: EventLog, tensor: int, since: int, at: int, gradient: Array) -> Iterator[UpdateStep]:
    """The gradient that the step got; before it the one that arrived, where that was another, as before a clip."""
    stores = log.of_kind(GradientStored).items()
    stored = [each for place, each in stores if each.tensor == tensor and since < place < at]
    total = elements_of(log.value(stored[-1].gradient)) if stored else None
    if total is None or total.shape != gradient.shape:
        yield UpdateStep("gradient", "g", gradient)
        return
    calls = 1
    for each in reversed(stored):
        if not each.accumulated:
            break
        calls += 1
    changed = equation(total, gradient, SURE * of_sum(log.tensors[tensor].dtype, 2))
    if calls > 1 or not changed.same:
        yield UpdateStep("gradient that arrived", f"sum of {calls} calls" if calls > 1 else "", total)
    yield UpdateStep("gradient", "g" if changed.same else changed.text("what arrived", "g", "g"), gradient)
