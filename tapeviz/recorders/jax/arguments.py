"""A function of JAX and its arguments -> its jaxpr, with the names of what goes into it.

Arrays become inputs of the jaxpr. Other Python values do not, unless the gradient is asked for them: as with
`jax.grad`, the function sees the number, the text or the function that was passed.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax import tree_util

from tapeviz.recorders.jax.operands import Closed

TRACED = (
    "record_jax traces the function as jax.jit does, also where jax.grad alone would not: write the choice with "
    "jax.lax.cond or jnp.where, and a function of NumPy as that of jax.numpy, or pass what it depends on as a Python "
    "value that is not differentiated."
)
"""Added to JAX's own error where a function asks a traced array for its value."""


@dataclass(frozen=True)
class Leaf:
    """One array, or number, of the arguments: the position of its argument, its name, its value."""

    argument: int
    name: str
    value: Any


@dataclass(frozen=True)
class Program:
    """A traced function.

    `leaves` are the inputs of the jaxpr, `outputs` the names of its outputs, `targets` the positions of those that are
    differentiated, `structure` is that of what the function returns, and `besides` the names of arrays that it reads
    without their being arguments, by identity.
    """

    jaxpr: Closed
    leaves: tuple[Leaf, ...]
    outputs: tuple[str, ...]
    targets: tuple[int, ...]
    structure: Any
    besides: dict[int, str]


def positions(argnums: int | Sequence[int], count: int) -> tuple[int, ...]:
    """The arguments that are differentiated, counted from the first.

    Raises:
        ValueError: there is no such argument, or one is named twice.

    >>> positions(-1, 3), positions((0, 2), 3)
    ((2,), (0, 2))
    """
    given = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    if any(not -count <= each < count for each in given):
        raise ValueError(f"argnums is {argnums!r}, but the function is called with {count} positional arguments.")
    found = tuple(each % count for each in given)
    if len(set(found)) < len(found):
        raise ValueError(f"argnums names an argument twice: {argnums!r}.")
    return found


def trace(f: Callable[..., Any], args: Sequence[Any], differentiated: Sequence[int], has_aux: bool) -> Program:
    """Trace `f` on `args`.

    Raises:
        TypeError: `f` is no function, an argument to differentiate no array or number, or no output a real number.
    """
    if not callable(f):
        raise TypeError(f"record_jax takes a function and its arguments, got {type(f).__name__} {str(f)[:80]!r} first.")
    flat, structure = tree_util.tree_flatten_with_path(tuple(args))
    names = _argument_names(f, len(args))
    leaves = [Leaf(path[0].idx, names[path[0].idx] + tree_util.keystr(path[1:]), value) for path, value in flat]
    traced = [index for index, leaf in enumerate(leaves) if leaf.argument in differentiated or _is_array(leaf.value)]

    def of_arrays(*arrays: Any) -> Any:
        values = [leaf.value for leaf in leaves]
        for index, array in zip(traced, arrays, strict=True):
            values[index] = array
        return f(*tree_util.tree_unflatten(structure, values))

    for index in traced:
        _check(leaves[index])
    try:
        jaxpr, out = jax.make_jaxpr(of_arrays, return_shape=True)(*(leaves[index].value for index in traced))
    except jax.errors.JAXTypeError as error:
        error.add_note(TRACED)
        raise
    if has_aux and not (isinstance(out, tuple) and len(out) == 2):
        raise TypeError("With has_aux=True the function has to return a pair: what is differentiated, and what is not.")
    return Program(
        jaxpr,
        tuple(leaves[index] for index in traced),
        tuple(_output_names(f, out, has_aux)),
        _targets(out, has_aux) if differentiated else (),
        tree_util.tree_structure(out),
        dict(_read_besides(f)),
    )


def _check(leaf: Leaf) -> None:
    if isinstance(leaf.value, jax.core.Tracer):
        raise TypeError(f"{leaf.name} is being traced: call record_jax outside of jit, grad, vmap and the like.")
    try:
        jax.numpy.asarray(leaf.value)
    except TypeError as error:
        raise TypeError(f"There is no gradient of {leaf.name}: it is {leaf.value!r}, no array or number.") from error


def _output_names(f: Callable[..., Any], out: Any, has_aux: bool) -> Iterator[str]:
    """What a function returns is called as the function is: `loss`, `loss[0]`; what it returns besides is `aux`."""
    own = getattr(f, "__name__", "result")
    name = own if own.isidentifier() else "result"
    for path, _ in tree_util.tree_flatten_with_path(out)[0]:
        if has_aux:
            yield ("aux" if path[0].idx else name) + tree_util.keystr(path[1:])
        else:
            yield name + tree_util.keystr(path)


def _targets(out: Any, has_aux: bool) -> tuple[int, ...]:
    """The outputs that a gradient begins at."""
    leaves = tree_util.tree_leaves(out[0] if has_aux else out)
    found = tuple(index for index, leaf in enumerate(leaves) if jax.numpy.issubdtype(leaf.dtype, np.floating))
    if not found:
        kinds = ", ".join(str(leaf.dtype) for leaf in leaves) or "nothing"
        raise TypeError(f"A gradient begins at a real number, but the function returns {kinds}.")
    return found


def _is_array(value: Any) -> bool:
    return isinstance(value, (jax.Array, np.ndarray, np.generic))


def _argument_names(f: Callable[..., Any], count: int) -> list[str]:
    """The names of the positional arguments, `args[0]` where the function takes them as `*args`."""
    names: list[str] = []
    try:
        parameters = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):  # some callables have no signature
        parameters = []
    for parameter in parameters:
        if parameter.kind is parameter.VAR_POSITIONAL:
            names += [f"{parameter.name}[{index}]" for index in range(count - len(names))]
        elif parameter.kind is not parameter.KEYWORD_ONLY:
            names.append(parameter.name)
    return [*names, *(f"args[{index}]" for index in range(len(names), count))][:count]


def _read_besides(f: Callable[..., Any]) -> Iterator[tuple[int, str]]:
    """The arrays that a function reads from where it was defined, by identity, with their names there."""
    function = inspect.unwrap(f)
    if not inspect.isfunction(function):
        return
    for names in (inspect.getclosurevars(function).globals, inspect.getclosurevars(function).nonlocals):
        for path, value in tree_util.tree_flatten_with_path(names)[0]:
            if _is_array(value):
                yield id(value), f"{path[0].key}{tree_util.keystr(path[1:])}"
