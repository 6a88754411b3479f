"""What a program does with what it finds at `.grad`, told by its text."""

from __future__ import annotations

import pytest

from tapeviz.events import Site
from tapeviz.source.grad_use import GradUse, grad_use
from tapeviz.source.text import SourceText


@pytest.mark.parametrize(
    ("program", "use"),
    [
        ("for p in ps:\n    g = p.grad\n    if g is None:\n        continue\n    g.norm()\n", GradUse.TESTED),
        ("g = p.grad\nif g is not None:\n    g.norm()\n", GradUse.TESTED),
        ("if (g := p.grad) is not None:\n    g.norm()\n", GradUse.TESTED),
        ("g = p.grad\nif g is None:\n    raise ValueError\n", GradUse.MISSED),
        ("def f(p):\n    g = p.grad\n    if g is None:\n        return\n", GradUse.GIVEN_UP),
        ("g = p.grad\nif h is None:\n    pass\n", GradUse.READ),
        ("g = p.grad\nprint(g)\n", GradUse.READ),
        ("g = p.grad\n", GradUse.READ),
    ],
)
def test_a_gradient_that_gets_a_name_is_tested_by_that(program: str, use: GradUse) -> None:
    [(number, line)] = [each for each in enumerate(program.splitlines(), 1) if "p.grad" in each[1]]
    at = line.index("p.grad")
    site = Site("a.py", number, number, at, at + len("p.grad"), "<module>", line)
    assert grad_use(SourceText(program.splitlines(keepends=True)), site) is use
