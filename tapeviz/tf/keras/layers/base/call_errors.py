"""An error in the `call` of a layer -> the same error, with the layer and its arguments in the text, as in Keras."""

from __future__ import annotations

from inspect import Parameter, signature
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.graph_mode.building import in_graph
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.errors import OpError
from tapeviz.events.program.exceptions import SAID, TOLD_BY
from tapeviz.tf.keras.symbolic.placeholders import shape_of


def tell(error: Exception, layer: Any, args: Any, kwargs: Any) -> None:
    """Add the call of a layer to the text of an error, and its name as a note, unless an inner layer has.

    The text before is kept in an attribute. An error with several `args` is left unchanged. If the arguments do not fit
    the signature of `call`, the text is Python's.

    >>> class Own:
    ...     name = "own"
    ...
    ...     def call(self, inputs): ...
    >>> error = ValueError("too large")
    >>> tell(error, Own(), (1,), {})
    >>> print(str(error).splitlines()[0])
    Exception encountered when calling Own.call().
    """
    if hasattr(error, TOLD_BY):
        return
    _note(error, layer, args)
    if isinstance(error, OpError) and error.in_graph is None and in_graph.get() is not None:
        return  # raised when the graph runs, where there are no layers
    takes = signature(layer.call)
    try:
        bound = takes.bind(*args, **kwargs).arguments
    except TypeError as unbound:
        error.args = unbound.args  # as in Keras, which checks them before the call
        return
    _put_around(error, layer, {name: bound.get(name, each.default) for name, each in takes.parameters.items()})


def tell_placed(error: Exception, layer: Any, args: Any, kwargs: Any) -> None:
    """`tell` for a call on placeholders, whose error shows all arguments together, as in Keras."""
    if not hasattr(error, TOLD_BY):
        _note(error, layer, args)
        _put_around(error, layer, {"args": args or Parameter.empty, "kwargs": kwargs or Parameter.empty})


def not_inferred(error: Exception, layer: Any) -> Exception:
    """The error for a layer whose `call` raised one in a dry run."""
    own = getattr(error, TOLD_BY, None) is layer
    kind = type(layer).__name__
    said = (
        f"Could not automatically infer the output shape / dtype of {layer.name!r} (of type {kind}). Either the "
        f"`{kind}.call()` method is incorrect, or you need to implement the `{kind}.compute_output_spec() / "
        f"compute_output_shape()` method. Error encountered:\n\n{getattr(error, SAID) if own else error}"
    )
    try:
        return type(error)(said)
    except TypeError:  # a class of the user's with other arguments
        return error


def _note(error: Exception, layer: Any, args: Any) -> None:
    error.__dict__.setdefault(SAID, str(error))
    error.__dict__[TOLD_BY] = layer
    given = ", ".join(str(tuple(each.shape)) for each in nest.flatten(args) if hasattr(each, "shape"))
    if not getattr(error, "__notes__", ()):
        error.add_note(f"In the call of layer {layer.name!r} ({type(layer).__name__}) on shape {given}.")


def _put_around(error: Exception, layer: Any, arguments: dict[str, Any]) -> None:
    called = f"{type(layer).__name__}.call()"
    lines = [f"  • {name}={_told(value)}" for name, value in arguments.items()]
    around = (f"Exception encountered when calling {called}.", f"Arguments received by {called}:\n" + "\n".join(lines))
    if isinstance(error, OpError):
        error._message = _within(around, error.message)
    elif len(error.args) <= 1:
        error.args = (_within(around, error.args[0] if error.args else ""),)


def _within(around: tuple[str, str], said: Any) -> str:
    return f"{around[0]}\n\n\x1b[1m{said}\x1b[0m\n\n{around[1]}"


def _told(value: Any) -> Any:
    """An argument as Keras shows it: shape and dtype of tensors."""
    if value is Parameter.empty:
        return value
    return nest.map_structure(_in_words, value)


def _in_words(value: Any) -> str:
    if isinstance(value, TensorLike):
        return f"tf.Tensor(shape={shape_of(value)}, dtype={value.dtype.name})"
    return repr(value) if isinstance(value, str) else str(value)
