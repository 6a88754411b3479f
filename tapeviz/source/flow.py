"""The user's source -> whether the value made at one place reaches another, by the names it is given on the way.

Control flow is ignored: a name that ever holds the value is taken to hold it. Neither the text nor the choice of a
name matters, only that two mentions are equal.
"""

from __future__ import annotations

import ast

from tapeviz.events import Site
from tapeviz.source.statements import HeldValue, Span, names_in, operand, span, span_of, stores
from tapeviz.source.text import SourceText


def reaches(text: SourceText, start: Site, end: Site, slot: int | None = None) -> bool:
    """Whether the value of the expression at `start` takes part in the one at `end`, or in its operand `slot`.

    By the names of one function, or by an attribute that one method sets and another reads.
    """
    origin, body = span(start), text.around(start.line, end.line)
    if _reads(text, body, span(end), slot, HeldValue(origin, _holders(text, body, origin))):
        return True
    setting, reading = (text.around(each.line, each.line) for each in (start, end))
    if setting is reading:
        return False
    attributes = _attributes(text, setting, origin)
    if not attributes:
        return False
    return _reads(text, reading, span(end), slot, _closed(text, reading, HeldValue(None, set(), attributes)))


def _reads(text: SourceText, body: ast.AST | None, goal: Span, slot: int | None, held: HeldValue) -> bool:
    """Whether what is held is in the expression at `goal`, in a function, or is stored there."""
    for targets, value in text.flows(body):
        if stores(targets, goal) and held.is_in(value):
            return True
        for node in ast.walk(value):
            if isinstance(node, (ast.expr, ast.stmt)) and span_of(node) == goal:
                return held.is_in(operand(node, slot))
    return False


def _attributes(text: SourceText, body: ast.AST | None, origin: Span) -> frozenset[str]:
    """The attributes that a function gives the value made at `origin`, or one made from it."""
    held = HeldValue(origin, _holders(text, body, origin))
    given = (target for targets, value in text.flows(body) if held.is_in(value) for target in targets)
    return frozenset(target.attr for target in given if isinstance(target, ast.Attribute))


def _holders(text: SourceText, body: ast.AST | None, origin: Span) -> set[str]:
    """The names that hold the value made at `origin`, or one made from it."""
    key = (id(body), origin)
    if key in text.holders:
        return text.holders[key]
    # A value that is read out by being stored, as in `buffer[i] = tensor`, is met at what it is stored in.
    flows = text.flows(body)
    stored = {name for targets, _ in flows if stores(targets, origin) for name in names_in(targets)}
    return text.holders.setdefault(key, _closed(text, body, HeldValue(origin, stored)).names)


def _closed(text: SourceText, body: ast.AST | None, held: HeldValue) -> HeldValue:
    """What is held, with every name that a function gives something made of it."""
    flows = text.flows(body)
    while True:
        more = {name for targets, value in flows if held.is_in(value) for name in names_in(targets)}
        if more <= held.names:
            return held
        held.names.update(more)
