"""Programs with compiled functions: name -> function of TensorFlow, to results.

`SEEN` are those of which a recording has the same inside as of the opened function, op by op; of `PARTLY` it has less.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Program = Callable[[Any], list[Any]]
SEEN: dict[str, Program] = {}
PARTLY: dict[str, Program] = {}


def seen(function: Program) -> Program:
    SEEN[function.__name__] = function
    return function


def partly(function: Program) -> Program:
    PARTLY[function.__name__] = function
    return function


def net(tf: Any) -> Any:
    tf.keras.utils.set_random_seed(1)
    layers = tf.keras.layers
    first, drop, last = (
        layers.Dense(4, activation="relu", name="first"),
        layers.Dropout(0.3, name="drop"),
        layers.Dense(1),
    )
    return tf.keras.Sequential([layers.Input((3,)), first, drop, last])


def examples() -> tuple[Any, Any]:
    x = np.random.default_rng(0).normal(size=(12, 3)).astype("float32")
    return x, x.sum(1, keepdims=True)


@seen
def training_step(tf: Any) -> list[Any]:
    w = tf.Variable([1.0, 2.0], name="w")

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((x * w) ** 2)
        g = tape.gradient(loss, w)
        w.assign_sub(0.1 * g)
        return loss

    return [*(step(tf.constant([1.0, 2.0])) for _ in range(3)), w]


@seen
def function_in_a_function(tf: Any) -> list[Any]:
    w = tf.Variable([1.0, 2.0], name="w")

    @tf.function
    def inner(x: Any) -> Any:
        return tf.tanh(x * w)

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(inner(x))
        return tape.gradient(loss, w), inner(x) + 1.0

    return [*step(tf.constant([1.0, 2.0])), *step(tf.constant([3.0, 2.0]))]


@seen
def tape_around_a_function(tf: Any) -> list[Any]:
    w = tf.Variable([1.0, 2.0], name="w")

    @tf.function
    def model(x: Any) -> Any:
        h = x * w
        return tf.reduce_sum(tf.sin(h))

    with tf.GradientTape() as tape:
        loss = model(tf.constant([1.0, 3.0])) * 2.0
    return [loss, tape.gradient(loss, w)]


@seen
def variable_as_an_argument(tf: Any) -> list[Any]:
    w = tf.Variable([1.0, 2.0], name="w")

    @tf.function
    def model(x: Any) -> Any:
        return tf.reduce_sum(tf.sin(x) * w)

    with tf.GradientTape() as tape:
        loss = model(w)
    return [loss, tape.gradient(loss, w)]


@seen
def branch_in_python(tf: Any) -> list[Any]:
    w = tf.Variable(2.0, name="w")

    @tf.function
    def step(x: Any, doubles: bool) -> Any:
        y = x * w
        if doubles:
            y = y + y
        for _ in range(2):
            y = y * w
        return y

    return [step(tf.constant(1.0), True), step(tf.constant(2.0), True), step(tf.constant(2.0), False)]


@seen
def generator_of_random_numbers(tf: Any) -> list[Any]:
    w, generator = tf.Variable([2.0, 1.0], name="w"), tf.random.Generator.from_seed(4)

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x * w + generator.normal([2]) * w)
        return loss, tape.gradient(loss, w)

    return [*step(tf.constant([1.0, 2.0])), *step(tf.constant([1.0, 2.0]))]


@seen
def variables_that_are_written(tf: Any) -> list[Any]:
    w, n = tf.Variable([2.0, 1.0], name="w"), tf.Variable(0, name="n")
    m = tf.Variable([[0.0, 1.0], [2.0, 3.0]], name="m")

    @tf.function
    def step(x: Any) -> Any:
        n.assign_add(1)
        w.assign(w * 0.5 + x)
        y = w + tf.cast(n, tf.float32)
        m.scatter_nd_update([[0]], [y])
        return y * tf.reduce_sum(m)

    return [step(tf.constant([1.0, 2.0])), step(tf.constant([1.0, 2.0])), w, n, m]


@seen
def own_gradient(tf: Any) -> list[Any]:
    @tf.custom_gradient
    def cubed(x: Any) -> Any:
        return x**3, lambda g: g * 2.0 * x**2

    w = tf.Variable([2.0, 1.0], name="w")

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(cubed(x * w))
        return loss, tape.gradient(loss, w)

    return [*step(tf.constant([1.0, 2.0]))]


@seen
def none_inside(tf: Any) -> list[Any]:
    w, v = tf.Variable([2.0, 1.0], name="w"), tf.Variable(1.0, name="v")

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            whole = tf.cast(x * v, tf.int32)
            loss = tf.reduce_sum(x * w) + tf.cast(tf.reduce_sum(whole), tf.float32)
        gw, _ = tape.gradient(loss, [w, v])
        return loss, gw

    return [*step(tf.constant([1.0, 2.0]))]


@seen
def not_a_number(tf: Any) -> list[Any]:
    w = tf.Variable([0.0, 2.0], name="w")

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.sqrt(x * w))
        g = tape.gradient(loss, w)
        w.assign_sub(0.1 * g)
        return loss

    return [step(tf.constant([0.0, 2.0])), step(tf.constant([0.0, 2.0])), w]


@seen
def paused_tape(tf: Any) -> list[Any]:
    w, v = tf.Variable([2.0, 1.0], name="w"), tf.Variable(1.0, name="v")

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            y = x * w
            with tape.stop_recording():
                z = y * v
            loss = tf.reduce_sum(y + tf.stop_gradient(z))
        return tape.gradient(loss, w), tape.gradient(loss, y)

    return [*step(tf.constant([1.0, 2.0]))]


@seen
def open_length(tf: Any) -> list[Any]:
    w = tf.Variable([2.0, 1.0], name="w")

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.reduce_sum(x * w, axis=-1))
        return tape.gradient(loss, w)

    return [step(tf.ones([3, 2])), step(tf.ones([5, 2]))]


@seen
def rows_of_a_table(tf: Any) -> list[Any]:
    table = tf.Variable(tf.reshape(tf.range(12.0), (4, 3)), name="table")

    @tf.function
    def look_up(i: Any) -> Any:
        return tf.reduce_sum(tf.gather(table, i) ** 2) + tf.reduce_sum(tf.gather(table, i + 1))

    with tf.GradientTape() as tape:
        loss = look_up(tf.constant([0, 2, 2]))
    return [loss, tf.convert_to_tensor(tape.gradient(loss, table))]


@seen
def method_of_a_module(tf: Any) -> list[Any]:
    class Head(tf.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.a, self.scale = tf.Variable([1.0, 2.0], name="a"), 2.0

        @tf.function
        def forward(self, x: Any) -> Any:
            return self._summed(tf.nn.relu(x * self.a))

        def _summed(self, h: Any) -> Any:
            z = h * self.scale
            return tf.reduce_sum(z)

    head = Head()
    with tf.GradientTape() as tape:
        loss = head.forward(tf.constant([1.0, 3.0]))
    return [loss, tape.gradient(loss, head.a)]


@seen
def by_xla(tf: Any) -> list[Any]:
    w = tf.Variable([2.0, 1.0], name="w")

    @tf.function(jit_compile=True)
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.sin(x * w))
        return loss, tape.gradient(loss, w)

    return [*step(tf.constant([1.0, 2.0]))]


@partly
def fit(tf: Any) -> list[Any]:
    """As the opened one; shapes are constants of the graph."""
    model = net(tf)
    model.compile("adam", "mse")
    x, y = examples()
    history = model.fit(x, y, batch_size=5, epochs=2, verbose=0, validation_data=(x, y)).history
    return [*model.trainable_variables, history["loss"], history["val_loss"], model.predict(x, verbose=0)]


@partly
def steps_of_an_optimizer(tf: Any) -> list[Any]:
    """As of the opened one; the ops of its schedule are constants of the graph."""
    w = tf.Variable([1.0, 2.0], name="w")
    rate = tf.keras.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5)
    optimizer = tf.keras.optimizers.Adam(rate)
    optimizer.build([w])

    @tf.function
    def step(x: Any) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((x * w) ** 2)
        optimizer.apply_gradients([(tape.gradient(loss, w), w)])

    @tf.function
    def both(x: Any) -> None:
        step(x)
        optimizer.apply_gradients([(x, w)])

    both(tf.constant([1.0, 2.0]))
    both(tf.constant([3.0, 4.0]))
    return [w]


@partly
def several_steps_at_once(tf: Any) -> list[Any]:
    """The steps are a loop of TensorFlow's, which has ops of its own."""
    model = net(tf)
    model.compile("sgd", "mse", steps_per_execution=2)
    x, y = examples()
    model.fit(x, y, batch_size=4, verbose=0)
    return [*model.trainable_variables]


