"""A write into a tensor -> the edit by which a new tensor takes its place, as where a gradient needs it, or by which it
takes off what it adds."""

from __future__ import annotations

import ast

from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.events import Site
from tapeviz.source.edits import Edit
from tapeviz.source.statements import callee

_TAKING_OFF = {"assign_add": "assign_sub", "add_": "sub_"}
"""Methods that add in place, and those that take off."""


def out_of_place(editor: Editor, site: Site | None, name: str | None) -> Edit | None:
    """A write as an op with a result of its own; one into a part writes into a copy."""
    statement = editor.statement(site)
    if site is None:
        return None
    match statement:
        case ast.Assign(targets=[ast.Subscript(value=whole)], value=value):
            return _copied_first(editor, site, statement, whole, value)
        case ast.AugAssign(target=ast.Subscript(value=whole), value=value):
            return _copied_first(editor, site, statement, whole, value)
        case ast.AugAssign(target=target, value=value) as given:
            left, right = editor.text(site, target), editor.text(site, value)
            code = ast.unparse(ast.Assign([ast.Name(left)], ast.BinOp(ast.Name(left), given.op, value), lineno=0))
            return editor.rewrite(site, code if right == ast.unparse(value) else None)
        case ast.Expr(value=ast.Call() as call) if callee(call).endswith("_"):
            return _assigned(editor, site, call)
    return _out_of_place_call(editor, site) or _copy_of(editor, site, name)


def _copied_first(editor: Editor, site: Site, statement: ast.stmt, whole: ast.expr, value: ast.expr) -> Edit | None:
    """A copy takes the name of a tensor before a part of it is written; not where what is written reads the tensor."""
    name = ast.unparse(whole)
    reads = any(ast.unparse(each) == name for each in ast.walk(value) if isinstance(each, ast.Name | ast.Attribute))
    return None if reads else editor.above(site, statement, f"{name} = {name}.clone()")


def _assigned(editor: Editor, site: Site, call: ast.Call) -> Edit | None:
    """`x = f(x)` in the place of `f_(x)`, or of `x.f_()`."""
    if not isinstance(call.func, ast.Attribute):
        return None
    plain = call.func.attr.removesuffix("_")
    whole = editor.text(site, call).replace(f".{call.func.attr}(", f".{plain}(", 1)
    is_function = f"{editor.text(site, call.func.value)}.".startswith(editor.dialect.libraries)
    written = call.args[0] if is_function and call.args else call.func.value
    if plain in ("copy", "fill", "zero"):
        return None
    return editor.rewrite(site, f"{editor.text(site, written)} = {whole}")


def _out_of_place_call(editor: Editor, site: Site) -> Edit | None:
    """A function that gives a new tensor in the place of one that writes into what it is given."""
    for each in editor.parts(site):
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute):
            if any(own.arg == "inplace" for own in each.keywords):
                return editor.give(site, each, "inplace", "False")
            if (
                each.func.attr.endswith("_")
                and not each.func.attr.endswith("__")
                and each.func.attr != "requires_grad_"
            ):
                return editor.replace(site, each.func, editor.text(site, each.func).removesuffix("_"))
    return None


def _copy_of(editor: Editor, site: Site, name: str | None) -> Edit | None:
    """A function that writes into what it is given is given a copy."""
    node = editor.node(site)
    match node:
        case ast.Call(args=[given]) if name is None or ast.unparse(given) == name:
            return editor.replace(site, given, f"{editor.text(site, given)}.clone()")
    return None


def of_leaf(editor: Editor, site: Site | None) -> Edit | None:
    """A leaf is written where autograd is off, or a copy is."""
    statement = editor.statement(site)
    if site is None:
        return None
    match statement:
        case ast.AugAssign() | ast.Assign(targets=[ast.Subscript(), *_]) | ast.Expr():
            return editor.rewrite(site, f"with torch.no_grad(): {editor.text(site, statement)}")
    return _copy_of(editor, site, None)


def taken_off(editor: Editor, site: Site | None) -> Edit | None:
    """What a statement adds to a tensor in place, taken off."""
    match editor.statement(site):
        case ast.AugAssign(target=target, op=ast.Add(), value=value) if site is not None:
            return editor.rewrite(site, f"{editor.text(site, target)} -= {editor.text(site, value)}")
    call = editor.call(site, *_TAKING_OFF)
    if site is None or call is None or not isinstance(call.func, ast.Attribute):
        return None
    return editor.rename(site, call, f"{editor.text(site, call.func.value)}.{_TAKING_OFF[call.func.attr]}")
