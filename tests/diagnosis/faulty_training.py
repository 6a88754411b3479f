"""Faulty programs of training: tables of pairs, draws that index, encoders outside the tape, derivatives by a tape."""
# ruff: noqa: E501  (a repaired line stands beside the faulty one)

from __future__ import annotations

from tests.diagnosis.programs import marked

TRAINING = [
    *marked(
        "broadcast_mismatch",
        table_of_two_regimes="""
            w = tf.Variable([[1.0], [0.5], [-1.0]])
            x = tf.reshape(tf.sin(tf.range(27.0)), [9, 3])
            y = tf.reduce_sum(x, axis=1)  #~ y = tf.reduce_sum(x, axis=1, keepdims=True)
            def huber(a, b, d=1.0):
                err = tf.abs(a - b)  #! =
                return tf.reduce_mean(tf.where(err < d, 0.5 * err ** 2, d * (err - 0.5 * d)))
            with tf.GradientTape() as tape:
                loss = huber(tf.matmul(x, w), y)
            g = tape.gradient(loss, w)
            """,
    ),
    *marked(
        "nondifferentiable_op",
        words_that_are_drawn="""
            logits, table = tf.Variable([[0.1, 0.4, -0.2]]), tf.constant([[1.0], [2.0], [4.0]])
            with tf.GradientTape() as tape:
                words = tf.random.categorical(logits, 8)  #! words = None
                value = tf.reduce_mean(tf.gather(table, words))  #~ value = tf.reduce_mean(tf.matmul(tf.nn.softmax(logits), table))
            g = tape.gradient(value, logits)
            """,
    ),
    *marked(
        "integer_dtype",
        table_read_at_a_position="""
            table, position = tf.constant([0.0, 1.0, 4.0, 9.0]), tf.Variable(1.7)
            with tf.GradientTape() as tape:
                low = tf.floor(position)
                i = tf.cast(position, tf.int32)  #! i = tf.cast(low, tf.int32)
                value = tf.gather(table, i)  #~ value = tf.gather(table, i) + (position - low) * (tf.gather(table, i + 1) - tf.gather(table, i))
                loss = (value - 6.0) ** 2
            g = tape.gradient(loss, position)
            """,
    ),
    *marked(
        "outside_tape",
        encoder_that_builds_itself_before_the_tape="""
            class Encoder(tf.Module):
                def __init__(self):
                    super().__init__()
                    self.w = None
                def __call__(self, x):
                    if self.w is None:
                        self.w = tf.Variable(tf.ones([x.shape[-1], 2]))
                    return tf.matmul(x, self.w)
            encoder, decoder = Encoder(), tf.Variable([[0.3, 0.1, 0.2], [0.4, -0.1, 0.5]])
            x = tf.constant([[1.0, 2.0, 3.0]])
            code = encoder(x)  #! encoder(x)
            with tf.GradientTape() as tape:
                pass  #~ code = encoder(x)
                loss = tf.reduce_sum(tf.square(tf.matmul(code, decoder) - x))
            g = tape.gradient(loss, [encoder.w, decoder])
            """,
    ),
    *marked(
        "no_higher_order_record",
        second_derivative_beside_the_outer_block="""
            w = tf.Variable([[0.5, -0.3]])
            def derivatives(t):
                with tf.GradientTape() as outer:
                    outer.watch(t)
                    with tf.GradientTape() as inner:
                        inner.watch(t)
                        u = tf.reduce_sum(tf.tanh(tf.matmul(t, w)), axis=1)
                    pass  #~ du = inner.gradient(u, t)
                du = inner.gradient(u, t)  #! pass
                return outer.gradient(du, t)
            second = derivatives(tf.constant([[0.2], [0.9]]))
            """,
    ),
    *marked(
        "missing_stop_gradient",
        values_that_an_optimizer_writes_into_what_was_made_of_a_tensor="""
            w = tf.Variable(tf.reshape(tf.range(6.0), [3, 2]) * 0.1)
            optimizer = tf.keras.optimizers.Adam(0.001)
            s, s2, r = tf.constant([[1.0, 0.5, 0.2]]), tf.constant([[0.3, 0.1, 0.9]]), tf.constant([1.0])
            for step in range(2):
                with tf.GradientTape() as tape:
                    y = r + 0.9 * tf.reduce_max(tf.matmul(s2, w), axis=1)  #! y = tf.stop_gradient(r + 0.9 * tf.reduce_max(tf.matmul(s2, w), axis=1))
                    loss = tf.reduce_mean(tf.square(y - tf.matmul(s, w)[:, 0]))  #~ =
                optimizer.apply_gradients([(tape.gradient(loss, w), w)])
            """,
    ),
    *marked(
        "source_rebound",
        name_of_a_loop_over_variables="""
            w, b, x = tf.Variable([[0.5], [-0.3]]), tf.Variable([0.1]), tf.constant([[0.2, 0.9]])
            for step in range(2):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - 1.0))
                for v, g in zip([w, b], tape.gradient(loss, [w, b])):
                    v = v - 0.1 * g  #! v.assign_sub(0.1 * g)
            """,
    ),
    *marked(
        "constant_by_construction",
        bias_of_what_is_only_differentiated="""
            w, b, x = tf.Variable([[0.5, -0.3]]), tf.Variable([0.1]), tf.constant([[0.2], [0.9]])
            def u(x):
                return tf.reduce_sum(tf.tanh(tf.matmul(x, w)), axis=1, keepdims=True) + b
            with tf.GradientTape() as tape:
                with tf.GradientTape() as inner:
                    inner.watch(x)
                    y = u(x)
                slope = inner.gradient(y, x)  #! =
                loss = tf.reduce_mean(tf.square(slope - 1.0))  #~ loss = tf.reduce_mean(tf.square(slope - y))
            g = tape.gradient(loss, [w, b])
            """,
    ),
    *marked(
        "domain_edge",
        log_softmax_by_hand="""
            w, x, y = tf.Variable([[1.0, 200.0]]), tf.constant([[1.0]]), tf.constant([[1.0, 0.0]])
            def log_softmax(z):
                p = tf.exp(z - tf.reduce_max(z))
                return tf.math.log(p / tf.reduce_sum(p))  #! return tf.nn.log_softmax(z)
            with tf.GradientTape() as tape:
                loss = -tf.reduce_sum(y * log_softmax(tf.matmul(x, w)))
            g = tape.gradient(loss, w)
            """,
    ),
]
"""Each with its repaired form."""
