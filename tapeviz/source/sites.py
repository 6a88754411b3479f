"""(code object, instruction) -> the user's source: line, exact columns, and the name the result was given.

Recording keeps two pointers per op; everything here happens when someone reads the log.
"""

from __future__ import annotations

import ast
import linecache
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from types import CodeType

from tapeviz.source.filenames import shown_name
from tapeviz.source.parsing import parse

Span = tuple[int, int, int, int]
LONGEST_NAME = 32
"""Of an expression that stands for a name, such as `layers[0].weight`."""
UNUSED = "_"
"""What a program calls a result that it has no use for."""
TRAINING = frozenset({"fit", "train_on_batch"})
"""The methods of a model that train it."""
CONSTRUCTOR = "__init__"
PARTS = (ast.Attribute, ast.Subscript)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
CACHE = 0
"""The opcode of the places that CPython keeps after an instruction for what it learns of it; 0 in every version."""


@dataclass(frozen=True, slots=True)
class Site:
    """A place in the user's source. Lines count from 1, columns from 0; `text` is the stripped line."""

    filename: str
    line: int
    end_line: int
    column: int
    end_column: int
    function: str
    text: str


@dataclass(frozen=True, slots=True)
class Naming:
    """The name that the source gives to the result of an expression.

    `counted` says that the expression runs in a comprehension, in the code `home`: the name of its k-th result is
    `name[k]`.
    `part` comes behind that count: `name[k].w`. `returned` says that the function returns it, or as what is at `path`
    in it, `[0]`: the caller's expression names it. `owner` says that the name begins with what a constructor calls the
    object it makes, `self` in `self.w`: the caller's expression names that. `several` are the names of results that
    come together, as in `h, c = cell(x)`; where they are `counted`, of those that come one after the other. `first` is
    the name of the first of them, of which the line takes no other, as in `h = cell(x)[0]`.
    """

    name: str | None = None
    counted: bool = False
    returned: bool = False
    owner: str = ""
    part: str = ""
    path: str = ""
    several: tuple[str, ...] = ()
    first: str | None = None
    home: CodeType | None = None

    def names(self, count: int) -> list[str | None]:
        """The names of `count` results that come together."""
        if len(self.several) == count:
            return [None if name == UNUSED else name for name in self.several]
        if self.first is not None:
            return [self.first, *[None] * (count - 1)]
        return [self.name and f"{self.name}[{index}]" for index in range(count)]

    def within(self, outer: Naming) -> Naming:
        """The naming of a part of what `outer` names: `self.w` within `m.first` is `m.first.w`.

        It stays itself where the result would be too long, or would need two counts.
        """
        own = (self.name or "").removeprefix(self.owner)
        whole = f"{outer.name}{outer.part}{own}{self.part}"
        if outer.name is None or len(whole) > LONGEST_NAME or (outer.counted and self.counted):
            return self
        if outer.counted:
            return replace(outer, part=outer.part + own + self.part)
        return replace(outer, name=outer.name + own, counted=self.counted, part=self.part, home=self.home)


def positions_of(code: CodeType) -> array[int]:
    """Line, end line, column and end column of each instruction of a code, one after the other; -1 where unknown."""
    return array("i", [-1 if each is None else each for place in code.co_positions() for each in place])


def span_of(code: CodeType, lasti: int, moved: int = 0, positions: Sequence[int] | None = None) -> Span:
    """(line, column, end line, end column) of an instruction, columns in bytes as `ast` counts them.

    `moved` says how far its lines had been moved to the left when they were compiled; `positions` are those of the
    code, where someone has them already: all of them are made for one.
    """
    positions = positions_of(code) if positions is None else positions
    first = lasti // 2 * 4
    line, end_line, column, end_column = positions[first : first + 4] if 0 <= first < len(positions) else (-1,) * 4
    line = line if line > 0 else code.co_firstlineno
    return line, max(0, column) + moved, end_line if end_line > 0 else line, max(0, end_column) + moved


