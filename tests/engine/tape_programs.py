"""Small programs about the tape itself, each run under TensorFlow and under tapeviz: `program(tf)` -> its results."""

from __future__ import annotations

import numpy as np

from tests.framework_programs import fails


def cube(tf):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x * x
    return tape.gradient(y, x)


def target_is_source_unwatched(tf):
    c = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        pass
    return tape.gradient(c, c)


def target_is_variable(tf):
    v, w = tf.Variable([1.0, 2.0]), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        v * w
    return tape.gradient(v, [v, w])


def unwatched_source(tf):
    c = tf.constant(2.0)
    with tf.GradientTape() as tape:
        y = c * 3.0
    return tape.gradient(y, c)


def empty_targets(tf):
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        x * 2.0
    return tape.gradient([], x)


def empty_sources(tf):
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x * 2.0
    return tape.gradient(y, [])


def nested_targets_and_sources(tf):
    a, b, c = tf.Variable(2.0), tf.Variable([1.0, 4.0]), tf.Variable(5.0)
    with tf.GradientTape() as tape:
        p, q = a * b, b * b * c
    return tape.gradient({"p": p, "more": [q, (q, p)]}, {"z": a, "m": (b, [c])})


def repeated_target_counts_twice(tf):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    return tape.gradient([y, y], x)


