"""TensorFlow programs that a recording must neither change nor misread: name -> function of the module, to results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Program = Callable[[Any], Any]
PROGRAMS: dict[str, Program] = {}


def program(function: Program) -> Program:
    PROGRAMS[function.__name__] = function
    return function


@program
def square(tf: Any) -> Any:
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    return [tape.gradient(y, x)]


@program
def layer(tf: Any) -> Any:
    x, w, b = tf.constant([[1.0, -2.0]]), tf.Variable([[0.5, 1.0], [-1.0, 2.0]]), tf.Variable([0.1, 0.2])
    with tf.GradientTape() as tape:
        h = tf.nn.relu(x @ w + b)
        loss = tf.reduce_mean(h * h) + 0.1 * tf.reduce_sum(w)
    return [loss, *tape.gradient(loss, [w, b])]


@program
def variable_read_by_an_op(tf: Any) -> Any:
    w = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(w) * tf.reduce_prod(w) + tf.exp(w)[0]
    return [tape.gradient(loss, w)]


@program
def shared_weights(tf: Any) -> Any:
    w, h = tf.Variable([[0.5, -0.2], [0.3, 0.8]]), tf.ones((1, 2))
    with tf.GradientTape() as tape:
        for _ in range(4):
            h = tf.tanh(tf.matmul(h, w))
        loss = tf.reduce_sum(h)
    return [tape.gradient(loss, w)]


@program
def data_in_two_places(tf: Any) -> Any:
    @tf.custom_gradient
    def product(x: Any, y: Any) -> Any:
        return x * y, lambda g: (g * y, g * x)

    x, w = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.Variable([[0.5, 1.0], [-1.0, 2.0]])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum((w - x) * tf.matmul(x, w) + product(w, x))
    return [loss, tape.gradient(loss, w)]


@program
def words(tf: Any) -> Any:
    x, word = tf.Variable(2.0), tf.strings.join([tf.constant("a"), "b"], ", ")
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer([word], [3.0]), 0.0)
    with tf.GradientTape() as tape:
        loss = x * tf.cast(tf.strings.length(word), tf.float32) * table.lookup(tf.constant("a, b"))
    return [loss, tape.gradient(loss, x)]


@program
def persistent(tf: Any) -> Any:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = tf.reduce_sum(y * y)
    return [tape.gradient(z, x), tape.gradient(y, x), tape.gradient(z, y)]


@program
def second_derivative(tf: Any) -> Any:
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(tf.sin(x) * x * x)
        first = inner.gradient(y, x)
    return [first, outer.gradient(first, x)]


@program
def seeds_and_structures(tf: Any) -> Any:
    a, b = tf.Variable([1.0, 2.0]), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y, z = a * b, a + b
    found = tape.gradient({"y": y, "z": z}, {"a": a, "b": [b]}, output_gradients=[tf.constant([1.0, 2.0]), None])
    return [found["a"], found["b"][0]]


@program
def paused(tf: Any) -> Any:
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
        with tape.stop_recording():
            z = y * 3.0
        out = y * z
    return [tape.gradient(out, x)]


@program
def tape_reset(tf: Any) -> Any:
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
        tape.reset()
        z = x * 3.0 + y
    return [tape.gradient(z, x)]


@program
def left_and_entered_again(tf: Any) -> Any:
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    with tape:
        z = y * x
    return [tape.gradient(z, x)]


@program
def assigned_between_reads(tf: Any) -> Any:
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        old = v.read_value()
        y = v * v
        v.assign(10.0)
        z = y * v * old
    return [tape.gradient(z, v), v]


@program
def scattered(tf: Any) -> Any:
    v = tf.Variable([1.0, 2.0, 3.0])
    v.scatter_nd_update([[0]], [5.0])
    v[1].assign(7.0)
    v.assign_add([1.0, 1.0, 1.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(v * v)
    return [tape.gradient(y, v), v]


@program
def sparse_and_dense(tf: Any) -> Any:
    table, w = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), tf.Variable([2.0, -1.0])
    with tf.GradientTape(persistent=True) as tape:
        rows = tf.gather(table, [0, 2, 0])
        y = tf.reduce_sum(rows * w)
        z = y + tf.reduce_sum(table * table)
    return [tf.convert_to_tensor(tape.gradient(y, table)), tape.gradient(z, table), tape.gradient(y, w)]


@program
def several_outputs(tf: Any) -> Any:
    x = tf.Variable([[1.0, 2.0, 3.0, 4.0]])
    with tf.GradientTape() as tape:
        a, b = tf.split(x, 2, axis=1)
        top, _ = tf.math.top_k(b, k=1)
        mean, variance = tf.nn.moments(x, axes=[1])
        y = tf.reduce_sum(a * a) + tf.reduce_sum(top) + tf.reduce_sum(mean * variance)
    return [tape.gradient(y, x)]


@program
def shapes(tf: Any) -> Any:
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        y = tf.transpose(tf.reshape(x, [4, 1]))
        y = tf.concat([y, tf.tile(y, [1, 2])], axis=1)[:, 1:]
        y = tf.stack([y, tf.reverse(y, axis=[1])], axis=0)
        y = tf.squeeze(tf.expand_dims(y, 0), axis=[0])
        out = tf.reduce_sum(y * tf.cast(tf.range(tf.shape(y)[-1]), tf.float32))
    return [tape.gradient(out, x)]


@program
def custom_gradient(tf: Any) -> Any:
    @tf.custom_gradient
    def clipped(x: Any) -> Any:
        return x * x, lambda g: tf.clip_by_value(g, -0.5, 0.5) * 2.0 * x

    x = tf.Variable([1.0, -2.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(clipped(x) * 3.0)
    return [tape.gradient(y, x)]


@program
def custom_gradient_with_a_variable(tf: Any) -> Any:
    w = tf.Variable(2.0)

    @tf.custom_gradient
    def scaled(x: Any) -> Any:
        def grad(g: Any, variables: Any = None) -> Any:
            return g * w, [tf.reduce_sum(g * x) for _ in variables]

        return x * w, grad

    x = tf.Variable([1.0, -2.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(scaled(x))
    return list(tape.gradient(y, [x, w]))


@program
def jacobians(tf: Any) -> Any:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x * tf.reduce_sum(x)
        z = tf.sin(x)
    slow = tape.jacobian(y, x, experimental_use_pfor=False)
    return [tape.jacobian(y, x), slow, tape.batch_jacobian(z, x), tape.gradient(y, x)]


@program
def compiled(tf: Any) -> Any:
    w = tf.Variable([1.0, 2.0])

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(w * x))
        return loss, tape.gradient(loss, w)

    return list(step(tf.constant([3.0, 4.0])))


@program
def python_function(tf: Any) -> Any:
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.py_function(lambda a: a * a, [x], tf.float32))
    return [tape.gradient(y, x)]


@program
def half_precision(tf: Any) -> Any:
    x, w = tf.constant([[1.0, 2.0]], tf.float16), tf.Variable([[0.5], [0.25]])
    with tf.GradientTape() as tape:
        y = tf.matmul(x, tf.cast(w, tf.float16))
        loss = tf.cast(tf.reduce_sum(y * y), tf.float32) * 128.0
    return [tape.gradient(loss, w)]


@program
def read_out(tf: Any) -> Any:
    import numpy as np

    x = tf.Variable([1.5, 2.5])
    with tf.GradientTape() as tape:
        y = x * x
        scale = float(tf.reduce_sum(y)) + y.numpy()[0] + np.asarray(y)[1] + (1.0 if y[0] > 1.0 else 0.0)
        z = tf.reduce_sum(y * scale)
    return [tape.gradient(z, x), x.numpy()]


@program
def unconnected(tf: Any) -> Any:
    a, b = tf.Variable(1.0), tf.Variable([2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        y = a * 2.0
    found = tape.gradient(y, [a, b])
    return [found[0], found[1] is None, tape.gradient(y, b, unconnected_gradients="zero")]


@program
def errors_caught(tf: Any) -> Any:
    x, caught = tf.Variable(1.0), []
    with tf.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    for call in (lambda: tape.gradient(y, x), lambda: tf.constant([1.0]) @ tf.constant([2.0])):
        try:
            call()
        except Exception as error:
            caught.append(type(error).__name__)
    return caught


@program
def keras_model(tf: Any) -> Any:
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Conv2D(4, 3, activation="relu"),
            tf.keras.layers.BatchNormalization(),
            tf.keras.layers.MaxPooling2D(),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dropout(0.2),
            tf.keras.layers.Dense(3),
        ]
    )
    x, labels = tf.random.normal((2, 8, 8, 1)), tf.constant([0, 2])
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    with tf.GradientTape() as tape:
        loss = loss_of(labels, model(x, training=True))
    found = tape.gradient(loss, model.trainable_variables)
    optimizer = tf.keras.optimizers.Adam(0.01)
    optimizer.apply_gradients(zip(found, model.trainable_variables, strict=True))
    return [loss, *found, *[each.numpy() for each in model.variables]]


@program
def keras_fit(tf: Any) -> Any:
    tf.keras.utils.set_random_seed(2)
    model = tf.keras.Sequential([tf.keras.layers.Dense(4, activation="tanh"), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse", run_eagerly=True)
    x = tf.random.normal((16, 3))
    history = model.fit(x, tf.reduce_sum(x, axis=1, keepdims=True), epochs=2, batch_size=8, verbose=0, shuffle=False)
    return [history.history["loss"], *[each.numpy() for each in model.variables]]


@program
def variable_of_any_shape(tf: Any) -> Any:
    v, w = tf.Variable([[1.0]], shape=tf.TensorShape(None)), tf.Variable([1.0, 2.0], shape=[None])
    v.assign([[2.0]])
    w.assign([2.0, 3.0])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(v * v) * tf.reduce_sum(w * w)
    return [loss, *tape.gradient(loss, [v, w])]


@program
def array_read_again_in_a_function(tf: Any) -> Any:
    @tf.function
    def fibonacci(x: Any) -> Any:
        array = tf.TensorArray(tf.float32, size=0, dynamic_size=True).unstack([x, x])
        for i in range(2, 6):
            array = array.write(i, array.read(i - 1) * array.read(i - 2))
        return array.stack()

    x = tf.Variable(1.5)
    with tf.GradientTape() as tape:
        y = fibonacci(x)
    return [y, tape.gradient(y, x)]


@program
def replica(tf: Any) -> Any:
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    with strategy.scope():
        w = tf.Variable([[0.5, -1.0], [0.3, 0.8]])

    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            h = tf.matmul(x, w)
            mean = tf.distribute.get_replica_context().all_reduce("MEAN", tf.stop_gradient(h))
            loss = tf.reduce_sum(tf.square(h - 0.5 * mean))
        return tape.gradient(loss, w)

    return [strategy.run(step, (tf.constant([[1.0, 2.0], [0.5, -0.5]]),))]
