"""The methods of a dataset -> the same methods, which check the `name` that they are given."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from types import FunctionType
from typing import Any, TypeVar

Class = TypeVar("Class", bound=type)


def names_checked(kind: Class) -> Class:
    """A class decorator: methods check their argument `name`, as something else may have been meant by it.

    >>> import tapeviz as tf
    >>> tf.data.Dataset.from_tensor_slices([1.0, 2.0], [0, 1])
    Traceback (most recent call last):
    AttributeError: 'list' object has no attribute 'isidentifier'. It is taken for the name of a dataset: what belongs \
together comes as one argument, in a tuple.
    """
    for called, method in list(vars(kind).items()):
        function = getattr(method, "__func__", method)
        if isinstance(function, FunctionType) and "name" in signature(function).parameters:
            function.__name__, function.__qualname__ = called, f"{kind.__name__}.{called}"  # as Python's errors call it
            checked = _checked(function)
            setattr(kind, called, checked if function is method else type(method)(checked))
    return kind


def _checked(method: FunctionType) -> Callable[..., Any]:
    parameters = signature(method).parameters
    keyword = parameters["name"].kind is Parameter.KEYWORD_ONLY
    place = None if keyword else list(parameters).index("name")

    @wraps(method)
    def checked(*args: Any, **kwargs: Any) -> Any:
        made = method(*args, **kwargs)
        _require_name(args[place] if place is not None and place < len(args) else kwargs.get("name"))
        return made

    return checked


def _require_name(name: Any) -> None:
    """Check that a name is None, empty, or an identifier.

    Raises:
        ValueError: a string that is no identifier, or an array without a truth value.
        AttributeError: it is no string.
    """
    try:
        fine = not name or name.isidentifier()
    except (AttributeError, ValueError) as error:
        raised = AttributeError if isinstance(error, AttributeError) else ValueError
        raise raised(
            f"{str(error).rstrip('.')}. It is taken for the name of a dataset: what belongs together comes as one "
            "argument, in a tuple."
        ) from error
    if not fine:
        raise ValueError(f"The name of a dataset is an identifier, not {name!r}: letters, digits and underscores.")
