"""A variational normal, fitted by the reparametrised bound."""

import tensorflow as tf
import tensorflow_probability as tfp

REQUIRES = ["tfp-nightly", "tensorflow"]

tf.random.set_seed(0)
numbers = tf.random.normal([10]) + 3.0  #: data
mean = tf.Variable(tf.constant(0.5))  #: weight
log_scale = tf.Variable(tf.constant(0.1))  #: weight
with tf.GradientTape() as tape:
    guide = tfp.distributions.Normal(mean, tf.exp(log_scale))
    z = guide.sample(8, seed=1)  #: hidden
    log_prior = tfp.distributions.Normal(0.0, 10.0).log_prob(z)
    log_data = tf.reduce_sum(tfp.distributions.Normal(z[:, None], 1.0).log_prob(numbers), axis=-1)
    bound = log_prior + log_data - guide.log_prob(z)  #: hidden
    loss = -tf.reduce_mean(bound)  #: loss
gradients = tape.gradient(loss, [mean, log_scale])  #: backward
