"""The one JSON value of the front end."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.views.payload import payload
from tapeviz.views.payload.columns import pack
from tapeviz.views.payload.room import MOST_PICTURED
from tapeviz.views.words.cells import LEAST_CELLS
from tests.diagnosis.numbers.test_shrinking import layers
from tests.engine.names import math, nn
from tests.literal_logs import Script
from tests.views.samples import HOSTILE, LOGS, chain, cube, read_out, written_between


@pytest.mark.parametrize("name", LOGS)
def test_it_is_strict_json_and_always_the_same(name: str) -> None:
    first, second = (json.dumps(payload(LOGS[name]()), allow_nan=False) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("name", LOGS)
def test_everything_it_points_to_is_there(name: str) -> None:
    packed = payload(LOGS[name]())
    nodes = packed["scene"]["nodes"]
    edges = packed["scene"]["edges"]
    assert {edge[end] for edge in edges for end in ("from", "to")} <= set(range(len(nodes)))
    assert {str(node["tensor"]) for node in nodes if node["tensor"] is not None} <= set(packed["tensors"])
    assert {str(node["op"]) for node in nodes if node["op"] is not None} <= set(packed["ops"])
    assert {op["box"] for op in packed["ops"].values()} <= set(range(len(nodes)))
    assert {op["kind"] for op in packed["ops"].values()} == set(range(len(packed["kinds"])))
    for op in packed["ops"].values():
        assert {str(tensor) for tensor in (*op["inputs"], *op["outputs"])} <= set(packed["tensors"])
    for run in packed["runs"]:
        for step in run["steps"]:
            assert {str(each) for each in step["upstream"] if each is not None} <= set(packed["tensors"])
            for each in step["sent"]:
                assert each["slot"] < len(packed["ops"][str(step["op"])]["inputs"])
                assert {str(each["cotangent"]), str(each["total"])} <= set(packed["tensors"])


def test_a_step_says_what_was_given_and_what_was_sent() -> None:
    packed = payload(cube())
    [run] = packed["runs"]
    assert run["label"] == "gradient of mul₂ with respect to x"
    last = run["steps"][1]["sent"][1]
    assert [last["slot"], last["parts"], last["final"]] == [1, 3, True]
    assert packed["tensors"][str(last["total"])]["value"] == "27.0"
    assert run["gradients"] == [{"source": 0, "cotangent": 9, "update": None, "small": None}]


def test_the_next_update_of_a_source_is_told_beside_it() -> None:
    w, still = tf.Variable([3.0, 4.0], name="w"), tf.Variable(1.0, name="still")
    with tf.record() as log:
        for _ in range(2):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(w * w) * still
            gradient, _ = tape.gradient(loss, [w, still])
            w.assign_sub(0.05 * gradient)
    found = [[each["update"] for each in run["gradients"]] for run in payload(log)["runs"]]
    assert found == [[0.1, None], [0.1, None]]
    assert payload(log, values=False)["runs"][0]["gradients"][0]["update"] is None


def test_ops_of_one_kind_share_their_formulas() -> None:
    packed = payload(cube())
    [mul] = packed["kinds"]
    assert [op["kind"] for op in packed["ops"].values()] == [0, 0]
    assert mul["formula"] == {
        "math": "<math><mrow>" + "".join(mul["formula"]["math"].split("<mrow>")[1:]),
        "line": "{out} = {x} · {y}",
    }
    assert [rule["line"] for rule in mul["rules"]] == ["{g} · {y}", "{g} · {x}"]


def test_a_kind_tells_the_edges_of_its_domain_with_places_for_names() -> None:
    x = tf.Variable([1.0, -2.0], name="x")
    with tf.GradientTape() as tape:
        nn.leaky_relu(math.log(x), alpha=0.1)
    packed = payload(tape)
    edges = {kind["name"]: kind["edges"] for kind in packed["kinds"]}
    assert edges == {
        "log": ["{x} = 0: minus infinity, and an infinite derivative", "{x} < 0: NaN"],
        "leaky_relu": ["{x} = 0: the derivative is taken as {alpha}"],
    }
    assert [op["words"] for op in packed["ops"].values()] == [[], [{"name": "alpha", "text": "0.1"}]]


def test_a_written_variable_is_read_as_it_was_then() -> None:
    log = written_between()
    assert [op["read"] for op in payload(log)["ops"].values()] == [[], [{"slot": 0, "text": "1.5"}]]
    assert [op["read"] for op in payload(log, values=False)["ops"].values()] == [[], []]


def test_what_no_gradient_reaches() -> None:
    packed = payload(read_out())
    [run] = packed["runs"]
    titles = {node["title"]: node["id"] for node in packed["scene"]["nodes"]}
    assert run["gradients"][0] == {"source": 0, "cotangent": None, "update": None, "small": None}
    [finding] = [each for each in packed["findings"] if 0 in each["sources"]]
    assert finding["cause"] == "left_to_numpy"
    assert titles["w"] in finding["nodes"]
    assert [packed["scene"]["edges"][edge]["badge"] for edge in finding["edges"]] == [".numpy()"]


def test_what_is_found_on_one_line_of_several_sources_is_said_once() -> None:
    variables = [tf.Variable(2.0, name=name) for name in "abcdefghij"]
    with tf.GradientTape() as tape:
        product = variables[0]
        for each in variables[1:]:
            product = product * each
        loss = tf.constant(product.numpy()) * 2.0
    tape.gradient(loss, variables)
    packed = payload(tape)
    [finding] = [each for each in packed["findings"] if each["cause"] == "left_to_numpy"]
    assert finding["title"].startswith("a, b, c and 7 more: ")
    assert finding["message"].endswith("The same holds for `b`, `c`, `d`, `e`, `f`, `g` and 3 more.")
    assert finding["sources"] == [run["source"] for run in packed["runs"][0]["gradients"]]
    boxes = {node["id"] for node in packed["scene"]["nodes"] if node["title"] in "abcdefghij"}
    assert boxes <= set(finding["nodes"])


def written(log: Script) -> int:
    return len(json.dumps(pack(payload(log)), ensure_ascii=False, separators=(",", ":")).encode())


@pytest.mark.slow
def test_a_payload_grows_slowly() -> None:
    """One output cell of a 15-op tape stays under 200 KB with the front end's 120; one of 1,000 ops under 500."""
    assert written(chain(15)) < 16_000
    assert (written(chain(3000)) - written(chain(1000))) / 2000 < 300


