"""An object -> its config: the arguments it was made with, as plain values; and a config, or a name -> an object."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from types import FunctionType, NoneType
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from tapeviz.engine.specs.dtypes import DType
from tapeviz.engine.specs.shape import TensorShape
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.tf.keras.registered import get_registered_name, get_registered_object

ABSENT = frozenset(
    ("quantization_config", "sparse", "ragged", "optional", "synchronized", "renorm", "renorm_clipping", "rms_scaling")
)
"""Keras' arguments that are always None, or False, here."""
_PACKAGES = ("activations", "constraints", "initializers", "losses", "metrics", "optimizers", "regularizers")
"""The packages in which a function is looked up by its name."""
_REST = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
_VALUES = (NoneType, str, bytes, int, float, complex, np.generic, np.ndarray, TensorLike, DType, TensorShape)
"""The classes whose values are plain, and so in a config themselves."""


_Kind = TypeVar("_Kind", bound="type[Configured]")


class Configured:
    """The base of objects that have a config, and can be made from one.

    >>> import tapeviz as tf
    >>> tf.keras.initializers.Constant(2.0).get_config()
    {'value': 2.0}
    >>> tf.keras.initializers.Constant.from_config({"value": 2.0})([1]).numpy().tolist()
    [2.0]
    """

    _module_: ClassVar[str] = "keras"
    """The module of the class in Keras."""
    _settings_: ClassVar[tuple[str, ...]] = ()
    """The names of its arguments, in Keras' order; each is an attribute, too."""

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor by name: numbers, strings, lists and dicts."""
        return {name: plain(getattr(self, name, None)) for name in self._settings_}

    def _beside_config_(self) -> dict[str, Any]:
        """Further items of its description, besides its class and its config."""
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """A new object from a config.

        Raises:
            TypeError: the config is not a dict, or the class does not take its arguments.
        """
        return cls(**{name: value for name, value in dict(**config).items() if name not in ABSENT or value})


def tells_arguments(kind: _Kind) -> _Kind:
    """A class decorator: the config has the arguments of the base class, and then those of its own `__init__`.

    >>> @tells_arguments
    ... class Scaled(Configured):
    ...     def __init__(self, scale, *, name="scaled", **kwargs): ...
    >>> Scaled._settings_
    ('scale', 'name')
    """
    own = [each.name for each in signature(kind).parameters.values() if each.kind not in _REST]
    kind._settings_ = (*kind._settings_, *(name for name in own if name not in kind._settings_))
    return kind


class OfFunction(Configured):
    """The base of objects that call a function with options."""

    _function: Callable[..., Any]
    _options: Mapping[str, Any]

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor, and the options of the function that `_settings_` names."""
        own = {name: value for name, value in self._options.items() if name in self._settings_}
        return super().get_config() | own


def plain(value: Any) -> Any:
    """An argument as plain values: a function of Keras by its name, anything else by `serialized`.

    >>> import tapeviz as tf
    >>> plain(tf.keras.initializers.Constant(2.0))["config"], plain(tf.keras.activations.relu), plain(max)["config"]
    ({'value': 2.0}, 'relu', 'max')
    """
    if not (isinstance(value, FunctionType) and value.__module__.startswith("tapeviz.")):
        return serialized(value)
    known = _located("builtins", value.__name__)
    return value.__name__ if getattr(known, "__name__", None) == value.__name__ else serialized(value)


def serialized(value: Any) -> Any:
    """A description of an object as plain values, for `deserialized`. A function is described by its name.

    Raises:
        TypeError: the object has no config.

    >>> serialized(plain)
    {'module': 'builtins', 'class_name': 'function', 'config': 'plain', 'registered_name': 'function'}
    """
    if isinstance(value, (list, tuple)):
        return type(value)([serialized(each) for each in value])
    if isinstance(value, dict):
        return {name: serialized(each) for name, each in value.items()}
    if hasattr(value, "get_config"):
        return _described(value)
    if hasattr(value, "__name__"):
        kind = type(value).__name__
        name = get_registered_name(value)
        return {"module": "builtins", "class_name": kind, "config": name, "registered_name": kind}
    if not isinstance(value, _VALUES):
        raise TypeError(
            f"Cannot serialize object {value} of type {type(value)}. To be serializable, a class must implement the "
            "`get_config()` method."
        )
    return value


