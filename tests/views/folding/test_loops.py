"""Loops and repeats, found in letters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeviz.views.folding.loops import Loop, find_loops
from tapeviz.views.folding.repeats import find_repeats


def told(items: list[str | Loop[str]]) -> str:
    """Loops in parentheses, a bar between rounds."""
    return "".join(f"({'|'.join(map(told, each.rounds))})" if isinstance(each, Loop) else each for each in items)


@pytest.mark.parametrize(
    ("ran", "found"),
    [
        ("", ""),
        ("abcd", "abcd"),
        ("aaaa", "(a|a|a|a)"),
        ("abcbcbcd", "a(bc|bc|bc)d"),
        ("xababy", "x(ab|ab)y"),
        ("abzyzy", "ab(zy|zy)"),
        ("ababzyzy", "(ab|ab)(zy|zy)"),
        ("abcabdabce", "(abc|abd|abc)e"),  # another branch in the second round
        ("abbbcabbcabbbd", "(a(b|b|b)c|a(b|b)c|a(b|b|b))d"),  # a loop in a loop, left by a break
        ("abcdbcdabcdbcdz", "(a(bcd|bcd)|a(bcd|bcd))z"),
    ],
)
def test_loops_are_found_in_what_ran(ran: str, found: str) -> None:
    assert told(find_loops(ran, str)) == found


@given(st.text(alphabet="abcd", max_size=40))
def test_nothing_is_lost_and_all_stays_in_order(ran: str) -> None:
    found = told(find_loops(ran, str))
    assert "".join(each for each in found if each not in "(|)") == ran


@pytest.mark.parametrize(
    ("shapes", "found"),
    [
        ([], []),
        ([1, 2, 3], []),
        ([1, 1], []),
        ([1, 1, 1], [(0, 1, 3)]),
        ([7, 1, 2, 1, 2, 1, 2, 9], [(1, 2, 3)]),
        ([1, 1, 1, 2, 1, 1, 1, 2, 1, 1, 1, 2], [(0, 4, 3)]),
        ([1, 1, 1, 5, 2, 3, 2, 3, 2, 3, 2], [(0, 1, 3), (4, 2, 3)]),
    ],
)
def test_repeats_are_found_among_shapes(shapes: list[int], found: list[tuple[int, int, int]]) -> None:
    assert list(find_repeats(shapes)) == found


@given(st.lists(st.integers(0, 2), max_size=60))
def test_what_is_said_to_repeat_does(shapes: list[int]) -> None:
    end = 0
    for start, period, count in find_repeats(shapes):
        assert start >= end
        end = start + period * count
        assert shapes[start:end] == shapes[start : start + period] * count
