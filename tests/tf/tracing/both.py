"""A program -> what it raises or gives, in tapeviz and in TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

import tapeviz

Programs = Callable[[ModuleType], dict[str, Callable[..., Any]]]
"""From one of the two, as `tf`, to functions by name."""


def of_two_numbers(programs: Programs, name: str) -> Callable[[ModuleType], Any]:
    """The program that calls one of the functions, compiled, with two numbers."""
    return lambda tf: tf.function(programs(tf)[name])(tf.constant([1.0, 2.0]))


def raised(call: Callable[[], Any]) -> tuple[str, str]:
    """The class and the text of the exception that a call raises."""
    with pytest.raises(Exception) as caught:  # noqa: PT011
        call()
    return caught.type.__name__, str(caught.value)


def both_raise(program: Callable[[ModuleType], Any], tensorflow: ModuleType) -> tuple[str, str]:
    """The texts, ours and TensorFlow's, of what a program of one of the two raises: exceptions of one class."""
    (kind, ours), (theirs_kind, theirs) = (raised(lambda tf=tf: program(tf)) for tf in (tapeviz, tensorflow))
    # A `tf.scan` that raises leaves this set, and `tf.recompute_grad` fails in eager mode from then on.
    tensorflow.compat.v1.get_variable_scope()._caching_device = None
    assert kind == theirs_kind
    return ours, theirs


def require_same_number(program: Callable[[ModuleType], Any], tensorflow: ModuleType) -> None:
    """A program gives one number, ours as TensorFlow's."""
    assert float(program(tapeviz)) == float(program(tensorflow))
