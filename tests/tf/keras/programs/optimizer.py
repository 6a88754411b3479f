"""Small Keras programs on optimizers and the schedules of their rates, run in both frameworks."""

from __future__ import annotations

import numpy as np

from tests.framework_programs import fails
from tests.tf.keras.material import compiled


def none_gradients_are_skipped(tf):
    a, b = tf.Variable(1.0), tf.Variable(1.0)
    tf.keras.optimizers.SGD(0.5).apply_gradients([(tf.constant(1.0), a), (None, b)])
    return [a, b]


@fails
def no_gradients_at_all(tf):
    return tf.keras.optimizers.Adam(0.1).apply_gradients([(None, tf.Variable(1.0))])


@fails
def no_pairs(tf):
    return tf.keras.optimizers.Adam(0.1).apply_gradients([])


@fails
def unknown_variable(tf):
    optimizer = tf.keras.optimizers.Adam(0.1)
    optimizer.apply_gradients([(tf.constant(1.0), tf.Variable(1.0))])
    return optimizer.apply_gradients([(tf.constant(1.0), tf.Variable(1.0))])


@fails
def integer_learning_rate(tf):
    return tf.keras.optimizers.SGD(1)


@fails
def unknown_optimizer_argument(tf):
    return tf.keras.optimizers.SGD(lr=0.1)


@fails
def momentum_above_one(tf):
    return tf.keras.optimizers.SGD(0.1, momentum=2.0)


@fails
def two_ways_of_clipping(tf):
    return tf.keras.optimizers.SGD(0.1, clipnorm=1.0, clipvalue=1.0)


def learning_rate_is_set(tf):
    optimizer, w = tf.keras.optimizers.SGD(0.1), tf.Variable(1.0)
    optimizer.apply_gradients([(tf.constant(1.0), w)])
    optimizer.learning_rate = 0.5
    optimizer.learning_rate.assign(0.25)
    optimizer.apply_gradients([(tf.constant(1.0), w)])
    return [w, float(optimizer.learning_rate), int(optimizer.iterations)]


@fails
def learning_rate_of_a_schedule_is_set(tf):
    schedule = tf.keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.5)
    optimizer = tf.keras.optimizers.SGD(schedule)
    optimizer.learning_rate = 0.1


def schedule(tf):
    decay = tf.keras.optimizers.schedules.ExponentialDecay
    smooth, stairs = decay(0.1, 10, 0.5), decay(0.1, 10, 0.5, staircase=True)
    return [[each(step) for step in (0, 5, 10, 25)] for each in (smooth, stairs)]


def schedules(tf):
    kinds = tf.keras.optimizers.schedules
    made = [
        kinds.InverseTimeDecay(0.1, 4, 0.5),
        kinds.InverseTimeDecay(0.1, 4, 0.5, staircase=True),
        kinds.PolynomialDecay(0.1, 4),
        kinds.PolynomialDecay(0.1, 4, 0.02, power=0.5),
        kinds.PolynomialDecay(0.1, 4, end_learning_rate=0.0, power=2, cycle=True),
        kinds.CosineDecay(0.1, 4),
        kinds.CosineDecay(0.1, 4, alpha=0.3),
        kinds.CosineDecay(0.0, 4, 0.1, warmup_target=0.2, warmup_steps=3),
        kinds.CosineDecayRestarts(0.1, 2),
        kinds.CosineDecayRestarts(0.1, 3, t_mul=1.0, m_mul=0.5),
        kinds.CosineDecayRestarts(0.1, 1, 1.5, 0.9, 0.2, name="waves"),
        kinds.PiecewiseConstantDecay([2, 5], [1.0, 0.5, 0.1]),
        kinds.PiecewiseConstantDecay([2.5], [1.0, 0.5], name="two"),
    ]
    steps = (0, 2, 4, 5, tf.constant(9), tf.Variable(3, dtype=tf.int64), tf.constant(2.5))
    found = []
    for each in made:
        v = tf.Variable([1.0, 2.0])
        optimizer = tf.keras.optimizers.SGD(each)
        for _ in range(4):
            optimizer.apply_gradients([(tf.constant([1.0, -1.0]), v)])
        found.append([[each(step) for step in steps], v, optimizer.learning_rate, each.get_config()])
        found.append(type(each).from_config(each.get_config())(3))
        again = tf.keras.optimizers.SGD.from_config(optimizer.get_config())
        found.append(type(again._learning_rate).__name__)
    return found


