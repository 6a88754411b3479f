"""Code in TensorFlow's functions, and what another framework writes for each -> the same code with its functions.

`_0`, `_1` in what a framework writes stand for the arguments of the call, `_axis` and `_keepdims` for its options.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from tapeviz.phrases import quoted, with_quoted
from tapeviz.source.parsing import parse_expression

_CALLED_FUNCTION = re.compile(r"(?<![\w.])\.?([A-Za-z_][\w.]*)(?=\()")
_FUNCTION = re.compile(r"\btf\.([A-Za-z_][\w.]*\w)")
_LEFT_OUT: Mapping[str, ast.expr | None] = {"_axis": ast.Constant(-1), "_keepdims": None}
"""What is written for an option that a call leaves out; None: nothing."""


def respelled(text: str, functions: Mapping[str, str], library: str) -> str:
    """A text with the code in it respelled; its prose stays.

    >>> respelled("Write `tf.sqrt(x + 1e-12)`.", {"sqrt": "jnp.sqrt"}, "jnp.")
    'Write `jnp.sqrt(x + 1e-12)`.'
    """
    return with_quoted(text, lambda code: quoted(_spelled(code, functions, library)))


def _spelled(code: str, functions: Mapping[str, str], library: str) -> str:
    """An expression in another spelling; of what is no expression only the names of functions change."""
    if code == "tf.":
        return library
    if not _FUNCTION.search(code):
        return code
    tree = parse_expression(code)
    if tree is None:
        return _FUNCTION.sub(lambda found: _name(functions.get(found[1], found[0])), code)
    return ast.unparse(_Speller(functions).visit(tree))


def _name(own: str) -> str:
    """The function that is meant where one is only named: the first that a template calls."""
    called = _CALLED_FUNCTION.search(own)
    return own if called is None else called[1].removeprefix("_0.")


class _Speller(ast.NodeTransformer):
    """Changes the functions in a syntax tree."""

    def __init__(self, functions: Mapping[str, str]) -> None:
        self._functions = functions

    def visit_Call(self, node: ast.Call) -> ast.AST:
        own = self._of(node.func)
        if own is None or "_0" not in own:
            return self.generic_visit(node)
        arguments = {f"_{index}": self.visit(each) for index, each in enumerate(node.args)}
        arguments |= {f"_{each.arg}": self.visit(each.value) for each in node.keywords}
        filled: ast.AST = _Filled(arguments).visit(ast.parse(own, mode="eval").body)
        return filled

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        own = self._of(node)
        return self.generic_visit(node) if own is None else ast.parse(_name(own), mode="eval").body

    def _of(self, function: ast.expr) -> str | None:
        found = _FUNCTION.fullmatch(ast.unparse(function))
        return None if found is None else self._functions.get(found[1])


class _Filled(ast.NodeTransformer):
    """Puts arguments into the places of a template."""

    def __init__(self, arguments: Mapping[str, ast.AST]) -> None:
        self._arguments = arguments

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self._arguments.get(node.id, _LEFT_OUT.get(node.id) or node)

    def visit_keyword(self, node: ast.keyword) -> ast.AST | None:
        option = node.value.id if isinstance(node.value, ast.Name) else ""
        is_left_out = option in _LEFT_OUT and option not in self._arguments and _LEFT_OUT[option] is None
        return None if is_left_out else self.generic_visit(node)
