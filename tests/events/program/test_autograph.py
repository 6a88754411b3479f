"""Which construct of Python asks for a truth value, in every Python alike."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tapeviz.events.program.autograph import asked_by


class Asked:
    """Notes what has asked for its truth value, and is true once."""

    def __init__(self) -> None:
        self.by: list[type[Any]] = []

    def __bool__(self) -> bool:
        self.by.append(asked_by(sys._getframe(1)))
        return len(self.by) == 1


def if_it(x: Asked) -> None:
    if x:
        pass


def if_not(x: Asked) -> None:
    if not x:
        pass


def if_both(x: Asked) -> None:
    if (
        x
        and x
    ):  # fmt: skip
        pass


def if_inside(x: Asked) -> None:
    for _ in range(1):
        if x or None:
            pass


def while_it(x: Asked) -> None:
    while x:
        pass


def both(x: Asked) -> Any:
    return x and x


def both_inside(x: Asked) -> None:
    if x is not None:
        y = x and 1
        del y


def chosen(x: Asked) -> int:
    return 1 if x else 2


def chosen_by_the_opposite(x: Asked) -> int:
    return 1 if not x else 2


@pytest.mark.parametrize(
    ("program", "construct"),
    [
        (if_it, ast.If),
        (if_not, ast.If),
        (if_both, ast.If),
        (if_inside, ast.If),
        (while_it, ast.While),
        (both, ast.BoolOp),
        (both_inside, ast.BoolOp),
        (chosen, ast.IfExp),
        (chosen_by_the_opposite, ast.IfExp),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_what_asks_is_found(program: Callable[[Asked], Any], construct: type[ast.AST]) -> None:
    asked = Asked()
    program(asked)
    assert set(asked.by) == {construct}
