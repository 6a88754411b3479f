"""The name of a user's op -> its gradient function in the source: where it ends, what it reads."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from typing import NamedTuple

from tapeviz.source.statements import FUNCTION, Function, returned_beside
from tapeviz.source.text import SourceText

_OF_A_SHAPE = ("shape", "size", "ndim", "dtype", "device", "new_ones", "new_zeros", "new_full", "new_empty")
"""What a tensor is asked for that does not depend on its numbers."""

_VARIABLES = "variables"
"""The argument of a gradient function of TensorFlow's that is no upstream gradient."""


class GradientFunction(NamedTuple):
    """A function, and the names of those of its arguments that are upstream gradients."""

    node: Function | ast.Lambda
    upstream: list[str]


def last_line(text: SourceText, name: str) -> int | None:
    """Where the gradient function ends: the line of its last `return`, or of what a lambda gives."""
    nested = text.inner_return(name)  # TensorFlow: what a function returns beside its value
    if nested is not None:
        return nested
    return max((line for each in _functions(text, name) if (line := end_of(each)) is not None), default=None)


def end_of(function: GradientFunction) -> int | None:
    """The line of its last `return`, or of what a lambda gives."""
    node = function.node
    if isinstance(node, ast.Lambda):
        return node.body.lineno
    return max((each.lineno for each in ast.walk(node) if isinstance(each, ast.Return)), default=None)


def defined_at(text: SourceText, line: int, upstream: Sequence[str]) -> GradientFunction | None:
    """The gradient function whose definition begins at a line, decorators included; None if several may be meant."""
    found = []
    for node in text.walk():
        if isinstance(node, (*FUNCTION, ast.Lambda)) and _first_line(node) == line:
            arguments = _arguments(node)
            found += [GradientFunction(node, list(upstream))] if set(upstream).issubset(arguments) else []
    return found[0] if len(found) == 1 else None


def _first_line(node: Function | ast.Lambda) -> int:
    decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
    return min((node.lineno, *(each.lineno for each in decorators)))


def ignores_upstream(text: SourceText, name: str) -> bool:
    """Whether the gradient function reads no number of the upstream gradients that it is given."""
    return any(map(is_without_upstream, islice(_functions(text, name), 1)))


def is_without_upstream(function: GradientFunction) -> bool:
    """Whether it reads no number of the upstream gradients that it is given."""
    return bool(function.upstream) and _numbers_read(function.node).isdisjoint(function.upstream)


def is_once_differentiable(text: SourceText, name: str) -> bool:
    """Whether the gradient function is marked as one whose result has no derivative: PyTorch's decorator does that."""
    decorators = (each for function in _functions(text, name) for each in _decorators(function.node))
    return any(ast.unparse(each).rpartition(".")[2] == "once_differentiable" for each in decorators)


def _decorators(node: Function | ast.Lambda) -> list[ast.expr]:
    return [] if isinstance(node, ast.Lambda) else node.decorator_list


def _numbers_read(function: ast.AST) -> set[str]:
    """The names that a function reads, without those whose shape or kind alone it takes: `zeros_like(g)`, `g.shape`."""
    read, of_a_shape = [], []
    for node in ast.walk(function):
        match node:
            case ast.Name():
                read.append(node)
            case ast.Call(func=ast.Attribute(attr=called) | ast.Name(id=called), args=[ast.Name() as first, *_]):
                of_a_shape += [first] if called.endswith("_like") else []
            case ast.Attribute(value=ast.Name() as owner, attr=attribute) if attribute in _OF_A_SHAPE:
                of_a_shape.append(owner)
    return {each.id for each in read if each not in of_a_shape}


def _functions(text: SourceText, name: str) -> Iterator[GradientFunction]:
    nodes = list(text.walk())
    for node in nodes:
        match node:
            case ast.ClassDef() if node.name == name:  # PyTorch
                methods = [each for each in node.body if isinstance(each, FUNCTION) and each.name == "backward"]
                yield from (GradientFunction(each, _arguments(each)[1:]) for each in methods)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="defvjp")) if owner == name:  # JAX
                given = [*node.args, *(each.value for each in node.keywords if each.arg == "bwd")][1:]
                before = {each.name: each for each in nodes if isinstance(each, FUNCTION) and each.lineno < node.lineno}
                rules = (each if isinstance(each, ast.Lambda) else before.get(ast.unparse(each)) for each in given)
                yield from (GradientFunction(each, _arguments(each)[-1:]) for each in rules if each is not None)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="defjvps")) if owner == name:
                yield from (GradientFunction(each, []) for each in node.args if isinstance(each, ast.Lambda))
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="defjvp"), args=[ast.Name() as rule]) if (
                owner == name
            ):
                found = [each for each in nodes if isinstance(each, FUNCTION) and each.name == rule.id]
                yield from (GradientFunction(each, []) for each in found)
            case ast.FunctionDef() if any(map(partial(_registers, name, "defjvp"), node.decorator_list)):
                yield GradientFunction(node, [])  # it is given a tangent, and no upstream gradient
            case ast.FunctionDef() if any(map(partial(_registers, name, "def_bwd"), node.decorator_list)):  # Equinox
                yield GradientFunction(node, _arguments(node)[1:2])  # behind what the forward pass keeps
            case ast.FunctionDef() if node.name == name:  # TensorFlow
                inner = {each.name: each for each in ast.walk(node) if isinstance(each, FUNCTION)}
                for part in ast.walk(node):
                    beside = returned_beside(part, inner)
                    if beside is not None:
                        yield GradientFunction(beside, [each for each in _arguments(beside) if each != _VARIABLES])


def _registers(name: str, how: str, decorator: ast.expr) -> bool:
    """Whether a decorator makes a function the derivative of that of a name, as `@name.defjvp` does in JAX."""
    match decorator:
        case ast.Attribute(value=ast.Name(id=owner), attr=attribute):
            return owner == name and attribute == how
    return False


def parameters(text: SourceText, name: str) -> list[str]:
    """What the function of a user's op calls its arguments, if it is one by itself; else []."""
    found = [each for each in text.walk() if isinstance(each, FUNCTION) and each.name == name]
    return _arguments(found[0]) if len(found) == 1 else []


def _arguments(function: Function | ast.Lambda) -> list[str]:
    given = function.args
    return [each.arg for each in (*given.args, *([given.vararg] if given.vararg else []))]
