"""The user's source -> what it freezes, as Keras' users do: `base.trainable = False`, or so for each of its layers."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tapeviz.events import Site
from tapeviz.source.text import SourceText

_COMPOUND = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.For, ast.While, ast.If, ast.With, ast.Try)


def is_frozen(text: SourceText, result: Site) -> bool:
    """Whether a name in the statement that makes something is frozen anywhere in the text.

    A statement that gives no name, as the first call of a model, may make the variables of any layer.
    """
    frozen = _frozen(text)
    nodes = text.walk() if frozen else ()
    simple = (node for node in nodes if isinstance(node, ast.stmt) and not isinstance(node, _COMPOUND))
    node = next((each for each in simple if each.lineno <= result.line <= (each.end_lineno or each.lineno)), None)
    return node is not None and (not isinstance(node, ast.Assign) or not frozen.keys().isdisjoint(_named(node)))


def frozen_at(text: SourceText, name: str, before: Site) -> Site | None:
    """The last line above a site that freezes what has a name."""
    lines = [line for line in _frozen(text).get(name, ()) if line < before.line]
    return text.whole_line(max(lines), before) if lines else None


def _frozen(text: SourceText) -> dict[str, list[int]]:
    """The names that are frozen anywhere, each with the lines that do it."""
    found: dict[str, list[int]] = {}
    for node in text.walk():
        for name, line in _freezes(node):
            found.setdefault(name, []).append(line)
    return found


def _freezes(node: ast.AST) -> Iterator[tuple[str, int]]:
    """What a statement freezes, and where: the owner of `trainable`, or what a loop takes its layers from."""
    match node:
        case ast.For(target=ast.Name(id=each), iter=layers, body=body):
            lines = [line for part in body for name, line in _freezes(part) if name == each]
            yield from ((name, line) for line in lines for name in _named(layers))
        case ast.Assign(targets=[ast.Attribute(value=owner, attr="trainable")], value=ast.Constant(value=False)):
            yield ast.unparse(owner), node.lineno


def _named(node: ast.AST) -> set[str]:
    """The names in a piece of source, attributes whole: `base`, `self.base`."""
    return {ast.unparse(each) for each in ast.walk(node) if isinstance(each, (ast.Name, ast.Attribute))} - {"self"}
