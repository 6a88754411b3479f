"""Layers, losses, optimizers and metrics with what they are tried on. Each entry takes a framework: `tf`."""

from __future__ import annotations

import re
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
    "log_softmax leaky_relu hard_silu hard_swish hard_tanh tanh_shrink hard_shrink soft_shrink celu log_sigmoid "
    "squareplus sparse_plus sparse_sigmoid sparsemax mish"
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
    "gated": (lambda tf: tf.keras.layers.Activation(tf.keras.activations.glu), SERIES[..., :2]),
    "threshold": (lambda tf: tf.keras.layers.Lambda(lambda x: tf.keras.activations.threshold(x, 0.5, -1.0)), X),
    "root mean square": (lambda tf: tf.keras.layers.RMSNormalization(), SERIES),
    "root mean square over two axes": (lambda tf: tf.keras.layers.RMSNormalization([2, 1], 0.1), SERIES),
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

RECURRENT = """
SimpleRNN(2), SimpleRNN(2, "relu", False), SimpleRNN(2, return_sequences=True, go_backwards=True)
SimpleRNN(2, None, dtype="float64")
GRU(2), GRU(2, use_bias=False), GRU(2, return_sequences=True), GRU(2, reset_after=False)
GRU(2, go_backwards=True, reset_after=False, use_bias=False), GRU(2, "relu", "hard_sigmoid", unroll=True)
GRU(2, implementation=1), GRU(2, reset_after=False, implementation=1)
LSTM(2), LSTM(2, use_bias=False), LSTM(2, return_sequences=True, go_backwards=True), LSTM(2, unroll=True)
LSTM(2, "softsign", "hard_sigmoid", return_sequences=True), LSTM(2, implementation=1)
LSTM(2, kernel_initializer="ones", recurrent_initializer="identity", bias_initializer="ones")
RNN(L.LSTMCell(2)), RNN(L.GRUCell(2), True), RNN([L.LSTMCell(2), L.GRUCell(3), L.SimpleRNNCell(2)], True)
RNN(L.StackedRNNCells([L.LSTMCell(2)])), RNN([L.GRUCell(2)]), RNN(L.StackedRNNCells([L.SimpleRNNCell(3)]), True)
Bidirectional(L.LSTM(2)), Bidirectional(L.GRU(2, return_sequences=True)), Bidirectional(L.LSTM(2), "sum")
Bidirectional(L.SimpleRNN(2, return_sequences=True), merge_mode="mul"), Bidirectional(L.LSTM(2), merge_mode="ave")
Bidirectional(L.GRU(2, name="forward_x")), Bidirectional(L.LSTM(2), backward_layer=L.GRU(3, go_backwards=True))
Bidirectional(L.RNN(L.GRUCell(2), go_backwards=True), backward_layer=L.SimpleRNN(2))
TimeDistributed(L.Dense(2, "softmax")), TimeDistributed(L.Flatten())
"""


def _recurrent(text: str) -> Any:
    return lambda tf: eval(f"L.{text}", {"L": tf.keras.layers})


LAYERS |= {text: (_recurrent(text), SERIES) for text in re.split(r", (?=[A-Z]\w+\()|\n", RECURRENT.strip())}

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
    "MeanAbsolutePercentageError": ({}, TARGETS, LOGITS),
    "MeanSquaredLogarithmicError": ({}, TARGETS, PROBABILITIES),
    "LogCosh": ({}, TARGETS, LOGITS),
    "CosineSimilarity": ({}, TARGETS, LOGITS),
    "CosineSimilarity along another axis": ({"axis": 0}, TARGETS.T, LOGITS.T),
    "Poisson": ({}, np.abs(TARGETS), PROBABILITIES),
    "SquaredHinge": ({}, 2 * YES_NO - 1, LOGITS),
    "SquaredHinge of 0 and 1": ({}, YES_NO, LOGITS),
    "CategoricalHinge": ({}, ONE_HOT, LOGITS),
    "BinaryFocalCrossentropy": ({}, YES_NO, PROBABILITIES),
    "BinaryFocalCrossentropy of logits": (
        {"from_logits": True, "gamma": 1.5, "alpha": 0.3, "apply_class_balancing": True, "label_smoothing": 0.1},
        YES_NO,
        LOGITS,
    ),
    "CategoricalFocalCrossentropy": ({}, ONE_HOT, PROBABILITIES),
    "CategoricalFocalCrossentropy of logits": (
        {"from_logits": True, "gamma": 1.5, "alpha": 0.3, "label_smoothing": 0.1},
        ONE_HOT,
        LOGITS,
    ),
    "Dice": ({}, YES_NO, PROBABILITIES),
    "Dice of rows": ({"axis": -1}, YES_NO, PROBABILITIES),
    "Tversky": ({}, YES_NO, PROBABILITIES),
    "Tversky of columns": ({"alpha": 0.3, "beta": 0.9, "axis": 1}, YES_NO, PROBABILITIES),
    "MeanSquaredError of a column": ({}, TARGETS[:, 0], LOGITS[:, :1]),
}

