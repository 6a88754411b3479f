"""A training loop by hand, with running metrics and constraints."""

import numpy as np
import tensorflow as tf

keras = tf.keras

l2_reg = keras.regularizers.l2(0.05)
model = keras.models.Sequential(
    [
        keras.layers.Dense(
            5, activation="elu", kernel_initializer=keras.initializers.HeNormal(seed=2), kernel_regularizer=l2_reg
        ),
        keras.layers.Dense(
            1,
            kernel_regularizer=l2_reg,
            kernel_initializer=keras.initializers.GlorotUniform(seed=2),
            kernel_constraint=keras.constraints.MaxNorm(1.0),
        ),
    ]
)


def random_batch(X, y, batch_size=8):
    idx = np.random.randint(len(X), size=batch_size)
    return X[idx], y[idx]


def print_status_bar(step, total, loss, metrics=None):
    metrics = " - ".join([f"{m.name}: {m.result():.4f}" for m in [loss] + (metrics or [])])
    end = "" if step < total else "\n"
    print(f"\r{step}/{total} - " + metrics, end=end)


np.random.seed(42)
tf.random.set_seed(42)
X_train = np.random.randn(40, 3)
y_train = X_train.sum(1, keepdims=True)
optimizer = keras.optimizers.Nadam(learning_rate=0.01)
loss_fn = keras.losses.MeanSquaredError()
mean_loss = keras.metrics.Mean(name="mean_loss")
metrics = [keras.metrics.MeanAbsoluteError()]
for epoch in range(1, 3):
    print("Epoch {}/{}".format(epoch, 2))
    for step in range(1, 6):
        X_batch, y_batch = random_batch(X_train, y_train)
        with tf.GradientTape() as tape:
            y_pred = model(X_batch, training=True)
            main_loss = tf.reduce_mean(loss_fn(y_batch, y_pred))
            loss = tf.add_n([main_loss] + model.losses)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        for variable in model.variables:
            if variable.constraint is not None:
                variable.assign(variable.constraint(variable))
        mean_loss(loss)
        for metric in metrics:
            metric(y_batch, y_pred)
        print_status_bar(step, 5, mean_loss, metrics)
    for metric in [mean_loss] + metrics:
        metric.reset_state()
print(model.layers[1].kernel, optimizer.get_config()["learning_rate"])
