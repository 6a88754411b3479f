"""The user's source -> the line that gave a name its value, and the names that a line gives."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from tapeviz.events import Site
from tapeviz.source.statements import Flow, HeldValue, bound, is_selection, names_in, pairs, span, span_of
from tapeviz.source.text import SourceText

_MARKING = ("requires_grad_", "retain_grad", "register_hook")
"""Methods that say something of a tensor, and change no number of it."""


def binding(text: SourceText, name: str, before: Site, *, whole: bool = False) -> Site | None:
    """The line above `before`, in the same function, that gave something there is a name; `whole`: any value."""
    found = [
        value
        for targets, value in text.flows(text.around(before.line, before.line))
        if value.lineno < before.line and name in names_in(targets) and (whole or is_selection(value))
    ]
    if not found:
        return None
    last = max(found, key=lambda each: each.lineno)
    line, column, end_line, end_column = span_of(last)
    return replace(text.whole_line(line, before), end_line=end_line, column=column, end_column=end_column)


def assignment(text: SourceText, name: str, before: Site) -> Site | None:
    """The last assignment to a name, to an attribute or a key of that name, above `before`.

    One in its function or at the module's own level wins over those of other functions.
    """
    return _last_line(text, [each for each in _given_to(text, name, before) if each.lineno < before.line], before)


def last_change(text: SourceText, name: str, before: Site) -> Site | None:
    """The same, but of its first value only if there is no other; a line below `before` may be that of a loop."""
    given = [
        each
        for part in (_flows_near(text, before), _flows_elsewhere(text))
        for targets, each in part
        if name in bound(targets)
    ]
    first = min((each.lineno for each in given), default=0)
    later = [each for each in given if each.lineno > first] or given
    return _last_line(text, [each for each in later if each.lineno < before.line] or later, before)


def only_value(text: SourceText, name: str, before: Site) -> tuple[Site, ast.expr] | None:
    """What a name is given, and where, if it is given one value alone in the function of a site, and above that.

    A method that marks a tensor, as `y.requires_grad_()` does, gives it none.
    """
    given = [
        value
        for targets, value in text.flows(text.around(before.line, before.line))
        if any(isinstance(each, ast.Name) and each.id == name for each in targets) and not _is_marking(targets, value)
    ]
    if len(given) != 1 or not isinstance(given[0], ast.expr) or given[0].lineno >= before.line:
        return None
    line, column, end_line, end_column = span_of(given[0])
    site = replace(text.whole_line(line, before), end_line=end_line, column=column, end_column=end_column)
    return site, given[0]


def _is_marking(targets: list[ast.AST], value: ast.expr | ast.stmt) -> bool:
    """Whether a statement is the call of a method by itself that leaves the numbers of its owner as they are."""
    match value:
        case ast.Call(func=ast.Attribute(value=owner, attr=method)):
            return method in _MARKING and targets[0] is owner
    return False


def names_given_at(text: SourceText, result: Site) -> tuple[set[str], int | None]:
    """The plain names that are assigned what is made at a site, and the line of the function it is in, if any."""
    body, origin = text.around(result.line, result.line), span(result)
    names = {
        target.id
        for targets, value in text.flows(body)
        if isinstance(value, ast.expr)
        for target, part in pairs(targets, value)
        if isinstance(target, ast.Name) and isinstance(target.ctx, ast.Store) and HeldValue(origin, set()).is_in(part)
    }
    return names, getattr(body, "lineno", None)


def _given_to(text: SourceText, name: str, before: Site) -> list[ast.expr | ast.stmt]:
    """What is given to a name, in the function of a site or at the module's own level, else in any function."""
    found = [each for targets, each in _flows_near(text, before) if name in bound(targets)]
    if any(each.lineno < before.line for each in found):
        return found
    return [each for targets, each in _flows_elsewhere(text) if name in bound(targets)]


def _flows_near(text: SourceText, site: Site) -> Iterator[Flow]:
    """The flows in the function of a site, and at the module's own level."""
    yield from text.flows(text.around(site.line, site.line))
    yield from text.flows(text.tree)


def _flows_elsewhere(text: SourceText) -> Iterator[Flow]:
    """The flows in all functions."""
    return (flow for function in text.functions for flow in text.flows(function))


def _last_line(text: SourceText, nodes: list[ast.expr | ast.stmt], before: Site) -> Site | None:
    """The last line that gives one of these."""
    return text.whole_line(max(each.lineno for each in nodes), before) if nodes else None
