"""Whether a number that one line reads out takes part in what another line makes, by the text alone."""

from __future__ import annotations

import pytest

from tapeviz.events import Site
from tapeviz.source.flow import reaches
from tapeviz.source.text import SourceText

READ, MADE = "x.numpy()", "constant(c)"


@pytest.mark.parametrize(
    ("between", "is_reached"),
    [
        ("c = a", True),
        ("c = np.exp(a[0]) + 1.0", True),
        ("b = a\nc = [b, b]", True),
        ("c = np.where(a > 0, a, 0.0)", True),
        ("c = np.full_like(a, a.mean())", True),
        ("c = b", False),
        ("c = a.shape[0]", False),
        ("c = len(a) * 2.0", False),
        ("c = np.ones_like(a)", False),
        ("n, *rest = a.shape\nc = np.zeros(n, a.dtype)", False),
        ("a = 1.0\nc = b", False),
    ],
)
def test_whether_a_number_reaches_a_leaf(between: str, is_reached: bool) -> None:
    """Of its shape and its dtype nothing is read out: no gradient is due to these."""
    lines = ["def f(x, b, np):", f"a = {READ}", *between.splitlines(), f"return {MADE}"]
    text = SourceText([lines[0] + "\n", *(f"    {line}\n" for line in lines[1:])])
    last = len(lines)
    start = Site("f.py", 2, 2, 8, 8 + len(READ), "f", f"a = {READ}")
    end = Site("f.py", last, last, 11, 11 + len(MADE), "f", f"return {MADE}")
    assert reaches(text, start, end) is is_reached
