"""An attribute that tensors do not have -> TensorFlow's error, and what to write instead."""

from __future__ import annotations

from typing import Any, NoReturn

from tapeviz.engine.graph_mode.building import in_graph
from tapeviz.engine.tensors.known_as import called

UNDEFINED = ("name", "op", "graph", "value_index")
"""The attributes that TensorFlow's tensors have only in graphs."""

ARRAYS = {
    "T": "tf.transpose(x)",
    "astype": "tf.cast(x, dtype)",
    "ravel": "tf.reshape(x, [-1])",
    "transpose": "tf.transpose(x)",
    "reshape": "tf.reshape(x, shape)",
    "clip": "tf.clip_by_value(x, low, high)",
    "size": "tf.size(x)",
    "tolist": "x.numpy().tolist()",
    "data": "x.numpy()",
}
"""Attributes of NumPy's arrays, and what to write instead; TensorFlow has a message of its own for these."""

OTHERS = {
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
"""Other attributes of arrays, of variables and of PyTorch's tensors."""


NAMES = frozenset({*UNDEFINED, *ARRAYS, *OTHERS})


class Absent:
    """A descriptor that raises AttributeError, with advice: `instead`, or by default that for tensors.

    A `__getattr__` would do the same, but it would slow down the lookup of all other attributes.
    """

    def __init__(self, name: str, instead: str | None = None) -> None:
        self._name = name
        self._instead = instead

    def __get__(self, obj: Any, owner: type) -> Absent:
        if obj is None:
            return self
        if self._instead is None:
            raise absent(obj, self._name)
        told = f"{called(type(obj))!r} object has no attribute {self._name!r}. {self._instead}"
        raise AttributeError(told, name=self._name, obj=obj)


class Undefined(Absent):
    """The same for an attribute that cannot be set either."""

    def __set__(self, obj: Any, value: Any) -> NoReturn:
        told = f"property {self._name!r} of 'EagerTensor' object has no setter"
        raise AttributeError(told, name=self._name, obj=obj)


def absent(obj: object, name: str) -> AttributeError:
    """The error for an attribute that a tensor does not have.

    >>> import tapeviz as tf
    >>> str(absent(tf.constant(1.0), "name"))
    'Tensor.name is undefined when eager execution is enabled. Variables have names: tf.Variable(x, name="w").'
    """
    if name in UNDEFINED:
        said = f"Tensor.{name} is undefined when eager execution is enabled."
        instead = ' Variables have names: tf.Variable(x, name="w").' if name == "name" else ""
    elif name in ARRAYS:
        kind = "SymbolicTensor" if _is_symbolic(obj) else "EagerTensor"
        said, instead = f"{kind} object has no attribute {name!r}.", f" Write {ARRAYS[name]}."
    else:
        kind = "SymbolicTensor" if _is_symbolic(obj) else called(type(obj))
        said = f"{kind!r} object has no attribute {name!r}"
        instead = f". Write {OTHERS[name]}." if name in OTHERS else ""
    return AttributeError(said + instead, name=name, obj=obj)


def _is_symbolic(obj: Any) -> bool:
    """Whether this would be a symbolic tensor in TensorFlow, which is of another class, as a graph is being built."""
    graph = in_graph.get()
    return graph is not None and called(type(obj)).endswith("EagerTensor") and graph.holds(obj._id)
