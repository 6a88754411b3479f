"""An object of tapeviz says what it is, and its errors name what was asked for."""

from __future__ import annotations

import copy
import operator
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeviz as tf

OBJECTS: dict[str, Callable[[], Any]] = {
    "Tensor": lambda: tf.constant(1.0),
    "Variable": lambda: tf.Variable(1.0),
    "VariableSlice": lambda: tf.Variable([1.0])[0],
    "UnreadVariable": lambda: tf.Variable(1.0).assign(2.0),
    "TensorShape": lambda: tf.constant(1.0).shape,
    "DType": lambda: tf.float32,
    "TensorSpec": lambda: tf.TensorSpec([1]),
    "name_scope": lambda: tf.name_scope("a"),
    "Dataset": lambda: tf.data.Dataset.range(2).map(lambda x: x),
    "Dense": lambda: tf.keras.layers.Dense(1),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_its_class_is_of_tapeviz_under_its_own_name(name: str) -> None:
    kind = type(OBJECTS[name]())
    assert kind.__name__ == kind.__qualname__ == name
    assert kind.__module__.startswith("tapeviz.")
    assert repr(kind) == f"<class '{kind.__module__}.{name}'>"
    assert type(kind) is type


def test_a_module_has_no_version_of_another() -> None:
    assert not hasattr(tf.keras, "__version__")


@pytest.mark.parametrize(
    ("make", "kinds"),
    [
        (lambda: tf.constant(1.0), (True, False)),
        (lambda: tf.Variable(1.0), (False, True)),
        (lambda: tf.Variable([1.0])[0], (True, False)),
        (lambda: tf.Variable(1.0).assign(2.0), (False, True)),
    ],
)
def test_kinds(make: Callable[[], Any], kinds: tuple[bool, bool]) -> None:
    assert tuple(isinstance(make(), kind) for kind in (tf.Tensor, tf.Variable)) == kinds


METHODS: dict[str, tuple[Callable[[], Any], str]] = {
    "Tensor": (lambda: tf.constant(1.0), "numpy set_shape"),
    "Variable": (
        lambda: tf.Variable([1.0]),
        "assign assign_sub scatter_add scatter_nd_update gather_nd sparse_read",
    ),
    "GradientTape": (lambda: tf.GradientTape(), "watch gradient jacobian batch_jacobian reset stop_recording"),
    "Layer": (lambda: tf.keras.layers.Dense(1), "call build add_weight add_loss set_weights count_params"),
    "Model": (lambda: tf.keras.Sequential([tf.keras.layers.Dense(1)]), "fit predict compile add pop get_layer"),
    "Optimizer": (
        lambda: tf.keras.optimizers.SGD(),
        "apply apply_gradients add_variable exclude_from_weight_decay finalize_variable_values",
    ),
    "Loss": (lambda: tf.keras.losses.MeanSquaredError(), "call"),
    "Dataset": (lambda: tf.data.Dataset.range(2), "batch shuffle reduce"),
}
"""An object of each class, and methods that it has."""


@pytest.mark.parametrize(("make", "names"), METHODS.values(), ids=METHODS)
def test_an_argument_that_a_method_does_not_take_is_named(make: Callable[[], Any], names: str) -> None:
    for name in names.split():
        with pytest.raises(TypeError, match=rf"{name}\(\) .*'nowhere'"):
            getattr(make(), name)(nowhere=1)


@pytest.mark.parametrize("function", [tf.reduce_sum, tf.exp, tf.matmul, tf.nn.softmax, tf.random.normal, tf.concat])
def test_arguments_that_do_not_fit_name_the_function(function: Callable[..., Any]) -> None:
    with pytest.raises(
        TypeError, match=rf"^{function.__name__}\(\) (missing .* argument|got an unexpected keyword argument 'nowhere')"
    ):
        function(nowhere=1)


ERRORS: dict[str, tuple[Callable[[], Any], str]] = {
    "an attribute": (lambda: tf.constant(1.0).colour, "'Tensor' object has no attribute 'colour'"),
    "of a variable": (lambda: tf.Variable(1.0).colour, "'Variable' object has no attribute 'colour'"),
    "unary": (lambda: +tf.constant(1.0), "unary \\+: 'Tensor'"),
    "binary": (lambda: tf.constant(1) << 1, "<<: 'Tensor' and 'int'"),
    "divmod": (lambda: divmod(tf.constant(1), tf.constant(1)), "divmod\\(\\): 'Tensor' and 'Tensor'"),
    "a setter": (lambda: setattr(tf.Variable(1), "trainable", False), "'trainable'"),
    "an index": (lambda: [0, 1, 2][tf.Variable(2)], "Variable"),
    "an integer": (lambda: operator.index(tf.Variable(2)), "'Variable' object cannot be interpreted as an integer"),
}


@pytest.mark.parametrize(("wrong", "told"), ERRORS.values(), ids=ERRORS)
def test_errors_of_python_name_the_class(wrong: Callable[[], Any], told: str) -> None:
    with pytest.raises((AttributeError, TypeError), match=told):
        wrong()


def test_a_derived_class_is_printed_as_itself() -> None:
    derived = type("Derived", (tf.Variable,), {})
    assert repr(type(derived(1.0))) == repr(derived) == f"<class '{__name__}.Derived'>"


def test_copies_and_pickles_keep_their_class() -> None:
    for each in (tf.constant(1.0), tf.Variable(1.0)):
        for again in (copy.deepcopy(each), pickle.loads(pickle.dumps(each))):
            assert type(again) is type(each)
            assert np.asarray(again) == 1
