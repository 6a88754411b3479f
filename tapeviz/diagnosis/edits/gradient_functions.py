"""A gradient function of the user's that asks too much, or is given what it cannot keep -> the edit that mends it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.events import Site
from tapeviz.source.edits import Edit
from tapeviz.source.statements import pairs

_ASKED, _GIVEN = "asked", "given"
"""What the tensors of a gradient call are called, and the gradients of those among them that require one."""

_ONCE = (ast.Assign, ast.AugAssign, ast.Return, ast.Expr, ast.Tuple, ast.List, ast.Starred, ast.Call, ast.Subscript)
"""What a call can stand in and still run once, before anything else of its line that matters."""


def of_those_that_require(editor: Editor, site: Site | None) -> Edit | None:
    """A gradient call asks for the gradients of those of its tensors that require one, and the others get None."""
    call, statement = editor.call(site, "grad"), editor.statement(site)
    if site is None or call is None or statement is None or not _runs_once(editor, site, call):
        return None
    named = [each.value for each in call.keywords if each.arg == "inputs"]
    asked = next(iter([*named, *call.args[1:2]]), None)
    is_new = not any(editor.knows(site, each) for each in (_ASKED, _GIVEN))
    if asked is None or not is_new or not _is_list(editor, site, asked):
        return None

    def text(node: ast.expr) -> str:
        return f"[each for each in {_ASKED} if each.requires_grad]" if node is asked else editor.text(site, node)

    given = [*map(text, call.args), *(f"{each.arg}={text(each.value)}" for each in call.keywords if each.arg)]
    if any(each.arg is None for each in call.keywords):
        return None
    call_of_those = f"{_GIVEN} = iter({editor.text(site, call.func)}({', '.join(given)}))"
    in_place = f"[next({_GIVEN}) if each.requires_grad else None for each in {_ASKED}]"
    above = editor.above(site, statement, f"{_ASKED} = {editor.text(site, asked)}", call_of_those)
    return None if above is None else above.and_also(editor.replace(site, call, in_place))


def _runs_once(editor: Editor, site: Site, call: ast.Call) -> bool:
    """Whether a call runs once where its line does, and not in a loop or a function that the line makes."""
    for each in editor.file(site).around(call):
        if not isinstance(each, _ONCE):
            return False
        if isinstance(each, ast.stmt):
            return True
    return False


def _is_list(editor: Editor, site: Site, node: ast.expr) -> bool:
    """Whether an expression is surely a list or tuple of tensors: as it is written, or as its name is made."""
    match node:
        case ast.List() | ast.Tuple() | ast.ListComp() | ast.Call(func=ast.Name(id="list" | "tuple")):
            return True
        case ast.Name() | ast.Attribute():
            made = list(_made(editor, site, ast.unparse(node)))
            return bool(made) and all(made)
    return False


def _made(editor: Editor, site: Site, name: str) -> Iterator[bool]:
    """For each line that gives a name a value, whether that is a list or tuple."""
    for each in editor.file(site).walk():
        match each:
            case ast.Assign(targets=targets, value=value):
                for target, part in pairs(targets, value):
                    if ast.unparse(target) == name:
                        yield not isinstance(part, ast.Name | ast.Attribute) and _is_list(editor, site, part)
                    for star in ast.walk(target):
                        if isinstance(star, ast.Starred) and ast.unparse(star.value) == name:
                            yield True
            case ast.arguments(vararg=ast.arg(arg=own)) if own == name:
                yield True
