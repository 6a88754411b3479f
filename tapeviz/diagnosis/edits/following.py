"""A tensor that nothing follows, or that keeps no gradient -> the line or the argument by which it is followed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.diagnosis.question import Question
from tapeviz.events import Site
from tapeviz.phrases import unquoted
from tapeviz.source.edits import Edit
from tapeviz.source.parsing import parse_expression
from tapeviz.source.places import site_at
from tapeviz.source.statements import FUNCTION, callee, names_in

_MAKERS = ("Variable", "add_weight", "Parameter", "tensor", "zeros", "ones", "full", "rand", "randn")
"""The functions that are told whether what they make is to learn."""

_LISTS = {"variables": "trainable_variables", "weights": "trainable_weights"}
"""The lists of a model's variables, and those of them that are to learn."""

_TRACES = "record_jax"
"""The function that makes leaves of all that follows its first argument."""

_CASTING = ("Variable", "constant")
"""Those that cast what they are given to the dtype that they are told."""

_OF_NUMBERS = (*_CASTING, "Parameter", "arange", "array", "as_tensor", "convert_to_tensor", "tensor", _TRACES)
"""The functions that make tensors of the numbers that they are given, in the dtype of these."""

_INTEGERS = ("int", "uint", "long", "short", "bool")
"""How the dtypes begin that have no gradient."""


def watched(question: Question) -> Edit | None:
    """The source is followed: from the top of the tape's block, or from the line that makes it, if that is inside."""
    editor, name, made = question.editor, unquoted(question.source_name), question.made_on(question.source)
    code = unquoted(question.say("watch", name=name))
    if question.log.facts.records_always:
        return from_its_making(editor, made, name, code) or _from_its_first_use(question, name, code)
    site = site_at(question.log, question.call.opened)
    block = editor.statement(site)
    if site is None or not isinstance(block, ast.With):
        return None
    if (
        made is not None
        and made.filename == site.filename
        and block in editor.file(made).around(editor.statement(made))
    ):
        return from_its_making(editor, made, name, code)
    return editor.above(site, block.body[0], code) if editor.knows(site, name) else None


def from_its_making(editor: Editor, line: Site | None, name: str, code: str) -> Edit | None:
    """A line below the one that gives a tensor its name."""
    statement, expression = editor.statement(line), parse_expression(name)
    if line is None or statement is None or expression is None:
        return None
    targets = _targets(statement)
    is_given = any(ast.unparse(each) == name for target in targets for each in ast.walk(target))
    return editor.below(line, statement, code) if is_given or name in names_in(targets) else None


def _targets(statement: ast.stmt) -> list[ast.expr]:
    match statement:
        case ast.Assign(targets=targets):
            return targets
        case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
            return [target]
    return []


def _from_its_first_use(question: Question, name: str, code: str) -> Edit | None:
    """A line above the first that reads the source."""
    first = min((each.position for each in question.graph.links_from(question.source)), default=None)
    site = site_at(question.log, first)
    if site is None or not question.editor.knows(site, name):
        return None
    return question.editor.above(site, question.editor.statement(site), code)


def watched_earlier(question: Question, watch: Site | None, first: Site | None) -> Edit | None:
    """The line that follows the source above the first one that reads it."""
    editor = question.editor
    statement, reader = editor.statement(watch), editor.statement(first)
    if watch is None or first is None or not isinstance(statement, ast.Expr) or watch.function != first.function:
        return None
    named = {each.id for each in ast.walk(statement) if isinstance(each, ast.Name)}
    if editor.file(watch).gives(named, range(first.line, watch.line + 1)):
        return None
    return editor.file(watch).moved_above(statement, reader)


def trainable(editor: Editor, site: Site | None, option: str) -> Edit | None:
    """The call that makes a variable which is not to learn says that it is to."""
    node = editor.node(site)
    calls = [node] if isinstance(node, ast.Call) and _frozen(node, option) is not None else editor.calls(site, *_MAKERS)
    frozen = [given for each in calls if (given := _frozen(each, option)) is not None]
    return editor.replace(site, frozen[0], "True") if len(frozen) == 1 else None


def _frozen(call: ast.Call, option: str) -> ast.expr | None:
    """The argument by which a call makes what is not to learn."""
    given = [*(each.value for each in call.keywords if each.arg == option)]
    given += call.args[1:2] if callee(call) in ("Variable", "Parameter") else []
    return next((each for each in given if isinstance(each, ast.Constant) and each.value is False), None)


