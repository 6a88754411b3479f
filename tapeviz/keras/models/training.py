"""Data, a loss, an optimizer and metrics -> a trained model, its scores, its predictions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from tapeviz.data import Dataset
from tapeviz.engine import nest, random
from tapeviz.engine.building import building
from tapeviz.engine.function import Eagerly
from tapeviz.engine.recording import note
from tapeviz.engine.tape import GradientTape
from tapeviz.events.types import ReadOut
from tapeviz.keras import optimizers
from tapeviz.keras.call_signature import place_of_training
from tapeviz.keras.callbacks.base import History
from tapeviz.keras.callbacks.callback_list import CallbackList
from tapeviz.keras.callbacks.logs import Logs, numbers, read
from tapeviz.keras.layers.ownership import each_once
from tapeviz.keras.metrics import Mean, Metric
from tapeviz.keras.models.batches import Batches, one_batch, unpacked
from tapeviz.keras.models.compiled import AllMetrics, CompileLoss, CompileMetrics
from tapeviz.keras.models.saving import Unsaved
from tapeviz.keras.variable import Variable


class Trainer(Unsaved):
    """The part of a model that learns: `compile`, `fit`, `evaluate`, `predict`, and the steps they are made of."""

    optimizer: Any
    run_eagerly = False
    _told_loss_: CompileLoss | None = None
    _told_metrics_: CompileMetrics | None = None
    loss: Any = None
    compiled = False
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
        """Say how to learn.

        Args:
            optimizer: a name or an optimizer.
            loss: a name, a function or a loss; for several outputs, a list or dict of one for each.
            loss_weights: how much each of several losses counts.
            metrics: a list of names, functions or metrics; for several outputs, a list or dict of one or more for each.
            weighted_metrics: metrics that heed the samples' weights, in the same way.

        Raises:
            ValueError: there is no optimizer of a name, or metrics that are no list or dict; losses and metrics are
                looked up when they are first used.
        """
        self.optimizer = optimizers.get(optimizer)
        names = getattr(self, "output_names", None)
        if loss is not None:
            self._told_loss_ = CompileLoss(loss, loss_weights, names)
            self.loss = loss
        if metrics is not None or weighted_metrics is not None:
            vars(self)["_told_metrics_"] = CompileMetrics(metrics, weighted_metrics, names)
        vars(self).pop("_trained_", None)
        vars(self)["_tracker"] = Mean("loss")  # neither is held: they come when it is built, and anew at each `compile`
        vars(self)["_graphs_"] = {}
        self.stop_training = False
        self.run_eagerly = run_eagerly
        self.compiled = True

    @property
    def metrics(self) -> list[Metric]:
        """The loss so far, the metrics of `compile` as one, the losses of several outputs, those in its attributes and
        those of its layers, each once; of a model inside, not what that keeps for itself."""
        own = [*self._held_.metrics, *self._metrics_below_()]  # type: ignore[attr-defined]
        if not self.compiled:
            return each_once(own)
        scores = [] if self._told_metrics_ is None else [self._told_metrics_]
        parts = () if self._told_loss_ is None else self._told_loss_.trackers
        return each_once([self._tracker, *scores, *parts, *own])

    def _metrics_below_(self) -> Iterator[Metric]:
        for layer in self._sublayers_:  # type: ignore[attr-defined]
            yield from layer._metrics_below_() if isinstance(layer, Trainer) else layer.metrics

    @property
    def metrics_names(self) -> list[str]:
        """The names of `metrics`."""
        return [metric.name for metric in self.metrics]

    # ----- one batch; a subclass may say it otherwise -----

    def compute_loss(
        self, x: Any = None, y: Any = None, y_pred: Any = None, sample_weight: Any = None, training: bool = True
    ) -> Any:
        """The loss of a batch, with the terms that layers added.

        Raises:
            ValueError: no loss was compiled and no layer added one.
        """
        terms = list(self.losses)  # type: ignore[attr-defined]
        told = None if self._told_loss_ is None or y is None else self._told_loss_(y, y_pred, sample_weight)
        if told is not None:
            terms.insert(0, told)
        if not terms:
            raise ValueError(
                "No loss to compute. Provide a `loss` argument in `compile()`, or add losses in a layer's `call`."
            )
        return sum(terms[1:], terms[0])

    def train_step(self, data: Any) -> Logs:
        """Learn from a batch `(x, y)` or `(x, y, sample_weight)`. Returns the metrics so far."""
        x, y, weight = unpacked(data)
        with GradientTape() as tape:
            y_pred = self._called_(x, True)
            loss = self.compute_loss(x, y, y_pred, weight)
            scaled = self.optimizer.scale_loss(loss)
        variables = self._learning_()
        self.optimizer.apply(tape.gradient(scaled, variables), variables)
        return self._scored_(loss, x, y, y_pred, weight)

    def _learning_(self) -> list[Variable]:
        """What is trained: as in Keras, whose step is a graph, what was to be at the first step since `compile`."""
        now: list[Variable] = self.trainable_variables  # type: ignore[attr-defined]
        return now if self.run_eagerly else vars(self).setdefault("_trained_", now)

    def test_step(self, data: Any) -> Logs:
        """Score a batch. Returns the metrics so far."""
        x, y, weight = unpacked(data)
        y_pred = self._called_(x, False)
        return self._scored_(self.compute_loss(x, y, y_pred, weight, False), x, y, y_pred, weight)

    def predict_step(self, data: Any) -> Any:
        """The outputs for a batch."""
        return self._called_(unpacked(data)[0], False)

    def _called_(self, x: Any, training: bool) -> Any:
        """What it makes of a batch; where its `call` takes no `training`, its layers are not told either."""
        takes = place_of_training(type(self).call) is not None  # type: ignore[attr-defined]
        return self(x, **{"training": training} if takes else {})  # type: ignore[operator]

    def compute_metrics(self, x: Any, y: Any, y_pred: Any, sample_weight: Any = None) -> Logs:
        """Take a batch into the metrics of `compile`. Returns all metrics so far."""
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
        """What `compute_loss` was once called."""
        return self.compute_loss(None, y, y_pred, sample_weight)

    @property
    def compiled_metrics(self) -> AllMetrics:
        """Something whose `update_state` takes a batch into all metrics, as models once had it."""
        return AllMetrics(self.metrics)

    def _scored_(self, loss: Any, x: Any, y: Any, y_pred: Any, weight: Any) -> Logs:
        examples = next(each for each in nest.flatten(x) if each is not None).shape[0]
        self._tracker.update_state(loss, sample_weight=np.float32(examples))
        return self.compute_metrics(x, y, y_pred, weight)

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
        callbacks: Any = None,
        validation_split: float = 0.0,
        validation_data: Any = None,
        shuffle: bool = True,
        class_weight: Any = None,
        sample_weight: Any = None,
        initial_epoch: int = 0,
        steps_per_epoch: int | None = None,
        validation_steps: int | None = None,
        validation_batch_size: int | None = None,
        validation_freq: int = 1,
    ) -> History:
        """Learn from arrays or a dataset, `epochs` times over, while callbacks hear of it.

        With `steps_per_epoch`, an epoch is of so many batches, and the next one goes on where it ends; with
        `validation_steps`, the first so many are looked at, of `validation_batch_size` examples if told. With
        `class_weight`, a dict from the numbers of classes, examples count by their class, those of validation apart.

        Raises:
            ValueError: it was not compiled, or arrays of different lengths; or weights of classes and of examples.
        """
        self._require_compiled_()
        data, held = Batches(x, y, sample_weight, batch_size, steps_per_epoch), None
        size = validation_batch_size or batch_size
        if validation_split:
            data, held = data.split(validation_split, (batch_size, steps_per_epoch), (size, validation_steps))
        elif validation_data is not None:
            held = Batches(*_triple(validation_data), size, validation_steps)
        data = data.weighed(class_weight)
        steps = steps_per_epoch or data.steps or None
        hooks = self._hooks_(callbacks, True, verbose=verbose, epochs=epochs, steps=steps)
        self.stop_training = False
        logs: Logs = {}
        hooks.tell("on_train_begin")
        for epoch in range(initial_epoch, epochs):
            self.reset_metrics()
            hooks.tell("on_epoch_begin", epoch)
            logs = self._reported_(self._over_(data.read(shuffle, steps_per_epoch), "train", hooks))
            if held is not None and (epoch + 1) % validation_freq == 0:
                scores = self._tested_(held.first(validation_steps), hooks)
                logs |= {f"val_{name}": value for name, value in scores.items()}
            hooks.tell("on_epoch_end", epoch, logs=logs)
            if self.stop_training:
                break
        if epochs > 0:
            self.optimizer.finalize_variable_values(self.trainable_variables)  # type: ignore[attr-defined]
        hooks.tell("on_train_end", logs=logs)
        history: History = self.history  # type: ignore[attr-defined]
        return history

    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        verbose: Any = "auto",
        sample_weight: Any = None,
        steps: int | None = None,
        callbacks: Any = None,
        return_dict: bool = False,
    ) -> Any:
        """The loss, or the loss and the metrics, over arrays or a dataset, or over their first `steps` batches.

        Raises:
            ValueError: it was not compiled, or arrays of different lengths.
        """
        self._require_compiled_()
        data = Batches(x, y, sample_weight, batch_size, steps)
        hooks = self._hooks_(callbacks, verbose=verbose, epochs=1, steps=steps or data.steps or None)
        logs = self._tested_(data.first(steps), hooks)
        return logs if return_dict else self._flat_(logs)

    def predict(
        self,
        x: Any,
        batch_size: int | None = None,
        verbose: Any = "auto",
        steps: int | None = None,
        callbacks: Any = None,
    ) -> Any:
        """The outputs for arrays or a dataset, or their first `steps` batches, as one array.

        What is computed from it has no gradient.
        """
        data, outputs = Batches(x, None, None, batch_size, steps), []
        hooks = self._hooks_(callbacks, verbose=verbose, epochs=1, steps=steps or data.steps or None)
        self.stop_predicting = False
        hooks.tell("on_predict_begin")
        for place, batch in enumerate(data.first(steps)):
            hooks.tell("on_predict_batch_begin", place)
            outputs.append(self._outputs_(batch))
            hooks.tell("on_predict_batch_end", place, logs={"outputs": outputs[-1]})
            if self.stop_predicting:
                break
        hooks.tell("on_predict_end")
        return nest.map_structure(lambda *parts: np.concatenate(parts), *outputs)

    def train_on_batch(
        self, x: Any, y: Any = None, sample_weight: Any = None, class_weight: Any = None, return_dict: bool = False
    ) -> Any:
        """Learn from one batch."""
        self._require_compiled_()
        return self._once_("train", one_batch(x, y, sample_weight, class_weight), return_dict)

    def test_on_batch(self, x: Any, y: Any = None, sample_weight: Any = None, return_dict: bool = False) -> Any:
        """Score one batch."""
        self._require_compiled_()
        return self._once_("test", one_batch(x, y, sample_weight), return_dict)

    def predict_on_batch(self, x: Any) -> Any:
        """The outputs for one batch, as an array: what is computed from it has no gradient."""
        batch = one_batch(x)
        return self._outputs_(batch, batch)

    def _outputs_(self, batch: Any, like: Any = None) -> Any:
        with self._as_it_runs_("predict", batch, like):
            outputs = self.predict_step(batch)
        return nest.map_structure(_read_out, outputs)

    def _once_(self, kind: str, batch: Any, return_dict: bool) -> Any:
        self.reset_metrics()
        with self._as_it_runs_(kind, batch, batch):
            found = self._step_(kind)(batch)
        logs = numbers(found)
        return logs if return_dict else self._flat_(logs)

    def _flat_(self, logs: dict[str, float]) -> Any:
        """The loss, or a list of the loss and the metrics in their order."""
        parts = ([*each.metrics] if isinstance(each, CompileMetrics) else [each] for each in self.metrics)
        known = [metric.name for group in parts for metric in group]
        values = [logs[name] for name in known if name in logs]
        values += [logs[name] for name in sorted(logs) if name not in known]
        return values[0] if len(values) == 1 else values

    def _hooks_(self, callbacks: Any, add_history: bool = False, **params: Any) -> CallbackList:
        if isinstance(callbacks, CallbackList):
            return callbacks
        return CallbackList(callbacks, add_history, bool(params["verbose"]), model=self, **params)

    def _tested_(self, batches: Iterator[Any], hooks: CallbackList) -> Logs:
        """The scores over some batches."""
        self.reset_metrics()
        self.stop_evaluating = False
        hooks.tell("on_test_begin")
        logs = numbers(self._reported_(self._over_(batches, "test", hooks)))
        hooks.tell("on_test_end", logs=logs)
        return logs

    def _step_(self, kind: str) -> Callable[[Any], Any]:
        return self.train_step if kind == "train" else self.test_step

    def _reported_(self, logs: Logs) -> Logs:
        """The logs of the last step; the metrics of the model itself, if they are called the same."""
        own = self.get_metrics_result()
        return logs if logs and logs.keys() != own.keys() else read(own)

    def _over_(self, batches: Iterator[Any], kind: str, hooks: CallbackList) -> Logs:
        """The last logs of `train_step` or `test_step` over some batches, until a callback stops it."""
        step, stop = self._step_(kind), "stop_training" if kind == "train" else "stop_evaluating"
        logs: Logs = {}
        for place, batch in enumerate(batches):
            hooks.tell(f"on_{kind}_batch_begin", place)
            with self._as_it_runs_(kind, batch):
                logs = step(batch)
            hooks.tell(f"on_{kind}_batch_end", place, logs=logs)
            if getattr(self, stop):
                break
        return read(logs)

    @contextmanager
    def _as_it_runs_(self, kind: str, batch: Any, alike: Any = None) -> Iterator[None]:
        """Mistakes are raised and random numbers drawn as in the graph that Keras makes of a kind of step.

        That is one for any batch, or one for those like `alike`; none if the step is to run eagerly.
        """
        if self.run_eagerly or Eagerly.chosen:
            yield
            return
        graphs = vars(self).setdefault("_graphs_", {})
        like = (kind, *[None if each is None else tuple(each.shape) for each in nest.flatten(alike)])
        graph = graphs.setdefault(like, random.GraphSeeds(random.Seeds.chosen))
        with building(batch, rewritten=False), random.in_run_apart(graph):
            yield

    def _require_compiled_(self) -> None:
        if not self.compiled:
            raise ValueError("You must call `compile()` before using the model.")


def _read_out(prediction: Any) -> Any:
    note(ReadOut, None, prediction._id, None, ".predict()")
    return prediction._value


def _triple(data: Any) -> tuple[Any, Any, Any]:
    return (data, None, None) if isinstance(data, Dataset) else unpacked(data)
