"""The evidence of a Gaussian process of gpflow, differentiated by what its kernel and its noise can learn."""

import gpflow
import numpy as np
import tensorflow as tf

REQUIRES = ["gpflow", "tensorflow"]

random = np.random.default_rng(0)
x = random.uniform(size=(12, 1))
y = np.sin(6.0 * x) + 0.1 * random.normal(size=(12, 1))
model = gpflow.models.GPR((x, y), kernel=gpflow.kernels.SquaredExponential())
with tf.GradientTape() as tape:
    evidence = model.log_marginal_likelihood()  #: hidden
    loss = -evidence  #: loss
gradients = tape.gradient(loss, model.trainable_variables)  #: backward
