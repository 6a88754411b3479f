"""Functions whose signature leaves shapes open: which mistakes are met in the graph, and which when it runs."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

import tapeviz
from tests.tf.tracing.both import both_raise

pytestmark = pytest.mark.tensorflow

Case = tuple[Callable[[ModuleType], Callable[..., Any]], list[list[int | None]], list[list[int]]]
CASES: dict[str, Case] = {
    "met at run": (lambda tf: lambda x, y: x + y, [[None], [None]], [[2], [3]]),
    "a product met at run": (lambda tf: lambda x, y: tf.matmul(x, y), [[None, None], [None, 2]], [[2, 3], [2, 2]]),
    "met in the graph": (lambda tf: lambda x, y: tf.matmul(x, y), [[None, 3], [2, None]], [[2, 3], [2, 3]]),
    "a stack met at run": (lambda tf: lambda x: tf.stack([x, tf.ones([3])]), [[None]], [[2]]),
    "a shape met at run": (lambda tf: lambda x: tf.ensure_shape(x, [None, 3]), [[None, None]], [[2, 2]]),
    "no axis at any length": (lambda tf: lambda x: tf.reduce_sum(x, 3), [[None]], [[2]]),
    "known shapes": (lambda tf: lambda x, y: x + y, [[2], [3]], [[2], [3]]),
    "beside a Python value": (lambda tf: lambda x, n=3: x + tf.ones([n]), [[None]], [[2]]),
}


@pytest.mark.parametrize("case", CASES)
def test_as_tensorflow(case: str, tensorflow: ModuleType) -> None:
    made, specs, shapes = CASES[case]

    def program(tf: ModuleType) -> Any:
        signature = [tf.TensorSpec(each) for each in specs]
        return tf.function(made(tf), input_signature=signature)(*map(tf.ones, shapes))

    both_raise(program, tensorflow)


def test_an_error_of_python_in_the_body_passes_as_it_is() -> None:
    with pytest.raises(IndexError):
        tapeviz.function(lambda x: x.shape[3], input_signature=[tapeviz.TensorSpec([None])])(tapeviz.ones([2]))
