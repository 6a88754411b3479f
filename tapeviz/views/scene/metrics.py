"""A label and a font size -> its width in px, the same on every machine.

Boxes get their sizes here and nowhere else; the front end takes them from the payload and measures nothing. The tables
hold, for every character, the wider of DejaVu Sans and Helvetica (Arial has the same widths), in hundredths of the
font size, rounded up: in these and in narrower fonts a label stays inside its box.
"""

from __future__ import annotations

from functools import lru_cache
from unicodedata import category, east_asian_width, normalize

_REGULAR = {
    23: "′",
    28: "'ijl",
    30: "IΙΪ",
    32: " ,.·‘’",
    34: "/:;\\|ίι",
    36: "f",
    37: "-",
    40: "()[]tⁿ",
    41: "!²³¹⁰⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉",
    42: "r",
    46: '"',
    50: "*J`°",
    52: "“”∂",
    53: "sz⁺⁻",
    55: "cέεζ",
    56: "?L_–Γνξ",
    58: "kΰυχ",
    59: "κς",
    60: "vxyγλ",
    61: "Ρπτ",
    62: "FTaeoΤΥΫδθο",
    64: "$0123456789bdghnpqu{}µ√ΕΞΣήβημρσ",
    66: "Κάαφψ",
    67: "EKPSY∇",
    68: "∑",
    69: "ABVXZΑΒΔΖΛΧ",
    73: "CR",
    74: "U",
    75: "NΝ",
    76: "H∏ΗΠ",
    77: "Ω",
    78: "&DG",
    79: "OQΘΟΦΨ",
    82: "w",
    84: "#+<=>^~±×÷→←↑↓↦∞≈≠≤≥⊙ω",
    87: "MΜ",
    88: "∈",
    96: "%",
    97: "½",
    98: "m",
    99: "W",
    100: "…—",
    102: "@",
}
_BOLD = {
    27: "′",
    31: "'",
    35: " ijl",
    37: "/\\|",
    38: ",.I·‘’ΙΪ",
    39: "ίι",
    40: ":;",
    42: "-",
    44: "f²³¹⁰⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉",
    46: "!()[]ⁿ",
    48: "t",
    50: "`r°",
    53: '"*⁺⁻',
    55: "∂",
    56: "J_–έε",
    59: "z",
    60: "csζξς",
    62: "?",
    64: "LΓΞλτ",
    65: "xχ",
    66: "vy“”",
    67: "k√",
    68: "aeΰυ",
    69: "EFToΕΣΤάαγδθνο",
    70: "$0123456789∇",
    72: "bdghnpqu{}∑ήβηκρ",
    73: "SYZΖΥΫ",
    74: "CPµΡμ",
    77: "BΒ",
    78: "AKRVXΑΔΚΛΧσ",
    79: "∏φ",
    80: "πψ",
    82: "U",
    83: "G",
    84: "#+<=>DHN^~±×÷→←↑↓↦∞≈≠≤≥⊙ΗΝΠ",
    85: "Ψ",
    86: "OQΘΟΦΩ",
    87: "ω",
    88: "&",
    90: "∈",
    93: "w",
    100: "@M…—Μ",
    101: "%",
    104: "½",
    105: "m",
    111: "W",
}

_OTHER = {False: 110, True: 125}
_FULL_WIDTH = 130  # Chinese, Japanese and Korean characters, and emoji


class _Widths(dict[str, int]):
    """Character -> its width; one that is not listed is looked into when it is met."""

    def __init__(self, table: dict[int, str], bold: bool) -> None:
        super().__init__((character, width) for width, characters in table.items() for character in characters)
        self._bold = bold

    def __missing__(self, character: str) -> int:
        if category(character) in ("Mn", "Me", "Cf"):
            return 0
        return _FULL_WIDTH if east_asian_width(character) in "WF" else _OTHER[self._bold]


_WIDTHS = {False: _Widths(_REGULAR, False), True: _Widths(_BOLD, True)}


@lru_cache(1 << 12)
def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Width in px of one line of `text` in a sans-serif font of `size` px; rather too wide than too narrow.

    >>> text_width("add", 10.0)
    19.0
    """
    characters = text if text.isascii() else normalize("NFD", text)  # é is an e and a mark
    return sum(map(_WIDTHS[bold].__getitem__, characters)) * size / 100
