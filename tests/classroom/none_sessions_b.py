"""Where gradients are None or not finite: layers, models, ops, domains."""

import numpy as np
import tensorflow as tf

keras = tf.keras


class Raw(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.ws = [tf.Variable([[1.0]]), tf.Variable([[2.0]])]
        self.d = {"a": keras.layers.Dense(1, kernel_initializer="ones")}

    def call(self, x):
        return x @ self.ws[0] @ self.ws[1] + self.d["a"](x)


r = Raw()
x = tf.constant([[1.0], [2.0]])
with tf.GradientTape() as t:
    l = tf.reduce_sum(r(x))
print(len(r.trainable_variables), [g.numpy() for g in t.gradient(l, r.trainable_variables)])
m = keras.Sequential(
    [keras.layers.Dense(2, kernel_initializer="ones"), keras.layers.Dense(1, kernel_initializer="ones")]
)
try:
    print(m.trainable_variables, m.weights)
except Exception as e:
    print(type(e).__name__, str(e)[:100])
with tf.GradientTape() as t:
    l = tf.reduce_mean(m(x) ** 2)
m.layers[0].trainable = False
print(len(m.trainable_variables), len(m.non_trainable_variables), [g is None for g in t.gradient(l, m.weights)])
with tf.GradientTape() as t:
    l = tf.reduce_mean(m(x) ** 2)
print([g is None for g in t.gradient(l, m.weights)])
with tf.GradientTape() as t:
    p = m.predict(x, verbose=0)
    l = tf.reduce_mean(p**2)
print([g is None for g in t.gradient(l, m.weights)] if tf.is_tensor(l) else type(l))
with tf.GradientTape() as t:
    acc = keras.metrics.Mean()
    acc.update_state(tf.reduce_mean(m(x)))
    l = acc.result()
print(t.gradient(l, m.weights[2:]))
with tf.GradientTape() as t:
    y = tf.py_function(lambda v: v**2, [m.weights[2].value], tf.float32) if True else None
print(t.gradient(y, m.weights[2].value))
with tf.GradientTape() as t:
    y = tf.numpy_function(lambda v: v**2, [m.weights[2].value], tf.float32)
print(t.gradient(y, m.weights[2].value))
w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
with tf.GradientTape(persistent=True) as t:
    a = tf.gather(w, [0])
    b = w[tf.constant(1)]
    c = tf.where(w > 2.5, w, 0.0)
    d = tf.one_hot(tf.argmax(w, 1), 2) * w
    e = tf.floor(w)
    f = tf.cast(w > 2, tf.float32)
    h = tf.unique(tf.reshape(w, [-1]))[0]
    k = tf.math.sign(w)
    q = tf.reduce_max(w)
    s = tf.stop_gradient(w) * w
    u = tf.reduce_any(w > 0)
    bc = tf.math.bincount(tf.cast(w, tf.int32))
    rr = tf.math.floormod(w, 2.0)
for n, v in dict(a=a, b=b, c=c, d=d, e=e, f=f, k=k, q=q, s=s, rr=rr).items():
    g = t.gradient(v, w)
    print(n, g if g is None else tf.convert_to_tensor(g).numpy().tolist())
for n, v in dict(h=h, u=u, bc=bc).items():
    try:
        print(n, t.gradient(v, w))
    except Exception as ex:
        print(n, type(ex).__name__)
# where trap, safe where
x = tf.Variable([0.0, 1.0, -1.0])
with tf.GradientTape(persistent=True) as t:
    bad = tf.where(x > 0, tf.sqrt(x), 0.0)
    safe = tf.where(x > 0, tf.sqrt(tf.where(x > 0, x, 1.0)), 0.0)
    nn = tf.norm(x * 0)
    lg = tf.reduce_sum(tf.math.log(x))
    dv = tf.math.divide_no_nan(1.0, x)
    pw = tf.pow(x, 0.5)
    ac = tf.acos(x)
    ab = tf.abs(x)
for v in (bad, safe, nn, lg, dv, pw, ac, ab):
    print(v.numpy(), t.gradient(v, x).numpy())
# broadcast bug (n,) - (n,1)
yt, yp = tf.constant([[1.0], [2.0], [3.0]]), tf.Variable([1.0, 2.0, 4.0])
with tf.GradientTape() as t:
    l = tf.reduce_mean((yt - yp) ** 2)
print((yt - yp).shape, l, t.gradient(l, yp))


class Bad(keras.Model):
    def __init__(self):
        super().__init__()
        self.d = keras.layers.Dense(1)

    def call(self, x):
        return tf.round(self.d(x))


bm = Bad()
bm.compile("sgd", "mse")
try:
    bm.fit(np.ones((4, 2), "float32"), np.ones((4, 1), "float32"), verbose=0)
except ValueError as e:
    print(e)


@tf.custom_gradient
def wrong(x):
    def grad(dy):
        return dy, dy

    return x * 2, grad


with tf.GradientTape() as t:
    t.watch(yt)
    y = wrong(yt)
try:
    t.gradient(y, yt)
except ValueError as e:
    print(type(e).__name__)