def intermediate_source(tf):
    x = tf.constant([3.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    return tape.gradient(z, [y, x])


@fails
def second_call(tf):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    return tape.gradient(y, x)


@fails
def never_entered(tf):
    x = tf.Variable(3.0)
    return tf.GradientTape().gradient(x * x, x)


def persistent_twice(tf):
    x = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
        z = y * y
    return tape.gradient(z, x), tape.gradient(y, x), tape.gradient(z, y)


def target_none(tf):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    try:
        tape.gradient(None, x)
    except TypeError:
        return tape.gradient(y, x)


@fails
def bad_unconnected(tf):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    return tape.gradient(y, x, unconnected_gradients="nonsense")


def unconnected_zero(tf):
    x, y, n = tf.Variable(2.0), tf.Variable([3.0, 1.0]), tf.Variable([1, 2])
    with tf.GradientTape() as tape:
        z = x * x
    return tape.gradient(z, [x, y, n], unconnected_gradients=tf.UnconnectedGradients.ZERO)


def unconnected_zero_by_name(tf):
    x, y = tf.Variable(2.0), tf.Variable([3.0, 1.0])
    with tf.GradientTape() as tape:
        z = x * x
    return tape.gradient(z, y, unconnected_gradients="zero")


def gradient_inside_its_own_context(tf):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
        g = tape.gradient(y, x)
        z = g * x
    return g, z


def gradient_inside_persistent_context(tf):
    x = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x * x
        g = tape.gradient(y, x)
    return g, tape.gradient(g, x)


def second_derivatives_at_a_root_of_zero(tf):
    found = []
    for function in (tf.norm, tf.math.reduce_std, tf.sqrt, tf.math.rsqrt, tf.math.reciprocal):
        x, w = tf.Variable([0.0, 0.0, 0.0]), tf.Variable([1.0, 2.0, 0.0])
        with tf.GradientTape(persistent=True) as outer:
            with tf.GradientTape() as inner:
                y = w * function(x * w)
            gradients = inner.gradient(y, [x, w])
        found += [*gradients, *[outer.gradient(each, [x, w]) for each in gradients]]
    return found


def second_derivative(tf):
    x = tf.Variable(5.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x * x * x
        dy = inner.gradient(y, x)
    return dy, outer.gradient(dy, x)


def third_derivative_of_an_intermediate(tf):
    x = tf.constant(1.5)
    with tf.GradientTape() as t3:
        t3.watch(x)
        h = x * x
        with tf.GradientTape() as t2:
            t2.watch(h)
            with tf.GradientTape() as t1:
                t1.watch(h)
                y = h * h * h * x
            d1 = t1.gradient(y, h)
        d2 = t2.gradient(d1, h)
    return d1, d2, t3.gradient(d2, x)


def inner_gradient_outside_outer(tf):
    x = tf.Variable(2.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x * x * x
    dy = inner.gradient(y, x)
    return dy, outer.gradient(dy, x)


def outer_tape_opened_later(tf):
    x = tf.Variable(2.0)
    with tf.GradientTape() as inner:
        y = x * x * x
    with tf.GradientTape() as outer:
        dy = inner.gradient(y, x)
        z = dy * x
    return dy, outer.gradient(z, x)


def seed(tf):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * x
    return tape.gradient(y, x, output_gradients=tf.constant([10.0, 100.0]))


def seeds_flattened_one_per_target(tf):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * x
    return tape.gradient(y, x, output_gradients=[5.0, 7.0])


def too_few_seeds(tf):
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y, z = x * x, x * 3.0
    return tape.gradient([y, z], x, output_gradients=[tf.constant(10.0)])


@fails
def seed_of_another_dtype(tf):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * x
    return tape.gradient(y, x, output_gradients=tf.constant([1.0, 2.0], tf.float64))


@fails
def seed_of_another_shape(tf):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * x
    return tape.gradient(y, x, output_gradients=tf.constant([1.0, 2.0, 3.0]))


def leave_and_reenter(tf):
    x = tf.Variable(2.0)
    tape = tf.GradientTape()
    with tape:
        y = x * x
    z = y * 5.0
    with tape:
        w = y * y
    return z, tape.gradient(w, x)


def reenter_after_gradient(tf):
    x = tf.Variable(2.0)
    tape = tf.GradientTape()
    with tape:
        y = x * x
    first = tape.gradient(y, x)
    with tape:
        z = x * 4.0
    return first, tape.gradient(z, x)


@fails
def reenter_active(tf):
    tape = tf.GradientTape()
    with tape, tape:
        pass


@fails
def reset_outside(tf):
    tf.GradientTape().reset()


def reset_inside(tf):
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y_sq = y * y
        tape.reset()
        z = x * y_sq
        names = [v.numpy() for v in tape.watched_variables()]
    return names, tape.gradient(z, [x, y])


def stop_recording(tf):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
        with tape.stop_recording():
            c = x * 5.0
        z = y * c
    return tape.gradient(z, x)


@fails
def stop_recording_before_it_ran(tf):
    with tf.GradientTape().stop_recording():
        pass


@fails
def stop_recording_after_exit(tf):
    with tf.GradientTape() as tape:
        pass
    with tape.stop_recording():
        pass


def watched_in_order_of_creation(tf):
    a, b, n, unused = tf.Variable(1.0), tf.Variable(2.0), tf.Variable(3), tf.Variable(4.0)
    frozen = tf.Variable(5.0, trainable=False)
    with tf.GradientTape() as tape:
        b * a * frozen
        n + 1
        _ = unused.shape, unused.dtype
    before = [v.numpy() for v in tape.watched_variables()]
    tape.gradient(b, a)
    return before, [v.numpy() for v in tape.watched_variables()]


def assigned_is_watched(tf):
    a = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        a.assign(2.0)
    return len(tape.watched_variables())


def frozen_variable(tf):
    a = tf.Variable(2.0, trainable=False)
    with tf.GradientTape() as tape:
        y = a * a
    return tape.gradient(y, a)


def frozen_variable_watched(tf):
    a = tf.Variable(2.0, trainable=False)
    with tf.GradientTape() as tape:
        tape.watch(a)
        y = a * a
    return tape.gradient(y, a)


def watch_nothing_by_itself(tf):
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(y)
        z = x * y * y
    return tape.gradient(z, [x, y])


def watch_too_late(tf):
    c = tf.constant(2.0)
    with tf.GradientTape() as tape:
        y = c * c
        tape.watch(c)
    return tape.gradient(y, c)


def watch_integer(tf):
    c = tf.constant([1, 2])
    with tf.GradientTape() as tape:
        tape.watch(c)
        y = c * c
    return tape.gradient(y, c)


@fails
def watch_array(tf):
    with tf.GradientTape() as tape:
        tape.watch(np.ones(3, np.float32))


@fails
def watch_float(tf):
    with tf.GradientTape() as tape:
        tape.watch(3.0)


def integer_variable(tf):
    v = tf.Variable([[2, 2], [2, 2]])
    with tf.GradientTape() as tape:
        y = v * v
    return tape.gradient(y, v)


def value_at_the_time_of_the_read(tf):
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = v * v
        v.assign(10.0)
        z = y * v
    return z, tape.gradient(z, v)


def through_assign_add(tf):
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = v.assign_add(2.0) * v
    return y, tape.gradient(y, v)


def assign_cuts(tf):
    a, b = tf.Variable(1.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        a.assign(b * b)
        y = a * b
    return tape.gradient(y, [a, b])


def many_tapes_on_one_constant(tf):
    x = tf.constant(2.0)
    slopes = []
    for factor in range(4):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x * float(factor)
        slopes.append(tape.gradient(y, x))
    return slopes


def two_tapes_side_by_side(tf):
    x = tf.Variable(2.0)
    with tf.GradientTape() as first, tf.GradientTape() as second:
        y = x * x * x
    return first.gradient(y, x), second.gradient(y, x)


def source_of_another_tape(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as first:
        first.watch(x)
        y = x * x
    with tf.GradientTape() as second:
        second.watch(y)
        z = y * 3.0
    return second.gradient(z, [x, y]), first.gradient(y, x)


def intermediate_carried_into_a_second_tape(tf):
    w = tf.Variable(2.0)
    with tf.GradientTape() as first:
        h = w * 3.0
    with tf.GradientTape() as second:
        z = h * w
    return first.gradient(h, w), second.gradient(z, [w, h])


@fails
def wrong_target_type(tf):
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        x * x
    return tape.gradient("loss", x)


def exception_inside(tf):
    x = tf.Variable(2.0)
    tape = tf.GradientTape()
    try:
        with tape:
            y = x * x
            raise KeyError("the user's own")
    except KeyError:
        return tape.gradient(y, x)


def custom_gradient_identity(tf):
    @tf.custom_gradient
    def halve(x):
        return x, lambda upstream: upstream * 0.5

    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = halve(v * v)
    return y, tape.gradient(y, v)


def custom_gradient_two_outputs_one_unused(tf):
    @tf.custom_gradient
    def both(x, y):
        def backward(of_sum, of_product):
            return of_sum + of_product * y, of_sum + of_product * x

        return (x + y, x * y), backward

    a, b = tf.Variable(2.0), tf.Variable(5.0)
    with tf.GradientTape() as tape:
        total, _ = both(a, b)
        z = total * total
    return tape.gradient(z, [a, b])


def custom_gradient_second_order(tf):
    @tf.custom_gradient
    def cube_with_slope(x):
        return x * x * x, lambda upstream: upstream * 3.0 * x * x

    x = tf.constant(1.5)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = cube_with_slope(x)
        first = inner.gradient(y, x)
    return first, outer.gradient(first, x)


@fails
def custom_gradient_too_few(tf):
    @tf.custom_gradient
    def scale(v, factor):
        return v * factor, lambda upstream: upstream * factor

    v, factor = tf.Variable([1.0, 2.0]), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        out = scale(v, factor)
    return tape.gradient(out, [v, factor])


def _summed_with_another(tf, x, own):
    """Twice x by a function whose gradient is `own`, differentiated alone and beside another way to x."""

    @tf.custom_gradient
    def f(x):
        return x * 2.0, lambda upstream: own

    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x)
        z = y * x
    return [tape.gradient(y, x), tape.gradient(z, x)]


@fails
def custom_gradient_of_another_dtype_is_summed_with_none(tf):
    return _summed_with_another(tf, tf.constant(1.0), tf.constant(1.5, tf.float64))


@fails
def custom_gradient_of_another_shape_is_summed_with_none(tf):
    return _summed_with_another(tf, tf.constant([1.0, 2.0]), tf.constant(1.5))


@fails
def a_python_function_is_differentiated_once(tf):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        y = tf.py_function(tf.square, [x], tf.float32)
    tape.gradient(y, x)
    return tape.gradient(y, x)


def second_derivative_of_a_python_function(tf):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.py_function(lambda each: each**3, [x], tf.float32)
        slope = inner.gradient(y, x)
    return [slope, outer.gradient(slope, x)]


@fails
def a_python_function_that_computes_without_tensors_gives_one_zero(tf):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        y = tf.py_function(lambda each: each.numpy() ** 2, [x], tf.float32)
        z = tf.py_function(lambda each, other: each * 3.0, [x, tf.cast(x, tf.float64)], tf.float32)
    return [tape.gradient(y, x), tape.gradient(z, x)]


def custom_gradient_none(tf):
    @tf.custom_gradient
    def blocked(x):
        return x * 2.0, lambda upstream: None

    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = blocked(v)
    return tape.gradient(y, v)


@fails
def custom_gradient_reads_a_variable_silently(tf):
    w = tf.Variable(2.0)

    @tf.custom_gradient
    def f(x):
        return x * w, lambda upstream: upstream

    return f(tf.constant(1.0))


@fails
def custom_gradient_reads_a_variable_after_a_tape(tf):
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        return tape.gradient(y, x) * v, lambda upstream: upstream

    return f(tf.constant(3.0))


def custom_gradient_reads_variables_among_tapes(tf):
    x, v, w = tf.Variable(3.0), tf.Variable(2.0), tf.Variable(5.0)

    @tf.custom_gradient
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x * v
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
            z = x * w

        def grad(upstream, variables):
            return upstream, [tf.ones_like(each) * upstream for each in variables]

        return tape.gradient(y, x) + accumulator.jvp(z), grad

    with tf.GradientTape() as tape:
        y = f(x)
    return tape.gradient(y, [x, v, w])


def custom_gradient_with_variables(tf):
    w = tf.Variable(2.0)

    @tf.custom_gradient
    def f(x):
        def backward(upstream, variables=None):
            return upstream * w, [upstream * x for _ in variables]

        return x * w, backward

    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = f(x)
    return tape.gradient(y, [x, w])


@fails
def variable_wrong_shape(tf):
    tf.Variable([1.0, 2.0]).assign([1.0, 2.0, 3.0])


@fails
def variable_wrong_dtype_tensor(tf):
    tf.Variable([1.0, 2.0]).assign(tf.constant([1.0, 2.0], tf.float64))


@fails
def float_into_integer_variable(tf):
    tf.Variable(1).assign(1.5)


@fails
def variable_in_place(tf):
    v = tf.Variable(1.0)
    v += 1.0


@fails
def variable_without_value(tf):
    tf.Variable()


@fails
def constant_float_as_int(tf):
    tf.constant(1.5, tf.int32)


@fails
def constant_of_ragged(tf):
    tf.constant([[1.0], [1.0, 2.0]])


@fails
def constant_of_none(tf):
    tf.constant(None)


@fails
def convert_tensor_to_other_dtype(tf):
    tf.convert_to_tensor(tf.constant(1.0), dtype=tf.float64)


@fails
def mixed_dtypes(tf):
    return tf.constant(1.0) * tf.constant(1.0, tf.float64)


@fails
def mismatched_shapes(tf):
    return tf.constant([1.0, 2.0]) * tf.constant([1.0, 2.0, 3.0])


@fails
def matmul_mismatched(tf):
    return tf.matmul(tf.ones((2, 3)), tf.ones((2, 3)))


@fails
def hash_of_tensor(tf):
    return hash(tf.constant(1.0))


@fails
def truth_of_vector(tf):
    return bool(tf.constant([1.0, 2.0]))


@fails
def item_assignment(tf):
    t = tf.constant([1.0, 2.0])
    t[0] = 5.0


def texts(tf):
    scalar, vector, matrix = tf.constant(6.0), tf.constant([1.0, 2.0]), tf.constant([[1, 2], [3, 4]])
    v = tf.Variable(2.0)
    return [
        str(scalar), repr(scalar), f"{scalar}", f"{scalar:.3f}", str(vector), repr(vector), f"{vector}",
        str(matrix), repr(matrix), repr(v), str(v), f"{v}", repr(tf.float32), str(tf.float32), repr(vector.shape),
        str(vector.shape), repr(scalar.shape), repr(tf.Variable([1.0, 2.0], name="w")), str(tf.constant("text")),
    ]  # fmt: skip


def empty_tensor(tf):
    x = tf.Variable(tf.zeros((0, 3)))
    with tf.GradientTape() as tape:
        y = x * 2.0
    return y, tape.gradient(y, x)


def slice_assign(tf):
    v = tf.Variable([1.0, 2.0, 3.0, 4.0])
    v[1:3].assign([20.0, 30.0])
    return v


def rebinding(tf):
    w = tf.Variable(0.5)
    answers = []
    for _ in range(2):
        with tf.GradientTape() as tape:
            loss = w * w
        dw = tape.gradient(loss, w)
        answers.append(dw)
        if dw is not None:
            w = w - 0.05 * dw
    return answers


def jacobian_of_a_layer(tf):
    x, w, unused = tf.constant([[1.0, 2.0, 3.0]]), tf.Variable([[0.1, -0.2], [0.3, 0.4], [0.5, 0.6]]), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = tf.tanh(tf.matmul(x, w))
    return tape.jacobian(y, [w, unused])


def jacobian_of_a_scalar_and_zeros(tf):
    x, unused = tf.Variable([1.0, 2.0]), tf.Variable([[3.0]])
    with tf.GradientTape(persistent=True) as tape:
        y = tf.reduce_sum(x * x)
    return tape.jacobian(y, x), tape.jacobian(y * 1.0, [x, unused], unconnected_gradients="zero")


def jacobian_through_many_ops(tf):
    x = tf.Variable([[0.3, -0.7, 1.1], [0.2, 0.5, -0.4]])
    with tf.GradientTape() as tape:
        a = tf.concat([x, tf.reverse(x, [0])], axis=1)
        b = tf.nn.softmax(tf.reshape(a, (3, 4)))
        c = tf.reduce_max(tf.transpose(b) * tf.gather(b[0], [1, 1, 0])[0], axis=1, keepdims=True)
        d = tf.reduce_mean(c[1:3] + tf.cumsum(x[:, :1]) + tf.reduce_sum(x), axis=0) + tf.split(x, 3, axis=1)[1]
    return tape.jacobian(d, x)


def hessian_by_jacobian(tf):
    x = tf.Variable([1.0, 2.0, -1.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(x * x * x) + x[0] * x[1]
        g = inner.gradient(y, x)
    return outer.jacobian(g, x)


def gradient_of_a_jacobian(tf):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x * x * x
        j = inner.jacobian(y, x)
    return j, outer.gradient(j, x)


def jacobian_with_custom_gradient(tf):
    @tf.custom_gradient
    def doubled(x):
        return x * 1.0, lambda upstream: upstream * 2.0

    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = doubled(x * x)
    return tape.jacobian(y, x)


@fails
def jacobian_without_pfor(tf):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * x
    return tape.jacobian(y, x, experimental_use_pfor=False)


def a_text_has_no_gradient_by_itself(tf):
    text, x = tf.constant(["a", "b"]), tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([text, x])
        y = x * x
    asked = (text, text), (text, x), ([x, y, text], [x, text]), (y, [x, text])
    zeros = tape.gradient(y, text, unconnected_gradients="zero")
    return [tape.gradient(*each) for each in asked], str(zeros)


def jacobian_of_text(tf):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        x * x
    try:
        tape.jacobian("y", x)
    except Exception:
        return "an error"


def batch_jacobian(tf):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.stack([x[:, 0] * x[:, 1], x[:, 0] ** 2.0, x[:, 1] ** 3.0], axis=1)
    return tape.batch_jacobian(y, x)


def batch_jacobian_coupled(tf):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x + tf.reduce_sum(x)
    return tape.batch_jacobian(y, x)


def batch_jacobian_unconnected(tf):
    x, z = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[1.0], [3.0]])
    with tf.GradientTape() as tape:
        tape.watch([x, z])
        y = x * x
    return tape.batch_jacobian(y, z)


@fails
def batch_jacobian_of_rank_one(tf):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * x
    return tape.batch_jacobian(y, x)


@fails
def batch_jacobian_of_unequal_batches(tf):
    x = tf.Variable([[1.0, 2.0]])
    with tf.GradientTape() as tape:
        y = tf.transpose(x * x)
    return tape.batch_jacobian(y, x)


def gather_gives_slices(tf):
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.square(tf.gather(table, [2, 0, 2])))
    return tape.gradient(y, table)


def slices_used_twice(tf):
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(table, [0]) * tf.nn.embedding_lookup(table, [[1], [2]]))
    g = tape.gradient(y, table)
    return tf.convert_to_tensor(g)


def slices_with_a_dense_use(tf):
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(table, [1, 1])) + tf.reduce_sum(table * table)
    return tape.gradient(y, table)


def slices_through_another_op(tf):
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.square(tf.gather(table * 3.0, [1, 1])))
    return tape.gradient(y, table)


def slices_assigned(tf):
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(table, [1, 1]))
    table.assign_sub(tape.gradient(y, table))
    return table


