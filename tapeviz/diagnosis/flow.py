"""The user's source -> whether the value made at one place reaches another, by the names it is given on the way.

Control flow is ignored: a name that ever holds the value is taken to hold it. Neither the text nor the choice of a
name matters, only that two mentions are equal.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property

from tapeviz.events import EventLog, Site
from tapeviz.events.sites import parse

Span = tuple[int, int, int, int]
Flow = tuple[list[ast.AST], "ast.expr | ast.stmt"]
"""What is assigned to, and the value that goes there."""

FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


def span(site: Site) -> Span:
    """Where a site begins and ends, as `ast` counts."""
    return site.line, site.column, site.end_line, site.end_column


class SourceText:
    """The parsed source of one file of a log; an unparsable one has no nodes."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = list(lines)
        self.tree = parse("".join(self.lines))
        self._flows: dict[int, list[Flow]] = {}
        self._held: dict[tuple[int, Span], set[str]] = {}

    @cached_property
    def _nodes(self) -> dict[Span, list[ast.expr]]:
        found: dict[Span, list[ast.expr]] = {}
        for node in ast.walk(self.tree) if self.tree is not None else ():
            if isinstance(node, ast.expr):
                found.setdefault(_span(node), []).append(node)
        return found

    @cached_property
    def _functions(self) -> list[ast.AST]:
        nodes = ast.walk(self.tree) if self.tree is not None else ()
        return [node for node in nodes if isinstance(node, FUNCTION)]

    def reaches(self, start: Site, end: Site, slot: int | None = None) -> bool:
        """Whether the value of the expression at `start` takes part in the one at `end`, or in its operand `slot`."""
        body = self._around(start.line, end.line)
        origin, goal = span(start), span(end)
        names = self._holders(body, origin)
        for _, value in self._statements(body):
            for node in ast.walk(value):
                if isinstance(node, (ast.expr, ast.stmt)) and _span(node) == goal:
                    return _carries(_operand(node, slot), origin, names)
        return False

    def binding(self, name: str, before: Site) -> Site | None:
        """The line of the last plain assignment to a name above `before`, in the same function."""
        found = [
            value
            for targets, value in self._statements(self._around(before.line, before.line))
            if value.lineno < before.line and name in names_in(targets) and _is_selection(value)
        ]
        if not found:
            return None
        last = max(found, key=lambda each: each.lineno)
        text = self.lines[last.lineno - 1].strip()
        line, column, end_line, end_column = _span(last)
        return Site(before.filename, line, end_line, column, end_column, before.function, text)

    def assignment(self, name: str, before: Site) -> Site | None:
        """The last assignment to a name, to an attribute or a key of that name, above `before`.

        One in its function or at the module's own level wins over those of other functions.
        """
        near = (*self._statements(self._around(before.line, before.line)), *self._statements(self.tree))
        far = (flow for function in self._functions for flow in self._statements(function))
        for flows in (near, far):
            found = [each for targets, each in flows if each.lineno < before.line and name in _bound(targets)]
            if found:
                break
        else:
            return None
        last = max(found, key=lambda each: each.lineno)
        text = self.lines[last.lineno - 1].strip()
        return Site(before.filename, last.lineno, last.lineno, 0, 0, before.function, text)

    def assigned(self, made: Site) -> tuple[set[str], int | None]:
        """The plain names that are assigned what is made at a site, and the line of the function it is in, if any."""
        body, origin = self._around(made.line, made.line), span(made)
        names = {
            target.id
            for targets, value in self._statements(body)
            if isinstance(value, ast.expr)
            for target, part in _pairs(targets, value)
            if isinstance(target, ast.Name) and isinstance(target.ctx, ast.Store) and _carries(part, origin, set())
        }
        return names, getattr(body, "lineno", None)

    def inner_return(self, name: str) -> int | None:
        """The line of the last `return` in the function that `name` returns beside its value."""
        for function in self._functions:
            if isinstance(function, FUNCTION) and function.name == name:
                inner = {each.name: each for each in ast.walk(function) if isinstance(each, FUNCTION)}
                return next((line for each in ast.walk(function) if (line := _returned_line(each, inner))), None)
        return None

    def operand(self, site: Site, slot: int) -> str | None:
        """The name that stands as operand `slot` of the expression at a site; None if it is no name."""
        for node in self._nodes.get(span(site), ()):
            part = _operand(node, slot)
            if part is not node and isinstance(part, ast.Name):
                return part.id
        return None

    def operand_text(self, site: Site, slot: int, called: Collection[str]) -> str | None:
        """How operand `slot` is written in the call or operation at a site, if what it calls is one of `called`."""
        for node in self._nodes.get(span(site), ()):
            part = _operand(node, slot)
            if part is not node and _called(node) in called:
                return ast.unparse(part)
        return None

    def enclosing(self, site: Site) -> list[ast.AST]:
        """The statements and expressions around a site, the outermost first."""
        path: list[ast.AST] = []
        node: ast.AST | None = self.tree
        while node is not None:
            path.append(node)
            node = next((each for each in ast.iter_child_nodes(node) if _holds(each, span(site))), None)
        return path

    def call(self, site: Site, name: str) -> ast.Call | None:
        """The call of a function of this name at a site."""
        for node in self._nodes.get(span(site), ()):
            if isinstance(node, ast.Call) and _called(node) == name:
                return node
        return None

    def _holders(self, body: ast.AST | None, origin: Span) -> set[str]:
        """The names that hold the value made at `origin`, or one made from it."""
        key = (id(body), origin)
        if key in self._held:
            return self._held[key]
        flows = self._statements(body)
        # A value that is read out by being stored, as in `buffer[i] = tensor`, is met at what it is stored in.
        names = {name for targets, _ in flows if _hold(targets, origin) for name in names_in(targets)}
        while True:
            more = {name for targets, value in flows if _carries(value, origin, names) for name in names_in(targets)}
            if more <= names:
                return self._held.setdefault(key, names)
            names |= more

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
            yield from _flows(node)


