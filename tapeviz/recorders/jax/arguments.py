"""A function of JAX and its arguments -> its jaxpr, with the names of what goes into it.

Arrays become inputs of the jaxpr. Other Python values do not, unless the gradient is asked for them: as with
`jax.grad`, the function sees the number, the text or the function that was passed. Nor do the functions and names that
a module of a library has beside its weights.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import CodeType
from typing import Any

import jax
import numpy as np
from jax import tree_util

from tapeviz.recorders.jax.operands import Closed
from tapeviz.recorders.jax.values import NO_REFERENCES, is_reference
from tapeviz.validation import whole

TRACED = (
    "record_jax traces the function as jax.jit does, also where jax.grad alone would not: write the choice with "
    "jax.lax.cond or jnp.where, use jax.numpy in place of NumPy, or pass what it depends on as a Python value that is "
    "not differentiated."
)
"""Added to JAX's own error where a function asks a traced array for its value."""


def _below(function: Any) -> list[CodeType]:
    """The code of the functions that a function holds: JAX wraps all that it returns in one and the same."""
    held = [cell.cell_contents for cell in getattr(function, "__closure__", None) or ()]
    return [each.__code__ for each in held if inspect.isfunction(each)]


_VALUE_AND_GRAD = _below(jax.value_and_grad(abs))
"""The code of what `jax.value_and_grad` makes of a function."""


class Fixed:
    """A value that goes into a function as it is: to JAX a structure without arrays."""

    def __init__(self, value: Any) -> None:
        self.value = value


tree_util.register_pytree_node(Fixed, lambda fixed: ((), fixed), lambda fixed, _: fixed)


def _unfixed(each: Any) -> Any:
    return each.value if isinstance(each, Fixed) else each


@dataclass(frozen=True)
class Leaf:
    """One array, or number, that goes into a program: its name, its value, and whether its gradient is asked for."""

    name: str | None
    value: Any
    is_source: bool


POSITIONS = "the position of an argument, counted from 0, or several of them: argnums=(0, 1)"


@dataclass(frozen=True)
class Program:
    """A function of the user's as JAX has traced it, and what goes into it and comes out by which names.

    `leaves` are the inputs of the jaxpr, `outputs` the names of its outputs, None of a library's function;
    `sources` are the positions of the inputs whose gradients are asked for, in the order of the call, `targets` those
    of the outputs that are differentiated. `besides` are the names of arrays that it reads without their being
    arguments, by identity. The reverse pass begins with `seeds`, one per target (None: ones), or, for a Jacobian, once
    for each of so many `rows`.
    """

    jaxpr: Closed
    leaves: tuple[Leaf, ...]
    outputs: tuple[str | None, ...]
    sources: tuple[int, ...]
    targets: tuple[int, ...]
    besides: dict[int, str]
    seeds: tuple[Any, ...] | None = None
    rows: int | None = None


def positions(argnums: int | Sequence[int], count: int) -> tuple[int, ...]:
    """The arguments that are differentiated, counted from the first.

    Raises:
        TypeError: something other than numbers.
        ValueError: there is no such argument, or one is named twice.

    >>> positions(-1, 3), positions((0, 2), 3)
    ((2,), (0, 2))
    """
    several = argnums if isinstance(argnums, Iterable) else (argnums,)
    given = tuple(whole(each, "argnums", POSITIONS) for each in several)
    if any(not -count <= each < count for each in given):
        raise ValueError(f"argnums is {argnums!r}, but the function is called with {count} positional arguments.")
    found = tuple(each % count for each in given)
    if len(set(found)) < len(found):
        raise ValueError(f"argnums names an argument twice: {argnums!r}.")
    return found


def trace(
    f: Callable[..., Any], args: Sequence[Any], named: Mapping[str, Any], differentiated: Sequence[int], has_aux: bool
) -> tuple[Program, Any]:
    """Trace `f` on `args` and, behind them, its keyword arguments; the form of what it returns comes with it.

    Raises:
        TypeError: an argument to differentiate has no array or number, or `f` uses array references.
    """
    given, names = (*args, *named.values()), [*argument_names(f, len(args)), *named]
    flat = [(at, *each) for at, name in enumerate(names) for each in named_leaves(name, given[at])]
    arguments = [argument for argument, _, _ in flat]
    leaves = [Leaf(name, value, argument in differentiated) for argument, name, value in flat]
    asked = [is_weight for each in given for is_weight in weights(each)]
    traced = [index for index, leaf in enumerate(leaves) if is_array(leaf.value) or (leaf.is_source and asked[index])]
    inputs = [arguments[index] for index in traced]

    @functools.wraps(f)  # so that JAX speaks of the user's function, and of its arguments by their names
    def of_arrays(*values: Any) -> Any:
        every = tree_util.tree_map(_unfixed, values, is_leaf=lambda each: isinstance(each, Fixed))
        return f(*every[: len(args)], **dict(zip(named, every[len(args) :], strict=True)))

    for index in traced:
        _check(leaves[index])
    fixed = [leaf.value if index in traced else Fixed(leaf.value) for index, leaf in enumerate(leaves)]
    structure = tree_util.tree_structure(given)
    try:
        jaxpr, out = jax.make_jaxpr(of_arrays, return_shape=True)(*tree_util.tree_unflatten(structure, fixed))
    except jax.errors.JAXTypeError as error:
        error.add_note(TRACED)
        raise
    if any(map(is_reference, jaxpr.consts)):
        raise TypeError(NO_REFERENCES)
    if has_aux and not (isinstance(out, tuple) and len(out) == 2):
        raise TypeError("With has_aux=True the function has to return a pair: what is differentiated, and what is not.")
    program = Program(
        jaxpr,
        tuple(leaves[index] for index in traced),
        tuple(output_names(f, out, has_aux)),
        tuple(slot for each in differentiated for slot, argument in enumerate(inputs) if argument == each),
        _real_numbers(out, has_aux) if differentiated else (),
        read_besides(f),
    )
    return program, out


