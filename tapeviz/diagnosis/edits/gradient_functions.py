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
            made = list(_lists_named(editor, site, ast.unparse(node)))
            return bool(made) and all(made)
    return False


def _lists_named(editor: Editor, site: Site, name: str) -> Iterator[bool]:
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


def without_static(editor: Editor, site: Site | None, option: str) -> Edit | None:
    """A function of JAX's whose one static argument may be an array takes it as one, without a derivative by it.

    Its rule gets all primals and tangents then, and takes that argument and the others out of them.
    """
    if site is None:
        return None
    found = [found for each in editor.file(site).walk() for found in _with_static(editor, site, each, option)]
    if len(found) != 1:
        return None
    [(call, name, function)] = found
    [static] = [each for each in call.keywords if each.arg == option]
    number = _one_number(static.value)
    positions = range(len(function.args)) if function.vararg is None and not function.kwonlyargs else range(0)
    if number not in positions:
        return None
    others = [each for each in positions if each != number]
    primals, tangents = (_parts(name, others) for name in ("primals", "tangents"))
    rule = _rule_given(editor, site, name)
    if rule is None or not others:
        return None
    code = f"lambda primals, tangents: ({editor.text(site, rule)})(primals[{number}], {primals}, {tangents})"
    taken = editor.file(site).without_keyword(call, option)
    return None if taken is None else taken.and_also(editor.replace(site, rule, code))


def _parts(name: str, numbers: list[int]) -> str:
    """A tuple of some parts of another."""
    return ast.unparse(ast.Tuple([ast.Subscript(ast.Name(name), ast.Constant(each)) for each in numbers]))


def _with_static(
    editor: Editor, site: Site, node: ast.AST, option: str
) -> Iterator[tuple[ast.Call, str, ast.arguments]]:
    """The call that makes a function with a rule of its own and static arguments, its name, and what it takes."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(args=[ast.Lambda(args=taken)]) as call):
            made = taken
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(args=[ast.Name(id=plain)]) as call):
            function = editor.file(site).function(plain)
            if function is None:
                return
            made = function.args
        case ast.FunctionDef(name=name, args=taken, decorator_list=[ast.Call(args=[_]) as call]):
            made = taken
        case _:
            return
    if any(each.arg == option for each in call.keywords) and "custom_jvp" in ast.unparse(call):
        yield call, name, made


def _one_number(node: ast.expr) -> int | None:
    """The one number that is written, alone or in a tuple or list."""
    match node:
        case ast.Tuple(elts=[one]) | ast.List(elts=[one]) | one:
            return one.value if isinstance(one, ast.Constant) and isinstance(one.value, int) else None


def _rule_given(editor: Editor, site: Site, name: str) -> ast.expr | None:
    """What a function is given as its rule, where that is one expression."""
    given = [
        each.args[0]
        for each in editor.file(site).walk()
        if isinstance(each, ast.Call) and ast.unparse(each.func) == f"{name}.defjvp" and len(each.args) == 1
    ]
    return given[0] if len(given) == 1 else None
