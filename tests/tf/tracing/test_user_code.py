"""Errors in a function that TensorFlow builds a graph of: they are those of the user's code, unchanged."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

import tapeviz
from tests.tf.tracing.both import both_raise

pytestmark = pytest.mark.tensorflow


class Plain(Exception):
    pass


class Coded(Exception):
    def __init__(self, text: str, code: int) -> None:
        super().__init__(f"{text} {code}")


def helper(x: Any) -> Any:
    doubled = x + x
    return doubled.absent


def raising(tf: ModuleType, error: Exception) -> Callable[..., Any]:
    @tf.function
    def f(x: Any) -> Any:
        raise error.with_traceback(None)

    return lambda: f(tf.constant(1.0))


def in_a_function_that_is_called(tf: ModuleType) -> Any:
    @tf.function
    def f(x: Any) -> Any:
        return helper(x)

    return f(tf.constant(1.0))


def in_a_function_of_two(tf: ModuleType) -> Any:
    @tf.function
    def inner(x: Any) -> Any:
        return x.absent

    @tf.function
    def outer(x: Any) -> Any:
        y = inner(x)
        return y

    return outer(tf.constant(1.0))


def in_a_function_inside(tf: ModuleType) -> Any:
    @tf.function
    def f(x: Any) -> Any:
        def part(a: Any) -> Any:
            return a.absent

        return part(x)

    return f(tf.constant(1.0))


def in_a_branch(tf: ModuleType) -> Any:
    @tf.function
    def f(x: Any) -> Any:
        return tf.cond(x > 0, lambda: x.absent, lambda: x)

    return f(tf.constant(1.0))


def in_a_comprehension(tf: ModuleType) -> Any:
    @tf.function
    def f(x: Any) -> Any:
        return [each.absent for each in [x]]

    return f(tf.constant(1.0))


def on_several_lines(tf: ModuleType) -> Any:
    @tf.function
    def f(x: Any) -> Any:
        for _ in range(2):
            y = (
                x
                + x.absent
            )  # fmt: skip
        return y

    return f(tf.constant(1.0))


def in_a_lambda(tf: ModuleType) -> Any:
    return tf.function(lambda x: x.absent + 1)(tf.constant(1.0))


def in_one_of_two_lambdas(tf: ModuleType) -> Any:
    return (lambda x: tf.function(lambda x: x.absent)(x))(tf.constant(1.0))


def left_as_written(tf: ModuleType) -> Any:
    return tf.function(helper, autograph=False)(tf.constant(1.0))


def in_a_datasets_function(tf: ModuleType) -> Any:
    return tf.data.Dataset.range(3).map(helper)


def in_a_datasets_lambda(tf: ModuleType) -> Any:
    return tf.data.Dataset.range(3).filter(lambda x: helper(x))


def in_arguments_of_a_datasets_function(tf: ModuleType) -> Any:
    return tf.data.Dataset.zip((tf.data.Dataset.range(3), tf.data.Dataset.range(3))).map(helper)


def in_a_layer(tf: ModuleType) -> Any:
    class Own(tf.keras.layers.Layer):  # type: ignore[misc,name-defined]
        @tf.function
        def call(self, x: Any) -> Any:
            return x.absent

    return Own()(tf.constant([1.0]))


def for_truth(tf: ModuleType) -> Any:
    @tf.function
    def f(x: Any) -> Any:
        assert x > 0
        return x

    return f(tf.constant(1.0))


def for_parts(tf: ModuleType) -> Any:
    @tf.function
    def f(x: Any) -> Any:
        first, second = x
        return first + second

    return f(tf.constant([1.0, 2.0]))


PLACES = (
    in_a_function_that_is_called,
    in_a_function_of_two,
    in_a_function_inside,
    in_a_branch,
    in_a_comprehension,
    on_several_lines,
    in_a_lambda,
    in_one_of_two_lambdas,
    left_as_written,
    in_a_datasets_function,
    in_a_datasets_lambda,
    in_arguments_of_a_datasets_function,
    in_a_layer,
    for_truth,
    for_parts,
)
ERRORS = (
    ValueError("two\nlines"),
    ValueError("two", "parts"),
    KeyError("key"),
    IndexError("index"),
    ZeroDivisionError("zero"),
    Plain("own"),
    Coded("coded", 1),
)


@pytest.mark.parametrize("program", PLACES)
def test_of_places(program: Callable[[ModuleType], Any], tensorflow: ModuleType) -> None:
    ours, _ = both_raise(program, tensorflow)
    told = ("absent", "positional argument", "builds a graph of this function")
    assert any(each in ours for each in told)


@pytest.mark.parametrize("error", ERRORS, ids=repr)
def test_an_error_of_the_programs_own_passes_as_it_is(error: Exception) -> None:
    with pytest.raises(type(error)) as caught:
        raising(tapeviz, error)()
    assert caught.value is error
