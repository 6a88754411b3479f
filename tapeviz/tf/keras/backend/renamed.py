"""Functions of TensorFlow -> the same under the names and parameters that they have in `tf.keras.backend`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from tapeviz.engine.functions.exports import EXPORTS
from tapeviz.events.program.frames import GENERATED

_ROWS = """
    abs(x)                              abs
    all(x, axis=None, keepdims=False)   reduce_all: x bool
    any(x, axis=None, keepdims=False)   reduce_any: x bool
    argmax(x, axis=-1)                  argmax
    argmin(x, axis=-1)                  argmin
    cast(x, dtype)                      cast
    cos(x)                              cos
    cumprod(x, axis=0)                  math.cumprod
    cumsum(x, axis=0)                   cumsum
    equal(x, y)                         equal
    exp(x)                              exp
    expand_dims(x, axis=-1)             expand_dims
    gather(reference, indices)          gather
    greater(x, y)                       greater
    greater_equal(x, y)                 greater_equal
    l2_normalize(x, axis=None)          linalg.l2_normalize
    less(x, y)                          less
    less_equal(x, y)                    less_equal
    log(x)                              math.log
    max(x, axis=None, keepdims=False)   reduce_max
    maximum(x, y)                       maximum
    min(x, axis=None, keepdims=False)   reduce_min
    minimum(x, y)                       minimum
    name_scope(name)                    name_scope
    not_equal(x, y)                     not_equal
    one_hot(indices, num_classes)       one_hot
    ones_like(x, dtype=None, name=None) ones_like
    permute_dimensions(x, pattern)      transpose
    pow(x, a)                           pow
    prod(x, axis=None, keepdims=False)  reduce_prod
    reshape(x, shape)                   reshape
    round(x)                            round
    shape(x)                            shape
    sigmoid(x)                          sigmoid
    sign(x)                             sign
    sin(x)                              sin
    softplus(x)                         math.softplus
    softsign(x)                         nn.softsign
    square(x)                           square
    stack(x, axis=0)                    stack
    sum(x, axis=None, keepdims=False)   reduce_sum
    tanh(x)                             tanh
    transpose(x)                        transpose
    zeros_like(x, dtype=None, name=None) zeros_like
"""
"""What each takes, in the order of the function that it stands for; of some, what an argument is cast to first."""


def _renamed(row: str) -> tuple[str, Callable[..., Any]]:
    """The name and the function of a row.

    >>> name, function = _renamed("max(x, axis=None, keepdims=False) reduce_max")
    >>> name, float(function([1.0, 2.0]))
    ('max', 2.0)
    """
    head, _, target = row.partition(")")
    name, _, taken = head.strip().partition("(")
    target, _, cast = (each.strip() for each in target.partition(":"))
    given = ", ".join(each.partition("=")[0].strip() for each in taken.split(","))
    if cast:
        argument, dtype = cast.split()
        given = given.replace(argument, f"cast({argument}, {dtype!r})", 1)
    names = {"function": EXPORTS[target], "cast": EXPORTS["cast"]}
    function: Callable[..., Any] = eval(compile(f"lambda {taken}: function({given})", GENERATED, "eval"), names)
    function.__name__ = function.__qualname__ = name
    function.__module__ = __package__  # where pickle finds it
    what = (inspect.getdoc(EXPORTS[target]) or "").partition("\n\n")[0]
    function.__doc__ = f"{what}\n\nIt is `tf.{target}` by the name that Keras has for it."
    return name, function


RENAMED: dict[str, Callable[..., Any]] = dict(map(_renamed, _ROWS.strip().splitlines()))
