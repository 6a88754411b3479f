"""Layers, losses, optimizers and metrics with what they are tried on. Each entry takes a framework: `tf`."""

from __future__ import annotations

from typing import Any

import numpy as np

_numbers = np.random.RandomState(3)


def drawn(*shape: int) -> Any:
    return _numbers.normal(size=shape).astype(np.float32)


def share(*shape: int) -> Any:
    return _numbers.uniform(0.05, 0.95, size=shape).astype(np.float32)


def rows(*shape: int) -> Any:
    found = share(*shape)
    return found / found.sum(-1, keepdims=True)


X, IMAGE, SERIES = drawn(4, 3), drawn(2, 6, 5, 3), drawn(2, 4, 3)

ACTIVATIONS = (
    "linear relu sigmoid tanh softmax elu selu gelu softplus softsign silu swish relu6 exponential hard_sigmoid "
    "log_softmax leaky_relu"
)

LAYERS: dict[str, tuple[Any, Any]] = {
    "dense": (lambda tf: tf.keras.layers.Dense(5), X),
    "dense relu": (lambda tf: tf.keras.layers.Dense(5, activation="relu"), X),
    "dense softmax": (lambda tf: tf.keras.layers.Dense(3, activation="softmax"), X),
    "dense tf.tanh": (lambda tf: tf.keras.layers.Dense(3, activation=tf.tanh), X),
    "dense without bias": (lambda tf: tf.keras.layers.Dense(2, use_bias=False), X),
    "dense on series": (lambda tf: tf.keras.layers.Dense(2), SERIES),
    "dense float64": (lambda tf: tf.keras.layers.Dense(2, dtype="float64"), X),
    "dense on float64": (lambda tf: tf.keras.layers.Dense(2), X.astype(np.float64)),
    "dense constant": (lambda tf: tf.keras.layers.Dense(2, bias_initializer=tf.keras.initializers.Constant(0.5)), X),
    **{
        f"activation {name}": (lambda tf, name=name: tf.keras.layers.Activation(name), X)
        for name in ACTIVATIONS.split()
    },
    "relu": (lambda tf: tf.keras.layers.ReLU(), X),
    "relu with a slope": (lambda tf: tf.keras.layers.ReLU(negative_slope=0.3), X),
    "relu up to 6": (lambda tf: tf.keras.layers.ReLU(max_value=6.0), 4 * X),
    "relu with everything": (lambda tf: tf.keras.layers.ReLU(1.0, 0.2, 0.3), X),
    "softmax": (lambda tf: tf.keras.layers.Softmax(), X),
    "softmax over axis 0": (lambda tf: tf.keras.layers.Softmax(axis=0), X),
    "flatten": (lambda tf: tf.keras.layers.Flatten(), IMAGE),
    "flatten a vector": (lambda tf: tf.keras.layers.Flatten(), X[:, 0]),
    "dropout, not training": (lambda tf: tf.keras.layers.Dropout(0.5), X),
    "conv": (lambda tf: tf.keras.layers.Conv2D(4, 3), IMAGE),
    "conv same": (lambda tf: tf.keras.layers.Conv2D(4, (3, 2), padding="same", activation="relu"), IMAGE),
    "conv strides": (lambda tf: tf.keras.layers.Conv2D(2, 2, strides=2, use_bias=False), IMAGE),
    "conv strides same": (lambda tf: tf.keras.layers.Conv2D(2, 3, strides=(2, 1), padding="same"), IMAGE),
    "conv dilation": (lambda tf: tf.keras.layers.Conv2D(2, 2, dilation_rate=2), IMAGE),
}

ONE_HOT = np.eye(3, dtype=np.float32)[[0, 2, 1, 1]]
CLASSES, YES_NO, WEIGHTS = np.int32([0, 2, 1, 1]), np.float32([[1, 0, 1], [0, 0, 1], [1, 1, 0], [0, 1, 0]]), share(4)
TARGETS, LOGITS, PROBABILITIES, ROWS = drawn(4, 3), 3 * drawn(4, 3), share(4, 3), rows(4, 3)
SURE = np.float32([[1.0, 0.0, 0.0]] * 4)

