"""An `input_signature`, or example arguments -> what each parameter takes, and arguments converted to that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from inspect import BoundArguments, Parameter, Signature
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.specs.tensor_spec import TensorSpec
from tapeviz.engine.tensors.mutable import MutableTensor
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.constant import convert_to_tensor
from tapeviz.engine.values.convert import array_of
from tapeviz.engine.values.python_values import no_tensor
from tapeviz.tf.tracing.trace_types import Literal, VariableSpec, like

_GATHERING = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


def specs(signature: Any) -> tuple[Any, ...]:
    """An input signature as a tuple of specs.

    Raises:
        TypeError: it is something else.
    """
    if not isinstance(signature, (list, tuple)):
        raise TypeError(f"input_signature must be either a tuple or a list, got {type(signature)}.")
    others = [each for each in nest.flatten(signature) if not isinstance(each, TensorSpec)]
    if others:
        raise TypeError(
            "input_signature must be a possibly nested sequence of TensorSpec objects, got invalid args "
            f"{others} with types {[type(each) for each in others]}."
        )
    return tuple(signature)


def parameters(signature: Signature, given: tuple[Any, ...] | None) -> Signature:
    """The parameters for an input signature.

    Args:
        signature: the signature of the function.
        given: the specs, or None. With specs, `*args` becomes as many parameters as needed, and `**kwargs` none.
    """
    own = [*signature.parameters.values()]
    if given is None or not any(each.kind in _GATHERING for each in own):
        return signature
    kept = [each for each in own if each.kind not in _GATHERING]
    rest = next((each.name for each in own if each.kind is Parameter.VAR_POSITIONAL), None)
    if rest is not None:
        named = [each for each in kept if each.kind is not Parameter.KEYWORD_ONLY]
        more = len(given) - sum(each.name != "self" for each in named)
        positional = [each.name for each in named] + [f"{rest}_{i}" for i in range(more)]
        kept = [
            *[Parameter(name, Parameter.POSITIONAL_ONLY) for name in positional],
            *[each for each in kept if each.kind is Parameter.KEYWORD_ONLY],
        ]
    return Signature(kept)


def constraints(signature: Signature, given: tuple[Any, ...] | None) -> dict[str, Any]:
    """What each parameter accepts, by its name, without `self`: a spec, or its default value.

    Raises:
        TypeError: a parameter has neither, or there are more specs than parameters.
    """
    if given is None:
        return {}
    own = [each for each in signature.parameters.values() if each.name != "self"]
    named = [each for each in own if each.kind is Parameter.KEYWORD_ONLY]
    placed = [each for each in own if each.kind is not Parameter.KEYWORD_ONLY]
    for each in named:
        if each.default is Parameter.empty:
            raise TypeError(
                f"Since input_signature is defined, keyword-only parameter `{each.name}` must have a default value"
            )
    for each in placed[len(given) :]:
        if each.default is Parameter.empty:
            raise TypeError(f"input_signature has no spec for the parameter {each.name}: give one for each.")
    if len(given) > len(placed):
        raise TypeError(f"input_signature has {len(given)} specs for {len(placed)} parameters: give one for each.")
    specified = {each.name: spec for each, spec in zip(placed, given, strict=False)}
    return specified | {each.name: like(each.default) for each in (*placed[len(given) :], *named)}


def of_arguments(signature: Signature, args: Any, kwargs: Any) -> tuple[Signature, dict[str, Any]]:
    """The parameters for example arguments, and what each accepts: values like the argument.

    Raises:
        TypeError: the arguments do not fit the parameters.
    """
    given = _fitted(signature, {}, args, kwargs)
    given.apply_defaults()
    parameters: list[Parameter] = []
    wanted: dict[str, Any] = {}
    for name, each in signature.parameters.items():
        value, kind, parts = given.arguments[name], each.kind, {name: given.arguments[name]}
        if kind is Parameter.VAR_POSITIONAL:
            kind, parts = Parameter.POSITIONAL_ONLY, {f"{name}_{index}": part for index, part in enumerate(value)}
            parameters = [before.replace(kind=kind) for before in parameters] if parts else parameters
        elif kind is Parameter.VAR_KEYWORD:
            kind, parts = Parameter.KEYWORD_ONLY, value
        parameters += [Parameter(part, kind) for part in parts]
        wanted |= {part: like(value) for part, value in parts.items()}
    return Signature(parameters), wanted


def with_tensors(signature: Signature, wanted: Mapping[str, Any], tensors: Iterable[Any]) -> BoundArguments:
    """The arguments of a call with tensors alone: these, in order, and the Python values that the parameters accept."""
    rest = iter(tensors)

    def argument(leaf: Any) -> Any:
        return leaf.value if isinstance(leaf, Literal) else next(rest)

    return arranged(signature, {name: nest.map_structure(argument, each) for name, each in wanted.items()})


def arranged(signature: Signature, arguments: dict[str, Any]) -> BoundArguments:
    """Arguments by name, as the `args` and `kwargs` of a call."""
    given = signature.bind_partial()
    given.arguments = arguments
    return given


def covers(wanted: Mapping[str, Any], narrower: Mapping[str, Any]) -> bool:
    """Whether parameters accept all values that others accept."""
    if wanted.keys() != narrower.keys():
        return False
    try:
        pairs = [pair for name, each in narrower.items() for pair in _pairs(each, wanted[name])]
    except TypeError:
        return False
    return all(_covers(taken, each) for each, taken in pairs)


def check_covered(signature: Signature, wanted: Mapping[str, Any], args: Any, kwargs: Any) -> None:
    """Raise TypeError unless parameters accept the arguments of a call."""
    for name, value in _fitted(signature, wanted, args, kwargs).arguments.items():
        narrower = like(value)
        if not covers({name: wanted[name]}, {name: narrower}):
            said = f"Can not cast {narrower!r} to {wanted[name]!r}"
            raise _unbound(said, signature, wanted, args, kwargs)


def _covers(wanted: Any, narrower: Any) -> bool:
    if isinstance(wanted, TensorSpec):
        return isinstance(narrower, TensorSpec) and narrower.is_subtype_of(wanted)
    if isinstance(wanted, Literal):
        return isinstance(narrower, Literal) and wanted.is_met_by(narrower.value)
    return bool(wanted == narrower)


def bound(signature: Signature, wanted: Mapping[str, Any], args: Any, kwargs: Any) -> BoundArguments:
    """The arguments of a call, converted to what the parameters accept.

    Raises:
        TypeError: they do not fit.
    """
    found = _fitted(signature, wanted, args, kwargs)
    try:
        for name, each in wanted.items():
            given = found.arguments.get(name, signature.parameters[name].default)
            if given is not Parameter.empty:
                found.arguments[name] = constrained(given, each)
    except (TypeError, ValueError) as error:
        raise _unbound(error, signature, wanted, args, kwargs) from None
    return found


def _fitted(signature: Signature, wanted: Mapping[str, Any], args: Any, kwargs: Any) -> BoundArguments:
    """The arguments of a call by parameter; `wanted` is for the text of the error.

    Raises:
        TypeError: there are too many, too few, or others.
    """
    try:
        return signature.bind(*args, **kwargs)
    except TypeError as error:
        raise _unbound(error, signature, wanted, args, kwargs) from None


def _unbound(why: object, signature: Signature, wanted: Mapping[str, Any], args: Any, kwargs: Any) -> TypeError:
    return TypeError(
        f"The arguments of a tf.function do not fit: {why}. Got {args} and {kwargs}, it takes "
        f"{described(signature, wanted)}."
    )


def constrained(value: Any, wanted: Any) -> Any:
    """An argument, converted to its spec unless it is a tensor.

    Raises:
        TypeError: it cannot be converted, or has another structure.
    """
    return nest.pack_sequence_as(wanted, [_taken(each, spec) for each, spec in _pairs(value, wanted)])


def _pairs(value: Any, wanted: Any) -> Iterator[tuple[Any, Any]]:
    """Pairs of the leaves of an argument and of what is wanted, in the order of `nest`.

    Raises:
        TypeError: the argument is of another structure.
    """
    if isinstance(wanted, Mapping):
        if not isinstance(value, Mapping) or value.keys() != wanted.keys():
            raise TypeError(f"{value!r} is not of the structure {wanted!r}")
        parts = [(value[key], wanted[key]) for key in sorted(wanted)]
    elif nest.is_nested(wanted):
        _same_sequence(value, wanted)
        parts = list(zip(value, wanted, strict=True))
    else:
        yield value, wanted
        return
    for part, spec in parts:
        yield from _pairs(part, spec)


def _same_sequence(value: Any, wanted: Any) -> None:
    """Raise TypeError unless one sequence can stand for another: a list for a list, a tuple for a tuple."""
    kind = next(each for each in (list, tuple, type(wanted)) if isinstance(wanted, each))
    fields = getattr(wanted, "_fields", None)
    fits = isinstance(value, kind) and len(value) == len(wanted)
    if not fits or fields not in (None, getattr(value, "_fields", None)):
        raise TypeError(f"{value!r} is not of the structure {wanted!r}")


def _taken(value: Any, wanted: Any) -> Any:
    """A leaf of an argument, converted to what is wanted."""
    if isinstance(wanted, Literal):
        if not wanted.is_met_by(value):
            raise TypeError(f"Can not cast {value!r} to {wanted!r}")
        return wanted.value
    if isinstance(wanted, VariableSpec):
        if not wanted.is_compatible_with(value):
            raise TypeError(f"Can not cast {value!r} to {wanted!r}")
        return value
    if not isinstance(value, TensorLike):
        value = _converted(value, wanted)
    elif isinstance(value, MutableTensor):
        value = convert_to_tensor(value)
    if not wanted.is_compatible_with(value):
        raise TypeError(f"Can not cast {TensorSpec.of(value, wanted.name)!r} to {wanted!r}")
    return value


def _converted(value: Any, wanted: TensorSpec) -> Tensor:
    try:
        return convert_to_tensor(array_of(value, wanted.dtype))
    except (TypeError, ValueError):
        if value is None:
            raise TypeError(no_tensor(None)) from None
        raise TypeError(f"Cannot convert {value!r} to {wanted.dtype.name}, as the signature says.") from None


def described(signature: Signature, wanted: Mapping[str, Any]) -> str:
    """The parameters and what they accept."""
    taken = (f"{name}: {wanted[name]!r}" if name in wanted else name for name in signature.parameters)
    return f"({', '.join(taken)})"
