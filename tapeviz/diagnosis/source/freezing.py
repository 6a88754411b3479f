"""The user's source -> whether the program freezes what a line makes, as Keras' users do: `base.trainable = False`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tapeviz.diagnosis.source.flow import SourceText
from tapeviz.events import Site

_COMPOUND = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.For, ast.While, ast.If, ast.With, ast.Try)


def is_frozen(text: SourceText, made: Site) -> bool:
    """Whether a name in the statement that makes something is frozen anywhere in the text.

    A statement that gives no name, as the first call of a model, may make the variables of any layer.
    """
    nodes = list(ast.walk(text.tree)) if text.tree is not None else []
    frozen = {name for node in nodes for name in _frozen(node)}
    simple = (node for node in nodes if isinstance(node, ast.stmt) and not isinstance(node, _COMPOUND))
    around = (node for node in simple if node.lineno <= made.line <= (node.end_lineno or node.lineno))
    node = next(around, None) if frozen else None
    return node is not None and (not isinstance(node, ast.Assign) or not frozen.isdisjoint(_named(node)))


def _frozen(node: ast.AST) -> Iterator[str]:
    """What a statement freezes: the owner of `trainable`, or what a loop takes its layers from."""
    match node:
        case ast.For(target=ast.Name(id=each), iter=layers) if each in {x for part in node.body for x in _frozen(part)}:
            yield from _named(layers)
        case ast.Assign(targets=[ast.Attribute(value=owner, attr="trainable")], value=ast.Constant(value=False)):
            yield ast.unparse(owner)


def _named(node: ast.AST) -> set[str]:
    """The names in a piece of source, attributes whole: `base`, `self.base`."""
    return {ast.unparse(each) for each in ast.walk(node) if isinstance(each, (ast.Name, ast.Attribute))} - {"self"}
