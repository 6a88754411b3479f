"""An op, and code for it -> the edit that puts the code in the place of the op, of an operand or of its function."""

from __future__ import annotations

import ast

from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.spelling import callees, place_of, spelled, written
from tapeviz.events import Site
from tapeviz.events.summary import oddities
from tapeviz.graph import Op
from tapeviz.phrases import unquoted
from tapeviz.source.edits import Edit, all_of
from tapeviz.source.statements import callee, operand, operands

STEEP = 10.0
"""How steep a step is that takes the place of a comparison."""

_CASTS = ("cast", "to", "type", "astype", "float", "double", "half")
"""What makes numbers of truths."""

_OF_ROOTS = ("norm", "reduce_std", "std")
"""What is called that takes a root among other ops, for which code is known as a whole."""

_INFINITIES = ("inf", "infty", "Infinity")


def instead_of(question: Question, op: Op, code: str | None) -> Edit | None:
    """Code in the place of an op, where the program writes the op itself."""
    site = question.site_of(op)
    node = question.editor.node(site)
    return question.editor.instead(site, code) if _writes(question, node, op) else None


def _writes(question: Question, node: ast.AST | None, op: Op) -> bool:
    """Whether an expression is that of an op, and not the call of a function that runs it among others."""
    if isinstance(node, ast.Call) and callee(node) not in (*callees(question, op), *_OF_ROOTS):
        return False
    return isinstance(node, ast.expr) and bool(operands(node, written(question, op.inputs[0])))


def operand_node(question: Question, op: Op, slot: int) -> ast.AST | None:
    """The expression that stands as an operand of an op."""
    node = question.editor.node(question.site_of(op))
    if node is None:
        return None
    part = operand(node, place_of(op, slot, node), written(question, op.inputs[0]))
    text = spelled(question, op, slot)
    return part if part is not node and text is not None and ast.unparse(part) == text else None


def instead_of_operand(question: Question, op: Op, slot: int, code: str | None) -> Edit | None:
    """Code in the place of an operand."""
    return question.editor.replace(question.site_of(op), operand_node(question, op, slot), code)


def instead_of_argument(editor: Editor, site: Site | None, name: str, code: str) -> Edit | None:
    """Code in the place of a name that a line gives to a function, if it reads that name once."""
    read = [each for each in editor.parts(site) if isinstance(each, ast.Name) and each.id == name]
    if site is None or len(read) != 1 or not isinstance(read[0].ctx, ast.Load):
        return None
    given = editor.file(site).parent(read[0])
    return editor.replace(site, read[0], code) if isinstance(given, ast.Call) and read[0] is not given.func else None


def renamed(question: Question, op: Op, names: tuple[str, ...], function: str) -> Edit | None:
    """Another function in the place of one with one of these names."""
    site = question.site_of(op)
    node = question.editor.node(site)
    if site is None or not isinstance(node, ast.Call) or callee(node) not in names:
        return None
    given = operands(node, written(question, op.inputs[0]))[:1]
    return question.editor.instead(site, f"{function}({question.editor.text(site, given[0])})") if given else None


def without_call(editor: Editor, site: Site | None, *names: str, tensor: str | None = None) -> Edit | None:
    """What a call reads, a tensor that is written so or in any other way, in the place of the call.

    That is the owner of a method, and the first argument of a function.
    """
    call = editor.call(site, *names)
    return None if site is None or call is None else editor.replace(site, call, _operand_of(editor, site, call, tensor))


def _operand_of(editor: Editor, site: Site, call: ast.Call, tensor: str | None = None) -> str | None:
    match operands(call, tensor), call:
        case [first, *_], _:
            return editor.text(site, first)
        case [], ast.Call(func=ast.Attribute(value=owner)):
            return editor.text(site, owner)
    return None


def without_attribute(editor: Editor, site: Site | None, name: str) -> Edit | None:
    """The owner of an attribute in the place of the attribute."""
    found = [each for each in editor.parts(site) if isinstance(each, ast.Attribute) and each.attr == name]
    if site is None or len(found) != 1:
        return None
    return editor.replace(site, found[0], editor.text(site, found[0].value))


def smooth_steps(question: Question, op: Op) -> Edit | None:
    """Smooth steps in the place of comparisons that numbers are made of, and products in that of `&` between them."""
    site = question.site_of(op)
    node = question.editor.node(site)
    if site is None or node is None:
        return None
    file = question.editor.file(site)
    whole = node
    for each in file.around(node):
        match each:
            case ast.Call() if callee(each) in _CASTS:
                return question.editor.replace(site, whole, _smooth(question.editor, site, whole))
            case ast.BinOp(op=ast.BitAnd()) | ast.Compare():
                whole = each
            case ast.Attribute(attr=name) if name in _CASTS:
                pass
            case _:
                return None
    return None


