"""A recorder's table as text, read into signatures: checked against the catalog that they name."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tapeviz.events import catalog
from tapeviz.recorders.signatures import OpSignature, Word, signatures
from tapeviz.recorders.torch.table import ROWS as TORCH

pytest.importorskip("tensorflow")
from tapeviz.recorders.tensorflow.names import form_of
from tapeviz.recorders.tensorflow.table import ROWS as TENSORFLOW

pytestmark = pytest.mark.tensorflow


def test_a_line_says_what_each_input_is() -> None:
    found = signatures("Pick gather values* axis: size:sizes | keep: how:mode")
    inputs = (Word("values", None, True), Word("axis", "axis", False), Word("size", "sizes", False))
    assert found == {"Pick": OpSignature("gather", inputs, (("keep", "keep"), ("how", "mode")))}


@pytest.mark.parametrize("table", [TENSORFLOW, TORCH], ids=["tensorflow", "torch"])
def test_at_most_one_input_stands_for_many(table: Mapping[str, OpSignature]) -> None:
    assert [own for own, row in table.items() if sum(word.is_open for word in row.inputs) > 1] == []
    assert any(word.is_open for row in table.values() for word in row.inputs)


def test_operands_are_in_the_catalogs_order() -> None:
    assert form_of("SparseSoftmaxCrossEntropyWithLogits", 2).arguments == (1, 0)
    for own, row in TENSORFLOW.items():
        known = catalog.row(row.name)
        operands = [word.own for word in row.inputs if word.attribute is None and not word.is_open]
        if known is None or not {*operands} <= {*known.arguments} or len(row.inputs) != len(operands):
            continue
        in_order = [operands[index] for index in form_of(own, len(operands)).arguments]
        assert in_order == [name for name in known.arguments if name in operands], own


def test_an_open_word_leaves_room_for_the_inputs_behind_it() -> None:
    assert form_of("ConcatV2", 4).arguments == (0, 1, 2)
    assert form_of("ConcatV2", 4).attributes == ((3, "axis"),)


def test_inputs_that_no_word_is_for_are_dropped() -> None:
    assert form_of("Neg", 3).arguments == (0,)
