"""Conditionals on tensors in a `tf.function`: what AutoGraph refuses runs as written, unless Python has no number."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import tapeviz
from tapeviz.events.types import OpRecorded
from tests.tf.tracing.both import refused_or_runs

pytestmark = pytest.mark.tensorflow


def programs(tf: ModuleType) -> dict[str, Callable[[Any], Any]]:
    """Functions of a number; the first ones are refused by TensorFlow, the others run."""

    def no_value(x: Any) -> Any:
        if x > 0:
            y = x * 2
        return y

    def no_value_otherwise(x: Any) -> Any:
        if x > 0:
            z = x
        else:
            y = x * 2
            z = y
        return z + y

    def no_return(x: Any) -> Any:
        if x > 0:
            return x

    def no_return_inside(x: Any) -> Any:
        with tf.name_scope("scope"):
            if x > 0:
                return x
        return -x

    def two_dtypes_returned(x: Any) -> Any:
        if x > 0:
            return x
        return "negative"

    def two_dtypes(x: Any) -> Any:
        if x > 0:
            y = tf.constant(1)
        else:
            y = tf.constant(1.0)
        return y

    def nothing_returned(x: Any) -> Any:
        if x > 0:
            return x
        return None

    def two_structures(x: Any) -> Any:
        if x > 0:
            return x, x
        return x

    def raises(x: Any) -> Any:
        if x < 0:
            raise ValueError("negative")
        return x

    def raises_at_the_end(x: Any) -> Any:
        if x > 0:
            return x
        raise ValueError("no other")

    def mistaken_shape(x: Any) -> Any:
        if x > 0:
            y = x
        else:
            y = tf.reshape(x, [3])
        return y

    def mistaken_name(x: Any) -> Any:
        if x > 0:
            return x
        return x + missing_name  # type: ignore[name-defined]  # noqa: F821

    def no_return_in_a_chain(x: Any) -> Any:
        if x > 0:
            return 1.0
        elif x < 0:
            return -1.0
        return 0.0

    def two_dtypes_to_choose_from(x: Any) -> Any:
        return x if x > 0 else 1

    def returns_from_a_loop(x: Any) -> Any:
        for i in tf.range(3):
            if x + tf.cast(i, tf.float32) > 1:
                return x
        return -x

    def returns_from_a_loop_of_python(x: Any) -> Any:
        for i in range(3):
            if x + i > 1:
                return x
        return -x

    def leaves_a_loop_of_python(x: Any) -> Any:
        for i in range(3):
            x = x + i
            if x > 1:
                break
        return x

    def leaves_an_endless_loop(x: Any) -> Any:
        while True:
            x = x + 1
            if x > 1:
                break
        return x

    def of_a_number_of_python(x: Any) -> Any:
        return math.exp(x)

    def in_a_text(x: Any) -> Any:
        return "%.1f" % x  # noqa: UP031

    def plain(x: Any) -> Any:
        if x > 0:
            y = x * 2
        else:
            y = -x
        return y

    def not_read_again(x: Any) -> Any:
        if x > 0:
            y = x * 2
            x = y + 1
        return x

    def bound_before(x: Any) -> Any:
        y = x
        if x > 0:
            y = x + 1
        return y

    def bound_again(x: Any) -> Any:
        if x > 0:
            y = x
            print(y)
        y = x + 3
        return y

    def ways(x: Any) -> Any:
        if x > 10:
            return x
        if x > 0:
            return x + 1
        return x + 2

    def chain(x: Any) -> Any:
        if x > 10:
            y = 1
        elif x > 0:
            y = 2
        else:
            y = 3
        return y

    def in_a_loop(x: Any) -> Any:
        total = x
        for i in tf.range(4):
            if i % 2 == 0:
                part = 1.0
            else:
                part = 2.0
            total += part
        return total

    def left_and_skipped(x: Any) -> Any:
        total = x
        for i in tf.range(6):
            if i == 1:
                continue
            if i == 4:
                break
            total += tf.cast(i, tf.float32)
        return total

    def of_python(x: Any) -> Any:
        if x.shape.rank == 0:
            y = x
        return y

    def names_of_comprehensions(x: Any) -> Any:
        if x > 0:
            y = sum([a * x for a in (1.0, 2.0)])
        else:
            y = max([a for a in (3.0, 4.0)])  # noqa: C416
        return y + sum([a for a in (1.0, 1.0)])  # noqa: C416

    def a_loop_that_is_left_in_a_branch(x: Any) -> Any:
        for _ in range(2):
            if x > 0:
                for k in (1.0, 2.0):
                    x = x + k
                    if k == 1.0:
                        break
        return x

    def wrong_only_at_run(x: Any) -> Any:
        if x < 0:
            y = tf.gather([1.0, 2.0], tf.cast(x, tf.int32))
        else:
            y = x
        return y

    def skips_in_a_loop_of_python(x: Any) -> Any:
        for i in range(3):
            if x > 1:
                continue
            x = x + i
        return x

    def chosen(x: Any) -> Any:
        return float(x) if x > 0 else -x

    def of_a_bound_name(x: Any) -> Any:
        def step(y: Any) -> Any:
            return y + 1

        if x > 0:
            x = step(x)
        return x

    return {name: each for name, each in locals().items() if name != "tf"}


NAMES = list(programs(tapeviz))
MISTAKES = NAMES[: NAMES.index("plain")]
HEALTHY = NAMES[NAMES.index("plain") :]


@pytest.mark.parametrize("name", MISTAKES)
@pytest.mark.parametrize("number", [1.0, -1.0])
def test_what_autograph_refuses_runs_as_written(name: str, number: float, tensorflow: ModuleType) -> None:
    refused_or_runs(lambda tf: programs(tf)[name], number, tensorflow)


@pytest.mark.parametrize("name", ["of_a_number_of_python", "in_a_text"])
def test_python_gets_no_number(name: str) -> None:
    with pytest.raises(TypeError, match=r"There is no number of x:0\. .* show values by tf.print"):
        tf_function(tapeviz, name)(tapeviz.constant(1.0))


@pytest.mark.parametrize("name", HEALTHY)
def test_of_none(name: str, tensorflow: ModuleType) -> None:
    ours, theirs = tf_function(tapeviz, name), tf_function(tensorflow, name)
    for number in (1.0, 20.0) if name == "wrong_only_at_run" else (1.0, -1.0, 20.0):
        assert float(ours(tapeviz.constant(number))) == float(theirs(tensorflow.constant(number)))


def tf_function(tf: ModuleType, name: str) -> Any:
    return tf.function(programs(tf)[name])


def test_nothing_is_left_of_a_trial() -> None:
    v = tapeviz.Variable(1.0)

    @tapeviz.function
    def f(x: Any) -> Any:
        if x > 0:
            y = v + x
        else:
            v.assign(5.0)
            y = v * x
        return y

    with tapeviz.GradientTape() as tape:
        y = f(tapeviz.constant(2.0))
    assert float(v) == 1
    assert float(tape.gradient(y, v)) == 1
    assert "mul" not in [each.op for each in tape.log.events if isinstance(each, OpRecorded)]


def test_what_does_more_than_compute_is_not_tried() -> None:
    calls = []

    @tapeviz.function
    def f(x: Any) -> Any:
        if x > 0:
            y = tapeviz.py_function(lambda a: a, [x], tapeviz.float32)
        else:
            calls.append(1)
            y = x + np.random.random()
        return y

    np.random.seed(1)
    first = np.random.random()
    np.random.seed(1)
    assert float(f(tapeviz.constant(2.0))) == 2
    assert calls == []
    assert np.random.random() == first


@pytest.mark.tensorflow
def test_random_numbers_behind_it_are_those_of_tensorflow(tensorflow: ModuleType) -> None:
    def drawn(tf: ModuleType) -> list[float]:
        @tf.function
        def f(x: Any) -> Any:
            y = x
            if x > 0:
                y = x + 1
            return y + tf.random.uniform([])

        tf.random.set_seed(3)
        return [float(f(tf.constant(number))) for number in (1.0, 2.0, -1.0)]

    assert drawn(tapeviz) == pytest.approx(drawn(tensorflow))


def test_what_may_change_the_world_is_not_called_for_a_trial() -> None:
    seen: list[str] = []

    @tapeviz.function
    def f(x: Any) -> Any:
        if x > 0:
            operator.iadd(seen, ["positive"])
            return x
        operator.iadd(seen, ["negative"])
        return -x

    @tapeviz.function
    def g(x: Any) -> Any:
        if x > 0:
            [seen][0].append("of a list")
        return x

    f(tapeviz.constant(1.0))
    assert seen == ["positive"]
    g(tapeviz.constant(-1.0))
    g(tapeviz.constant(1.0))
    assert seen == ["positive", "of a list"]


def test_names_of_a_class_alone() -> None:
    class Scaled:
        def __init__(self) -> None:
            self.__scale = 2.0

        @tapeviz.function
        def __call__(self, x: Any) -> Any:
            if x > 0:
                x = self.__scale * x
            return x

    assert float(Scaled()(tapeviz.constant(3.0))) == 6
