"""Names and columns that the source gives to results."""

from __future__ import annotations

import ast
from types import CodeType
from typing import Any

import pytest

import tapeviz as tv
from tapeviz.events.readers.tables import SourceFiles
from tapeviz.events.types import OpRecorded
from tapeviz.source.sites import Naming, moved_left, parsed, resolve, span_of
from tests.growth import timed

NAMINGS = [
    ("loss = f(x)", "f(x)", Naming("loss")),
    ("loss = g(f(x))", "f(x)", Naming()),
    ("loss: float = f(x)", "f(x)", Naming("loss")),
    ("w, b = f(x), g(x)", "g(x)", Naming("b")),
    ("[w, b] = [f(x), g(x)]", "f(x)", Naming("w")),
    ("(w, b), c = (f(x), g(x)), 1", "g(x)", Naming("b")),
    ("layers = [f(x), g(x)]", "g(x)", Naming("layers[1]")),
    ("params = {'w': f(x)}", "f(x)", Naming("params['w']")),
    ("layers = [f(i) for i in range(3)]", "f(i)", Naming("layers", counted=True)),
    ("layers = [(f(i), g(i)) for i in range(3)]", "g(i)", Naming("layers[1]", counted=True)),
    ("self.w = f(x)", "f(x)", Naming("self.w")),
    ("made[0] = f(x)", "f(x)", Naming("made[0]")),
    ("total += f(x)", "total += f(x)", Naming("total")),
    ("if (y := f(x)): pass", "f(x)", Naming("y")),
    ("def h():\n    return f(x)", "f(x)", Naming(returned=True)),
    ("def h():\n    return f(x), g(x)", "f(x)", Naming(returned=True, path="[0]")),
    ("def h():\n    return {'a': (1, f(x))}", "f(x)", Naming(returned=True, path="['a'][1]")),
    ("def h():\n    return [f(i) for i in x]", "f(i)", Naming(returned=True)),
    ("a, b = f(x)", "f(x)", Naming(several=("a", "b"))),
    ("a, b = (f(i) for i in range(2))", "f(i)", Naming(counted=True, several=("a", "b"))),
    ("whole = (f(i) for i in range(2))", "f(i)", Naming()),
    ("a = f(x)[0]", "f(x)", Naming(first="a")),
    ("a = f(x)[1]", "f(x)", Naming()),
    ("a = [f(i)[0] for i in x]", "f(i)", Naming()),
    ("a, (b, self.c) = f(x)", "f(x)", Naming(several=("a", "b", "self.c"))),
    ("a, *b = f(x)", "f(x)", Naming()),
    (
        "a_name_that_is_longer_than_most_boxes, b = f(x)",
        "f(x)",
        Naming(several=("a_name_that_is_longer_than_most_boxes", "b")),
    ),
    ("made[first + 1]['an expression, not a name'], b = f(x)", "f(x)", Naming()),
    ("made = [(a, b) for a, b in [f(x)]]", "f(x)", Naming()),
    ("print(f(x))", "f(x)", Naming()),
    ("class M:\n    def __init__(it):\n        it.w = f(x)", "f(x)", Naming("it.w", owner="it")),
    ("class M:\n    def __init__(it):\n        other.w = f(x)", "f(x)", Naming("other.w")),
    ("class M:\n    def __init__(it, n):\n        super().__init__(n)", "super().__init__(n)", Naming(returned=True)),
    ("a_name_that_is_longer_than_most_boxes = f(x)", "f(x)", Naming("a_name_that_is_longer_than_most_boxes")),
    ("made[first + 1]['an expression, not a name'] = f(x)", "f(x)", Naming()),
]


@pytest.mark.parametrize(("source", "expression", "expected"), NAMINGS, ids=[source for source, _, _ in NAMINGS])
def test_a_result_has_the_name_that_its_line_gives_it(source: str, expression: str, expected: Naming) -> None:
    node = next(
        each
        for each in ast.walk(ast.parse(source))
        if isinstance(each, (ast.Call, ast.AugAssign)) and ast.get_source_segment(source, each) == expression
    )
    span = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
    assert parsed(source).naming(span) == expected


def _halves(x: tv.Tensor) -> tuple[tv.Tensor, tv.Tensor]:
    low, _, high = tv.split(x, 3)
    return low * high, tv.stack([low, high])


def test_results_that_come_together_have_the_names_that_they_are_told_apart_by() -> None:
    x = tv.Variable([1.0, 2.0, 3.0])
    with tv.GradientTape() as tape:
        product, both = _halves(x)
    made = [event.outputs for event in tape.log.events if isinstance(event, OpRecorded)]
    names = [[tape.log.tensors[each].name for each in outputs] for outputs in made]
    assert names == [["low", None, "high"], ["product"], ["both"]]
    assert product is not both


def test_source_that_does_not_parse_names_nothing() -> None:
    assert parsed("loss = (\n").naming((1, 7, 1, 8)) == Naming()


