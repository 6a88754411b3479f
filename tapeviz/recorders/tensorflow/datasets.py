"""Elements of a dataset -> which tensors and variables of the program the dataset's functions read.

A dataset's functions run in graphs of their own, through which no tape follows a value. The log has the link, and
that nothing recorded it. The same is true of a loop over a dataset in a `tf.function`, whose body AutoGraph makes a
function of the dataset.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tensorflow.python.data.ops import dataset_ops, iterator_ops, structured_function

from tapeviz.events.program.autograph import is_users_loop
from tapeviz.events.program.frames import users_frame
from tapeviz.recorders.patches import Row
from tapeviz.recorders.tensorflow.ledger import raw_id
from tapeviz.recorders.tensorflow.tapes import Tapes
from tapeviz.recorders.tensorflow.traces import Traces
from tapeviz.recorders.tensorflow.values import has_numbers, is_eager

NEXT, REDUCE = "IteratorGetNext", "ReduceDataset"


class Datasets:
    """What the functions behind each iterator read."""

    def __init__(self, tapes: Tapes, traces: Traces) -> None:
        self._tapes = tapes
        self._traces = traces
        self._ledger = tapes.ledger
        self._session = tapes.session
        self._read: dict[int, list[Any]] = {}

    def rows(self) -> tuple[Row, ...]:
        """Every function that a dataset is given, and every iterator."""
        running = self._session.running
        return (
            running.after(structured_function.StructuredFunctionWrapper, "__init__", self._mention),
            running.after(iterator_ops.OwnedIterator, "_create_iterator", self._begun),
            running.instead(dataset_ops.DatasetV2, "__iter__", self._go_over),
        )

    def _begun(self, iterator: Any, dataset: Any) -> None:
        self._read[raw_id(iterator._iterator_resource)] = list(self._read_by(dataset))

    def _go_over(self, iterate: Any, dataset: Any) -> Iterator[Any]:
        elements: Iterator[Any] = iterate(dataset)
        is_graphs = self._traces.rewritten and is_users_loop(users_frame(1))
        return self._without_tapes(elements) if is_graphs else elements

    def _without_tapes(self, elements: Iterator[Any]) -> Iterator[Any]:
        """The elements of a loop over a dataset, whose body a compiled function would run in a graph of its own."""
        with self._tapes.stopped():
            yield from elements

    def read_for(self, op: str, inputs: Any) -> list[Any]:
        """The tensors and variables from which an op of a dataset was computed in graphs; nothing for other ops."""
        if op == NEXT:
            return self._read.get(raw_id(inputs[0]), [])
        return [each for each in inputs if self._is_the_programs(each)] if op == REDUCE else []

    def _read_by(self, dataset: Any) -> Iterator[Any]:
        for each in dataset._functions():
            self._mention(each)
            yield from (tensor for tensor in each.function.captured_inputs if self._is_the_programs(tensor))
        for each in dataset._inputs():
            yield from self._read_by(each)

    def _mention(self, wrapped: Any, *args: Any, **more: Any) -> None:
        for variable in wrapped.function.variables:
            self._ledger.accessed(variable)

    def _is_the_programs(self, tensor: Any) -> bool:
        """Whether it holds numbers, or is the handle of a variable."""
        return is_eager(tensor) and (has_numbers(tensor) or raw_id(tensor) in self._ledger.known)
