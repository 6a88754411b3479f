"""Small Keras programs on metrics, run in both frameworks."""

from __future__ import annotations

import contextlib
import io

import numpy as np

from tests.framework_programs import fails
from tests.tf.keras.material import CLASSES, X, Y, compiled, filled, outcomes


def metrics_by_their_names(tf):
    names = "Precision, precision, AUC, auc, mse, MSE, mape, MSLE, bce, f1_score, sum, log_cosh_error, TruePositives"
    found = [tf.keras.metrics.get(name) for name in names.split(", ")]
    return [(type(each).__name__, each.name) for each in found] + [tf.keras.metrics.get(None)]


@fails
def metric_of_no_name(tf):
    return tf.keras.metrics.get("kld")


@fails
def metric_by_a_name_that_says_too_little(tf):
    return tf.keras.metrics.get("MeanIoU")


def metrics_as_plain_values(tf):
    m = tf.keras.metrics
    wrapped = m.MeanMetricWrapper(m.huber, "wide", delta=2.0)
    again = m.MeanMetricWrapper.from_config(wrapped.get_config())
    told = m.serialize(m.Precision([0.2, 0.7], name="p"))
    return [told, m.deserialize(told).thresholds, m.serialize(m.mse), wrapped.get_config(), again(Y, 3 * Y)]


def _refused(make):
    try:
        return repr(make())
    except Exception as error:
        return [type(error).__name__]


def metrics_that_are_refused(tf):
    m = tf.keras.metrics
    makes = (
        lambda: m.Precision(2.0), lambda: m.TruePositives([0.5, -1]), lambda: m.AUC(curve="x"),
        lambda: m.AUC(summation_method="x"), lambda: m.AUC(1), lambda: m.AUC(num_labels=2),
        lambda: m.AUC(multi_label=True)(CLASSES, CLASSES), lambda: m.F1Score("x"), lambda: m.F1Score(threshold=1),
        lambda: m.F1Score(threshold=2.0), lambda: m.FBetaScore(beta=1), lambda: m.FBetaScore(beta=-1.0),
        lambda: m.F1Score()(CLASSES, CLASSES), lambda: m.R2Score("x"), lambda: m.R2Score(num_regressors=-1),
        lambda: m.R2Score()(CLASSES, CLASSES), lambda: m.IoU(2, [2]), lambda: m.BinaryIoU([0, 2]),
        lambda: m.Metric(foo=1), lambda: m.MeanIoU(),
    )  # fmt: skip
    return [_refused(make) for make in makes]


@fails
def metrics_of_shapes_that_do_not_fit(tf):
    return tf.keras.metrics.Precision()(np.float32([0, 1, 1]), np.float32([0.1, 0.2]))


@fails
def counts_of_other_labels_than_told(tf):
    return tf.keras.metrics.AUC(multi_label=True, num_labels=3)(X > 0, np.abs(X[:, :2]) / 2)


def sums_that_leave_another_shape(tf):
    variable = tf.keras.Variable(np.zeros(3, np.float32))
    changes = (np.ones((2, 3)), np.ones(2), np.ones((1, 3)), np.ones(1), 2.0)
    return [_refused_class(lambda each=each: variable.assign_add(each)) for each in changes] + [variable]


def _refused_class(make):
    try:
        return make()
    except Exception as error:
        return type(error).__name__


def metric_of_metrics(tf):
    class Both(tf.keras.metrics.Metric):
        def __init__(self, **options):
            super().__init__(**options)
            self.inner = tf.keras.metrics.Mean()
            self.seen = self.add_variable((), "zeros", name="seen")
            self.found = tf.keras.Variable(2.0, name="found")
            self.others = [tf.keras.metrics.Sum(dtype="float64")]

        def update_state(self, values, more=None, sample_weight=None):
            self.inner.update_state(values)
            self.seen.assign_add(np.inf)

        def result(self):
            return {"mean": self.inner.result(), "seen": self.seen}

    metric = Both(name="both")
    results = [
        metric([1.0, 3.0]),
        [each.path for each in metric.variables],
        [str(each.dtype) for each in metric.variables],
    ]
    metric.reset_state()
    model = compiled(tf, metrics=[Both()])
    return [*results, metric.variables, metric.get_config(), model.evaluate(X, Y, verbose=0)]


@fails
def metric_that_takes_no_weights(tf):
    class Seen(tf.keras.metrics.Metric):
        def update_state(self, y_true, y_pred):
            pass

        def result(self):
            return 0.0

    return compiled(tf, metrics=[Seen()]).fit(X, Y, verbose=0).history