def test_resolve_gives_exact_columns() -> None:
    lines = ["def f(a, b):\n", "    total = a * b + a\n", "    return total\n"]
    namespace: dict[str, object] = {}
    exec(compile("".join(lines), "made_up.py", "exec"), namespace)
    code = namespace["f"].__code__  # type: ignore[attr-defined]
    spans = {}
    for lasti in range(0, len(code.co_code), 2):
        site = resolve(code, span_of(code, lasti), lines)
        spans.setdefault((site.line, site.column, site.end_column), site)
    assert spans[2, 12, 17].text == "total = a * b + a"
    assert (2, 12, 21) in spans


CELL = ["def cell(x, w):\n", "    h = x * w\n", "    if x:\n", "        loss = [\n", "            h - x]\n"]


def test_lines_that_were_moved_left_before_they_were_compiled_keep_their_names() -> None:
    """marimo compiles the body of a cell's function as a module, at the lines of its file but not at its columns."""
    body = "".join(line.removeprefix("    ") for line in CELL[1:])
    code = compile(ast.increment_lineno(ast.parse(body), 1), "cell.py", "exec")
    sources = SourceFiles({"cell.py": CELL})
    spans = {sources.codes.of(code).span(lasti) for lasti in range(0, len(code.co_code), 2)}
    assert {sources.parsed("cell.py").naming(span).name for span in spans} == {None, "h", "loss", "loss[0]"}


@pytest.mark.parametrize("lines", [CELL, ["def f(x):\n", "    return x * x\n"], ["f = [\n", "  lambda x: x]\n"]])
def test_lines_that_were_not_moved_stay(lines: list[str]) -> None:
    codes = [compile("".join(lines), "here.py", "exec")]
    for code in codes:
        assert moved_left(code, lines) == 0
        codes += [each for each in code.co_consts if isinstance(each, CodeType)]
    assert len(codes) > 1


def test_instruction_outside_the_code_falls_back_to_its_first_line() -> None:
    code = (lambda: None).__code__
    assert span_of(code, 10_000)[0] == code.co_firstlineno
    assert span_of(code, -1)[0] == code.co_firstlineno


def test_an_instruction_that_python_made_quicker_stays_one_site() -> None:
    """After some rounds, `rows[i]` and a call leave the frame in the instruction's cache."""

    def double(value: tv.Tensor) -> tv.Tensor:
        return value * 2.0

    rows = tv.constant([1.0] * 20)
    with tv.GradientTape() as tape:
        tape.watch(rows)
        taken = [rows[each] for each in range(20)]
        for each in taken:
            double(each)
    names = [tensor.name for tensor in tape.log.tensors if (tensor.name or "").startswith("taken")]
    assert names == [f"taken[{each}]" for each in range(20)]
    ops = [event for event in tape.log.events if isinstance(event, OpRecorded)]
    assert len(ops) == 40
    assert len({(op.site, op.scope) for op in ops}) == 2


PARTS = [
    ("out.loss.backward()", "out.loss.backward()", "out.loss"),
    ("out['loss'].backward()", "out['loss'].backward()", "out['loss']"),
    ("trainer.backward(out.losses[0])", "trainer.backward(out.losses[0])", "out.losses[0]"),
    ("g = tape.gradient(out.loss, w)", "tape.gradient(out.loss, w)", "out.loss"),
    ("out.backward()", "out.backward()", None),
    ("out.sum().backward()", "out.sum().backward()", None),
    ("(out.loss + out.penalty).backward()", "(out.loss + out.penalty).backward()", None),
    ("other.loss.backward()", "other.loss.backward()", None),
]


@pytest.mark.parametrize(("source", "expression", "expected"), PARTS, ids=[source for source, _, _ in PARTS])
def test_a_line_may_be_about_a_part_of_what_another_made(source: str, expression: str, expected: str | None) -> None:
    node = next(each for each in ast.walk(ast.parse(source)) if ast.get_source_segment(source, each) == expression)
    node = node.value if isinstance(node, ast.Expr) else node
    span = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
    assert parsed(source).part(span, "out") == expected


def read_long(lines: int, below: float = 0.0) -> float:
    """The seconds that it takes to read what a function of so many lines did, as one that was generated."""
    body = [f"    x{at + 1} = x{at} * 2.0 + {at}.0\n" for at in range(lines)]
    code = compile("".join(["def long(x0):\n", *body, f"    return x{lines}\n"]), "long.py", "exec")
    space: dict[str, Any] = {}
    exec(code, space)
    logs = []
    for _ in range(3):
        with tv.record() as log, tv.GradientTape():
            space["long"](tv.Variable(0.0))
        logs.append(log)
    events, seconds = timed(lambda: logs.pop().events, below)
    assert len(events) > 2 * lines
    return seconds


def test_a_long_function_is_looked_through_once() -> None:
    most = 2 * 8 * max(read_long(250), 0.01)
    assert read_long(2000, most) < most
