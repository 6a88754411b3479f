"""Long texts, shortened."""

from __future__ import annotations

import pytest

from tapeviz.views.words.one_line import shortened


@pytest.mark.parametrize(("text", "short"), [("abcdef", "abcd…"), ("abcde", "abcde"), ("", "")])
def test_a_long_name_is_cut_at_its_end(text: str, short: str) -> None:
    assert shortened(text, 5) == short
