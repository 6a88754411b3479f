"""Data, a loss, an optimizer and metrics -> a trained model, its scores, its predictions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from tapeviz.data import Dataset
from tapeviz.engine import nest
from tapeviz.engine.function import Eagerly
from tapeviz.engine.recording import note
from tapeviz.engine.tape import GradientTape
from tapeviz.errors import as_in_graph
from tapeviz.events.types import ReadOut
from tapeviz.keras import losses, metrics, optimizers
from tapeviz.keras.losses.classes import Loss, LossFunction
from tapeviz.keras.metrics import Mean, Metric
from tapeviz.keras.models.batches import Batches, unpacked

Logs = dict[str, Any]


class History:
    """What `fit` saw: `history` has a list per number, `epoch` the epochs, `params` the options."""

    def __init__(self, model: Any, params: dict[str, Any]) -> None:
        self.model = model
        self.params = params
        self.history: dict[str, list[float]] = {}
        self.epoch: list[int] = []

    def add(self, epoch: int, logs: dict[str, float]) -> None:
        """The numbers of one epoch."""
        self.epoch.append(epoch)
        for name, value in logs.items():
            self.history.setdefault(name, []).append(value)


class Trainer:
    """The part of a model that learns: `compile`, `fit`, `evaluate`, `predict`, and the steps they are made of."""

    optimizer: Any = None
    _loss: Loss | None = None
    _compiled = False
    _tracker: Mean
    _scores: list[Metric]

    def compile(
        self,
        optimizer: Any = "rmsprop",
        loss: Any = None,
        loss_weights: None = None,
        metrics: Any = None,
        weighted_metrics: None = None,
        run_eagerly: bool = False,
        steps_per_execution: int = 1,
        jit_compile: Any = "auto",
        auto_scale_loss: bool = True,
    ) -> None:
        """Say how to learn: each argument is a name or an object; `metrics` is a list of them.

        Raises:
            ValueError: there is no optimizer, loss or metric of a name; or weights for the losses of several outputs,
                or for metrics.
        """
        if weighted_metrics:
            raise ValueError("`weighted_metrics` are not told here: name the metrics in `metrics=...`.")
        if loss_weights is not None:
            raise ValueError("`loss_weights` are for several losses; one `loss` is what there is. Name `metrics=...`.")
        self.optimizer = optimizers.get(optimizer)
        found = losses.get(loss)
        called = getattr(found, "__name__", None)
        self._loss = found if found is None or isinstance(found, Loss) else LossFunction(found, called)
        self._tracker = Mean("loss")
        self._scores = _metrics(metrics)
        self._eagerly = run_eagerly
        self._compiled = True

    @property
    def metrics(self) -> list[Metric]:
        """The loss so far, the metrics of `compile`, and those in its attributes."""
        own = [each for name, each in vars(self).items() if isinstance(each, Metric) and name != "_tracker"]
        return [self._tracker, *self._scores, *own] if self._compiled else own

    # ----- one batch; a subclass may say it otherwise -----

    def compute_loss(
        self, x: Any = None, y: Any = None, y_pred: Any = None, sample_weight: Any = None, training: bool = True
    ) -> Any:
        """The loss of a batch, with the terms that layers added.

        Raises:
            ValueError: no loss was compiled and no layer added one.
        """
        terms = list(self.losses)  # type: ignore[attr-defined]
        if self._loss is not None and y is not None:
            terms.insert(0, self._loss(y, y_pred, sample_weight))
        if not terms:
            raise ValueError(
                "No loss to compute. Provide a `loss` argument in `compile()`, or add losses in a layer's `call`."
            )
        return sum(terms[1:], terms[0])

    def train_step(self, data: Any) -> Logs:
        """Learn from a batch `(x, y)` or `(x, y, sample_weight)`. Returns the metrics so far."""
        x, y, weight = unpacked(data)
        with GradientTape() as tape:
            y_pred = self(x, training=True)  # type: ignore[operator]
            loss = self.compute_loss(x, y, y_pred, weight)
        variables = self.trainable_variables  # type: ignore[attr-defined]
        self.optimizer.apply(tape.gradient(loss, variables), variables)
        return self._scored(loss, y, y_pred, weight)

    def test_step(self, data: Any) -> Logs:
        """Score a batch. Returns the metrics so far."""
        x, y, weight = unpacked(data)
        y_pred = self(x, training=False)  # type: ignore[operator]
        return self._scored(self.compute_loss(x, y, y_pred, weight, False), y, y_pred, weight)

    def compute_metrics(self, x: Any, y: Any, y_pred: Any, sample_weight: Any = None) -> Logs:
        """Take a batch into the metrics of `compile`. Returns all metrics so far."""
        for metric in self._scores:
            metric.update_state(y, y_pred)
        return self.get_metrics_result()

    def get_metrics_result(self) -> Logs:
        """All metrics so far, by name."""
        return {metric.name: metric.result() for metric in self.metrics}

    def _scored(self, loss: Any, y: Any, y_pred: Any, weight: Any) -> Logs:
        self._tracker.update_state(loss, sample_weight=np.float32(y_pred.shape[0]))
        return self.compute_metrics(None, y, y_pred, weight)

    def reset_metrics(self) -> None:
        """Forget the batches so far."""
        for metric in self.metrics:
            metric.reset_state()

    # ----- all of them -----

    def fit(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        epochs: int = 1,
        verbose: Any = "auto",
        validation_split: float = 0.0,
        validation_data: Any = None,
        shuffle: bool = True,
        sample_weight: Any = None,
        initial_epoch: int = 0,
        steps_per_epoch: int | None = None,
    ) -> History:
        """Learn from arrays or a dataset, `epochs` times over.

        Raises:
            ValueError: it was not compiled, or arrays of different lengths.
        """
        self._require_compiled()
        data, held = Batches(x, y, sample_weight, batch_size), None
        if validation_split:
            data, held = data.split(validation_split)
        elif validation_data is not None:
            held = Batches(*_triple(validation_data), batch_size)
        shown = 0 if verbose == 0 else epochs
        history = History(self, {"verbose": verbose, "epochs": epochs, "steps": steps_per_epoch or data.steps})
        for epoch in range(initial_epoch, epochs):
            self.reset_metrics()
            logs = self._over(data.read(shuffle, steps_per_epoch), self.train_step)
            if held is not None:
                self.reset_metrics()
                scores = self._over(held.read(), self.test_step)
                logs |= {f"val_{name}": value for name, value in scores.items()}
            history.add(epoch, logs)
            if shown:
                print(f"Epoch {epoch + 1}/{epochs}\n{_line(data.steps, logs)}")
        return history

    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        verbose: Any = "auto",
        sample_weight: Any = None,
        return_dict: bool = False,
    ) -> Any:
        """The loss, or the loss and the metrics, over arrays or a dataset.

        Raises:
            ValueError: it was not compiled, or arrays of different lengths.
        """
        self._require_compiled()
        data = Batches(x, y, sample_weight, batch_size)
        self.reset_metrics()
        logs = self._over(data.read(), self.test_step)
        if verbose:
            print(_line(data.steps, logs))
        return logs if return_dict else self._flat(logs)

    def predict(self, x: Any, batch_size: int | None = None, verbose: Any = "auto") -> Any:
        """The outputs for arrays or a dataset, as one array: what is computed from it has no gradient."""
        outputs = [self._outputs(batch) for batch in Batches(x, None, None, batch_size).read()]
        return nest.map_structure(lambda *parts: np.concatenate(parts), *outputs)

    def train_on_batch(self, x: Any, y: Any = None, sample_weight: Any = None, return_dict: bool = False) -> Any:
        """Learn from one batch."""
        return self._once(self.train_step, Batches(x, y, sample_weight, None).whole(), return_dict)

    def test_on_batch(self, x: Any, y: Any = None, sample_weight: Any = None, return_dict: bool = False) -> Any:
        """Score one batch."""
        return self._once(self.test_step, Batches(x, y, sample_weight, None).whole(), return_dict)

    def predict_on_batch(self, x: Any) -> Any:
        """The outputs for one batch, as an array: what is computed from it has no gradient."""
        return self._outputs(Batches(x, None, None, None).whole())

    def _outputs(self, batch: Any) -> Any:
        return nest.map_structure(_read_out, self(unpacked(batch)[0], training=False))  # type: ignore[operator]

    def _once(self, step: Any, batch: Any, return_dict: bool) -> Any:
        self._require_compiled()
        self.reset_metrics()
        with self._as_it_runs():
            logs = _numbers(step(batch))
        return logs if return_dict else self._flat(logs)

    def _flat(self, logs: dict[str, float]) -> Any:
        """The loss, or a list of the loss and the metrics in their order."""
        values = [logs.pop(metric.name) for metric in self.metrics if metric.name in logs]
        values += logs.values()
        return values[0] if len(values) == 1 else values

    def _over(self, batches: Iterator[Any], step: Any) -> dict[str, float]:
        logs: Logs = {}
        with self._as_it_runs():
            for batch in batches:
                logs = step(batch)
        return _numbers(logs)

    def _as_it_runs(self) -> AbstractContextManager[None]:
        """Mistakes are raised as in the graph that Keras makes of a step, unless it is to run eagerly."""
        return nullcontext() if self._eagerly or Eagerly.chosen else as_in_graph()

    def _require_compiled(self) -> None:
        if not self._compiled:
            raise ValueError("You must call `compile()` before using the model.")


def _read_out(prediction: Any) -> Any:
    note(ReadOut, None, prediction._id, None, ".predict()")
    return prediction._value


def _metrics(given: Any) -> list[Metric]:
    return [metrics.get(each) for each in (given if isinstance(given, (list, tuple)) else [given] if given else [])]


def _triple(data: Any) -> tuple[Any, Any, Any]:
    return (data, None, None) if isinstance(data, Dataset) else unpacked(data)


def _numbers(logs: Logs) -> dict[str, float]:
    return {name: float(value) for name, value in sorted(logs.items())}


def _line(steps: int, logs: dict[str, float]) -> str:
    return " - ".join([f"{steps}/{steps}", *(f"{name}: {value:.4f}" for name, value in logs.items())])
