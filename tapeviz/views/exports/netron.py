"""EventLog -> a graph for Netron, in the JSON that it has for graphs of other programs."""

from __future__ import annotations

from typing import Any

from tapeviz.views.exports.details import Details
from tapeviz.views.reading import Reading, read
from tapeviz.views.reading.sketch import Box, Wire

SIGNATURE = "netron:tapeviz"
"""How a file begins that Netron takes for its own."""

Json = dict[str, Any]


def netron(log_or_tape: Any) -> Json:
    """A log as a graph of Netron, ready for `json.dump` to a file that ends in .netron.

    Ops are its nodes, with the names of their arguments and, as attributes, numbers in the call, line, value and
    gradients. Variables are initializers, constants inputs. A value that went past the tape passes a node of that name,
    `.numpy()` or `assign`.

    Source:
        lutzroeder/netron, `source/message.js`, which is marked experimental.

    >>> import tapeviz as tv
    >>> x = tv.Variable(3.0, name="x")
    >>> with tv.GradientTape() as tape:
    ...     y = x * x
    >>> [node["type"]["name"] for node in netron(tape)["graphs"][0]["nodes"]]
    ['mul']
    """
    reading = read(log_or_tape)
    return {
        "signature": SIGNATURE,
        "format": "tapeviz",
        "description": reading.title,
        "graphs": [_GraphWriter(reading).graph()],
    }


class _GraphWriter:
    """Numbers the values of a graph, as its nodes name them."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._details = Details(reading)
        self._values: list[Json] = []
        self._numbers: dict[tuple[int, int], int] = {}

    def graph(self) -> Json:
        """The graph."""
        sketch, led_to = self._reading.sketch, {wire.head for wire in self._reading.sketch.wires}
        into: dict[int, list[Wire]] = {}
        for wire in sketch.wires:
            into.setdefault(wire.head, []).append(wire)
        nodes = [
            self._op(box, index, into.get(index, [])) if box.op is not None else self._past(box, index, into[index])
            for index, box in enumerate(sketch.boxes)
            if box.op is not None or index in into
        ]
        inputs = [
            self._argument(self._reading.names.tensor(box.tensor), index, box.tensor)
            for index, box in enumerate(sketch.boxes)
            if box.tensor is not None and box.kind == "constant" and index not in led_to
        ]
        outputs = [
            self._argument(self._reading.names.tensor(target), self._reading.sketch.boxes_of[target][-1], target)
            for target in dict.fromkeys(target for run in self._reading.runs for target in run.targets)
        ]
        return {"values": self._values, "nodes": nodes, "inputs": inputs, "outputs": outputs}

    def _op(self, box: Box, index: int, wires: list[Wire]) -> Json:
        assert box.op is not None
        names, op = self._reading.names, self._reading.graph.ops[box.op]
        row = self._reading.log.row_of(op)
        drawn = {wire.slot: wire for wire in wires}
        inputs, attributes = [], []
        for slot, tensor in enumerate(op.inputs):
            argument = (row.argument(slot) if row else None) or f"argument {slot}"
            if slot in drawn:
                inputs.append(self._argument(argument, drawn[slot].tail, tensor))
            else:
                attributes.append({"name": argument, "value": names.tensor(tensor)})
        attributes += [{"name": heading, "value": text} for heading, text in self._details.of_box(box)]
        return {
            "name": names.whole_title(box.op),
            "type": {"name": names.function(op)},
            "inputs": inputs,
            "outputs": [self._argument(names.tensor(tensor), index, tensor) for tensor in op.outputs],
            "attributes": attributes,
        }

    def _past(self, box: Box, index: int, wires: list[Wire]) -> Json:
        """What took values past the tape, into a leaf or a variable."""
        assert box.tensor is not None
        names = self._reading.names
        return {
            "name": "",
            "type": {"name": next(filter(None, (wire.how for wire in wires)), "rebuilt")},
            "inputs": [self._argument(names.tensor(wire.tensor), wire.tail, wire.tensor) for wire in wires],
            "outputs": [self._argument(names.tensor(box.tensor), index, box.tensor)],
            "attributes": [{"name": heading, "value": text} for heading, text in self._details.of_box(box)],
        }

    def _argument(self, name: str, box: int, tensor: int) -> Json:
        return {"name": name, "value": [self._number(box, tensor)]}

    def _number(self, box: int, tensor: int) -> int:
        """The number of a tensor as it comes from a box: a variable that was written has another value then."""
        if (box, tensor) not in self._numbers:
            self._numbers[box, tensor] = len(self._values)
            row, kind = self._reading.log.tensors[tensor], self._reading.sketch.boxes[box].kind
            tensor_type = {"dataType": row.dtype, "shape": {"dimensions": list(row.shape)}}
            initializer = {"initializer": {"type": tensor_type}} if kind == "variable" else {}
            self._values.append({"name": self._reading.names.tensor(tensor), "type": tensor_type, **initializer})
        return self._numbers[box, tensor]