@fails
def slices_are_no_operand(tf):
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(table, [1, 1]))
    return 0.5 * tape.gradient(y, table)


def slices_differentiated_again(tf):
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(tf.square(tf.gather(table, [1, 1])))
        g = tf.convert_to_tensor(inner.gradient(y, table))
    return g, outer.gradient(g, table)


def slices_of_a_slice(tf):
    v = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = v[0] * v[2]
    return tape.gradient(y, v)


def arrays_of_tensors(tf):
    made = []
    for x in (tf.constant([1.0, 2.0]), tf.Variable([1.0, 2.0]), tf.constant(3.0), tf.constant([1, 2])):
        array, wide = np.asarray(x), np.asarray(x, dtype=np.float64)
        made.append([array.tolist(), array is np.asarray(x), array.flags.writeable])
        made.append([wide.tolist(), wide.flags.writeable])
    return made


def forward_of_a_network(tf):
    x, w = tf.constant([[1.0, -2.0], [0.5, 0.3]]), tf.Variable([[0.3], [-0.8]])
    with tf.autodiff.ForwardAccumulator(w, tf.constant([[1.0], [0.5]])) as acc:
        y = tf.reduce_sum(tf.tanh(tf.matmul(x, w)) ** 2.0 + tf.nn.softmax(tf.matmul(x, w), axis=0))
        z = tf.reduce_max(x)
    return acc.jvp(y), acc.jvp(w), acc.jvp(z), acc.jvp(z, unconnected_gradients="zero")


