"""Groups: of calls, of loops, of what repeats, and parts of what is long."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from types import CodeType

import pytest

import tapeviz as tf
from tapeviz.events.raw import ScopeNode
from tapeviz.graph import build
from tapeviz.views.folding.fold import fold
from tapeviz.views.folding.groups import MOST_MEMBERS, Groups, find_groups
from tapeviz.views.folding.initially_unfolded import MOST_BOXES, initially_unfolded
from tapeviz.views.reading import read
from tapeviz.views.scene import scene
from tests.literal_logs import Script
from tests.views.samples import chain, cube


def groups_of(log: Script) -> Groups:
    graph = build(log)
    return find_groups(graph, sorted(graph.ops))


def outline(groups: Groups, deepest: int = 9) -> list[str]:
    """Titles and notes, indented."""
    lines = []
    for row in groups.rows:
        depth, parent = 0, row.parent
        while parent >= 0:
            depth, parent = depth + 1, groups.rows[parent].parent
        if depth <= deepest:
            lines.append(f"{'  ' * depth}{row.title} | {row.note}")
    return lines


def names(log: Script, ops: str) -> Script:
    """A chain of ops of these names, without any source."""
    x = log.variable("x")
    with log.tape(watch=[x]):
        y = x
        for name in ops.split():
            y = log.op(name, y)
    return log


def test_a_short_program_has_none() -> None:
    assert groups_of(cube()).rows == []


def test_ops_of_a_literal_log_that_repeat() -> None:
    assert outline(groups_of(names(Script(), "exp " + "sin mul add " * 5 + "log")), 0) == [
        "iteration × 5 | sin, mul, add"
    ]


def test_a_long_run_of_one_op_is_cut_into_parts() -> None:
    groups = groups_of(chain(1000))
    assert outline(groups, 0) == ["mul × 1,000 | 1,000 ops"]
    assert [row.title for row in groups.rows if row.parent == 0] == ["mul 2 … 999"]  # the first and the last are ops
    assert [row.title for row in groups.rows if row.parent == 1][:2] == ["mul 2 … 33", "mul 34 … 65"]


def test_what_has_no_structure_is_cut_into_parts() -> None:
    ops = [f"op{(7 * each * each) % 101}" for each in range(200)]
    groups = groups_of(names(Script(), " ".join(ops)))
    for parent in range(-1, len(groups.rows)):
        members = [row for row in groups.rows if row.parent == parent]
        assert len(members) + sum(group == parent for group in groups.of_op.values()) <= MOST_MEMBERS
    assert all(row.kind in ("part", "repeat", "round") for row in groups.rows)


SOURCE = """\
def cell(x, y):
    a = x + y
    b = sin(a)
    return a * b

def body(x):
    for _ in range(9):
        x = sin(x)
        x = x * x
        x = x + x
    return x

def step(x):
    for _ in range(5):
        x = cell(x, x)
    return square(body(x))
"""


class Traced(Script):
    """A log whose ops have sites and scopes in SOURCE, of which the lines are given."""

    def __init__(self) -> None:
        super().__init__()
        namespace: dict[str, object] = {}
        exec(compile(SOURCE, "lesson.py", "exec"), namespace)
        self.code = {name: namespace[name].__code__ for name in ("cell", "body", "step")}  # type: ignore[attr-defined]
        self.lines["lesson.py"] = SOURCE.splitlines(keepends=True)
        self.nodes: dict[tuple[ScopeNode | None, CodeType, int], ScopeNode] = {}
        self.last = self.variable("x")

    def call(self, outer: ScopeNode | None, name: str, line: int) -> ScopeNode:
        """The scope of a call of a function at a line of its caller."""
        caller = self.code["step"] if outer is None else outer.code
        return ScopeNode(outer, self.code[name], caller, self._at(caller, line))

    def run(self, scope: ScopeNode, line: int, op: str) -> None:
        """An op on the last result, at a line of the scope's function."""
        self.last = self.op(op, self.last)
        self.raw[-3:] = [scope, scope.code, self._at(scope.code, line)]

    def _at(self, code: CodeType, line: int) -> int:
        return next(2 * at for at, position in enumerate(code.co_positions()) if position[0] == line and position[2])


