"""`python -m tests.recorders.tensorflow.replicated`: what two replicas compute, alone and recorded, as JSON.

A process of its own, since devices are chosen before TensorFlow begins.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

import tapeviz as tv
from tapeviz.events import BackwardFinished

X = np.random.default_rng(0).normal(size=(8, 4)).astype("float32")


def weights() -> Any:
    return tf.Variable([[0.5, -1.0], [0.3, 0.8], [0.1, 0.2], [-0.4, 0.6]], name="w")


def own_loop(strategy: Any) -> list[Any]:
    """A step of one's own, with the sum over replicas and an optimizer."""
    with strategy.scope():
        w, optimizer = weights(), tf.keras.optimizers.SGD(0.1)

    def step() -> Any:
        replica = tf.distribute.get_replica_context()
        x = X[: 4 + 2 * replica.replica_id_in_sync_group]
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
        gradient = tape.gradient(loss, w)
        total = replica.all_reduce("SUM", gradient)
        optimizer.apply_gradients([(gradient, w)])
        return gradient, total

    gradient, total = strategy.run(step)
    return [*strategy.experimental_local_results(gradient), *strategy.experimental_local_results(total), w]


def merged_within_the_tape(strategy: Any) -> list[Any]:
    """Replicas that meet while each has its tape open, and go on with it."""
    with strategy.scope():
        w = weights()

    def step() -> Any:
        with tf.GradientTape() as tape:
            h = tf.matmul(X, w)
            mean = tf.distribute.get_replica_context().all_reduce("MEAN", tf.stop_gradient(h))
            loss = tf.reduce_sum(tf.square(h - 0.5 * mean))
        return tape.gradient(loss, w)

    return list(strategy.experimental_local_results(strategy.run(step)))


def fit(strategy: Any) -> list[Any]:
    """Keras' own training."""
    tf.keras.utils.set_random_seed(0)
    with strategy.scope():
        first, last = tf.keras.layers.Dense(3, activation="relu", name="first"), tf.keras.layers.Dense(1, name="last")
        model = tf.keras.Sequential([tf.keras.Input((4,)), first, last])
        model.compile(tf.keras.optimizers.Adam(0.01), "mse", run_eagerly=True)
    model.fit(X, X[:, :1], epochs=2, batch_size=4, verbose=0)
    return list(model.weights)


PROGRAMS: dict[str, Callable[[Any], list[Any]]] = {
    each.__name__: each for each in (own_loop, merged_within_the_tape, fit)
}


def compared(program: Callable[[Any], list[Any]], strategy: Any) -> dict[str, Any]:
    """Whether the results are the same with a recording, and what its log has."""
    alone = [each.numpy().tobytes() for each in program(strategy)]
    with tv.record() as log:
        results = [each.numpy().tobytes() for each in program(strategy)]
    finished = log.of_kind(BackwardFinished).values()
    gradients = [log.value(each).tobytes() for run in finished for each in run.gradients]
    return {
        "same": alone == results,
        "gradients": len(gradients),
        "returned": sum(each in results for each in gradients),
        "scopes": sorted({each.name for each in log.scopes if "replica" in each.name}),
        "told": str(tv.diagnose(log)),
    }


def main() -> None:
    """Compare all programs."""
    warnings.simplefilter("error", RuntimeWarning)  # as of what could not be recorded
    (cpu,) = tf.config.list_physical_devices("CPU")
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    print(json.dumps({name: compared(program, strategy) for name, program in PROGRAMS.items()}))


if __name__ == "__main__":
    main()
