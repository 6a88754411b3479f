"""The arguments of `compile`, and a batch -> its loss, the gradients, and the metrics so far."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.notes import note_name
from tapeviz.engine.tape import GradientTape
from tapeviz.tf.keras import optimizers
from tapeviz.tf.keras.call_signature import parameters, place_of_training
from tapeviz.tf.keras.callbacks.logs import Logs
from tapeviz.tf.keras.layers.base.layer import Layer
from tapeviz.tf.keras.layers.base.ownership import each_once
from tapeviz.tf.keras.metrics import Mean, Metric
from tapeviz.tf.keras.models.batches import unpacked
from tapeviz.tf.keras.models.compile_loss import CompileLoss
from tapeviz.tf.keras.models.compile_metrics import AllMetrics, CompileMetrics
from tapeviz.tf.keras.models.saving import Unsaved
from tapeviz.tf.keras.serialization import deserialized, serialized
from tapeviz.tf.keras.variable import Variable


class Steps(Unsaved, Layer):
    """The part of a model that defines a step of training, evaluation and prediction; subclasses may override it."""

    optimizer: Any
    run_eagerly = False
    steps_per_execution = 1
    _told_loss_: CompileLoss | None = None
    _told_metrics_: CompileMetrics | None = None
    loss: Any = None
    compiled = False
    _told_: dict[str, Any]
    _tracker: Mean

    def compile(
        self,
        optimizer: Any = "rmsprop",
        loss: Any = None,
        loss_weights: Any = None,
        metrics: Any = None,
        weighted_metrics: Any = None,
        run_eagerly: bool = False,
        steps_per_execution: int = 1,
        jit_compile: Any = "auto",
        auto_scale_loss: bool = True,
    ) -> None:
        """Choose how the model is trained.

        Args:
            optimizer: a name or an optimizer.
            loss: a name, a function or a loss; for several outputs, a list or dict with one for each.
            loss_weights: the factors of several losses in their sum.
            metrics: a list of names, functions or metrics; for several outputs, a list or dict with one or more each.
            weighted_metrics: metrics that take sample weights into account, given like `metrics`.
            steps_per_execution: how many batches are run between two calls of the batch hooks of callbacks.

        Raises:
            ValueError: an unknown optimizer, or metrics that are not a list or dict. Losses and metrics are looked up
                when they are first used.
        """
        self.optimizer = optimizers.get(optimizer)
        names = getattr(self, "output_names", None)
        if loss is not None:
            self._told_loss_ = CompileLoss(loss, loss_weights, names)
            self.loss = loss
        if metrics is not None or weighted_metrics is not None:
            vars(self)["_told_metrics_"] = CompileMetrics(metrics, weighted_metrics, names)
        vars(self).pop("_trained_", None)
        # `vars`: attributes set the usual way would be tracked as parts of the layer.
        vars(self)["_tracker"] = Mean("loss")
        vars(self)["_graphs_"], vars(self)["_seen_"] = {}, {}
        vars(self)["_told_"] = {
            "optimizer": self.optimizer,
            "loss": loss,
            "loss_weights": loss_weights,
            "metrics": metrics,
            "weighted_metrics": weighted_metrics,
            "run_eagerly": run_eagerly,
            "steps_per_execution": steps_per_execution,
            "jit_compile": False if jit_compile == "auto" else jit_compile,
        }
        self.stop_training = False
        self.run_eagerly, self.steps_per_execution = run_eagerly, steps_per_execution
        self.compiled = True

    def get_compile_config(self) -> dict[str, Any]:
        """The arguments of `compile` as plain values; empty if the model was not compiled."""
        return serialized(self._told_) if self.compiled else {}

    def compile_from_config(self, config: dict[str, Any]) -> None:
        """Compile the model with the config that another model's `get_compile_config` returned."""
        if type(self).compile is not Steps.compile:
            warnings.warn(
                "`compile()` was not called as part of model loading because the model's `compile()` method is custom. "
                "Override `get_compile_config()` and `compile_from_config(config)`, or call `compile()` yourself.",
                stacklevel=2,
            )
            return
        self.compile(**deserialized(config))
        if self.built:
            self.optimizer.build(self.trainable_variables)

    @property
    def metrics(self) -> list[Metric]:
        """All metrics, each once.

        First the mean loss, the metrics of `compile` as one metric, and the losses of several outputs; then those in
        attributes of the model and of its layers. Of a model inside this one, those of its own `compile` are left out.
        """
        own = [*self._held_.metrics, *self._metrics_below_()]
        if not self.compiled:
            return each_once(own)
        scores = [] if self._told_metrics_ is None else [self._told_metrics_]
        parts = () if self._told_loss_ is None else self._told_loss_.trackers
        return each_once([self._tracker, *scores, *parts, *own])

    def _metrics_below_(self) -> Iterator[Metric]:
        for layer in self._sublayers_:
            yield from layer._metrics_below_() if isinstance(layer, Steps) else layer.metrics

    @property
    def metrics_names(self) -> list[str]:
        """The names of `metrics`."""
        return [metric.name for metric in self.metrics]

    # ----- one batch -----

    def compute_loss(
        self, x: Any = None, y: Any = None, y_pred: Any = None, sample_weight: Any = None, training: bool = True
    ) -> Any:
        """The loss of a batch, including the losses that layers added.

        Raises:
            ValueError: `compile` was given no loss and no layer added one.
        """
        terms = list(self.losses)
        told = None if self._told_loss_ is None else self._told_loss_(y, y_pred, sample_weight)
        if told is not None:
            terms.insert(0, told)
        if not terms:
            raise ValueError(
                "No loss to compute. Provide a `loss` argument in `compile()`. Or add losses in a layer's `call`."
            )
        return sum(terms[1:], terms[0])

    def train_step(self, data: Any) -> Logs:
        """Train on a batch `(x, y)` or `(x, y, sample_weight)`, and return the metrics so far."""
        x, y, weight = unpacked(data)
        with GradientTape() as tape:
            y_pred = self._called_(x, True)
            loss = self._loss_of_(x, y, y_pred, weight, True)
            scaled = self.optimizer.scale_loss(loss)
            note_name(scaled, "loss")
        variables = self._variables_to_train_()
        self.optimizer.apply(tape.gradient(scaled, variables), variables)
        return self._scored_(loss, x, y, y_pred, weight)

    def _loss_of_(self, x: Any, y: Any, y_pred: Any, weight: Any, training: bool) -> Any:
        """The loss of a batch. `training` is passed only to a `compute_loss` that takes it."""
        told = {"training": training} if "training" in parameters(type(self).compute_loss) else {}
        return self.compute_loss(x, y, y_pred, weight, **told)

    def _variables_to_train_(self) -> list[Variable]:
        """The variables that a step changes.

        As in Keras, whose step is a graph, these are the ones that were trainable at the first step since `compile`.
        """
        now: list[Variable] = self.trainable_variables
        return now if self.run_eagerly else vars(self).setdefault("_trained_", now)

    def test_step(self, data: Any) -> Logs:
        """Evaluate the model on a batch, and return the metrics so far."""
        x, y, weight = unpacked(data)
        y_pred = self._called_(x, False)
        return self._scored_(self._loss_of_(x, y, y_pred, weight, False), x, y, y_pred, weight)

    def predict_step(self, data: Any) -> Any:
        """The outputs for a batch."""
        return self._called_(unpacked(data)[0], False)

    def _called_(self, x: Any, training: bool) -> Any:
        """The outputs for a batch. `training` is passed only to a `call` that takes it; else layers do not get it."""
        takes = place_of_training(type(self).call) is not None
        return self(x, **{"training": training} if takes else {})

    def compute_metrics(self, x: Any, y: Any, y_pred: Any, sample_weight: Any = None) -> Logs:
        """Update the metrics of `compile` with a batch, and return all metrics so far."""
        if self._told_metrics_ is not None:
            self._told_metrics_.update_state(y, y_pred, sample_weight)
        return self.get_metrics_result()

    def get_metrics_result(self) -> Logs:
        """All metrics so far, by name."""
        results: Logs = {}
        for metric in self.metrics:
            found = metric.result()
            results |= found if isinstance(found, dict) else {metric.name: found}
        return results

    def compiled_loss(self, y: Any, y_pred: Any, sample_weight: Any = None, regularization_losses: Any = None) -> Any:
        """The former name of `compute_loss`."""
        return self.compute_loss(None, y, y_pred, sample_weight)

    @property
    def compiled_metrics(self) -> AllMetrics:
        """An object whose `update_state` updates all metrics with a batch; older versions of Keras had it."""
        return AllMetrics(self.metrics)

    def _scored_(self, loss: Any, x: Any, y: Any, y_pred: Any, weight: Any) -> Logs:
        examples = next(each for each in nest.flatten(x) if each is not None).shape[0]
        self._tracker.update_state(loss, sample_weight=np.float32(examples))
        return self.compute_metrics(x, y, y_pred, weight)

    def reset_metrics(self) -> None:
        """Reset all metrics."""
        for metric in self.metrics:
            metric.reset_state()
