"""`tf.cond`, `tf.switch_case` and `tf.while_loop` in a `tf.function`: what their functions may give."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

import tapeviz
from tests.tf.tracing.both import of_two_numbers, refused_or_runs, require_same_number

pytestmark = pytest.mark.tensorflow


def programs(tf: ModuleType) -> dict[str, Callable[[Any], Any]]:
    """Functions of a vector of two numbers; the first ones are refused by TensorFlow, the others run."""

    state = tf.Variable(1.0)

    def two_dtypes(x: Any) -> Any:
        return tf.cond(x[0] > 0, lambda: tf.constant(1), lambda: tf.constant(1.0))

    def a_number_and_a_tensor(x: Any) -> Any:
        def one() -> Any:
            y = tf.reduce_sum(x)
            return (y, x)

        return tf.cond(x[0] > 0, one, lambda: (0, x))

    def more_values(x: Any) -> Any:
        return tf.cond(x[0] > 0, lambda: (x, x, x), lambda: (x, x))

    def nothing(x: Any) -> Any:
        return tf.cond(x[0] > 0, lambda: x, lambda: None)

    def other_keys(x: Any) -> Any:
        return tf.cond(x[0] > 0, lambda: {"a": x, "b": 1}, lambda: {"a": x, "c": 1})

    def a_list_and_a_tuple(x: Any) -> Any:
        return tf.switch_case(tf.cast(x[0], tf.int32), [lambda: (1, 2), lambda: [1, 2]])

    def third_of_another_dtype(x: Any) -> Any:
        return tf.switch_case(tf.cast(x[0], tf.int32), [lambda: 1, lambda: 2, lambda: 3.0])

    def default_gives_nothing(x: Any) -> Any:
        return tf.switch_case(tf.cast(x[0], tf.int32), {0: lambda: 1, 1: lambda: 2}, default=lambda: None)

    def not_taken_and_mistaken(x: Any) -> Any:
        return tf.cond(x[0] > 100, lambda: x + tf.ones([3]), lambda: x)

    def condition(x: Any) -> Any:
        return tf.while_loop(lambda x: tf.reduce_sum(x), lambda x: x - 1, [x])

    def several_conditions(x: Any) -> Any:
        return tf.while_loop(lambda x: x < 10, lambda x: x * 2, [x])

    def another_shape(x: Any) -> Any:
        return tf.while_loop(lambda x: tf.reduce_sum(x) < 10, lambda x: [tf.concat([x, x], 0)], [x])

    def another_shape_from_a_constant(x: Any) -> Any:
        return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.concat([y, x], 0)), (0, tf.zeros([1])))

    def another_dtype(x: Any) -> Any:
        return tf.while_loop(lambda x: tf.reduce_sum(x) < 10, lambda x: tf.cast(x, tf.int32) * 2, [x])

    def another_dtype_of_a_total(x: Any) -> Any:
        return tf.scan(lambda total, each: tf.cast(total, tf.int32), x)

    def alike(x: Any) -> Any:
        v = tf.constant(2.0)
        return tf.cond(x[0] > 0, lambda: (x[0], {"a": 1.0})[0], lambda: v * 2)

    def other_shapes(x: Any) -> Any:
        return tf.reduce_sum(tf.cond(x[0] > 0, lambda: x, lambda: tf.zeros([3, 2])))

    def in_one_another(x: Any) -> Any:
        return tf.cond(x[0] > 0, lambda: tf.cond(x[0] > 3, lambda: 1.0, lambda: 2.0), lambda: x[1])

    def endless_if_it_were_taken(x: Any) -> Any:
        return tf.cond(
            x[0] > 100, lambda: tf.while_loop(lambda y: y != x[0], lambda y: y * 2, [tf.constant(1.5)])[0], lambda: 7.0
        )

    def changed_where_taken(x: Any) -> Any:
        return tf.cond(x[0] > 0, lambda: state * 1.0, lambda: state.assign_add(5.0)) + state

    def open_shape(x: Any) -> Any:
        start = tf.boolean_mask(x, x > 0)
        return tf.reduce_sum(tf.while_loop(lambda y: tf.size(y) < 9, lambda y: tf.concat([y, y], 0), [start])[0])

    def shape_by_a_number(x: Any) -> Any:
        start = tf.zeros([tf.cast(x[0], tf.int32)])
        return tf.reduce_sum(tf.while_loop(lambda y: tf.size(y) < 9, lambda y: tf.concat([y, x], 0), [start])[0])

    def range_by_a_number(x: Any) -> Any:
        start = tf.range(tf.cast(x[0], tf.int32))
        return tf.reduce_sum(tf.while_loop(lambda y: tf.size(y) < 9, lambda y: tf.concat([y, [2]], 0), [start])[0])

    def invariant(x: Any) -> Any:
        shapes = [tf.TensorShape([None])]
        loop = tf.while_loop(lambda y: tf.size(y) < 9, lambda y: tf.concat([y, y], 0), [x], shape_invariants=shapes)
        return tf.reduce_sum(loop[0])

    return {name: each for name, each in locals().items() if name not in ("tf", "state")}


NAMES = list(programs(tapeviz))
MISTAKES = NAMES[: NAMES.index("alike")]
HEALTHY = NAMES[NAMES.index("alike") :]


@pytest.mark.parametrize("name", MISTAKES)
def test_what_tensorflow_refuses_is_refused_or_runs_as_written(name: str, tensorflow: ModuleType) -> None:
    refused_or_runs(lambda tf: programs(tf)[name], [1.0, 2.0], tensorflow)


@pytest.mark.parametrize("name", HEALTHY)
def test_of_none(name: str, tensorflow: ModuleType) -> None:
    require_same_number(of_two_numbers(programs, name), tensorflow)