def _smooth(editor: Editor, site: Site, node: ast.AST) -> str | None:
    """A truth as a number between 0 and 1."""
    match node:
        case ast.BinOp(left=left, op=ast.BitAnd(), right=right):
            parts = [_smooth(editor, site, each) for each in (left, right)]
            return None if None in parts else f"{parts[0]} * {parts[1]}"
        case ast.Compare(left=left, ops=[ast.Gt() | ast.GtE()], comparators=[right]):
            return _step(editor, site, left, right)
        case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE()], comparators=[right]):
            return _step(editor, site, right, left)
    return None


def _step(editor: Editor, site: Site, above: ast.expr, below: ast.expr) -> str:
    high, low = (editor.operand(site, each) for each in (above, below))
    is_sign = isinstance(below, ast.Constant) and below.value == 0
    return f"tf.sigmoid({STEEP} * {high})" if is_sign else f"tf.sigmoid({STEEP} * ({high} - {low}))"


def smooth_choice(question: Question, op: Op, *, least: bool) -> Edit | None:
    """The mean of the places, weighted by a softmax, in the place of a choice that is made a number of."""
    site, shape = question.site_of(op), question.log.tensors[op.inputs[0]].shape
    node = question.editor.node(site)
    if (
        site is None
        or not isinstance(node, ast.Call)
        or not node.args
        or question.log.tensors[op.outputs[0]].shape != shape[:-1]
    ):
        return None
    above = list(question.editor.file(site).around(node))[1:3]
    if not any(isinstance(each, ast.Call) and callee(each) in _CASTS for each in above):
        return None
    scores = f"{'-' * least}{question.editor.text(site, operands(node, written(question, op.inputs[0]))[0])}"
    weighted = f"tf.nn.softmax({scores}) * tf.range({float(shape[-1])})"
    return question.editor.instead(site, f"tf.reduce_sum({weighted}, axis=-1)")


def finite(editor: Editor, site: Site | None, number: str) -> Edit | None:
    """A large number in the place of the infinity that a mask is made with."""
    found = [each for each in editor.parts(site) if isinstance(each, ast.expr) and _is_infinity(each)]
    outer = [each for each in found if not any(each is not other and each in ast.walk(other) for other in found)]
    numbers = (number if _is_negative(each) else number.removeprefix("-") for each in outer)
    return all_of(editor.replace(site, each, number) for each, number in zip(outer, numbers, strict=True))


def _is_infinity(node: ast.AST) -> bool:
    match node:
        case ast.UnaryOp(operand=operand):
            return _is_infinity(operand)
        case ast.Attribute(attr=name):
            return name in _INFINITIES
        case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(str() as text)]):
            return text.lstrip("+-").lower() in ("inf", "infinity")
    return False


def _is_negative(node: ast.AST) -> bool:
    match node:
        case ast.UnaryOp(op=ast.USub()):
            return True
        case ast.Call(args=[ast.Constant(str() as text)]):
            return text.startswith("-")
    return False


def given_again(question: Question, op: Op, name: str | None, code: str) -> Edit | None:
    """A line below that of an op which gives the name of its result what is written with that name."""
    site = question.site_of(op)
    statement, node = question.editor.statement(site), question.editor.node(site)
    match statement:
        case ast.Assign(targets=[ast.Name(id=own)], value=value) if own == name and value is node:
            return question.editor.below(site, statement, f"{name} = {question.dialect.expression(code)}")
    return None


def without_stop(editor: Editor, site: Site | None) -> Edit | None:
    """What is held back in the place of what holds it back."""
    if editor.call(site, "deepcopy") is not None:  # it takes leaves alone
        return None
    return (
        without_call(editor, site, "stop_gradient")
        or without_call(editor, site, "detach")
        or without_attribute(editor, site, "data")
    )


def past_a_step(question: Question, tensor: int, site: Site | None) -> Edit | None:
    """The gradient goes past a step, to the last tensor before it that has the shape of what is held back."""
    rows, editor = question.log.tensors, question.editor
    call = editor.call(site, "stop_gradient", "detach")
    before = question.graph.ancestors([tensor]) & question.graph.descendants([question.source])
    alike = [
        each
        for each in sorted(before)
        if rows[each].shape == rows[tensor].shape and rows[each].dtype == rows[tensor].dtype
    ]
    names = [unquoted(question.name(each)) for each in alike if each != tensor and question.is_named(each)]
    if site is None or call is None or not names or not editor.knows(site, names[-1]):
        return None
    held = _operand_of(editor, site, call)
    return editor.replace(site, call, f"{names[-1]} + tf.stop_gradient(({held}) - {names[-1]})")