@fails
def schedule_of_two_dtypes(tf):
    return tf.keras.optimizers.schedules.PiecewiseConstantDecay([2], [1, 0.5])(0)


def schedules_that_are_none(tf):
    kinds, errors = tf.keras.optimizers.schedules, []
    for make in (
        lambda: kinds.InverseTimeDecay(0.1, 0, 0.5),
        lambda: kinds.PolynomialDecay(0.1, -1),
        lambda: kinds.CosineDecay(0.1, 0),
        lambda: kinds.CosineDecayRestarts(0.1, 0),
        lambda: kinds.PiecewiseConstantDecay([1, 2], [0.1, 0.2]),
    ):
        try:
            make()
        except ValueError as error:
            errors.append(type(error).__name__)
    return errors


@fails
def schedule_of_no_steps(tf):
    return tf.keras.optimizers.schedules.ExponentialDecay(0.1, 0, 0.5)


def sparse_gradient(tf):
    table, optimizer = tf.Variable(tf.ones((4, 2))), tf.keras.optimizers.Adam(0.1)
    for _ in range(2):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, [1, 1, 3]) ** 2)
        optimizer.apply_gradients([(tape.gradient(loss, table), table)])
    return table


@fails
def unknown_optimizer(tf):
    return compiled(tf, optimizer="nonsense")


def decay_of_integers_and_in_other_dtypes(tf):
    kinds = tf.keras.optimizers.schedules
    found = []
    for start, steps, rate in ((1, 2, 0.9), (1, 2, 2), (2, 3, 3), (np.float64(0.1), 10, 0.5)):
        for kind in (kinds.ExponentialDecay, kinds.InverseTimeDecay):
            found += [kind(start, steps, rate, staircase)(step) for staircase in (False, True) for step in (0, 3, 2.5)]
    return found, kinds.ExponentialDecay(tf.constant(1.0, tf.float64), 3, 0.3)(4)


def optimizer_of_float64(tf):
    w = tf.Variable(1.0, dtype=tf.float64)
    tf.keras.optimizers.Adam(0.1).apply_gradients([(tf.constant(1.0, tf.float64), w)])
    return w


def optimizer_of_arrays(tf):
    w = tf.Variable([1.0, 2.0])
    tf.keras.optimizers.SGD(0.1).apply_gradients([(np.float32([1.0, 1.0]), w)])
    return w


@fails
def one_number_as_the_gradient_of_several(tf):
    k, found = tf.keras.optimizers, []
    for optimizer in (k.SGD(0.1, momentum=0.5), k.RMSprop(0.1), k.Adam(0.1), k.Adam(0.1, amsgrad=True), k.Nadam(0.1)):
        for gradient in (3.0, [3.0]):
            v = tf.Variable([1.0, 2.0])
            optimizer.build([v])
            optimizer.apply_gradients([(tf.constant(gradient), v)])
            found.append(v)
    return found


@fails
def one_number_as_the_gradient_of_several_where_it_is_added(tf):
    return tf.keras.optimizers.Adagrad(0.1).apply_gradients([(tf.constant([3.0]), tf.Variable([1.0, 2.0]))])


@fails
def gradient_of_another_shape(tf):
    return tf.keras.optimizers.SGD(0.1).apply_gradients([(tf.constant(1.0), tf.Variable([1.0, 2.0]))])


def gradients_without_a_length(tf):
    found = []
    for limit in ({"clipvalue": 1.0}, {"clipnorm": 1.0}, {"global_clipnorm": 1.0}):
        for gradient in ([0.0, 0.0], [3.0, float("inf")], [float("nan"), 1.0]):
            v = tf.Variable([1.0, 2.0])
            tf.keras.optimizers.SGD(0.1, **limit).apply_gradients([(tf.constant(gradient), v)])
            found.append(v)
    return found


