"""An `input_signature` -> what each parameter of a function takes, and arguments that are so."""

from __future__ import annotations

from inspect import Parameter, Signature
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.constant import convert_to_tensor
from tapeviz.engine.convert import array_of, no_tensor
from tapeviz.engine.spec import TensorSpec
from tapeviz.engine.tensor import Tensor, TensorLike
from tapeviz.engine.variable import Variable

_GATHERING = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


class Literal:
    """What a parameter takes that has a default and no spec: that default."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"Literal[{self.value!r}]"


def specs(signature: Any) -> tuple[Any, ...]:
    """An input signature, which is made of specs.

    Raises:
        TypeError: it is not.
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
    """What may be given: with specs, `*args` are as many as there are specs left, and `**kwargs` none."""
    own = [*signature.parameters.values()]
    if given is None or not any(each.kind in _GATHERING for each in own):
        return signature
    kept = [each for each in own if each.kind not in _GATHERING]
    if any(each.kind is Parameter.VAR_POSITIONAL for each in own):
        named = [each for each in kept if each.kind is not Parameter.KEYWORD_ONLY]
        more = len(given) - sum(each.name != "self" for each in named)
        positional = [each.name for each in named] + [f"args_{i}" for i in range(more)]
        kept = [
            *[Parameter(name, Parameter.POSITIONAL_ONLY) for name in positional],
            *[each for each in kept if each.kind is Parameter.KEYWORD_ONLY],
        ]
    return Signature(kept)


def constraints(signature: Signature, given: tuple[Any, ...] | None) -> dict[str, Any]:
    """The spec of each parameter, by name; its default stands for one that has none; a method's `self` has neither.

    Raises:
        TypeError: a parameter has neither.
    """
    if given is None:
        return {}
    names = [each for each in signature.parameters if each != "self"]
    defaults = {name: signature.parameters[name].default for name in names[len(given) :]}
    missing = [name for name, default in defaults.items() if default is Parameter.empty]
    if missing:
        raise TypeError(f"input_signature missing type constraint for {missing[0]}")
    kept = {name: nest.map_structure(_of_default, default) for name, default in defaults.items()}
    return dict(zip(names, given, strict=False)) | kept


def _of_default(value: Any) -> Any:
    return TensorSpec.of(value) if isinstance(value, TensorLike) else Literal(value)


def constrained(value: Any, wanted: Any) -> Any:
    """An argument as its specs want it: anything but a tensor is converted.

    Raises:
        TypeError: it cannot be.
    """
    if isinstance(wanted, Literal):
        if isinstance(value, TensorLike) or value != wanted.value:
            raise TypeError(f"Can not cast {value!r} to {wanted!r}")
        return value
    if not isinstance(wanted, TensorSpec):
        if type(value) is not type(wanted):
            raise TypeError(f"Can not cast {value!r} to {type(wanted).__name__} type.")
        flat = [constrained(each, spec) for each, spec in zip(nest.flatten(value), nest.flatten(wanted), strict=True)]
        return nest.pack_sequence_as(wanted, flat)
    if not isinstance(value, TensorLike):
        value = _converted(value, wanted)
    elif isinstance(value, Variable):
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
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {wanted.dtype.name}") from None


def described(signature: Signature, wanted: dict[str, Any]) -> str:
    """The parameters, with what they take, as TensorFlow writes them."""
    shown = [
        each.replace(
            annotation=_Written(_shown(wanted[name])) if name in wanted else Parameter.empty,
            default=each.empty if each.default is each.empty else _Written("<captured_default_value>"),
        )
        for name, each in signature.parameters.items()
    ]
    return str(Signature(shown))


def _shown(wanted: Any) -> str:
    if not isinstance(wanted, (list, tuple)):
        return repr(wanted)
    return f"{type(wanted).__name__.capitalize()}[{', '.join(map(_shown, wanted))}]"


class _Written:
    """What a signature shows as it is."""

    __module__ = "builtins"

    def __init__(self, what: Any) -> None:
        self._what = what

    def __repr__(self) -> str:
        return str(self._what)
