"""What of a log is drawn."""

from __future__ import annotations

import numpy as np

from tapeviz.graph import build
from tapeviz.replay import runs
from tapeviz.views.reading.sketch import Sketch, sketch
from tests.literal_logs import Script
from tests.views.samples import PECULIAR, cube, read_out


def drawn(log: Script) -> Sketch:
    return sketch(build(log), runs(log))


def ids(log: Script) -> list[str]:
    return [box.id for box in drawn(log).boxes]


def wires(log: Script) -> set[tuple[str, str, str]]:
    found = drawn(log)
    return {(found.boxes[wire.tail].id, found.boxes[wire.head].id, wire.how) for wire in found.wires}


def test_a_leaf_is_drawn_once_per_op_that_uses_it() -> None:
    log = cube()
    assert ids(log) == ["t0.0", "o3", "t0.1", "o4"]
    assert [(wire.tail, wire.head, wire.slot) for wire in drawn(log).wires] == [
        (0, 1, 0),
        (0, 1, 1),
        (1, 3, 0),
        (2, 3, 1),
    ]


def test_a_number_in_an_expression_has_no_box() -> None:
    log = Script()
    x = log.variable("x")
    with log.tape(watch=[x]):
        log.op("mul", 2.0, x)
    assert [box.kind for box in drawn(log).boxes] == ["variable", "op"]


def test_a_number_that_was_read_out_has_one() -> None:
    log = Script()
    x = log.variable("x", 0.1234)
    with log.tape(watch=[x]):
        log.read_out(x, "float()")
        log.op("mul", 0.1234, x)
    assert sorted(how for _, _, how in wires(log)) == ["float()", "mul", "mul"]


def test_a_value_that_left_and_came_back_is_one_way() -> None:
    log = read_out()
    relu, mul, mean = (box.id for box in drawn(log).boxes if box.kind == "op")
    back = next(box.id for box in drawn(log).boxes if box.kind == "constant")
    assert wires(log) >= {(relu, back, ".numpy()"), (back, mul, "mul"), (mul, mean, "reduce_mean")}


def test_a_written_variable_is_a_box_of_its_own() -> None:
    log = Script()
    x, v = log.variable("x"), log.variable("v")
    with log.tape(watch=[x, v]):
        before = log.op("square", v)
        log.assign(v, x)
        log.op("add", before, v)
    found = drawn(log)
    [state] = [box for box in found.boxes if box.kind == "state"]
    assert state.tensor == log.dense(v)
    assert {how for _, head, how in wires(log) if head == state.id} == {"assign"}
    assert [box.id for box in found.boxes if box.kind == "variable"] == [f"t{log.dense(v)}", f"t{log.dense(x)}"]


def test_how_a_variable_got_its_first_value_is_not_drawn() -> None:
    log = Script()
    noise = log.op("normal", recorded=False)
    start = log.op("mul", 0.1, noise, recorded=False)
    w = log.variable("w")
    log.raw[-10 + 1] = (start,)  # w = Variable(start)
    with log.tape(watch=[w]):
        log.op("square", w)
    assert [box.kind for box in drawn(log).boxes] == ["variable", "op"]


def test_a_skipped_op_is_drawn_where_it_leads_to_the_target_only() -> None:
    log = Script()
    x, data = log.variable("x"), log.constant("data")
    with log.tape(watch=[x]):
        scaled = log.op("mul", data, 0.5, recorded=False)
        log.op("argmax", data, recorded=False)
        y = log.op("add", x, scaled)
        log.op("argmax", y, recorded=False)
    found = drawn(log)
    graph = build(log)
    assert [graph.ops[box.op].op for box in found.boxes if box.op is not None] == ["mul", "add"]


def test_where_nothing_was_recorded_everything_is_drawn() -> None:
    log = Script()
    x = log.constant("x")
    with log.tape():
        log.op("square", log.op("square", x, recorded=False), recorded=False)
    assert [box.kind for box in drawn(log).boxes] == ["constant", "op", "op"]


def test_a_source_that_nothing_uses_is_drawn() -> None:
    log = Script()
    x, unused = log.variable("x"), log.variable("unused")
    with log.tape(watch=[x, unused]) as tape:
        y = log.op("square", x)
    log.backward(tape, y, [x, unused], steps=[(y, [2.0])], missing=[unused])
    assert f"t{log.dense(unused)}" in ids(log)


def test_every_wire_leads_on() -> None:
    """Values from the start are used at the end and in between, and come back from outside."""
    log = Script()
    x = log.variable("x", PECULIAR)
    with log.tape(watch=[x]):
        first = log.op("square", x, value=PECULIAR)
        y = first
        for step in range(40):
            log.read_out(y)
            y = log.op("mul", y, first, value=PECULIAR + step)
            if step % 5 == 0:
                y = log.op("add", y, log.constant(None, PECULIAR + step), value=np.ones(2))
    assert all(wire.tail < wire.head for wire in drawn(log).wires)


def test_what_a_variable_keeps_leads_from_one_state_to_the_next() -> None:
    log = Script()
    x, total = log.variable("x"), log.variable("total")
    with log.tape(watch=[x, total]):
        log.assign(total, log.op("square", x), how="assign_add")
        log.assign(total, log.op("square", x), how="assign_add")
        log.op("square", total)
        log.assign(total, x)
        log.op("square", total)
    states = [box.id for box in drawn(log).boxes if box.kind == "state"]
    assert len(states) == 3
    assert (states[0], states[1], "") in wires(log)
    assert not any(head == states[2] for tail, head, _ in wires(log) if tail in states)