def unfrozen(editor: Editor, site: Site | None) -> Edit | None:
    """A line that freezes a tensor lets it learn; a buffer becomes a parameter."""
    statement = editor.statement(site)
    match statement:
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=owner, attr="register_buffer"), args=[ast.Constant(name), value, *_]
            )
        ) if site is not None and isinstance(name, str) and name.isidentifier():
            owned, given = editor.text(site, owner), editor.text(site, value)
            return editor.rewrite(site, f"{owned}.{name} = torch.nn.Parameter({given})")
    no = [each for each in editor.parts(site) if isinstance(each, ast.Constant) and each.value is False]
    return editor.replace(site, no[0], "True") if len(no) == 1 else None


def trained_alone(editor: Editor, site: Site | None) -> Edit | None:
    """A list of all variables of a model becomes that of those that learn."""
    lists = [each for each in editor.parts(site) if isinstance(each, ast.Attribute) and each.attr in _LISTS]
    if site is None or len(lists) != 1:
        return None
    return editor.replace(site, lists[0], f"{editor.text(site, lists[0].value)}.{_LISTS[lists[0].attr]}")


def made_real(editor: Editor, site: Site | None, *, casts: bool = False) -> Edit | None:
    """What makes a tensor of integers makes one of floats: by the dtype that it is given, or by its first number.

    `casts` says that the function casts what it is given, as a variable's does with an array.
    """
    node = editor.node(site)
    calls = [each for each in editor.parts(site) if isinstance(each, ast.Call)]
    makers = [each for each in calls if callee(each) in (*_MAKERS, *_OF_NUMBERS)]
    own = [node, *makers] if isinstance(node, ast.Call) else makers
    for call in own:
        for option in [*call.args[1:], *(each.value for each in call.keywords if each.arg == "dtype")]:
            if _is_integer_type(option):
                return editor.replace(site, option, "tf.float32")
        given = call.args[1:] if callee(call) == _TRACES else call.args[:1]
        numbers = [each for each in _numbers(given) if type(each.value) is int]
        is_range = isinstance(call.func, ast.Attribute) and call.func.attr == "range"  # and not Python's
        if numbers and (is_range or callee(call) in _OF_NUMBERS):
            return editor.replace(site, numbers[0], f"{numbers[0].value!r}.0")
        if casts and callee(call) in _CASTING:
            return editor.give(site, call, "dtype", "tf.float32")
    return None


def _is_integer_type(node: ast.expr) -> bool:
    name = node.attr if isinstance(node, ast.Attribute) else node.value if isinstance(node, ast.Constant) else ""
    return isinstance(name, str) and name.startswith(_INTEGERS)


def _numbers(nodes: list[ast.expr]) -> Iterator[ast.Constant]:
    """The numbers that are written out, alone or in lists; none that another function is given."""
    for node in nodes:
        match node:
            case ast.Constant():
                yield node
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                yield from _numbers(parts)
            case ast.UnaryOp(operand=operand):
                yield from _numbers([operand])


def with_own_value(editor: Editor, site: Site | None, names: tuple[str, ...]) -> Edit | None:
    """A function that is made in a loop keeps what the loop's names are then, as defaults of its own."""
    if site is None:
        return None
    file = editor.file(site)
    made = [each for each in file.walk() if isinstance(each, (ast.Lambda, *FUNCTION))]
    own = [each for each in made if each.lineno == site.line]
    return file.with_defaults(own[0], names) if len(own) == 1 else None


def cleaned(question: Question, line: Site | None, name: str) -> Edit | None:
    """A line below the one that makes data which puts 0 in the place of what is NaN in them."""
    own = unquoted(name)
    filled = "tf.where(tf.math.is_finite({x}), {x}, tf.zeros_like({x}))"
    code = question.dialect.expression(filled.format(x=own))
    return from_its_making(question.editor, line, own, f"{own} = {code}") if name.startswith("`") else None


def recorded_inside(editor: Editor, site: Site | None) -> Edit | None:
    """A gradient function that takes a gradient by autograd, and has that off, runs with it on."""
    if site is None:
        return None
    statement = editor.statement(site)
    function = next((each for each in editor.file(site).around(statement) if isinstance(each, FUNCTION)), None)
    if function is None:
        return None
    inside = [ast.unparse(each.func) for each in ast.walk(function) if isinstance(each, ast.Call)]
    if not any(each.endswith("autograd.grad") for each in inside) or any("enable_grad" in each for each in inside):
        return None
    return editor.file(site).decorated(function, "@torch.enable_grad()")
