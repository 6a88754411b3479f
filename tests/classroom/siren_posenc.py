"""A picture as a net of sines; rays through a volume."""

import numpy as np
import tensorflow as tf

keras = tf.keras


class SineLayer(keras.layers.Layer):
    def __init__(self, units, w0=30.0, first=False, seed=0, **kw):
        super().__init__(**kw)
        self.units, self.w0, self.first, self.seed = units, w0, first, seed

    def build(self, input_shape):
        n = int(input_shape[-1])
        lim = 1 / n if self.first else float(np.sqrt(6 / n) / self.w0)
        self.kernel = self.add_weight(
            shape=(n, self.units),
            initializer=keras.initializers.RandomUniform(-lim, lim, seed=self.seed),
            name="kernel",
        )
        self.bias = self.add_weight(shape=(self.units,), initializer="zeros", name="bias")

    def call(self, x):
        return tf.sin(self.w0 * (x @ self.kernel + self.bias))


def positional_encoding(x, L):
    rets = [x]
    for i in range(L):
        for fn in [tf.sin, tf.cos]:
            rets.append(fn(2.0**i * x))
    return tf.concat(rets, -1)


side = np.linspace(-1, 1, 6, dtype="float32")
coords = tf.reshape(tf.stack(tf.meshgrid(side, side, indexing="ij"), -1), (-1, 2))
img = tf.exp(-tf.reduce_sum(coords**2, -1, keepdims=True) * 3)
siren = keras.Sequential(
    [
        SineLayer(8, first=True, seed=1),
        SineLayer(8, seed=2),
        keras.layers.Dense(1, kernel_initializer=keras.initializers.GlorotUniform(seed=3)),
    ]
)
with tf.GradientTape() as t2:
    t2.watch(coords)
    with tf.GradientTape() as t1:
        t1.watch(coords)
        out = siren(coords)
    grad = t1.gradient(out, coords)
    div = tf.reduce_sum(grad)
lap = t2.gradient(div, coords)
print(out.shape, grad.shape, lap.shape, grad[0], lap[-1])
print(positional_encoding(coords, 3).shape, positional_encoding(coords[:1], 3))
opt = keras.optimizers.Adam(1e-3)
for i in range(5):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((siren(coords) - img) ** 2)
    opt.apply_gradients(zip(tape.gradient(loss, siren.trainable_weights), siren.trainable_weights))
psnr = -10.0 * tf.math.log(loss) / tf.math.log(10.0)
print("PSNR", psnr.numpy())


# volume rendering
def render(raw, z_vals):
    sigma_a = tf.nn.relu(raw[..., 3])
    rgb = tf.math.sigmoid(raw[..., :3])
    dists = tf.concat([z_vals[..., 1:] - z_vals[..., :-1], tf.broadcast_to([1e10], z_vals[..., :1].shape)], -1)
    alpha = 1.0 - tf.exp(-sigma_a * dists)
    weights = alpha * tf.math.cumprod(1.0 - alpha + 1e-10, -1, exclusive=True)
    return tf.reduce_sum(weights[..., None] * rgb, -2), tf.reduce_sum(weights * z_vals, -1), tf.reduce_sum(weights, -1)


raw = tf.Variable(np.random.RandomState(2).randn(2, 5, 4).astype("float32"))
z = tf.broadcast_to(tf.linspace(2.0, 6.0, 5), [2, 5])
with tf.GradientTape() as tape:
    rgb, depth, acc = render(raw, z)
    l = tf.reduce_mean(tf.square(rgb - 0.5))
print(rgb, depth, acc, tape.gradient(l, raw)[0])
