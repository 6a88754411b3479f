"""Widths of labels: never less than a browser would need."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import pytest
from fontTools.ttLib import TTFont

from tapeviz.views.scene.metrics import text_width

FONTS = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
LABELS = [
    "matmul",
    "softmax_cross_entropy",
    "W1 (784, 256)",
    "∂L/∂θ₁ ≈ −1.5e-3",
    "λ·x² → ŷ",
    "Größe",
    "x",
    "",
]


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize(("file", "bold"), [("DejaVuSans.ttf", False), ("DejaVuSans-Bold.ttf", True)])
def test_a_label_fits(label, file, bold):
    font = TTFont(FONTS / file)
    glyphs = font.getBestCmap()
    advance = sum(font["hmtx"][glyphs[ord(character)]][0] for character in label)
    needed = advance / font["head"].unitsPerEm * 13
    assert needed <= text_width(label, 13.0, bold=bold) <= 1.25 * needed


def test_characters_of_no_table_take_room_and_marks_take_none():
    assert text_width("щ", 10.0) >= 9.5
    assert text_width("層", 10.0) == 13
    assert text_width("e\u0301", 10.0) == text_width("e", 10.0)
