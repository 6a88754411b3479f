"""Classes are called what TensorFlow calls its own, by programs and by Python's errors."""

from __future__ import annotations

import copy
import operator
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeviz

tf = pytest.importorskip("tensorflow")


def _index_of_list(each: Any) -> Any:
    return [0, 1, 2][each]


def _index_of_text(each: Any) -> Any:
    return "abc"[each]


def _bound(each: Any) -> Any:
    return [0, 1, 2][:each]


NAMES: dict[str, Callable[[Any], Any]] = {
    "Tensor": lambda tf: tf.Tensor.__name__,
    "Variable": lambda tf: tf.Variable.__name__,
    "a tensor": lambda tf: type(tf.constant(1.0)).__name__,
    "a result": lambda tf: type(tf.constant(1.0) + 1.0).__name__,
    "a gradient": lambda tf: type(_gradient(tf)).__name__,
    "a variable": lambda tf: type(tf.Variable(1.0)).__name__,
    "a slice": lambda tf: type(tf.Variable([1.0])[0]).__name__,
    "an assignment": lambda tf: type(tf.Variable(1.0).assign(2.0)).__name__,
    "classes": lambda tf: [
        repr(type(each))
        for each in (
            *(tf.constant(1.0), tf.constant(1.0) + 1.0, _gradient(tf), tf.constant(1.0).shape, tf.float32),
            *(
                tf.TensorSpec([1]),
                tf.Variable(1.0),
                tf.Variable([1.0])[0],
                tf.Variable(1.0).assign(2.0),
                tf.keras.Variable(1.0).value,
            ),
        )
    ],
    "kinds": lambda tf: [
        isinstance(each, kind)
        for each in (tf.constant(1.0), tf.Variable(1.0), tf.Variable([1.0])[0], tf.Variable(1.0).assign(2.0))
        for kind in (tf.Tensor, tf.Variable, type(tf.constant(1)), type(tf.Variable(1)))
    ],
}
ERRORS: dict[str, Callable[[Any], Any]] = {
    "an attribute": lambda tf: tf.constant(1.0).colour,
    "an attribute told otherwise": lambda tf: tf.constant(1.0).item(),
    "of a variable": lambda tf: tf.Variable(1.0).colour,
    "of a slice": lambda tf: tf.Variable([1.0])[0].colour,
    "unary": lambda tf: +tf.constant(1.0),
    "binary": lambda tf: tf.constant(1) << 1,
    "divmod": lambda tf: divmod(tf.constant(1), tf.constant(1)),
    "variables": lambda tf: tf.Variable(1) << 1,
    "a setter": lambda tf: setattr(tf.Variable(1), "trainable", False),
    **{
        f"{kind} as {use.__name__}": lambda tf, make=make, use=use: use(make(tf))
        for kind, make in {
            "a variable": lambda tf: tf.Variable(2),
            "a variable of Keras": lambda tf: tf.keras.Variable(2, dtype="int32"),
        }.items()
        for use in (_index_of_list, _index_of_text, _bound, operator.index, hex, range, np.zeros)
    },
    "a text": lambda tf: tf.einsum(tf.constant(1.0), tf.constant(2.0)),
}


METHODS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "Tensor": (lambda tf: tf.constant(1.0), "numpy set_shape"),
    "Variable": (
        lambda tf: tf.Variable([1.0]),
        "assign assign_sub scatter_add scatter_nd_update gather_nd sparse_read",
    ),
    "GradientTape": (
        lambda tf: tf.GradientTape(),
        "watch gradient jacobian batch_jacobian reset stop_recording",
    ),
    "Layer": (
        lambda tf: tf.keras.layers.Dense(1),
        "call build add_weight add_loss set_weights count_params",
    ),
    "Model": (
        lambda tf: tf.keras.Sequential([tf.keras.layers.Dense(1)]),
        "fit predict compile add pop get_layer",
    ),
    "Optimizer": (
        lambda tf: tf.keras.optimizers.SGD(),
        "apply apply_gradients add_variable exclude_from_weight_decay finalize_variable_values",
    ),
    "Loss": (lambda tf: tf.keras.losses.MeanSquaredError(), "call"),
    "Dataset": (lambda tf: tf.data.Dataset.range(2), "map batch filter shuffle reduce"),
}
"""An object of each class, and methods that it has."""


def _gradient(tf: Any) -> Any:
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    return tape.gradient(y, x)


@pytest.mark.parametrize("called", NAMES.values(), ids=NAMES)
def test_names(called: Callable[[Any], Any]) -> None:
    assert called(tapeviz) == called(tf)


@pytest.mark.parametrize("wrong", ERRORS.values(), ids=ERRORS)
def test_errors(wrong: Callable[[Any], Any]) -> None:
    with pytest.raises((AttributeError, TypeError)) as theirs:
        wrong(tf)
    with pytest.raises(theirs.type) as ours:
        wrong(tapeviz)
    assert str(ours.value).startswith(str(theirs.value).splitlines()[0].removesuffix("."))


@pytest.mark.parametrize(("made", "names"), METHODS.values(), ids=METHODS)
def test_methods_that_are_called_with_what_they_do_not_take(made: Callable[[Any], Any], names: str) -> None:
    for name in names.split():
        with pytest.raises(TypeError) as theirs:
            getattr(made(tf), name)(nowhere=1)
        with pytest.raises(TypeError) as ours:
            getattr(made(tapeviz), name)(nowhere=1)
        assert str(ours.value).startswith(str(theirs.value).removesuffix("."))


def test_a_derived_class_is_printed_as_itself() -> None:
    derived = type("Derived", (tapeviz.Variable,), {})
    assert repr(type(derived(1.0))) == repr(derived) == f"<class '{__name__}.Derived'>"


def test_copies_and_pickles_keep_their_class() -> None:
    for each in (tapeviz.constant(1.0), tapeviz.Variable(1.0)):
        for again in (copy.deepcopy(each), pickle.loads(pickle.dumps(each))):
            assert type(again) is type(each)