@partly
def loops_and_branches(tf: Any) -> list[Any]:
    """Each is one op where a tape is around it."""
    w = tf.Variable(2.0, name="w")

    @tf.function
    def step(x: Any, n: Any) -> Any:
        with tf.GradientTape() as tape:
            if tf.reduce_sum(x) > 0:
                y = x * w
            else:
                y = x - w
            for _ in tf.range(n):
                y = y * 0.5 + w
            loss = tf.reduce_sum(y)
        return loss, tape.gradient(loss, w)

    return [*step(tf.constant([1.0, 2.0]), tf.constant(3)), *step(tf.constant([-1.0, -2.0]), tf.constant(2))]


@partly
def random_numbers(tf: Any) -> list[Any]:
    """They cannot be drawn again."""
    w = tf.Variable([2.0, 1.0], name="w")

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x * w + tf.random.normal([2]) * w)
        return loss, tape.gradient(loss, w)

    return [*step(tf.constant([1.0, 2.0])), *step(tf.constant([1.0, 2.0]))]


@partly
def python_inside(tf: Any) -> list[Any]:
    """It is not called again."""
    w = tf.Variable([2.0, 1.0], name="w")

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            z = tf.py_function(lambda a: a * 2.0, [x * w], tf.float32)
            loss = tf.reduce_sum(z)
        return loss, tape.gradient(loss, w)

    return [*step(tf.constant([1.0, 2.0]))]


