"""The source of a file -> the kinds of edit that it takes: of an expression, an argument, a line or a block."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cached_property

from tapeviz.source.edits import Edit, Place, TextChange, begin_of, end_of
from tapeviz.source.parsing import parse, parse_expression
from tapeviz.source.sites import ParsedSource, Span, parsed
from tapeviz.source.statements import FUNCTION, Function

_CLOSED = (ast.Name, ast.Call, ast.Attribute, ast.Subscript, ast.Constant, ast.List, ast.Dict, ast.ListComp)
"""Expressions that need no parentheses as operands."""

_APART = (ast.Call, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Expr, ast.keyword, ast.List, ast.Dict)
"""Nodes whose parts stand apart, so that any expression can take the place of another there."""

_MODULES = {
    "tf": ("tensorflow", "tapeviz"),
    "torch": ("torch",),
    "jnp": ("jax.numpy",),
    "jax": ("jax",),
    "keras": ("keras",),
    "anp": ("autograd.numpy",),
    "Tensor": ("tinygrad.Tensor",),
}
"""The names that rules write modules by, and the modules."""

_IMPORTS = {
    "tf": "import tensorflow as tf",
    "torch": "import torch",
    "jnp": "import jax.numpy as jnp",
    "jax": "import jax",
    "keras": "import keras",
    "anp": "import autograd.numpy as anp",
    "Tensor": "from tinygrad import Tensor",
}
"""How these are imported where a file has not."""


_EMPTY = ast.Module([], [])


def _is_on(statement: ast.stmt, line: int) -> bool:
    """Whether a line is one of a statement's."""
    return begin_of(statement)[0] <= line <= end_of(statement)[0]


def _has_long_text(node: ast.AST) -> bool:
    """Whether some text of several lines stands in a node, which an indent would change."""
    return any(
        isinstance(each, ast.Constant | ast.JoinedStr) and begin_of(each)[0] != end_of(each)[0]
        for each in ast.walk(node)
    )


def _is_plain(line: ast.stmt) -> bool:
    """Whether an import may have another above it."""
    return not (isinstance(line, ast.ImportFrom) and line.module == "__future__") and line.col_offset == 0


