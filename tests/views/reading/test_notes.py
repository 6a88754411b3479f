"""A lecturer's notes: words, and the formulas between them."""

from __future__ import annotations

import pytest

from tapeviz.views.reading.notes import note_card, plain_note

NOTES = {
    "words": ("The square comes first.", ["The square comes first."], "The square comes first."),
    "a formula": (r"slope $a(1 - a)$", ["slope ", ""], "slope a(1 − a)"),
    "nothing else": ("$x$", ["", ""], "x"),
    "prices": ("$5 to $6, US$7", ["$5 to $6, US$7"], "$5 to $6, US$7"),
    "escaped": (r"\$x\$", ["$x$"], "$x$"),
    "code": ("`w` is $w$", ["`w` is ", ""], "w is w"),
    "markup": ("<b>$<i>$</b>", ["<b>", "</b>"], "<b>< i ></b>"),
}


@pytest.mark.parametrize(("note", "words", "line"), NOTES.values(), ids=NOTES)
def test_words_and_formulas(note: str, words: list[str], line: str) -> None:
    card = note_card(note)
    assert card["words"] == words
    assert all(each["math"].startswith("<math>") and "<i>" not in each["math"] for each in card["formulas"])
    assert len(card["formulas"]) == len(words) - 1
    assert plain_note(note) == line