def squeezed(question: Question, op: Op, column: int) -> Edit | None:
    """A column without its second axis, where an op reads it."""
    return _shaped(question, op, column, "tf.squeeze({x}, axis=1)")


def reshaped(question: Question, op: Op, row: int) -> Edit | None:
    """A row as a column, where an op reads it."""
    return _shaped(question, op, row, "tf.reshape({x}, [-1, 1])")


def _shaped(question: Question, op: Op, tensor: int, template: str) -> Edit | None:
    slot = next((at for at, each in enumerate(op.inputs) if each == tensor), None)
    node = None if slot is None else operand_node(question, op, slot)
    site = question.site_of(op)
    if node is None or site is None:
        return None
    return question.editor.replace(site, node, template.format(x=question.editor.text(site, node)))


def instead_of_sum(question: Question, op: Op, code: str) -> Edit | None:
    """Code in the place of the negative of a sum of products, which an op stands in."""
    site = question.site_of(op)
    node = question.editor.node(site)
    if site is None or node is None:
        return None
    whole, around = node, question.editor.file(site).around(node)
    for each in around:
        if each is not node and not (isinstance(each, ast.BinOp) and isinstance(each.op, ast.Mult | ast.Add | ast.Sub)):
            is_negative = isinstance(each, ast.UnaryOp) and isinstance(each.op, ast.USub)
            return question.editor.replace(site, each if is_negative else whole, code if is_negative else f"-{code}")
        whole = each
    return None


def masked_finitely(question: Question, op: Op, number: str) -> Edit | None:
    """A large number in the place of the infinity of the mask that an op meets: there, or where the mask is made."""
    rows, log = question.log.tensors, question.log
    leaves = question.graph.ancestors(op.inputs) & question.graph.leaves.keys()
    masks = [each for each in sorted(leaves) if "inf" in oddities(log.value(each))]
    made = [question.made_on(each) for each in masks if rows[each].role != "variable"]
    found = (finite(question.editor, each, number) for each in [*made, *_lines_before(question, op)])
    return next((each for each in found if each is not None), None)


def _lines_before(question: Question, op: Op) -> list[Site]:
    """The lines of the ops that an op was computed of, and its own."""
    makers = {question.graph.producer(each) for each in question.graph.ancestors(op.inputs)}
    sites = [question.site_of(question.graph.ops[each]) for each in sorted(filter(None, makers))]
    return list(dict.fromkeys(each for each in [*sites, question.site_of(op)] if each is not None))


def smooth_kink(question: Question, op: Op) -> Edit | None:
    """A function without a kink in the place of a rectifier."""
    return renamed(question, op, ("relu",), "tf.math.softplus")


def leaky(question: Question, op: Op) -> Edit | None:
    """A rectifier with a slope everywhere in the place of one without."""
    return renamed(question, op, ("relu",), "tf.nn.leaky_relu")


def of_one_unit(question: Question, op: Op) -> Edit | None:
    """The share of one unit by a sigmoid in the place of a softmax over it."""
    return renamed(question, op, ("softmax",), "tf.sigmoid") or renamed(
        question, op, ("log_softmax",), "tf.math.log_sigmoid"
    )


def residual(editor: Editor, site: Site | None) -> Edit | None:
    """What a layer reads is added to what it gives, where the line is `h = layer(h)`."""
    statement = editor.statement(site)
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as value) if site is not None:
            given = [each.id for argument in value.args for each in ast.walk(argument) if isinstance(each, ast.Name)]
            return editor.replace(site, value, f"{name} + {editor.text(site, value)}") if name in given else None
    return None


def scaled_down(editor: Editor, site: Site | None, growth: float | None) -> Edit | None:
    """What a layer gives is divided by how much the gradient grows there, where the line is `h = layer(h)`."""
    statement = editor.statement(site)
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as value) if site is not None and growth:
            read = {each.id for each in ast.walk(value) if isinstance(each, ast.Name)}
            return editor.replace(site, value, f"{editor.text(site, value)} / {growth:.2g}") if name in read else None
    return None


def in_more_bits(editor: Editor, site: Site | None) -> Edit | None:
    """A file that computes in float16 computes in float32."""
    if site is None:
        return None
    few = [each for each in editor.file(site).walk() if isinstance(each, ast.Attribute) and each.attr == "float16"]
    return all_of(editor.replace(site, each, f"{editor.text(site, each.value)}.float32") for each in few)
