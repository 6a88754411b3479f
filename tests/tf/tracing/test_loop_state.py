"""Loops over tensors in a `tf.function`: names that change in them, or have no value before."""

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

    def another_shape(x: Any) -> Any:
        while tf.reduce_sum(x) < 100:
            x = tf.concat([x, x], 0)
        return x

    def another_shape_each_turn(x: Any) -> Any:
        found = tf.constant([0.0])
        for each in x:
            found = tf.concat([found, [each]], 0)
        return found

    def another_dtype(x: Any) -> Any:
        total = 0
        for each in x:
            total = each * 2
        return total

    def numbers_and_a_whole_one(x: Any) -> Any:
        total = 0
        for each in x:
            total += each
        return total

    def a_whole_one_to_divide_by(x: Any) -> Any:
        count = 1
        while tf.reduce_sum(x) > 1:
            x = x / count
            count = count + 1
        return x

    def another_structure(x: Any) -> Any:
        pair = (0.0, 1.0)
        for each in x:
            pair = (each,)
        return pair

    def another_dtype_meanwhile(x: Any) -> Any:
        step = 1
        while tf.reduce_sum(x) < 100:
            step = tf.reduce_sum(x)
            x = x + step
        return step

    def of_a_dataset_another_dtype(x: Any) -> Any:
        last = 0
        for each in tf.data.Dataset.from_tensor_slices(x):
            last = each
        return last

    def of_a_dataset_numbers_and_a_whole_one(x: Any) -> Any:
        total = 0
        for each in tf.data.Dataset.from_tensor_slices(x):
            total += each
        return total

    def of_a_dataset_without_value(x: Any) -> Any:
        for each in tf.data.Dataset.from_tensor_slices(x):
            last = each
        return last

    def of_an_iterator_without_value(x: Any) -> Any:
        for _ in range(2):
            for each in iter(tf.data.Dataset.from_tensor_slices(x)):
                last = each * 2
        return last

    def of_a_dataset_its_element(x: Any) -> Any:
        for each in tf.data.Dataset.from_tensor_slices(x):  # noqa: B007
            pass
        return each

    def of_a_dataset_none(x: Any) -> Any:
        best = None
        for each in tf.data.Dataset.from_tensor_slices(x):
            best = each
        return best

    def of_a_numbered_dataset_without_value(x: Any) -> Any:
        for i, each in enumerate(tf.data.Dataset.from_tensor_slices(x)):
            if i > 0:
                last = each
            else:
                last = -each
        return last

    def of_a_dataset_returning_by_a_flag(x: Any, flag: bool = False) -> Any:
        for each in tf.data.Dataset.from_tensor_slices(x):
            if flag:
                return each
        return x[0]

    def of_a_dataset_returning(x: Any) -> Any:
        for each in tf.data.Dataset.from_tensor_slices(x):
            if each > 1:
                return each
        return x[0]

    def another_shape_than_that_of_which_it_is_said(x: Any) -> Any:
        found, other = tf.zeros([0]), tf.zeros([0])
        for each in x:
            tf.autograph.experimental.set_loop_options(shape_invariants=[(found, tf.TensorShape([None]))])
            found, other = tf.concat([found, [each]], 0), tf.concat([other, [each]], 0)
        return tf.reduce_sum(found + other)

    @tf.autograph.experimental.do_not_convert
    def not_converted(x: Any) -> Any:
        while tf.reduce_sum(x) < 100:
            x = x + x
        return x[0]

    def alike(x: Any) -> Any:
        total, count = 0.0, 0
        for each in x:
            total += each
            count += 1
        while total < 50:
            total *= 2
        return total + tf.cast(count, tf.float32)

    def new_each_turn(x: Any) -> Any:
        part = 0
        total = 0.0
        for each in x:
            part = each * 2
            total += part
        part = total
        return part

    def of_python(x: Any) -> Any:
        total = 0
        for _ in range(2):
            total = x + total
        return tf.reduce_sum(total)

    def numbers_of_their_dtypes(x: Any) -> Any:
        total, count, largest = 0.0, 0, -1e9
        for each in x:
            count = count + 1
            total, largest = total + each / tf.cast(count, tf.float32), tf.maximum(largest, each)
        return total + largest

    def of_any_length(x: Any) -> Any:
        found = tf.zeros([tf.cast(x[0], tf.int32)])
        for each in x:
            found = tf.concat([found, [each]], 0)
        return tf.reduce_sum(found)

    def of_the_shapes_that_are_said(x: Any) -> Any:
        found = tf.zeros([0])
        for each in x:
            tf.autograph.experimental.set_loop_options(shape_invariants=[(found, tf.TensorShape([None]))])
            found = tf.concat([found, [each]], 0)
        return tf.reduce_sum(found)

    def converted_after_all(x: Any) -> Any:
        @tf.autograph.experimental.do_not_convert
        def doubled(x: Any) -> Any:
            while tf.reduce_sum(x) < 100:
                x = x + x
            return x[0]

        return doubled(x)

    def in_one_another(x: Any) -> Any:
        total = 0
        for _ in tf.range(2):
            i = 0
            while i < 3:
                i += 1
                total += i
        return total

    def left(x: Any) -> Any:
        total = tf.constant(0.0)
        for each in x:
            if each > 1:
                break
            total += each
        return total

    def of_a_dataset_with_values_in_each_turn(x: Any) -> Any:
        total, last = 0.0, tf.zeros([0])
        for each in tf.data.Dataset.from_tensor_slices(x):
            with tf.GradientTape() as tape, tf.GradientTape() as other:
                tape.watch(each)
                other.watch(each)
                square = each * each
            slope = tape.gradient(square, each) + other.gradient(square, each)
            if each > 1:
                part = slope
            else:
                part = -slope
            try:
                bound = part + 1
            except ValueError:
                bound = part
            for factor in [1.0, 2.0]:
                total = total + factor * bound
            count = 0
            while count < 2:
                step = count * 2
                count += 1 + step
            total += tf.cast(count, tf.float32)
            last = tf.concat([last, [total]], 0)
        x = total + tf.reduce_sum(last)
        return x

    def of_a_numbered_dataset(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            total = tf.reduce_sum(x)
            for i, each in enumerate(tf.data.Dataset.from_tensor_slices([1.0, 2.0])):
                if i < 1:
                    part = each * x[0]
                else:
                    part = each * x[1]
                total += part
        return 100.0 if tape.gradient(total, x) is None else total

    def of_a_dataset_in_a_branch(x: Any, first: bool = False) -> Any:
        found = tf.Variable
        if first:
            for each in tf.data.Dataset.from_tensor_slices(x):
                found = each
                tf.print(found)
        return tf.reduce_sum(x)

    return {name: each for name, each in locals().items() if name != "tf"}


NAMES = list(programs(tapeviz))
MISTAKES = NAMES[: NAMES.index("alike")]
HEALTHY = NAMES[NAMES.index("alike") :]


@pytest.mark.parametrize("name", MISTAKES)
def test_what_tensorflow_refuses_is_refused_or_runs_as_written(name: str, tensorflow: ModuleType) -> None:
    refused_or_runs(lambda tf: programs(tf)[name], [1.0, 2.0], tensorflow)


@pytest.mark.parametrize("name", HEALTHY)
def test_of_none(name: str, tensorflow: ModuleType) -> None:
    require_same_number(of_two_numbers(programs, name), tensorflow)


def test_a_shape_that_the_signature_leaves_open_may_change() -> None:
    @tapeviz.function(input_signature=[tapeviz.TensorSpec([None])])
    def f(x: Any) -> Any:
        while tapeviz.reduce_sum(x) < 10:
            x = tapeviz.concat([x, x], 0)
        return x

    assert f(tapeviz.constant([1.0, 2.0])).shape == [8]
