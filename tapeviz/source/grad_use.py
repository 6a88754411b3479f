"""The syntax around a read of `.grad` -> whether the program wants a gradient, or only tests for one."""

from __future__ import annotations

import ast
from enum import Enum

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
    for node in text.enclosing(site):
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
