"""Data -> a trained model, its scores, its predictions: step by step, with callbacks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import cache, partial
from itertools import count, islice
from typing import Any

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.graph_mode.building import building
from tapeviz.engine.notes import note
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.events.types import ReadOut
from tapeviz.tf import random_state
from tapeviz.tf.data import Dataset
from tapeviz.tf.keras.callbacks.base import History
from tapeviz.tf.keras.callbacks.callback_list import CallbackList
from tapeviz.tf.keras.callbacks.logs import Logs, numbers, read
from tapeviz.tf.keras.models.batch_shapes import as_met, shapes_of, widened
from tapeviz.tf.keras.models.batches import Batches, one_batch, unpacked
from tapeviz.tf.keras.models.compile_metrics import CompileMetrics
from tapeviz.tf.keras.models.step_graphs import changed_by_training, named, open_shapes, unchanged_on_error
from tapeviz.tf.keras.models.steps import Steps
from tapeviz.tf.keras.optimizers import Optimizer
from tapeviz.tf.keras.symbolic import of_any_number
from tapeviz.tf.tracing.function import Eagerly


class Trainer(Steps):
    """The part of a model with `fit`, `evaluate`, `predict`, and their counterparts for a single batch."""

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
        """Train on arrays or a dataset for a number of epochs, and call the hooks of callbacks meanwhile.

        With `steps_per_epoch`, an epoch has so many batches, and the next one continues where it ends. With
        `validation_steps`, validation uses only the first batches; `validation_batch_size` is their size.
        `class_weight` is a dict from class numbers to the weights of their examples in training.

        Raises:
            ValueError: the model was not compiled, arrays have different lengths, or there are weights of both classes
                and examples.
        """
        self._require_compiled_()
        data = Batches(x, y, sample_weight, batch_size, steps_per_epoch)
        size = validation_batch_size or batch_size
        held: Callable[[], Batches] | None = None  # called when it is wanted, after an epoch
        if validation_data is not None:
            held = cache(partial(Batches, *_triple(validation_data), size, validation_steps))
        elif validation_split:
            parts = data.split(validation_split, (batch_size, steps_per_epoch), (size, validation_steps))
            data, held = parts[0], lambda: parts[1]
        data = data.weighed(class_weight)
        steps = steps_per_epoch or data.steps or None
        hooks = self._hooks_(callbacks, True, verbose=verbose, epochs=epochs, steps=steps)
        self.stop_training = False
        logs: Logs = {}
        hooks.tell("on_train_begin")
        for epoch in range(initial_epoch, epochs):
            self.reset_metrics()
            hooks.tell("on_epoch_begin", epoch)
            logs = self._reported_(
                self._over_(data, data.read(shuffle, self._rounded_up_(steps_per_epoch)), "train", hooks)
            )
            if held is not None and (epoch + 1) % validation_freq == 0:
                scores = self._tested_(held(), validation_steps, hooks)
                logs |= {f"val_{name}": value for name, value in scores.items()}
            hooks.tell("on_epoch_end", epoch, logs=logs)
            if self.stop_training:
                break
        if epochs > 0 and isinstance(self.optimizer, Optimizer):
            self.optimizer.finalize_variable_values(self.trainable_variables)
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
        """The loss, or the loss and the metrics, on arrays or a dataset, or on its first `steps` batches.

        Raises:
            ValueError: the model was not compiled, or arrays have different lengths.
        """
        self._require_compiled_()
        data = Batches(x, y, sample_weight, batch_size, steps)
        hooks = self._hooks_(callbacks, verbose=verbose, epochs=1, steps=steps or data.steps or None)
        logs = self._tested_(data, steps, hooks)
        return logs if return_dict else self._flat_(logs)

    def predict(
        self,
        x: Any,
        batch_size: int | None = None,
        verbose: Any = "auto",
        steps: int | None = None,
        callbacks: Any = None,
    ) -> Any:
        """The outputs for arrays or a dataset, or for its first `steps` batches, as one array.

        Gradients do not flow through arrays.
        """
        _read_out(x)
        data, outputs = Batches(x, None, None, batch_size, steps), []
        hooks = self._hooks_(callbacks, verbose=verbose, epochs=1, steps=steps or data.steps or None)
        self.stop_predicting = False
        hooks.tell("on_predict_begin")
        for begin, end, batches in self._executions_(data.first(self._rounded_up_(steps))):
            hooks.tell("on_predict_batch_begin", begin)
            outputs.append(_joined([self._outputs_(batch) for batch in batches]))
            hooks.tell("on_predict_batch_end", end, logs={"outputs": outputs[-1]})
            if self.stop_predicting:
                break
        hooks.tell("on_predict_end")
        return _joined(outputs)

    def train_on_batch(
        self, x: Any, y: Any = None, sample_weight: Any = None, class_weight: Any = None, return_dict: bool = False
    ) -> Any:
        """Train on one batch."""
        self._require_compiled_()
        return self._once_("train", one_batch(x, y, sample_weight, class_weight), return_dict)

    def test_on_batch(self, x: Any, y: Any = None, sample_weight: Any = None, return_dict: bool = False) -> Any:
        """Evaluate the model on one batch."""
        self._require_compiled_()
        return self._once_("test", one_batch(x, y, sample_weight), return_dict)

    def predict_on_batch(self, x: Any) -> Any:
        """The outputs for one batch as an array, through which gradients do not flow."""
        _read_out(x)
        batch = one_batch(x)
        return self._outputs_(batch, batch)

    def _outputs_(self, batch: Any, like: Any = None) -> Any:
        with self._as_graph_("predict", batch, like):
            outputs = self.predict_step(batch)
        _read_out(outputs)
        return nest.map_structure(lambda each: each._value, outputs)

    def _once_(self, kind: str, batch: Any, return_dict: bool) -> Any:
        self.reset_metrics()
        with self._as_graph_(kind, batch, batch):
            found = self._step_(kind)(batch)
        logs = numbers(found)
        return logs if return_dict else self._flat_(logs)

    def _flat_(self, logs: dict[str, float]) -> Any:
        """The values of logs as a list, in the order of `metrics`; the value itself if there is only one."""
        parts = ([*each.metrics] if isinstance(each, CompileMetrics) else [each] for each in self.metrics)
        known = [metric.name for group in parts for metric in group]
        values = [logs[name] for name in known if name in logs]
        values += [logs[name] for name in sorted(logs) if name not in known]
        return values[0] if len(values) == 1 else values

    def _hooks_(self, callbacks: Any, add_history: bool = False, **params: Any) -> CallbackList:
        if isinstance(callbacks, CallbackList):
            return callbacks
        return CallbackList(callbacks, add_history, params["verbose"] != 0, model=self, **params)

    def _tested_(self, data: Batches, steps: int | None, hooks: CallbackList) -> Logs:
        """The loss and metrics on the first `steps` batches, by default all."""
        self.reset_metrics()
        self.stop_evaluating = False
        hooks.tell("on_test_begin")
        logs = numbers(self._reported_(self._over_(data, data.first(self._rounded_up_(steps)), "test", hooks)))
        hooks.tell("on_test_end", logs=logs)
        return logs

    def _step_(self, kind: str) -> Callable[[Any], Any]:
        return self.train_step if kind == "train" else self.test_step

    def _reported_(self, logs: Logs) -> Logs:
        """The logs of an epoch: those of its last step, or the model's own metrics if they have the same names."""
        own = self.get_metrics_result()
        return logs if logs and logs.keys() != own.keys() else read(own)

    def _over_(self, data: Batches, batches: Iterator[Any], kind: str, hooks: CallbackList) -> Logs:
        """Run `train_step` or `test_step` on batches until a callback stops it; returns the logs of the last step."""
        step, stop = self._step_(kind), "stop_training" if kind == "train" else "stop_evaluating"
        logs: Logs = {}
        for begin, end, together in self._executions_(batches):
            hooks.tell(f"on_{kind}_batch_begin", begin)
            for batch in together:
                with self._as_graph_(kind, batch, varies=data.varies):
                    logs = step(batch)
            if not logs and not self.run_eagerly:
                raise ValueError(
                    f"`{kind}_step` of {type(self).__name__} returned {logs!r}: return a dict, as {{'loss': loss}}."
                )
            hooks.tell(f"on_{kind}_batch_end", end, logs=logs)
            if getattr(self, stop):
                break
        return read(logs)

    def _rounded_up_(self, steps: int | None) -> int | None:
        """A number of batches, rounded up to a multiple of `steps_per_execution`."""
        return steps and -(-steps // self.steps_per_execution) * self.steps_per_execution

    def _executions_(self, batches: Iterator[Any]) -> Iterator[tuple[int, int, list[Any]]]:
        """The batches in groups of `steps_per_execution`, each with the numbers of its first and last batch.

        The last group may have fewer batches than these numbers say.
        """
        size = self.steps_per_execution
        for begin in count(0, size):
            if not (together := list(islice(batches, size))):
                return
            yield begin, begin + size - 1, together

    @contextmanager
    def _as_graph_(self, kind: str, batch: Any, alike: Any = None, varies: bool = False) -> Iterator[None]:
        """In the `with` block, errors and random numbers are those of the graph that Keras makes of a step.

        Keras makes one graph for each kind of step and each structure of shapes of `alike`, and none if the step is to
        run eagerly. If the batch size `varies`, it is unknown in the specs that layers see. If the first step fails,
        there is no graph, and nothing of it ran.
        """
        if self.run_eagerly or Eagerly.chosen:
            yield
            return
        graphs = vars(self).setdefault("_graphs_", {})
        like = (kind, *[None if each is None else tuple(each.shape) for each in nest.flatten(alike)])
        graph = graphs.setdefault(like, random_state.GraphSeeds(random_state.Seeds.chosen))
        told = of_any_number(batch) if varies else nullcontext()
        seen = vars(self).setdefault("_seen_", {})
        of = kind, alike is None
        wide = widened(seen.get(of), shapes_of(batch, alike is not None))
        changed = changed_by_training(self) if kind == "train" and of not in seen else ()
        inputs = len(shapes_of(batch[0] if isinstance(batch, tuple) else batch, True))
        try:
            shapes = open_shapes(batch) if varies else None
            made = building(batch, rewritten=False, named=lambda: named(batch), open_shapes=shapes)
            with unchanged_on_error(changed), made, random_state.in_run_apart(graph), told:
                yield
        except ValueError as error:
            raise as_met(error, wide, inputs) from error.__cause__
        if None not in wide[:inputs]:  # of which TensorFlow hardly makes a graph
            seen[of] = wide

    def _require_compiled_(self) -> None:
        if not self.compiled:
            raise ValueError(
                "fit, evaluate and train_on_batch need a loss: call model.compile(optimizer, loss) before."
            )


def _joined(outputs: list[Any]) -> Any:
    """The outputs for several batches, concatenated.

    Raises:
        UnboundLocalError: there was no batch.
    """
    if not outputs:
        raise UnboundLocalError(
            "cannot access local variable 'batch_outputs' where it is not associated with a value. No data."
        )
    return nest.map_structure(lambda *parts: np.concatenate(parts), *outputs)


def _read_out(tensors: Any) -> None:
    """Record that the values of tensors leave the recorded program."""
    for each in nest.flatten(tensors):
        if isinstance(each, TensorLike):
            note(ReadOut, None, each._id, None, ".predict()")


def _triple(data: Any) -> tuple[Any, Any, Any]:
    return (data, None, None) if isinstance(data, Dataset) else unpacked(data)
