"""An optimizer of optax -> the transformations that it chains, and their numbers.

Each is a function of optax that has its numbers as variables of the function around it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from typing import Any, NamedTuple

from jax import tree_util

from tapeviz.events.attrs import Attrs
from tapeviz.recorders.jax.printing import Muted

_AROUND = {"chain", "with_extra_args_support", "masked", "named_chain", "partition"}
_OF_ALL = {"lr", "weight_decay"}
"""Numbers that an optimizer has once."""
_RATE = {"scale", "scale_by_schedule"}


class Transformation(NamedTuple):
    """One of them: the function that made it, its numbers and functions, and the mask of what it changes, if any."""

    name: str
    variables: dict[str, Any]
    mask: Any


def transformations(update: Callable[..., Any], mask: Any = None) -> Iterator[Transformation]:
    """The transformations of an optimizer, by its `update`, in the order in which they are applied."""
    variables = _variables(update)
    name = update.__qualname__.partition(".")[0]
    if name not in _AROUND:
        yield Transformation(name, variables, mask)
        return
    for inner in variables.get("update_fns") or (variables.get("tx") or variables.get("inner"),):
        if inner is not None:
            yield from transformations(getattr(inner, "update", inner), variables.get("mask", mask))


def _variables(function: Callable[..., Any]) -> dict[str, Any]:
    cells: tuple[Any, ...] = getattr(function, "__closure__", None) or ()
    names = function.__code__.co_freevars if cells else ()
    return {name: each.cell_contents for name, each in zip(names, cells, strict=True)}


def hyperparameters(update: Callable[..., Any], state: Any, params: Any, is_compiled: bool) -> list[Attrs]:
    """The numbers by which an optimizer changes each leaf of the parameters: its transformations, each with its own.

    `lr` is the learning rate of this step, where a factor is one; `compiled`, whether JAX has compiled the step.
    """
    parts, leaves = list(transformations(update)), tree_util.tree_leaves(params)
    count = _count(state)
    found: list[dict[str, Any]] = [{"library": "optax", "step": count, "compiled": is_compiled} for _ in leaves]
    for part in parts:
        numbers = {name: each for name, each in part.variables.items() if isinstance(each, (bool, int, float))}
        if part.name in _RATE:
            numbers = {"lr": -_factor(part, count)}
        for slot, is_meant in enumerate(_mask(part.mask, params, len(leaves))):
            if is_meant:
                found[slot] |= {name: each for name, each in numbers.items() if name in _OF_ALL}
                part_of_it = part.name, tuple(numbers.items())
                found[slot]["transformations"] = (*found[slot].get("transformations", ()), part_of_it)
    return [tuple(each.items()) for each in found]


def _factor(part: Transformation, count: int) -> float:
    """What a transformation multiplies by: a number, or what a schedule gives for this step."""
    if "step_size" in part.variables:
        return float(part.variables["step_size"])
    with redirect_stdout(Muted()):
        return float(part.variables["step_size_fn"](count))


def _count(state: Any) -> int:
    """How many steps an optimizer has taken."""
    for path, leaf in tree_util.tree_flatten_with_path(state)[0]:
        if path and isinstance(path[-1], tree_util.GetAttrKey) and path[-1].name == "count":
            return int(leaf)
    return 0


def _mask(mask: Any, params: Any, size: int) -> list[bool]:
    """Which leaves a transformation changes."""
    if mask is None:
        return [True] * size
    chosen = tree_util.tree_leaves(mask(params) if callable(mask) else mask)
    return [bool(each) for each in chosen] if len(chosen) == size else [False] * size
