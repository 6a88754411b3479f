"""The losses given to `compile` -> the loss of a batch, output by output."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.graph_mode.building import in_graph
from tapeviz.tf.keras import losses
from tapeviz.tf.keras.losses.base import Loss, LossFunction
from tapeviz.tf.keras.losses.operands import kind_of_labels
from tapeviz.tf.keras.metrics import Mean
from tapeviz.tf.keras.models.outputs import NO_PATH, Outputs

_CROSSENTROPIES = {
    "binary": losses.binary_crossentropy,
    "sparse": losses.sparse_categorical_crossentropy,
    "categorical": losses.categorical_crossentropy,
}
"""The loss that "crossentropy" means for each kind of labels."""


class CompileLoss:
    """The weighted sum of the losses of all outputs.

    Args:
        told: the argument `loss` of `compile`: one loss for all outputs, or a list or dict with one for each, where
            None means that an output has none.
        weights: the argument `loss_weights`, a number for each loss.
        names: the names of the outputs, if the model has names for them.

    Raises:
        ValueError: when called: an unknown loss, or losses, weights or labels that do not match the outputs.
    """

    trackers: Sequence[Mean] = ()
    """If there are several losses: the mean of each so far, without its weight."""
    _losses: list[Loss | None] | None = None
    _several = False
    """Whether they are several losses of a single output."""

    def __init__(self, told: Any, weights: Any, names: list[str] | None) -> None:
        if weights and not isinstance(weights, (list, tuple, dict, float)):
            raise ValueError(
                "Expected `loss_weights` argument to be a float (single output case) or a list, tuple, or dict "
                f"(multiple output case). Received instead: loss_weights={weights} of type {type(weights)}"
            )
        self._told, self._weights, self._names = told, weights, names

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """The loss of a batch, or None if no output has a loss."""
        outputs = Outputs(y_pred, self._names)
        labels = outputs.labels(y_true)
        if self._losses is None:
            self._begin(outputs, y_true, labels)
        chosen = self._losses or []
        with_loss = sum(each is not None for each in chosen)
        if len(labels) != len(outputs.each) and len(labels) == with_loss:
            given = iter(labels)
            labels = [None if each is None else next(given) for each in chosen]
        if len(labels) != len(outputs.each):
            raise self._unlike(y_true, y_pred)
        samples = outputs.weights(sample_weight)
        alone = not nest.is_nested(y_true) and not nest.is_nested(y_pred)
        trackers = iter(() if alone else self.trackers)
        total = None
        for place in self._places[:1] if alone else self._places:  # Keras computes only the first loss then
            at = 0 if self._several else place
            loss, factor, output = chosen[place], self._factors[place], outputs.each[at]
            if loss is None:
                continue
            value = loss(labels[at], output, samples[at])
            if self.trackers and not alone:
                # In a graph Keras does not know how many examples there are: every batch counts alike.
                next(trackers).update_state(value, sample_weight=None if in_graph.get() else output.shape[0])
            value = value if factor is None else value * factor
            total = value if total is None else total + value
        return total

    def _unlike(self, y_true: Any, y_pred: Any) -> Exception:
        """The error for labels that are not as many as the outputs."""
        if not isinstance(y_true, dict) and len(nest.flatten(y_true)) == 1 and not nest.is_nested(self._told):
            return KeyError(NO_PATH.format((0,)))
        given = tuple(y_true) if isinstance(y_true, list) else y_true  # as `fit` passes it in Keras
        shown = (nest.map_structure(lambda _: "*", each) for each in (given, y_pred))
        return ValueError("y_true and y_pred have different structures.\ny_true: {}\ny_pred: {}\n".format(*shown))

    def _begin(self, outputs: Outputs, y_true: Any, labels: list[Any]) -> None:
        told, weights = self._told, self._weights
        if isinstance(told, dict):
            outputs.require_names(told)
        if weights is not None and len(nest.flatten(told)) != len(nest.flatten(weights)):
            raise ValueError(
                f"`loss_weights` must match the number of losses, got {len(nest.flatten(told))} losses and "
                f"{len(nest.flatten(weights))} weights."
            )
        if weights is not None and not nest.is_nested(told):
            weights = nest.flatten(weights)[0]
        if isinstance(told, (list, tuple)) and not nest.is_nested(outputs.given):
            self._begin_several(told, weights, labels[0], outputs)
            return
        parts, factors = map(outputs.parts, (told, weights))
        if len(parts) > len(outputs.each):
            if len(labels) not in (len(outputs.each), len(parts)):
                raise self._unlike(y_true, outputs.given)
            if isinstance(outputs.given, (list, tuple)):
                raise KeyError(NO_PATH.format((len(outputs.each),)))
            raise KeyError("The path: () in the `loss` argument, can't be found in the model's output (`y_pred`).")
        labels = [*labels, *[None] * len(parts)]
        self._losses = [_loss(*each) for each in zip(parts, labels, outputs.each, strict=False)]
        self._factors = [_factor(each) for each in factors]
        self._places = outputs.places(told)
        if sum(each is not None for each in self._losses) > 1:
            names = outputs.names if outputs.names and len(outputs.names) == len(outputs.each) else None
            names = names or [each and each.name for each in self._losses]
            self.trackers = [Mean(f"{names[place]}_loss") for place in self._places if self._losses[place] is not None]

    def _begin_several(self, told: Sequence[Any], weights: Any, labels: Any, outputs: Outputs) -> None:
        """Set up a list of losses of a single output.

        Raises:
            IndexError: the list is empty.
            AttributeError: it contains None.
        """
        if not told:
            raise IndexError("list index out of range: `loss` is an empty list.")
        if None in told:
            raise AttributeError(f"'NoneType' object has no attribute 'loss': the one output has no None in {told}.")
        found = [_loss(each, labels, outputs.each[0]) for each in told]
        self._losses, self._places, self._several = list(found), list(range(len(found))), True
        self._factors = [None] * len(found) if weights is None else [_factor(each) for each in nest.flatten(weights)]
        if len(found) > 1:
            self.trackers = [
                Mean(f"{outputs.names[0] if outputs.names else each and each.name}_loss") for each in found
            ]


def _loss(identifier: Any, y_true: Any, y_pred: Any) -> Loss | None:
    """The loss for these labels and predictions; a function has the name by which it was given."""
    found = (
        _CROSSENTROPIES[kind_of_labels(y_true, y_pred)] if str(identifier).lower() in ("crossentropy", "ce") else None
    )
    found = found or losses.get(identifier)
    if found is None or isinstance(found, Loss):
        return found
    return LossFunction(found, identifier if isinstance(identifier, str) else getattr(found, "__name__", None))


def _factor(weight: Any) -> Any:
    """The weight of a loss.

    Raises:
        ValueError: it is a string, for instance if metrics were passed in place of the weights of losses.
    """
    if isinstance(weight, str):
        raise ValueError(
            f"dtype='string' is not a valid dtype for Keras type promotion. {weight!r} is one of `loss_weights`, which "
            f"are numbers. Is it meant as one of `metrics`? Write `compile(..., metrics=[{weight!r}])`."
        )
    return weight
