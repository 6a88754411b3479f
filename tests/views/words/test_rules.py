"""The rule of one argument as a line, in the user's names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tapeviz as tv
from tapeviz.engine.ops import OPS
from tapeviz.events import catalog
from tapeviz.views.reading import read
from tapeviz.views.words.rules import rule_line

RULES: dict[str, tuple[Callable[[Any, Any], Any], list[str | None]]] = {
    "two arguments": (lambda x, w: x * w, ["g · w", "g · x"]),
    "a negative place": (lambda x, w: x**w, ["g · w · x^(w − 1)", "g · pow · ln(x)"]),
    "a power of two": (lambda x, w: x**2.0, ["g · 2.0 · x", "g · pow · ln(x)"]),
    "a power of three": (lambda x, w: x**3.0, ["g · 3.0 · x^2", "g · pow · ln(x)"]),
    "a root": (lambda x, w: x**0.5, ["g · 0.5 · x^(−0.5)", "g · pow · ln(x)"]),
    "its own result": (lambda x, w: tv.exp(x), ["g · exp"]),
    "an element of a list": (lambda x, w: tv.add_n([x, w, x]), ["g", "g", "g"]),
    "no derivative": (lambda x, w: tv.floor(x), [None]),
}


@pytest.mark.parametrize(("function", "rules"), RULES.values(), ids=RULES)
def test_a_rule_in_the_users_names(function, rules):
    x, w = tv.Variable(3.0, name="x"), tv.Variable(2.0, name="w")
    with tv.GradientTape() as tape:
        function(x, w)
    reading = read(tape)
    [op] = reading.graph.ops.values()
    assert [rule_line(reading.names, op, slot) for slot in range(len(op.inputs))] == rules


def test_an_attribute_and_the_name_of_the_result():
    x = tv.Variable([1.0, 2.0], name="x")
    with tv.GradientTape() as tape:
        y = tv.exp(x)
        z = tv.reduce_sum(y, axis=0)
    del z
    reading = read(tape)
    exp, _ = reading.graph.ops.values()
    assert rule_line(reading.names, exp, 0) == "g · y"


def test_an_argument_that_was_stretched_gets_a_sum():
    h, b = tv.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], name="h"), tv.Variable([0.0, 0.0], name="b")
    with tv.GradientTape() as tape:
        h + b
        b - h
        h - b
        h * b
        tv.matmul(h[:, :1], h[:1])
    reading = read(tape)
    rules = [
        [rule_line(reading.names, op, slot) for slot in (0, 1)] for op in reading.graph.ops.values() if op.inputs[1:]
    ]
    assert rules[:4] == [["g", "∑ g"], ["∑ g", "−g"], ["g", "∑ (−g)"], ["g · b", "∑ g · h"]]
    assert not any("∑" in str(rule) for rule in rules[-1])


def test_the_ops_that_stretch_their_arguments_are_those_of_the_engine():
    stretching = {name for name, op in OPS.items() if op.facts.over == "entries" and len(op.arguments) > 1}
    assert stretching == {name for name, row in catalog.ROWS.items() if row.broadcasts}
