"""What programs with Keras share: numbers, a small network, weights that are no chance, what is asked of errors."""

from __future__ import annotations

import numpy as np

X = np.float32([[0.5, -1.0, 2.0], [1.5, 0.2, -0.3], [0.0, 0.1, 0.9], [-2.0, 1.0, 0.4]])
Y = np.float32([[1.0], [0.0], [0.5], [-1.0]])
CLASSES = np.int32([0, 1, 1, 0])
SHARES = np.float32([0.5, 2.0, 0.0, 1.0])
INPUT_B, INPUT_A = np.float32([[5.0], [7.0]]), np.float32([[1.0], [2.0]])


def filled(layer, seed=0):
    numbers = np.random.RandomState(seed)
    layer.set_weights([numbers.normal(size=each.shape).astype(np.float32) for each in layer.get_weights()])
    return layer


def network(tf, *layers, name="net"):
    model = tf.keras.Sequential([tf.keras.Input((3,)), *layers], name=name)
    return filled(model)


def text(print_summary):
    lines = []
    print_summary(lambda text, *args, **kwargs: lines.append(text))
    return [line.rstrip() for line in "\n".join(lines).splitlines()]


def compiled(tf, loss="mse", optimizer="sgd", metrics=None, units=1):
    model = network(tf, tf.keras.layers.Dense(4, activation="tanh"), tf.keras.layers.Dense(units))
    model.compile(optimizer=optimizer, loss=loss, metrics=metrics)
    return model


def errors(*calls):
    """The class of the error of each call, None where there is none."""
    found = []
    for call in calls:
        try:
            call()
        except Exception as error:
            found.append(type(error).__name__)
        else:
            found.append(None)
    return found


def answer(ask):
    try:
        return ask()
    except AttributeError as error:
        return type(error).__name__


def answer_or_error(ask):
    """What it gives, or the class of its error."""
    try:
        return ask()
    except Exception as error:
        return type(error).__name__


def outcomes(*makes):
    """What each gives, or the class of its error."""
    return [answer_or_error(make) for make in makes]
