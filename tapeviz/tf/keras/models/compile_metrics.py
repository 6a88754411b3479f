"""The metrics given to `compile` -> their values so far, output by output."""

from __future__ import annotations

from typing import Any

from tapeviz.engine import nest
from tapeviz.tf.keras import metrics
from tapeviz.tf.keras.losses.operands import kind_of_labels
from tapeviz.tf.keras.metrics import Mean, MeanMetricWrapper, Metric
from tapeviz.tf.keras.models.outputs import Outputs
from tapeviz.tf.keras.naming import snake_case

_ACCURACIES: dict[str, type[Metric]] = {
    "binary": metrics.BinaryAccuracy,
    "sparse": metrics.SparseCategoricalAccuracy,
    "categorical": metrics.CategoricalAccuracy,
}
"""The metric that "accuracy" means for each kind of labels."""


class CompileMetrics(Metric):
    """All metrics given to `compile`, as one metric whose result is a dict.

    Args:
        told: the argument `metrics` of `compile`: a list of metrics for one output; for several, a list or dict with a
            metric or a list of metrics for each.
        weighted: the argument `weighted_metrics`, metrics that take sample weights into account.
        names: the names of the outputs, if the model has names for them.

    Raises:
        ValueError: an argument is not a list or dict; when called: the metrics do not match the outputs.
    """

    _groups: list[tuple[str | None, list[Metric], bool]] | None = None
    """For each output: the prefix of the names of its metrics, the metrics, and whether they use sample weights."""

    def __init__(self, told: Any, weighted: Any, names: list[str] | None) -> None:
        super().__init__(name="compile_metrics")
        for argument, each in (("metrics", told), ("weighted_metrics", weighted)):
            if each and not isinstance(each, (list, tuple, dict)):
                raise ValueError(
                    f"Expected `{argument}` argument to be a list, tuple, or dict. "
                    f"Received instead: {argument}={each} of type {type(each)}"
                )
        self._told, self._names = ((told, False), (weighted, True)), names

    @property
    def metrics(self) -> list[Metric]:
        """The single metrics; empty before the first batch."""
        return [metric for _, group, _ in self._groups or () for metric in group]

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Update the metrics with a batch."""
        outputs = Outputs(y_pred, self._names)
        labels, samples = outputs.labels(y_true), outputs.weights(sample_weight)
        if self._groups is None:
            self._groups = [group for told, heeds in self._told for group in self._begin(told, heeds, labels, outputs)]
        for place, (_, group, heeds) in enumerate(self._groups):
            output = place % len(outputs.each)
            for metric in group if output < len(labels) else ():
                weights = samples[output] if heeds else None
                metric.update_state(labels[output], outputs.each[output], sample_weight=weights)

    def _begin(
        self, told: Any, heeds: bool, labels: list[Any], outputs: Outputs
    ) -> list[tuple[str | None, list[Metric], bool]]:
        count = len(outputs.each)
        names = outputs.names or [None] * count
        chosen: list[Any] | None
        if count == 1 or not told:
            chosen = [nest.flatten(told) if told else []] * count
        elif isinstance(told, dict):
            chosen = outputs.parts(told) if set(told) <= {*names} else None
        else:
            chosen = list(told) if len(told) == count else None
        if chosen is None:
            raise self._unlike(told, "weighted_metrics" if heeds else "metrics", outputs.given)
        pairs = zip(labels, outputs.each, strict=False)
        return [
            (None if count == 1 else name, [_metric(each, *pair) for each in _listed(group)], heeds)
            for name, group, pair in zip(names, chosen, pairs, strict=False)
        ]

    def _unlike(self, told: Any, argument: str, given: Any) -> ValueError:
        """The error of metrics in another structure than the outputs."""
        named = (
            f"either be a dict or a list matching the output names of the functional model {[*self._names]} or "
            if self._names
            else ""
        )
        return ValueError(
            f"{_difference(told, given)}\nInvalid `{argument}`. `{argument}` should contain metrics objects and {named}"
            f"match the output structure of the model: {nest.map_structure(lambda _: 'X', given)}.\n"
            f"Received: {argument}={told}"
        )

    def reset_state(self) -> None:
        """Reset the metrics."""
        for metric in self.metrics:
            metric.reset_state()

    def result(self) -> dict[str, Any]:
        """The metrics so far by name. Of equal names, a weighted metric's gets "weighted_", others get a number.

        Raises:
            ValueError: there was no batch yet.
        """
        if self._groups is None:
            raise ValueError("Cannot get result() since the metric has not yet been built.")
        results: dict[str, Any] = {}
        for begins, group, heeds in self._groups:
            for metric in group:
                name = f"{begins}_{metric.name}" if begins else metric.name
                if name in results and heeds:
                    name = f"{begins}_weighted_{metric.name}" if begins else f"weighted_{metric.name}"
                count, free = 0, name
                while free in results:
                    count += 1
                    free = f"{name}_{count}"
                results[free] = metric.result()
        return results


class AllMetrics:
    """Several metrics that are updated together; a `Mean` gets only the predictions."""

    def __init__(self, metrics: list[Metric]) -> None:
        self._metrics = metrics

    def update_state(self, y: Any, y_pred: Any, sample_weight: Any = None) -> None:
        for metric in self._metrics:
            values = (y_pred,) if isinstance(metric, Mean) else (y, y_pred)
            metric.update_state(*values, sample_weight=sample_weight)


def _difference(told: Any, outputs: Any) -> str:
    """In which way metrics have another structure than outputs, both of them lists, tuples or dicts.

    >>> _difference(["mae"], [1, 2])
    "tuple arity mismatch; expected: 2, got: 1; tuple: ('mae',)."
    """
    kinds = "dict, collections.OrderedDict, or collections.defaultdict" if isinstance(outputs, dict) else "tuple"
    told = _in_tuples(told)
    if isinstance(told, dict) is not isinstance(outputs, dict):
        return f"Expected an instance of {kinds}, got {told}."
    if not isinstance(told, dict):
        return f"tuple arity mismatch; expected: {len(outputs)}, got: {len(told)}; tuple: {told}."
    wanted, given = sorted(outputs), sorted(told)
    differing = {
        "missing": [each for each in wanted if each not in told],
        "extra": [each for each in given if each not in outputs],
    }
    said = "".join(f", {kind} key(s): {names}" for kind, names in differing.items() if names)
    return f"dictionary key mismatch; expected key(s): {wanted}, got key(s): {given}{said}; dict: {told}."


def _in_tuples(value: Any) -> Any:
    """A structure with tuples in place of lists."""
    if isinstance(value, dict):
        return {name: _in_tuples(each) for name, each in value.items()}
    return tuple(map(_in_tuples, value)) if isinstance(value, (list, tuple)) else value


def _metric(identifier: Any, y_true: Any, y_pred: Any) -> Metric:
    """A new metric for these labels and predictions, with the name by which it was given."""
    if str(identifier).lower() in ("accuracy", "acc"):
        return _ACCURACIES[kind_of_labels(y_true, y_pred)](name=identifier)
    found = metrics.get(identifier)
    if found is None:
        raise ValueError("Expected metric, received `None` in `metrics`.")
    if not isinstance(found, Metric):
        return MeanMetricWrapper(found, getattr(found, "name", None) or snake_case(found.__name__))
    if isinstance(identifier, str):
        found.name = identifier
    return found


def _listed(group: Any) -> list[Any]:
    return [] if group is None else list(group) if isinstance(group, (list, tuple)) else [group]