class Editable:
    """A file of the program's and what can be changed in it; an edit that the text does not allow is None."""

    def __init__(self, filename: str, lines: list[str]) -> None:
        self.filename, self.lines = filename, tuple(lines)
        self._source: ParsedSource = parsed("".join(lines))

    # ----- what is there -----

    @property
    def tree(self) -> ast.Module | None:
        return self._source.tree

    def walk(self) -> Iterator[ast.AST]:
        """All nodes of the file."""
        return ast.walk(self.tree or _EMPTY)

    def node(self, span: Span) -> ast.AST | None:
        """The expression or statement that stands exactly at a span."""
        return self._source.node(span)

    def statement_on(self, line: int) -> ast.stmt | None:
        """The innermost statement on a line."""
        return max((each for each in self._statements if _is_on(each, line)), key=begin_of, default=None)

    @cached_property
    def _statements(self) -> list[ast.stmt]:
        return [each for each in self.walk() if isinstance(each, ast.stmt)]

    @cached_property
    def attributes(self) -> frozenset[tuple[str, str]]:
        """The variables whose attributes and methods the file names, each with one of these."""
        named = (each for each in self.walk() if isinstance(each, ast.Attribute))
        return frozenset((each.value.id, each.attr) for each in named if isinstance(each.value, ast.Name))

    def parent(self, node: ast.AST | None) -> ast.AST | None:
        """What a node is a part of."""
        return self._source.parent(node)

    def around(self, node: ast.AST | None) -> Iterator[ast.AST]:
        """A node and what it is a part of, the innermost first."""
        while node is not None:
            yield node
            node = self._source.parent(node)

    def statement(self, node: ast.AST | None) -> ast.stmt | None:
        """The statement that a node stands in."""
        return next((each for each in self.around(node) if isinstance(each, ast.stmt)), None)

    def text(self, node: ast.AST) -> str:
        """What a node is written as."""
        (first, column), (last, end) = begin_of(node), end_of(node)
        lines = [each.encode() for each in self.lines[first - 1 : last]]
        lines[-1] = lines[-1][:end]
        lines[0] = lines[0][column:]
        return b"".join(lines).decode()

    def operand(self, node: ast.expr) -> str:
        """What an expression is written as in another: in parentheses where it needs them."""
        return self.text(node) if isinstance(node, _CLOSED) else f"({self.text(node)})"

    # ----- expressions -----

    def replaced(self, node: ast.AST | None, code: str | None) -> Edit | None:
        """Another expression in the place of one, in parentheses where it needs them."""
        new = None if code is None else parse_expression(code)
        if node is None or code is None or new is None or self._is_in_a_string(node):
            return None
        bare = code if self._stays_whole(node, new) else f"({code})"
        return self._edit(begin_of(node), end_of(node), bare)

    def _stays_whole(self, node: ast.AST, new: ast.AST) -> bool:
        """Whether another expression needs no parentheses in the place of one."""
        is_apart = isinstance(self.parent(node), _APART) and not self._is_called(node)
        return is_apart or isinstance(new, _CLOSED)

    def _is_called(self, node: ast.AST) -> bool:
        match self.parent(node):
            case ast.Call(func=function):
                return function is node
        return False

    def _is_in_a_string(self, node: ast.AST) -> bool:
        """Whether a node stands in an f-string, where no place can be relied on."""
        return any(isinstance(each, ast.JoinedStr) for each in self.around(node))

    def with_argument(self, call: ast.Call | None, name: str, value: str) -> Edit | None:
        """A call with an argument by name, in the place of what it gives by that name."""
        if call is None or self._is_in_a_string(call):
            return None
        for each in call.keywords:
            if each.arg == name:
                return self.replaced(each.value, value)
        given = [*call.args, *(each.value for each in call.keywords)]
        if any(isinstance(each, ast.GeneratorExp) for each in call.args):
            return None
        if given:
            last = max(map(end_of, given))
            return self._edit(last, last, f", {name}={value}")
        line, column = end_of(call)
        return self._edit((line, column - 1), (line, column - 1), f"{name}={value}")

    def without_keyword(self, call: ast.Call, name: str) -> Edit | None:
        """A call without what it is given by a name, behind what it is given by its place."""
        own = [each for each in call.keywords if each.arg == name]
        before = [end_of(each) for each in (*call.args, *call.keywords) if own and end_of(each) < begin_of(own[0])]
        if len(own) != 1 or not before or self._is_in_a_string(call):
            return None
        return self._edit(max(before), end_of(own[0]), "")

    def without_brackets(self, call: ast.AST, argument: ast.AST) -> Edit | None:
        """The one argument of a call in its place, in parentheses where it needs them; it can be changed itself too."""
        opening, closing = ("", "") if self._stays_whole(call, argument) else ("(", ")")
        first = self._edit(begin_of(call), begin_of(argument), opening)
        return first.and_also(self._edit(end_of(argument), end_of(call), closing))

    def without_end(self, node: ast.AST, begin: ast.AST) -> Edit:
        """The part of an expression that it begins with, alone in its place."""
        return self._edit(end_of(begin), end_of(node), "")

    def function(self, name: str) -> Function | None:
        """The one function of a name."""
        found = [each for each in self.walk() if isinstance(each, FUNCTION) and each.name == name]
        return found[0] if len(found) == 1 else None

    def decorated(self, function: Function, decorator: str) -> Edit:
        """A function with one more decorator, the one next to it."""
        at = (function.lineno, 0)
        return self._edit(at, at, f"{self._indent(function)}{decorator}{self._newline}")

    def with_defaults(self, function: ast.Lambda | Function, names: Iterable[str]) -> Edit | None:
        """A function whose last arguments have the values of names as defaults."""
        own, given = function.args, ", ".join(f"{each}={each}" for each in names)
        if own.vararg or own.kwonlyargs or own.kwarg:
            return None
        if own.args:
            last = max(map(end_of, [*own.args, *own.defaults]))
            return self._edit(last, last, f", {given}")
        line, column = begin_of(function)
        if isinstance(function, ast.Lambda):
            at = line, column + len("lambda")
            return self._edit(at, at, f" {given}")
        line = function.lineno
        text = self.lines[line - 1].encode()
        at = line, text.index(b"(", column) + 1
        return self._edit(at, at, given)

    # ----- lines -----

    def rewritten(self, statement: ast.stmt | None, code: str) -> Edit | None:
        """Another statement, of one line, in the place of one."""
        if statement is None or not self._stands_alone(statement):
            return None
        return self._edit(begin_of(statement), end_of(statement), code)

    def above(self, statement: ast.stmt | None, *codes: str) -> Edit | None:
        """Lines before a statement, indented as it is."""
        if statement is None or not self._begins_its_line(statement):
            return None
        line, _ = begin_of(statement)
        indent = self._indent(statement)
        return self._edit((line, 0), (line, 0), "".join(f"{indent}{each}{self._newline}" for each in codes))

    def below(self, statement: ast.stmt | None, code: str) -> Edit | None:
        """A line behind a statement, indented as it is."""
        if statement is None or not self._stands_alone(statement):
            return None
        return self._behind(end_of(statement)[0], self._indent(statement), code)

    def removed(self, statement: ast.stmt | None) -> Edit | None:
        """A file without the lines of a statement; where it is all there is in its block, `pass` takes its place."""
        if statement is None or not self._stands_alone(statement):
            return None
        if len(self._siblings(statement)) == 1:
            return self._edit(begin_of(statement), end_of(statement), "pass")
        return self._edit((begin_of(statement)[0], 0), (end_of(statement)[0] + 1, 0), "")

    def without_line(self, line: int) -> Edit | None:
        """A file without a line that is whole, as that of a decorator is."""
        return self._edit((line, 0), (line + 1, 0), "")

    def moved_above(self, statement: ast.stmt | None, other: ast.stmt | None) -> Edit | None:
        """A statement before another, indented as that is."""
        put = None if statement is None else self.above(other, self._one_line(statement) or "")
        return self._moved(statement, put)

    def moved_below(self, statement: ast.stmt | None, other: ast.stmt | None) -> Edit | None:
        """A statement behind another, indented as that is."""
        put = None if statement is None else self.below(other, self._one_line(statement) or "")
        return self._moved(statement, put)

    def _moved(self, statement: ast.stmt | None, put: Edit | None) -> Edit | None:
        taken = self.removed(statement)
        if statement is None or put is None or taken is None or self._one_line(statement) is None:
            return None
        return taken.and_also(put)

    def unblocked(self, block: ast.With | None) -> Edit | None:
        """A file whose `with` is gone and whose block stands where that stood."""
        if block is None or not self._stands_alone(block) or begin_of(block.body[0])[0] == block.lineno:
            return None
        first, last = begin_of(block.body[0])[0], end_of(block)[0]
        inner, outer = self._indent(block.body[0]), self._indent(block)
        lines = [each.removeprefix(inner) for each in self.lines[first - 1 : last]]
        kept = [f"{outer}{each}" if each.strip() else each for each in lines]
        if any(not own.startswith(inner) and own.strip() for own in self.lines[first - 1 : last]):
            return None
        return self._edit((block.lineno, 0), (last + 1, 0), "".join(kept))

    def put_around(self, block: ast.With | None, loop: ast.For | ast.While | None) -> Edit | None:
        """A file whose `with` stands around a loop in place of within it; what was in its block stays in both."""
        if block is None or loop is None or not (self._stands_alone(block) and self._stands_alone(loop)):
            return None
        outer, inner = self._indent(loop), self._indent(block)
        header, end = self.lines[block.lineno - 1], end_of(block)[0]
        if not header.partition("#")[0].rstrip().endswith(":") or not inner.startswith(outer) or _has_long_text(loop):
            return None
        step, moved = inner.removeprefix(outer), list[str]()
        for number in range(loop.lineno, end_of(loop)[0] + 1):
            line = self.lines[number - 1]
            if number != block.lineno:
                moved.append(line if block.lineno < number <= end or not line.strip() else f"{step}{line}")
        return self._edit((loop.lineno, 0), (end_of(loop)[0] + 1, 0), header.removeprefix(step) + "".join(moved))

    # ----- names -----

    def mentions(self, names: Iterable[str], lines: range) -> bool:
        """Whether some name stands on one of these lines."""
        return any(each.id in set(names) for each in self._named(lines))

    def gives(self, names: Iterable[str], lines: range) -> bool:
        """Whether some name is given a value on one of these lines."""
        return any(each.id in set(names) and isinstance(each.ctx, ast.Store) for each in self._named(lines))

    def _named(self, lines: range) -> Iterator[ast.Name]:
        named = (each for each in self.walk() if isinstance(each, ast.Name))
        return (each for each in named if each.lineno in lines)

    def is_own(self, statement: ast.stmt, name: str) -> bool:
        """Whether a name is one of the function or module that a statement is in: it is given a value there."""
        function = next((each for each in self.around(statement) if isinstance(each, FUNCTION)), None)
        if function is None:
            return True
        stored = {
            each.id for each in ast.walk(function) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
        }
        return name in stored or name in {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)}

    def spelled(self, code: str) -> str:
        """Code with the modules in it called as the file calls them.

        A module that it has not imported keeps its name: `importing` says what is to be added.
        """
        tree = parse(code)
        if tree is None or not (unknown := self._unknown(tree)):
            return code
        names = {name: own for name in unknown if (own := self._alias(name)) is not None}
        for each in ast.walk(tree):
            if isinstance(each, ast.Name) and each.id in names:
                each.id = names[each.id]
        return ast.unparse(tree) if names else code

    def importing(self, edit: Edit | None, code: str) -> Edit | None:
        """An edit with the lines that import the modules which its code needs and the file has not."""
        tree = parse(code)
        for name in sorted(self._unknown(tree)) if tree is not None else ():
            first = next((each for each in self._imports if _is_plain(each)), None)
            edit = None if edit is None else edit.and_also(self.above(first, _IMPORTS[name]))
        return edit

    def _unknown(self, tree: ast.AST) -> set[str]:
        """The modules that code needs and the file has no name for."""
        used = {each.id for each in ast.walk(tree) if isinstance(each, ast.Name)}
        return (used & _MODULES.keys()) - self._names

    @cached_property
    def _imports(self) -> list[ast.Import | ast.ImportFrom]:
        return [each for each in self.walk() if isinstance(each, ast.Import | ast.ImportFrom)]

    @cached_property
    def _names(self) -> set[str]:
        """The names that the file uses: a cell of a notebook has those of other cells."""
        nodes = list(self.walk())
        found = {str(each.asname or each.name.partition(".")[0]) for line in self._imports for each in line.names}
        found |= {each.arg for each in nodes if isinstance(each, ast.arg)}
        return found | {each.id for each in nodes if isinstance(each, ast.Name)}

    def _alias(self, name: str) -> str | None:
        """What the file calls the module that rules write by a name."""
        for line in self._imports:
            for each in line.names if isinstance(line, ast.Import) else ():
                if each.name in _MODULES[name]:
                    return each.asname or each.name
        return None

    # ----- how it is written -----

    def _edit(self, begin: Place, end: Place, text: str) -> Edit:
        return Edit(self.filename, (TextChange(begin, end, text),), self.lines)

    def _behind(self, line: int, indent: str, code: str) -> Edit:
        """A line behind another, which may be the last and have no end."""
        if line == len(self.lines) and not self.lines[-1].endswith("\n"):
            at = (line, len(self.lines[-1].encode()))
            return self._edit(at, at, f"{self._newline}{indent}{code}")
        return self._edit((line + 1, 0), (line + 1, 0), f"{indent}{code}{self._newline}")

    @property
    def _newline(self) -> str:
        return "\r\n" if self.lines and self.lines[0].endswith("\r\n") else "\n"

    def _indent(self, statement: ast.stmt) -> str:
        line = self.lines[begin_of(statement)[0] - 1]
        return line[: len(line) - len(line.lstrip())]

    def _begins_its_line(self, statement: ast.stmt) -> bool:
        """Whether a line can be put above a statement: an `elif` belongs to what is above it."""
        line, column = begin_of(statement)
        text = self.lines[line - 1].encode()
        is_elif = isinstance(statement, ast.If) and text[column:].startswith(b"elif")
        return not text[:column].strip() and not is_elif

    def _stands_alone(self, statement: ast.stmt) -> bool:
        """Whether a statement has its lines for itself, but for a comment."""
        line, column = end_of(statement)
        behind = self.lines[line - 1].encode()[column:].strip()
        return self._begins_its_line(statement) and (not behind or behind.startswith(b"#"))

    def _one_line(self, statement: ast.stmt) -> str | None:
        text = self.text(statement)
        return None if "\n" in text else text

    def _siblings(self, statement: ast.stmt) -> list[ast.stmt]:
        """The statements of the block that a statement is in."""
        parent = self.parent(statement)
        blocks = [getattr(parent, name, None) for name in ("body", "orelse", "finalbody")]
        return next((each for each in blocks if isinstance(each, list) and statement in each), [statement])
