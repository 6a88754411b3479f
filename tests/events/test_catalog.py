"""The catalog says of each op what the op table does: same names, same arguments, None where there is no derivative."""

from __future__ import annotations

import re
from typing import get_args

import pytest
from latex2mathml.converter import convert

import tapeviz  # noqa: F401  fills the op table
from tapeviz.engine.ops import OPS
from tapeviz.events import catalog
from tapeviz.events.catalog import ROWS
from tapeviz.events.ops import math
from tapeviz.events.row import Kind, kinds_of

# A name in braces that no LaTeX command takes as its argument.
SLOT = re.compile(r"(?<![A-Za-z])\{([A-Za-z_]\w*)\}")


def test_every_op_has_a_row_and_every_row_an_op() -> None:
    assert set(ROWS) == OPS.keys() - catalog.USERS.keys()  # which doctests may have defined


@pytest.mark.parametrize("name", sorted(ROWS))
def test_row_pairs_with_op(name: str) -> None:
    row, op = ROWS[name], OPS[name]
    assert row.arguments == op.arguments
    assert {a for a, vjp in row.vjps.items() if vjp is None} == {a for a, rule in op.rules.items() if rule is None}


@pytest.mark.parametrize("name", sorted(ROWS))
def test_templates_ask_only_for_what_there_is(name: str) -> None:
    row, op = ROWS[name], OPS[name]
    known = {*op.arguments, *op.attributes, "out", "g"}
    for template in (row.formula, *filter(None, row.vjps.values())):
        assert set(SLOT.findall(template)) <= known, template
        assert template.count("{") == template.count("}")
    assert not set(SLOT.findall(row.formula)) & {"g", "out"}


@pytest.mark.parametrize("name", sorted(ROWS))
def test_templates_are_latex(name: str) -> None:
    row = ROWS[name]
    for template in (row.formula, *filter(None, row.vjps.values())):
        markup = convert(SLOT.sub(r"{\\mathit{q}}", template))
        assert markup.startswith("<math")
        assert "\\" not in markup, template


@pytest.mark.parametrize("kind", get_args(Kind))
def test_there_are_ops_of_every_kind(kind: Kind) -> None:
    assert catalog.of_kind(kind)


def test_what_is_no_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="no kind of op 'bouned'"):
        kinds_of("power bouned")


@pytest.mark.tensorflow
def test_unregistered_are_the_ops_that_tensorflow_knows_no_gradient_of() -> None:
    registered = pytest.importorskip("tensorflow.python.framework.ops").gradient_registry.list()
    named = {name: {each.split()[0] for each in theirs} for name, theirs in catalog.TENSORFLOW.items() if theirs}
    assert len(named) > 140
    wrong = {name for name, theirs in named.items() if ROWS[name].unregistered != theirs.isdisjoint(registered)}
    assert wrong == set()


def test_an_unknown_op_has_no_row() -> None:
    assert catalog.row("no such op") is None


def test_a_second_row_of_one_name_is_refused() -> None:
    with pytest.raises(ValueError, match="mul"):
        math.ROWS.op("mul", "other", x=None, y=None)


def test_an_op_is_in_one_table() -> None:
    assert sum(map(len, catalog.TABLES)) == len(ROWS)