def test_the_more_tensors_the_less_of_each() -> None:
    def grids(count: int) -> set[bool]:
        log = Script()
        x = log.variable("x", np.arange(64.0).reshape(8, 8))
        with log.tape(watch=[x]):
            for _ in range(count):
                log.op("square", x, value=np.arange(64.0).reshape(8, 8))
        return {each["grid"] is not None for each in payload(log)["tensors"].values()}

    assert grids(10) == {True}
    assert grids(MOST_PICTURED // LEAST_CELLS) == {False}


def keys_of(value: Any, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], str]]:
    """Every text of a JSON value, with the keys that lead to it."""
    if isinstance(value, dict):
        return [found for key, each in value.items() for found in keys_of(each, (*path, key))]
    if isinstance(value, list):
        return [found for each in value for found in keys_of(each, path)]
    return [(path, value)] if isinstance(value, str) else []


def test_without_values_no_number_of_the_user_is_in_it() -> None:
    secret = 0.48151623
    log = Script()
    x = log.variable("x", np.array([secret, 1.0]))
    with log.tape(watch=[x]) as tape:
        y = log.op("square", x, value=np.array([secret**2, 1.0]))
    log.backward(tape, y, [x], steps=[(y, [np.array([2 * secret, 2.0])])])
    assert "0.481" in json.dumps(payload(log))
    bare = json.dumps(payload(log, values=False))
    assert not any(digits in bare for digits in ("0.48", "0.231", "0.963"))


def test_without_sources_no_line_is_in_it() -> None:
    code = compile("x = secret_line()", "lesson.py", "exec")
    log = Script()
    log.lines["lesson.py"] = ["x = secret_line()\n"]
    x = log.variable("x")
    with log.tape(watch=[x]):
        log.op("square", x)
    log.raw[-20 + 8 : -20 + 10] = [code, 0]
    assert payload(log)["sites"][0]["context"] == ["x = secret_line()"]
    assert "secret_line" not in json.dumps(payload(log, sources=False))


def test_a_hostile_name_is_data() -> None:
    packed = payload(read_out(HOSTILE))
    assert packed["tensors"]["0"]["name"].startswith('a</script>"\\N{x}$ <b>&amp;]]>é∂')
    formulas = [text for path, text in keys_of(packed) if path[-1] == "math"]
    assert formulas
    assert not any("<b>" in text or "</script>" in text for text in formulas)


def test_a_page_opens_at_the_last_run_whose_numbers_are_kept() -> None:
    x = tf.Variable([1.0, 2.0], name="x")
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
        total = tf.reduce_sum(y)
    tape.gradient(total, x)
    tape.jacobian(y, x)
    packed = payload(tape)
    assert packed["run"] == 0
    assert [run["label"] for run in packed["runs"]] == [
        "gradient of total with respect to x",
        "Jacobian of y by x (its rows are not kept)",
    ]
    assert payload(tape, notes={1: "first"})["notes"] == {"1": {"words": ["first"], "formulas": []}}


