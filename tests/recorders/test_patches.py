"""What recordings wrap is as it was when they are done, in whatever order they end."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tapeviz.recorders.hooks import When
from tapeviz.recorders.patches import Patches, Registered, Swapped, Wrapped, replaced


class Base:
    @staticmethod
    def inherited() -> str:
        return "i"


class Owner(Base):
    @staticmethod
    def own() -> str:
        return "o"


def adding(letter: str) -> Callable[[Any], Any]:
    return lambda before: staticmethod(lambda: (before() if before is not None else "") + letter)


@pytest.fixture(autouse=True)
def _as_it_was() -> Any:
    before = dict(vars(Owner))
    yield
    assert dict(vars(Owner)) == before


@pytest.mark.parametrize("name", ["own", "inherited"])
@pytest.mark.parametrize("first", [0, 1])
def test_two_recordings_end_in_either_order(name: str, first: int) -> None:
    original = getattr(Owner, name)()
    both = [Patches(), Patches()]
    for patches, letter in zip(both, "ab", strict=True):
        patches.install([Wrapped(Owner, name, adding(letter))])
    assert getattr(Owner, name)() == original + "ab"
    both[first].undo()
    assert getattr(Owner, name)() == original + "ba"[first]
    both[1 - first].undo()
    assert getattr(Owner, name)() == original


def test_what_was_not_there_is_not_there_again() -> None:
    patches = Patches()
    patches.install([Wrapped(Owner, "new", adding("n"))])
    assert Owner.new() == "n"
    patches.undo()
    assert not hasattr(Owner, "new")


def test_a_place_that_is_no_attribute() -> None:
    held = ["before"]
    patches = Patches()
    put = partial(held.__setitem__, 0)
    patches.install([Swapped("held", "before", put, lambda: put("before"), str.upper)])
    assert held == ["BEFORE"]
    patches.undo()
    assert held == ["before"]


def test_a_hook_that_is_registered_is_removed() -> None:
    class Handle:
        def remove(self) -> None:
            hooks.clear()

    hooks: list[str] = []
    patches = Patches()
    patches.install([Registered(lambda hook: hooks.append(hook) or Handle(), "hook")])  # type: ignore[arg-type, func-returns-value]
    assert hooks == ["hook"]
    patches.undo()
    assert hooks == []


def test_a_value_in_the_place_of_an_attribute() -> None:
    patches = Patches()
    patches.install([replaced(Owner, "own", None)])
    assert Owner.own is None
    patches.undo()


def act(own: Any) -> str:
    return f"{own()}!"


def row(holds: Callable[[], bool] = lambda: True) -> Wrapped:
    return When(holds).instead(Owner, "own", act)


def test_what_stands_at_a_place_is_made_once_and_does_nothing_between_recordings() -> None:
    stood = []
    for _ in range(2):
        patches = Patches()
        patches.install([row()])
        stood.append(Owner.own)
        assert Owner.own() == "o!"
        patches.undo()
        assert stood[-1]() == Owner.own() == "o"
    assert stood[0] is stood[1]


def test_what_the_program_sets_between_recordings_is_wrapped_and_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = Patches()
    ended.install([row()])
    ended.undo()
    monkeypatch.setattr(Owner, "own", staticmethod(lambda: "new"))
    ended.undo()
    patches = Patches()
    patches.install([row()])
    assert Owner.own() == "new!"
    patches.undo()
    assert Owner.own() == "new"


@pytest.mark.parametrize("first", [0, 1])
def test_two_that_act_at_one_place_end_in_either_order(first: int) -> None:
    both = [Patches(), Patches()]
    for patches in both:
        patches.install([row()])
    assert Owner.own() == "o!!"
    both[first].undo()
    assert Owner.own() == "o!"
    both[first].undo()
    assert Owner.own() == "o!"
    both[1 - first].undo()
    assert Owner.own() == "o"


def test_one_place_that_cannot_be_restored_keeps_no_other_from_it() -> None:
    def fail() -> None:
        raise ValueError("said by the place")

    rows = [row(), Swapped("fails", None, lambda value: None, fail, lambda before: before)]
    patches = Patches()
    patches.install(rows)
    with pytest.raises(ValueError, match="said by the place"):
        patches.undo()
    assert Owner.own() == "o"
