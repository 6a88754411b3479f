"""The definitions of TensorFlow's ops. What errors tell of them is in `tests/tf/differential/messages`."""

from __future__ import annotations

from types import ModuleType

import pytest

from tapeviz.engine.op_errors.definitions import _BY_OP, definition_of
from tests.engine.test_ops import BUILT_IN

pytestmark = pytest.mark.tensorflow


def test_tensorflow_has_the_ops() -> None:
    known = pytest.importorskip("tensorflow.python.framework.op_def_registry")
    names = {definition_of(op).name for op in (*BUILT_IN, *_BY_OP)}
    assert [name for name in names if known.get(name) is None] == []


def test_tensorflow_has_the_inputs(tensorflow: ModuleType) -> None:
    known = pytest.importorskip("tensorflow.python.framework.op_def_registry")
    for definition in _BY_OP.values():
        theirs = []
        for each in known.get(definition.name).input_arg:
            dtype = each.type_attr or each.type_list_attr or tensorflow.as_dtype(each.type).name
            theirs.append((each.name, dtype, bool(each.number_attr or each.type_list_attr)))
        assert [*map(tuple, definition.inputs)] == theirs, definition.name
