"""The source of one file of the user's -> what stands at a site, and around it."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property

from tapeviz.events import EventLog, Site
from tapeviz.source.sites import parsed
from tapeviz.source.statements import (
    FUNCTION,
    Flow,
    Span,
    callee,
    flows_in,
    holds,
    operand,
    placed_in,
    returned_line,
    span,
)


class SourceText:
    """The parsed source of one file of a log; an unparsable one has no nodes."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = list(lines)
        self._parsed = parsed("".join(self.lines))
        self.tree = self._parsed.tree
        self.holders: dict[tuple[int, Span], set[str]] = {}
        """The names that hold a value, by its function and its origin, as far as `flow` has looked."""
        self._flows: dict[int, list[Flow]] = {}

    def walk(self) -> Iterator[ast.AST]:
        """All nodes of its syntax."""
        return iter(self._parsed.nodes)

    @cached_property
    def functions(self) -> list[ast.AST]:
        """The functions in the file, methods and inner ones included."""
        return [node for node in self.walk() if isinstance(node, FUNCTION)]

    def whole_line(self, number: int, near: Site) -> Site:
        """The site of a whole line, in the function of another site."""
        return Site(near.filename, number, number, 0, 0, near.function, self.lines[number - 1].strip())

    def enclosing(self, site: Site) -> list[ast.AST]:
        """The statements and expressions around a site, the outermost first."""
        path: list[ast.AST] = []
        node: ast.AST | None = self.tree
        while node is not None:
            path.append(node)
            node = next((each for each in placed_in(node) if holds(each, span(site))), None)
        return path

    def call_at(self, site: Site) -> ast.Call | None:
        """The call at a site."""
        return next((each for each in self._parsed.expressions.get(span(site), ()) if isinstance(each, ast.Call)), None)

    def call(self, site: Site, name: str) -> ast.Call | None:
        """The call of a function of this name at a site."""
        node = self.call_at(site)
        return node if node is not None and callee(node) == name else None

    def operand(self, site: Site, slot: int) -> str | None:
        """The name that stands as operand `slot` of the expression at a site; None if it is no name."""
        for node in self._parsed.expressions.get(span(site), ()):
            part = operand(node, slot)
            if part is not node and isinstance(part, ast.Name):
                return part.id
        return None

    def operand_text(self, site: Site, slot: int, functions: Collection[str], first: str | None) -> str | None:
        """How operand `slot` is written in the call or operation at a site, if what it calls is one of `functions`.

        `first` is the name of the first operand, if it has one.
        """
        node = self._calling(site, functions)
        part = None if node is None else operand(node, slot, first)
        return None if part is None or part is node else ast.unparse(part)

    def result_text(self, site: Site, functions: Collection[str]) -> str | None:
        """How the call or operation at a site is written, if what it calls is one of `functions`."""
        node = self._calling(site, functions)
        return None if node is None else ast.unparse(node)

    def _calling(self, site: Site, functions: Collection[str]) -> ast.expr | None:
        return next((each for each in self._parsed.expressions.get(span(site), ()) if callee(each) in functions), None)

    def inner_return(self, name: str) -> int | None:
        """The line of the last `return` in the function that `name` returns beside its value."""
        for function in self.functions:
            if isinstance(function, FUNCTION) and function.name == name:
                inner = {each.name: each for each in ast.walk(function) if isinstance(each, FUNCTION)}
                return next((line for each in ast.walk(function) if (line := returned_line(each, inner))), None)
        return None

    def around(self, first: int, last: int) -> ast.AST | None:
        """The innermost function that holds both lines, else the module."""
        holding = [
            node
            for node in self.functions
            if isinstance(node, FUNCTION)
            and node.lineno <= min(first, last)
            and max(first, last) <= (node.end_lineno or 0)
        ]
        return max(holding, key=lambda node: getattr(node, "lineno", 0)) if holding else self.tree

    def flows(self, body: ast.AST | None) -> list[Flow]:
        """The flows in a function, nested ones included; of a module, those of its own level."""
        if id(body) not in self._flows:
            self._flows[id(body)] = list(self._found(body))
        return self._flows[id(body)]

    def _found(self, body: ast.AST | None) -> Iterator[Flow]:
        waiting: list[ast.AST] = [] if body is None else list(ast.iter_child_nodes(body))
        while waiting:
            node = waiting.pop()
            if isinstance(node, (*FUNCTION, ast.ClassDef)) and body is self.tree:
                continue
            waiting += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr)]
            yield from flows_in(node)


class Texts:
    """The sources of a log's files, each parsed once."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._parsed: dict[str, SourceText] = {}

    def of(self, site: Site) -> SourceText:
        if site.filename not in self._parsed:
            self._parsed[site.filename] = SourceText(self._log.source(site.filename))
        return self._parsed[site.filename]
