"""Every layer, loss, optimizer and metric against Keras 3 in TensorFlow: values, gradients, steps, dtypes, shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeviz
from tests.sampling import quarter
from tests.tf.keras.comparison import assert_agreement
from tests.tf.keras.tables import (
    BACKEND,
    LAYERS,
    LOGITS,
    LOSS_FUNCTIONS,
    LOSSES,
    METRICS,
    OPTIMIZERS,
    PROBABILITIES,
    WEIGHTS,
    drawn,
)

pytestmark = pytest.mark.tensorflow


@pytest.mark.parametrize("name", quarter(LAYERS))
def test_a_layer_computes_what_that_of_keras_does(name: str) -> None:
    make, value = LAYERS[name]

    def program(tf: Any) -> Any:
        layer, x = make(tf), tf.constant(value)
        layer(x)
        weights = np.random.RandomState(1)
        layer.set_weights([weights.normal(size=each.shape).astype(np.float32) for each in layer.get_weights()])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = layer(x, training=False) if "dropout" in name else layer(x)
            loss = tf.reduce_sum(tf.square(tf.cast(y, tf.float32) + 0.5))
        gradients = tape.gradient(loss, [x, *layer.trainable_variables])
        paths = [each.path for each in layer.weights]
        return {"y": y, "gradients": gradients, "paths": paths, "count": layer.count_params(), "name": layer.name}

    assert_agreement(program, fails=False)


@pytest.mark.parametrize("reduction", ["sum_over_batch_size", "sum", None])
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["", "weighted"])
@pytest.mark.parametrize("name", quarter(LOSSES))
def test_a_loss_is_that_of_keras(name: str, weights: Any, reduction: Any) -> None:
    options, labels, predictions = LOSSES[name]

    def program(tf: Any) -> Any:
        y_true, y_pred = tf.constant(labels), tf.constant(predictions)
        loss = getattr(tf.keras.losses, name.split()[0])(reduction=reduction, **options)
        with tf.GradientTape() as tape:
            tape.watch([y_true, y_pred])
            value = loss(y_true, y_pred, sample_weight=weights)
        return {"loss": value, "gradients": tape.gradient(value, [y_pred, y_true]), "name": loss.name}

    assert_agreement(program, fails=False)


@pytest.mark.parametrize("name", quarter(LOSS_FUNCTIONS))
def test_a_loss_function_is_that_of_keras(name: str) -> None:
    labels = np.int32([1, 0, 2, 1]) if name.startswith("sparse") else np.abs(np.round(PROBABILITIES))

    def program(tf: Any) -> Any:
        function, probabilities = getattr(tf.keras.losses, name), PROBABILITIES.astype(np.float64)
        return [function(tf.constant(labels), tf.constant(PROBABILITIES)), function(labels, probabilities)]

    assert_agreement(program, fails=False)


@pytest.mark.parametrize("end", ["softmax", "sigmoid"])
@pytest.mark.parametrize("loss", ["SparseCategoricalCrossentropy", "CategoricalCrossentropy", "BinaryCrossentropy"])
def test_loss_of_saturated_probabilities_is_that_of_their_logits(loss: str, end: str) -> None:
    def program(tf: Any) -> Any:
        x = tf.constant([[90.0, -90.0, 0.0]])
        y = tf.constant([1]) if loss.startswith("Sparse") else tf.constant([[0.0, 1.0, 0.0]])
        ends = [tf.keras.layers.Activation(end), getattr(tf.keras.activations, end), getattr(tf.nn, end)]
        results = []
        for activation in ends:
            with tf.GradientTape() as tape:
                tape.watch(x)
                value = getattr(tf.keras.losses, loss)()(y, activation(x))
            results.append([value, tape.gradient(value, x)])
        return results

    assert_agreement(program, fails=False)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_an_optimizer_updates_as_that_of_keras(name: str) -> None:
    starts = [drawn(2, 3), drawn()]
    gradients = [[drawn(2, 3), drawn()] for _ in range(6)]

    def program(tf: Any) -> Any:
        variables = [tf.Variable(each, name=f"v{place}") for place, each in enumerate(starts)]
        optimizer = OPTIMIZERS[name](tf.keras.optimizers)
        states = []
        for step in gradients:
            count = optimizer.apply_gradients(zip([tf.constant(each) for each in step], variables, strict=True))
            states.append([*variables, count, *optimizer.variables])
            states[-1] = [each.numpy() for each in states[-1]]
        return {"states": states, "paths": [each.path for each in optimizer.variables], "name": optimizer.name}

    assert_agreement(program, fails=False)


@pytest.mark.parametrize("text", quarter(BACKEND.strip().splitlines()))
def test_a_backend_function_is_that_of_keras(text: str) -> None:
    assert_agreement(lambda tf: eval(text, {"K": tf.keras.backend}))


@pytest.mark.parametrize("name", quarter(METRICS))
def test_a_metric_is_that_of_keras(name: str) -> None:
    make, updates = METRICS[name]

    def program(tf: Any) -> Any:
        metric = make(tf.keras.metrics)
        seen = [metric.result()] if metric.variables and "R2" not in type(metric).__name__ else []
        for update in updates:
            seen.append(metric(*(tf.constant(each) for each in update)))
            seen.append([each.numpy() for each in metric.variables])
        metric.reset_state()
        told = metric.get_config() if "function" not in name else None
        same = None if told is None else type(metric).from_config(told).get_config()
        return [*seen, metric.result(), metric.name, repr(metric), told, same, [each.path for each in metric.variables]]

    assert_agreement(program, fails=False)


@pytest.mark.parametrize("count", [None, 4])
@pytest.mark.parametrize("classes", [[0, 2, 1], [[0], [2]], [[0, 1], [2, 2]]], ids=str)
def test_to_categorical(classes: Any, count: Any) -> None:
    assert_agreement(
        lambda tf: [
            tf.keras.utils.to_categorical(classes, count),
            tf.keras.utils.to_categorical(tf.constant(classes), count or 3),
        ]
    )


def test_the_listed_activations() -> None:
    names = ("relu", "sigmoid", "tanh")
    assert_agreement(lambda tf: [getattr(tf.keras.activations, name)(tf.constant(LOGITS)) for name in names])


def test_every_listed_name_is_there() -> None:
    listed = """
        Input Model Sequential activations.get activations.relu activations.sigmoid activations.tanh
        initializers.Constant layers.Activation layers.Conv2D layers.Dense layers.Dropout layers.Flatten layers.Layer
        layers.ReLU layers.Softmax losses.BinaryCrossentropy losses.CategoricalCrossentropy losses.Hinge losses.Huber
        losses.KLDivergence losses.MeanAbsoluteError losses.MeanSquaredError losses.SparseCategoricalCrossentropy
        losses.mae losses.mse metrics.Mean metrics.SparseCategoricalAccuracy models.Sequential optimizers.Adagrad
        optimizers.Adam optimizers.RMSprop optimizers.SGD optimizers.schedules.ExponentialDecay utils.to_categorical
    """
    for name in listed.split():
        found: Any = tapeviz.keras
        for part in name.split("."):
            found = getattr(found, part)
        assert callable(found), name