LOSSES: dict[str, tuple[Any, Any, Any]] = {
    "MeanSquaredError": ({}, TARGETS, LOGITS),
    "MeanAbsoluteError": ({}, TARGETS, LOGITS),
    "Huber": ({"delta": 0.7}, TARGETS, LOGITS),
    "Hinge": ({}, 2 * YES_NO - 1, LOGITS),
    "Hinge of 0 and 1": ({}, YES_NO, LOGITS),
    "KLDivergence": ({}, rows(4, 3), ROWS),
    "BinaryCrossentropy": ({}, YES_NO, PROBABILITIES),
    "BinaryCrossentropy of logits": ({"from_logits": True}, YES_NO, LOGITS),
    "BinaryCrossentropy smoothed": ({"label_smoothing": 0.2}, YES_NO, PROBABILITIES),
    "BinaryCrossentropy of sure ones": ({}, YES_NO, SURE),
    "CategoricalCrossentropy": ({}, ONE_HOT, ROWS),
    "CategoricalCrossentropy of no probabilities": ({}, ONE_HOT, PROBABILITIES),
    "CategoricalCrossentropy of logits": ({"from_logits": True}, ONE_HOT, LOGITS),
    "CategoricalCrossentropy smoothed": ({"label_smoothing": 0.1}, ONE_HOT, ROWS),
    "SparseCategoricalCrossentropy": ({}, CLASSES, ROWS),
    "SparseCategoricalCrossentropy of a column": ({}, CLASSES[:, None], ROWS),
    "SparseCategoricalCrossentropy of no probabilities": ({}, CLASSES, PROBABILITIES),
    "SparseCategoricalCrossentropy of logits": ({"from_logits": True}, CLASSES, LOGITS),
    "SparseCategoricalCrossentropy of sure ones": ({}, CLASSES, SURE),
    "MeanSquaredError of a column": ({}, TARGETS[:, 0], LOGITS[:, :1]),
}

LOSS_FUNCTIONS = (
    "mse", "mae", "huber", "hinge", "binary_crossentropy", "categorical_crossentropy",
    "sparse_categorical_crossentropy",
)  # fmt: skip


def sparing(optimizer: Any, *variables: Any, **names: Any) -> Any:
    optimizer.exclude_from_weight_decay(*variables, **names)
    return optimizer


