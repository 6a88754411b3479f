"""A function of any framework -> an error if its gradients and central differences disagree: `assert_gradients`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.custom_gradient import custom_gradient
from tapeviz.engine.gradient_checks.directional import Slope, check_gradients
from tapeviz.engine.namespace import convert_to_tensor
from tapeviz.engine.specs.dtypes import DIFFERENTIABLE
from tapeviz.live.foreign_arrays import array_and_dtype, is_array, package_of
from tapeviz.recorders.frameworks import FRAMEWORKS
from tapeviz.validation import function_first


def assert_gradients(
    f: Callable[..., Any], *args: object, tolerance: float | None = None, seed: int = 0
) -> tuple[Slope, ...]:
    """Assert that the gradients of a function of any framework agree with central differences.

    It is `tv.check_gradients`, of the first order, for functions of PyTorch, TensorFlow, JAX and tapeviz: which of them
    it is, its arguments say. So are a `torch.autograd.Function`, a `custom_vjp` and a `custom_gradient` tested.

    Args:
        f: a function that takes and returns arrays of its framework, in any structure.
        args: its arguments. Those that are neither floating nor complex are handed over as they are; of float64 the
            check is most accurate.
        tolerance: the largest allowed error; by default, the cube root of the precision of the coarsest dtype.
        seed: the seed of the random directions.

    Returns:
        The derivatives that were compared, one for each floating argument.

    Raises:
        GradientCheckError: an error is too large. It names the argument and the size of the error.
        TypeError: `f` is not a function.
        ValueError: there is no argument to check, or one is bfloat16.

    >>> import tapeviz as tv
    >>> [slope.argument for slope in assert_gradients(lambda x, y: tv.sin(x) * y, [0.5, 1.0], 2.0)]
    ['x', 'y']
    """
    function_first(f, "assert_gradients")
    package = next((found for each in args if is_array(each) and (found := package_of(each)) in FRAMEWORKS), None)
    module = None if package is None else f"{FRAMEWORKS[package].recorder}.pull_back"
    if module is None or not find_spec(module):
        return check_gradients(f, *args, order=1, tolerance=tolerance, seed=seed)
    arrays = {at: array_and_dtype(each)[0] for at, each in enumerate(args) if is_array(each)}
    places = [at for at, each in arrays.items() if each.dtype.kind in DIFFERENTIABLE]
    foreign = _of_the_engine(f, args, places, import_module(module).pull_back)
    return check_gradients(foreign, *(arrays[at] for at in places), order=1, tolerance=tolerance, seed=seed)


def _of_the_engine(
    f: Callable[..., Any], args: Sequence[Any], places: Sequence[int], pull_back: Callable[..., Any]
) -> Callable[..., Any]:
    """A framework's function as one of the engine's, of the arguments at some places, with the gradient that it has."""

    def listed(*inputs: Any) -> list[Any]:
        given = dict(zip(places, inputs, strict=True))
        found: list[Any] = nest.flatten(f(*(given.get(at, each) for at, each in enumerate(args))))
        return found

    @custom_gradient
    def run(*tensors: Any) -> Any:
        outputs, pull = pull_back(listed, [args[at] for at in places], [np.array(each) for each in tensors])

        def gradient(*upstream: Any) -> list[Any]:
            found = pull([np.array(each) for each in upstream])
            pairs = zip(tensors, found, strict=True)
            return [convert_to_tensor(np.zeros_like(each) if g is None else g) for each, g in pairs]

        return [convert_to_tensor(each) for each in outputs], gradient

    @wraps(f)
    def foreign(*tensors: Any) -> Any:
        return run(*tensors)

    return foreign
