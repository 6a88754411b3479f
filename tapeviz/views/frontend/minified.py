"""ES module -> the same module without what only its readers need: comments, white space, long names, `const`.

Every widget and every page carries it along. It is no minifier of any JavaScript, but of ours: statements end in
semicolons, none is empty, no regular expression follows a closing parenthesis, and nothing that a function declares has
the name of something of the browser's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import count, pairwise, product
from string import ascii_letters

TOKEN = re.compile(
    r"""(?P<comment>/\*.*?\*/|//[^\n]*)
    |(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
    |(?P<template>`)
    |(?P<regex>(?<![\w)\]\s])\s*/(?![*/])(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\n])+/\w*)
    |(?P<word>\#?[\w$]+)
    |(?P<space>\s+)
    |(?P<sign>\+\+|--|=>|.)""",
    re.DOTALL | re.VERBOSE,
)
TEMPLATE = re.compile(r"(?:\\.|\$(?!\{)|[^`\\$])*(?:`|\$\{)", re.DOTALL)
"""The text of a template up to what is computed in it, or up to its end."""
APART = re.compile(r"[\w$#][\w$#]|\+\+|--")
"""What two tokens must not form where they meet."""
NAME = re.compile(r"[A-Za-z_$][\w$]*")
VARIABLES = ("const", "let")
DECLARING = (*VARIABLES, "function", "class")
OPENING, CLOSING = ("(", "[", "{"), (")", "]", "}")
RESERVED = {"as", "do", "if", "in", "is", "of"}
"""Short words that cannot be names, whether the module uses them or not."""
IN_PLACES = {"as", "async", "from", "get", "of", "set", "static"}
"""Words that are keywords in some places, and names in others."""
OURS = {"across", "actions", "contradicted", "contributions", "covered", "crossings", "element", "extent", "measured"}
OURS |= {"moment", "pictures", "placed", "sight", "timeline", "viewport", "world"}
"""Names of ours that are properties, too, and often: no browser has them, no payload, and no text names them."""
SHORTER = {"const": "let"}
"""Shorter words that do the same: nothing assigns to what is declared as `const`."""


def minified(source: str) -> str:
    r"""The same program, shorter.

    >>> minified(
    ...     "/** Doc. */\nclass A {\n  #long = 1;\n\n  get b() {\n    return `a  ${this.#long + 1}`; // why\n  }\n}\n"
    ... )
    'class A{#a=1;get b(){return`a  ${this.#a+1}`}}'
    """
    found = list(tokens(source))
    private = Counter(token for token in found if re.fullmatch(r"#\w+", token))
    short = SHORTER | {name: f"#{new}" for (name, _), new in zip(private.most_common(), _names(set()), strict=False)}
    own = _own(found)
    counts = Counter(token for token in found if token in own)
    fresh = _names(set(found) | RESERVED)
    short |= {name: new for (name, _), new in zip(counts.most_common(), fresh, strict=False) if len(new) < len(name)}
    parts: list[str] = []
    for token in _joined(found):
        text = short.get(token, token)
        # A function of one parameter does without brackets around it.
        if text == "=>" and parts[-3:-2] == ["("] and parts[-1] == ")" and NAME.fullmatch(parts[-2]):
            name = parts[-2]
            del parts[-3:]
            _add(parts, name)
        # A comma before a closing bracket is for the diff.
        if text in CLOSING and parts and parts[-1] == "," and parts[-2:-1] != [","] and parts[-2:-1] != ["["]:
            parts.pop()
        # A statement at the end of a block needs no end of its own.
        if text == "}" and parts and parts[-1] == ";":
            parts.pop()
        _add(parts, text)
    return "".join(parts)


def _add(parts: list[str], text: str) -> None:
    """Add a text, apart from the one before where they would read as one."""
    if parts and APART.fullmatch(parts[-1][-1:] + text[:1]):
        parts.append(" ")
    parts.append(text)


def tokens(source: str) -> Iterator[str]:
    """What counts of a program; a template is texts, with the tokens of what is computed in it between."""
    depth: list[int] = []  # of open braces, in each template that is being read
    at = 0
    while at < len(source):
        if depth and depth[-1] == 0:
            piece = TEMPLATE.match(source, at)
            assert piece is not None
            at = piece.end()
            yield piece[0]
            depth[-1:] = [1] if piece[0].endswith("${") else []
            continue
        found = TOKEN.match(source, at)
        assert found is not None
        at = found.end()
        if found.lastgroup in ("space", "comment"):
            continue
        token = found[0].strip()
        if depth and token in "{}":
            depth[-1] += 1 if token == "{" else -1
        if token == "`":
            depth.append(0)
        yield token


def _opens(token: str) -> bool:
    return token in OPENING or token.endswith("${")


def _joined(tokens: list[str]) -> Iterator[str]:
    """The same tokens, with variables that are declared one after the other in one statement."""
    declares = [False]  # whether the statement is one of variables, in each of the open brackets
    before = ";"
    for token, after in pairwise([*tokens, ""]):
        if before == "," and token in VARIABLES:
            before = token
            continue
        if before in (";", "{") or (before == "}" and NAME.fullmatch(token)):  # else an object or a function ends there
            declares[-1] = token in VARIABLES
        if _opens(token):
            declares.append(False)
        elif token in CLOSING:
            declares.pop()
        elif token == ";" and declares[-1] and after in VARIABLES:
            token = ","
        yield token
        before = token


def _own(tokens: list[str]) -> set[str]:
    """The names that the module declares, wherever, and neither exports nor uses as the name of a property, and OURS.

    A name is one token wherever it stands, so giving it another everywhere changes no meaning, even where functions
    have variables of that name.
    """
    declared = set(_parameters(tokens))
    kept: set[str] = set()
    open_brackets: list[str] = []
    for at, token in enumerate(tokens):
        before, after = tokens[at - 1] if at else "", tokens[at + 1] if at + 1 < len(tokens) else ""
        if NAME.fullmatch(token):
            inside = open_brackets[-1] if open_brackets else ""
            if before in DECLARING:
                (kept if "export" in tokens[max(0, at - 3) : at] else declared).add(token)
            shorthand = inside == "{" and before in ("{", ",") and after in (",", "}", "=")
            if before == "." or shorthand or (after == ":" and before != "?"):
                kept.add(token)
        elif _opens(token):
            open_brackets.append(token[-1])
        elif token in CLOSING:
            open_brackets.pop()
    return (declared - kept - IN_PLACES) | OURS


def _parameters(tokens: list[str]) -> Iterator[str]:
    """The names in lists of parameters and of what is caught, and those in brackets that a statement declares."""
    opened: list[tuple[int, list[str]]] = []  # where each bracket opens, and the names that stand alone in it
    for at, token in enumerate(tokens):
        before, after = tokens[at - 1] if at else "", tokens[at + 1] if at + 1 < len(tokens) else ""
        if NAME.fullmatch(token) and opened and before in ("(", "[", ",", "...") and after in (")", "]", ",", "="):
            opened[-1][1].append(token)
        elif _opens(token):
            opened.append((at, []))
        elif token in CLOSING:
            start, names = opened.pop()
            head = tokens[start - 1] if start else ""
            lists = token == ")" and (after == "=>" or (after == "{" and head not in ("if", "for", "while", "switch")))
            if lists or (token == "]" and head in VARIABLES):
                yield from names


def _names(taken: set[str]) -> Iterator[str]:
    for length in count(1):
        yield from (name for name in map("".join, product(ascii_letters, repeat=length)) if name not in taken)
