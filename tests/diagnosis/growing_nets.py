"""A number of layers -> the recording of a net, healthy or ill, whose every weight and bias is a source."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

import tapeviz as tv
from tapeviz.events import EventLog

Net: TypeAlias = Callable[[int], EventLog]
Variables: TypeAlias = list[Any]


def _start(layers: int, deviation: float) -> tuple[Variables, Variables, Any]:
    random = np.random.default_rng(0)
    weights = [tv.Variable(random.normal(0, deviation, (16, 16)).astype("float32")) for _ in range(layers)]
    biases = [tv.Variable(tv.zeros(16)) for _ in range(layers)]
    return weights, biases, tv.constant(random.normal(size=(4, 16)).astype("float32"))


def _loss(h: Any) -> Any:
    return tv.reduce_mean(tv.square(h - 1.0))


def chain(deviation: float = 0.35, loss: Callable[[Any, Any], Any] = lambda h, own: _loss(h)) -> Net:
    """Layers of `tanh(h @ w + b)`, and a loss of the last one and of a variable of its own."""

    def record(layers: int) -> EventLog:
        weights, biases, h = _start(layers, deviation)
        own = tv.Variable(1.0)
        with tv.record() as log:
            with tv.GradientTape() as tape:
                for w, b in zip(weights, biases, strict=True):
                    h = tv.tanh(h @ w + b)
                target = loss(h, own)
            tape.gradient(target, [*weights, *biases, own])
        return log

    return record


def cancelling(layers: int) -> EventLog:
    """Every bias drops out of its layer."""
    weights, biases, h = _start(layers, 0.35)
    with tv.record() as log:
        with tv.GradientTape() as tape:
            for w, b in zip(weights, biases, strict=True):
                h = tv.tanh(h @ w + b - (b + 0.0))
            target = _loss(h)
        tape.gradient(target, weights + biases)
    return log


def many_targets(layers: int) -> EventLog:
    """A target of every layer, which alone has the edge of a domain in it."""
    weights, biases, h = _start(layers, 0.35)
    with tv.record() as log:
        with tv.GradientTape() as tape:
            targets = []
            for w, b in zip(weights, biases, strict=True):
                h = tv.tanh(h @ w)
                targets.append(tv.reduce_sum(tv.sqrt(tv.reduce_sum(h) * b * 0.0)))
        tape.gradient(targets, weights + biases)
    return log


def exploding(layers: int) -> EventLog:
    """The values stay small, and the gradient passes by what makes them so."""
    weights, biases, h = _start(layers, 30.0)
    with tv.record() as log:
        with tv.GradientTape() as tape:
            for w, b in zip(weights, biases, strict=True):
                z = h @ w + b
                h = z + tv.stop_gradient(tv.tanh(z) - z)
            target = _loss(h)
        tape.gradient(target, weights + biases)
    return log


def in_pytorch(layers: int) -> EventLog:
    """Layers of PyTorch's that let the gradient vanish."""
    import torch

    random = np.random.default_rng(0)
    weights = [torch.tensor(random.normal(0, 0.2, (16, 16)), dtype=torch.float32) for _ in range(layers)]
    biases = [torch.zeros(16, requires_grad=True) for _ in range(layers)]
    h = torch.ones(4, 16)
    with tv.record() as log:
        for w, b in zip(weights, biases, strict=True):
            h = torch.tanh(h @ w.requires_grad_() + b)
        (h - 1.0).square().mean().backward()
    return log


def in_tensorflow(layers: int) -> EventLog:
    """The same layers in TensorFlow."""
    import tensorflow as tf

    random = np.random.default_rng(0)
    weights = [tf.Variable(random.normal(0, 0.2, (16, 16)).astype("float32")) for _ in range(layers)]
    biases = [tf.Variable(tf.zeros(16)) for _ in range(layers)]
    h = tf.ones((4, 16))
    with tv.record() as log:
        with tf.GradientTape() as tape:
            for w, b in zip(weights, biases, strict=True):
                h = tf.tanh(h @ w + b)
            target = tf.reduce_mean(tf.square(h - 1.0))
        tape.gradient(target, weights + biases)
    return log


NETS: dict[str, Net] = {
    "healthy": chain(),
    "vanishing": chain(0.05),
    "stopped": chain(loss=lambda h, own: _loss(tv.stop_gradient(h) * own)),
    "unused": chain(loss=lambda h, own: _loss(own * 2.0)),
    "chosen by": chain(loss=lambda h, own: own * 2.0 if tv.reduce_sum(h) > 0 else own * 3.0),
    "cancelling": cancelling,
    "many targets": many_targets,
    "exploding": exploding,
}
"""What is wrong -> a net of the engine's; each led to a walk over the graph for each of its sources, once."""
