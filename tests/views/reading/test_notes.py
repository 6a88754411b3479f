"""A lecturer's notes: words, and the formulas between them."""

from __future__ import annotations

import re

import pytest

import tapeviz as tv
from tapeviz.views.reading import read
from tapeviz.views.reading.notes import checked, note_card, plain_note

NOTES = {
    "words": ("The square comes first.", ["The square comes first."], "The square comes first."),
    "a formula": (r"slope $a(1 - a)$", ["slope ", ""], "slope a(1 − a)"),
    "nothing else": ("$x$", ["", ""], "x"),
    "prices": ("$5 to $6, US$7", ["$5 to $6, US$7"], "$5 to $6, US$7"),
    "escaped": (r"\$x\$", ["$x$"], "$x$"),
    "code": ("`w` is $w$", ["`w` is ", ""], "w is w"),
    "of two dollars": ("so $$a^2$$", ["so ", ""], "so a^2"),
    "letters with something above": (r"$\hat{y} - \bar{x}$", ["", ""], "ŷ − x̄"),
    "letters in other styles": (r"$\mathbf{w} \in \mathbb{R}$", ["", ""], "𝐰 ∈ ℝ"),
    "a power of brackets": (r"$(1+e^{-z})^2$", ["", ""], "(1 + e^(−z))^2"),
    "derivatives as marks": ("$f''(x) = g'(x)$", ["", ""], "f″(x) = g′(x)"),
    "a derivative": (r"$\frac{\partial y}{\partial w}$", ["", ""], "∂y / ∂w"),
    "markup": ("<b>$<i>$</b>", ["<b>", "</b>"], "<b>< i ></b>"),
}


@pytest.mark.parametrize(("note", "words", "line"), NOTES.values(), ids=NOTES)
def test_words_and_formulas(note: str, words: list[str], line: str) -> None:
    card = note_card(note)
    assert card["words"] == words
    assert all(each["math"].startswith("<math>") and "<i>" not in each["math"] for each in card["formulas"])
    assert len(card["formulas"]) == len(words) - 1
    assert plain_note(note).replace("\N{NO-BREAK SPACE}", " ") == line


@pytest.mark.parametrize(
    ("note", "words"),
    [
        (r"$\frac{1{2}$", r"the note for step 1: in `$\frac{1{2}$` a brace is not closed."),
        ("$2}$", "the note for step 1: in `$2}$` a brace is closed that was not opened."),
        (r"$\sigmoid(x)$", r"the note for step 1: in `$\sigmoid(x)$` `\sigmoid` is not known."),
        (r"$\left( x$", r"the note for step 1: in `$\left( x$` it is no LaTeX."),
    ],
)
def test_a_formula_that_cannot_be_set_is_refused(note: str, words: str) -> None:
    x = tv.Variable(1.0)
    with tv.GradientTape() as tape:
        y = tv.square(x)
    tape.gradient(y, x)
    with pytest.raises(ValueError, match=f"^{re.escape(words)}$"):
        checked({1: note}, read(tape))
