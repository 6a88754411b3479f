"""The time of no regular expression grows faster than its worst line: some of them, to a tenth of the longest line."""

from __future__ import annotations

import pytest

from tests.hostile import patterns
from tests.hostile.patterns import Pattern, Use, in_node, in_python, steep, uses
from tests.sampling import sample

QUADRATIC = r"\s+$"
TRIED = 8


def wrong(suffix: str, least: int) -> list[str]:
    """What grows too fast, of some uses in files of a kind; `python -m tests.hostile patterns` tries them all."""
    found = [use for use in uses() if suffix in use.told.split(":")[0]]
    assert len(found) >= least
    tried = sample(found, TRIED, lambda use: use.told)
    return [told for use in tried for told in steep(use, patterns.LENGTHS[:2])]


def test_those_of_python_are_linear() -> None:
    assert wrong(".py", least=50) == []


@pytest.mark.node
def test_those_of_the_front_end_are_linear() -> None:
    assert wrong(".js", least=10) == []


def test_one_that_is_not_is_found() -> None:
    [told] = steep(in_python(Pattern("here", QUADRATIC, 0, ("search",)), "search"))
    assert told.startswith(r"here: search of '\\s+$' takes ")


@pytest.mark.node
def test_one_of_the_front_end_that_is_not_is_found() -> None:
    [told] = steep(Use("there", lambda lines, least: in_node(QUADRATIC, "", lines, least)))
    assert told.startswith("there takes ")
