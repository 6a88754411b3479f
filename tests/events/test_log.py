"""What a log says about programs of the engine: events, names, values, budget, and the time before it."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.engine.forward import ForwardAccumulator
from tapeviz.errors import LogError
from tapeviz.events import (
    CotangentAccumulated,
    ErrorRaised,
    EventLog,
    LeafCreated,
    OpRecorded,
    OpSkipped,
    Pruned,
    ReadOut,
    TapeOpened,
    VjpApplied,
    Watched,
)
from tapeviz.events.program.frames import DEEPEST_SCOPE
from tapeviz.events.summary import Summary
from tests.engine.names import math, nn
from tests.literal_logs import Script


def kinds(log: tv.EventLog) -> list[str]:
    return [type(event).__name__ for event in log.events]


def test_the_life_of_a_tape() -> None:
    x = tv.Variable(3.0)
    with tv.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    assert kinds(tape.log) == [
        "LeafCreated", "TapeOpened", "Watched", "OpRecorded", "Pruned", "TapeClosed",
        "BackwardStarted", "VjpApplied", "CotangentAccumulated", "BackwardFinished", "Pruned",
    ]  # fmt: skip


def test_equal_programs_read_equal_logs() -> None:
    def program() -> tv.EventLog:
        w = tv.Variable([1.0, 2.0])
        with tv.GradientTape() as tape:
            loss = tv.reduce_sum(w * w + 1.0)
        tape.gradient(loss, w)
        return tape.log

    logs = []
    for noise in (0, 50):
        for _ in range(noise):
            tv.sin(tv.constant(1.0))
        logs.append(program())
    first, second = logs
    assert first.events == second.events
    assert first.tensors == second.tensors
    assert first.sites == second.sites


def test_between_two_blocks_only_what_led_on_is_read() -> None:
    x = tv.Variable(2.0)
    tape = tv.GradientTape()
    with tape:
        a = tv.sin(x)
    b = tv.cos(a)
    tv.exp(x)  # leads nowhere
    with tape:
        c = tv.tan(b)
    d = tv.sinh(b)
    with tape:
        tv.sigmoid(c + d)
    ops = [event.op for event in tape.log.events if isinstance(event, (OpRecorded, OpSkipped))]
    assert ops == ["sin", "cos", "tan", "sinh", "add", "sigmoid"]


def test_accumulation_tells_the_sum_so_far_and_what_arrived() -> None:
    x = tv.Variable(2.0)
    with tv.GradientTape() as tape:
        y = x * x * x
    tape.gradient(y, x)
    log = tape.log
    sums = [event for event in log.events if isinstance(event, CotangentAccumulated)]
    assert [event.parts[0] for event in sums[1:]] == [event.total for event in sums[:-1]]
    for event in sums:
        assert float(log.value(event.total)) == sum(float(log.value(part)) for part in event.parts)


def test_saved_is_what_the_rules_ask_for() -> None:
    x, c = tv.Variable(2.0), tv.constant(3.0)
    with tv.GradientTape() as tape:
        a = x * c
        b = tv.exp(a)
        tv.sin(b) + 1.0
    log = tape.log
    saved = {event.op: event.saved for event in log.events if isinstance(event, OpRecorded)}
    assert saved["mul"] == (log.id_of(c),)
    assert saved["exp"] == (log.id_of(b),)
    assert saved["sin"] == (log.id_of(b),)
    assert saved["add"] == ()


def test_what_a_tape_kept_until_a_gradient_within_its_block_was_not_unneeded() -> None:
    log = Script()
    x = log.variable("x", 3.0)
    with log.tape() as tape:
        y = log.op("add", x, 1.0)
        z = log.op("exp", y, saved=(1,))
        log.append(Pruned, (tape,))
    pruned = {event.reason: event.tensors for event in log.events if isinstance(event, Pruned)}
    assert pruned == {"released": (log.dense(z),), "unneeded": (log.dense(y),)}


def test_ops_before_the_tape_are_remembered_if_they_matter() -> None:
    raw, other = tv.Variable(0.2), tv.Variable(5.0)
    scale = tv.exp(raw)
    other * 2.0
    with tv.GradientTape() as tape:
        y = scale * 3.0
    log = tape.log
    before = [event for event in log.events[: kinds(log).index("TapeOpened")] if isinstance(event, OpSkipped)]
    assert [event.op for event in before] == ["exp"]
    assert before[0].tapes == ()
    assert log.tensors[log.id_of(scale)].name == "scale"
    assert log.tensors[log.id_of(y)].name == "y"


def test_ops_after_the_tape_are_learned_at_gradient() -> None:
    x = tv.Variable([1.0, 2.0])
    with tv.GradientTape(persistent=True) as tape:
        y = x * x
    late = y * 5.0
    assert tape.gradient(late, x) is None
    closed = kinds(tape.log).index("TapeClosed")
    after = [event for event in tape.log.events[closed:] if isinstance(event, OpSkipped)]
    assert [event.op for event in after] == ["mul"]


def test_decisions_name_the_reason() -> None:
    c, n, x = tv.constant(1.0), tv.constant([1, 2]), tv.Variable(2.0)
    with tv.GradientTape() as tape:
        tape.watch(n)
        c * 2.0
        n * n
        with tape.stop_recording():
            x * x
    reasons = [event.tapes for event in tape.log.events if isinstance(event, OpSkipped)]
    assert reasons == [((0, "unwatched"),), ((0, "integer_dtype"),), ((0, "paused"),)]


def test_nested_tapes_share_a_log() -> None:
    x = tv.Variable(2.0)
    with tv.GradientTape() as outer:
        with tv.GradientTape() as inner:
            y = x * x
        slope = inner.gradient(y, x)
    curvature = outer.gradient(slope, x)
    assert outer.log is inner.log
    assert float(curvature) == 2.0
    runs = {event.run for event in outer.log.events if isinstance(event, VjpApplied)}
    assert runs == {0, 1}


def test_events_of_a_kind_are_told_with_their_positions_and_grow_with_the_log() -> None:
    log = Script()
    x = log.variable("x")
    y = log.op("mul", x, x)
    assert {position: op.op for position, op in log.of_kind(OpRecorded, OpSkipped).items()} == {1: "mul"}
    log.op("exp", y)
    assert [op.op for op in log.of_kind(OpRecorded, OpSkipped).values()] == ["mul", "exp"]
    assert list(log.of_kind(LeafCreated)) == [0]
    assert not log.of_kind(TapeOpened)


def test_record_holds_several_tapes() -> None:
    x = tv.Variable(2.0)
    with tv.record() as log:
        for _ in range(3):
            with tv.GradientTape() as tape:
                y = x * x
            x.assign_sub(0.1 * tape.gradient(y, x))
            step = tape.log
            ops = [event.op for event in step.events if isinstance(event, OpRecorded)]
            assert ops == ["mul"]
            assert float(step.value(step.id_of(y))) == float(y)
            assert kinds(step).count("BackwardFinished") == 1
            assert [(event.tape, event.how) for event in step.events if isinstance(event, Watched)] == [(0, "accessed")]
    assert [event.tape for event in log.events if isinstance(event, Watched)] == [0, 1, 2]
    assert sum(isinstance(event, TapeOpened) for event in log.events) == 3
    assert kinds(log).count("StateWritten") == 3


def test_values_of_a_variable_over_time() -> None:
    x = tv.Variable(2.0)
    with tv.record() as log, tv.GradientTape():
        x * 1.0
        x.assign(5.0)
        x * 1.0
    written = kinds(log).index("StateWritten")
    raw = log.id_of(x)
    assert (float(log.value(raw)), float(log.value(raw, at=written))) == (2.0, 5.0)


class Writes(Sequence[tuple[int, float]]):
    """A thousand values, each ten positions after the last; and how often one was looked at."""

    looked = 0

    def __len__(self) -> int:
        return 1000

    def __getitem__(self, index: Any) -> Any:
        self.looked += 1
        if index >= len(self):
            raise IndexError
        return 10 * index, float(index)


def test_of_many_writes_few_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    log, writes = EventLog(), Writes()
    monkeypatch.setattr(log, "versions", lambda tensor: writes)
    assert [log.value(0, at) for at in (-1, 0, 9, 10, 5_005, 99_999)] == [0.0, 0.0, 0.0, 1.0, 500.0, 999.0]
    assert writes.looked < 100


def test_read_outs_are_noted_where_they_happen() -> None:
    x = tv.Variable(2.0)
    with tv.GradientTape() as tape:
        y = x * x
        y.numpy()
        float(y)
        np.asarray(y)
    hows = [event.how for event in tape.log.events if isinstance(event, ReadOut)]
    assert hows == [".numpy()", "float()", "np.asarray()"]


def test_leaves_made_of_tensors_name_their_parents() -> None:
    a, b = tv.Variable(1.0), tv.Variable(2.0)
    with tv.GradientTape() as tape:
        pair = tv.Variable([a, b])
    leaf = next(e for e in tape.log.events if isinstance(e, LeafCreated) and e.tensor == tape.log.id_of(pair))
    assert leaf.parents == (tape.log.id_of(a), tape.log.id_of(b))


def test_values_none_keeps_shapes_only() -> None:
    x = tv.Variable(tv.ones((3, 4)))
    with tv.record(values="none") as log:
        with tv.GradientTape() as tape:
            y = tv.reduce_sum(x * x)
        tape.gradient(y, x)
    assert not any(log.value(row.id) is not None for row in log.tensors if row.role != "literal")
    assert log.tensors[log.id_of(y)].shape == ()
    cotangents = [row for row in log.tensors if row.role == "cotangent"]
    assert {row.shape for row in cotangents} == {(), (3, 4)}


@tv.custom_gradient
def _half_of_one(x: tv.Tensor, y: tv.Tensor) -> Any:
    return x * y, lambda g: (g * 2.0, None)


@pytest.mark.parametrize(
    "program",
    [
        lambda x, w: tv.matmul(tv.matmul(x, w), w),
        lambda x, w: tv.add_n([x, w, x * w]),
        lambda x, w: tv.add_n(tv.unstack(x @ w)),
        lambda x, w: tv.split(x * w, 2, axis=1)[1] + w,
        lambda x, w: _half_of_one(x, w) - tv.custom_gradient(lambda a: (a * 3.0, lambda g: None))(w),
        lambda x, w: tv.concat([x, w, x], axis=0) * tv.maximum(x, w)[:1],
        lambda x, w: tv.gather(x, [0, 0]) * tv.gather(w, [1, 0]) + tv.gather(w, [1, 1]),
    ],
)
def test_a_log_without_values_tells_the_same_steps_back(program: Any) -> None:
    x, w = tv.Variable([[1.0, 2.0], [3.0, 4.0]]), tv.Variable([[5.0, 6.0], [7.0, 8.0]])
    steps: list[list[Any]] = []
    for values in ("kept", "none"):
        with tv.record(values=values) as log:
            with tv.GradientTape() as tape:
                y = program(x, w)
            tape.gradient(y, [x, w])
        applied = [event for event in log.events if isinstance(event, VjpApplied)]
        sums = [event.tensor for event in log.events if isinstance(event, CotangentAccumulated)]
        steps.append([[(each.op, [c is None for c in each.cotangents]) for each in applied], sums])
    assert steps[0][0]
    assert steps[0] == steps[1]


@pytest.mark.parametrize(
    "picked", [lambda x: tv.gather(x, [0, 0]), lambda x: math.segment_sum(x, [0, 0, 1])], ids=["rows", "tangent"]
)
def test_reading_a_log_that_goes_on_adds_nothing_to_it(picked: Any) -> None:
    x = tv.Variable([1.0, 2.0, 3.0])
    with tv.GradientTape(persistent=True) as tape:
        with ForwardAccumulator(x, tv.ones([3])):
            y = picked(x)
        tape.gradient(y, x)
        end = tape.log.end
        assert len(tape.log.events)
        assert tape.log.end == end


def test_the_budget_takes_the_oldest_large_values() -> None:
    x = tv.Variable(tv.ones(1000))
    with tv.record(max_bytes=10_000) as log, tv.GradientTape():
        h = x
        for _ in range(20):
            h = h * 2.0
    made = [log.value(event.outputs[0]) for event in log.events if isinstance(event, OpRecorded)]
    assert isinstance(made[0], Summary)
    assert made[0].max == 2.0
    assert isinstance(made[-1], np.ndarray)
    assert log.bytes <= 10_000


def test_unknown_objects_get_a_clear_error() -> None:
    x, stranger = tv.Variable(1.0), tv.constant(7.0)
    with tv.GradientTape() as tape:
        x * 2.0
    with pytest.raises(LogError, match="never mentions"):
        tape.log.id_of(stranger)
    with pytest.raises(LogError, match="Not a tensor"):
        tape.log.id_of(3.5)
    with pytest.raises(LogError, match="No tensor of this log is called 'loss'"):
        tape.log.id_of("loss")


def test_a_value_and_a_gradient_are_found_by_name() -> None:
    w, unused = tv.Variable(3.0, name="w"), tv.Variable(1.0, name="unused")
    with tv.GradientTape(persistent=True) as tape:
        loss = w * w
        other = loss * 2.0
    tape.gradient(other, w)
    tape.gradient(loss, [w, unused])
    log = tape.log
    assert (log.value("loss"), log.gradient("w"), log.gradient(w), log.gradient("unused")) == (9.0, 6.0, 6.0, None)
    for ask in (log.value, log.gradient):
        with pytest.raises(LogError, match=r"called 'los'. It has: .* The nearest is 'loss'\."):
            ask("los")
    with pytest.raises(LogError, match="No backward pass of this log was asked for the gradient of 'loss'"):
        log.gradient("loss")


def test_evaluate_runs_an_op_again() -> None:
    x = tv.Variable([1.0, 2.0])
    with tv.GradientTape() as tape:
        tv.reduce_sum(x * 3.0, axis=0)
    log = tape.log
    position = next(
        i for i, event in enumerate(log.events) if isinstance(event, OpRecorded) and event.op == "reduce_sum"
    )
    assert log.evaluate(position, [np.array([5.0, 6.0])]) == 11.0
    with pytest.raises(LogError, match="cannot run"):
        log.evaluate(0, [])


def test_scopes_follow_the_users_calls() -> None:
    def layer(h: tv.Tensor, w: tv.Variable) -> tv.Tensor:
        return h * w

    def model(x: tv.Tensor, w: tv.Variable) -> tv.Tensor:
        return layer(layer(x, w), w)

    x, w = tv.constant(1.0), tv.Variable(2.0)
    with tv.GradientTape() as tape:
        out = model(x, w)
    log = tape.log
    first, second = (event.scope for event in log.events if isinstance(event, OpRecorded))
    assert [log.scopes[i].name for i in (first, second)] == ["layer", "layer"]
    assert first != second
    assert log.scopes[log.scopes[first].parent].name == "model"
    assert log.tensors[log.id_of(out)].name == "out"


def test_a_program_may_recur_almost_as_deep_as_python_lets_it() -> None:
    def down(x: Any, levels: int) -> Any:
        return x * 2.0 if levels == 0 else down(x, levels - 1)

    room = sys.getrecursionlimit() - len(inspect.stack(0)) - 30  # an op takes some frames, not one for each scope
    x = tv.Variable(1.0)
    with tv.GradientTape() as tape:
        y = down(x, room)
    assert float(tape.gradient(y, x)) == 2.0
    assert len(tape.log.scopes) == DEEPEST_SCOPE


def test_an_exception_in_the_block_is_noted_and_nothing_is_lost() -> None:
    x = tv.Variable(2.0)
    tape = tv.GradientTape()
    with pytest.raises(KeyError), tape:  # noqa: PT012 - the block is what is tested
        y = x * x
        raise KeyError("the user's own")
    raised = next(event for event in tape.log.events if isinstance(event, ErrorRaised))
    assert (raised.error, tape.log.sites[raised.site].text) == ("KeyError", 'raise KeyError("the user\'s own")')
    assert float(tape.gradient(y, x)) == 4.0


def test_the_updates_of_a_training_loop_are_no_part_of_the_next_step() -> None:
    w = tv.Variable(2.0)
    for _ in range(5):
        with tv.GradientTape() as tape:
            loss = w * w
        w.assign_sub(0.1 * (tape.gradient(loss, w) + 0.5 * w))
    ops = [event for event in tape.log.events if isinstance(event, (OpRecorded, OpSkipped))]
    assert [event.op for event in ops] == ["mul"]
    assert "StateWritten" not in kinds(tape.log)


def test_a_write_that_carries_a_source_over_is_remembered() -> None:
    rate, total = tv.Variable(2.0), tv.Variable(0.0)
    for day in (1.0, 2.0):
        total.assign(rate * day)
    with tv.GradientTape() as tape:
        mean = total / 2.0
    assert tape.gradient(mean, rate) is None
    before = kinds(tape.log)[: kinds(tape.log).index("TapeOpened")]
    assert (before.count("StateWritten"), before.count("OpSkipped")) == (1, 1)


def test_the_name_of_a_line_belongs_to_its_last_op() -> None:
    x = tv.Variable([1.0, 4.0])
    with tv.GradientTape() as tape:
        spread = math.reduce_std(x)
        for _ in range(2):
            spread = tv.sqrt(spread)
    named = [row.name for row in tape.log.tensors if row.role == "intermediate"]
    assert named[-3:] == ["spread", "spread", "spread"]
    assert named.count("spread") == 3


def test_what_a_comprehension_goes_over_has_no_name_of_what_it_makes() -> None:
    x = tv.Variable([1.0, 2.0])
    with tv.GradientTape() as tape:
        made = [row * 2.0 for row in x]
    named = {each: row.name for each, row in enumerate(tape.log.tensors) if row.role == "intermediate"}
    assert [named.pop(tape.log.id_of(each)) for each in made] == ["made[0]", "made[1]"]
    assert set(named.values()) == {None}


def test_a_comprehension_that_runs_again_counts_from_the_start() -> None:
    x = tv.Variable([1.0, 2.0])

    def scaled(k: int) -> tv.Tensor:
        doubled = x * 2.0
        return doubled * float(k)

    with tv.GradientTape() as tape:
        for _ in range(2):
            first = [x * float(k) for k in range(2)]
            second = [scaled(k) for k in range(2)]
            total = tv.reduce_sum(first[1] + second[1])
    named = [row.name for row in tape.log.tensors if row.name is not None and row.role == "intermediate"]
    assert named == 2 * ["first[0]", "first[1]", "doubled", "second[0]", "doubled", "second[1]", "total"]
    assert tape.log.tensors[tape.log.id_of(total)].name == "total"


def test_an_element_of_an_element_has_no_name() -> None:
    x = tv.Variable([1.0, 2.0])
    with tv.GradientTape() as tape:
        table = [[x * float(k + j) for k in range(2)] for j in range(2)]
    assert tape.log.tensors[tape.log.id_of(table[1][1])].name is None


def test_so_it_does_where_an_op_before_it_is_of_its_kind() -> None:
    x = tv.Variable([1.0, 4.0])
    with tv.GradientTape() as tape:
        y = nn.gelu(x)
        for _ in range(2):
            y = y * 2.0
    named = [row.name for row in tape.log.tensors if row.role == "intermediate"]
    assert [name is not None for name in named] == [False] * 4 + [True] * 3
