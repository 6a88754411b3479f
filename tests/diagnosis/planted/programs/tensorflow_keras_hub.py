"""A block of KerasHub's transformer layers under a tape of one's own."""

import keras_hub
import tensorflow as tf

REQUIRES = ["keras-hub", "tensorflow"]

tf.keras.utils.set_random_seed(0)
embedding = keras_hub.layers.TokenAndPositionEmbedding(vocabulary_size=12, sequence_length=6, embedding_dim=8)
block = keras_hub.layers.TransformerEncoder(intermediate_dim=16, num_heads=2)
head = tf.keras.layers.Dense(3)
tokens = tf.constant([[1, 4, 2, 8, 5, 7], [3, 1, 4, 1, 5, 9]])
labels = tf.constant([0, 2])
with tf.GradientTape() as tape:
    h = block(embedding(tokens))  #: hidden
    logits = head(h[:, 0])  #: hidden logits
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))  #: loss
weights = embedding.trainable_weights + head.trainable_weights
gradients = tape.gradient(loss, weights)  #: backward