def _described(value: Any) -> dict[str, Any]:
    kind, config = type(value), value.get_config()
    is_own = not kind.__module__.startswith("tapeviz.")
    return {
        "module": kind.__module__ if is_own else kind._module_,
        "class_name": kind.__name__,
        "config": config,
        "registered_name": get_registered_name(kind) if is_own else None,
        **(value._beside_config_() if isinstance(value, Configured) else {}),
    }


def deserialized(config: Any, custom_objects: Mapping[str, Any] | None = None) -> Any:
    """An object from its description by `serialized`.

    In lists and dicts, each element is made. Other values stay unchanged.

    Args:
        config: the description.
        custom_objects: the user's classes and functions by their names. Others are those of Keras or of their module.

    Raises:
        TypeError: the class is unknown, or does not accept the config.

    >>> import tapeviz as tf
    >>> deserialized({"module": "keras.layers", "class_name": "ReLU", "config": {"max_value": 6.0}}).max_value
    6.0
    """
    if isinstance(config, (list, tuple)):
        return [deserialized(each, custom_objects) for each in config]
    if not isinstance(config, dict):
        return config
    if not {"class_name", "config"} <= config.keys():
        return {name: deserialized(each, custom_objects) for name, each in config.items()}
    name = name_in(config)
    found = own_object(config, custom_objects) or _located(config.get("module"), name)
    if found is None:
        what = "function" if config["class_name"] == "function" else "class"
        raise TypeError(
            f"Could not locate {what} {name!r} of the config {config}. Register it, by register_keras_serializable, or "
            f"pass it: custom_objects={{{name!r}: ...}}."
        )
    return made_from(found, config, custom_objects)


def name_in(config: Mapping[str, Any]) -> Any:
    """The name of the class, or of the function, that a config is of."""
    return config.get("config") if config["class_name"] == "function" else config["class_name"]


def own_object(config: Mapping[str, Any], custom_objects: Mapping[str, Any] | None) -> Any:
    """The class or function of one's own that a config is of, if it is registered or among the custom objects."""
    name, given = name_in(config), custom_objects or {}
    registered = name if config["class_name"] == "function" else config.get("registered_name") or name
    return given.get(name) or get_registered_object(registered, given)


def _located(module: Any, name: Any) -> Any:
    """A class or a function by its name in a module; of Python's own module, in the packages of Keras."""
    for place in [f"keras.{each}" for each in _PACKAGES] if module == "builtins" else [f"{module}"]:
        path = place.replace("keras.src.", "keras.")  # where Keras keeps what it calls by shorter names
        known = sys.modules.get(f"tapeviz.tf.{path}" if path.split(".")[0] == "keras" else path)
        found = getattr(known, f"{name}", None) if known else None
        if callable(found):
            return found
    return None


def made_from(kind: Any, description: Mapping[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Any:
    """An object of a class, made of the config in its description; a function, itself.

    Raises:
        TypeError: the config is none, or the class makes nothing of it.
    """
    if not isinstance(kind, type):
        return kind
    told = description.get("config")
    told = {} if told is None else told
    if not isinstance(told, dict):
        raise TypeError(
            f"Expected 'config' to be a dict for {kind.__name__},\ninstead got {type(told)}\nFull config: {description}"
        )
    if not hasattr(kind, "from_config"):
        raise TypeError(
            f"Unable to reconstruct an instance of '{kind.__name__}' because the class is missing a `from_config()` "
            f"method. Full object config: {description}"
        )
    try:
        made = kind.from_config(told, *((custom_objects,) if getattr(kind, "_tells_layers_", False) else ()))
    except TypeError as error:
        raise TypeError(
            f"{kind} cannot be made of its config {description}: {error} Objects in it go through its from_config()."
        ) from error
    built_for = description.get("build_config")
    if built_for and not made.built:
        made.build_from_config(built_for)
    return made
