"""A Python function -> one that takes and returns tensors, as `tf.function` makes it; its body runs at each call.

TensorFlow runs the body only once, to build a graph. Here it runs at each call, so that tapes, logs and debuggers see
it. What TensorFlow forbids while it builds the graph (a variable made twice, `x.numpy()`) is forbidden here, too, and
shapes and dtypes that do not fit raise the errors of graph building.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import update_wrapper
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.backward.indexed_slices import IndexedSlices
from tapeviz.engine.graph_mode.building import OpenShapes, building, opened
from tapeviz.engine.notes import note
from tapeviz.engine.setting import Setting
from tapeviz.engine.specs.tensor_spec import TensorSpec
from tapeviz.engine.table import OPS
from tapeviz.engine.tensors.mutable import on_creation
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.values.constant import convert_to_tensor
from tapeviz.events.program.captures import Captures
from tapeviz.events.raw import next_id
from tapeviz.events.types import FunctionReused
from tapeviz.tf import random_state
from tapeviz.tf.tracing.concrete_function import ConcreteFunction
from tapeviz.tf.tracing.graph_outputs import as_one
from tapeviz.tf.tracing.new_variables import NewVariable, noted, refused, require_kept
from tapeviz.tf.tracing.open_signature import met_at_run
from tapeviz.tf.tracing.signature import (
    bound,
    check_covered,
    constraints,
    of_arguments,
    parameters,
    specs,
)
from tapeviz.tf.tracing.trace_types import require_typed, trace_key


class Eagerly:
    """Whether functions run as plain Python (`tf.config.run_functions_eagerly`)."""

    chosen = False


class Function:
    """The result of `tf.function`."""

    def __init__(
        self, python_function: Callable[..., Any], input_signature: Sequence[Any] | None = None, autograph: bool = True
    ) -> None:
        update_wrapper(self, python_function)
        self.python_function = python_function
        self.__doc__ = self.__doc__ or ""  # as TensorFlow's decorators leave it
        self._name = getattr(python_function, "__name__", type(python_function).__name__)  # an object may be called too
        self._autograph = autograph
        self.input_signature = None if input_signature is None else specs(input_signature)
        self._signature = parameters(inspect.signature(python_function), self.input_signature)
        self._constraints = constraints(self._signature, self.input_signature)
        wanted = nest.flatten(dict(self._constraints)) if self.input_signature is not None else []
        self._is_open = any(not each.shape.is_fully_defined() for each in wanted if isinstance(each, TensorSpec))
        self._called = self._has_made = False
        self._captures = Captures()
        self._concrete: list[ConcreteFunction] = []
        self._traced: set[Any] = set()  # the kinds of arguments
        self._bound: WeakKeyDictionary[Any, Function] = WeakKeyDictionary()

    def __get__(self, instance: Any, owner: Any = None) -> Function:
        """The function as a method of an object; there is a first call for each object."""
        if instance is None:
            return self
        if instance not in self._bound:
            bound = self.python_function.__get__(instance, owner)
            self._bound[instance] = Function(bound, self.input_signature, self._autograph)
        return self._bound[instance]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if Eagerly.chosen:
            return self.python_function(*args, **kwargs)
        given = bound(self._signature, self._constraints, args, kwargs)
        try:
            return self._run(
                given.args, given.kwargs, lambda seed: self._made_for(given.args, given.kwargs, seed).seeds
            )
        except ValueError as error:
            at_run = met_at_run(error, self.python_function, self._signature, self._constraints)
            if at_run is None:
                raise
            raise at_run from None

    def _run(self, args: Any, kwargs: Any, seeds: Callable[[int | None], random_state.GraphSeeds]) -> Any:
        """Run the body as TensorFlow does to build a graph of it; arrays become tensors.

        The seeds of its random ops are looked up only if it has such ops.
        """
        begun = next_id()
        leaves = nest.flatten((args, kwargs))
        for leaf in leaves:
            require_typed(leaf)
        traced_for = None if self.input_signature is not None else tuple(map(trace_key, leaves))
        owner = getattr(self.python_function, "__self__", None)
        changed = self._captures.changed(self.python_function, owner, leaves)
        if changed:
            note(FunctionReused, attrs=(self._name, changed))
        args, kwargs = nest.map_structure(_entering, args), nest.map_structure(_entering, kwargs)
        fresh: list[NewVariable] = []
        met = refused(self._has_made) if self._called else lambda variable: fresh.append(noted(variable))
        graph = building(
            *(args, kwargs),
            rewritten=self._autograph,
            named=lambda: self._signature.bind(*args, **kwargs).arguments,
            open_shapes=self._open_shapes(args, kwargs) if self._is_open else {},
        )
        with Setting(on_creation, met), graph, random_state.in_run(seeds):
            result = self.python_function(*args, **kwargs)
        self._traced.add(traced_for)
        result = as_one(nest.map_structure(lambda each: self._returned(each, begun), result))
        if fresh:
            require_kept(fresh, self.python_function, self._name)
            self._captures.trace_again(self.python_function, owner, leaves)
        self._called, self._has_made = True, self._has_made or bool(fresh)
        return result

    def _open_shapes(self, args: Any, kwargs: Any) -> OpenShapes:
        """The shapes of the arguments that the signature leaves open."""
        shapes: OpenShapes = {}
        for name, each in self._signature.bind(*args, **kwargs).arguments.items():
            shapes |= opened(each, self._constraints.get(name))
        return shapes

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The concrete function for arguments of these shapes and dtypes, and with these Python values.

        Args:
            args: tensors, specs, and Python values.
            kwargs: the same by name.

        Raises:
            TypeError: the arguments do not fit the parameters or the input signature.

        >>> import tapeviz as tf
        >>> power = tf.function(lambda x, n: x**n).get_concrete_function(tf.TensorSpec([]), 3)
        >>> float(power(tf.constant(2.0)))
        8.0
        """
        if self.input_signature is not None and (args or kwargs):
            check_covered(self._signature, self._constraints, args, kwargs)
        return self._made_for(args, kwargs, random_state.seed_of_graphs())

    def experimental_get_tracing_count(self) -> int:
        """How often TensorFlow would have traced the function: once for each kind of arguments.

        >>> import tapeviz as tf
        >>> double = tf.function(lambda x: 2 * x)
        >>> _ = double(tf.constant(1)), double(tf.constant(2)), double(tf.constant([3])), double(4)
        >>> double.experimental_get_tracing_count()
        3
        """
        return len(self._traced)

    def _made_for(self, args: Any, kwargs: Any, seed: int | None) -> ConcreteFunction:
        """The concrete function for arguments like these; a new one if none covers them."""
        if self.input_signature is None:
            signature, wanted = of_arguments(self._signature, args, kwargs)
        else:
            signature, wanted = self._signature, self._constraints
        for each in self._concrete:
            if each.covers(wanted):
                return each
        made = ConcreteFunction(self._name, self._run, signature, wanted, random_state.GraphSeeds(seed))
        self._concrete.append(made)
        return made

    def _returned(self, value: Any, begun: int) -> Any:
        """A leaf of the result as a tensor; one that was not made in the call is copied. Datasets stay as they are."""
        if value is None or isinstance(value, IndexedSlices) or hasattr(value, "element_spec"):
            return value
        if isinstance(value, Tensor):
            return value if value._id > begun else OPS["identity"](value)
        try:
            return convert_to_tensor(value)
        except (TypeError, ValueError):
            raise TypeError(
                f"A tf.function returns tensors, not {type(value).__name__}: {self._name} returned {value!r}."
            ) from None


