"""Long texts, shortened."""

from __future__ import annotations

import pytest

from tapeviz.views.words.one_line import distinct, shortened


@pytest.mark.parametrize(("text", "short"), [("abcdef", "abcd…"), ("abcde", "abcde"), ("", "")])
def test_a_long_name_is_cut_at_its_end(text: str, short: str) -> None:
    assert shortened(text, 5) == short


def test_names_that_differ_do_not_read_alike() -> None:
    names = [f"transformer.h.{block}.{norm}.weight" for block in range(12) for norm in ("ln_1", "ln_2")]
    short = distinct([*names, "loss"], 18)
    assert len(set(short)) == len(names) + 1
    assert max(map(len, short)) <= 18
    assert distinct(["a" * 30 + "x", "a" * 30 + "y"], 18) == ["a" * 30 + "x", "a" * 30 + "y"]
