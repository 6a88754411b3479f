"""A node of the user's syntax tree -> what is assigned in it, what flows where, and what stands in which place."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tapeviz.events import Site

Span = tuple[int, int, int, int]
Flow = tuple[list[ast.AST], "ast.expr | ast.stmt"]
"""What is assigned to, and the value that goes there."""

FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
Function = ast.FunctionDef | ast.AsyncFunctionDef

OPERATORS: dict[type[ast.operator | ast.cmpop], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.Gt: "greater",
    ast.GtE: "greater_equal",
    ast.Lt: "less",
    ast.LtE: "less_equal",
    ast.Eq: "equal",
    ast.NotEq: "not_equal",
}
"""Python's operators -> the ops that they are of tensors."""


SHAPE_ATTRIBUTES = frozenset(("shape", "ndim", "size", "dtype", "device", "itemsize", "nbytes"))
"""What an array or tensor says of itself that none of its numbers takes part in."""
SHAPE_FUNCTIONS = frozenset(
    ("len", "shape", "ndim", "ones_like", "zeros_like", "empty_like", "rand_like", "randn_like", "isinstance", "type")
)
"""The functions that read no number of what they are given."""


def span(site: Site) -> Span:
    """Where a site begins and ends, as `ast` counts."""
    return site.line, site.column, site.end_line, site.end_column


@dataclass(frozen=True)
class HeldValue:
    """A value in the text: where it is made, the names that hold it or something made of it, and the attributes."""

    origin: Span | None
    names: set[str]
    attributes: frozenset[str] = frozenset()

    def is_in(self, value: ast.AST) -> bool:
        """Whether an expression contains any of these, and not for its shape or dtype alone."""
        nodes = [value]
        for node in nodes:
            if isinstance(node, ast.Attribute) and node.attr in self.attributes:
                return True
            if reads_shape(node):
                continue
            if isinstance(node, ast.expr) and span_of(node) == self.origin:
                return True
            if isinstance(node, ast.Name) and node.id in self.names:
                return True
            nodes.extend(ast.iter_child_nodes(node))
        return False


def reads_shape(node: ast.AST) -> bool:
    """Whether an expression asks an array or tensor for what none of its numbers takes part in.

    >>> [reads_shape(ast.parse(each, mode="eval").body) for each in ("x.shape", "len(x)", "np.ones_like(x)", "x[0]")]
    [True, True, True, False]
    """
    match node:
        case ast.Attribute(attr=name):
            return name in SHAPE_ATTRIBUTES
        case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
            return name in SHAPE_FUNCTIONS
    return False


def returned_beside(node: ast.AST, inner: dict[str, Function]) -> Function | ast.Lambda | None:
    """For `return value, function`: that function, a lambda or one of `inner`."""
    match node:
        case ast.Return(value=ast.Tuple(elts=[*_, ast.Lambda() as found])):
            return found
        case ast.Return(value=ast.Tuple(elts=[*_, ast.Name(id=name)])):
            return inner.get(name)
    return None


def returned_line(node: ast.AST, inner: dict[str, Function]) -> int | None:
    """For `return value, function`: where that function ends."""
    match returned_beside(node, inner):
        case None:
            return None
        case ast.Lambda(body=body):
            return body.lineno
        case function:
            return max((each.lineno for each in ast.walk(function) if isinstance(each, ast.Return)), default=None)


def flows_in(node: ast.AST) -> Iterator[Flow]:
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


def pairs(targets: Iterable[ast.AST], value: ast.expr) -> Iterator[tuple[ast.AST, ast.expr]]:
    """(what is assigned to, the value that goes there), element by element where both are written out."""
    for target in targets:
        match target, value:
            case ast.Tuple(elts=names) | ast.List(elts=names), ast.Tuple(elts=parts) | ast.List(elts=parts):
                yield from zip(names, parts, strict=False)
            case _:
                yield target, value


def stores(targets: Iterable[ast.AST], origin: Span) -> bool:
    """Whether the origin is one of the places that are assigned to."""
    return any(isinstance(target, ast.Subscript) and span_of(target) == origin for target in targets)


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


def bound(targets: Iterable[ast.AST]) -> set[str]:
    """The plain names, the attributes and the keys that an assignment to these targets gives another value."""
    nodes = [node for target in targets for node in ast.walk(target)]
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    names |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return names | {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def is_selection(value: ast.AST) -> bool:
    """Whether an expression only picks something that is there: a name, an attribute, an item."""
    return isinstance(value, (ast.Name, ast.Attribute, ast.Subscript))


def operands(node: ast.AST, first: str | None = None) -> list[ast.expr]:
    """What an operator or a function is given, in order; [] for anything else.

    A method is given its owner first. That `x.pow(y)` is one, and `F.pow(x, y)` none, is known by the name of the
    `first` operand.
    """
    match node:
        case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
            return [left, right]
        case ast.AugAssign(target=target, value=value):
            return [target, value]
        case ast.Call(func=ast.Attribute(value=owner), args=args) if _is_operand(owner, first):
            return [owner, *args]
        case ast.Call(args=args):
            return args
        case ast.UnaryOp(operand=operand):
            return [operand]
        case ast.Subscript(value=value, slice=index):
            return [value, index]
    return []


def _is_operand(owner: ast.expr, first: str | None) -> bool:
    """Whether a function is looked up in no module or model: in what is computed there, or has the operand's name."""
    path = owner
    while isinstance(path, ast.Attribute):
        path = path.value
    if not isinstance(path, ast.Name):
        return True
    return first is not None and ast.unparse(owner).rpartition(".")[2] == first.rpartition(".")[2]


def operand(node: ast.AST, slot: int | None, first: str | None = None) -> ast.AST:
    """Operand `slot` of an expression, the expression itself where that cannot be told."""
    parts = operands(node, first)
    return parts[slot] if slot is not None and slot < len(parts) else node


def callee(node: ast.AST) -> str:
    """The last name of the function that is called, or the op of the operator; "" for anything else."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name)) | ast.Call(func=ast.Name(id=name)):
            return name
        case ast.BinOp(op=operator) | ast.Compare(ops=[operator]):
            return OPERATORS.get(type(operator), "")
    return ""


def holds(node: ast.AST, inner: Span) -> bool:
    """Whether a node has a place in the text, and the span lies in it."""
    line, column, end_line, end_column = span_of(node)
    return (line, column) <= inner[:2] and inner[2:] <= (end_line, end_column)


def placed_in(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a node that have a place in the text, also of a part that has none, as a comprehension's `if`."""
    for each in ast.iter_child_nodes(node):
        if hasattr(each, "lineno"):
            yield each
        else:
            yield from placed_in(each)


def span_of(node: ast.AST) -> Span:
    return (
        getattr(node, "lineno", 0),
        getattr(node, "col_offset", 0),
        getattr(node, "end_lineno", 0) or 0,
        getattr(node, "end_col_offset", 0) or 0,
    )