LOSS_FUNCTIONS = (
    "mse", "mae", "huber", "hinge", "binary_crossentropy", "categorical_crossentropy",
    "sparse_categorical_crossentropy", "mape", "msle", "logcosh", "cosine_similarity", "poisson", "squared_hinge",
    "categorical_hinge", "binary_focal_crossentropy", "categorical_focal_crossentropy", "kld",
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
    "Lion": lambda o: o.Lion(0.05, 0.8, 0.9, weight_decay=0.1),
    "Lion by default": lambda o: o.Lion(),
    "Ftrl": lambda o: o.Ftrl(0.5),
    "Ftrl by default": lambda o: o.Ftrl(),
    "Ftrl in order": lambda o: o.Ftrl(0.5, -0.7, 0.2, 0.1, 0.2, 0.3, 0.4),
    "a schedule": lambda o: o.SGD(o.schedules.ExponentialDecay(0.5, 2, 0.5)),
    "a staircase": lambda o: o.Adam(o.schedules.ExponentialDecay(0.5, 2, 0.5, staircase=True)),
    "a function": lambda o: o.SGD(lambda: 0.25),
    "clipnorm": lambda o: o.SGD(0.1, clipnorm=0.5),
    "clipvalue": lambda o: o.SGD(0.1, clipvalue=0.3),
    "no clipping": lambda o: o.SGD(0.1, clipvalue=0.0),
    "no clipping of lengths": lambda o: o.SGD(0.1, clipnorm=0.0),
    "global_clipnorm": lambda o: o.Adam(0.1, global_clipnorm=0.5),
    "weight decay": lambda o: o.SGD(0.1, weight_decay=0.1),
    "weight decay of some by their names": lambda o: sparing(o.AdamW(0.1, 0.1), var_names=["bias", "v1"]),
    "weight decay of no other than by others' names": lambda o: sparing(o.SGD(0.1, weight_decay=0.1), None, ["b"]),
}

BACKEND = """
K.epsilon(), K.floatx(), K.image_data_format(), K.backend()
K.set_floatx("float8")
"""
"""Programs of one line each, about K = `tf.keras.backend`, as Keras 3 has it."""

