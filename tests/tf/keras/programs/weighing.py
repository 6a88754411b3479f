"""Small Keras programs in which examples and classes count more or less, run in both frameworks."""

from __future__ import annotations

import numpy as np

from tests.tf.keras.material import CLASSES, INPUT_A, X, Y, compiled, outcomes


def fit_with_weights(tf):
    model = compiled(tf)
    return model.fit(X, Y, sample_weight=np.float32([1, 0, 2, 1]), epochs=2, verbose=0, shuffle=False).history


def weights_of_datasets_are_floats(tf):
    parts = [tf.data.Dataset.range(3), tf.data.Dataset.range(5, 8)]

    def drawn(weights):
        return sorted(int(each) for each in tf.data.Dataset.sample_from_datasets(parts, weights, seed=1))

    float16 = np.float16([1, 0])
    several = ([1, 0], (True, False), np.array([1, 0]), tf.constant([1, 0]), float16, [1, 0.5], [0.0, 0.0], [1], "ab")
    return outcomes(*(lambda weights=weights: drawn(weights) for weights in several))


LABELS = np.array([0, 1, 2, 2, 1, 0, 1, 1])
WEIGHTS = {0: 1.0, 1: 2.0, 2: 3.0}


def _weighed(tf, class_weight, y=LABELS, loss="sparse_categorical_crossentropy", batched=False, **options):
    """What `fit` gives with weights of classes, and the kernel that it leaves; or the class of its error."""
    x = np.float32(np.arange(16)).reshape(8, 2) / 10
    dense = tf.keras.layers.Dense(3, kernel_initializer="ones", activation="softmax")
    model = tf.keras.Sequential([tf.keras.Input((2,)), dense])
    model.compile("sgd", loss, metrics=["accuracy"], weighted_metrics=["accuracy"])
    arrays = (x, y, *(options.pop(each) for each in ("sample_weight",) if batched and each in options))
    data = (tf.data.Dataset.from_tensor_slices(arrays).batch(4),) if batched else (x, y)
    try:
        history = model.fit(*data, batch_size=4, shuffle=False, verbose=0, class_weight=class_weight, **options)
    except Exception as error:
        return type(error).__name__
    return history.history, model.get_weights()


def examples_count_by_their_class(tf):
    several = (
        WEIGHTS,
        {0: 0.5},
        {},
        {0: 1, 1: 2},
        {-1: 1.0, 0: 3.0},
        {7: 2.0},
        {0.0: 2.0},
        {np.int64(0): np.float32(2)},
    )
    return [_weighed(tf, weights) for weights in several]


def classes_of_labels_of_all_kinds(tf):
    one_hot = {"y": np.eye(3, dtype=np.float32)[LABELS], "loss": "categorical_crossentropy"}
    kinds = ({"y": LABELS[:, None]}, {"y": np.float32(LABELS)}, one_hot, {"validation_split": 0.5, "epochs": 2})
    return [_weighed(tf, WEIGHTS, batched=batched, **kind) for kind in kinds[:3] for batched in (False, True)] + [
        _weighed(tf, WEIGHTS, **kinds[3])
    ]


def weights_of_classes_that_are_none(tf):
    ones = np.ones(8, np.float32)
    return [
        *(_weighed(tf, weights) for weights in ([1.0, 2.0, 3.0], {0: 1, 1: "a"})),
        _weighed(tf, WEIGHTS, sample_weight=ones),
        _weighed(tf, WEIGHTS, sample_weight=ones, batched=True),
        _weighed(tf, {0: 0.5}, batched=True),
        _weighed(tf, {}, batched=True),
        _weighed(tf, WEIGHTS, y=np.zeros((8, 2, 2)), loss="mse"),
    ]


def one_batch_counts_by_its_classes(tf):
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2, kernel_initializer="ones")])
    model.compile("sgd", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    loss = model.train_on_batch(X, CLASSES, class_weight={0: 3.0})
    refused = outcomes(lambda: model.train_on_batch(X, CLASSES, sample_weight=np.ones(4), class_weight={0: 3.0}))
    return [float(loss), refused, model.get_weights()]


def weights_of_classes_are_read_once(tf):
    model = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile("sgd", "mse")
    weights = {0: 1.0, 1: 2.0}

    class Changing(tf.keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            weights[0] = 100.0

    options = {"class_weight": weights, "epochs": 2, "callbacks": [Changing()], "verbose": 0, "shuffle": False}
    return model.fit(INPUT_A, np.float32([0, 1]), **options).history
