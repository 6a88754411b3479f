"""A recurrent net by hand, with clipped gradients."""

import numpy as np
import tensorflow as tf

vocab = 5
hidden = 6
steps = 4
batch = 2
rng = np.random.RandomState(7)


def normal(shape):
    return tf.Variable(rng.normal(scale=0.3, size=shape).astype("float32"))


W_xh, W_hh, b_h, W_hq, b_q = (
    normal((vocab, hidden)),
    normal((hidden, hidden)),
    tf.Variable(tf.zeros(hidden)),
    normal((hidden, vocab)),
    tf.Variable(tf.zeros(vocab)),
)
params = [W_xh, W_hh, b_h, W_hq, b_q]


def rnn(inputs, state):
    outputs = []
    (H,) = state
    for X in inputs:
        X = tf.reshape(X, [-1, W_xh.shape[0]])
        H = tf.tanh(tf.matmul(X, W_xh) + tf.matmul(H, W_hh) + b_h)
        outputs.append(tf.matmul(H, W_hq) + b_q)
    return tf.concat(outputs, axis=0), (H,)


corpus = tf.constant(rng.randint(0, vocab, (batch, steps + 1)))
X, Y = corpus[:, :-1], corpus[:, 1:]
one_hot = tf.one_hot(tf.transpose(X), vocab)


def grad_clipping(grads, theta):
    theta = tf.constant(theta, dtype=tf.float32)
    new_grad = [tf.convert_to_tensor(g) if isinstance(g, tf.IndexedSlices) else g for g in grads]
    norm = tf.math.sqrt(sum((tf.reduce_sum(g**2)).numpy() for g in new_grad))
    norm = tf.cast(norm, tf.float32)
    if tf.greater(norm, theta):
        new_grad = [g * theta / norm for g in new_grad]
    return new_grad


loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
updater = tf.keras.optimizers.SGD(1.0)
for epoch in range(10):
    with tf.GradientTape(persistent=True) as g:
        y_hat, state = rnn(one_hot, (tf.zeros((batch, hidden)),))
        y = tf.reshape(tf.transpose(Y), (-1))
        l = loss_fn(y, y_hat)
    grads = grad_clipping(g.gradient(l, params), 1)
    updater.apply_gradients(zip(grads, params))
    if epoch % 3 == 0:
        print(f"perplexity {tf.exp(l):.3f}")
print(y_hat.shape, state[0].shape, tf.argmax(y_hat, -1).numpy())
