"""Control flow, as Python runs it, and calls into plain Python, under TensorFlow's names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.api.arguments import tensor_of, value_of
from tapeviz.engine.api.creation import zeros
from tapeviz.engine.api.table import export
from tapeviz.engine.constant import convert_to_tensor
from tapeviz.engine.custom_gradient import custom_gradient
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.ops import array, joining
from tapeviz.engine.tape import GradientTape
from tapeviz.engine.tensor import TensorLike
from tapeviz.engine.variable import prefix
from tapeviz.errors import InvalidArgumentError


@export("cond")
def cond(pred: Any, true_fn: Any = None, false_fn: Any = None, name: str | None = None) -> Any:
    """The result of one of two functions; only that one is called.

    Raises:
        TypeError: something that cannot be called.
    """
    if not callable(true_fn) or not callable(false_fn):
        raise TypeError("'true_fn' and 'false_fn' must be callable.")
    return true_fn() if pred else false_fn()


@export("while_loop")
def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any:
    """`loop_vars = body(*loop_vars)` while `cond(*loop_vars)`; every turn is recorded.

    Raises:
        TypeError: `body` gives no list.
        ValueError: no `loop_vars`, or `body` gives another structure.
    """
    if not loop_vars:
        raise ValueError("'loop_vars' must be provided.")
    values, turns = loop_vars, 0
    while (maximum_iterations is None or turns < maximum_iterations) and cond(*values):
        found = body(*values)
        values = found if isinstance(found, (list, tuple)) else list(found)
        nest.map_structure(lambda before, after: None, list(loop_vars), list(values))
        turns += 1
    return nest.map_structure(tensor_of, values)


@export("map_fn")
def map_fn(
    fn: Callable[..., Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: Any = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """`fn` applied to each row of `elems`, a tensor or a structure of them; the results are stacked.

    Raises:
        InvalidArgumentError: a result of another dtype than announced, or than the rows if nothing was.
        ValueError: a scalar, which has no rows; a result of another structure than announced, or than `elems`.
    """
    wanted = fn_output_signature if fn_output_signature is not None else dtype
    if any(not np.ndim(value_of(each)) for each in nest.flatten(elems)):
        raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
    if not tensor_of(nest.flatten(elems)[0]).shape[0]:
        return zeros([0], wanted or tensor_of(elems).dtype)
    results = [fn(row) for row in _rows(elems)]
    expected = elems if wanted is None else wanted
    nest.assert_same_structure(expected, results[0], check_types=False)
    for leaf, like in zip(nest.flatten(results[0]), nest.flatten(expected), strict=False):
        announced = like if wanted is not None else tensor_of(like).dtype
        if hasattr(leaf, "dtype") and leaf.dtype is not as_dtype(getattr(announced, "dtype", announced)):
            raise InvalidArgumentError(
                f"map_fn: fn gave {leaf.dtype.name} where {announced} was announced: pass fn_output_signature."
            )
    return _stacked(results)


@export("vectorized_map")
def vectorized_map(fn: Callable[..., Any], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True) -> Any:
    """`fn` applied to each row of `elems`; the results are stacked."""
    return _stacked([fn(row) for row in _rows(elems)])


@export("scan")
def scan(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """`total = fn(total, row)` over the rows of `elems`, from the initializer or the first row; all totals, stacked."""
    rows = _rows(elems)
    rows = rows[::-1] if reverse else rows
    totals = [nest.map_structure(tensor_of, rows[0] if initializer is None else initializer)]
    for row in rows[1:] if initializer is None else rows:
        totals.append(fn(totals[-1], row))
    totals = totals if initializer is None else totals[1:]
    return _stacked(totals[::-1] if reverse else totals)


def _rows(elems: Any) -> list[Any]:
    """The rows of a structure of tensors, each in that structure."""
    if any(not np.ndim(value_of(each)) for each in nest.flatten(elems)):
        raise IndexError("A scalar has no rows to go over.")
    columns = [list(joining.unstack(tensor_of(each), axis=0)) for each in nest.flatten(elems)]
    return [nest.pack_sequence_as(elems, list(row)) for row in zip(*columns, strict=True)]


def _stacked(results: list[Any]) -> Any:
    leaves = zip(*(map(tensor_of, nest.flatten(each)) for each in results), strict=True)
    return nest.pack_sequence_as(results[0], [joining.stack(*column, axis=0) for column in leaves])


@export("identity_n")
def identity_n(input: Any, name: str | None = None) -> list[Any]:
    """The same values as new tensors."""
    return list(array.identity_n(*(tensor_of(each) for each in input)))


@export("grad_pass_through")
def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function with the values of `f` and the gradient of the identity."""

    @custom_gradient
    def passed(*args: Any) -> Any:
        return f(*args), lambda *upstream: upstream if len(upstream) > 1 else upstream[0]

    return passed


@export("recompute_grad")
def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """The same function; its ops are not kept for the backward pass, which runs `f` once more instead."""

    @custom_gradient
    def recomputed(*args: Any, **kwargs: Any) -> Any:
        def gradients(*upstream: Any, variables: Any = ()) -> Any:
            with GradientTape() as tape:
                tape.watch(args)
                again = f(*args, **kwargs)
            sources = [*args, *variables]
            found = tape.gradient(again, sources, output_gradients=list(upstream))
            return (found[: len(args)], found[len(args) :]) if variables else found

        return f(*args, **kwargs), gradients

    return recomputed


@export("numpy_function")
def numpy_function(
    func: Callable[..., Any] | None = None,
    inp: Any = None,
    Tout: Any = None,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """`func` called with NumPy arrays; its results are constants: no gradient passes. Their dtypes are its own."""
    assert func is not None
    found = nest.flatten(func(*(tensor_of(each).numpy() for each in inp)))
    results = [None if each is None else convert_to_tensor(each) for each in found]
    return results[0] if len(results) == 1 else results


@export("py_function")
def py_function(
    func: Callable[..., Any] | None = None, inp: Any = None, Tout: Any = None, name: str | None = None
) -> Any:
    """`func` called with tensors; its ops are recorded, and gradients pass."""
    assert func is not None
    return _typed(func(*(tensor_of(each) for each in inp)), Tout)


def _typed(found: Any, wanted: Any) -> Any:
    """Results as tensors of the announced dtypes."""
    if isinstance(wanted, (list, tuple)):
        found = found if isinstance(found, (list, tuple)) else [found]
        return [convert_to_tensor(each, dtype) for each, dtype in zip(found, wanted, strict=True)]
    if isinstance(found, (list, tuple)):
        return [convert_to_tensor(each, wanted) for each in found]
    return convert_to_tensor(found, wanted)


@export("get_static_value")
def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """The value of a tensor as an array; anything else as it is."""
    return tensor.numpy() if isinstance(tensor, TensorLike) else tensor


@export("executing_eagerly")
def executing_eagerly() -> bool:
    """True: every op runs when it is called."""
    return True


@export("device")
@contextmanager
def device(device_name: Any) -> Iterator[None]:
    """A context in which ops run where they always do: on the CPU."""
    yield


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
        inside = self.name if self.name.endswith("/") else f"{prefix.get()}{self.name}/"
        self._entered.append(prefix.set(inside))
        return inside

    def __exit__(self, *error: object) -> None:
        prefix.reset(self._entered.pop())