@fails
def too_few_gradients(tf):
    optimizer = tf.keras.optimizers.SGD(0.1)
    optimizer.build([tf.Variable(1.0), tf.Variable(2.0)])
    optimizer.apply([tf.constant(1.0)])


def no_gradients_to_apply(tf):
    optimizer = tf.keras.optimizers.SGD(0.1)
    optimizer.apply([])
    return optimizer.iterations


def exempt_from_weight_decay_too_late(tf):
    v = tf.Variable(1.0)
    optimizer = tf.keras.optimizers.SGD(0.1, weight_decay=0.1)
    optimizer.apply_gradients([(tf.constant(1.0), v)])
    optimizer.exclude_from_weight_decay([v])


def all_exempt_from_weight_decay(tf):
    v = tf.Variable(1.0)
    optimizer = tf.keras.optimizers.SGD(0.1, weight_decay=0.1)
    optimizer.exclude_from_weight_decay(var_names=[""])
    optimizer.apply_gradients([(tf.constant(1.0), v)])
    return v


def text_of_a_learning_rate(tf):
    optimizer = tf.keras.optimizers.SGD(0.1)
    return [float(optimizer.learning_rate), optimizer.learning_rate.numpy(), repr(optimizer.learning_rate)]


def what_an_optimizer_cannot_change(tf):
    """Tensors, arrays and numbers, at its first step and later; a variable that it does not know."""
    g, v = tf.constant([1.0, 1.0]), tf.Variable([1.0, 2.0])
    others = (tf.constant([1.0, 1.0]), np.ones(2), 1.0, None, v[:2], tf.Variable([1.0, 2.0]))
    outcomes = []
    for known in (False, True):
        for other in others[: None if known else -1]:
            optimizer = tf.keras.optimizers.SGD(0.1)
            if known:
                optimizer.apply_gradients([(g, v)])
            try:
                outcomes.append(optimizer.apply_gradients([(g, other)]))
            except Exception as error:
                outcomes.append(type(error).__name__)
    return outcomes


def optimizer_of_ones_own(tf):
    class Momentum(tf.keras.optimizers.Optimizer):
        def build(self, variables):
            if self.built:
                return
            super().build(variables)
            self.speeds = [self.add_variable_from_reference(reference_variable=v, name="speed") for v in variables]
            self.firsts, self.seconds = self.add_optimizer_variables(variables, ["first", "second"])
            self.count = self.add_variable((2,), "ones", name="count")

        def update_step(self, gradient, variable, learning_rate):
            speed = self.speeds[self._get_variable_index(variable)]
            self.assign(speed, 0.9 * speed + gradient)
            self.assign_add(self.count, [1.0, 2.0])
            self.assign_sub(variable, tf.cast(learning_rate, variable.dtype) * speed)

    optimizer = Momentum(0.5, clipvalue=1.5, weight_decay=0.1, name="own")
    w, u = tf.keras.Variable([1.0, 2.0], name="w"), tf.Variable([3.0], name="u")
    for _ in range(2):
        optimizer.apply([tf.constant([1.0, 2.0]), tf.constant([2.0])], [w, u])
    return [w, u, [each.path for each in optimizer.variables], list(optimizer.variables)]


def optimizer_with_another_step(tf):
    class Twice(tf.keras.optimizers.SGD):
        def update_step(self, gradient, variable, learning_rate):
            super().update_step(gradient * 2.0, variable, learning_rate)

    w = tf.Variable([1.0, 2.0])
    optimizer = Twice(0.1, momentum=0.9)
    for _ in range(3):
        optimizer.apply_gradients([(2.0 * w, w)])
    return [w, list(optimizer.variables)]


