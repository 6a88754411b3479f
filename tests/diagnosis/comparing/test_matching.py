"""Which value of one program is which of the other's: by lines in one framework, by values in two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tapeviz import compare
from tapeviz.diagnosis.comparing.matching import Match
from tapeviz.diagnosis.comparing.program_values import ProgramValue
from tapeviz.events import EventLog
from tests.diagnosis.comparing.chains import chain
from tests.diagnosis.comparing.test_ports import FIRST, PAIRS, PORTS, X, convolutions
from tests.diagnosis.programs import run
from tests.engine import names as tv
from tests.growth import timed


def called(log: EventLog, made: ProgramValue | None) -> str | None:
    """The name of what was made, or else the op."""
    if made is None:
        return None
    name = log.tensors[made.tensors[0]].name
    return name or made.op or "constant"


def told(before: EventLog, after: EventLog) -> list[tuple[str | None, str | None, bool | None]]:
    """All pairs in order: what either is called, and whether the values are the same."""
    found = compare(before, after).counterparts
    return [(called(before, each.before), called(after, each.after), each.value.same) for each in found]


PROGRAM = """
w, b = tf.Variable([1.0, 2.0]), tf.Variable(0.5)
with tf.GradientTape() as tape:
    {}
    loss = tf.reduce_sum(h * h) + b
