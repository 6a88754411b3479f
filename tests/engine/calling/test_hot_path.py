"""The worked page of the hot path shows the code that is generated, calls in their order, and every class of marks."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent
from types import FrameType
from typing import Any

import pytest

import tapeviz as tf
from tapeviz.engine import recording
from tapeviz.engine.calling import quick
from tapeviz.engine.calling.call import binary, caller
from tapeviz.engine.ops import OPS
from tapeviz.engine.rules import plan

PAGE = (Path(__file__).parents[3] / "docs" / "hot_path.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(?:python)?\n(.*?)```", PAGE, re.DOTALL)


def block(start: str) -> str:
    """The block that starts with this text."""
    (found,) = [each for each in BLOCKS if each.startswith(start)]
    return str(found)


def code(text: str) -> str:
    """A program as Python writes it, however it was laid out."""
    return ast.unparse(ast.parse(text))


def test_the_quick_function_is_the_generated_one(monkeypatch: pytest.MonkeyPatch) -> None:
    texts, compiled = [], quick._compiled

    def noted(signature: str, body: str, names: dict[str, Any]) -> Any:
        texts.append(f"def call({signature}):\n{indent(body, '    ')}")
        return compiled(signature, body, names)

    monkeypatch.setattr(quick, "_compiled", noted)
    of_two = binary(OPS["mul"])
    times = caller(OPS["mul"], lambda x, y: of_two(x, y))
    with tf.GradientTape():
        times(tf.Variable(3.0), tf.Variable(4.0))
    assert code(block("def call(x, y):")) == code(texts[-1])


def test_the_plan_has_the_generated_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    texts, compiled = [], plan._compiled

    def noted(source: str, names: dict[str, Any]) -> Any:
        texts.append(source)
        return compiled(source, names)

    monkeypatch.setattr(plan, "_compiled", noted)
    plan.Plan(OPS["mul"], (True, True), False)
    assert code(block("lambda out, attributes, x, y")) == code("\n".join(texts))


def called(program: Any) -> Iterator[str]:
    """The qualified names of the functions that a program calls, in order."""
    found: list[str] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            found.append(frame.f_code.co_qualname)

    sys.setprofile(note)
    try:
        program()
    finally:
        sys.setprofile(None)
    return iter(found)


def test_the_way_back_is_in_the_order_of_the_page() -> None:
    x, y = tf.Variable([3.0, 1.0]), tf.Variable([4.0, 2.0])
    with tf.GradientTape() as tape:
        z = x * y
    met = called(lambda: tape.gradient(z, [x, y]))
    steps = [line.split()[:2] for line in block("GradientTape.gradient").splitlines()]
    assert [name for name, _ in steps if name not in met] == []
    for name, path in steps:
        text = (Path(tf.__file__).parent / path).read_text(encoding="utf-8")
        assert f"def {name.rpartition('.')[2]}(" in text, path


def test_every_class_of_marks_is_explained() -> None:
    marks = {name for name, each in vars(recording).items() if isinstance(each, type) and issubclass(each, tuple)}
    assert marks == {*re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)}
    assert len(marks) == 5
