"""The syntax around a read of `.grad` -> whether the program wants a gradient, or only tests for one."""

from __future__ import annotations

import ast
from enum import Enum
from itertools import pairwise

from tapeviz.events import Site
from tapeviz.source.statements import span, span_of
from tapeviz.source.text import SourceText


class GradUse(Enum):
    """What a program does with what it finds at `.grad`."""

    READ = "it is read"
    TESTED = "it is tested whether there is one, and the program goes on either way"
    MISSED = "that there is none is told of, or raised"
    GIVEN_UP = "where there is none, a function returns"


def grad_use(text: SourceText, site: Site) -> GradUse:
    """What becomes of the gradient that the expression at a site reads."""
    use = _use(text, site)
    return GradUse.MISSED if use is GradUse.TESTED and any(map(_is_shown, text.enclosing(site))) else use


def _is_shown(node: ast.AST) -> bool:
    """Whether an expression prints what it is given: who has the outcome of a test printed wants to know it."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "print"


def _use(text: SourceText, site: Site) -> GradUse:
    place = span(site)
    around = text.enclosing(site)
    for outer, node in pairwise(around):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if span_of(value) == place:
                return _of_named(name, value, _statement_after(outer, node))
            case ast.NamedExpr(value=value) if span_of(value) == place:
                place = span_of(node)
    for node in around:
        match node:
            case ast.If(test=ast.Compare(left=left, ops=[ast.Is()])) if span_of(left) == place:
                return _of_missing(node, left)
            case ast.Assert(test=ast.Compare(left=left, ops=[ast.IsNot()])) if span_of(left) == place:
                return GradUse.MISSED
            case ast.Compare(left=left, comparators=[ast.Constant(value=None)]) if span_of(left) == place:
                return GradUse.TESTED
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.Assert(test=test):
                if span_of(test) == place:
                    return GradUse.TESTED
            case ast.Call(func=ast.Name(id="hasattr")) if span_of(node) == place:
                return GradUse.TESTED
    return GradUse.READ


def _of_named(name: str, gradient: ast.expr, after: ast.stmt | None) -> GradUse:
    """What becomes of a gradient that gets a name, if the next statement asks whether there is one."""
    match after:
        case ast.If(test=ast.Compare(left=ast.Name(id=tested), ops=[ast.Is()])) if tested == name:
            return _of_missing(after, gradient)
        case ast.If(test=ast.Compare(left=ast.Name(id=tested), comparators=[ast.Constant(value=None)])):
            return GradUse.TESTED if tested == name else GradUse.READ
    return GradUse.READ


def _statement_after(outer: ast.AST, statement: ast.stmt) -> ast.stmt | None:
    """The statement that comes next in the same block."""
    blocks = (block for _, block in ast.iter_fields(outer) if isinstance(block, list) and statement in block)
    return next((after for block in blocks for before, after in pairwise(block) if before is statement), None)


def _of_missing(test: ast.If, gradient: ast.expr) -> GradUse:
    """What is done where a gradient is missing: to make one of zeros, or to ask for the next one, is no complaint."""
    tensor = ast.unparse(gradient).rpartition(".")[0]
    for statement in test.body:
        match statement:
            case ast.Raise():
                return GradUse.MISSED
            case ast.Expr(value=ast.Call(func=function)) if not ast.unparse(function).startswith(f"{tensor}."):
                return GradUse.MISSED
    return GradUse.GIVEN_UP if isinstance(test.body[-1], ast.Return) else GradUse.TESTED