def forward_through_many_ops(tf):
    x = tf.constant([[0.3, -0.7, 1.1], [0.2, 0.5, -0.4]])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([[1.0, 0.0, -1.0], [0.5, 2.0, 0.0]])) as acc:
        a = tf.concat([x, tf.reverse(x, [0]) * 2.0], axis=1)
        b = tf.math.log_softmax(tf.reshape(a, (3, 4))) + tf.reduce_logsumexp(x)
        c = tf.reduce_max(b, axis=1, keepdims=True) / tf.sqrt(1.0 + tf.square(tf.gather(b, [2, 1, 0])))
        d = tf.where(c > 0.0, c, tf.exp(c)) + tf.cumsum(c) + tf.split(c, 2, axis=1)[1][:, :1]
        e = tf.math.reduce_std(d, axis=0) * tf.norm(x) + tf.maximum(x[0, 0], x[1, 2]) - tf.pow(2.0, x[0, 1])
    return acc.jvp([a, b, c, d, e])


def slices_of_a_variable_of_one_row(tf):
    v, c = tf.Variable([[3.0, 4.0]]), tf.constant([[1.0, 2.0], [0.5, 3.0]])
    with tf.GradientTape(persistent=True) as tape:
        alone = tf.vectorized_map(lambda row: row**2.0, v)
        beside = tf.vectorized_map(lambda rows: rows[0] * rows[1], (c, v))
    found = [tape.gradient(y, v) for y in (alone, beside)]
    return [[each.values, each.indices, each.dense_shape] for each in found]


