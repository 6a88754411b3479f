"""The time of no regular expression grows faster than its worst line: to a tenth of the long form's length."""

from __future__ import annotations

import pytest

from tests.hostile import patterns
from tests.hostile.patterns import Pattern, Use, in_node, in_python, steep, uses

QUADRATIC = r"\s+$"


def test_those_of_python_are_linear() -> None:
    found = [use for use in uses() if not use.told.split(":")[0].endswith(".js")]
    assert len(found) > 50
    assert [told for use in found for told in steep(use, patterns.LENGTHS[:2])] == []


@pytest.mark.node
def test_those_of_the_front_end_are_linear() -> None:
    found = [use for use in uses() if use.told.split(":")[0].endswith(".js")]
    assert len(found) > 10
    assert [told for use in found for told in steep(use, patterns.LENGTHS[:2])] == []


def test_one_that_is_not_is_found() -> None:
    [told] = steep(in_python(Pattern("here", QUADRATIC, 0, ("search",)), "search"))
    assert told.startswith(r"here: search of '\\s+$' takes ")


@pytest.mark.node
def test_one_of_the_front_end_that_is_not_is_found() -> None:
    [told] = steep(Use("there", lambda lines, least: in_node(QUADRATIC, "", lines, least)))
    assert told.startswith("there takes ")