@fails
def weight_of_a_metric_without_initializer(tf):
    return tf.keras.metrics.Mean().add_weight(name="w")


def fit_with_metrics_by_name(tf):
    model = filled(tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1, "sigmoid")]))
    named = ["Precision", "recall", "AUC", "acc", "MSE", "mse", "r2_score", "root_mean_squared_error", "kl_divergence"]
    functions = [tf.keras.losses.mae, tf.keras.losses.Huber(), lambda y, p: tf.reduce_mean(p), tf.keras.metrics.Recall]
    model.compile("sgd", "mse", metrics=[*named, *functions])
    history = model.fit(X, np.float32(Y > 0), epochs=2, verbose=0, shuffle=False).history
    kinds = [type(each).__name__ for each in model.metrics[1].metrics]
    return [history, kinds, [each.name for each in model.metrics[1].metrics]]


def fit_with_a_score_for_each_class(tf):
    model = filled(tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(3, "softmax")]))
    metrics = [tf.keras.metrics.F1Score(), "top_k_categorical_accuracy", "accuracy"]
    model.compile("sgd", "categorical_crossentropy", metrics=metrics)
    with contextlib.redirect_stdout(io.StringIO()):
        return model.fit(X, np.eye(3, dtype=np.float32)[CLASSES], epochs=2, verbose=2, shuffle=False).history


@fails
def compiled_with_metrics_that_are_none(tf):
    return compiled(tf, metrics=[None]).fit(X, Y, verbose=0)


@fails
def compiled_with_a_metric_of_no_name(tf):
    return compiled(tf, metrics=["huber"]).fit(X, Y, verbose=0)


@fails
def top_k_of_rows_alone(tf):
    return tf.keras.metrics.top_k_categorical_accuracy(X[0], X[0], k=1)


def top_k_of_more_axes(tf):
    m, steps = tf.keras.metrics, np.stack([X, -X])
    found = m.sparse_top_k_categorical_accuracy(np.int32([[0, 1, 2, 9], [2, 1, 0, 1]]), steps, k=2)
    return [found, m.sparse_top_k_categorical_accuracy(CLASSES, X * np.float32([1.0, np.nan, np.inf]), k=2)]


def own_metric(tf):
    class Largest(tf.keras.metrics.Metric):
        def __init__(self):
            super().__init__(name="largest")
            self.top = self.add_weight(name="top", initializer="zeros")

        def update_state(self, values):
            self.top.assign(tf.maximum(self.top, tf.reduce_max(values)))

        def result(self):
            return self.top

    metric = Largest()
    return [metric([1.0, 3.0]), metric([2.0]), [each.path for each in metric.variables], repr(metric)]


def text_of_a_result(tf):
    mean = tf.keras.metrics.Mean()
    mean(2.5)
    return f"{mean.result():.2f}"


def classes_from_the_last(tf):
    labels, classes = [0, 1, 2, 2, 1, 0], [0, 1, 1, 2, 1, 2]
    kinds = tf.keras.metrics

    def score(metric, labels=labels, classes=classes):
        metric.update_state(labels, classes)
        return metric.result()

    return outcomes(
        *(
            lambda ids=ids: score(kinds.IoU(3, ids))
            for ids in ([-1], [0, -1], [-3], [-4], [3], [], [1.0], np.array([1, -2]))
        ),
        lambda: score(kinds.BinaryIoU([-1]), [0, 1, 1, 0], [0.1, 0.9, 0.4, 0.6]),
        lambda: score(kinds.OneHotIoU(3, [-1]), np.eye(3)[labels], np.eye(3)[classes]),
        lambda: kinds.IoU(3, [-1]).get_config()["target_class_ids"],
    )


def metrics_of_labels_of_another_length(tf):
    metrics = tf.keras.metrics
    kinds = metrics.BinaryAccuracy, metrics.Accuracy, metrics.AUC, metrics.Precision, metrics.MeanSquaredError
    return [_refused_class(lambda kind=kind: kind()(np.ones(4), np.ones(5))) for kind in kinds]


def what_an_update_of_overlaps_returns(tf):
    metrics = tf.keras.metrics
    return [metrics.MeanIoU(2).update_state([0, 1], [0, 1]), metrics.BinaryIoU().update_state([0, 1], [0.1, 0.9])]


def labels_are_rounded_as_predictions_are(tf):
    metric = tf.keras.metrics.SparseCategoricalAccuracy()
    metric.update_state([[0.1, 0.9]], [1])
    return metric.result(), metric.total, metric.count
