"""Convolutions of linen on images, classified."""

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax

REQUIRES = ["flax", "optax", "jax"]


class ConvNet(nn.Module):
    @nn.compact
    def __call__(self, images):
        maps = nn.silu(nn.Conv(4, (3, 3))(images))  #: hidden
        maps = nn.avg_pool(maps, (2, 2), strides=(2, 2))
        pooled = maps.mean(axis=(1, 2))  #: hidden
        return nn.Dense(3)(pooled)


def loss_of(params, images, labels):
    logits = net.apply(params, images)  #: hidden logits
    losses = optax.softmax_cross_entropy_with_integer_labels(logits, labels)
    loss = jnp.mean(losses)  #: loss
    return loss


keys = jax.random.split(jax.random.key(0), 2)
images = jax.random.normal(keys[0], (3, 8, 8, 1))  #: data
labels = jnp.array([0, 1, 2])
net = ConvNet()
params = net.init(keys[1], images)
gradients = jax.grad(loss_of)(params, images, labels)  #: backward