def check_function(f: Callable[..., Any], out: Any, has_aux: bool) -> None:
    """Whether a function that returns `out` may be differentiated.

    Raises:
        TypeError: it is `jax.value_and_grad` of another, and returns more than two numbers, or it returns no real one.
    """
    results = tree_util.tree_leaves(out)
    at: Any = f if len(results) > 2 or any(each.shape for each in results) else None
    while at is not None:
        if _VALUE_AND_GRAD and _below(at) == _VALUE_AND_GRAD:
            own = getattr(at.__wrapped__, "__name__", "the function")
            raise TypeError(f"record_jax takes the gradient itself: pass {own} in place of jax.value_and_grad({own}).")
        at = getattr(at, "__wrapped__", None)
    targets(out, has_aux)


def _check(leaf: Leaf) -> None:
    if isinstance(leaf.value, jax.core.Tracer):
        raise TypeError(f"{leaf.name} is being traced: call record_jax outside of jit, grad, vmap and the like.")
    if is_reference(leaf.value):
        raise TypeError(NO_REFERENCES)
    try:
        jax.numpy.asarray(leaf.value)
    except TypeError as error:
        raise TypeError(f"There is no gradient of {leaf.name}: it is {leaf.value!r}, no array or number.") from error


def output_names(f: Callable[..., Any], out: Any, has_aux: bool) -> Iterator[str]:
    """The names of what a function returns, after the function, `loss` or `loss[0]`; `aux` for auxiliary results."""
    own = getattr(f, "__name__", "result")
    name = own if own.isidentifier() else "result"
    for part, value in ((name, out[0]), ("aux", out[1])) if has_aux else ((name, out),):
        yield from (each for each, _ in named_leaves(part, value))


def targets(out: Any, has_aux: bool) -> tuple[int, ...]:
    """The indices of the outputs that are differentiated.

    Raises:
        TypeError: none is a real number.
    """
    found = _real_numbers(out, has_aux)
    if not found:
        leaves = tree_util.tree_leaves(out[0] if has_aux else out)
        kinds = ", ".join(str(leaf.dtype) for leaf in leaves) or "nothing"
        raise TypeError(f"A gradient begins at a real number, but the function returns {kinds}.")
    return found


def _real_numbers(out: Any, has_aux: bool) -> tuple[int, ...]:
    leaves = tree_util.tree_leaves(out[0] if has_aux else out)
    return tuple(index for index, leaf in enumerate(leaves) if jax.numpy.issubdtype(leaf.dtype, np.floating))


def is_array(value: Any) -> bool:
    return isinstance(value, (jax.Array, np.ndarray, np.generic))


def weights(structure: Any) -> list[bool]:
    """Which leaves of an argument its gradient is asked for: all, but for what a module has beside its weights.

    That are the functions, names and switches that its attributes hold.

    >>> weights({"w": 0.5, "step": True}), weights({"w": 0.5, "of": "relu"}), weights({"of": "relu"})
    ([True, True], [False, True], [True])
    """
    found = [_is_weight(path, each) for path, each in tree_util.tree_flatten_with_path(structure)[0]]
    return found if any(found) else [True] * len(found)


def _is_weight(path: tuple[Any, ...], value: Any) -> bool:
    if isinstance(value, bool):
        return not (path and isinstance(path[-1], tree_util.GetAttrKey))
    return is_array(value) or isinstance(value, (int, float, complex, jax.core.Tracer)) or is_reference(value)


def argument_names(f: Callable[..., Any], count: int) -> list[str]:
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


def named_leaves(name: str, value: Any) -> list[tuple[str, Any]]:
    """What is in a structure that has a name, each with its own.

    >>> named_leaves("params", {"w": [1.0, 2.0]})
    [("params['w'][0]", 1.0), ("params['w'][1]", 2.0)]
    """
    return [(name + tree_util.keystr(path), each) for path, each in tree_util.tree_flatten_with_path(value)[0]]


def arrays_among(variables: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    """The arrays that variables hold, and those within them, as pairs of identity and name."""
    for variable, value in variables.items():
        with suppress(Exception):  # some structures, as a dictionary with keys of several kinds, are none of JAX's
            yield from [(id(each), name) for name, each in named_leaves(variable, value) if is_array(each)]


def read_besides(f: Callable[..., Any]) -> dict[int, str]:
    """The names of the arrays among a function's global and closure variables, by identity."""
    function = inspect.unwrap(f)
    if not inspect.isfunction(function):
        return {}
    read = inspect.getclosurevars(function)
    return dict(arrays_among({**read.globals, **read.nonlocals}))
