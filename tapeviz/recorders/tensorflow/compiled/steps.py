"""Steps of Keras' optimizers in a function that TensorFlow traces -> what each goes by, with symbols for its numbers.

The graph gets no op for them: the numbers are those that variables hold, or that the step itself computes.
"""

from __future__ import annotations

from typing import Any
from weakref import ref

from tapeviz.events.attrs import Attrs
from tapeviz.events.raw import ATTRS, STRIDE, VALUES
from tapeviz.recorders.keras import hyperparameters, optimizers, runs_on, slots
from tapeviz.recorders.patches import Row
from tapeviz.recorders.tensorflow.compiled.deferred import computing
from tapeviz.recorders.tensorflow.compiled.rerun import AT_FIRST, ONLY_READ
from tapeviz.recorders.tensorflow.compiled.template import AfterWrite
from tapeviz.recorders.tensorflow.compiled.traced_ops import TracedOps, TraceSession
from tapeviz.recorders.tensorflow.optimizers import KerasSteps, is_small, number_of
from tapeviz.recorders.tensorflow.values import is_followed, kept


class TracedSteps(KerasSteps):
    """The same hooks while a graph is built.

    A step may build its optimizer: what it goes by is known when it has ended, and is put into the records then.
    """

    def __init__(self, session: TraceSession, ops: TracedOps) -> None:
        super().__init__(session, ops)
        self.optimizers: dict[int, ref[Any]] = {}
        """Those that take a step in the graph, by their numbers."""
        self._rates: dict[int, Any] = {}
        self._begun: list[tuple[int, Any]] = []
        self._writers: dict[int, str] = {}

    def rows(self) -> list[Row]:
        """Hooks at steps, and at what gives them their learning rate."""
        found = optimizers() if runs_on("tensorflow") else ()
        instead = self._session.running.instead
        return [*super().rows(), *[instead(each, "_get_current_learning_rate", self._rate) for each in found]]

    def _rate(self, get: Any, optimizer: Any) -> Any:
        rate = self._rates[number_of(optimizer)] = get(optimizer)
        return rate

    def introduce(self, optimizer: Any, variables: Any = ()) -> None:
        """A step begins; the log of a recording gets to know the optimizer when the function is called."""
        self.optimizers[number_of(optimizer)] = ref(optimizer)
        self._writers = self._latest_writers()
        self._begun = []

    def _updated(self, optimizer: Any, variable: Any, gradient: Any) -> None:
        super()._updated(optimizer, variable, gradient)
        self._begun.append((self._session.log.end - STRIDE, variable))

    def _goes_by(self, optimizer: Any, variable: Any) -> tuple[dict[str, Any], Attrs]:
        return {}, ()

    def _stepped(self, optimizer: Any, changed: list[Any]) -> None:
        super()._stepped(optimizer, changed)
        raw, number = self._session.log.raw, number_of(optimizer)
        rate = self._number(self._rates.pop(number, optimizer._learning_rate))
        # one that adds gradients up computes how many steps it took, which would be an op
        steps = None if optimizer.gradient_accumulation_steps else self._held(optimizer._iterations)
        for at, variable in self._begun:
            kept_of_it = slots(optimizer, variable) if is_small(variable) else {}
            state = {name: self._held(each) for name, each in kept_of_it.items()}
            with computing():
                options = hyperparameters(optimizer, variable, rate, steps)
            raw[at + VALUES], raw[at + ATTRS] = (None, *state.values()), (number, tuple(state), options)

    def _number(self, rate: Any) -> Any:
        """A learning rate, as a number or what stands for it; None where it is not known in this graph."""
        if isinstance(rate, (int, float)):
            return float(rate)
        if is_followed(self._session.log, rate):
            return kept(self._session.log, rate)
        return self._held(rate) if hasattr(rate, "handle") or hasattr(rate, "_value") else None

    def _held(self, variable: Any) -> Any:
        """What stands for that which a variable holds when the step begins."""
        own = getattr(variable, "_value", variable)
        latest = self._writers.get(own.handle._id, AT_FIRST)
        return kept(self._session.log, AfterWrite(latest, own.handle, own.dtype.as_datatype_enum))

    def _latest_writers(self) -> dict[int, str]:
        """The names of the ops that have written to variables last, by the handles of these."""
        graph = self._session.graph
        handles = {internal._id: external._id for external, internal in graph.captures}
        ops = [each for each in graph.get_operations() if each.type not in ONLY_READ]
        return {handles[each._id]: op.name for op in ops for each in op.inputs if each._id in handles}