def moved_left(code: CodeType, lines: list[str]) -> int:
    """How far the lines of a file were moved to the left before they were compiled, as marimo does with a cell.

    Most lines begin with an instruction; it tells the column that the line began in.
    """
    first: dict[int, int] = {}
    for line, end_line, column, end_column in code.co_positions():
        if line and column is not None and (line, column) != (end_line, end_column) and line <= len(lines):
            first[line] = min(column, first.get(line, column))
    distances = Counter(len(text) - len(text.lstrip()) - first[line] for line in first for text in [lines[line - 1]])
    return max(0, distances.most_common(1)[0][0]) if distances else 0


@lru_cache(maxsize=4096)
def instruction_of(code: CodeType, lasti: int) -> int:
    """Where the instruction begins. Once a call or an `xs[t]` has run a few times, a frame may stand in its cache."""
    return begin_of(code.co_code, lasti)


def begin_of(opcodes: bytes, lasti: int) -> int:
    """The same, of the opcodes of a code."""
    if 0 < lasti < len(opcodes):
        while lasti > 0 and opcodes[lasti] == CACHE:
            lasti -= 2
    return lasti


def is_inline(code: CodeType) -> bool:
    """Whether code stands within other code and is called by no name, as a comprehension's is in Python 3.11."""
    name = code.co_name
    return name.startswith("<") and name.endswith(">") and name != "<lambda>"


def resolve(code: CodeType, span: Span, lines: list[str]) -> Site:
    """The site of an instruction, at `span` of a file whose source is `lines`."""
    line, column, end_line, end_column = span
    text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    return Site(shown_name(code.co_filename), line, end_line, column, end_column, code.co_name, text)


def read_lines(filename: str) -> list[str]:
    """The source of a file or of a notebook's cell, [] where there is none."""
    return linecache.getlines(filename)  # looked up anew: `doctest` puts its own in its place


def _extent(node: ast.expr | ast.stmt) -> Span:
    return node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0


class ParsedSource:
    """The parsed source of one file, which may be no Python: which expression sits at a span, and its name."""

    def __init__(self, source: str) -> None:
        self.tree = parse(source)
        self._parents: dict[ast.AST, ast.AST] = {}
        self._nodes: dict[Span, ast.AST] = {}
        self.nodes: list[ast.AST] = [] if self.tree is None else [self.tree]
        """All of its syntax, as `ast.walk` walks it."""
        for parent in self.nodes:  # it grows: what is outside comes before what is inside
            for child in ast.iter_child_nodes(parent):
                self._parents[child] = parent
                self.nodes.append(child)
            if isinstance(parent, (ast.expr, ast.AugAssign, ast.Assert)):
                self._nodes.setdefault(_extent(parent), parent)

    @cached_property
    def expressions(self) -> dict[Span, list[ast.expr]]:
        """The expressions at each span, the outermost first."""
        found: dict[Span, list[ast.expr]] = {}
        for node in self.nodes:
            if isinstance(node, ast.expr):
                found.setdefault(_extent(node), []).append(node)
        return found

    def node(self, span: Span) -> ast.AST | None:
        """The outermost expression (or augmented assignment, or assertion) that covers exactly `span`."""
        return self._nodes.get(span)

    def parent(self, node: ast.AST | None) -> ast.AST | None:
        """What a node of the source is a part of."""
        return None if node is None else self._parents.get(node)

    def part(self, span: Span, whole: str) -> str | None:
        """The attribute or element of `whole` that the expression at `span` is about, if it is about one alone.

        In `out.loss.backward()` that is `out.loss` of `out`: what is called is no part of what it is called on.
        """
        node = self.node(span)
        found = {text for each in ast.walk(node) if (text := self._part_of(each, whole))} if node is not None else set()
        return found.pop() if len(found) == 1 else None

    def _part_of(self, node: ast.AST, whole: str) -> str | None:
        """The text of an outermost attribute or element of `whole`; None of anything else."""
        parent = self._parents.get(node)
        is_more = (
            isinstance(parent, PARTS) and parent.value is node and not _is_called(self._parents.get(parent), parent)
        )
        if not isinstance(node, PARTS) or _is_called(parent, node) or is_more:
            return None
        root: ast.AST = node
        while isinstance(root, PARTS):
            root = root.value
        return _text(node) if isinstance(root, ast.Name) and root.id == whole else None

    def naming(self, span: Span, path: str = "") -> Naming:
        """What the result of the expression at `span` is called, or what is at `path` in it."""
        node = self.node(span)
        if node is None or _trains(node) or isinstance(node, COMPREHENSIONS):  # in Python 3.11: its first `for`
            return Naming()
        if isinstance(node, ast.AugAssign):
            return Naming(_text(node.target))
        return self._named(node, path, False) if isinstance(node, ast.expr) else Naming()

    def _named(self, node: ast.expr, suffix: str, counted: bool) -> Naming:
        parent = self._parents.get(node)
        match parent:
            case ast.Assign(targets=[target, *_]) | ast.AnnAssign(target=target) | ast.NamedExpr(target=target):
                return self._owned(parent, _target_naming(target, suffix, counted))
            case ast.Return():
                return Naming(None, returned=not (counted and suffix), path="" if counted else suffix)
            case ast.Expr() if isinstance(node, ast.Call) and _is_constructors(node.func):
                return Naming(None, returned=True)
            case ast.Subscript(slice=ast.Constant(value=0)) if isinstance(node, ast.Call):
                picked = self._named(parent, suffix, counted)
                return Naming(first=None if picked.counted else picked.name)
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                return self._named(parent, f"[{elements.index(node)}]{suffix}", counted)
            case ast.Dict(keys=keys, values=values) if node in values:
                key = keys[values.index(node)]
                return self._named(parent, f"[{_text(key)}]{suffix}", counted) if key is not None else Naming()
            case ast.ListComp(elt=element) | ast.GeneratorExp(elt=element) if element is node and not counted:
                # An element of an element has no name.
                naming = self._named(parent, suffix, True)
                return naming if isinstance(parent, ast.ListComp) or naming.several else Naming()
        return Naming()

    def _owned(self, node: ast.AST, naming: Naming) -> Naming:
        """A naming at a statement in a function; in a constructor it may be that of a part of what is made."""
        while not isinstance(node, (ast.FunctionDef, ast.Lambda, ast.Module)):
            node = self._parents[node]
        if isinstance(node, ast.FunctionDef) and node.name == CONSTRUCTOR and node.args.args:
            owner = node.args.args[0].arg
            if naming.name is not None and naming.name.startswith(f"{owner}."):
                return replace(naming, owner=owner)
        return naming


