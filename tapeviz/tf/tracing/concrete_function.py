"""A `tf.function` and example arguments -> the concrete function for tensors like these."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import Signature
from itertools import count
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.specs.tensor_spec import TensorSpec
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.errors import InvalidArgumentError
from tapeviz.events.raw import next_id
from tapeviz.tf.random_state import GraphSeeds
from tapeviz.tf.tracing.result_specs import results_of
from tapeviz.tf.tracing.signature import arranged, bound, covers, described, with_tensors
from tapeviz.tf.tracing.trace_types import Literal, VariableSpec


class ConcreteFunction:
    """A function for arguments of certain specs, and with certain Python values.

    It is called either with the arguments of the function, or with only the tensors among them, in order.

    Args:
        name: the name of the function.
        run: the function that runs the body.
        signature: its parameters.
        wanted: what each parameter accepts, as trace types.
        seeds: the random state of its graph.
    """

    def __init__(
        self, name: str, run: Callable[..., Any], signature: Signature, wanted: dict[str, Any], seeds: GraphSeeds
    ) -> None:
        self._called = name
        self._run = run
        self._signature = signature
        self._wanted = wanted
        self.seeds = seeds
        self._specs = _specs_by_name(wanted)
        self._number = next_id()

    @property
    def name(self) -> bytes:
        """The name of the function in errors."""
        return f"__inference_{self._called}_{self._number}".encode()

    @property
    def structured_input_signature(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """What the function accepts by position and by name: specs for tensors, and Python values."""
        given = arranged(self._signature, {name: _named(name, wanted) for name, wanted in self._wanted.items()})
        return given.args, given.kwargs

    @property
    def structured_outputs(self) -> Any:
        """What it returns: the specs of the tensors, in the structure of the result; None if they are not known."""
        specs = list(self._specs.values())
        if not all(isinstance(each, TensorSpec) for each in specs):
            return None

        structure: Any = None

        def results(tensors: Any) -> list[Any]:
            nonlocal structure
            given = with_tensors(self._signature, self._wanted, tensors)
            structure = self._run(given.args, given.kwargs, lambda seed: self.seeds)
            return [each for each in nest.flatten(structure) if each is not None]

        found = results_of(results, specs)
        following = iter(found or ())
        return (
            None
            if found is None
            else nest.map_structure(lambda each: each if each is None else next(following), structure)
        )

    @property
    def output_shapes(self) -> Any:
        """The shapes of the tensors that it returns, in the structure of the result."""
        return nest.map_structure(lambda spec: spec and spec.shape, self.structured_outputs)

    @property
    def output_dtypes(self) -> Any:
        """The dtypes of the tensors that it returns, in the structure of the result."""
        return nest.map_structure(lambda spec: spec and spec.dtype, self.structured_outputs)

    def covers(self, wanted: Mapping[str, Any]) -> bool:
        """Whether it accepts all arguments that another concrete function accepts."""
        return covers(self._wanted, wanted)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            given = bound(self._signature, self._wanted, args, kwargs)
        except TypeError as error:
            try:
                given = with_tensors(self._signature, self._wanted, self._tensors_among(args, kwargs))
            except TypeError as other:
                raise TypeError(f"{error}\nFallback to flat signature also failed due to: {other}") from None
        return self._run(given.args, given.kwargs, lambda seed: self.seeds)

    def _tensors_among(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        """The tensors of a call that gives nothing else, in the order of the specs.

        Raises:
            TypeError: there are more or fewer tensors, or something that is no tensor.
            InvalidArgumentError: one has another dtype; another shape is allowed.
        """
        tensors = self._by_name(list(self._specs), args, kwargs)
        for index, (name, spec) in enumerate(self._specs.items()):
            self._check(index, tensors[name], spec)
        return [tensors[name] for name in self._specs]

    def _by_name(self, names: list[str], args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        called = f"{self._called}({', '.join(names)})"
        if len(args) > len(names):
            raise TypeError(f"{called} takes {len(names)} positional arguments, got {len(args)}.")
        given = dict(zip(names, args, strict=False))
        twice = given.keys() & kwargs.keys()
        if twice:
            raise TypeError(f"{called} got two values for {', '.join(sorted(twice))}.")
        given |= kwargs
        missing = [name for name in names if name not in given]
        if missing:
            raise TypeError(f"{called} missing required arguments: {', '.join(missing)}.")
        if len(given) > len(names):
            raise TypeError(f"{called} got unexpected keyword arguments: {', '.join(given.keys() - set(names))}.")
        return given

    def _check(self, index: int, value: Any, spec: Any) -> None:
        if isinstance(spec, VariableSpec) and spec.is_compatible_with(value):
            return
        if not isinstance(value, Tensor):
            raise TypeError(
                f"{self._called}({', '.join(self._specs)}): expected argument #{index}(zero-based) to be a Tensor; "
                f"got {type(value).__name__} ({value})."
            )
        if value.dtype is not spec.dtype:
            raise InvalidArgumentError(
                f"{self._called} was made for {spec.dtype.name} by get_concrete_function: its argument {index} is of "
                f"{value.dtype.name}. Use tf.cast."
            )

    def __repr__(self) -> str:
        return f"<ConcreteFunction {described(self._signature, self._wanted)} at 0x{id(self):X}>"


def _specs_by_name(wanted: Mapping[str, Any]) -> dict[str, Any]:
    """What the tensors among some arguments must be, by their specs' names, or the arguments', made to differ."""
    found: dict[str, Any] = {}
    for argument, each in wanted.items():
        for spec in nest.flatten(each):
            if not isinstance(spec, Literal):
                called = spec.name or argument
                alike = (called if not further else f"{called}_{further}" for further in count())
                found[next(name for name in alike if name not in found)] = spec
    return found


def _named(name: str, wanted: Any) -> Any:
    """What an argument takes: specs that have no name get the argument's, and where it is in the argument."""
    if isinstance(wanted, Literal):
        return wanted.value
    if isinstance(wanted, TensorSpec):
        return TensorSpec.of(wanted, wanted.name or name)
    if isinstance(wanted, Mapping):
        return {key: _named(f"{name}_{key}", each) for key, each in wanted.items()}
    if isinstance(wanted, (list, tuple)):
        return type(wanted)([_named(f"{name}_{index}", each) for index, each in enumerate(wanted)])
    return wanted
