"""The functions or classes of a package of Keras by their names, as a layer or `compile` may be given them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tapeviz.tf.keras.naming import snake_case
from tapeviz.tf.keras.serialization import deserialized, made_from, name_in, own_object


def by_names(classes: Iterable[type]) -> dict[str, Any]:
    """Classes by their names, and by these in snake case.

    >>> list(by_names([Registry]))
    ['Registry', 'registry']
    """
    return {name: each for each in classes for name in (each.__name__, snake_case(each.__name__))}


class Registry:
    """The classes and functions of one package by their names.

    Args:
        what: what they are, for errors.
        by_name: the classes and functions.

    >>> from tapeviz.keras.initializers import Constant
    >>> known = Registry("initializer", by_names([Constant]))
    >>> known.deserialize({"class_name": "Constant", "config": {"value": 2.0}}).get_config()
    {'value': 2.0}
    """

    def __init__(self, what: str, by_name: Mapping[str, Any]) -> None:
        self._what, self.by_name = what, by_name

    def get(self, identifier: Any) -> Any:
        """An object from its name, its class, its config or itself, which may be a function. None stays None.

        Raises:
            ValueError: the name is unknown, or the config has none.
        """
        found = None if identifier is None else self.found(identifier)
        return found() if isinstance(found, type) else found

    def found(self, identifier: Any) -> Any:
        """What an identifier stands for. A class is returned as it is.

        Raises:
            ValueError: the name is unknown, or the config has none.
        """
        found = self.deserialize(identifier) if isinstance(identifier, (str, dict)) else identifier
        if not callable(found):
            raise self.unknown(identifier)
        return found

    def unknown(self, identifier: Any) -> ValueError:
        """The error for an identifier that stands for nothing."""
        return ValueError(f"{identifier!r} is no {self._what}: give a name, a config, a class or an object.")

    def deserialize(self, config: Any, custom_objects: Mapping[str, Any] | None = None) -> Any:
        """An object from its description or its name. As in Keras, an unknown name is returned unchanged.

        Raises:
            ValueError: the description has no name.
            TypeError: the class is unknown, or does not accept the config.
        """
        if not isinstance(config, (str, dict)):
            return deserialized(config, custom_objects)
        description = {"class_name": config} if isinstance(config, str) else config
        if "class_name" not in description:
            raise ValueError(f"Unknown `config` as a `dict`, config={config}")
        name = name_in(description)
        own = own_object(description, custom_objects) if description is config else (custom_objects or {}).get(name)
        if own:
            return own if description is not config else made_from(own, description, custom_objects)
        if description.get("module", "") is None:
            raise TypeError(
                f"Cannot deserialize object of type `{name}`. If `{name}` is a custom class, pass it: "
                f"custom_objects={{{name!r}: ...}}."
            )
        return made_from(self.by_name[name], description) if name in self.by_name else name
