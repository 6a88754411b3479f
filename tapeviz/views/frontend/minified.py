"""ES module -> the same module without what only its readers need: comments, white space, long names, `const`.

Every widget and every page carries it along. It is no minifier of any JavaScript, but of ours: statements end in
semicolons, none is empty, no regular expression follows a closing parenthesis, and nothing that a function declares has
the name of something of the browser's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Set
from itertools import count, pairwise, product
from string import ascii_letters, digits

TOKEN = re.compile(
    r"""(?:(?:/\*.*?\*/|//[^\n]*)                                                   # a comment,
    |(?<![\w)\]\s])\s*(/(?![*/])(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\n])+/\w*)       # a regular expression,
    |(\#?[\w$]+|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`|\+\+|--|=>|\S)             # another token,
    |\s+)                                                                        # or space;
    (?:\s+(?![\s/]))?                                                            # and space ahead of no expression""",
    re.DOTALL | re.VERBOSE,
)
TEMPLATE = re.compile(r"(?:\\.|\$(?!\{)|[^`\\$])*(?:`|\$\{)", re.DOTALL)
"""The text of a template up to what is computed in it, or up to its end."""
WORDS, REPEATED = frozenset(f"{ascii_letters}{digits}_$#"), "+-"
"""Of what two tokens are one where they meet; and what must not meet itself."""
NAME = re.compile(r"[A-Za-z_$][\w$]*")
PRIVATE = re.compile(r"#\w+")
VARIABLES = frozenset({"const", "let"})
DECLARING = VARIABLES | {"function", "class"}
OPENING, CLOSING = frozenset("([{"), frozenset(")]}")
"""Brackets; the text of a template opens one, too, where it ends in what is computed."""
STARTS = frozenset(";{")
"""After these a statement begins."""
LISTING, LISTED = frozenset({"(", "[", ",", "..."}), frozenset(")],=")
"""What stands before and after a name in a list."""
CONTROLLING = frozenset({"if", "for", "while", "switch"})
RESERVED = {"as", "do", "if", "in", "is", "of"}
"""Short words that cannot be names, whether the module uses them or not."""
IN_PLACES = {"as", "async", "from", "get", "of", "set", "static"}
"""Words that are keywords in some places, and names in others."""
OURS = {
    *("across", "actions", "area", "arrived", "aspect", "bands", "bottoms", "boxAt", "byStep", "carried", "centre"),
    *("choose", "contradicted", "contributions", "corners", "cost", "covered", "crossings", "dragged", "edgeIds"),
    *("element", "equation", "extent", "falling", "field", "focused", "follow", "foot", "frames", "gradientOf"),
    *("holding", "iconButtons", "inspector", "isCrowd", "isNone", "joined", "layer", "layers", "leaving", "letters"),
    *("losses", "lowered", "measured", "moment", "multiplies", "namesIn", "occupied", "ofBox", "ofBoxes", "ofEdges"),
    *("onMove", "onWire", "onWords", "opAt", "parsed", "peak", "pendants", "pictures", "placed"),
    *("reachable", "rebuilt", "repaint", "ruleAt", "seen", "seenAs", "shapeOf", "sight", "stale", "stateOf"),
    *("stateOfEdges", "stepsOf", "stopOf", "sweep", "taken", "tensorsOf", "timeline", "told", "tops", "trunks"),
    *("viewport", "walk", "world", "worst", "zoomAt"),
}
"""Names of ours that are properties, too, and often: none is used of the browser's, no payload has them, and no text
names them."""
SHORTER = {"const": "let", "true": "!0", "false": "!1"}
"""Shorter words that do the same: nothing assigns to what is declared as `const`, and no property is called true."""
MATHS = "Math."
OFTEN = 3
"""A function of `Math` that is called so often is a variable."""


def minified(source: str) -> str:
    r"""The same program, shorter.

    >>> minified(
    ...     "/** Doc. */\nclass A {\n  #long = 1;\n\n  get b() {\n    return `a  ${this.#long + 1}`; // why\n  }\n}\n"
    ... )
    'class A{#a=1;get b(){return`a  ${this.#a+1}`}}'
    """
    found = _maths(list(tokens(source)))
    often = [token for token, _ in Counter(found).most_common()]
    names = {token for token in often if NAME.fullmatch(token)}
    private = (token for token in often if PRIVATE.fullmatch(token))
    short = SHORTER | {name: f"#{new}" for name, new in zip(private, _names(set()), strict=False)}
    maths = [token for token in often if token.startswith(MATHS)]
    own = {*_own(found, names), *maths}
    fresh = _names({*often, *RESERVED})
    renamed = zip((token for token in often if token in own), fresh, strict=False)
    short |= {name: new for name, new in renamed if len(new) < len(name)}
    declared = ",".join(f"{token.removeprefix(MATHS)}:{short[token]}" for token in maths)
    parts = [f"let{{{declared}}}=Math;" if maths else ";"]
    for token in _joined(found, names):
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
    return "".join(_apart(parts if maths else parts[1:]))