tape.gradient(loss, [w, b])
"""
BEGIN = [("w", "w", True), ("b", "b", True)]
MULTIPLIED = [("mul", "mul", False), ("reduce_sum", "reduce_sum", False), ("loss", "loss", False)]
ALIKE = [(before, after, True) for before, after, _ in MULTIPLIED]
PARTED = [("a", "a", False)]
AS_BEFORE = [("h", "h", False), *MULTIPLIED]
EDITS = {
    "another op under one name": (
        "h = tf.round(w * 1.3)",
        "h = tf.sin(w * 1.3)",
        [*BEGIN, ("mul", "mul", True), ("h", "h", False), *MULTIPLIED],
    ),
    "another op inside of a line": (
        "h = tf.exp(tf.cos(w)) + 1.0",
        "h = tf.exp(tf.sin(w)) + 1.0",
        [*BEGIN, ("cos", "sin", False), ("exp", "exp", False), ("h", "h", False), *MULTIPLIED],
    ),
    "a step more": (
        "h = tf.exp(w)",
        "a = tf.exp(w); h = tf.tanh(a)",
        [*BEGIN, ("h", "a", True), (None, "h", None), *MULTIPLIED],
    ),
    "two names for what was there": (
        "h = tf.exp(w) * 2.0",
        "e = tf.exp(w); h = e * 2.0",
        [*BEGIN, ("exp", "e", True), ("h", "h", True), *ALIKE],
    ),
    "one step and several": (
        "a = w * 1.5; h = tf.cos(tf.nn.softplus(a))",
        "a = w * 2.5; h = tf.cos(tf.math.log(tf.exp(a) + 2.0))",
        [*BEGIN, *PARTED, (None, "exp", None), (None, "add", None), ("softplus", "log", False), *AS_BEFORE],
    ),
    "several steps for several": (
        "a = w * 1.5; h = tf.cos(tf.tanh(tf.sigmoid(a)))",
        "a = w * 2.5; h = tf.cos(tf.math.log(tf.exp(a) + 2.0))",
        [*BEGIN, *PARTED, ("sigmoid", None, None), ("tanh", None, None), (None, "exp", None), (None, "add", None),
         (None, "log", None), *AS_BEFORE],
    ),
    "two steps of which neither leads to the other": (
        "a = w * 1.5; h = tf.cos(tf.nn.softplus(a))",
        "a = w * 2.5; tf.sin(a); h = tf.cos(tf.exp(a))",
        [*BEGIN, *PARTED, ("softplus", None, None), (None, "sin", None), (None, "exp", None), *AS_BEFORE],
    ),
    "zeros that nothing tells apart": (
        "h = w * 0.0 + w * 0.0 + w",
        "h = w * 0.0 + w * 0.0 + w * 0.0 + w",
        [*BEGIN, ("mul", "mul", True), ("mul", "mul", True), ("add", "add", True), (None, "mul", None),
         (None, "add", None), ("h", "h", True), *ALIKE],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", EDITS)
def test_a_changed_line(name: str) -> None:
    before, after, expected = EDITS[name]
    assert told(run(PROGRAM.format(before), tv), run(PROGRAM.format(after), tv)) == expected


def test_a_recording_is_its_own_counterpart_in_order() -> None:
    log = run(PROGRAM.format("h = tf.exp(w)"), tv)
    found = compare(log, log).counterparts
    assert all(each.before == each.after for each in found)
    positions = [each.before.position for each in found if each.before]
    assert positions == sorted(positions)
    assert all(each.value == (True, 0.0) for each in found)


def test_gradients_of_counterparts_are_compared() -> None:
    found = compare(run(PROGRAM.format("h = tf.round(w)"), tv), run(PROGRAM.format("h = tf.sin(w)"), tv)).counterparts
    by_name = {each.after.source.name: each for each in found if each.after}
    assert by_name["w"].gradients[0] is None
    assert by_name["w"].gradient.same is None
    assert by_name["b"].gradient == (True, 0.0)
    assert by_name["h"].gradient.same is False
    assert by_name["h"].gradient.distance


def test_of_several_calls_the_last_that_both_made_is_compared() -> None:
    text = "w = tf.Variable(2.0)\nwith tf.GradientTape(persistent=True) as tape:\n    y = w * w\n    z = y * w\n"
    one, other = run(f"{text}tape.gradient(y, w)\n", tv), run(f"{text}tape.gradient(y, w)\ntape.gradient(z, w)\n", tv)
    [w] = [each for each in compare(one, other).counterparts if each.before and each.before.source.name == "w"]
    assert w.gradient == (True, 0.0)


# ----- two frameworks -----


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_every_step_of_a_port_that_both_take_has_its_counterpart(one: str, other: str) -> None:
    found = compare(PORTS[one](), PORTS[other]()).counterparts
    assert all(each.value.same for each in found if each.before and each.after)
    computed = [each for each in found if each.before and each.before.op]
    assert [each for each in computed if not each.after] == []  # each takes at least the steps of the one before it
    assert [called_after(each) for each in found if not each.before] in ([], ["reduce_sum"])  # a mean in two steps
    gradients = [each.gradient.same for each in found if None not in each.gradients]
    assert len(gradients) > 4
    assert all(gradients)


def called_after(match: Match) -> str | None:
    return match.after.op if match.after else None


@pytest.mark.parametrize(("one", "other"), PAIRS)
@pytest.mark.parametrize("mistake", [{"activation": "sigmoid"}, {"reduce": "sum"}, {"first": FIRST.T.copy()}])
def test_from_where_they_part_on_steps_have_counterparts_of_another_value(
    one: str, other: str, mistake: dict[str, object]
) -> None:
    logs = PORTS[one](), PORTS[other](**mistake)
    found = compare(*logs)
    names = {each.before.source.name.rpartition(".weight")[0][-2:] or each.before.source.name: each
             for each in found.counterparts if each.before and each.after}  # fmt: skip
    assert names["h"].value.same is ("activation" not in mistake and "first" not in mistake)
    assert names["loss"].value.same is False
    assert names["loss"].value.distance
    diverged = [step.tensor for step in found.divergence or ()]
    [first] = [each for each in found.counterparts if each.before and diverged[0] in each.before.tensors]
    assert first.after
    assert diverged[1] in first.after.tensors or "reduce" in mistake  # which may be made in two steps
    assert first.value.same is False


@pytest.mark.torch
@pytest.mark.jax
def test_below_the_parting_what_is_made_of_counterparts_is_one() -> None:
    found = compare(PORTS["torch"](), PORTS["jax"](activation="sigmoid")).counterparts
    ops = [(each.before.op, each.after.op, each.value.same) for each in found if each.before and each.after]
    assert {("linear", "matmul", False), ("pow", "square", False)} <= set(ops)


def layers(torch: Any, depth: int) -> tuple[EventLog, EventLog]:
    """Layers in two ops each in PyTorch, and in four here, from a mistake in the first line on."""
    model = torch.nn.Sequential(*(each for _ in range(depth) for each in (torch.nn.Linear(8, 8), torch.nn.Hardtanh())))
    with tv.record() as log:
        begin = torch.tanh(torch.tensor(X))
        (model(begin) + begin).sum().backward()
    parameters = [tv.Variable(each.detach().numpy().T) for each in model.parameters()]
    with tv.record() as ported, tv.GradientTape() as tape:
        h = begin = tv.sigmoid(X)
        for weight, bias in zip(parameters[::2], parameters[1::2], strict=True):
            h = tv.maximum(tv.minimum(h @ weight + bias, 1.0), -1.0)
        tape.gradient(tv.reduce_sum(h + begin), parameters)
    return log, ported


@pytest.mark.torch
def test_below_the_parting_a_layer_in_one_step_is_one_in_several() -> None:
    log, ported = layers(pytest.importorskip("torch"), 3)
    found = compare(log, ported).counterparts
    computed = [each for each in found if each.before and each.before.op]
    assert [(each.before.op, each.after and each.after.op) for each in computed if each.before] == [
        ("tanh", "sigmoid"),
        *[("linear", "add"), ("clip_by_value", "maximum")] * 3,
        ("add", "add"),
        ("reduce_sum", "reduce_sum"),
    ]


@pytest.mark.torch
@pytest.mark.slow
def test_steps_beyond_a_mistake_take_no_square() -> None:
    def seconds(depth: int, below: float = 0.0) -> float:
        logs = layers(pytest.importorskip("torch"), depth)
        matched, took = timed(lambda: compare(*logs).counterparts, below)
        assert len([each for each in matched if each.before and each.after]) == 4 * depth + 4
        return took

    most = 10 * max(seconds(200), 0.02)
    assert seconds(800, most) < most


@pytest.mark.torch
def test_channels_first_and_last_are_one_value(framework: str) -> None:
    found = compare(*convolutions(framework)).counterparts
    both = [each for each in found if each.before and each.after]
    assert all(each.value.same for each in both)
    assert len([each for each in both if each.before and each.before.op]) >= 6
    assert [each.before.op for each in found if each.before and not each.after] == []


@pytest.mark.torch
def test_zeros_that_nothing_tells_apart_are_taken_in_order() -> None:
    torch = pytest.importorskip("torch")
    with tv.record() as log:
        x = torch.ones(3, requires_grad=True)
        a, b, c = x * 0.0, x.exp(), x * 0.0
        (a + b + c).sum().backward()
    w = tv.Variable(np.ones(3, np.float32), name="x")
    with tv.record() as ported, tv.GradientTape() as tape:
        d, e, f = w * 0.0, tv.exp(w), w * 0.0
        total = tv.reduce_sum(d + e + f)
        tape.gradient(total, w)
    found = told(log, ported)
    assert [(one, other) for one, other, same in found if same and one and one in "abc"] == [
        ("a", "d"),
        ("b", "e"),
        ("c", "f"),
    ]


def nothing() -> EventLog:
    with tv.record() as log:
        pass
    return log


def unkept() -> EventLog:
    with tv.record(values="none") as log:
        tv.exp(tv.constant([1.0]))
    return log


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(nothing, nothing, [], id="nothing"),
        pytest.param(unkept, nothing, [("constant", None, None), ("exp", None, None)], id="nothing beside something"),
        pytest.param(unkept, unkept, [("constant", "constant", None), ("exp", "exp", None)], id="no values"),
    ],
)
def test_of_what_was_not_kept_nothing_is_said(
    before: Callable[[], EventLog], after: Callable[[], EventLog], expected: list[tuple[str | None, ...]]
) -> None:
    assert told(before(), after()) == expected


@pytest.mark.torch
def test_without_values_two_frameworks_have_no_counterparts_but_by_name() -> None:
    torch = pytest.importorskip("torch")
    with tv.record(values="none") as log:
        torch.ones(2).exp()
    assert all(None in (each.before, each.after) for each in compare(log, unkept()).counterparts)


@pytest.mark.slow
def test_long_recordings_take_no_square() -> None:
    def seconds(length: int, below: float = 0.0) -> float:
        logs = chain(length, -1), chain(length, length // 2)
        matched, took = timed(lambda: compare(*logs).counterparts, below)
        assert len(matched) == length + 3
        return took

    most = 10 * max(seconds(2_000), 0.02)
    assert seconds(8_000, most) < most