def forward_over_reverse(tf):
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0, 2.0])) as acc:
        with tf.GradientTape() as tape:
            y = tf.reduce_prod(x) + tf.reduce_sum(tf.sin(x) * x)
        g = tape.gradient(y, x)
    return g, acc.jvp(g)


def forward_of_slices_made_whole(tf):
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.autodiff.ForwardAccumulator(table, tf.ones([3, 2])) as acc:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.gather(table, [0, 0]) ** 3.0)
        whole = tf.convert_to_tensor(tape.gradient(y, table))
    moved = acc.jvp(whole)
    return [whole, moved.values, moved.indices, moved.dense_shape]


def reverse_over_forward(tf):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.5])) as acc:
            y = tf.reduce_sum(tf.exp(x) * x)
        d = acc.jvp(y)
    return d, tape.gradient(d, x)


def forward_over_forward(tf):
    x = tf.constant(1.1)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as outer:
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as inner:
            y = x**3.5
        d = inner.jvp(y)
    return d, outer.jvp(d)


def forward_of_integers(tf):
    x = tf.constant([1.5, 2.5])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 1.0])) as acc:
        y = tf.cast(tf.cast(x, tf.int32), tf.float32) + tf.round(x)
    return acc.jvp(y)


def complex_variable(tf):
    v = tf.Variable([1 + 2j, 3 - 1j])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.abs(v * v))
    g = tape.gradient(y, v)
    v.assign_sub(g * 0.1)
    return [g, v.value(), repr(tf.Variable(1j)), str(tf.constant([1 + 2j])), complex(tf.constant(1j))]


