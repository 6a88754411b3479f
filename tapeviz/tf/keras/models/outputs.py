"""The outputs of a model for a batch -> what belongs to each: its loss, its labels, its weights."""

from __future__ import annotations

from typing import Any

from tapeviz.engine import nest

NO_PATH = (
    "The path: {} in the `loss` argument, can't be found in either the model's output (`y_pred`) or in the labels "
    "(`y_true`)."
)


class Outputs:
    """The outputs of a model for a batch, in the order of `nest.flatten`.

    Args:
        given: a tensor, or a list, tuple or dict of them.
        names: the names of the outputs, if the model has names for them.
    """

    def __init__(self, given: Any, names: list[str] | None) -> None:
        self.given = given
        self.each: list[Any] = nest.flatten(given)
        self._model_names = names

    @property
    def names(self) -> list[Any] | None:
        """The keys of a dict of outputs, else the model's names for them."""
        given, names = self.given, self._model_names
        if not isinstance(given, dict):
            return names
        return sorted(names if names and set(names) == set(given) else given)

    def places(self, told: Any) -> list[int]:
        """The indices of the outputs in the order in which their losses are added.

        For a dict of outputs it is the order of the keys in the dict of losses or outputs, not that of sorted keys.
        """
        count = len(self.each)
        if not isinstance(self.given, dict) or len(self.given) != count:
            return list(range(count))
        places = {name: place for place, name in enumerate(sorted(self.given))}
        return [places[name] for name in (told if isinstance(told, dict) else self.given) if name in places]

    def parts(self, told: Any) -> list[Any]:
        """An argument of `compile` split by outputs: its entry of a list or dict for each, else the same for all.

        Outputs after the end of a list, or missing in a dict, get None.
        """
        if isinstance(told, dict):
            return [told.get(name) for name in self.names or list(told)]
        count = len(self.each)
        parts = list(told) if isinstance(told, (list, tuple)) else [told] * count
        return parts + [None] * (count - len(parts))

    def require_names(self, told: dict[str, Any]) -> None:
        """Check that the keys of a dict of losses are names of the outputs.

        Raises:
            TypeError: the outputs have no names.
            KeyError: a key is missing in a dict of outputs.
            ValueError: the keys differ from the model's names of its outputs.
        """
        if isinstance(self.given, dict):
            for name, loss in told.items():
                if loss is not None and name not in self.given:
                    error = KeyError(NO_PATH.format((name,)))
                    error.add_note(f"The outputs are {list(self.given)}.")
                    raise error
        elif not self._model_names:
            raise TypeError(
                f"'NoneType' object is not iterable: the losses {list(told)} are told by names, and the outputs of "
                "this model have none. Tell them in a list, or return a dict of outputs from call()."
            )
        elif set(self._model_names) != set(told):
            raise ValueError(f"Expected keys {self._model_names} in loss dict, but found loss.keys()={list(told)}")

    def labels(self, values: Any) -> list[Any]:
        """The labels in the order of the outputs. A dict of labels for a list of outputs is looked up by names.

        Raises:
            TypeError: a dict with other names, where Keras tries to convert the names to tensors.
        """
        given, names = self.given, self._model_names
        if isinstance(values, dict) and isinstance(given, (list, tuple)) and names and set(names) == set(values):
            values = [values[name] for name in names]
        outputs = given if isinstance(given, dict) else ()
        if isinstance(values, dict) and set(values) != set(outputs) and len(values) == len(self.each):
            raise TypeError(
                f"Expected float32, but got {next(iter(values))} of type 'str'. The labels are a dict of "
                f"{list(values)}, "
                + (f"the outputs one of {list(outputs)}." if outputs else "the outputs none: give them as these come.")
            )
        return nest.flatten(values)

    def weights(self, weights: Any) -> list[Any]:
        """The sample weights of each output: its own ones, or the same for all."""
        found = [None] if weights is None else nest.flatten(weights)
        return found if len(found) == len(self.each) else [found[0]] * len(self.each)
