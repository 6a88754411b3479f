"""Steps of optax -> what each goes by, and what the new arrays are of which variable.

An optimizer of optax is a pair of functions: `update` makes of gradients what `apply_updates` adds to parameters. Where
a program calls both in a function that JAX compiles, they are seen as that is looked into.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Sequence
from itertools import repeat
from typing import Any, NamedTuple

from jax import tree_util

from tapeviz.events.attrs import Attrs
from tapeviz.events.types import StateWritten
from tapeviz.recorders.jax.arithmetic import Arithmetic
from tapeviz.recorders.jax.inside import TracedStep, WrittenLeaf
from tapeviz.recorders.jax.session import Session
from tapeviz.recorders.jax.steps import LoggedSteps
from tapeviz.recorders.jax.transformations import hyperparameters
from tapeviz.recorders.jax.values import kept
from tapeviz.recorders.patches import Row, Wrapped

MOST_OPTIMIZERS = 8
"""How many may have made their updates before the first applies its own."""


class _Update(NamedTuple):
    """What an optimizer has made of gradients and its state: held, so that nothing else has the identity of a part."""

    optimizer: Any
    gradients: Any
    state: Any
    results: Any


class _OptaxRule:
    """A pair of functions of optax."""

    name = "optax"
    writes = "apply_updates"

    def __init__(self, optimizer: Any) -> None:
        self.optimizer = optimizer

    def goes_by(self, state: Any, params: Any, is_compiled: bool) -> list[tuple[dict[str, Any], Attrs]]:
        """The arrays at the path of a leaf, and the numbers of the transformations."""
        paths, _ = _with_paths(params)
        options = hyperparameters(self.optimizer.update, state, params, is_compiled)
        return [(_state_of(state, path), each) for path, each in zip(paths, options, strict=True)]


class OptaxSteps:
    """Hooks at the functions of optax, and Equinox' own, that a training step calls, if the program has imported it."""

    def __init__(self, session: Session, arithmetic: Arithmetic, steps: LoggedSteps) -> None:
        self._session = session
        self._arithmetic = arithmetic
        self._steps = steps
        self._made: deque[_Update] = deque(maxlen=MOST_OPTIMIZERS)
        self._is_inside = False

    def rows(self) -> list[Row]:
        """The field of an optimizer, and functions where a program finds them."""
        base, here = sys.modules.get("optax._src.base"), self._session.here
        if base is None:
            return []
        self._session.ledger.keeps_variables = True
        hooks = (
            ("optax", "apply_updates", self._apply),
            ("equinox", "apply_updates", self._apply),
            ("optax", "incremental_update", self._average),
        )
        return [
            Wrapped(base.GradientTransformation, "update", self._field),
            *(
                here.instead(module, name, hook)
                for package, name, hook in hooks
                for module in _modules_with(package, name)
            ),
        ]

    def _field(self, field: Any) -> Any:
        def read(optimizer: Any) -> Any:
            update = field.__get__(optimizer)
            if self._is_inside or not self._session.is_here:
                return update

            def call(updates: Any, state: Any, params: Any = None, **more: Any) -> Any:
                return self._update(update, optimizer, updates, state, params, more)

            return call

        return property(read)

    def _update(
        self, update: Callable[..., Any], optimizer: Any, updates: Any, state: Any, params: Any, more: dict[str, Any]
    ) -> Any:
        """Let an optimizer make its updates, and keep what it has made them of."""
        self._is_inside = True
        try:
            with self._session.paused(), self._session.failing():
                result = update(updates, state, params, **more)
        finally:
            self._is_inside = False
        if self._steps.sees(updates):
            self._made.append(_Update(optimizer, updates, state, result[0]))
        return result

    def _apply(self, apply: Any, params: Any, updates: Any) -> Any:
        with self._session.paused(), self._session.failing():
            result = apply(params, updates)
        place = self._session.here_now()
        with self._session.noting():
            before, after = (_updated_part(each, updates) for each in (params, result))
            if self._steps.sees(after) and (step := self._step(before, updates, after)):
                self._steps.found(place, step)
        return result

    def _step(self, params: Any, updates: Any, result: Any) -> TracedStep | None:
        """The step in which updates are applied to parameters, and the optimizer that has made them, if it is known."""
        before, applied, after = map(tree_util.tree_leaves, (params, updates, result))
        made = next((each for each in self._made if _are_one(tree_util.tree_leaves(each.results), applied)), None)
        if made is None:
            known = (self._session.ledger.id_of(each) for each in before)
            is_followed = self._session.probe is not None or any(each is not None for each in known)
            written = map(WrittenLeaf, range(len(before)), before, repeat(None), after)
            return TracedStep(None, None, params, [*written]) if is_followed and len(before) == len(after) else None
        self._made = deque((each for each in self._made if each is not made), MOST_OPTIMIZERS)
        gradients = tree_util.tree_leaves(made.gradients)
        if not len(before) == len(gradients) == len(after):
            return None
        written = map(WrittenLeaf, range(len(before)), before, gradients, after)
        return TracedStep(_OptaxRule(made.optimizer), made.state, params, [*written])

    def _average(self, average: Any, new: Any, old: Any, step_size: Any) -> Any:
        """`optax.incremental_update`: a running average, which goes on as the same variable."""
        with self._session.paused(), self._session.failing():
            result = average(new, old, step_size)
        if self._session.probe is None and self._steps.sees(result):
            with self._session.noting():
                for one, other, each in zip(*map(tree_util.tree_leaves, (new, old, result)), strict=True):
                    if self._session.ledger.id_of(one) is not None:
                        raw = self._arithmetic.entry_of(other, "variable")
                        entry = self._arithmetic.write("lerp", (raw, self._arithmetic.entry_of(one, "variable")), each)
                        self._session.ledger.go_on(other, each, raw)
                        self._session.note(StateWritten, entry, raw, kept(self._session.log, each), "assign")
        return result


def _modules_with(library: str, name: str) -> list[Any]:
    """The modules in which a library's function has this name: the program's own may have imported it."""
    function = getattr(sys.modules.get(library), name, None)
    every = [] if function is None else [*sys.modules.values()]
    return [each for each in every if getattr(each, "__dict__", {}).get(name) is function]


def _updated_part(tree: Any, updates: Any) -> Any:
    """What of a tree there are updates of: a model of Equinox' has functions in it, too."""
    return tree_util.tree_map(
        lambda update, leaf: None if update is None else leaf, updates, tree, is_leaf=lambda each: each is None
    )


def _are_one(arrays: Sequence[Any], others: Sequence[Any]) -> bool:
    return [*map(id, arrays)] == [*map(id, others)]


def _with_paths(tree: Any) -> tuple[list[tuple[Any, ...]], list[Any]]:
    paths, _ = tree_util.tree_flatten_with_path(tree)
    return [path for path, _ in paths], [leaf for _, leaf in paths]


def _state_of(state: Any, path: tuple[Any, ...]) -> dict[str, Any]:
    """What is kept of a parameter: the arrays at the same path, below the field that says what they are."""
    found: dict[str, Any] = {}
    for at, leaf in zip(*_with_paths(state), strict=True):
        field = at[len(at) - len(path) - 1] if len(at) > len(path) else None
        if at[len(at) - len(path) :] == path and isinstance(field, tree_util.GetAttrKey):
            found.setdefault(field.name, leaf)
    return found
