"""Steps of optax -> what each goes by, and what the new arrays are of which variable.

An optimizer of optax is a pair of functions: `update` makes of gradients what `apply_updates` adds to parameters. Both
are seen where the program calls them itself, not in a function that JAX compiles.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
from jax import tree_util

from tapeviz.events.attrs import Attrs
from tapeviz.events.raw import next_id
from tapeviz.events.types import OptimizerCreated, OptimizerStepped, ParameterUpdated, StateWritten
from tapeviz.recorders.jax.arithmetic import Arithmetic
from tapeviz.recorders.jax.session import Session
from tapeviz.recorders.jax.transformations import hyperparameters
from tapeviz.recorders.jax.values import kept
from tapeviz.recorders.patches import Row, Wrapped


@dataclass(frozen=True)
class _Update:
    """What an optimizer has made of a gradient: the array is held, so that no other has its identity."""

    array: Any
    optimizer: Any
    gradient: Any
    state: dict[str, Any]
    options: Attrs


class OptaxSteps:
    """Hooks at the functions of optax that a training step calls, if the program has imported it."""

    def __init__(self, session: Session, arithmetic: Arithmetic) -> None:
        self._session = session
        self._arithmetic = arithmetic
        self._updates: dict[int, _Update] = {}
        self._numbers: dict[int, tuple[Any, int]] = {}
        self._is_inside = False

    def rows(self) -> list[Row]:
        """The field of an optimizer, and functions where a program finds them."""
        base, here = sys.modules.get("optax._src.base"), self._session.here
        if base is None:
            return []
        self._session.ledger.keeps_variables = True
        owners = [sys.modules["optax"], sys.modules["optax._src.update"]]
        return [
            Wrapped(base.GradientTransformation, "update", self._field),
            *(here.instead(each, "apply_updates", self._apply) for each in owners),
            *(here.instead(each, "incremental_update", self._average) for each in owners),
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
        if self._sees(updates):
            with self._session.noting(), self._session.paused():
                self._keep(optimizer, updates, state, params, result[0])
        return result

    def _sees(self, tree: Any) -> bool:
        session = self._session
        arrays = tree_util.tree_leaves(tree)
        return (
            session.is_here
            and session.probe is None
            and all(isinstance(each, jax.Array) for each in arrays)
            and (not any(isinstance(each, jax.core.Tracer) for each in arrays))
        )

    def _keep(self, optimizer: Any, gradients: Any, state: Any, params: Any, results: Any) -> None:
        paths, leaves = _with_paths(gradients)
        arrays = tree_util.tree_leaves(results)
        if len(arrays) != len(leaves):
            return
        options = hyperparameters(optimizer.update, state, gradients if params is None else params)
        self._updates = {
            id(result): _Update(result, optimizer, leaf, _state_of(state, path), options[slot])
            for slot, (path, leaf, result) in enumerate(zip(paths, leaves, arrays, strict=True))
        }

    def _apply(self, apply: Any, params: Any, updates: Any) -> Any:
        with self._session.paused(), self._session.failing():
            result = apply(params, updates)
        if self._sees(result):
            with self._session.noting():
                self._note(*map(tree_util.tree_leaves, (params, updates, result)))
        return result

    def _note(self, before: Sequence[Any], updates: Sequence[Any], after: Sequence[Any]) -> None:
        session, known = self._session, [self._updates.get(id(each)) for each in updates]
        found = [(old, each, new) for old, each, new in zip(before, known, after, strict=True) if each is not None]
        self._updates = {}
        if not found:
            return
        session.log.sign("jax")
        ids = tuple(self._id_of(old) for old, _, _ in found)
        number = self._number(found[0][1].optimizer, ids)
        for raw, (_, each, _) in zip(ids, found, strict=True):
            entry = self._arithmetic.entry_of(each.gradient)
            values = (None, *(kept(session.log, value) for value in each.state.values()))
            session.note(ParameterUpdated, entry, raw, values, (number, tuple(each.state), each.options))
        session.note(OptimizerStepped, ids, None, None, number)
        for raw, (old, _, new) in zip(ids, found, strict=True):
            session.ledger.go_on(old, new, raw)
            session.note(StateWritten, None, raw, kept(session.log, new), "apply_updates")

    def _number(self, optimizer: Any, parameters: tuple[int, ...]) -> int:
        """The number of an optimizer, whose list is what it steps with first."""
        if id(optimizer) not in self._numbers:
            number = next_id()
            self._numbers[id(optimizer)] = optimizer, number
            self._session.note(OptimizerCreated, parameters, None, None, (number, "optax"))
        return self._numbers[id(optimizer)][1]

    def _id_of(self, array: Any) -> int:
        return self._arithmetic.entry_of(array, "variable")

    def _average(self, average: Any, new: Any, old: Any, step_size: Any) -> Any:
        """`optax.incremental_update`: a running average, which goes on as the same variable."""
        with self._session.paused(), self._session.failing():
            result = average(new, old, step_size)
        if self._sees(result):
            with self._session.noting():
                for one, other, each in zip(*map(tree_util.tree_leaves, (new, old, result)), strict=True):
                    if self._session.ledger.id_of(one) is not None:
                        raw = self._id_of(other)
                        entry = self._arithmetic.write("lerp", (raw, self._id_of(one)), each)
                        self._session.ledger.go_on(other, each, raw)
                        self._session.note(StateWritten, entry, raw, kept(self._session.log, each), "assign")
        return result


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
