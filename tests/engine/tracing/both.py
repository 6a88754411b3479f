"""A program -> what it raises, in tapeviz and in TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

import tapeviz


def raised(call: Callable[[], Any]) -> tuple[str, str]:
    """The class and the text of the exception that a call raises."""
    with pytest.raises(Exception) as caught:  # noqa: PT011
        call()
    return caught.type.__name__, str(caught.value)


def both_raise(program: Callable[[ModuleType], Any], tensorflow: ModuleType) -> tuple[str, str]:
    """The texts, ours and TensorFlow's, of what a program of one of the two raises: exceptions of one class."""
    (kind, ours), (theirs_kind, theirs) = (raised(lambda tf=tf: program(tf)) for tf in (tapeviz, tensorflow))
    assert kind == theirs_kind
    return ours, theirs