@lru_cache(maxsize=16)  # the logs of a session mention the same files, and each is read for several questions
def parsed(source: str) -> ParsedSource:
    """The parsed source of a file of this text."""
    return ParsedSource(source)


def _trains(node: ast.AST) -> bool:
    """Whether an expression is the training of a model, whose result is a report."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in TRAINING


def _is_constructors(function: ast.expr) -> bool:
    """Whether what is called is the constructor of another class, for the same object: `super().__init__`."""
    return isinstance(function, ast.Attribute) and function.attr == CONSTRUCTOR


def _is_called(call: ast.AST | None, function: ast.AST) -> bool:
    return isinstance(call, ast.Call) and call.func is function


def _target_naming(target: ast.expr, suffix: str, counted: bool) -> Naming:
    """The name of `target`, or of the one of its elements that `suffix` selects: `w, b = (.., ..)`."""
    while isinstance(target, (ast.Tuple, ast.List)) and suffix:
        index, _, suffix = suffix[1:].partition("]")
        if not index.isdigit() or int(index) >= len(target.elts):
            return Naming()
        target = target.elts[int(index)]
    if isinstance(target, (ast.Tuple, ast.List)):
        return Naming(counted=counted, several=_texts(target))
    name = _text(target)
    return Naming(name and name + suffix, counted=counted)


def _texts(target: ast.Tuple | ast.List) -> tuple[str, ...]:
    """The names in a target, those in its parts among them; none if it is not known how many it takes."""
    found: list[str] = []
    for element in target.elts:
        parts = _texts(element) if isinstance(element, (ast.Tuple, ast.List)) else (_text(element),)
        if not parts or None in parts or isinstance(element, ast.Starred):
            return ()
        found += filter(None, parts)
    return tuple(found)


def _text(node: ast.expr) -> str | None:
    """What a target is called: a plain name, however long, or an expression that is as short as one."""
    text = ast.unparse(node)
    return text if len(text) <= LONGEST_NAME or isinstance(node, ast.Name) else None
