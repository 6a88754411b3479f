"""A program -> what it raises or gives, in tapeviz and in TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

import tapeviz
from tests.outcomes import Raised, outcome_of, same

Programs = Callable[[ModuleType], dict[str, Callable[..., Any]]]
"""From one of the two, as `tf`, to functions by name."""


def of_two_numbers(programs: Programs, name: str) -> Callable[[ModuleType], Any]:
    """The program that calls one of the functions, compiled, with two numbers."""
    return lambda tf: tf.function(programs(tf)[name])(tf.constant([1.0, 2.0]))


def refused_or_runs(function: Callable[[ModuleType], Callable[..., Any]], given: Any, tensorflow: ModuleType) -> None:
    """TensorFlow refuses a function; tapeviz does so by an error of that class, or runs it as Python runs it."""

    def compiled(tf: ModuleType) -> Any:
        return tf.nest.flatten(tf.function(function(tf))(tf.constant(given)))

    def plainly(tf: ModuleType) -> Any:
        found = tf.nest.flatten(function(tf)(tf.constant(given)))
        return [each if each is None else tf.convert_to_tensor(each) for each in found]

    theirs, ours = outcome_of(compiled, tensorflow), outcome_of(compiled, tapeviz)
    assert isinstance(theirs, Raised)
    assert ours == theirs or same(ours, outcome_of(plainly, tapeviz)), f"{ours}\n{theirs}"


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
