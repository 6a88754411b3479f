"""What a recording does at a function: when, in what order, and with what."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tapeviz.recorders.hooks import When
from tapeviz.recorders.patches import Patches, Wrapped

told: list[Any] = []


class Owner:
    def half(self, number: int, *, of: int = 1) -> float:
        """What is patched."""
        told.append("half")
        return of / number


def tell(*args: Any, **kwargs: Any) -> None:
    told.append((args[1:], kwargs))


def fail(error: Exception) -> None:
    told.append(type(error))


@contextmanager
def block() -> Iterator[None]:
    told.append("in")
    try:
        yield
    finally:
        told.append("out")


def act(half: Any, owner: Owner, number: int, **kwargs: Any) -> Any:
    told.append("act")
    return -half(owner, number, **kwargs)


GIVEN = ((2,), {"of": 6})
ROWS: dict[str, tuple[Callable[[When], Wrapped], list[Any], list[Any]]] = {
    "before": (lambda when: when.before(Owner, "half", tell), [GIVEN, "half"], [((0,), {}), "half"]),
    "after": (lambda when: when.after(Owner, "half", tell), ["half", GIVEN], ["half"]),
    "failed": (lambda when: when.failed(Owner, "half", fail), ["half"], ["half", ZeroDivisionError]),
    "within": (lambda when: when.within(Owner, "half", block), ["in", "half", "out"], ["in", "half", "out"]),
    "instead": (lambda when: when.instead(Owner, "half", act), ["act", "half"], ["act", "half"]),
}
"""What is done -> the row, what happens at a call, and at one that fails."""


@pytest.fixture
def _fresh() -> Iterator[None]:
    told.clear()
    yield
    assert not hasattr(Owner.half, "__wrapped__")


@pytest.mark.usefixtures("_fresh")
@pytest.mark.parametrize("how", ROWS)
def test_it_is_done_while_the_condition_holds(how: str) -> None:
    row, at_a_call, at_a_failure = ROWS[how]
    holds, patches = True, Patches()
    patches.install([row(When(lambda: holds))])
    try:
        assert Owner().half(2, of=6) == (-3.0 if how == "instead" else 3.0)
        assert told == at_a_call
        told.clear()
        with pytest.raises(ZeroDivisionError):
            Owner().half(0)
        assert told == at_a_failure
        told.clear()
        holds = False
        assert Owner().half(2, of=6) == 3.0
        assert told == ["half"]
        assert (Owner.half.__doc__, [*inspect.signature(Owner.half).parameters]) == (
            "What is patched.",
            ["self", "number", "of"],
        )
    finally:
        patches.undo()