def function(
    func: Callable[..., Any] | None = None,
    input_signature: Sequence[Any] | None = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: Any = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: Any = None,
    experimental_compile: Any = None,
    experimental_follow_type_hints: Any = None,
) -> Any:
    """A function that takes and returns tensors, from a Python function (`tf.function`).

    Also a decorator, with or without options.

    Arrays become tensors before the call, and numbers in the result become tensors. The body runs in each call. So
    Python objects outside of it are read in each call, where TensorFlow keeps their values from the first one.

    Args:
        func: the Python function.
        input_signature: a `tf.TensorSpec` for each parameter. Arguments are converted to it.
        autograph: whether `if`, `while` and `for` may depend on tensors.
        jit_compile: ignored, as are the remaining arguments.

    Raises:
        TypeError: when called, if the arguments do not fit the parameters or the signature, or the result cannot become
            tensors.
        ValueError: when called, if the body makes a variable after the first call, or one that is not kept.

    >>> import tapeviz as tf
    >>> @tf.function
    ... def double(x):
    ...     return 2 * x
    >>> double(3)
    <tf.Tensor: shape=(), dtype=int32, numpy=6>
    """
    if func is not None:
        return Function(func, input_signature, autograph)
    return lambda decorated: Function(decorated, input_signature, autograph)


def _entering(value: Any) -> Any:
    return convert_to_tensor(value) if isinstance(value, (np.ndarray, np.generic)) else value
