"""An object -> the arguments it was made with, as plain values, and such values -> an object (`get_config`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Self, TypeGuard

from tapeviz.engine.dtypes import DType, as_dtype
from tapeviz.keras.naming import snake_case

ABSENT = frozenset(
    ("quantization_config", "sparse", "ragged", "optional", "synchronized", "renorm", "renorm_clipping", "rms_scaling")
)
"""Arguments that Keras has and that are always None, or False, here."""


class Configured:
    """Something that can tell how it was made, and be made again from that.

    >>> import tapeviz as tf
    >>> tf.keras.initializers.Constant(2.0).get_config()
    {'value': 2.0}
    >>> tf.keras.initializers.Constant.from_config({"value": 2.0})([1]).numpy().tolist()
    [2.0]
    """

    module: ClassVar[str] = "keras"
    """Where Keras has its class."""
    settings: ClassVar[tuple[str, ...]] = ()
    """Its arguments in Keras' order; each is an attribute too."""

    def get_config(self) -> dict[str, Any]:
        """Its arguments by name, as numbers, texts, lists and dicts."""
        return {name: plain(getattr(self, name, None)) for name in self.settings}

    def beside_config(self) -> dict[str, Any]:
        """What there is to tell of it beside its class and its arguments."""
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """A new one, made with these arguments.

        Raises:
            TypeError: what has no names, or arguments that the class does not take.
        """
        return cls(**{name: value for name, value in dict(**config).items() if name not in ABSENT or value})


class DTypePolicy(Configured):
    """The dtype of a layer, as Keras describes it.

    >>> DTypePolicy("float32")
    <DTypePolicy "float32">
    """

    settings = ("name",)

    def __init__(self, name: str) -> None:
        self.name = self.compute_dtype = self.variable_dtype = name

    def __repr__(self) -> str:
        return f'<DTypePolicy "{self.name}">'


def is_class(value: Any) -> TypeGuard[type[Configured]]:
    """Whether a value is a class: one whose objects are made again from their configs."""
    return isinstance(value, type)


def by_names(classes: Iterable[type]) -> dict[str, Any]:
    """Classes by their names, and by those in lower case.

    >>> by_names([DTypePolicy]).keys()
    dict_keys(['DTypePolicy', 'd_type_policy'])
    """
    return {name: each for each in classes for name in (each.__name__, snake_case(each.__name__))}


def identified(identifier: Any, by_name: Mapping[str, Any], what: str) -> Any:
    """An object by its name, its class, its config or itself, or a function; None stays None.

    Raises:
        ValueError: there is none of that name, or the config tells no name.
    """
    if identifier is None:
        return None
    if isinstance(identifier, dict):
        if "class_name" not in identifier:
            raise ValueError(f"Unknown `config` as a `dict`, config={identifier}")
        kind = by_name.get(identifier["class_name"]) or _known(identifier, by_name, what)
        return kind.from_config(identifier.get("config", {}))
    found = _known(identifier, by_name, what)
    return found() if isinstance(found, type) else found


def _known(identifier: Any, by_name: Mapping[str, Any], what: str) -> Any:
    """A class or a function by its name; what else can be called, itself."""
    found = by_name.get(identifier) if isinstance(identifier, str) else identifier
    if not callable(found):
        raise ValueError(f"Could not interpret {what} identifier: {identifier}")
    return found


def plain(value: Any) -> Any:
    """An argument as a value that could stand in a JSON file.

    >>> plain(DTypePolicy("float32"))["config"], plain(max)
    ({'name': 'float32'}, 'max')
    """
    if isinstance(value, Configured):
        kind = type(value)
        own = not kind.__module__.startswith("tapeviz.")
        return {
            "module": kind.__module__ if own else kind.module,
            "class_name": kind.__name__,
            "config": value.get_config(),
            "registered_name": kind.__name__ if own else None,
            **value.beside_config(),
        }
    if isinstance(value, list):
        return [plain(each) for each in value]
    return value.__name__ if callable(value) else value


def serialized(value: Any) -> Any:
    """The same of an object or a function by itself, for `deserialize`.

    >>> serialized(max)["config"]
    'max'
    """
    if isinstance(value, Configured) or not callable(value):
        return plain(value)
    return {"module": "builtins", "class_name": "function", "config": value.__name__, "registered_name": "function"}


def made_again(config: Any, custom_objects: Mapping[str, Any] | None, get: Callable[[Any], Any]) -> Any:
    """What `serialized` told of; classes and functions of one's own are those in `custom_objects`, by their names.

    >>> made_again(serialized(max), {"max": max}, str)
    <built-in function max>
    """
    name, told = (config["class_name"], config["config"]) if isinstance(config, dict) else (config, {})
    name = told if name == "function" else name
    own = (custom_objects or {}).get(name) if isinstance(name, str) else None
    if own is None:
        return get(name if name is told else config)
    return own.from_config(told) if is_class(own) else own


def named_in(value: Any) -> Any:
    """The dtype of a policy, or of what `plain` made of one; anything else as it is."""
    if isinstance(value, DTypePolicy):
        return value.name
    return value["config"]["name"] if isinstance(value, dict) else value


def dtype_told(value: Any) -> DType:
    """The dtype of a layer, a loss or a metric that is told it: by a policy, by what `plain` made of one, or itself.

    Raises:
        ValueError: it is none.
    """
    value = named_in(value)
    try:
        return as_dtype(value)
    except TypeError:
        raise ValueError(
            f"Cannot convert {value!r} to a mixed precision DTypePolicy. Valid policies are the names of dtypes, such "
            "as 'float32': here a layer computes in the dtype of its weights."
        ) from None
