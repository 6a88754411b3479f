"""What a program asks about where it runs, and scopes that it enters: eager or graph, dependencies, names."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from tapeviz.engine.api.arguments import tensor_of
from tapeviz.engine.api.exports import export
from tapeviz.engine.specs.tensor_spec import TensorSpec
from tapeviz.engine.tensors.mutable import prefix
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.tracing.building import in_graph, running


@export("get_static_value")
def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """The value of a tensor as an array; anything else as it is.

    None for what may change: a variable, an argument of a function of which a graph is built.
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
    """Whether no graph is built: False inside a `tf.function`, or a function that a dataset applies.

    Here their ops run when they are called, as all others do.
    """
    return in_graph.get() is None


@export("inside_function")
def inside_function() -> bool:
    """Whether TensorFlow would be building a graph: inside a `tf.function`, say."""
    return in_graph.get() is not None


@export("no_op")
def no_op(name: str | None = None) -> None:
    """Nothing."""


@export("group")
def group(*inputs: Any, **kwargs: Any) -> None:
    """Nothing: its inputs have run already."""


@export("type_spec_from_value")
def type_spec_from_value(value: Any) -> Any:
    """The shape and dtype of a tensor, or of what becomes one; a dataset's own.

    Raises:
        TypeError: nothing that becomes a tensor.
    """
    if hasattr(value, "_type_spec"):
        return value._type_spec
    try:
        return TensorSpec.of(tensor_of(value))
    except (ValueError, TypeError):
        raise TypeError(f"Could not build a TypeSpec for {value} of unsupported type {type(value)}.") from None


@export("control_dependencies")
def control_dependencies(control_inputs: Any) -> AbstractContextManager[None]:
    """A context that changes nothing, since its inputs have run already; functions among them are called now."""
    for each in control_inputs or ():
        if callable(each):
            each()
    return nullcontext()


@export("init_scope")
def init_scope() -> AbstractContextManager[None]:
    """A context in which no graph is built, in functions too."""
    return running()


@export("name_scope")
class name_scope:
    """A context in which names of variables begin with a name; one with a slash at its end does not nest.

    Scopes in pictures come from the program's own functions.
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError("name for name_scope must be a string.")
        self.name = name
        self._entered: list[Any] = []

    def __enter__(self) -> str:
        inside = self.name if not self.name or self.name.endswith("/") else f"{prefix.get()}{self.name}/"
        self._entered.append(prefix.set(inside))
        return inside

    def __exit__(self, *error: object) -> None:
        prefix.reset(self._entered.pop())
