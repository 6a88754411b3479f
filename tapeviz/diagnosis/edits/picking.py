"""An index that picks other entries than those that are meant, or passes no gradient -> the edit of what it picks."""

from __future__ import annotations

import ast

from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.diagnosis.op_kinds import LOOKUPS
from tapeviz.diagnosis.question import Question
from tapeviz.events import Site
from tapeviz.events.summary import elements_of
from tapeviz.graph import Op, is_real
from tapeviz.source.edits import Edit
from tapeviz.source.statements import FUNCTION, callee

_CASTS = ("cast", "long", "int", "to", "type", "astype")
"""What makes integers."""

_BETWEEN = "{here} + ({x} - tf.floor({x})) * ({there} - {here})"
_NEXT = "tf.clip_by_value({index} + 1, 0, {table}.shape[0] - 1)"
"""A number between two entries of a table, and the place of the second."""

_LOOKUPS = LOOKUPS | {"getitem"}
"""Ops that look entries up by an index, as an operand of theirs."""

_FILLS_UP = "pad_packed_sequence"
"""What fills sequences up with zeros: PyTorch's, which gives their lengths beside them."""


def is_plain(node: ast.expr) -> bool:
    """Whether an expression may be written twice: it calls nothing and gives no name a value."""
    return not any(isinstance(each, ast.Call | ast.NamedExpr | ast.Await | ast.Yield) for each in ast.walk(node))


def interpolated(question: Question, index: int, site: Site | None) -> Edit | None:
    """What a table has between two entries, by a position, in the place of the entry at its whole part."""
    lookup = _lookup_by(question, index)
    position = None if lookup is None else _position(question, index, site)
    there = None if lookup is None else question.site_of(lookup)
    node = question.editor.node(there)
    if (
        site is None
        or there is None
        or position is None
        or (site.filename, site.function)
        != (
            there.filename,
            there.function,
        )
    ):
        return None
    match node:
        case ast.Call(func=function, args=[table, ast.Name(id=name)], keywords=[]):
            here, other = (f"{ast.unparse(function)}({ast.unparse(table)}, {each})" for each in (name, _NEXT))
        case ast.Subscript(value=table, slice=ast.Name(id=name)):
            here, other = (f"{ast.unparse(table)}[{each}]" for each in (name, _NEXT))
        case _:
            return None
    read = {each.id for each in ast.walk(position) if isinstance(each, ast.Name)}
    if not is_plain(table) or question.editor.file(there).gives({*read, name}, range(site.line + 1, there.line)):
        return None
    other = other.format(index=name, table=ast.unparse(table))
    x = question.editor.operand(site, position)
    return question.editor.instead(there, _BETWEEN.format(here=here, there=other, x=x))


def _lookup_by(question: Question, index: int) -> Op | None:
    """The one op that looks up single numbers in a row of real ones by an index."""
    rows, graph = question.log.tensors, question.graph
    ops = {link.position: graph.ops[link.position] for link in graph.links_from(index) if link.slot == 1}
    if len(ops) != 1:
        return None
    [op] = ops.values()
    table = rows[op.inputs[0]]
    is_of_numbers = len(table.shape) == 1 and rows[op.outputs[0]].shape == rows[index].shape
    return op if op.op in _LOOKUPS and is_of_numbers and is_real(table.dtype) else None


def _position(question: Question, index: int, site: Site | None) -> ast.expr | None:
    """What a line makes an index of, by its whole part; not where it is below zero, as a cast does not round down."""
    editor, given = question.editor, elements_of(question.log.value(index))
    statement = editor.statement(site)
    if not isinstance(statement, ast.Assign) or given is None or (given < 0).any():
        return None
    cast = _argument_of(editor, statement.value, *_CASTS)
    position = None if cast is None else _argument_of(editor, cast, "floor") or cast
    return position if position is not None and is_plain(position) else None


def _argument_of(editor: Editor, node: ast.expr, *names: str) -> ast.expr | None:
    """What a function with one of these names is given, or the owner of a method."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner), args=args) if callee(node) in names:
            is_function = f"{ast.unparse(owner)}.".startswith(editor.dialect.libraries)
            return next(iter(args), None) if is_function else owner
    return None


def last_steps(editor: Editor, site: Site | None) -> Edit | None:
    """The last step of each sequence by its own length, in the place of the last of all of those that were filled up.

    Where nothing names the lengths, the line that fills up does then.
    """
    node = editor.node(site)
    if site is None or not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
        return None
    file, name = editor.file(site), node.value.id
    filled = [found for each in file.walk() for found in _filled_up(each, name)]
    axis = _last_along(node.slice)
    if len(filled) != 1 or axis is None:
        return None
    [(call, second)] = filled
    lengths = second.id if second.id != "_" else f"{name}_lengths"
    is_batch_first = any(each.arg == "batch_first" and ast.unparse(each.value) == "True" for each in call.keywords)
    is_same_function = _function(editor, site, call) is _function(editor, site, node)
    is_free = lengths == second.id or not editor.knows(site, lengths)
    if not (is_batch_first == (axis == 1) and is_same_function and is_free and call.lineno < site.line):
        return None
    if file.gives({name, second.id}, range((call.end_lineno or 0) + 1, site.line)):
        return None
    of_each = [f"torch.arange(len({lengths}))", f"{lengths} - 1"]
    edit = editor.replace(site, node, f"{name}[{', '.join(of_each if is_batch_first else of_each[::-1])}]")
    return edit if edit is None or lengths == second.id else edit.and_also(editor.replace(site, second, lengths))


def _filled_up(node: ast.AST, name: str) -> list[tuple[ast.Call, ast.Name]]:
    """The call by which a line fills sequences up, and the name that it gives their lengths."""
    match node:
        case ast.Assign(
            targets=[ast.Tuple(elts=[ast.Name(id=own), ast.Name() as lengths])], value=ast.Call() as call
        ) if own == name and callee(call) == _FILLS_UP:
            return [(call, lengths)]
    return []


def _last_along(index: ast.expr) -> int | None:
    """The axis, the first or the second, along which an index takes the last entry, and all along the others."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    texts = [ast.unparse(each) for each in parts]
    last = [at for at, each in enumerate(texts) if each == "-1"]
    is_all = all(each == ":" for each in texts if each != "-1")
    return last[0] if len(last) == 1 and is_all and last[0] < 2 else None


def _function(editor: Editor, site: Site, node: ast.AST) -> ast.AST | None:
    """The function that a node stands in."""
    return next((each for each in editor.file(site).around(node) if isinstance(each, (*FUNCTION, ast.Lambda))), None)
