"""EventLog -> a graph for Google's Model Explorer, with the way of each gradient laid over it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeviz.events.lookup import NUMBERING
from tapeviz.markup.theme import colour
from tapeviz.replay import Run
from tapeviz.views.exports.details import Details
from tapeviz.views.folding.groups import TIMES, Groups
from tapeviz.views.reading import Reading, read
from tapeviz.views.reading.sketch import Box
from tapeviz.views.words import numbers

TENSOR = "__tensor_tag"
"""The heading under which Model Explorer looks for the name of a tensor."""
_DRAWABLE = str.maketrans(f"{NUMBERING}{TIMES}…", "0123456789x~")
"""What the letters that Model Explorer draws labels with lack -> what is nearest among them."""

Json = dict[str, Any]


def model_explorer(log_or_tape: Any) -> Json:
    """A log as a graph collection of Model Explorer, ready for `json.dump` to a file that it opens.

    What is drawn of a log are its nodes: ops, variables and constants, within namespaces of the calls and layers that
    they belong to. Beside a node stand its call, line, value and gradients; a backward pass is an overlay of edges,
    from an op to what it sends a gradient to.

    Source:
        google-ai-edge/model-explorer, `graph_builder.py`: GraphCollection.

    >>> import tapeviz as tv
    >>> x = tv.Variable(3.0, name="x")
    >>> with tv.GradientTape() as tape:
    ...     y = x * x
    >>> _ = tape.gradient(y, x)
    >>> [graph] = model_explorer(tape)["graphs"]
    >>> [(node["label"], len(node["incomingEdges"])) for node in graph["nodes"]]
    [('x', 0), ('mul', 2)]
    """
    reading = read(log_or_tape)
    details, paths = Details(reading), namespaces(reading.groups)
    nodes = [_node(reading, box, details) for box in reading.sketch.boxes]
    for node, place in zip(nodes, reading.places, strict=True):
        node["namespace"] = paths[place.home]
    for wire in reading.sketch.wires:
        nodes[wire.head]["incomingEdges"].append(
            {
                "sourceNodeId": nodes[wire.tail]["id"],
                "sourceNodeOutputId": str(_output(reading, wire.tail, wire.tensor)),
                "targetNodeInputId": str(wire.slot or 0),
            }
        )
    overlays = [_overlay(reading, run, details) for run in reading.runs]
    graph: Json = {"id": reading.title, "nodes": nodes}
    if overlays:
        graph["tasksData"] = {"edgeOverlaysDataListLeftPane": overlays}
    return {"label": "tapeviz", "graphs": [graph]}


def _node(reading: Reading, box: Box, details: Details) -> Json:
    """An op by its function, as Model Explorer tells alike ones by their labels; a leaf by its name."""
    tensors: Sequence[int] = () if box.tensor is None else (box.tensor,)
    inputs: list[Json] = []
    if box.op is None:
        label = reading.names.tensor(tensors[0])
    else:
        op, row = reading.graph.ops[box.op], reading.log.row_of(reading.graph.ops[box.op])
        label, tensors = reading.names.function(op), op.outputs
        named = [(slot, row.argument(slot) if row else None) for slot in range(len(op.inputs))]
        inputs = [_tagged(slot, name) for slot, name in named if name]
    return {
        "id": box.id,
        "label": label.translate(_DRAWABLE),
        "attrs": [_pair(heading, text) for heading, text in details.of_box(box)],
        "incomingEdges": [],
        "inputsMetadata": inputs,
        "outputsMetadata": [_output_card(reading, index, tensor) for index, tensor in enumerate(tensors)],
    }


def _output_card(reading: Reading, index: int, tensor: int) -> Json:
    row = reading.log.tensors[tensor]
    card = _tagged(index, reading.names.tensor(tensor))
    card["attrs"].append(_pair("tensor_shape", f"{row.dtype}{numbers.shape_text(row.shape)}"))
    return card


def _tagged(index: int, name: str) -> Json:
    return {"id": str(index), "attrs": [_pair(TENSOR, name)]}


def _pair(key: str, value: str) -> Json:
    return {"key": key, "value": value}


def _output(reading: Reading, box: int, tensor: int) -> int:
    """Which of the outputs of a box a tensor is."""
    op = reading.sketch.boxes[box].op
    return 0 if op is None else reading.graph.ops[op].outputs.index(tensor)


def namespaces(groups: Groups) -> dict[int, str]:
    """The path of each group, with a number where its neighbours have the same title; "" for -1, which is none."""
    paths = {-1: ""}
    taken: dict[str, int] = {}
    for group, row in enumerate(groups.rows):
        path = "/".join(filter(None, (paths[row.parent], row.title.replace("/", ":").translate(_DRAWABLE))))
        taken[path] = taken.get(path, 0) + 1
        paths[group] = path if taken[path] == 1 else f"{path} ({taken[path]})"
    return paths


def _overlay(reading: Reading, run: Run, details: Details) -> Json:
    """The edges along which a run sent gradients, each with what it sent."""
    title, boxes = reading.names.run(run), reading.sketch.boxes
    sent = {(step.op, each.slot): each.cotangent for step in run.steps for each in step.contributions}
    edges = [
        {
            "sourceNodeId": boxes[wire.head].id,
            "targetNodeId": boxes[wire.tail].id,
            "label": details.gradient(run, sent[wire.position, wire.slot]),
        }
        for wire in reading.sketch.wires
        if wire.slot is not None and (wire.position, wire.slot) in sent
    ]
    return {
        "type": "edge_overlays",
        "name": title,
        "overlays": [{"name": title, "edgeColor": colour("gradient"), "edges": edges}],
    }