def _apart(parts: Iterable[str]) -> Iterator[str]:
    """The texts, and a space between two that would read as one."""
    end = ""
    for text in parts:
        start = text[0]
        if (end in WORDS and start in WORDS) or (end == start and end in REPEATED):
            yield " "
        yield text
        end = text[-1]


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
            token = found[2] or found[1]
            if token is None:
                continue
            if depth and token in "{}":
                depth[-1] += 1 if token == "{" else -1
            if token == "`":
                depth.append(0)
            yield token
            if depth and depth[-1] == 0:
                at = found.end(2)  # the space behind it is the template's
                break


def _maths(tokens: list[str]) -> list[str]:
    """The same tokens, of which a function of `Math` that is called often is one."""
    starts = [at for at, two in enumerate(pairwise(tokens)) if two == ("Math", ".")]
    called = Counter(tokens[at + 2] for at in starts)
    for at in reversed(starts):
        if called[tokens[at + 2]] >= OFTEN:
            tokens[at : at + 3] = [MATHS + tokens[at + 2]]
    return tokens


def _joined(tokens: list[str], names: Set[str]) -> Iterator[str]:
    """The same tokens, with variables that are declared one after the other in one statement."""
    declares = [False]  # whether the statement is one of variables, in each of the open brackets
    before = ";"
    for token, after in pairwise([*tokens, ""]):
        if before == "," and token in VARIABLES:
            before = token
            continue
        if before in STARTS or (before == "}" and token in names):  # else an object or a function ends there
            declares[-1] = token in VARIABLES
        if token[-1] in OPENING:
            declares.append(False)
        elif token in CLOSING:
            declares.pop()
        elif token == ";" and declares[-1] and after in VARIABLES:
            token = ","
        yield token
        before = token


def _own(tokens: list[str], names: Set[str]) -> set[str]:
    """The names that the module declares, wherever, and neither exports nor uses as the name of a property, and OURS.

    A name is one token wherever it stands, so giving it another everywhere changes no meaning, even where functions
    have variables of that name.
    """
    declared = set(_parameters(tokens, names))
    kept: set[str] = set()
    open_brackets = [""]
    for at, (before, token, after) in enumerate(_between(tokens)):
        if token in names:
            if before in DECLARING:
                (kept if "export" in tokens[max(0, at - 3) : at] else declared).add(token)
            shorthand = before in ("{", ",") and open_brackets[-1] == "{" and after in (",", "}", "=")
            if before == "." or shorthand or (after == ":" and before != "?"):
                kept.add(token)
        elif token[-1] in OPENING:
            open_brackets.append(token[-1])
        elif token in CLOSING:
            open_brackets.pop()
    return (declared - kept - IN_PLACES) | OURS


def _parameters(tokens: list[str], names: Set[str]) -> Iterator[str]:
    """The names in lists of parameters and of what is caught, and those in brackets that a statement declares."""
    opened: list[tuple[str, list[str]]] = [("", [])]  # what stands before each bracket, and the names alone in it
    for before, token, after in _between(tokens):
        if token in names:
            if before in LISTING and after in LISTED:
                opened[-1][1].append(token)
        elif token[-1] in OPENING:
            opened.append((before, []))
        elif token in CLOSING:
            head, found = opened.pop()
            lists = token == ")" and (after == "=>" or (after == "{" and head not in CONTROLLING))
            if lists or (token == "]" and head in VARIABLES):
                yield from found


def _between(tokens: list[str]) -> Iterable[tuple[str, str, str]]:
    """Each token with the ones before and after it, "" at the ends."""
    return zip(["", *tokens], tokens, [*tokens[1:], ""], strict=False)


def _names(taken: set[str]) -> Iterator[str]:
    for length in count(1):
        yield from (name for name in map("".join, product(ascii_letters, repeat=length)) if name not in taken)
