"""ES module -> the same module without what only its readers need: comments, white space, long names, `const`.

Every widget and every page carries it along. It is no minifier of any JavaScript, but of ours: statements end in
semicolons, none is empty, no regular expression follows a closing parenthesis, and nothing that a function declares has
the name of something of the browser's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from tapeviz.views.frontend.renamed import CLOSING, NAME, OPENING, VARIABLES, renamed, short_names

TOKEN = re.compile(
    r"""(?:(\#?[\w$]+|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`|\+\+|--|=>|\.{3}|[^\s/])   # a token without a slash,
    |(?:/\*.*?\*/|//[^\n]*)                                                     # a comment,
    |(?<![\w)\]\s])\s*(/(?![*/])(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\n])+/\w*)       # a regular expression,
    |(/)                                                                         # a sign of division,
    |\s+)                                                                        # or space;
    (?:\s+(?![\s/]))?                                                            # and space ahead of no expression""",
    re.DOTALL | re.VERBOSE,
)
TEMPLATE = re.compile(r"(?:\\.|\$(?!\{)|[^`\\$])*(?:`|\$\{)", re.DOTALL)
"""The text of a template up to what is computed in it, or up to its end."""
BETWEEN = "\0"
MEETING = re.compile(r"\0(?:(?<=[\w$#]\0)(?=[\w$#])|(?<=\+\0)(?=\+)|(?<=-\0)(?=-))", re.ASCII)
"""Where two tokens would be read as one."""
PRIVATE = re.compile(r"#\w+")
ENDING = CLOSING | {"=>"}
"""Ahead of these some tokens are not needed."""
STARTS = frozenset(";{")
"""After these a statement begins."""
OURS = {
    *("across", "actions", "area", "arrived", "aspect", "bands", "bottoms", "boxAt", "byStep", "carried", "centre"),
    *("choose", "contradicted", "contributions", "corners", "cost", "covered", "crossings", "dragged", "edgeIds"),
    *("element", "equation", "extent", "falling", "field", "focused", "follow", "foot", "frames", "gradientOf"),
    *("holding", "iconButtons", "inspector", "isCrowd", "isNone", "joined", "layer", "layers", "leaving", "letters"),
    *("lowered", "measured", "moment", "multiplies", "namesIn", "occupied", "ofBox", "ofBoxes", "ofEdges"),
    *("onMove", "onWire", "onWords", "opAt", "parsed", "peak", "pendants", "pictures", "placed"),
    *("reachable", "rebuilt", "repaint", "ruleAt", "seen", "seenAs", "shapeOf", "sight", "stale", "stateOf"),
    *("stateOfEdges", "stepsOf", "stopOf", "sweep", "taken", "tensorsOf", "timeline", "told", "tops", "trunks"),
    *("viewport", "walk", "world", "worst", "zoomAt"),
}
"""Names of ours that are properties, too, and often: none is used of the browser's, no payload has them, and no text
names them."""
SHORTER = {"const": "let", "true": "!0", "false": "!1"}
"""Shorter words that do the same: nothing assigns to what is declared as `const`, and no property is called true."""
OFTEN = 3
"""A function of `Math` that is called so often is a variable."""


def minified(source: str) -> str:
    r"""The same program, shorter.

    >>> minified(
    ...     "/** Doc. */\nclass A {\n  #long = 1;\n\n  get b() {\n    return `a  ${this.#long + 1}`; // why\n  }\n}\n"
    ... )
    'class A{#a=1;get b(){return`a  ${this.#a+1}`}}'
    """
    found = renamed(_maths(list(tokens(source))), OURS)
    private = (token for token, _ in Counter(found).most_common() if PRIVATE.fullmatch(token))
    short = SHORTER | {name: f"#{new}" for name, new in zip(private, short_names(set()), strict=False)}
    parts = [";"]
    for token in _joined(found):
        if token in ENDING:
            # A function of one parameter does without brackets around it.
            if token == "=>" and parts[-3:-2] == ["("] and parts[-1] == ")" and NAME.fullmatch(parts[-2]):
                parts[-3:] = [parts[-2]]
            # A comma before a closing bracket is for the diff.
            elif token in CLOSING and parts[-1] == "," and parts[-2] not in (",", "["):
                parts.pop()
            # A statement at the end of a block needs no end of its own.
            if token == "}" and parts[-1] == ";":
                parts.pop()
        parts.append(short.get(token, token))
    return MEETING.sub(" ", BETWEEN.join(parts[1:])).replace(BETWEEN, "")


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
        for found in TOKEN.finditer(source, at):
            at = found.end()
            if found.lastindex is None:
                continue
            token = found[found.lastindex]
            yield token
            if token == "`":
                depth.append(0)
            elif not depth or token not in "{}":
                continue
            else:
                depth[-1] += 1 if token == "{" else -1
            if depth[-1] == 0:
                at = found.end(1)  # the space behind it is the template's
                break


def _maths(tokens: list[str]) -> list[str]:
    """The same tokens, of which a function of `Math` that is called often is a variable."""
    starts = [at for at, token in enumerate(tokens) if token == "Math" and tokens[at + 1] == "."]
    called = Counter(tokens[at + 2] for at in starts)
    often = [name for name, times in called.most_common() if times >= OFTEN]
    for at in reversed(starts):
        if tokens[at + 2] in often:
            tokens[at : at + 3] = [f"Math_{tokens[at + 2]}"]
    listed = [part for name in often for part in (name, ":", f"Math_{name}", ",")]
    return ["const", "{", *listed, "}", "=", "Math", ";", *tokens] if often else tokens


def _joined(tokens: list[str]) -> Iterator[str]:
    """The same tokens, with variables that are declared one after the other in one statement."""
    declares = [False]  # whether the statement is one of variables, in each of the open brackets
    before = ";"
    for token, after in pairwise([*tokens, ""]):
        if before == "," and token in VARIABLES:
            before = token
            continue
        if before in STARTS or (before == "}" and NAME.fullmatch(token)):  # else an object or a function ends there
            declares[-1] = token in VARIABLES
        if token[-1] in OPENING:
            declares.append(False)
        elif token in CLOSING:
            declares.pop()
        elif token == ";" and declares[-1] and after in VARIABLES:
            token = ","
        yield token
        before = token
