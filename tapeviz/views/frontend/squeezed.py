"""ES module -> the same module without what only its readers need: comments, white space, long private names.

Every widget and every page carries it along. It is no minifier of any JavaScript, but of ours: statements end in
semicolons, and no regular expression follows a closing parenthesis.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import count, product
from string import ascii_letters

TOKEN = re.compile(
    r"""(?P<comment>/\*.*?\*/|//[^\n]*)
    |(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
    |(?P<template>`)
    |(?P<regex>(?<![\w)\]\s])\s*/(?![*/])(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\n])+/\w*)
    |(?P<word>\#?[\w$]+)
    |(?P<space>\s+)
    |(?P<sign>\+\+|--|.)""",
    re.DOTALL | re.VERBOSE,
)
TEMPLATE = re.compile(r"(?:\\.|\$(?!\{)|[^`\\$])*(?:`|\$\{)", re.DOTALL)
"""The text of a template up to what is computed in it, or up to its end."""
APART = re.compile(r"[\w$#][\w$#]|\+\+|--")
"""What two tokens must not become where they meet."""


def squeezed(source: str) -> str:
    r"""The same program, shorter.

    >>> squeezed(
    ...     "/** Doc. */\nclass A {\n  #long = 1;\n\n  get b() {\n    return `a  ${this.#long + 1}`; // why\n  }\n}\n"
    ... )
    'class A{#a=1;get b(){return`a  ${this.#a+1}`;}}'
    """
    tokens = list(_tokens(source))
    private = Counter(token for token in tokens if re.fullmatch(r"#\w+", token))
    short = {name: f"#{new}" for (name, _), new in zip(private.most_common(), _names(), strict=False)}
    parts: list[str] = []
    for token in tokens:
        text = short.get(token, token)
        if parts and APART.fullmatch(parts[-1][-1:] + text[:1]):
            parts.append(" ")
        # A comma before a closing bracket is for the diff.
        if text in (")", "]", "}") and parts and parts[-1] == "," and parts[-2:-1] != [","] and parts[-2:-1] != ["["]:
            parts.pop()
        parts.append(text)
    return "".join(parts)


def _tokens(source: str) -> Iterator[str]:
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


def _names() -> Iterator[str]:
    for length in count(1):
        yield from map("".join, product(ascii_letters, repeat=length))
