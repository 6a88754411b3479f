"""A line that gives the name of a leaf to a result -> what to write instead, so that the name stays with the leaf."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import NamedTuple

from tapeviz.diagnosis.dialects import dialect_of
from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.events import EventLog, Site
from tapeviz.phrases import unquoted
from tapeviz.source.lines import LONGEST, line_of


def in_place(site: Site | None, name: str, editor: Editor) -> Fix:
    """In place of a line that gives the name of a variable to its next value.

    >>> from tapeviz.events import EventLog
    >>> line = Site("a.py", 3, 3, 0, 23, "f", "w = w - rate * w.grad")
    >>> log = EventLog()
    >>> in_place(line, "w", Editor(log)).text
    '`w.assign(w - rate * w.grad)` instead of `w = w - rate * w.grad`'
    >>> log.sign("torch")
    >>> in_place(line, "w", Editor(log)).text
    '`with torch.no_grad(): w -= rate * w.grad` instead of `w = w - rate * w.grad`'
    """
    say = dialect_of(editor.log).say
    match line_of(site):
        case [ast.Assign(targets=[target], value=value)] if ast.unparse(target) == name:
            text, stored = ast.unparse(value), _stored(value, name, editor.log)
            if len(text) <= LONGEST:
                return Fix(f"{stored.sentence} instead of `{name} = {text}`", editor.rewrite(site, stored.line))
        case [ast.Assign(targets=[ast.Name(id=own)], value=ast.ListComp(elt=element, generators=[each]))]:
            part = ast.unparse(each.target.elts[0] if isinstance(each.target, ast.Tuple) else each.target)
            if name.startswith(f"{own}[") and not each.ifs:
                loop = f"for {ast.unparse(each.target)} in {ast.unparse(each.iter)}"
                line = f"{loop}: {_stored(element, part, editor.log).line}"
                return Fix(_changed(say, name), editor.rewrite(site, line))
    return Fix(_changed(say, name))


def _changed(say: Callable[..., str], name: str) -> str:
    return f"{say('subtract', name=name)} instead of `{name} = {name} - step`"


def is_change(site: Site | None, name: str) -> bool:
    """Whether a line is `name = name + ...`, or does the like by another operator."""
    match line_of(site):
        case [ast.Assign(targets=[target], value=ast.BinOp(left=left))]:
            return ast.unparse(target) == ast.unparse(left) == name
    return False


class _Stored(NamedTuple):
    """How a variable is given a value, in a sentence, and as a line."""

    sentence: str
    line: str


def _stored(value: ast.expr, name: str, log: EventLog) -> _Stored:
    """How a variable is given a value that the program writes so."""
    say = dialect_of(log).say
    match value:
        case ast.BinOp(left=ast.Name() | ast.Attribute() | ast.Subscript() as left, op=operator, right=right) if (
            log.facts.augments_in_place and ast.unparse(left) == name
        ):
            told = say("change by an operator", line=ast.unparse(ast.AugAssign(left, operator, right)))
            return _Stored(told, unquoted(told))
    text = ast.unparse(value)
    return _Stored(say("assign", name=name, value=text), say("line that assigns", name=name, value=text))


def leaf_last(site: Site | None) -> str | None:
    """For a line that makes a leaf and computes on it at once: the same with the result as the leaf.

    >>> leaf_last(Site("a.py", 3, 3, 0, 0, "f", "w = torch.randn(3, requires_grad=True) * 0.01"))
    'w = (torch.randn(3) * 0.01).requires_grad_()'
    >>> leaf_last(Site("a.py", 3, 3, 0, 0, "f", "self.p = nn.Parameter(torch.ones(2)).double()"))
    'self.p = nn.Parameter(torch.ones(2).double())'
    """
    match line_of(site):
        case [ast.Assign(targets=[target], value=value)]:
            leaf = next((each for each in ast.walk(value) if each is not value and _plain(each) is not None), None)
            if isinstance(leaf, ast.Call):
                result = _Without(leaf).visit(value)
                return f"{ast.unparse(target)} = {ast.unparse(_as_leaf(result, leaf))}"
    return None


def made_leaf(editor: Editor, site: Site | None, line: str) -> Fix:
    """In place of a line that makes a leaf and computes on it at once."""
    edit = editor.rewrite(site, line)
    return Fix(f"Make the result the leaf: {'as in' if edit is None else 'write'} `{line}`.", edit)


def _plain(node: ast.AST) -> ast.expr | None:
    """The numbers alone that an expression makes a leaf of; None for one that makes none."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr="requires_grad_"), args=[], keywords=[]):
            return owner
        case ast.Call(func=ast.Attribute(attr="Parameter") | ast.Name(id="Parameter"), args=[numbers, *_]):
            return numbers
        case ast.Call(func=function, args=given, keywords=named):
            rest = [each for each in named if each.arg != "requires_grad"]
            return ast.Call(function, given, rest) if len(rest) < len(named) else None
    return None


class _Without(ast.NodeTransformer):
    """An expression -> the same with plain numbers in the place of a leaf."""

    def __init__(self, leaf: ast.Call) -> None:
        self._leaf = leaf

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """The calls, one of which made the leaf."""
        plain = _plain(node) if node is self._leaf else None
        return self.generic_visit(node) if plain is None else plain


def _as_leaf(result: ast.expr, leaf: ast.Call) -> ast.expr:
    """A result made a leaf, as the leaf was made."""
    if isinstance(leaf.func, ast.Attribute | ast.Name) and ast.unparse(leaf.func).endswith("Parameter"):
        return ast.Call(leaf.func, [result, *leaf.args[1:]], leaf.keywords)
    return ast.Call(ast.Attribute(result, "requires_grad_"), [], [])
