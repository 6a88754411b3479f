"""Aligning two sequences: in order, of equal entries, and quickly."""

from __future__ import annotations

import difflib
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tapeviz.diagnosis.comparing.align import align
from tests.growth import timed

letters = st.text("abcdef", max_size=40)


@given(letters, letters)
def test_pairs_are_equal_and_in_order(one: str, other: str) -> None:
    pairs = align(one, other, [str])
    assert all(one[i] == other[j] for i, j, _ in pairs)
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(pairs))


@given(letters, st.integers(0, 40), st.text("xyz", max_size=5))
def test_an_insertion_leaves_all_else_matched(text: str, at: int, new: str) -> None:
    assert len(align(text, text[:at] + new + text[at:], [str])) == len(text)


@given(letters, letters)
def test_it_finds_most_of_what_there_is(one: str, other: str) -> None:
    """Not the longest of all, which takes longer, but no less than half of what `difflib` finds."""
    found = sum(block.size for block in difflib.SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks())
    assert 2 * len(align(one, other, [str])) >= found


def test_what_is_alike_is_matched_between_what_is_the_same() -> None:
    assert align(["a1", "b1", "c1"], ["a1", "b2", "c1"], [str, lambda text: text[0]]) == [
        (0, 0, 0),
        (1, 1, 1),
        (2, 2, 0),
    ]


def test_a_loop_that_repeats_takes_no_square() -> None:
    def seconds(length: int, below: float = 0.0) -> float:
        one = [at % 50 for at in range(length)]
        other = one[: length // 3] + [99] * 7 + one[length // 3 + 4 :]
        matched, took = timed(lambda: align(one, other, [str]), below)
        assert len(matched) > length - 60
        return took

    most = 20 * max(seconds(10_000), 0.005)
    assert seconds(40_000, most) < most