def traced() -> Traced:
    """What `step` does: five calls of `cell` in a loop, one of `body`, which loops nine times, and an op."""
    log = Traced()
    with log.tape(watch=[log.last]):
        step = log.call(None, "step", 14)
        for _ in range(5):
            cell = log.call(step, "cell", 15)
            for line, op in ((2, "add"), (3, "sin"), (4, "mul")):
                log.run(cell, line, op)
        body = log.call(step, "body", 16)
        for _ in range(9):
            for line, op in ((8, "sin"), (9, "mul"), (10, "add")):
                log.run(body, line, op)
        log.run(step, 16, "square")
    return log


def test_calls_and_loops_of_the_program() -> None:
    """What all ops have in common, the call of `step`, is left out; calls from one place are told from one loop."""
    groups = groups_of(traced())
    assert outline(groups, 0) == ["cell × 5 | add, sin, mul", "body | 27 ops"]
    assert outline(groups)[1:3] == ["  cell 1 | add, sin, mul", "  cell 2 | add, sin, mul"]
    assert outline(groups)[7] == "  iteration × 9 | sin, mul, add"
    assert [groups.of_op[op] for op in sorted(groups.of_op)][-1] == -1


def dense(x: tf.Tensor, w: tf.Tensor) -> tf.Tensor:
    h = x * w
    h = h + 1.0
    return tf.tanh(h)


def network() -> tf.GradientTape:
    x = tf.Variable(1.0, name="x")
    ws = [tf.Variable(0.5) for _ in range(20)]
    with tf.GradientTape() as tape:
        for w in ws:
            x = dense(x, w)
        loss = tf.square(x)
    tape.gradient(loss, ws)
    return tape


def recurrent() -> tf.GradientTape:
    w, s = tf.Variable(0.5, name="w"), tf.constant(1.0)
    with tf.GradientTape() as tape:
        for _ in range(30):
            s = dense(s, w)
        loss = tf.square(s)
    tape.gradient(loss, w)
    return tape


def indexed() -> tf.GradientTape:
    """Python specialises `xs[step]` and the call after some rounds."""
    w, h, xs = tf.Variable(0.5, name="w"), tf.constant(0.0), tf.constant([0.1] * 30, name="xs")
    with tf.GradientTape() as tape:
        for step in range(30):
            x = xs[step]
            h = dense(h + x, w)
        loss = tf.square(h)
    tape.gradient(loss, w)
    return tape


def unrolled() -> tf.GradientTape:
    x = tf.Variable(1.0, name="x")
    lines = ["with tf.GradientTape() as tape:", "    y = x"]
    for each in range(30):
        lines += [f"    y = tf.sin(y)  # {each}", "    y = y * 2.0", "    y = y + x"]
    source = "\n".join(lines)
    linecache.cache["unrolled.py"] = (len(source), None, source.splitlines(True), "unrolled.py")
    namespace = {"tf": tf, "x": x}
    exec(compile(source, "unrolled.py", "exec"), namespace)
    return namespace["tape"]  # type: ignore[return-value]


def higher_order() -> tf.GradientTape:
    x = tf.Variable(0.5, name="x")
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x
            for _ in range(10):
                y = tf.sin(y) * tf.cos(x)
        slope = inner.gradient(y, x)
        result = slope * slope
    outer.gradient(result, x)
    return outer


@pytest.mark.parametrize(
    ("program", "titles"),
    [
        (network, ["x", *(f"dense {each}" for each in range(1, 21)), "loss"]),
        (recurrent, ["s₀", "w", "dense × 30", "loss"]),
        (indexed, ["h₀", "w", "xs", "iteration × 30", "loss"]),
        (unrolled, ["x", "y₁", "y₂", "y₃", "repeat 2 … 29", "y₈₈", "y₈₉", "y"]),
    ],
)
def test_how_a_program_opens(program: Callable[[], tf.GradientTape], titles: list[str]) -> None:
    assert sorted(node.title for node in scene(read(program())).nodes) == sorted(titles)


def test_the_ops_of_a_recorded_gradient_are_one_line() -> None:
    reading = read(higher_order())
    assert "slope = inner.gradient(y, x)" in [row.title for row in reading.groups.rows if row.kind == "line"]


