"""Losses and metrics of which some examples do not count, and of truths in place of probabilities."""

from __future__ import annotations

import warnings

import numpy as np

LABELS = np.array([0, 1, 2])
SHARES = np.array([[0.8, 0.1, 0.1], [0.05, 0.9, 0.05], [0.1, 0.8, 0.1]])
WEIGHTS = np.array([0.5, 1.5, 2.0])


def classes_that_do_not_count(tf):
    seen = []
    for ignored in (None, 0, 2, -1):
        for weights in (None, 0.5, WEIGHTS, WEIGHTS[:, None]):
            metric = tf.keras.metrics.SparseCategoricalCrossentropy(ignore_class=ignored)
            metric.update_state(LABELS, SHARES, weights)
            metric.update_state(LABELS[::-1], SHARES, weights)
            seen.append(metric.result())
            for reduction in ("sum_over_batch_size", "sum", "none", "mean_with_sample_weight"):
                loss = tf.keras.losses.SparseCategoricalCrossentropy(ignore_class=ignored, reduction=reduction)
                seen.append(loss(LABELS, SHARES, weights))
    return seen


def a_loss_of_ones_own_that_leaves_some_out(tf):
    def some(y_true, y_pred):
        return tf.keras.losses.sparse_categorical_crossentropy(y_true, y_pred, ignore_class=1)

    class Some(tf.keras.losses.Loss):
        def call(self, y_true, y_pred):
            return some(tf.cast(y_true, "int64"), y_pred)

    model = tf.keras.Sequential([tf.keras.layers.Dense(3, kernel_initializer="ones", activation="softmax")])
    model.compile("sgd", some, weighted_metrics=[some])
    scores = model.evaluate(SHARES, LABELS, sample_weight=WEIGHTS, verbose=0, return_dict=True)
    return [Some()(LABELS, SHARES), Some()(LABELS, SHARES, WEIGHTS), scores]


def accuracy_of_truths(tf):
    shares = np.linspace(0.0, 1.0, 8)[:, None]
    seen = []
    for labels in (shares > 0.3, (shares > 0.3).astype("int32"), shares.round()):
        for predicted in (shares > 0.5, shares, shares.astype("float16")):
            metric = tf.keras.metrics.BinaryAccuracy()
            metric.update_state(labels, predicted)
            seen.append([metric.result(), tf.keras.metrics.binary_accuracy(labels, predicted, threshold=0.25)])
    model = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Lambda(lambda x: x > 0.5)])
    metric = tf.keras.metrics.BinaryAccuracy()
    return seen, metric(shares > 0.5, model.predict(shares, verbose=0))


def accuracy_beside_a_threshold_of_integers(tf):
    accuracy, predicted = tf.keras.metrics.binary_accuracy, np.array([0, 1, 1, 2])
    of = [(dtype, threshold) for dtype in ("int32", "uint8", "float64", "bool") for threshold in (0.5, 1.5, -0.5, 1)]
    return [accuracy([1, 0, 1, 1], predicted.astype(dtype), threshold=threshold) for dtype, threshold in of]


def counts_of_classes_met(tf):
    seen = []
    for dtype in (None, "float32"):
        metric = tf.keras.metrics.MeanIoU(num_classes=3, dtype=dtype)
        for weights in (None, [2, 1, 1, 1], np.array([0.25, 0.5, 2.5, 1.0])):
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                metric.update_state([0, 1, 1, 1], [0, 1, 1, 0], sample_weight=weights)
            said = [str(each.message)[:110] for each in told if "weight" in str(each.message)]
            seen.append([metric.total_cm, metric.result(), said])
    return seen
