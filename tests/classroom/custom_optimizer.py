"""Optimizers of one's own."""

import numpy as np
import tensorflow as tf

keras = tf.keras


class MomentumSGD(keras.optimizers.Optimizer):
    def __init__(self, learning_rate=0.01, beta=0.9, name="momentum_sgd", **kw):
        super().__init__(learning_rate=learning_rate, name=name, **kw)
        self.beta = beta

    def build(self, variables):
        if self.built:
            return
        super().build(variables)
        self.velocities = [self.add_variable_from_reference(reference_variable=v, name="velocity") for v in variables]

    def update_step(self, gradient, variable, learning_rate):
        lr = tf.cast(learning_rate, variable.dtype)
        v = self.velocities[self._get_variable_index(variable)]
        v.assign(self.beta * v + (1 - self.beta) * gradient)
        variable.assign_sub(lr * v)

    def get_config(self):
        return {**super().get_config(), "beta": self.beta}


w = tf.Variable([1.0, -2.0], name="w")
o = MomentumSGD(0.5)
for i in range(3):
    with tf.GradientTape() as t:
        l = tf.reduce_sum(w**2)
    o.apply_gradients([(t.gradient(l, w), w)])
    print(i, l.numpy(), w.numpy())
print(o.get_config()["beta"], o.iterations.numpy(), [v.path for v in o.variables], len(o.variables))


class Adam:
    def __init__(self, learning_rate=1e-3, beta_1=0.9, beta_2=0.999, ep=1e-7):
        self.beta_1, self.beta_2, self.learning_rate, self.ep, self.t, self.v_dvar, self.s_dvar, self.built = (
            beta_1,
            beta_2,
            learning_rate,
            ep,
            1.0,
            [],
            [],
            False,
        )

    def apply_gradients(self, grads, vars):
        if not self.built:
            for var in vars:
                self.v_dvar.append(tf.Variable(tf.zeros(shape=var.shape)))
                self.s_dvar.append(tf.Variable(tf.zeros(shape=var.shape)))
            self.built = True
        for i, (d_var, var) in enumerate(zip(grads, vars)):
            self.v_dvar[i].assign(self.beta_1 * self.v_dvar[i] + (1 - self.beta_1) * d_var)
            self.s_dvar[i].assign(self.beta_2 * self.s_dvar[i] + (1 - self.beta_2) * tf.square(d_var))
            vb, sb = self.v_dvar[i] / (1 - (self.beta_1**self.t)), self.s_dvar[i] / (1 - (self.beta_2**self.t))
            var.assign_sub(self.learning_rate * (vb / (tf.sqrt(sb) + self.ep)))
        self.t += 1.0


def f(x):
    return 2 * x**4 + 3 * x**3 + 2 * x + 1 if False else (x[0] ** 2 + 1.0) ** 2 + (x[1] - 3.0) ** 4


mine, theirs = Adam(0.1), keras.optimizers.Adam(0.1)
a, b = tf.Variable([2.0, 1.0]), tf.Variable([2.0, 1.0])
for i in range(10):
    for v, op in ((a, mine), (b, theirs)):
        with tf.GradientTape() as t:
            l = f(v)
        g = t.gradient(l, v)
        op.apply_gradients([g], [v]) if op is mine else op.apply_gradients([(g, v)])
print(a, b, np.allclose(a, b, atol=1e-4))
for name in ["SGD", "Adam", "Adagrad", "RMSprop", "Adadelta", "Adamax", "Nadam"]:
    if not hasattr(keras.optimizers, name):
        print("no", name)
        continue
    v = tf.Variable([1.5, -0.5])
    op = getattr(keras.optimizers, name)(learning_rate=0.05)
    for _ in range(3):
        op.minimize(lambda: tf.reduce_sum(v**2), [v]) if False else op.apply([2 * v], [v])
    print(name, v.numpy())
