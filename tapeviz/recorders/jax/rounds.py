"""Calls of `lax.scan`, `cond` and the like -> a look at the gradient calls in the first round, or in the branch taken.

JAX traces the functions that they are given, and runs them itself. So these are called once more, with what the first
round has; of the program's call nothing is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import CodeType
from typing import Any, NamedTuple

import jax
from jax import lax, tree_util
from jax._src import core as traces

from tapeviz.errors import StoppedError
from tapeviz.recorders.jax.arguments import is_array
from tapeviz.recorders.jax.gradient_calls import GradientCalls
from tapeviz.recorders.jax.inside import Level, Probe, inside
from tapeviz.recorders.jax.levels import lowered_value
from tapeviz.recorders.jax.places import Place
from tapeviz.recorders.jax.session import Session
from tapeviz.recorders.patches import Row

AFTER = "after the first of {} rounds of `lax.{}`, which alone is recorded"
LATER = "in any later round of `lax.{}`: the first alone is recorded"
"""Why gradient calls are not seen beside the one that is."""


class FirstCall(NamedTuple):
    """A function that JAX runs, what it is given first, `when` it runs at all, and why it is not seen another time."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    when: Any = True
    others: str | None = None


Parts = Callable[..., list[FirstCall]]
"""The arguments of one of JAX's functions -> what it runs."""


class Rounds:
    """The program's calls of JAX's control flow, each of which is looked into after it has run, or been traced."""

    def __init__(self, session: Session, calls: GradientCalls) -> None:
        self._session = session
        self._calls = calls
        self._without: set[tuple[CodeType, int]] = set()

    def rows(self) -> list[Row]:
        """Hooks at the functions that a program calls."""
        return [self._session.here.instead(lax, name, self._looking(parts)) for name, parts in _PARTS.items()]

    def _looking(self, parts: Parts) -> Callable[..., Any]:
        def run(original: Any, *args: Any, **named: Any) -> Any:
            session = self._session
            if not session.is_seen or jax.config.jax_disable_jit:  # type: ignore[attr-defined]  # then Python runs it
                return original(*args, **named)
            with self._calls.holding_back() as unseen, session.failing():
                result = original(*args, **named)
            place = session.here_now()
            try:
                is_seen = self._look_after(place, parts, args, named)
            except StoppedError:
                raise
            except Exception:  # what can be called once more by JAX alone is as before
                is_seen = False
            if not is_seen:
                self._calls.let_go(unseen)
            return result

        return run

    def _look_after(self, place: Place, parts: Parts, args: Sequence[Any], named: Mapping[str, Any]) -> bool:
        """Whether gradient calls are met in what has run, with the arrays that it was given, or has been traced."""
        session, probe = self._session, self._session.probe
        if probe is not None:
            return _look(probe, parts, args, named)
        if (place.code, place.lasti) in self._without:
            return False
        leaves, structure = tree_util.tree_flatten((args, named))
        slots = [slot for slot, each in enumerate(leaves) if is_array(each)]
        arrays = [leaves[slot] for slot in slots]

        def first(values: Sequence[Any]) -> None:
            given = dict(zip(slots, values, strict=True))
            every = [given.get(slot, each) for slot, each in enumerate(leaves)]
            if session.probe is not None:
                _look(session.probe, parts, *tree_util.tree_unflatten(structure, every))

        found = inside(first, arrays, place, session.probing)
        if not found.calls and not found.unseen:
            self._without.add((place.code, place.lasti))
            return False
        with session.paused():
            self._calls.inside(found, place, found.computed(arrays))
        return True


def _look(probe: Probe, parts: Parts, args: Sequence[Any], named: Mapping[str, Any]) -> bool:
    """Call what JAX runs, so that its gradient calls come to the probe; whether there are any."""
    before = len(probe.calls) + len(probe.unseen)
    for part in parts(*args, **named):
        with probe.within(Level(lowered_value(part.when, traces.trace_ctx.trace), part.others)):
            part.function(*tree_util.tree_map(_as_array, part.arguments))
    return len(probe.calls) + len(probe.unseen) > before


def _as_array(value: Any) -> Any:
    return jax.numpy.asarray(value) if isinstance(value, (bool, int, float, complex)) else value


def _scan(f: Any, init: Any, xs: Any = None, length: Any = None, reverse: bool = False, **_: Any) -> list[FirstCall]:
    lengths = {len(each) for each in tree_util.tree_leaves(xs)} or {length}
    [rounds] = lengths
    first = tree_util.tree_map(lambda each: each[-1 if reverse else 0], xs) if rounds else xs
    return [FirstCall(f, (init, first), others=_others("scan", rounds))] if rounds else []


def _map(f: Any, xs: Any, **_: Any) -> list[FirstCall]:
    def body(_: Any, x: Any) -> Any:
        return f(x)

    return [each._replace(others=_others("map", len(tree_util.tree_leaves(xs)[0]))) for each in _scan(body, None, xs)]


def _fori_loop(lower: Any, upper: Any, body_fun: Any, init_val: Any, **_: Any) -> list[FirstCall]:
    known = not any(isinstance(each, jax.core.Tracer) for each in (lower, upper))
    rounds = int(upper) - int(lower) if known else None
    return [FirstCall(body_fun, (lower, init_val), lower < upper, _others("fori_loop", rounds))]


def _while_loop(cond_fun: Any, body_fun: Any, init_val: Any) -> list[FirstCall]:
    init_val = tree_util.tree_map(_as_array, init_val)
    return [FirstCall(body_fun, (init_val,), cond_fun(init_val), _others("while_loop", None))]


def _cond(pred: Any, true_fun: Any, false_fun: Any, *operands: Any, **named: Any) -> list[FirstCall]:
    given = (*operands, *named.values())
    return [FirstCall(true_fun, given, pred), FirstCall(false_fun, given, jax.numpy.logical_not(pred))]


def _switch(index: Any, branches: Sequence[Any], *operands: Any, **named: Any) -> list[FirstCall]:
    taken, given = jax.numpy.clip(index, 0, len(branches) - 1), (*operands, *named.values())
    return [FirstCall(branch, given, taken == slot) for slot, branch in enumerate(branches)]


def _others(name: str, rounds: int | None) -> str | None:
    """Why the gradients of the other rounds are not seen, if there are any."""
    if rounds is None:
        return LATER.format(name)
    return AFTER.format(rounds, name) if rounds > 1 else None


_PARTS: dict[str, Parts] = {
    "scan": _scan,
    "map": _map,
    "fori_loop": _fori_loop,
    "while_loop": _while_loop,
    "cond": _cond,
    "switch": _switch,
}
