"""A place in a file that AutoGraph has written -> the place in the program's own file that it was made from.

AutoGraph keeps for each of its lines the line of the program's, and not which of the expressions there. That is the
one which reads the same once what AutoGraph has put around it is taken away.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from linecache import getlines
from types import CodeType
from typing import Any

from tensorflow.python.autograph.core import function_wrappers
from tensorflow.python.autograph.impl import api as autograph

from tapeviz.events.program.frames import PASSING
from tapeviz.events.program.scope_codes import code_called
from tapeviz.events.raw import CODE, LASTI, SCOPE, STRIDE, ScopeNode
from tapeviz.recorders.lines import CALLS, Line, call_at, line_at
from tapeviz.source.parsing import parse

_OWN = "ag__"
"""The name by which code that AutoGraph writes has AutoGraph."""
_WRITTEN = "tf__"
"""How it calls a function that it has written again; those for branches and bodies of loops have other names."""
_CONVERTED, _LOADED = "converted_call", "ld"
_JOINED: Mapping[str, ast.boolop] = {"and_": ast.And(), "or_": ast.Or()}


PASSING.update((autograph.__file__, function_wrappers.__file__))


class GeneratedLines:
    """What AutoGraph has written while a function was traced: by file and line, where that comes from."""

    def __init__(self) -> None:
        self._origins: dict[tuple[str, int], Any] = {}
        self._files: set[str] = set()

    def add(self, source_map: Mapping[Any, Any]) -> None:
        """Remember the source map of a function that AutoGraph has written again."""
        for written, origin in source_map.items():
            self._origins[written.filename, written.lineno] = origin
            self._files.add(written.filename)

    def put_into(self, records: list[Any], root: ScopeNode) -> None:
        """Have raw records, which are in a scope `root`, be at places in the program."""
        known: dict[int, ScopeNode | None] = {id(root): root}
        for at in range(0, len(records), STRIDE):
            records[at + CODE], records[at + LASTI] = self.place(records[at + CODE], records[at + LASTI])
            records[at + SCOPE] = self.scope(records[at + SCOPE], known)

    def place(self, code: Any, lasti: int) -> tuple[Any, int]:
        """The place in the program of one in generated code, that itself for any other."""
        if code is None or code.co_filename not in self._files:
            return code, lasti
        line = line_at(code, lasti)
        origin = self._origins.get((code.co_filename, line.number))
        if origin is None:
            return code, lasti
        where = _spanned(origin.loc.filename, origin.loc.lineno, origin.function_name or code.co_name, line)
        return call_at(where).__code__, CALLS

    def scope(self, node: ScopeNode | None, known: dict[int, ScopeNode | None]) -> ScopeNode | None:
        """A scope without the functions that only AutoGraph has made."""
        if node is None:
            return None
        if id(node) not in known:
            parent = self.scope(node.parent, known)
            known[id(node)] = self._scope_in(node, parent)
        return known[id(node)]

    def _scope_in(self, node: ScopeNode, parent: ScopeNode | None) -> ScopeNode | None:
        caller, lasti = self.place(node.caller, node.lasti)
        if node.code.co_filename not in self._files:
            return ScopeNode(parent, node.code, caller, lasti)
        name = node.code.co_name
        if not name.startswith(_WRITTEN):
            return parent
        lines = {number for _, _, number in node.code.co_lines() if number}
        origins = [self._origins.get((node.code.co_filename, each)) for each in sorted(lines)]
        found = [each for each in origins if each is not None]
        file = found[0].loc.filename if found else node.code.co_filename
        first = min((each.loc.lineno for each in found), default=node.code.co_firstlineno)
        return ScopeNode(parent, _code(name.removeprefix(_WRITTEN), file, first), caller, lasti)


@cache
def _code(name: str, file: str, line: int) -> CodeType:
    """Code that stands for a function of the program's."""
    return code_called(name).replace(co_filename=file, co_firstlineno=line)


@cache
def _spanned(file: str, number: int, function: str, written: Line) -> Line:
    """The line of the program's, and in it the expression that what AutoGraph has written stands for."""
    line = Line(file, number, function)
    there = [each for each in _expressions(_tree(file)) if each.lineno == number]
    wanted = next((each for each in _nodes(_tree(written.file)) if _is_at(each, written)), None)
    same = [] if wanted is None else [each for each in there if ast.dump(each) == ast.dump(_plain(wanted))]
    node: Any = same[0] if same else max(there, key=_length, default=None)
    if node is None:
        return line
    return line._replace(begin=node.col_offset, last=node.end_lineno, end=node.end_col_offset)


@cache
def _tree(file: str) -> ast.Module | None:
    return parse("".join(getlines(file)))


def _nodes(tree: ast.Module | None) -> Iterator[Any]:
    return (each for each in ast.walk(tree) if isinstance(each, (ast.expr, ast.stmt))) if tree is not None else iter(())


def _expressions(tree: ast.Module | None) -> Iterator[Any]:
    return (each for each in _nodes(tree) if isinstance(each, (ast.expr, ast.AugAssign)))


def _is_at(node: Any, line: Line) -> bool:
    begins = node.lineno == line.number and node.col_offset == line.begin
    return bool(begins and node.end_lineno == line.last and node.end_col_offset == line.end)


def _length(node: Any) -> tuple[int, int]:
    return node.end_lineno - node.lineno, node.end_col_offset - node.col_offset


def _plain(node: Any) -> Any:
    """An expression as it was before AutoGraph."""
    copy: Any = ast.parse(ast.unparse(node)).body[0]
    return _Plain().visit(copy.value if isinstance(node, ast.expr) else copy)


class _Plain(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        called = node.func
        if not (isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == _OWN):
            return node
        if called.attr == _LOADED:
            return node.args[0]
        if called.attr == _CONVERTED and len(node.args) >= 3:
            return _call(*node.args[:3])
        if called.attr in _JOINED and all(isinstance(each, ast.Lambda) for each in node.args):
            return ast.BoolOp(_JOINED[called.attr], [each.body for each in node.args])  # type: ignore[attr-defined]
        return node


def _call(function: ast.expr, args: ast.expr, more: ast.expr) -> Any:
    """What `converted_call` is written for."""
    positional: list[ast.expr] = args.elts if isinstance(args, ast.Tuple) else [ast.Starred(args, ast.Load())]
    named = more.keywords if isinstance(more, ast.Call) else []
    return ast.Call(function, positional, named)
