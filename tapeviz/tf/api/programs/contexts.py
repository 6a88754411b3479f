"""What a program asks about where it runs, and scopes that it enters: eager or graph, dependencies, names."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from tapeviz.engine.functions.arguments import tensor_of
from tapeviz.engine.functions.exports import export
from tapeviz.engine.graph_mode.building import in_graph, running
from tapeviz.engine.specs.tensor_spec import TensorSpec
from tapeviz.engine.tensors.mutable import prefix
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tensors.tensor_like import TensorLike


@export("get_static_value")
def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """The value of a tensor as an array, if it cannot change.

    Args:
        tensor: a tensor. Anything else is returned unchanged.
        partial: ignored.

    Returns:
        The array; None for a variable, and for an argument of a function of which a graph is built.

    >>> import tapeviz as tf
    >>> tf.get_static_value(tf.constant([1, 2])).tolist()
    [1, 2]
    """
    if not isinstance(tensor, TensorLike):
        return tensor
    graph = in_graph.get()
    if not isinstance(tensor, Tensor) or (graph is not None and graph.is_given(tensor._id)):
        return None
    with running():
        return tensor.numpy()


@export("executing_eagerly")
def executing_eagerly() -> bool:
    """Whether no graph is being built. It is False inside a `tf.function`, or a function that a dataset applies.

    Tapeviz computes in both cases: an op inside a `tf.function` runs when it is called.

    >>> import tapeviz as tf
    >>> tf.executing_eagerly()
    True
    """
    return in_graph.get() is None


@export("inside_function")
def inside_function() -> bool:
    """Whether a graph is being built, as inside a `tf.function`.

    >>> import tapeviz as tf
    >>> tf.inside_function()
    False
    """
    return in_graph.get() is not None


@export("no_op")
def no_op(name: str | None = None) -> None:
    """Do nothing.

    >>> import tapeviz as tf
    >>> tf.no_op()
    """


@export("group")
def group(*inputs: Any, **kwargs: Any) -> None:
    """Do nothing: the inputs, ops of a graph in TensorFlow, have run already.

    >>> import tapeviz as tf
    >>> tf.group(tf.Variable(1.0).assign(2.0))
    """


@export("type_spec_from_value")
def type_spec_from_value(value: Any) -> Any:
    """The spec of a value: the shape and the dtype of a tensor, the element spec of a dataset.

    Args:
        value: a tensor, what can become one, or an object with a spec of its own.

    Raises:
        TypeError: the value cannot become a tensor.

    >>> import tapeviz as tf
    >>> tf.type_spec_from_value(tf.constant([1, 2]))
    TensorSpec(shape=(2,), dtype=tf.int32, name=None)
    """
    if hasattr(value, "_type_spec"):
        return value._type_spec
    try:
        return TensorSpec.of(tensor_of(value))
    except (ValueError, TypeError):
        raise TypeError(f"{value!r} has no spec: only tensors, arrays, numbers and datasets have.") from None


@export("control_dependencies")
def control_dependencies(control_inputs: Any) -> AbstractContextManager[None]:
    """A context that changes nothing, since the inputs have run already.

    Args:
        control_inputs: a list. Functions in it are called.

    >>> import tapeviz as tf
    >>> with tf.control_dependencies([tf.Variable(1.0).assign(2.0)]):
    ...     x = tf.constant(1.0)
    """
    for each in control_inputs or ():
        if callable(each):
            each()
    return nullcontext()


@export("init_scope")
def init_scope() -> AbstractContextManager[None]:
    """A context in which no graph is being built, not even inside a `tf.function`.

    >>> import tapeviz as tf
    >>> with tf.init_scope():
    ...     tf.executing_eagerly()
    True
    """
    return running()


@export("name_scope")
class name_scope:
    """A context that is a prefix of the names of variables.

    The scopes that pictures show are a program's own functions, not these.

    Args:
        name: the prefix. If it ends with a slash, it replaces the prefixes of the contexts around it.

    Raises:
        ValueError: the name is not a string.

    >>> import tapeviz as tf
    >>> with tf.name_scope("net"):
    ...     tf.Variable(1.0, name="w").name
    'net/w:0'
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError("The name of a name_scope must be a text: tf.name_scope('net').")
        self.name = name
        self._entered: list[Any] = []

    def __enter__(self) -> str:
        inside = self.name if not self.name or self.name.endswith("/") else f"{prefix.get()}{self.name}/"
        self._entered.append(prefix.set(inside))
        return inside

    def __exit__(self, *error: object) -> None:
        prefix.reset(self._entered.pop())
