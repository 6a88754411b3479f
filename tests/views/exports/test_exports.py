"""Exports hold what their viewers read: as the formats have it, and, of Netron, by its own reader where it is there."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import tapeviz as tv
from tapeviz.events import EventLog
from tapeviz.views.exports.chrome_trace import BACKWARD, FORWARD, chrome_trace
from tapeviz.views.exports.model_explorer import TENSOR, model_explorer, namespaces
from tapeviz.views.exports.netron import netron
from tapeviz.views.folding.groups import Group, Groups
from tests.views.samples import LOGS, cube, read_out, written_between

EXPORTS = {"chrome_trace": chrome_trace, "model_explorer": model_explorer, "netron": netron}


@pytest.fixture(scope="module")
def log() -> EventLog:
    """Calls, a loop, a read-out, a write, and two runs, one of which loses a gradient."""
    w, u, c = tv.Variable([[1.0, 2.0], [3.0, 4.0]], name="w"), tv.Variable(2.0, name="u"), tv.Variable(1.0, name="c")

    def layer(x: Any) -> Any:
        return tv.tanh(tv.matmul(x, w))

    with tv.record() as log, tv.GradientTape(persistent=True) as tape:
        x = tv.constant([[0.5, -1.0]])
        for _ in range(3):
            x = layer(x)
        total = tv.reduce_sum(x)
        k = tv.constant(u.numpy() * 1.0)
        c.assign_add(total)
        loss = total * 2.0 * k + c
    tape.gradient(loss, [w, u])
    tape.gradient(total, w)
    return log


@pytest.mark.parametrize("make", EXPORTS.values(), ids=EXPORTS)
@pytest.mark.parametrize("sample", LOGS)
def test_every_export_of_every_log_is_strict_json(sample: str, make: Any) -> None:
    content = make(LOGS[sample]())
    assert json.loads(json.dumps(content, allow_nan=False)) == content


# ----- the trace -----


def test_slices_of_a_track_nest_and_begin_in_order(log: EventLog) -> None:
    """As Perfetto has it: a slice ends within the one that it begins in."""
    events = chrome_trace(log)["traceEvents"]
    for track in (FORWARD, BACKWARD):
        slices = [each for each in events if each["ph"] == "X" and each["tid"] == track]
        assert len(slices) > 5
        open_until: list[int] = []
        for each in sorted(slices, key=lambda each: (each["ts"], -each["dur"])):
            end = each["ts"] + each["dur"]
            while open_until and open_until[-1] <= each["ts"]:
                open_until.pop()
            assert not open_until or end <= open_until[-1], each
            open_until.append(end)


def test_each_vjp_has_an_arrow_from_its_op(log: EventLog) -> None:
    events = chrome_trace(log)["traceEvents"]
    at = {(each["tid"], each["ts"]): each for each in events if each["ph"] == "X" and each["cat"] in ("op", "VJP")}
    begins = {each["id"]: each for each in events if each["ph"] == "s"}
    ends = {each["id"]: each for each in events if each["ph"] == "f"}
    vjps = [each for each in at.values() if each["cat"] == "VJP"]
    assert begins.keys() == ends.keys()
    assert len(begins) == len(vjps) == len({each["ts"] for each in ends.values()})
    for number, end in ends.items():
        op, vjp = (at[each["tid"], each["ts"]] for each in (begins[number], end))
        assert (end["bp"], op["cat"], vjp["name"]) == ("e", "op", f"{op['name']} backward")


def test_the_trace_has_calls_gradients_lines_and_findings(log: EventLog) -> None:
    events = chrome_trace(log)["traceEvents"]
    named = {each["name"]: each for each in events if each["ph"] == "X"}
    assert {"gradient of loss", "gradient of total", "iteration 2", "tanh backward"} <= named.keys()
    assert named["reduce_sum"]["args"]["gradient of loss"] == "4.0"
    line = Path(__file__).read_text(encoding="utf-8").splitlines()
    where, text = named["reduce_sum"]["args"]["line"].split("  ", 1)
    assert line[int(where.rpartition(":")[2]) - 1].strip() == text == "total = tv.reduce_sum(x)"
    marks = [each for each in events if each["ph"] == "i"]
    assert [each["args"]["message"] for each in marks] == [each.message for each in tv.diagnose(log)]
    assert ".numpy()" in marks[0]["args"]["message"]


# ----- graphs -----


def test_a_graph_for_model_explorer(log: EventLog) -> None:
    """Labels can be drawn, edges end in nodes, namespaces tell rounds apart, an overlay has each contribution."""
    [graph] = model_explorer(log)["graphs"]
    nodes = {node["id"]: node for node in graph["nodes"]}
    assert len(nodes) == len(graph["nodes"])
    for node in nodes.values():
        assert {edge["sourceNodeId"] for edge in node["incomingEdges"]} <= nodes.keys()
        assert all(isinstance(pair["value"], str) for pair in node["attrs"])
        assert (node["label"] + node["namespace"]).isascii()
    matmuls = [node for node in nodes.values() if node["label"] == "matmul"]
    assert [node["namespace"].rpartition("/")[2] for node in matmuls] == [f"iteration {each}" for each in (1, 2, 3)]
    assert [pair["attrs"][0]["key"] for pair in matmuls[0]["inputsMetadata"]] == [TENSOR, TENSOR]
    assert {"key": "tensor_shape", "value": "float32(1, 2)"} in matmuls[0]["outputsMetadata"][0]["attrs"]
    overlays = graph["tasksData"]["edgeOverlaysDataListLeftPane"]
    assert [each["name"] for each in overlays] == ["gradient of loss", "gradient of total"]
    edges = overlays[1]["overlays"][0]["edges"]
    assert len(edges) == 9  # of a sum, and three rounds, the first of which sends nothing to the constant
    assert {edge[end] for edge in edges for end in ("sourceNodeId", "targetNodeId")} <= nodes.keys()


def test_alike_neighbours_have_namespaces_of_their_own() -> None:
    rows = [Group("call", parent, -1, title, "", 1, 0) for parent, title in ((-1, "a/b"), (-1, "a/b"), (1, "x × 2"))]
    assert namespaces(Groups(rows)) == {-1: "", 0: "a:b", 1: "a:b (2)", 2: "a:b (2)/x x 2"}


def test_a_graph_for_netron(log: EventLog) -> None:
    """Values are numbered; only what leads in, or was made by a node, is read."""
    written = netron(log)
    assert json.dumps(written).startswith('{"signature": "netron:')
    [graph] = written["graphs"]
    made = {index for node in graph["nodes"] for output in node["outputs"] for index in output["value"]}
    fed = {index for each in graph["inputs"] for index in each["value"]}
    initial = {index for index, value in enumerate(graph["values"]) if "initializer" in value}
    read = {index for node in graph["nodes"] for each in node["inputs"] for index in each["value"]}
    assert read <= made | fed | initial
    assert read | made | fed == {*range(len(graph["values"]))}
    kinds = [node["type"]["name"] for node in graph["nodes"]]
    assert {".numpy()", "assign_add", "matmul"} <= set(kinds)
    scaled = graph["nodes"][kinds.index("mul")]
    assert [each["name"] for each in scaled["inputs"]] == ["x"]
    assert scaled["attributes"][0] == {"name": "y", "value": "2.0"}


def test_a_variable_that_was_written_is_another_value() -> None:
    [graph] = netron(written_between())["graphs"]
    one, other = (node["inputs"][0]["value"] for node in graph["nodes"])
    assert one != other
    assert {"name": "value", "value": "1.5"} not in graph["nodes"][0]["attributes"]


READER = """
import { readFileSync } from "node:fs";
const [reader, file] = process.argv.slice(2);
const { ModelFactory } = await import(reader);
const data = readFileSync(file);
const stream = { length: data.length, peek: (length) => data.subarray(0, length) };
const found = { stream, peek: async () => JSON.parse(data), set(kind, value) { this.value = value; return kind; } };
const factory = new ModelFactory();
const kind = await factory.match(found);
const [graph] = (await factory.open(found)).modules;
const names = (list) => list.map((each) => `${each.name}=${each.value.map((value) => value.name)}`);
console.log(JSON.stringify([kind, graph.nodes.map((node) => [node.type.name, ...names(node.inputs)])]));
"""


@pytest.mark.node
def test_netrons_own_reader_opens_it(tmp_path: Path) -> None:
    found = find_spec("netron")
    if found is None or found.origin is None or shutil.which("node") is None:
        pytest.skip("needs Node and netron")
    tv.export(cube(), tmp_path / "cube.netron")
    (tmp_path / "read.mjs").write_text(READER)
    reader = Path(found.origin).parent / "message.js"
    done = subprocess.run(
        ["node", tmp_path / "read.mjs", reader, tmp_path / "cube.netron"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    kind, nodes = json.loads(done.stdout)
    assert (kind, [re.sub("₁", "", each) for each in nodes[1]]) == ("message", ["mul", "x=mul", "y=x"])


def test_model_explorers_own_classes_take_every_field(log: EventLog) -> None:
    builder = pytest.importorskip("model_explorer.graph_builder")
    [graph] = model_explorer(log)["graphs"]
    for node in graph["nodes"]:
        edges = [builder.IncomingEdge(**edge) for edge in node["incomingEdges"]]
        builder.GraphNode(**node | {"incomingEdges": edges})
    for each in graph["tasksData"]["edgeOverlaysDataListLeftPane"]:
        builder.EdgeOverlaysData(**each)
        builder.EdgeOverlay(**each["overlays"][0])
        [builder.Edge(**edge) for edge in each["overlays"][0]["edges"]]


def test_a_lost_gradient_is_told_beside_its_variable() -> None:
    [graph] = model_explorer(read_out())["graphs"]
    [lost] = [node for node in graph["nodes"] if node["label"] == "w"]
    assert [pair["value"] for pair in lost["attrs"] if pair["key"].startswith("gradient of")] == ["None"]