@pytest.mark.parametrize("program", [network, recurrent, unrolled, higher_order, lambda: chain(500), traced])
def test_every_level_is_small_and_whatever_is_folded_leaves_no_circle(program: Callable[[], object]) -> None:
    reading = read(program())
    rows = reading.groups.rows
    opened = initially_unfolded(reading.places, reading.groups)
    assert len(scene(reading).nodes) <= MOST_BOXES
    for unfolded in (opened, (), tuple(range(0, len(rows), 2)), tuple(range(min(6, len(rows))))):
        scene(reading, unfolded)  # a circle would be refused
    for group, row in enumerate(rows):
        assert row.parent < group <= row.end < len(rows)
        assert sum(each.parent == group for each in rows) <= MOST_MEMBERS


def test_a_leaf_of_many_rounds_stands_beside_their_repeat() -> None:
    """w goes into every round; folded it is one box, unfolded one for each round that is seen."""
    reading = read(recurrent())
    w = reading.log.id_of("w")
    spans = reading.groups.spans
    folded = fold(reading.places, (), spans, {0})
    assert sum(node.tensor == w for node in scene(reading, ()).nodes) == 1
    seen = [each for each in folded.seen if each.box >= 0 and reading.sketch.boxes[each.box].tensor == w]
    assert len(seen) == sum(each.group >= 0 for each in folded.seen) > 1


def test_a_folded_group_says_what_is_wrong_in_it() -> None:
    lost = [tf.Variable(1.0, name=f"lost{each}") for each in range(20)]
    kept = tf.Variable(1.0, name="kept")

    def layer(x: tf.Tensor, w: tf.Tensor) -> tf.Tensor:
        h = tf.constant((x * w).numpy() + 0.123)
        h = h * kept
        return tf.sin(h)

    with tf.GradientTape() as tape:
        y = tf.constant(1.0)
        for w in lost:
            y = layer(y, w)
    tape.gradient(y, [*lost, kept])
    [folded] = [node for node in scene(read(tape), ()).nodes if node.kind == "group"]
    assert folded.badge == "20 None inside"
    assert folded.claim == "None"
    assert {"cut", "target", "repeat"} <= set(folded.flags)


def test_a_folded_group_with_an_unused_leaf_inside_looks_like_others() -> None:
    w, unused = tf.Variable(2.0, name="w"), [tf.Variable(1.0) for _ in range(20)]
    with tf.GradientTape() as tape:
        y = tf.constant(1.0)
        for each in unused:
            y = tf.sin(y * w)
            each * 2.0
    tape.gradient(y, [w, unused[3]])
    [folded] = [node for node in scene(read(tape)).nodes if node.kind == "group"]
    assert folded.badge == "1 None inside"
    assert {"none", "cut", "dead"}.isdisjoint(folded.flags)


@pytest.mark.torch
@pytest.mark.parametrize(("count", "opens"), [(6, True), (60, False)])
def test_layers_in_a_list_are_one_box_with_their_own_indices(count: int, opens: bool) -> None:
    torch = pytest.importorskip("torch")

    class Block(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.inner, self.outer = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)

        def forward(self, x: object) -> object:
            return x + self.outer(torch.tanh(self.inner(x))).sin().cos()

    class Net(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.blocks, self.head = torch.nn.ModuleList([Block() for _ in range(count)]), torch.nn.Linear(4, 1)

        def forward(self, x: object) -> object:
            for block in self.blocks:
                x = block(x)
            return self.head(x)

    net = Net()
    with tf.record() as log:
        net(torch.ones(2, 4)).sum().backward()
    reading = read(log)
    rows = reading.groups.rows
    [blocks] = [at for at, row in enumerate(rows) if row.kind == "repeat"]
    assert rows[blocks].title == f"blocks × {count}"
    first = next(row for row in rows if row.kind == "call" and row.title.startswith("blocks."))
    assert first.title == "blocks.0"
    assert (blocks in initially_unfolded(reading.places, reading.groups)) is opens


def test_by_line_each_line_of_several_ops_is_a_group_and_calls_are_in_the_line_that_made_them() -> None:
    def double(x: tf.Tensor) -> tf.Tensor:
        y = x + x
        return tf.sin(y) * 2.0 - 1.0

    w = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        h = tf.exp(w)
        h = tf.cos(double(h))
        h = h * h + 1.0
        tf.exp(h)
    graph = build(tape.log)
    assert outline(find_groups(graph, sorted(graph.ops), by_line=True)) == [
        "h = tf.cos(double(h)) | 5 ops",
        "  double | add, sin, mul, sub",
        "    return tf.sin(y) * 2.0 - 1.0 | sin, mul, sub",
        "h = h * h + 1.0 | mul, add",
    ]
