"""The arguments of the constructor of a user's layer -> its config, if its class does not define one."""

from __future__ import annotations

from inspect import Parameter, signature
from typing import Any

from tapeviz.engine import nest

_ADVICE = "Define `get_config()`: it returns `super().get_config()` and the arguments, by name, as plain values."
_OTHERS = "non-serializable argument values"
_PLAIN = (str, int, float, bool, type(None))


class MadeWith:
    """The arguments of a constructor call, with defaults; or why they cannot be a config.

    >>> class Own:
    ...     def __init__(self, units, rate=0.5, **kwargs): ...
    >>> MadeWith(Own, (3,), {"name": "own"}).joined_to({"name": "own", "trainable": True})
    {'name': 'own', 'units': 3, 'rate': 0.5, 'trainable': True}
    """

    def __init__(self, kind: type[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._kind, self._arguments, self._why_none = kind, dict[str, Any](), ""
        start = signature(kind.__init__)
        takes = dict([*start.parameters.items()][1:])  # but `self`
        self._named = "name" in takes or ("kwargs" in takes and takes["kwargs"].kind is Parameter.VAR_KEYWORD)
        try:
            bound = start.bind(None, *args, **kwargs)
        except TypeError:  # which the call itself will raise; of a model's arguments nothing is known
            self._why_none = _OTHERS
            return
        bound.apply_defaults()
        for name, parameter in takes.items():
            given = bound.arguments[name]
            if parameter.kind is Parameter.VAR_KEYWORD:
                self._arguments |= given
            elif parameter.kind is Parameter.POSITIONAL_ONLY or (parameter.kind is Parameter.VAR_POSITIONAL and given):
                self._why_none = "positional only or variadic positional arguments (e.g., `*args`)"
            elif parameter.kind is not Parameter.VAR_POSITIONAL:
                self._arguments[name] = given
        self._arguments.pop("name", None)
        if not all(isinstance(each, _PLAIN) for each in nest.flatten(self._arguments)):
            self._why_none = self._why_none or _OTHERS
        if self._why_none:
            self._arguments = {}  # they may be large, or impossible to copy

    def joined_to(self, config: dict[str, Any]) -> dict[str, Any]:
        """The config of every layer, followed by the arguments. The name is left out if the class does not take one.

        Raises:
            NotImplementedError: an argument is not a plain value.
        """
        if self._why_none:
            raise NotImplementedError(
                f"Object {self._kind.__name__} was created by passing {self._why_none} in `__init__()`, and therefore "
                f"cannot tell its config by itself. {_ADVICE}"
            )
        return (
            ({"name": config["name"]} if self._named else {})
            | self._arguments
            | {name: value for name, value in config.items() if name != "name"}
        )
