"""A line in the wrong place -> the same line in a tape's block, out of one where nothing is recorded, or elsewhere."""

from __future__ import annotations

import ast

from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.events import Site
from tapeviz.source.edits import Edit
from tapeviz.source.statements import bound, callee

TARGET = "target"
"""What a target is called that had no name."""

_MODES = ("train", "eval")
"""The methods that switch a module to another mode."""

_OFF = ("no_grad", "inference_mode")
"""What switches autograd off for a block."""


def into_block(editor: Editor, site: Site | None, opened: Site | None, *, early: bool) -> Edit | None:
    """A line that stands before or behind a tape's block is put into it; a copy, where others need it before, too."""
    block, statement = _block(editor, opened), editor.statement(site)
    if site is None or opened is None or block is None or statement is None or site.filename != opened.filename:
        return None
    file = editor.file(site)
    if site.function != opened.function or block in file.around(statement) or not isinstance(statement, ast.Assign):
        return None
    given, read = bound(statement.targets), _names(statement.value)
    if early:
        between = range((statement.end_lineno or 0) + 1, block.lineno)
        if file.mentions(given, between):
            return editor.above(opened, block.body[0], file.text(statement))
        return file.moved_above(statement, block.body[0])
    between = range((block.end_lineno or 0) + 1, statement.lineno)
    return None if file.gives(read, between) else file.moved_below(statement, block.body[-1])


def into_end_of_block(editor: Editor, site: Site | None, opened: Site | None) -> Edit | None:
    """The line of a call is put to the end of a tape's block."""
    block, statement = _block(editor, opened), editor.statement(site)
    if site is None or opened is None or block is None or site.filename != opened.filename:
        return None
    file = editor.file(site)
    if site.function != opened.function or block in file.around(statement):
        return None
    return file.moved_below(statement, block.body[-1])


def argument_into_block(editor: Editor, call: Site | None, opened: Site | None) -> Edit | None:
    """The target that a gradient call computes itself is computed at the end of the tape's block."""
    block, node = _block(editor, opened), editor.node(call)
    if call is None or opened is None or block is None or not isinstance(node, ast.Call) or not node.args:
        return None
    if call.function != opened.function or editor.knows(call, TARGET):
        return None
    code = f"{TARGET} = {editor.text(call, node.args[0])}"
    last = block.body[-1]
    put = editor.file(call).rewritten(last, code) if isinstance(last, ast.Pass) else editor.below(opened, last, code)
    return None if put is None else put.and_also(editor.replace(call, node.args[0], TARGET))


def _block(editor: Editor, opened: Site | None) -> ast.With | None:
    block = editor.statement(opened)
    return block if isinstance(block, ast.With) else None


def is_in_block(editor: Editor, site: Site | None, opened: Site | None) -> bool:
    """Whether a line stands in a tape's block."""
    block = _block(editor, opened)
    return site is not None and block is not None and block in editor.file(site).around(editor.statement(site))


def around_its_loop(editor: Editor, opened: Site | None, call: Site | None) -> Edit | None:
    """A tape's block that a loop enters in every round is entered once, around the loop.

    That is for a gradient that is taken once: such a tape gives no second one.
    """
    block = _block(editor, opened)
    if opened is None or call is None or block is None or len(block.items) != 1:
        return None
    file = editor.file(opened)
    loop = file.parent(block)
    if not isinstance(loop, ast.For | ast.While) or block not in loop.body or opened.function != call.function:
        return None
    given = {each.id for each in ast.walk(loop) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    target = block.items[0].optional_vars
    return None if _names(block.items[0].context_expr) & given or target is None else file.put_around(block, loop)


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def out_of_block(editor: Editor, line: Site | None) -> Edit | None:
    """A line that is to be recorded leaves the block in which nothing is; where it is alone in it, the block goes."""
    statement = editor.statement(line)
    if line is None or statement is None:
        return None
    file = editor.file(line)
    block = next((each for each in file.around(statement) if isinstance(each, ast.With) and _is_off(each)), None)
    if block is None or statement not in block.body or len(block.items) > 1:
        return None
    if len(block.body) == 1:
        return file.unblocked(block)
    if statement is block.body[-1]:
        return file.moved_below(statement, block)
    if statement is block.body[0]:
        return file.moved_above(statement, block)
    return None


def _is_off(block: ast.With) -> bool:
    opened = ast.unparse(block.items[0].context_expr)
    return any(each in opened for each in (*_OFF, "stop_recording", "set_grad_enabled"))


def above_another(editor: Editor, site: Site | None, other: Site | None) -> Edit | None:
    """A line is put before another of its function."""
    if site is None or other is None or (site.filename, site.function) != (other.filename, other.function):
        return None
    return editor.file(site).moved_above(editor.statement(site), editor.statement(other))


def undecorated(editor: Editor, site: Site | None) -> Edit | None:
    """A function without the decorator that stands on a line alone."""
    return None if site is None else editor.file(site).without_line(site.line)


def switched_later(editor: Editor, first: Site | None, last: Site | None) -> Edit | None:
    """The one line between two that switches a module to another mode is put behind the second."""
    if first is None or last is None or (first.filename, first.function) != (last.filename, last.function):
        return None
    file = editor.file(first)
    found = [
        each
        for each in file.walk()
        if isinstance(each, ast.Expr) and isinstance(each.value, ast.Call) and callee(each.value) in _MODES
    ]
    between = [each for each in found if first.line < each.lineno < last.line]
    return file.moved_below(between[0], editor.statement(last)) if len(between) == 1 else None


def below_another(editor: Editor, site: Site | None, other: Site | None) -> Edit | None:
    """A line is put behind another of its function."""
    if site is None or other is None or (site.filename, site.function) != (other.filename, other.function):
        return None
    return editor.file(site).moved_below(editor.statement(site), editor.statement(other))
