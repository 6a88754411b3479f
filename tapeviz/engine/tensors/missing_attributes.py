"""An attribute that tensors do not have -> an error that says what to write instead."""

from __future__ import annotations

_WRITE = {
    "T": "tf.transpose(x)",
    "astype": "tf.cast(x, dtype)",
    "ravel": "tf.reshape(x, [-1])",
    "transpose": "tf.transpose(x)",
    "reshape": "tf.reshape(x, shape)",
    "clip": "tf.clip_by_value(x, low, high)",
    "size": "tf.size(x)",
    "tolist": "x.numpy().tolist()",
    "data": "x.numpy()",
    "backward": "tape.gradient(y, x), after y was computed in the block `with tf.GradientTape() as tape`",
    "grad": "tape.gradient(y, x), which returns the gradient",
    "requires_grad": "tape.watch(x), or a tf.Variable, which is watched by itself",
    "requires_grad_": "tape.watch(x), or a tf.Variable, which is watched by itself",
    "detach": "tf.stop_gradient(x)",
    "item": "x.numpy().item()",
    "assign": "tf.Variable(x) where it is made: a tensor never changes",
    "assign_add": "tf.Variable(x) where it is made: a tensor never changes. Part of a variable: v[i].assign(v[i] + y)",
    "assign_sub": "tf.Variable(x) where it is made: a tensor never changes. Part of a variable: v[i].assign(v[i] - y)",
    "mean": "tf.reduce_mean(x)",
    "sum": "tf.reduce_sum(x)",
    "max": "tf.reduce_max(x)",
    "min": "tf.reduce_min(x)",
    "dot": "tf.tensordot(x, y, 1)",
    "view": "tf.reshape(x, shape)",
    "copy": "tf.identity(x)",
    "clone": "tf.identity(x)",
}
INSTEAD = {name: f"Write {advice}." for name, advice in _WRITE.items()} | {
    "name": 'Variables have names: tf.Variable(x, name="w").'
}
"""Attributes of arrays, of variables and of PyTorch's tensors, and what to write instead."""


class Absent:
    """A descriptor that raises AttributeError, with advice.

    A `__getattr__` would do the same, but it would slow down the lookup of all other attributes.

    >>> import tapeviz as tf
    >>> tf.constant(1.0).item()
    Traceback (most recent call last):
    AttributeError: 'Tensor' object has no attribute 'item'. Write x.numpy().item().
    """

    def __init__(self, name: str, instead: str) -> None:
        self._name = name
        self._instead = instead

    def __get__(self, obj: object, owner: type) -> Absent:
        if obj is None:
            return self
        told = f"{owner.__name__!r} object has no attribute {self._name!r}. {self._instead}"
        raise AttributeError(told, name=self._name, obj=obj)