def _returned_line(node: ast.AST, inner: dict[str, ast.FunctionDef | ast.AsyncFunctionDef]) -> int | None:
    """For `return value, function`: where that function, a lambda or one of `inner`, ends."""
    match node:
        case ast.Return(value=ast.Tuple(elts=[*_, ast.Lambda(body=body)])):
            return body.lineno
        case ast.Return(value=ast.Tuple(elts=[*_, ast.Name(id=name)])) if name in inner:
            return max((each.lineno for each in ast.walk(inner[name]) if isinstance(each, ast.Return)), default=None)
    return None


def _flows(node: ast.AST) -> Iterator[Flow]:
    match node:
        case ast.Assign(targets=targets, value=value):
            yield list(targets), value
        case ast.AugAssign(target=target, value=value):
            yield [target], node
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            yield [target], value
        case ast.For(target=target, iter=value):
            yield [target], value
        case ast.withitem(context_expr=value, optional_vars=ast.expr() as target):
            yield [target], value
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner)) as value):
            yield [owner], value
        case ast.Expr(value=value) | ast.Return(value=ast.expr() as value):
            yield [], value


def _pairs(targets: Iterable[ast.AST], value: ast.expr) -> Iterator[tuple[ast.AST, ast.expr]]:
    """(what is assigned to, the value that goes there), element by element where both are written out."""
    for target in targets:
        match target, value:
            case ast.Tuple(elts=names) | ast.List(elts=names), ast.Tuple(elts=parts) | ast.List(elts=parts):
                yield from zip(names, parts, strict=False)
            case _:
                yield target, value


def _carries(value: ast.AST, origin: Span, names: set[str]) -> bool:
    """Whether an expression contains the origin or one of the names."""
    return any(
        (isinstance(node, ast.Name) and node.id in names) or (isinstance(node, ast.expr) and _span(node) == origin)
        for node in ast.walk(value)
    )


def _hold(targets: Iterable[ast.AST], origin: Span) -> bool:
    """Whether the origin is one of the places that are assigned to."""
    return any(isinstance(target, ast.Subscript) and _span(target) == origin for target in targets)


def names_in(targets: Iterable[ast.AST]) -> set[str]:
    """The names that an assignment to these targets changes; of `a.b[i]` that is a."""
    found: set[str] = set()
    for target in targets:
        while isinstance(target, (ast.Attribute, ast.Subscript, ast.Starred)):
            target = target.value
        if isinstance(target, ast.Name):
            found.add(target.id)
        elif isinstance(target, (ast.Tuple, ast.List)):
            found |= names_in(target.elts)
    return found


def _bound(targets: Iterable[ast.AST]) -> set[str]:
    """The plain names, the attributes and the keys that an assignment to these targets gives another value."""
    nodes = [node for target in targets for node in ast.walk(target)]
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    names |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return names | {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def _is_selection(value: ast.AST) -> bool:
    """Whether an expression only picks something that is there: a name, an attribute, an item."""
    return isinstance(value, (ast.Name, ast.Attribute, ast.Subscript))


def _operand(node: ast.AST, slot: int | None) -> ast.AST:
    """Operand `slot` of an expression, the expression itself where that cannot be told."""
    parts: list[ast.expr] = []
    match node:
        case ast.BinOp(left=left, right=right):
            parts = [left, right]
        case ast.AugAssign(target=target, value=value):
            parts = [target, value]
        case ast.Call(args=args):
            parts = args
        case ast.UnaryOp(operand=operand):
            parts = [operand]
        case ast.Subscript(value=value, slice=index):
            parts = [value, index]
        case ast.Compare(left=left, comparators=[right]):
            parts = [left, right]
    return parts[slot] if slot is not None and slot < len(parts) else node


def _called(node: ast.AST) -> str:
    """The last name of the function that is called, or the name of the operator."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name)) | ast.Call(func=ast.Name(id=name)):
            return name
        case ast.BinOp(op=operator) | ast.Compare(ops=[operator]):
            return type(operator).__name__
    return ""


def _holds(node: ast.AST, inner: Span) -> bool:
    """Whether a node has a place in the text, and the span lies in it."""
    line, column, end_line, end_column = _span(node)
    return (line, column) <= inner[:2] and inner[2:] <= (end_line, end_column)


def _span(node: ast.AST) -> Span:
    return (
        getattr(node, "lineno", 0),
        getattr(node, "col_offset", 0),
        getattr(node, "end_lineno", 0) or 0,
        getattr(node, "end_col_offset", 0) or 0,
    )


class Texts:
    """The sources of a log's files, each parsed once."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._parsed: dict[str, SourceText] = {}

    def of(self, site: Site) -> SourceText:
        if site.filename not in self._parsed:
            self._parsed[site.filename] = SourceText(self._log.source(site.filename))
        return self._parsed[site.filename]
