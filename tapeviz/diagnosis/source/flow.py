"""The user's source -> whether the value made at one place reaches another, by the names it is given on the way.

Control flow is ignored: a name that ever holds the value is taken to hold it. Neither the text nor the choice of a
name matters, only that two mentions are equal.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property

from tapeviz.diagnosis.source.statements import (
    FUNCTION,
    Flow,
    HeldValue,
    Span,
    bound,
    callee,
    flows_in,
    holds,
    is_selection,
    names_in,
    operand,
    pairs,
    placed_in,
    returned_line,
    span,
    span_of,
    stores,
)
from tapeviz.events import EventLog, Site
from tapeviz.events.program.sites import parsed


class SourceText:
    """The parsed source of one file of a log; an unparsable one has no nodes."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = list(lines)
        self.tree = parsed("".join(self.lines)).tree
        self._flows: dict[int, list[Flow]] = {}
        self._held: dict[tuple[int, Span], set[str]] = {}

    @cached_property
    def _nodes(self) -> dict[Span, list[ast.expr]]:
        found: dict[Span, list[ast.expr]] = {}
        for node in ast.walk(self.tree) if self.tree is not None else ():
            if isinstance(node, ast.expr):
                found.setdefault(span_of(node), []).append(node)
        return found

    @cached_property
    def _functions(self) -> list[ast.AST]:
        nodes = ast.walk(self.tree) if self.tree is not None else ()
        return [node for node in nodes if isinstance(node, FUNCTION)]

    def reaches(self, start: Site, end: Site, slot: int | None = None) -> bool:
        """Whether the value of the expression at `start` takes part in the one at `end`, or in its operand `slot`.

        By the names of one function, or by an attribute that one method sets and another reads.
        """
        origin, body = span(start), self._around(start.line, end.line)
        if self._reads(body, span(end), slot, HeldValue(origin, self._holders(body, origin))):
            return True
        setting, reading = (self._around(each.line, each.line) for each in (start, end))
        if setting is reading:
            return False
        attributes = self._attributes(setting, origin)
        if not attributes:
            return False
        return self._reads(reading, span(end), slot, self._closed(reading, HeldValue(None, set(), attributes)))

    def _reads(self, body: ast.AST | None, goal: Span, slot: int | None, held: HeldValue) -> bool:
        """Whether what is held is in the expression at `goal`, in a function, or is stored there."""
        for targets, value in self._statements(body):
            if stores(targets, goal) and held.is_in(value):
                return True
            for node in ast.walk(value):
                if isinstance(node, (ast.expr, ast.stmt)) and span_of(node) == goal:
                    return held.is_in(operand(node, slot))
        return False

    def _attributes(self, body: ast.AST | None, origin: Span) -> frozenset[str]:
        """The attributes that a function gives the value made at `origin`, or one made from it."""
        held = HeldValue(origin, self._holders(body, origin))
        given = (target for targets, value in self._statements(body) if held.is_in(value) for target in targets)
        return frozenset(target.attr for target in given if isinstance(target, ast.Attribute))

    def binding(self, name: str, before: Site, *, whole: bool = False) -> Site | None:
        """The line above `before`, in the same function, that gave something there is a name; `whole`: any value."""
        found = [
            value
            for targets, value in self._statements(self._around(before.line, before.line))
            if value.lineno < before.line and name in names_in(targets) and (whole or is_selection(value))
        ]
        if not found:
            return None
        last = max(found, key=lambda each: each.lineno)
        text = self.lines[last.lineno - 1].strip()
        line, column, end_line, end_column = span_of(last)
        return Site(before.filename, line, end_line, column, end_column, before.function, text)

    def assignment(self, name: str, before: Site) -> Site | None:
        """The last assignment to a name, to an attribute or a key of that name, above `before`.

        One in its function or at the module's own level wins over those of other functions.
        """
        return self._last([each for each in self._giving(name, before) if each.lineno < before.line], before)

    def change(self, name: str, before: Site) -> Site | None:
        """The same, but of its first value only if there is no other; a line below `before` may be that of a loop."""
        given = [each for part in (self._near(before), self._far()) for targets, each in part if name in bound(targets)]
        first = min((each.lineno for each in given), default=0)
        later = [each for each in given if each.lineno > first] or given
        return self._last([each for each in later if each.lineno < before.line] or later, before)

    def _giving(self, name: str, before: Site) -> list[ast.expr | ast.stmt]:
        """What is given to a name, in the function of a site or at the module's own level, else in any function."""
        found = [each for targets, each in self._near(before) if name in bound(targets)]
        if any(each.lineno < before.line for each in found):
            return found
        return [each for targets, each in self._far() if name in bound(targets)]

    def _near(self, site: Site) -> Iterator[Flow]:
        yield from self._statements(self._around(site.line, site.line))
        yield from self._statements(self.tree)

    def _far(self) -> Iterator[Flow]:
        return (flow for function in self._functions for flow in self._statements(function))

    def _last(self, given: list[ast.expr | ast.stmt], before: Site) -> Site | None:
        if not given:
            return None
        last = max(given, key=lambda each: each.lineno)
        text = self.lines[last.lineno - 1].strip()
        return Site(before.filename, last.lineno, last.lineno, 0, 0, before.function, text)

    def assigned(self, made: Site) -> tuple[set[str], int | None]:
        """The plain names that are assigned what is made at a site, and the line of the function it is in, if any."""
        body, origin = self._around(made.line, made.line), span(made)
        names = {
            target.id
            for targets, value in self._statements(body)
            if isinstance(value, ast.expr)
            for target, part in pairs(targets, value)
            if isinstance(target, ast.Name)
            and isinstance(target.ctx, ast.Store)
            and HeldValue(origin, set()).is_in(part)
        }
        return names, getattr(body, "lineno", None)

    def inner_return(self, name: str) -> int | None:
        """The line of the last `return` in the function that `name` returns beside its value."""
        for function in self._functions:
            if isinstance(function, FUNCTION) and function.name == name:
                inner = {each.name: each for each in ast.walk(function) if isinstance(each, FUNCTION)}
                return next((line for each in ast.walk(function) if (line := returned_line(each, inner))), None)
        return None

    def operand(self, site: Site, slot: int) -> str | None:
        """The name that stands as operand `slot` of the expression at a site; None if it is no name."""
        for node in self._nodes.get(span(site), ()):
            part = operand(node, slot)
            if part is not node and isinstance(part, ast.Name):
                return part.id
        return None

    def operand_text(self, site: Site, slot: int, called: Collection[str], first: str | None) -> str | None:
        """How operand `slot` is written in the call or operation at a site, if what it calls is one of `called`.

        `first` is the name of the first operand, if it has one.
        """
        node = self._calling(site, called)
        part = None if node is None else operand(node, slot, first)
        return None if part is None or part is node else ast.unparse(part)

    def result_text(self, site: Site, called: Collection[str]) -> str | None:
        """How the call or operation at a site is written, if what it calls is one of `called`."""
        node = self._calling(site, called)
        return None if node is None else ast.unparse(node)

    def _calling(self, site: Site, called: Collection[str]) -> ast.expr | None:
        return next((each for each in self._nodes.get(span(site), ()) if callee(each) in called), None)

    def enclosing(self, site: Site) -> list[ast.AST]:
        """The statements and expressions around a site, the outermost first."""
        path: list[ast.AST] = []
        node: ast.AST | None = self.tree
        while node is not None:
            path.append(node)
            node = next((each for each in placed_in(node) if holds(each, span(site))), None)
        return path

    def call(self, site: Site, name: str) -> ast.Call | None:
        """The call of a function of this name at a site."""
        node = self.called(site)
        return node if node is not None and callee(node) == name else None

    def called(self, site: Site) -> ast.Call | None:
        """The call at a site."""
        return next((each for each in self._nodes.get(span(site), ()) if isinstance(each, ast.Call)), None)

    def _holders(self, body: ast.AST | None, origin: Span) -> set[str]:
        """The names that hold the value made at `origin`, or one made from it."""
        key = (id(body), origin)
        if key in self._held:
            return self._held[key]
        # A value that is read out by being stored, as in `buffer[i] = tensor`, is met at what it is stored in.
        flows = self._statements(body)
        stored = {name for targets, _ in flows if stores(targets, origin) for name in names_in(targets)}
        return self._held.setdefault(key, self._closed(body, HeldValue(origin, stored)).names)

    def _closed(self, body: ast.AST | None, held: HeldValue) -> HeldValue:
        """What is held, with every name that a function gives something made of it."""
        flows = self._statements(body)
        while True:
            more = {name for targets, value in flows if held.is_in(value) for name in names_in(targets)}
            if more <= held.names:
                return held
            held.names.update(more)

    def _around(self, first: int, last: int) -> ast.AST | None:
        """The innermost function that holds both lines, else the module."""
        holding = [
            node
            for node in self._functions
            if isinstance(node, FUNCTION)
            and node.lineno <= min(first, last)
            and max(first, last) <= (node.end_lineno or 0)
        ]
        return max(holding, key=lambda node: getattr(node, "lineno", 0)) if holding else self.tree

    def _statements(self, body: ast.AST | None) -> list[Flow]:
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
