"""What is said of an attribute that tensors have not."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.engine.tensors.missing_attributes import INSTEAD


@pytest.mark.parametrize("name", sorted(INSTEAD))
def test_an_absent_attribute_says_what_to_write(name: str) -> None:
    x = tf.constant([1.0, 2.0])
    assert not hasattr(x, name)
    assert name not in dir(x)
    with pytest.raises(AttributeError, match=name) as raised:
        getattr(x, name)
    assert raised.value.name == name
    assert str(raised.value).endswith(f". {INSTEAD[name]}")


def test_an_unknown_attribute_is_told_as_python_tells_it() -> None:
    with pytest.raises(AttributeError, match=r"^'Tensor' object has no attribute 'colour'$"):
        tf.constant(1.0).colour  # noqa: B018


def test_tensors_are_copied_and_read_by_protocols() -> None:
    x = tf.constant([1.0, 2.0])
    assert copy.deepcopy(x) is x
    assert np.asarray(pickle.loads(pickle.dumps(x))).tolist() == [1.0, 2.0]
