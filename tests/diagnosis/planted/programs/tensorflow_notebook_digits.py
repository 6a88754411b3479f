"""The convolutional net of `notebooks/03_tensorflow`, on digits that are made up."""

import tensorflow as tf

REQUIRES = ["tensorflow"]

tf.keras.utils.set_random_seed(0)
images = tf.random.uniform([8, 8, 8, 1])  #: data
labels = tf.range(8)
model = tf.keras.Sequential(
    [
        tf.keras.Input((8, 8, 1)),
        tf.keras.layers.Conv2D(8, 3, activation="relu", name="edges"),
        tf.keras.layers.MaxPooling2D(name="pool"),
        tf.keras.layers.Flatten(name="flat"),
        tf.keras.layers.Dense(32, activation="relu", name="hidden"),
        tf.keras.layers.Dense(10, name="digit"),
    ]
)
optimizer = tf.keras.optimizers.Adam(0.01)
cross_entropy = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
for _ in range(2):
    with tf.GradientTape() as tape:
        logits = model(images)  #: hidden logits
        loss = cross_entropy(labels, logits)  #: loss
    gradients = tape.gradient(loss, model.trainable_variables)  #: backward
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