def test_a_run_knows_the_line_that_asked_for_the_gradient() -> None:
    x = tf.Variable(2.0, name="x")
    with tf.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)  # here
    packed = payload(tape)
    site = packed["sites"][packed["runs"][0]["site"]]
    assert site["context"][site["line"] - site["first"]].endswith("tape.gradient(y, x)  # here")


def test_a_run_begins_at_the_boxes_that_hold_or_make_its_targets() -> None:
    x = tf.Variable([1.0, 2.0], name="x")
    with tf.GradientTape(persistent=True) as tape:
        _, second = tf.unstack(x)
        y = tf.sin(second)
    tape.gradient(y, x)
    tape.gradient(second, x)
    tape.gradient([y, x], x)
    packed = payload(tape)
    ops = [[packed["scene"]["nodes"][box]["op"] for box in run["begins"]] for run in packed["runs"]]
    kinds = [[each and packed["kinds"][packed["ops"][str(each)]["kind"]]["name"] for each in row] for row in ops]
    assert kinds == [["sin"], ["unstack"], ["sin", None]]


@pytest.mark.parametrize(
    ("call", "target", "source", "said"),
    [
        ("gradient", (), (), "$"),
        ("gradient", (4,), (2, 5), "One pass backwards gives all 10 numbers; forwards, "),
        (
            "jacobian",
            (3,),
            (2,),
            "For the 6 numbers of the Jacobian it takes 3 passes backwards, .* takes 2 passes",
        ),
        ("jacobian", (1,), (1,), "For the 1 number of the Jacobian it takes 1 pass backwards, "),
        (
            "batch_jacobian",
            (4, 3),
            (4, 2),
            "For the 24 numbers of the Jacobian it takes 3 passes .* takes 2 passes, ",
        ),
    ],
)
def test_how_many_passes_a_run_takes(call: str, target: tuple[int, ...], source: tuple[int, ...], said: str) -> None:
    x = tf.Variable(tf.ones(source), name="x")
    with tf.GradientTape() as tape:
        y = tf.ones(target) * tf.reduce_sum(x)
    getattr(tape, call)(y, x)
    [run] = payload(tape)["runs"]
    assert re.match(said, run["passes"])


def test_a_variable_that_was_read_after_a_write_is_told() -> None:
    before, after = tf.Variable([1.0, 2.0], name="before"), tf.Variable([1.0, 2.0], name="after")
    with tf.GradientTape() as tape:
        before.assign([3.0, 4.0])
        y = before * after
        after.assign([5.0, 6.0])
    tape.gradient(y, [before, after])
    told = {each["name"]: each["rewritten"] for each in payload(tape)["tensors"].values()}
    assert (told["before"], told["after"]) == (True, False)


def test_of_gradients_the_passes_are_told_once() -> None:
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    for _ in range(3):
        tape.gradient(y, x)
    assert [bool(run["passes"]) for run in payload(tape)["runs"]] == [True, False, False]


def test_what_arrived_before_the_last_contribution_is_added_up_where_only_the_whole_was_kept() -> None:
    """PyTorch's engine adds contributions up, and hands out the sum of them all."""
    torch = pytest.importorskip("torch")
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    with tf.record() as log:
        h = torch.ones(2)
        for _ in range(3):
            h = h * w
        h.sum().backward()
    packed = payload(log)
    [run] = packed["runs"]
    source = log.id_of(w)
    sent = [(packed["ops"][str(step["op"])]["inputs"], each) for step in run["steps"] for each in step["sent"]]
    totals = [each["total"] for inputs, each in sent if inputs[each["slot"]] == source]
    told = [packed["tensors"][str(each)]["value"] for each in totals]
    assert told == ["[1. 4.]", "[2. 8.]", "[ 3. 12.]"]
    np.testing.assert_array_equal(log.value(totals[2]), w.grad)
    assert log.value(totals[1]) is None
    assert payload(log, values=False)["tensors"][str(totals[1])]["value"] is None


def test_of_a_small_gradient_it_says_what_why_says() -> None:
    tape, loss, weights = layers(0.001)
    [run] = payload(tape)["runs"]
    for each, w in zip(run["gradients"], weights, strict=True):
        said = str(tf.why(tape, loss, w))
        assert each["small"]["words"].removeprefix("In the end its norm") in said
        assert all(f"({loss['text']})" in said for loss in each["small"]["losses"])
    assert payload(tape, values=False)["runs"][0]["gradients"][0]["small"] is None
