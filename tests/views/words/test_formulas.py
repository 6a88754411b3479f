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


@pytest.mark.parametrize(
    "template",
    [
        "{x} & {g}",
        r"\text{x < y} {g}",
        r"\begin{nonsense} {g} \end{nonsense}",
        "{g}^",
        "_{g} ^",
        r"\frac{{g}}",
        r"\left( {g}",
        r"\nosuchcommand{{g}}",
        "{g}" + "^{x" * 400,
        "{g} + " * 2_000,
        "</math><script>{g}",
    ],
    ids=lambda template: template[:24],
)
def test_what_is_no_latex_is_shown_as_text(template: str) -> None:
    """Nothing fails over a formula, and nothing of it is lost: neither what is written nor the places in it."""
    root = ElementTree.fromstring(mathml(template))
    words, line = "".join(root.itertext()), plain(template)
    assert "{g}" in words
    assert "qq" not in words + line
    assert {each.tag for each in root.iter()} & {"script", "style"} == set()
    if template in words:  # it was taken for no LaTeX
        assert "".join(template.split()) in "".join(line.split())
