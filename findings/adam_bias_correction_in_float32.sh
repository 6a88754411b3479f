#!/bin/sh
# Adam of optax and of Keras corrects its bias in float32: with a beta2 near 1 the first steps are wrong, or nothing.
#
# optax 0.2.8 with jax 0.10.2, keras 3.15.1 with tensorflow-cpu 2.21.0; torch 2.13.0 computes the correction in double.
# 1 - beta2 ** t has few digits left in float32, and none where beta2 rounds to 1: then the divisor is infinite, and
# nothing is trained, without an error. The first step of Adam is the learning rate, whatever the gradient is.
# Seen, of a learning rate of 0.1: beta2 0.99999: torch 0.1, optax 0.10007, Keras 0.10006; 0.9999999: torch 0.1, optax
# and Keras 0.109; 0.99999999: torch 0.1, optax and Keras 0.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check torch==2.13.0 numpy==2.4.6 jax==0.10.2 optax==0.2.8 keras==3.15.1 tensorflow-cpu==2.21.0
"$folder/env/bin/python" - <<'END'
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import jax.numpy as jnp
import keras
import optax
import tensorflow as tf
import torch

RATE = 0.1


def of_torch(beta2):
    w = torch.ones(1, requires_grad=True)
    w.grad = torch.ones(1)
    torch.optim.Adam([w], lr=RATE, betas=(0.9, beta2)).step()
    return 1 - float(w.detach())


def of_optax(beta2):
    optimizer, w = optax.adam(RATE, b2=beta2), jnp.ones(1)
    update, _ = optimizer.update(jnp.ones(1), optimizer.init(w), w)
    return -float(update[0])


def of_keras(beta2):
    w = tf.Variable([1.0])
    keras.optimizers.Adam(RATE, beta_2=beta2).apply_gradients([(tf.ones(1), w)])
    return 1 - float(w.numpy()[0])


for beta2, low, high in ((0.99999, 1.0004, 1.0012), (0.9999999, 1.05, 1.15), (0.99999999, 0.0, 0.0)):
    found = of_torch(beta2), of_optax(beta2), of_keras(beta2)
    print(f"beta2 {beta2}: torch {found[0]:.6f}, optax {found[1]:.6f}, keras {found[2]:.6f}")
    assert abs(found[0] / RATE - 1) < 1e-5
    assert all(low <= each / RATE <= high for each in found[1:])
END
