"""The syntax around a value that is read out -> what Python chose by it, if that affects what is computed."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from tapeviz.events import EventLog, ReadOut, Site
from tapeviz.events.types import AN_INDEX
from tapeviz.source.statements import FUNCTION, callee, holds, operand, span, span_of
from tapeviz.source.text import SourceText, Texts

CHOOSERS = ("max", "min", "sorted")
"""Python's own functions that compare what they are given, and give it."""

INDEX = "[]"
"""What picks an entry of a list."""

_NUMBERS = (AN_INDEX, "int()")
"""How a log spells that an index was asked for its number."""

_BEARING = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Break, ast.Continue)
_GROWING = ("append", "extend", "insert")


class Choice(NamedTuple):
    """What chooses, as it is called, and the syntax of the ways that it has.

    Where it chooses by a `name` that a line before gave to what was read out, `line` is its own.
    """

    word: str
    ways: Sequence[ast.AST]
    name: str | None = None
    line: int = 0

    def reads(self, text: str) -> bool:
        """Whether an expression stands in one of the ways, taken or not."""
        nodes = (node for way in self.ways for node in ast.walk(way))
        return any(isinstance(each, ast.expr) and ast.unparse(each) == text for each in nodes)


class Choices:
    """What Python chose by the values that were read out, each line of them looked at once."""

    def __init__(self, log: EventLog, texts: Texts) -> None:
        self._log, self._texts = log, texts
        self._known: dict[tuple[int, str], Choice | None] = {}

    def by(self, reading: ReadOut) -> Choice | None:
        """The statement, expression or function that chooses by what is read; None where it checks or tells."""
        if reading.site is None:
            return None
        line = reading.site, reading.how
        if line not in self._known:
            site = self._log.sites[reading.site]
            around = self._texts.of(site).enclosing(site)
            self._known[line] = _chosen_here(around, site, reading.how) or _chosen_by_name(around)
        return self._known[line]


def _chosen_here(around: list[ast.AST], site: Site, how: str) -> Choice | None:
    """What chooses where the value is read out."""
    match around[-1]:
        case ast.Subscript(ctx=ast.Load()) if how in _NUMBERS:  # Python asks an index for its number where it picks
            return Choice(INDEX, ())
    for node in reversed(around):
        match node:
            case ast.If(test=test) if _tests(node, test, site):
                word = "elif" if site.line == node.lineno and site.text.startswith("elif") else "if"
                return Choice(word, [*node.body, *node.orelse, *_after(node, around)]) if _bears(node) else None
            case ast.While(test=test) if _tests(node, test, site):
                return Choice("while", ()) if _bears(node) else None
            case ast.For(iter=ast.Call(func=ast.Name(id="range")) as rounds) if holds(rounds, span(site)):
                return Choice("for", ())
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() if _filters(node, site):
                return Choice("if", [node.elt])
            case ast.IfExp(test=test) if _tests(node, test, site):
                return Choice("if", [node.body, node.orelse])
            case ast.Call(func=ast.Name(id=name)) if name in CHOOSERS:
                return Choice(name, ())
            case ast.Assert():
                return None
    return None


def _chosen_by_name(around: list[ast.AST]) -> Choice | None:
    """What chooses by the name that is given to what is read out, if a function does nothing else with that name."""
    match around[-2:]:
        case [ast.Assign(targets=[ast.Name(id=name)], value=value) as given, last] if value is last:
            pass
        case _:
            return None
    inside = list(ast.walk(_function_around(around) or around[0]))
    uses = [each for each in inside if isinstance(each, ast.Name) and each.id == name]
    choosing = [each for each in inside if isinstance(each, ast.If) and _bears(each) and each.lineno > given.lineno]
    tested = {id(each) for node in choosing for each in ast.walk(node.test)}
    shown = {id(each) for node in inside if _prints(node) for each in ast.walk(node)}
    loads = {id(each) for each in uses if isinstance(each.ctx, ast.Load)}
    if len(uses) != len(loads) + 1 or not loads & tested or not loads <= tested | shown:
        return None
    first = next(node for node in choosing if any(id(each) in loads for each in ast.walk(node.test)))
    return Choice("if", [*first.body, *first.orelse, *_after(first, around)], name, first.lineno)


def _tests(node: ast.AST, test: ast.expr, site: Site) -> bool:
    """Whether a site is in the condition of a node; a truth may be asked for at the place of the whole node."""
    return holds(test, span(site)) or span_of(node) == span(site)


def _filters(node: ast.ListComp | ast.SetComp | ast.GeneratorExp, site: Site) -> bool:
    """Whether a site is in a condition of a comprehension."""
    return any(_tests(node, test, site) for each in node.generators for test in each.ifs)


def _bears(node: ast.If | ast.While) -> bool:
    """Whether one of the ways computes, keeps or ends something; to print and to raise is no way to compute."""
    ways = [inner for statement in (*node.body, *node.orelse) for inner in ast.walk(statement)]
    return any(isinstance(each, _BEARING) or _grows(each) for each in ways)


def _prints(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="print")):
            return True
    return False


def _grows(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in _GROWING
    return False


def _after(node: ast.If, around: Sequence[ast.AST]) -> list[ast.stmt]:
    """What a function does after an `if` that may return."""
    function = _function_around(around)
    if function is None or not any(isinstance(each, ast.Return) for each in ast.walk(node)):
        return []
    return [each for each in function.body if each.lineno > (node.end_lineno or node.lineno)]


def _function_around(around: Sequence[ast.AST]) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    return next((each for each in reversed(around) if isinstance(each, FUNCTION)), None)


def operand_at(text: SourceText, site: Site, op: str, slot: int) -> str | None:
    """How operand `slot` of an op is written, that of the expression at a site.

    Python turns `a > b` into `b < a` where the class of `b` is derived from that of `a`, as a parameter's is.
    """
    node = text.enclosing(site)[-1]
    turned = isinstance(node, ast.Compare) and callee(node) != op
    part = operand(node, 1 - slot if turned else slot)
    return None if part is node else ast.unparse(part)
