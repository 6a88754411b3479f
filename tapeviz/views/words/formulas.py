"""The catalog's LaTeX templates -> MathML, and lines of plain text, with places where names belong.

A place is the name of the placeholder in braces: `<mi>{x}</mi>` in MathML, `{x}` in a line. Whoever shows a formula
puts names there as text, so that no name, whatever it holds, can be read as LaTeX or as markup.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from html import unescape
from xml.etree import ElementTree

_PLACEHOLDER = re.compile(r"(?<!\\text)(?<!\\mathrm)(?<!\\mathsf)(?<!\\operatorname)\{([A-Za-z_][A-Za-z_0-9]*)\}")
_MARK = re.compile(r"qq(\w+)qq")
_WORD = re.compile(r"[∂∇]?[\w.]*|√?\(([^()]|\(([^()]|\([^()]*\))*\))*\)")
"""What needs no parentheses where a formula asks for them: a word, or what one pair of them is around already."""
TIMES = "\N{INVISIBLE TIMES}"
"""Stands between two factors; where they are numbers, a visible sign has to."""
LONGEST = 2000
"""Characters of a template that is converted."""
_OPENING, _CLOSING = re.compile(r"(?<!\\)\{"), re.compile(r"(?<!\\)\}")
_ACCENTS = {"^": "\u0302", "~": "\u0303", "¯": "\u0304", "˙": "\u0307", "¨": "\u0308", "→": "\u20d7", "⃗": "\u20d7"}
"""A sign above a letter -> the character that puts it there."""
_BEHIND = {"⊤": "ᵀ", "𝖳": "ᵀ", "′": "′", "″": "″"}
"""A sign that is raised behind a letter -> the character that stands there as high: a transpose, derivatives."""
_TIGHT = "()[]|‖∂∇"
"""Signs that nothing stands apart from."""
_ROWS = {"math", "mrow", "msqrt", "mtd"}
_FACTORS = {"mn", "mtext", "msup", "mfrac", "msqrt"}


@lru_cache(maxsize=1024)
def mathml(template: str) -> str:
    """A template as one `<math>` element of well-formed XML, with a place for each of its `{placeholders}`.

    It declares no namespace: in HTML `<math>` needs none.

    >>> mathml(r"{x}^2")
    '<math><msup><mi>{x}</mi><mn>2</mn></msup></math>'
    """
    return re.sub(r"<mtext>qq(\w+)qq</mtext>", r"<mi>{\1}</mi>", ElementTree.tostring(_converted(template), "unicode"))


@lru_cache(maxsize=1024)
def plain(template: str) -> str:
    """A template as one line of text, for screen readers and terminals.

    A place that needs parentheses unless a single word comes there is written `{(x)}`. Between factors that stand side
    by side there is an invisible sign of multiplication.

    >>> plain(r"\\frac{{g}}{2 \\sqrt{{x}}}").replace(TIMES, "*")
    '{(g)} / (2*√{(x)})'
    """
    return _MARK.sub(r"{\1}", _line(_converted(template)))


def _line(root: ElementTree.Element) -> str:
    return re.sub(rf" ?{TIMES} ?", TIMES, " ".join(_linear(root).split()))


def written(latex: str) -> tuple[str, str]:
    """LaTeX of the user's, in which braces are no places, as MathML and as a line.

    Raises:
        ValueError: it is no LaTeX that can be set, and what of it is not.

    >>> written(r"\\hat{y}^2")
    ('<math><msup><mover accent="true"><mi>y</mi><mo>^</mo></mover><mn>2</mn></msup></math>', 'ŷ^2')
    """
    if (unmatched := len(_OPENING.findall(latex)) - len(_CLOSING.findall(latex))) != 0:
        raise ValueError(f"a brace is {'not closed' if unmatched > 0 else 'closed that was not opened'}")
    try:
        root = _unwrapped(_parsed(latex))
    except Exception:  # whatever the converter happens to raise
        raise ValueError("it is no LaTeX") from None
    unknown = next((each.text for each in root.iter() if each.tag == "mi" and (each.text or "").startswith("\\")), None)
    if unknown:
        raise ValueError(f"`{unknown}` is not known")
    return ElementTree.tostring(root, "unicode"), _line(root)


@lru_cache(maxsize=1024)
def _converted(template: str) -> ElementTree.Element:
    """MathML with a mark for each placeholder; of what the converter does not take, the template as text."""
    try:
        return _unwrapped(_parsed(_PLACEHOLDER.sub(r"{\\text{qq\1qq}}", template)))
    except Exception:  # it raises what it happens to, for a script without a base as for an unknown environment
        return _quoted(template)


def _parsed(latex: str) -> ElementTree.Element:
    from latex2mathml.converter import convert_to_element

    if len(latex) > LONGEST:
        raise ValueError("a formula as long as this is none")
    root = convert_to_element(latex)
    root.attrib.clear()
    for each in root.iter():
        each.text = each.text and unescape(each.text)  # it writes signs as entities
    return root


def _quoted(template: str) -> ElementTree.Element:
    root = ElementTree.Element("math")
    for index, part in enumerate(_PLACEHOLDER.split(template)):
        ElementTree.SubElement(root, "mtext").text = f"qq{part}qq" if index % 2 else part
    return root


def _unwrapped(element: ElementTree.Element) -> ElementTree.Element:
    """The element without rows of a single thing, which the converter makes of every brace; products made explicit."""
    for index, child in enumerate(element):
        while child.tag == "mrow" and len(child) == 1:
            child = child[0]
        element[index] = _unwrapped(child)
    if element.tag in _ROWS:
        for index in range(len(element) - 1, 0, -1):
            if _is_factor(element[index - 1]) and _is_factor(element[index]):
                times = ElementTree.Element("mo")
                times.text = TIMES
                element.insert(index, times)
    return element


def _is_factor(element: ElementTree.Element) -> bool:
    """Whether what stands beside an element is multiplied with it; a word is not."""
    word = element.tag == "mtext" and not (element.text or "").startswith("qq")
    of_bracket = element.tag == "msup" and element[0].tag == "mo"
    return element.tag in _FACTORS and not word and not of_bracket


def _linear(element: ElementTree.Element) -> str:
    parts = [_linear(child) for child in element]
    tag = element.tag
    match tag, parts:
        case "mfrac", [above, below]:
            return f"{_grouped(above)} / {_grouped(below)}"
        case "msup", [base, power] if sign := _BEHIND.get(power.strip()):
            return f"{_grouped(base)}{sign}"
        case "mover", [base, above] if (accent := _ACCENTS.get(above.strip())) and len(base.strip()) == 1:
            return unicodedata.normalize("NFC", base.strip() + accent)
        case "msup", [")", power]:
            return f")^{_grouped(power)}"
        case "msup", [base, power]:
            return f"{_grouped(base)}^{_grouped(power)}"
        case "msub", [base, index]:
            return f"{base.strip()}_{_grouped(index)}"
        case "msubsup", [base, index, power]:
            return f"{base.strip()}_{_grouped(index)}^{_grouped(power)}"
        case "msqrt", _:
            return f"√{_grouped(' '.join(parts))}"
        case "mtd", _:
            return f"{' '.join(parts)} "
        case "mtr", _:
            return f"{' '.join(parts)}; "
    if not parts:
        text = element.text or ""
        return f"{text} " if text == "," else f" {text} " if tag == "mo" and text not in _TIGHT else text
    return _joined(parts)


def _joined(parts: list[str]) -> str:
    """Parts side by side, with a space between two words."""
    text = ""
    for index, part in enumerate(parts):
        if index == 0 and part.strip() in ("−", "-"):  # a sign, and no difference
            text = part.strip()
            continue
        touching = text and part and (text[-1].isalnum() or text[-1] in "_)]") and (part[0].isalnum() or part[0] == "√")
        text += f" {part}" if touching else part
    return text


def _grouped(text: str) -> str:
    """In parentheses, where it is more than a word."""
    stripped = text.strip()
    mark = _MARK.fullmatch(stripped)
    if mark:
        return f"{{({mark[1]})}}"
    return grouped(stripped)


def grouped(text: str) -> str:
    """A term, in parentheses unless it is a word or stands in parentheses already.

    >>> [grouped(each) for each in ("x", "x + 1", "√((x)(1))", "(x + 1)(x - 1)")]
    ['x', '(x + 1)', '√((x)(1))', '((x + 1)(x - 1))']
    """
    return text if _WORD.fullmatch(text) else f"({text})"
