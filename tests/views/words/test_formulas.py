"""Templates -> MathML and lines of text, with places for names."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from tapeviz.events import catalog
from tapeviz.views.words.formulas import TIMES, mathml, plain

TEMPLATES = sorted(
    {template for row in catalog.ROWS.values() for template in (row.formula, *row.vjps.values()) if template}
)
KNOWN = {name for row in catalog.ROWS.values() for name in row.arguments} | {"g", "out"}


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_template_of_the_catalog_is_well_formed_and_keeps_its_places(template: str) -> None:
    root = ElementTree.fromstring(mathml(template))
    words = "".join(root.itertext())
    assert "qq" not in words + plain(template)
    assert "\\" not in words
    places = {word.text[1:-1] for word in root.iter("mi") if (word.text or "").startswith("{") and word.text}
    assert places == set(re.findall(r"\{\(?(\w+)\)?\}", plain(template)))
    wanted = set(re.findall(r"\{([A-Za-z_]\w*)\}", re.sub(r"\\(text|mathrm|mathsf|operatorname)\{\w+\}", "", template)))
    assert places == wanted
    assert not wanted or wanted & KNOWN


@pytest.mark.parametrize(
    ("template", "line"),
    [
        (r"\frac{{g}}{{x}}", "{(g)} / {(x)}"),
        (r"\frac{{g}\,{x}}{{y}^{2}}", "({g} {x}) / ({(y)}^2)"),
        (r"{g} \cdot 2 {x}", "{g} · 2*{x}"),
        (r"{x}^{\top} {g}", "{(x)}ᵀ*{g}"),
        (r"{x}^{\mathsf{T}} \, {g}", "{(x)}ᵀ {g}"),
        (r"\frac{{g}}{\sqrt{1 - {x}^{2}}}", "{(g)} / √(1 − {(x)}^2)"),
        (r"{g} \cdot (1 - {out}^{2})", "{g} · (1 − {(out)}^2)"),
        (r"\sqrt{{x}}", "√{(x)}"),
        (r"\max({x}, {y})", "max ({x}, {y})"),
        (r"e^{{x}} - 1", "e^{(x)} − 1"),
        (r"{x} {g}", "{x}*{g}"),
        (r"{x} \text{ or } {g}", "{x} or {g}"),
        (r"2 {x}^{2} \ln {g}", "2*{(x)}^2 ln {g}"),
    ],
)
def test_a_formula_reads_as_one_line(template: str, line: str) -> None:
    assert plain(template).replace(TIMES, "*") == line