@partly
def elements_of_an_iterator(tf: Any) -> list[Any]:
    """They are data."""
    w = tf.Variable([2.0, 1.0], name="w")
    rows = tf.data.Dataset.from_tensor_slices(np.arange(8, dtype="float32").reshape(4, 2)).batch(2)

    @tf.function
    def step(batches: Any) -> Any:
        x = next(batches)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x * w)
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss

    batches = iter(rows)
    return [step(batches), step(batches), w]


@partly
def second_derivatives(tf: Any) -> list[Any]:
    """The function stays one op."""
    w = tf.Variable([1.0, 2.0], name="w")

    @tf.function
    def model(x: Any) -> Any:
        return tf.reduce_sum(tf.sin(x * w) * w)

    with tf.GradientTape() as outer:
        with tf.GradientTape() as tape:
            loss = model(tf.constant([1.0, 3.0]))
        g = tape.gradient(loss, w)
    return [loss, outer.gradient(g, w)]


@partly
def several_results(tf: Any) -> list[Any]:
    """TensorFlow pulls them back together, those with zeros that nothing reads."""
    w = tf.Variable([1.0, 2.0], name="w")

    @tf.function
    def model(x: Any) -> Any:
        h = x * w
        return h, tf.reduce_sum(tf.sin(h) * w), x

    with tf.GradientTape() as tape:
        h, s, x = model(w * 2.0)
        _, t, _ = model(x * 2.0)
        loss = s * 2.0 + tf.reduce_sum(h * w) + t
    return [loss, tape.gradient(loss, w)]
