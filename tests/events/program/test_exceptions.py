"""An exception that a log has a record of stays what it was."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import tapeviz as tv
from tapeviz.events import ErrorRaised


@pytest.mark.parametrize("again", [lambda error: pickle.loads(pickle.dumps(error)), copy.copy, copy.deepcopy])
def test_one_that_was_recorded_can_be_sent_to_another_process_and_be_recorded_there(again: Any) -> None:
    with pytest.raises(ValueError, match="wrong") as raised, tv.record() as log:
        raise ValueError("wrong")
    assert len(log.of_kind(ErrorRaised)) == 1
    with pytest.raises(ValueError, match="wrong"), tv.record() as other:
        raise again(raised.value)
    assert [each.message for each in other.of_kind(ErrorRaised).values()] == ["wrong"]


def test_its_copy_needs_nothing_of_ours() -> None:
    with pytest.raises(ValueError, match="wrong") as raised, tv.record():
        raise ValueError("wrong")
    assert b"tapeviz." not in pickle.dumps(raised.value)
