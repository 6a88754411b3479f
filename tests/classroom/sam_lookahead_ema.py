"""Steps that look around, running means of weights, collected gradients."""

import numpy as np
import tensorflow as tf

keras = tf.keras

rng = np.random.RandomState(0)
X = tf.constant(rng.randn(16, 3), tf.float32)
y = tf.constant(rng.randn(16, 1), tf.float32)


def build():
    return keras.Sequential(
        [
            keras.layers.Input((3,)),
            keras.layers.Dense(4, activation="tanh", kernel_initializer=keras.initializers.GlorotUniform(seed=1)),
            keras.layers.Dense(1, kernel_initializer=keras.initializers.GlorotUniform(seed=2)),
        ]
    )


model = build()
opt = keras.optimizers.SGD(0.1)
loss_fn = keras.losses.MeanSquaredError()


def sam_step(rho=0.05):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(X))
    g = tape.gradient(loss, model.trainable_variables)
    norm = tf.linalg.global_norm(g)
    e_ws = []
    for v, gi in zip(model.trainable_variables, g):
        e = gi * rho / (norm + 1e-12)
        v.assign_add(e)
        e_ws.append(e)
    with tf.GradientTape() as tape:
        l2 = loss_fn(y, model(X))
    sg = tape.gradient(l2, model.trainable_variables)
    for v, e in zip(model.trainable_variables, e_ws):
        v.assign_sub(e)
    opt.apply_gradients(zip(sg, model.trainable_variables))
    return loss, l2


for i in range(4):
    print(i, *[f"{l:.5f}" for l in sam_step()])
# EMA of weights
ema = (
    tf.train.ExponentialMovingAverage(decay=0.9)
    if hasattr(tf, "train") and hasattr(tf.train, "ExponentialMovingAverage") and False
    else None
)
shadow = [tf.Variable(v, trainable=False) for v in model.trainable_variables]
slow = [tf.identity(v) for v in model.trainable_variables]
for step in range(1, 7):
    sam_step()
    for s, v in zip(shadow, model.trainable_variables):
        s.assign(0.9 * s + 0.1 * v)
    if step % 3 == 0:
        slow = [s + 0.5 * (v - s) for s, v in zip(slow, model.trainable_variables)]
        for s, v in zip(slow, model.trainable_variables):
            v.assign(s)
print(shadow[0][0], slow[1], model.trainable_variables[1].numpy())
backup = model.get_weights()
model.set_weights([s.numpy() for s in shadow])
print(loss_fn(y, model(X)))
model.set_weights(backup)
# gradient accumulation
acc = [tf.Variable(tf.zeros_like(v), trainable=False) for v in model.trainable_variables]
for i in range(4):
    with tf.GradientTape() as tape:
        l = loss_fn(y[4 * i : 4 * i + 4], model(X[4 * i : 4 * i + 4])) / 4
    for a, gi in zip(acc, tape.gradient(l, model.trainable_variables)):
        a.assign_add(gi)
with tf.GradientTape() as tape:
    full = loss_fn(y, model(X))
print(all(np.allclose(a, b, atol=1e-6) for a, b in zip(acc, tape.gradient(full, model.trainable_variables))))
opt2 = keras.optimizers.AdamW(1e-2, weight_decay=0.01, use_ema=False, global_clipnorm=1.0)
opt2.apply_gradients(zip(acc, model.trainable_variables))
print(model.trainable_variables[0][0], [v.path for v in opt2.variables][:4])
