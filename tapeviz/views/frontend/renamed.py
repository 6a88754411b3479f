"""Tokens of an ES module -> the same tokens, with short names for what it declares.

A name is one token wherever it stands, so giving a variable another everywhere changes no meaning, even where functions
have variables of that name. A property keeps its name: `{ width }` becomes `{width:a}`, which says the same. As
`minified` says, it is for our modules: of these no `case` has a block, and no label is one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from functools import cache
from itertools import count, product
from string import ascii_letters

__all__ = ["CLOSING", "NAME", "OPENING", "VARIABLES", "renamed", "short_names"]

NAME = re.compile(r"[A-Za-z_$][\w$]*")
VARIABLES = frozenset({"const", "let"})
DECLARING = VARIABLES | {"function", "class"}
OPENING, CLOSING = frozenset("([{"), frozenset(")]}")
"""Brackets; the text of a template opens one, too, where it ends in what is computed."""
STATEMENTS = frozenset({"", ")", "=>", ";", "{", "}", "else", "try", "catch", "finally", "do"})
"""After these a brace opens statements; after any other token a list: an object, or a pattern of one."""
MODIFIERS = frozenset({"get", "set", "async", "static"})
"""Words that may stand before the name of a function of an object, or of a class."""
LISTING, LISTED = frozenset({"(", "[", "{", ",", "..."}), frozenset(")]},=")
"""What stands before and after a name in a list."""
CONTROLLING = frozenset({"if", "for", "while", "switch"})
RESERVED = {"as", "do", "if", "in", "is", "of"}
"""Short words that cannot be names, whether the module uses them or not."""
IN_PLACES = MODIFIERS | {"as", "from", "of"}
"""Words that are keywords in some places, and names in others."""
VARIABLE, PROPERTY, SHORTHAND, OUTSIDE = "variable", "property", "shorthand", "outside"
"""What a name is of where it stands; a shorthand is `{ width }`; outside, a name of an export."""


@dataclass(slots=True)
class _Bracket:
    before: str
    kind: str
    """What is in a brace, "statements", "class", "list" or "module"; the opening bracket, if it is another."""
    names: list[str] = field(default_factory=list)
    """The names that it declares, if it is a pattern that declares any."""


def renamed(tokens: list[str], ours: Set[str]) -> list[str]:
    """The tokens, with short names for the variables, and for `ours` wherever they stand.

    >>> renamed(["let", "width", "=", "1", ";", "f", "(", "width", ",", "{", "width", "}", ")", ";"], set())
    ['let', 'a', '=', '1', ';', 'f', '(', 'a', ',', '{', 'width:a', '}', ')', ';']
    """
    standing, declared = _read(tokens)
    stands = Counter(standing.values())
    uses: Counter[str] = Counter()
    for (name, role), times in stands.items():
        if name in ours or (name in declared and role != PROPERTY):
            uses[name] += times
    short: dict[str, str] = {}
    fresh = short_names({*tokens, *RESERVED})
    new = next(fresh)
    for name, times in uses.most_common():
        longer = 0 if name in ours else stands[name, SHORTHAND] * (len(name) + 1)
        if times * (len(name) - len(new)) > longer:
            short[name], new = new, next(fresh)
    named = {(name, role): _name(name, role, short.get(name, name), ours) for name, role in stands}
    found = tokens.copy()
    for at, each in standing.items():
        found[at] = named[each]
    return found


def short_names(taken: Set[str]) -> Iterator[str]:
    """The shortest names that are not taken: "a", "b" ... "aa"."""
    for length in count(1):
        yield from (name for name in map("".join, product(ascii_letters, repeat=length)) if name not in taken)


def _name(token: str, role: str, short: str, ours: Set[str]) -> str:
    if token in ours:
        return short
    if role == PROPERTY:
        return token
    return f"{token}:{short}" if role == SHORTHAND and short != token else short


def _read(tokens: list[str]) -> tuple[dict[int, tuple[str, str]], set[str]]:
    """Each name by its place, and what it is the name of; and the variables that the module declares for itself."""
    standing: dict[int, tuple[str, str]] = {}
    declared: set[str] = set()
    outside = set(IN_PLACES)
    different = {*tokens}
    names = {token for token in different if NAME.fullmatch(token)}
    opening = {token for token in different if token[-1] in OPENING}
    opened = [_Bracket("", "statements")]
    of_class = False  # is the next brace that of a class?
    for at, (before, token, after) in enumerate(zip(["", *tokens], tokens, [*tokens[1:], ""], strict=False)):
        if token in names:
            inside = opened[-1]
            role = _role(before, after, inside.kind)
            standing[at] = token, role
            of_class = of_class or (token == "class" and role == VARIABLE)
            if before in DECLARING:
                (outside if "export" in tokens[max(0, at - 3) : at] else declared).add(token)
            elif role == OUTSIDE:
                outside.add(token)
            elif role != PROPERTY and after in LISTED and _stands_in_list(before, inside):
                inside.names.append(token)
        elif token in opening:
            opened.append(_Bracket(before, _kind(before, token, of_class)))
            of_class = of_class and token != "{"
        elif token in CLOSING:
            inside = opened.pop()
            if _declares(inside, token, after):
                declared.update(inside.names)
            elif token != ")" and (inside.before in LISTING or inside.before == ":"):
                opened[-1].names += inside.names  # a pattern in a pattern
    return standing, declared - outside


def _stands_in_list(before: str, inside: _Bracket) -> bool:
    return before in LISTING or (before == ":" and inside.kind == "list")


@cache
def _role(before: str, after: str, kind: str) -> str:
    starts = before in ("{", ",") or before in MODIFIERS
    if before == "." or (kind == "class" and (before in ("{", ";", "}") or before in MODIFIERS)):
        return PROPERTY
    if kind == "list" and starts and after in (":", "("):
        return PROPERTY
    if kind == "list" and before in ("{", ",") and after in ("}", ",", "="):
        return SHORTHAND
    return OUTSIDE if kind == "module" else VARIABLE


def _kind(before: str, token: str, of_class: bool) -> str:
    if token != "{":
        return token[-1]
    if of_class:
        return "class"
    if before in ("export", "import"):
        return "module"
    return "statements" if before in STATEMENTS else "list"


def _declares(inside: _Bracket, closing: str, after: str) -> bool:
    """Are the names in a bracket those of parameters, or a pattern that a statement declares?"""
    if closing == ")":
        return after == "=>" or (after == "{" and inside.before not in CONTROLLING)
    return inside.before in VARIABLES
