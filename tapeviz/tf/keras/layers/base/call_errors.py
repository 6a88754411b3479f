"""An error in the `call` of a layer -> the same error, with a note that names the layer and what it was called on."""

from __future__ import annotations

from typing import Any

from tapeviz.engine import nest


def tell(error: Exception, layer: Any, args: Any) -> None:
    """Add a note about the call of a layer to an error, unless an inner layer has.

    >>> class Own:
    ...     name = "own"
    >>> error = ValueError("too large")
    >>> tell(error, Own(), (1,))
    >>> error.__notes__
    ["In the call of layer 'own' (Own) on shape ."]
    """
    if not getattr(error, "__notes__", ()):
        given = ", ".join(str(tuple(each.shape)) for each in nest.flatten(args) if hasattr(each, "shape"))
        error.add_note(f"In the call of layer {layer.name!r} ({type(layer).__name__}) on shape {given}.")


def not_inferred(error: Exception, layer: Any) -> Exception:
    """The error for a layer whose `call` raised one in a dry run."""
    said = (
        f"The shape and dtype that layer {layer.name!r} ({type(layer).__name__}) returns are not known: its `call` "
        f"failed on placeholders. Mend `call`, or define `compute_output_shape()`. {error}"
    )
    try:
        return type(error)(said)
    except TypeError:  # a class of the user's with other arguments
        return error