def step_of_ones_own_is_given_slices(tf):
    kinds = []

    class Plain(tf.keras.optimizers.Optimizer):
        def update_step(self, gradient, variable, learning_rate):
            kinds.append(isinstance(gradient, tf.IndexedSlices))
            variable.assign_sub(learning_rate * tf.convert_to_tensor(gradient))

    table = tf.Variable([[1.0], [2.0]])
    for options in ({}, {"clipnorm": 0.5}):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.gather(table, [0, 0]))
        Plain(0.1, **options).apply([tape.gradient(y, table)], [table])
    return [kinds, table]


def slices_are_written_as_slices(tf):
    class Slow(tf.keras.optimizers.Optimizer):
        def build(self, variables):
            super().build(variables)
            self.speeds, self.lasts = self.add_optimizer_variables(variables, ["speed", "last"])

        def update_step(self, gradient, variable, learning_rate):
            at = self._get_variable_index(variable)
            self.assign_add(self.speeds[at], gradient)
            self.assign(self.lasts[at], gradient)
            self.assign_sub(variable, gradient)
            self.assign_sub(variable, learning_rate * self.speeds[at])

    table, kept = tf.Variable([[1.0], [2.0], [3.0]]), tf.keras.Variable([[4.0], [5.0], [6.0]])
    optimizer = Slow(0.5)
    rows = tf.IndexedSlices(tf.constant([[2.0], [3.0]]), tf.constant([0, 2]), tf.constant([3, 1]))
    for _ in range(2):
        optimizer.apply([rows, rows], [table, kept])
    return [table, kept, list(optimizer.variables)]


@fails
def optimizer_without_a_step(tf):
    class Nothing(tf.keras.optimizers.Optimizer):
        pass

    Nothing(0.1).apply([tf.constant(1.0)], [tf.Variable(1.0)])


def state_of_an_optimizer_is_written(tf):
    v = tf.Variable([1.0, 2.0])
    first, second = (tf.keras.optimizers.SGD(0.1, momentum=0.9, loss_scale_factor=4.0) for _ in range(2))
    first.apply_gradients([(tf.constant([1.0, -1.0]), v)])
    found = [second.built]
    try:
        second.set_weights([])
    except ValueError as error:
        found.append(type(error).__name__)
    second.build([v])
    second.set_weights([each.numpy() for each in first.variables])
    second.apply_gradients([(tf.constant([1.0, 1.0]), v)])
    try:
        second.set_weights([np.ones(2)])
    except ValueError as error:
        found.append("not compatible with provided weight shape (2,)" in str(error))
    scaled = [each.scale_loss(tf.constant(2.0)) for each in (second, tf.keras.optimizers.Adam())]
    return found, v, second.variables, scaled


def less_than_no_momentum(tf):
    v = tf.Variable([1.0, 2.0])
    optimizer = tf.keras.optimizers.RMSprop(0.1, momentum=-0.1)
    optimizer.apply_gradients([(tf.constant([1.0, -1.0]), v)])
    return v, len(optimizer.variables)


@fails
def scaled_loss_of_looked_up_rows(tf):
    rows = tf.Variable(tf.ones((3, 2)))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.gather(rows, [0, 2]))
    tf.keras.optimizers.Adam(loss_scale_factor=2.0).apply_gradients([(tape.gradient(loss, rows), rows)])


@fails
def minimize_is_of_earlier_keras(tf):
    return tf.keras.optimizers.SGD().minimize(lambda: 1.0, [])


@fails
def a_text_is_no_gradient(tf):
    return tf.keras.optimizers.SGD().apply_gradients([("x", tf.Variable(1.0))])


@fails
def texts_are_no_gradient(tf):
    return tf.keras.optimizers.SGD().apply_gradients([(["x"], tf.Variable([1.0]))])


def moving_averages_to_the_last_digit(tf):
    optimizer, v = tf.keras.optimizers.SGD(0.1, use_ema=True, ema_momentum=0.9), tf.keras.Variable([1.0, 2.0], name="w")
    found = []
    for _ in range(4):
        optimizer.apply([tf.ones([2])], [v])
        found.append(repr(optimizer.variables[2].numpy()))
    optimizer.finalize_variable_values([v])
    return [*found, repr(v)]
