"""Small Keras programs on losses, run in both frameworks."""

from __future__ import annotations

import numpy as np

from tests.framework_programs import fails
from tests.tf.keras.material import X, Y, compiled


def loss_of_lists(tf):
    return tf.keras.losses.MeanSquaredError()([[0.0, 1.0], [0.0, 0.0]], [[1.0, 1.0], [1.0, 0.0]])


@fails
def loss_of_a_list_and_a_tensor(tf):
    return tf.keras.losses.MeanSquaredError()([0.0, 1.0], tf.constant([1.0, 1.0]))


@fails
def loss_of_lists_of_different_lengths(tf):
    return tf.keras.losses.MeanSquaredError()([[0.0, 1.0, 2.0]], [[1.0, 1.0]])


def loss_of_integers(tf):
    return [
        tf.keras.losses.mse([[1, 2]], [[3, 5]]),
        tf.keras.losses.MeanSquaredError()(np.int32([1, 2]), np.int32([3, 5])),
    ]


@fails
def loss_of_an_unknown_reduction(tf):
    return tf.keras.losses.MeanSquaredError(reduction="nonsense")


@fails
def loss_of_shapes_that_differ(tf):
    return tf.keras.losses.CategoricalCrossentropy()(tf.ones((2, 3)), tf.ones((2, 2)))


@fails
def loss_of_a_class_out_of_range(tf):
    return tf.keras.losses.SparseCategoricalCrossentropy()(tf.constant([5]), tf.constant([[0.5, 0.5]]))


@fails
def loss_of_classes_along_another_axis(tf):
    classes, predictions = tf.constant([[0, 1]]), tf.constant([[[0.2, 0.8], [0.7, 0.3]]])
    return tf.keras.losses.sparse_categorical_crossentropy(classes, predictions, axis=1)


def own_loss(tf):
    class Quartic(tf.keras.losses.Loss):
        def call(self, y_true, y_pred):
            return tf.reduce_mean((y_true - y_pred) ** 4, axis=-1)

    return [Quartic()(tf.constant(Y), tf.zeros((4, 1))), Quartic(reduction="sum")(tf.constant(Y), tf.zeros((4, 1)))]


def own_loss_of_a_list_and_a_tensor(tf):
    class Cubic(tf.keras.losses.Loss):
        def call(self, y_true, y_pred):
            return tf.reduce_mean(tf.abs(y_true - y_pred) ** 3, axis=-1)

    labels, loss = [[0.0], [1.0]], Cubic()
    with tf.GradientTape() as tape:
        v = tf.Variable([[0.5], [3.0]])
        y = loss(labels, v)
    return [y, tape.gradient(y, v), loss(tf.constant(labels), [[0.5], [3.0]]), loss(labels, np.float32([[0.5], [3.0]]))]


@fails
def own_loss_of_lists_is_of_lists(tf):
    class Distance(tf.keras.losses.Loss):
        def call(self, y_true, y_pred):
            return y_true - y_pred

    return Distance()([0.0], [1.0])


def unknown_loss_is_refused_when_it_is_first_used(tf):
    model = compiled(tf, loss="nonsense")
    return [model.compiled, model.loss, model.predict(X, verbose=0)]


@fails
def unknown_loss(tf):
    return compiled(tf, loss="nonsense").fit(X, Y, verbose=0)


@fails
def loss_of_scalars(tf):
    return tf.keras.losses.MeanSquaredError()(tf.constant(1.0), tf.constant(3.0))


def classes_as_floats(tf):
    return tf.keras.losses.SparseCategoricalCrossentropy()(
        tf.constant([0.0, 1.0]), tf.constant([[0.2, 0.8], [0.3, 0.7]])
    )


@fails
def classes_of_another_shape(tf):
    return tf.keras.losses.SparseCategoricalCrossentropy()(tf.constant([[0, 1]]), tf.constant([[0.2, 0.8]]))


def losses_of_whole_numbers(tf):
    true, predicted = np.array([[0, 1], [3, 2]]), np.array([[2, 1], [1, 0]])
    functions = [getattr(tf.keras.losses, each) for each in ("huber", "MSLE", "MAPE", "MSE")]
    halves = tf.constant(true, tf.float16), tf.constant(predicted, tf.float16)
    return [each(*given) for each in functions for given in ((true, predicted), halves)]


def vectors_shorter_than_a_cosine_can_tell(tf):
    keras, zero = tf.keras, tf.Variable([[0.0, 0.0], [1e-8, 1e-3], [1.0, 2.0]])
    with tf.GradientTape() as tape:
        loss = keras.losses.cosine_similarity([[1.0, 2.0], [1.0, 1.0], [3.0, 4.0]], zero)
    rows, normalize = np.array([[3.0, 4.0], [0.0, 0.0]]), keras.utils.normalize
    return [
        [loss, tape.gradient(loss, zero), keras.metrics.CosineSimilarity()([[1e-8, 0.0]], [[1.0, 0.0]])],
        [keras.losses.cosine_similarity(1.0, 2.0), normalize(rows), normalize(rows[:1], axis=0), normalize(rows, 1, 1)],
        [normalize(tf.constant(rows), order=each) for each in (1, 2, 3)],
        [normalize(tf.constant(3.0)), normalize([[3.0, 4.0]])],
    ]


@fails
def a_length_of_order_0(tf):
    return tf.keras.utils.normalize(tf.constant([1.0]), order=0)


@fails
def a_loss_that_is_called_before_it_is_made(tf):
    return tf.keras.losses.MeanSquaredError(tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0]))


def functions_of_losses_have_the_names_that_keras_gives_in_tensorflow(tf):
    short = ["mse", "mae", "mape", "msle", "kld", "logcosh", "kullback_leibler_divergence", "MSE", "KLD"]
    long = ["mean_squared_error", "mean_absolute_error", "kl_divergence", "log_cosh", "mean_absolute_percentage_error"]
    losses = tf.keras.losses
    assert all(hasattr(losses, name) for name in short)
    return [hasattr(losses, name) for name in long], [losses.get(name).__name__ for name in long]


def squares_of_complex_differences(tf):
    return tf.keras.losses.mse(tf.constant([1.0, 3.0]), tf.constant([2 + 1j, 1 - 2j]))


def lists_in_another_structure_are_told_in_the_dtype_of_the_loss(tf):
    try:
        tf.keras.losses.MeanSquaredError()([1.0, 2.0], tf.constant([1.0, 2.0], tf.float64))
    except ValueError as error:
        return type(error).__name__
