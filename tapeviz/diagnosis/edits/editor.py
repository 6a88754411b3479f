"""The files of a log, and code as rules write it -> edits of these files, in the spelling of their framework."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tapeviz.diagnosis.dialects import dialect_of
from tapeviz.events import EventLog, Site
from tapeviz.source.editing import Editable
from tapeviz.source.edits import Edit
from tapeviz.source.parsing import parse_expression
from tapeviz.source.statements import FUNCTION, callee, is_selection, span


class Editor:
    """What writes into the program's files. Rules write TensorFlow's functions; a place that is not known has no edit.

    Nodes are those of `file(site)`, so that each has its place in that file.
    """

    def __init__(self, log: EventLog) -> None:
        self.log, self.dialect = log, dialect_of(log)
        self._files: dict[str, Editable] = {}

    # ----- what is there -----

    def file(self, site: Site) -> Editable:
        """The file that a site is in."""
        if site.filename not in self._files:
            self._files[site.filename] = Editable(site.filename, self.log.source(site.filename))
        return self._files[site.filename]

    def node(self, site: Site | None) -> ast.AST | None:
        """The expression or statement that stands exactly at a site."""
        return None if site is None else self.file(site).node(span(site))

    def statement(self, site: Site | None) -> ast.stmt | None:
        """The statement around a site; of the site of a whole line, what stands there."""
        if site is None:
            return None
        file = self.file(site)
        node = file.node(span(site))
        return file.statement(node) if node is not None else file.statement_on(site.line)

    def calls(self, site: Site | None, *names: str) -> list[ast.Call]:
        """The calls of functions with one of these names in the statement at a site, not in the block that it heads."""
        return [each for each in self.parts(site) if isinstance(each, ast.Call) and callee(each) in names]

    def call(self, site: Site | None, *names: str) -> ast.Call | None:
        """The one call of a function with one of these names: the one at a site, else that of its statement."""
        node = self.node(site)
        found = [node] if isinstance(node, ast.Call) and callee(node) in names else self.calls(site, *names)
        return found[0] if len(found) == 1 else None

    def parts(self, site: Site | None) -> Iterator[ast.AST]:
        """All nodes of the statement at a site, but those of the block that it heads."""
        waiting: list[ast.AST] = [each] if (each := self.statement(site)) is not None else []
        for node in waiting:  # grows meanwhile
            yield node
            waiting += [each for each in ast.iter_child_nodes(node) if not isinstance(each, ast.stmt)]

    def text(self, site: Site, node: ast.AST) -> str:
        """What a node is written as."""
        return self.file(site).text(node)

    def operand(self, site: Site, node: ast.expr) -> str:
        """What a node is written as in a formula: in parentheses where it needs them."""
        return self.file(site).operand(node)

    def knows(self, site: Site, name: str) -> bool:
        """Whether a name, or an attribute or item of it, can be written at a site: where its function has it."""
        expression = parse_expression(name)
        if expression is None or not is_selection(expression):
            return False
        around = list(self.file(site).around(self.statement(site)))
        function = next((each for each in around if isinstance(each, FUNCTION)), around[-1] if around else None)
        own = {each.id for each in ast.walk(function) if isinstance(each, ast.Name)} if function is not None else set()
        own |= {each.arg for each in ast.walk(function) if isinstance(each, ast.arg)} if function is not None else set()
        needed = {each.id for each in ast.walk(expression) if isinstance(each, ast.Name)}
        return needed <= own

    # ----- what is changed -----

    def replace(self, site: Site | None, node: ast.AST | None, code: str | None) -> Edit | None:
        """Another expression in the place of one."""
        if site is None or code is None:
            return None
        file, own = self.file(site), self._spelled(site, code)
        return file.importing(file.replaced(node, own), own)

    def instead(self, site: Site | None, code: str | None) -> Edit | None:
        """Another expression in the place of the one at a site."""
        node = self.node(site)
        return self.replace(site, node, code) if isinstance(node, ast.expr) else None

    def rename(self, site: Site | None, call: ast.Call | None, function: str) -> Edit | None:
        """Another function in the place of the one that is called."""
        return None if call is None else self.replace(site, call.func, function)

    def give(self, site: Site | None, call: ast.Call | None, name: str, value: str) -> Edit | None:
        """An argument by name, in the place of what the call has for it."""
        if site is None:
            return None
        file, own = self.file(site), self._spelled(site, value)
        return file.importing(file.with_argument(call, name, own), own)

    def rewrite(self, site: Site | None, code: str | None) -> Edit | None:
        """Another statement in the place of the one at a site."""
        if site is None or code is None:
            return None
        file = self.file(site)
        return file.importing(file.rewritten(self.statement(site), code), code)

    def above(self, site: Site | None, statement: ast.stmt | None, *codes: str) -> Edit | None:
        """Lines above a statement."""
        return None if site is None else self.file(site).above(statement, *codes)

    def below(self, site: Site | None, statement: ast.stmt | None, code: str) -> Edit | None:
        """A line below a statement."""
        return None if site is None else self.file(site).below(statement, code)

    def _spelled(self, site: Site, code: str) -> str:
        """Code of a rule's own in the functions of the framework, and these by the names that the file has for them."""
        return self.file(site).spelled(self.dialect.expression(code))