def complex_seed(tf):
    z = tf.constant([1 + 2j, 3 - 1j])
    with tf.GradientTape() as tape:
        tape.watch(z)
        y = z * z
    return tape.gradient(y, z, output_gradients=tf.constant([1j, 2 + 1j], tf.complex128))


def complex_jacobians(tf):
    z = tf.constant([[1 + 2j, 3 - 1j], [2, 1j]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(z)
        y, parts = z * z * z, tf.math.real(z * z)
    return [tape.jacobian(y, z), tape.jacobian(parts, z), tape.batch_jacobian(y, z)]


def complex_jacobian_of_a_gradient(tf):
    z = tf.constant([1 + 2j, 3 - 1j])
    with tf.GradientTape() as outer:
        outer.watch(z)
        with tf.GradientTape() as tape:
            tape.watch(z)
            y = z * z * z
        g = tape.gradient(y, z)
    return outer.jacobian(g, z)


def complex_third_derivative(tf):
    z = tf.constant(1 + 2j)
    with tf.GradientTape() as a:
        a.watch(z)
        with tf.GradientTape() as b:
            b.watch(z)
            with tf.GradientTape() as c:
                c.watch(z)
                y = z**4 * tf.sin(z)
            first = c.gradient(y, z)
        second = b.gradient(first, z)
    return [first, second, a.gradient(second, z)]


def complex_custom_gradient(tf):
    @tf.custom_gradient
    def f(a):
        return a * a, lambda upstream: upstream * tf.math.conj(a) * 3

    z = tf.constant([1 + 2j, 3 - 1j])
    with tf.GradientTape() as tape:
        tape.watch(z)
        y = f(z) * 1j
    return tape.gradient(y, z)


def complex_slices(tf):
    z = tf.Variable([1 + 2j, 3 - 1j, 2j])
    with tf.GradientTape() as tape:
        y = tf.gather(z, [0, 0, 2]) * tf.constant([1j, 1, 2], tf.complex128)
    return tape.gradient(y, z)


def complex_between_real(tf):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        y = tf.abs(tf.exp(tf.complex(x, x * 2.0) * 1j)) ** 2
        w = tf.cast(x, tf.complex64) * (1 + 2j)
    return [tape.gradient(y, x), tape.gradient(w, x)]


def complex_unconnected(tf):
    z, x = tf.constant([1 + 2j, 3 - 1j]), tf.constant(1.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([z, x])
        y = z * 2
    return [tape.gradient(y, [z, x], unconnected_gradients="zero"), tape.gradient(y, [z, x]), tape.gradient(x, z)]


def complex_forward(tf):
    z, direction = tf.constant([1 + 2j, 3 - 1j]), tf.constant([1j, 1 - 1j], tf.complex128)
    with tf.autodiff.ForwardAccumulator(z, direction) as acc:
        y = tf.exp(z) * z + tf.reduce_sum(z * z)
        parts = [tf.math.real(z * z), tf.math.imag(z), tf.abs(z), tf.math.angle(z), tf.math.conj(z), tf.cumsum(z)]
        back = tf.complex(parts[0], parts[2])
    return [acc.jvp(each) for each in (y, *parts, back)]


def watched_after_it_was_used(tf):
    """The second tape follows what the first one saved, although it was not there when that was computed."""
    x = tf.constant(3.0)
    with tf.GradientTape() as first:
        first.watch(x)
        h = x * x
        y = h * h * tf.sin(h)
    with tf.GradientTape() as second:
        second.watch(h)
        slopes = first.gradient(y, [x, h])
    return second.gradient(slopes, h)


def own_gradient_of_many_outputs(tf):
    """A tape that goes on while it gives a gradient records that, too, through ops of several inputs and outputs."""
    x = tf.constant([3.0, 1.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        a, b = tf.unstack(x)
        y = tf.reduce_prod(tf.stack([a * b, b, tf.exp(a)]))
        slope = tape.gradient(y, x)
    return tape.gradient(slope, x)


def an_array_used_often(tf):
    """Contributions that are one array: the seed, passed on and summed, stays what it was."""
    x, seed = tf.Variable([1.0, 2.0]), tf.constant([3.0, 4.0])
    with tf.GradientTape(persistent=True) as tape:
        twice = x + x
        y = twice + x + x + twice + twice
    first = tape.gradient(y, [x, twice], output_gradients=seed)
    second = tape.gradient([y, y, y], [x, y, twice], output_gradients=[seed, seed, seed])
    return first, second, seed


def a_slice_of_a_variable_as_source(tf):
    v = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        first, rest = v[0], v[1:]
        y = first * tf.reduce_sum(rest * rest)
    return tape.gradient(y, [v, first, rest]), tape.gradient([y, first], [first])


def an_integer_that_is_target_and_source(tf):
    i, x = tf.constant([1, 2]), tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(i)
        j, y = i * 2, x * x
    return tape.gradient(j, [i, j]), tape.gradient([y, j], [x, j, i]), tape.gradient(j, j, unconnected_gradients="zero")


def arrays_written_into_behind_an_op(tf):
    """An array beside a tensor is a value of its own: what is written into it later is in no gradient.

    TensorFlow does not copy one that begins at a multiple of 64 bytes: these begin behind a multiple of 16.
    """
    x = tf.constant([1.0, 2.0])
    image = tf.reshape(x, [1, 2, 1, 1])
    numbers = np.array([0.0, 3.0, 4.0, 5.0, 6.0, 5.0], np.float32)
    beside, filters = numbers[1:3], numbers[5:].reshape(1, 1, 1, 1)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, image])
        behind, ahead = x * beside, beside / x
        filtered = tf.nn.conv2d(image, filters, 1, "SAME")
    beside[:], filters[:] = 100.0, 100.0
    return tape.gradient(behind, x), tape.gradient(ahead, x), tape.gradient(filtered, image), behind, ahead


@fails
def a_seed_that_is_an_array_of_another_dtype(tf):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * x
    return tape.gradient(y, x, output_gradients=np.array([1.0, 2.0]))


def what_an_assignment_returns(tf):
    v = tf.Variable([1.0, 2.0], name="v")
    texts = [repr(v.assign([3.0, 4.0])), repr(v[0].assign(5.0)), repr(v.assign_add([1.0, 1.0]).assign_sub([2.0, 2.0]))]
    with tf.GradientTape(persistent=True) as tape:
        written = v.assign_add([1.0, 1.0])
        y = written * written * v
        again = written[0].assign(9.0)
        z = v * again
    names = [each.name for each in (written, again, v)]
    slopes = tape.gradient(y, [v, written]), tape.gradient(z, v), tape.gradient(written, v)
    return texts, names, slopes, v, written, written is v, isinstance(written, tf.Variable)


def names_of_variables_within_scopes(tf):
    class Line(tf.Module):
        def __init__(self):
            super().__init__()
            with self.name_scope:
                self.w = tf.Variable(1.0, name="w")

        @tf.Module.with_name_scope
        def __call__(self, x):
            return tf.Variable(x).name

    with tf.name_scope("a") as outer:
        v, line = tf.Variable(1.0, name="v"), Line()
        with tf.name_scope("b") as inner, tf.name_scope("c/") as absolute:
            w = tf.Variable(2.0)
    scopes = [outer, inner, absolute, line.name_scope.name]
    return scopes, [v.name, w.name, line.w.name, line(3.0), tf.Variable(4.0, name="d").name]


def a_number_too_large_for_the_tape(tf):
    v = tf.Variable(1.0)
    return repr(v.assign(1e39)), v * 1e300


def what_an_error_says(tf):
    short = tf.errors.InvalidArgumentError
    coded = tf.errors.OpError(None, None, "of a kind", 3)
    said = [short(None, None, "too short"), short(None, None, "too short", {}), short(None, op=None, message="named")]
    try:
        tf.zeros([2]) + tf.zeros([3])
    except tf.errors.OpError as met:
        said.append(met)
    about = [(each.error_code, each.node_def, each.op) for each in (*said, coded)]
    return [each.message for each in (*said[:3], coded)], about


def what_is_no_source(tf):
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    raised = []
    for source in (object(), iter([x]), b"x", True, 3.0, np.ones(2), None, [x, None], lambda: x):
        try:
            tape.gradient(y, source)
        except Exception as error:
            raised.append(type(error).__name__)
    return raised


def numbers_in_place_of_tensors(tf):
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    raised = []
    for number in (1.21, 1.0, 0, True, False, 1e9, 2j, "float32", tf.float32, [1.5], (x, -1.0)):
        for call in (tape.gradient, tape.jacobian):
            for target, source in ((number, x), (y, number)):
                try:
                    call(target, source)
                except Exception as error:
                    raised.append(type(error).__name__)
    return raised, tape.jacobian(np.ones(2), x)


def tensors_are_on_the_cpu(tf):
    x = tf.Variable([2.0, 3.0])
    with tf.GradientTape() as tape:
        y = (x * x).cpu() * 2.0
    return y.cpu(), tape.gradient(y, x), hasattr(x, "cpu")


def a_variable_is_read_once_when_iterated_over(tf):
    v = tf.Variable([2.0, 3.0])
    kinds, seen = [], []
    with tf.GradientTape() as tape:
        for each in v:
            v.assign([10.0, 20.0])
            kinds.append(hasattr(each, "assign"))
            seen.append(each * each)
        y = seen[0] * seen[1]
    return kinds, y, tape.gradient(y, v)


def jacobian_of_a_gradient_in_slices(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    w, u = tf.Variable(2.0), tf.Variable([1, 2])
    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(w * tf.gather(v, [2, 0, 2]) ** 3)
        slices = tape.gradient(y, v)
    found = outer.jacobian(slices, {"v": v, "w": w, "none": tf.Variable(1.0)})
    return found, outer.jacobian(slices, [w, tf.Variable([1.0, 2.0]), u], unconnected_gradients="zero")


def used_up_while_paused(tf):
    v, c = tf.Variable(3.0), tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(c)
        y = v * v * c
        with tape.stop_recording():
            first = tape.gradient(y, [v, c])
        z = y * v * c
    return first, tape.gradient(z, [v, c, y])


def what_has_no_jacobian(tf):
    x = tf.Variable([[2.0]])
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    raised = []
    for target in (None, "y", 3.0, [y], {"y": y}, object()):
        for of in (tape.jacobian, tape.batch_jacobian):
            try:
                of(target, x)
            except Exception as error:
                raised.append(type(error).__name__)
    for source in (None, "x", 3.0, [x], object()):
        try:
            tape.batch_jacobian(y, source)
        except Exception as error:
            raised.append(type(error).__name__)
    return raised


def wrong_arguments_end_the_recording(tf):
    x, found = tf.Variable(3.0), []
    for asked in ({"target": None}, {"unconnected_gradients": "few"}, {"output_gradients": tf.constant([1, 2])}):
        with tf.GradientTape() as tape:
            y = x * x
            try:
                tape.gradient(**{"target": y, "sources": x, **asked})
            except Exception as error:
                found.append(type(error).__name__)
            z = y * 2.0
        found.append(tape.gradient(z, x))
    return found


def wrong_arguments_leave_the_tape_of_a_jacobian_recording(tf):
    x = tf.Variable([3.0])
    with tf.GradientTape() as tape:
        y = x * x
        try:
            tape.jacobian(y, x, experimental_use_pfor=False)
        except RuntimeError:
            y = y * 2.0
    return tape.jacobian(y, x)


def jacobian_of_a_gather_within_a_tape(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as tape:
            picked = tf.gather(v * v, [0, 0]) + tf.gather(v, [2, 1])
        rows = tape.jacobian(picked, v)
    return rows, outer.gradient(rows, v)


def jacobian_of_nothing_but_a_gather_within_a_tape(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as tape:
            picked = tf.gather(v, [0, 0])
        rows = tape.jacobian(picked, v)
    return rows, outer.gradient(rows, v)
