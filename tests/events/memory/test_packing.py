"""Entries of records come back from their bytes as they were."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tapeviz.events.memory.packing import Packer
from tapeviz.events.raw import Mentioned
from tapeviz.events.summary import Packed, Summary


def test_what_is_told_by_its_content() -> None:
    packer = Packer()
    summary = Packed.of(Summary.of(np.arange(3.0)))
    left, right, statistics = packer.unpack(packer.pack([(1, None, (2.5, "a")), True, summary]))
    assert (left, right) == ((1, None, (2.5, "a")), True)
    assert type(statistics) is Packed
    assert statistics.summary == summary.summary


@pytest.mark.parametrize(
    "value",
    [
        np.float32(0.1),
        np.bool_(True),
        np.complex64(1 + 2j),
        np.arange(6, dtype=np.int8).reshape(2, 3).T,
        np.zeros((0, 3)),
        np.array([1.5, np.nan], ml_dtypes.bfloat16),
        ml_dtypes.bfloat16(0.1),
    ],
)
def test_numbers_keep_dtype_shape_and_bits(value: Any) -> None:
    packer = Packer()
    (again,) = packer.unpack(packer.pack([value]))
    assert type(again) is type(value)
    assert (again.dtype, again.shape) == (value.dtype, value.shape)
    assert again.tobytes() == value.tobytes()


@pytest.mark.parametrize(
    "thing",
    [
        *(Mentioned, len, object(), {1}.union, [].append, 1 + 2j, np.dtype("float16")),
        *(np.array(["a", None], object), np.ma.array([1.0], mask=[True]), np.str_("")),
    ],
)
def test_what_has_an_identity_stays_the_same_object(thing: Any) -> None:
    packer = Packer()
    first, (second,) = packer.unpack(packer.pack([thing, (thing,)]))
    assert first is thing
    assert second is thing


def test_one_that_many_entries_share_is_kept_once() -> None:
    packer, shared = Packer(), object()
    many = [packer.pack([shared, number]) for number in range(3)]
    assert [packer.unpack(each)[0] for each in many] == [shared] * 3
    assert len({packer.number(shared) for _ in range(3)}) == 1