CHANCES = np.float32([0.25, 0.9, 0.55, 0.0])
HITS = np.float32([0, 1, 0, 1])
SHARES = np.abs(PROBABILITIES) / np.sum(np.abs(PROBABILITIES), axis=-1, keepdims=True)
SIGNS = np.where(LOGITS > 0, np.float32(1), np.float32(-1))
OF_LOSSES = (
    "MeanSquaredError", "MeanAbsoluteError", "MeanAbsolutePercentageError", "MeanSquaredLogarithmicError",
    "LogCoshError", "Hinge", "SquaredHinge", "CategoricalHinge", "KLDivergence", "Poisson", "CosineSimilarity",
    "BinaryCrossentropy", "CategoricalCrossentropy",
)  # fmt: skip

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
    "sum": (lambda m: m.Sum(), [(3.0,), ([2.0, 6.0], [1.0, 0.5]), (X, WEIGHTS)]),
    "root of squared differences": (lambda m: m.RootMeanSquaredError(), [([1, 2], [2, 4]), (X, 2 * X, WEIGHTS)]),
    "mean of a function": (
        lambda m: m.MeanMetricWrapper(lambda y, p, by: by * (p - y), name="by", by=2.0),
        [(X, 2 * X), ([1.0, 2.0], [2.0, 4.0], [1.0, 3.0])],
    ),
    "among the best": (lambda m: m.TopKCategoricalAccuracy(2), [(ONE_HOT, LOGITS, WEIGHTS)]),
    "sparse among the best": (lambda m: m.SparseTopKCategoricalAccuracy(k=2), [(CLASSES[:, None], LOGITS)]),
    "among sorted classes": (
        lambda m: m.SparseTopKCategoricalAccuracy(2, from_sorted_ids=True),
        [([1, 2], [[2, 1, 0], [0, 1, 2]])],
    ),
    **{
        name: (lambda m, name=name: getattr(m, name)(), [(SIGNS, SHARES), (SIGNS, SHARES, WEIGHTS)])
        for name in OF_LOSSES
    },
    "cosine along the examples": (lambda m: m.CosineSimilarity(axis=0), [(SIGNS, SHARES)]),
    "binary crossentropy of logits": (
        lambda m: m.BinaryCrossentropy(from_logits=True, label_smoothing=0.1),
        [(HITS[:, None], LOGITS[:, :1])],
    ),
    "categorical crossentropy of logits": (
        lambda m: m.CategoricalCrossentropy(from_logits=True, label_smoothing=0.1),
        [(ONE_HOT, LOGITS)],
    ),
    "sparse crossentropy": (lambda m: m.SparseCategoricalCrossentropy(), [(CLASSES, SHARES, WEIGHTS)]),
    "sparse crossentropy of some": (
        lambda m: m.SparseCategoricalCrossentropy(from_logits=True, ignore_class=1),
        [(CLASSES, LOGITS)],
    ),
    **{
        f"{name} {title}": (lambda m, name=name, options=options: getattr(m, name)(**options), updates)
        for name in ("TruePositives", "FalsePositives", "TrueNegatives", "FalseNegatives", "Precision", "Recall")
        for title, options, updates in (
            ("", {}, [(HITS, CHANCES), (HITS, CHANCES, WEIGHTS)]),
            ("at 0.3", {"thresholds": 0.3, "dtype": "float64", "name": "n"}, [(HITS[:, None], CHANCES)]),
            ("at some", {"thresholds": [0.2, 0.5, 0.6]}, [(ONE_HOT, SHARES, WEIGHTS)]),
            ("evenly", {"thresholds": [0.0, 0.25, 0.5, 0.75, 1.0]}, [(HITS, CHANCES), (HITS, 4 * CHANCES - 1)]),
        )
    },
    **{
        f"{name} with {count}": (
            lambda m, name=name, count=count: getattr(m, name)(0.6, count),
            [(HITS, CHANCES), (HITS, CHANCES, WEIGHTS), (1 - HITS, CHANCES / 2)],
        )
        for name in (
            "SensitivityAtSpecificity",
            "SpecificityAtSensitivity",
            "PrecisionAtRecall",
            "RecallAtPrecision",
        )
        for count in (1, 2, 7)
    },
    "precision of a class at a recall": (lambda m: m.PrecisionAtRecall(0.5, class_id=1), [(ONE_HOT, SHARES)]),
    "precision of the best": (lambda m: m.Precision(top_k=2), [(ONE_HOT, SHARES, WEIGHTS)]),
    "recall of one of the best": (lambda m: m.Recall(0.3, 2, class_id=1), [(ONE_HOT, SHARES)]),
    **{
        f"area {curve} {height}": (
            lambda m, curve=curve, height=height: m.AUC(7, curve, height),
            [(HITS, CHANCES), (HITS, CHANCES, WEIGHTS), (1 - HITS, CHANCES / 2)],
        )
        for curve in ("ROC", "PR", "PRGAIN")
        for height in ("interpolation", "majoring", "minoring")
    },
    "area at some": (lambda m: m.AUC(thresholds=[0.6, 0.2], curve="PR"), [(HITS, CHANCES)]),
    "area of many": (lambda m: m.AUC(), [(np.arange(300) % 3 == 0, np.float32(np.arange(300) * 7 % 200 / 199))]),
    "areas": (
        lambda m: m.AUC(5, multi_label=True, num_labels=3, label_weights=[1.0, 2.0, 0.5]),
        [(ONE_HOT, SHARES, WEIGHTS)],
    ),
    "areas of logits": (lambda m: m.AUC(5, "PR", multi_label=True, from_logits=True), [(ONE_HOT, LOGITS)]),
    "area of weighted labels": (
        lambda m: m.AUC(5, label_weights=[1.0, 2.0, 0.5]),
        [(ONE_HOT, SHARES, WEIGHTS)],
    ),
    **{
        f"explained {how} {count}": (
            lambda m, how=how, count=count: m.R2Score(how, count),
            [(X, X + 0.3 * LOGITS), (X, LOGITS, WEIGHTS)],
        )
        for how in (None, "uniform_average", "variance_weighted_average")
        for count in (0, 2)
    },
    **{
        f"F {average} {threshold}": (
            lambda m, average=average, threshold=threshold: m.FBetaScore(average, 2.0, threshold),
            [(ONE_HOT, SHARES), (ONE_HOT, SHARES, WEIGHTS)],
        )
        for average in (None, "micro", "macro", "weighted")
        for threshold in (None, 0.4)
    },
    "F1": (lambda m: m.F1Score("macro"), [(ONE_HOT, LOGITS)]),
    "overlap": (lambda m: m.MeanIoU(3), [(CLASSES, CLASSES[::-1]), (CLASSES, [0.5, 1.5, 7.0, 2.0], WEIGHTS * 2)]),
    "overlap of some": (lambda m: m.IoU(3, [0, 2], ignore_class=1), [([[0, 1], [2, 2]], [[0, 2], [1, 2]])]),
    "overlap of two": (lambda m: m.BinaryIoU([1], 0.4), [(HITS, CHANCES)]),
    "overlap of rows": (lambda m: m.OneHotMeanIoU(3), [(ONE_HOT, SHARES)]),
    "overlap of a row": (lambda m: m.OneHotIoU(3, [1], sparse_y_pred=True), [(ONE_HOT, CLASSES[::-1])]),
}