OPTIMIZERS: dict[str, Any] = {
    "SGD": lambda o: o.SGD(0.1),
    "SGD with momentum": lambda o: o.SGD(0.1, momentum=0.9),
    "SGD with Nesterov": lambda o: o.SGD(0.1, momentum=0.9, nesterov=True),
    "SGD by default": lambda o: o.SGD(),
    "Adam": lambda o: o.Adam(0.05),
    "Adam by default": lambda o: o.Adam(),
    "Adam with other betas": lambda o: o.Adam(0.05, beta_1=0.8, beta_2=0.95, epsilon=1e-3),
    "Adam amsgrad": lambda o: o.Adam(0.05, amsgrad=True),
    "AdamW": lambda o: o.AdamW(0.05),
    "AdamW by default": lambda o: o.AdamW(),
    "AdamW in order": lambda o: o.AdamW(0.05, 0.2, 0.8, 0.95, 1e-3, True),
    "AdamW by a schedule": lambda o: o.AdamW(o.schedules.CosineDecay(0.5, 5), weight_decay=0.1),
    "AdamW over two calls": lambda o: o.AdamW(0.1, weight_decay=0.1, gradient_accumulation_steps=2),
    "Nadam": lambda o: o.Nadam(0.05),
    "Nadam by default": lambda o: o.Nadam(),
    "Nadam in order": lambda o: o.Nadam(0.05, 0.8, 0.95, 1e-3, weight_decay=0.1, use_ema=True),
    "Nadam over two calls": lambda o: o.Nadam(0.05, gradient_accumulation_steps=2),
    "Adamax": lambda o: o.Adamax(0.05),
    "Adamax by default": lambda o: o.Adamax(),
    "Adamax in order": lambda o: o.Adamax(0.05, 0.8, 0.95, 1e-3, clipnorm=0.5),
    "Adadelta": lambda o: o.Adadelta(1.0),
    "Adadelta by default": lambda o: o.Adadelta(),
    "Adadelta in order": lambda o: o.Adadelta(1.0, 0.8, 1e-3, global_clipnorm=0.5),
    "RMSprop": lambda o: o.RMSprop(0.05),
    "RMSprop with momentum": lambda o: o.RMSprop(0.05, rho=0.8, momentum=0.5),
    "RMSprop centered": lambda o: o.RMSprop(0.05, centered=True),
    "Adagrad": lambda o: o.Adagrad(0.5),
    "Adagrad from 0.3": lambda o: o.Adagrad(0.5, initial_accumulator_value=0.3, epsilon=1e-4),
    "a schedule": lambda o: o.SGD(o.schedules.ExponentialDecay(0.5, 2, 0.5)),
    "a staircase": lambda o: o.Adam(o.schedules.ExponentialDecay(0.5, 2, 0.5, staircase=True)),
    "a function": lambda o: o.SGD(lambda: 0.25),
    "clipnorm": lambda o: o.SGD(0.1, clipnorm=0.5),
    "clipvalue": lambda o: o.SGD(0.1, clipvalue=0.3),
    "global_clipnorm": lambda o: o.Adam(0.1, global_clipnorm=0.5),
    "weight decay": lambda o: o.SGD(0.1, weight_decay=0.1),
    "weight decay of some by their names": lambda o: sparing(o.AdamW(0.1, 0.1), var_names=["bias", "v1"]),
    "weight decay of no other than by others' names": lambda o: sparing(o.SGD(0.1, weight_decay=0.1), None, ["b"]),
}

METRICS: dict[str, tuple[Any, list[tuple[Any, ...]]]] = {
    "mean": (lambda m: m.Mean(), [(1.0,), ([2.0, 6.0],), (np.float32([[1, 2], [3, 4]]),)]),
    "weighted mean": (lambda m: m.Mean("loss"), [(3.0, 2.0), ([2.0, 6.0], [1.0, 3.0]), (X, WEIGHTS)]),
    "mean of integers": (lambda m: m.Mean(), [(3,), ([2, 7],)]),
    "accuracy": (lambda m: m.SparseCategoricalAccuracy(), [(CLASSES, LOGITS), (CLASSES[:, None], ROWS)]),
    "equal predictions": (
        lambda m: m.Accuracy(),
        [([0, 1, 2], [0, 1, 1]), ([[1], [2]], [1, 1]), ([1.0, 2.0], [1, 2], [1.0, 3.0])],
    ),
    "share above a threshold": (
        lambda m: m.BinaryAccuracy(threshold=0.4),
        [([0.0, 1.0], [0.45, 0.45]), ([[1], [0], [1]], np.float32([[0.3], [0.4], [0.9]]), [1.0, 2.0, 4.0])],
    ),
    "share of one-hot labels": (
        lambda m: m.CategoricalAccuracy("share"),
        [(np.eye(3, dtype=np.float32)[[0, 2]], np.float32([[0.5, 0.2, 0.3], [0.1, 0.8, 0.1]]), [2.0, 1.0])],
    ),
    "squared differences": (lambda m: m.MeanSquaredError(), [([1, 2], [1.5, 4.0]), (ROWS, 2 * ROWS)]),
    "differences": (lambda m: m.MeanAbsoluteError(), [([1.0, 2.0], [1.5, 4.0]), (ROWS, 2 * ROWS)]),
    "weighted accuracy": (lambda m: m.SparseCategoricalAccuracy(), [(CLASSES, LOGITS, WEIGHTS)]),
}
