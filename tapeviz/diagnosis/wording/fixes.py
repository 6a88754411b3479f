"""A problem and the user's line -> what to write instead, with names from the line and the log only."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from tapeviz.diagnosis.edits import following, formulas, values
from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.diagnosis.op_kinds import LOOKUPS
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.spelling import written
from tapeviz.events import Site
from tapeviz.events.summary import elements_of
from tapeviz.graph import Op, is_real
from tapeviz.source.edits import Edit
from tapeviz.source.lines import (
    LONGEST,
    assigned,
    calls_in,
    is_written,
    line_of,
    method_call,
    numpy_calls,
    numpy_within,
    owner_of,
)
from tapeviz.source.parsing import parse_expression
from tapeviz.source.statements import bound, callee

_SAME = (
    "abs", "cos", "cosh", "cumsum", "einsum", "exp", "expand_dims", "matmul", "maximum", "minimum", "multiply",
    "reshape", "round", "sign", "sin", "sinh", "sqrt", "square", "squeeze", "stack", "subtract", "tan", "tanh",
    "transpose", "where",
)  # fmt: skip

IN_TENSORS = dict.fromkeys(_SAME) | {
    "absolute": "abs",
    "arccos": "acos",
    "arcsin": "asin",
    "arctan": "atan",
    "clip": "clip_by_value",
    "concatenate": "concat",
    "linalg.norm": "norm",
    "log": "math.log",
    "log1p": "math.log1p",
    "max": "reduce_max",
    "mean": "reduce_mean",
    "min": "reduce_min",
    "power": "pow",
    "prod": "reduce_prod",
    "sum": "reduce_sum",
}
"""The name of a NumPy function -> that of TensorFlow's, None where it is the same."""

INDEXES = {("one_hot", 0), *((each, 1) for each in LOOKUPS)}
"""The ops and slots in which a tensor only says which entries are meant."""

LEAVES = ("Variable", "constant", "convert_to_tensor")
"""The functions that make a leaf of the numbers they are given."""

_MAKERS = (*LEAVES, "Parameter", "as_tensor", "tensor", "nested_tensor", "from_dlpack")
"""The same, and those of PyTorch."""

_WRITES = {
    "assign": "{0}",
    "assign_add": "{owner} + {0}",
    "assign_sub": "{owner} - {0}",
    "scatter_nd_update": "tf.tensor_scatter_nd_update({owner}, {0}, {1})",
}
CASTS = ("cast", "int", "long", "short", "to", "type", "astype")
"""What casts to integers."""

_DATA_WRITES = {
    "copy_": "{value}",
    "add_": "{owner} + {value}",
    "sub_": "{owner} - {value}",
    "mul_": "{owner} * {value}",
}


def in_tensors(editor: Editor, site: Site | None, how: str) -> Fix:
    """In place of a read-out."""
    pairs, known = _in_tensors(site), set(_in_tensors(site))
    is_numpys = numpy_within(site) is not None or not known.issuperset(numpy_calls(site))
    edit = (
        values.predicted(editor, site)
        or values.computed_in_tensors(editor, site, {each: own or each for each, own in IN_TENSORS.items()})
        or (None if is_numpys else values.kept_in_tensors(editor, site, pairs))
    )
    return Fix(_told_in_tensors(site, how, pairs, is_edited=edit is not None), edit)


def _in_tensors(site: Site | None) -> dict[str, str]:
    """The functions of NumPy's at a line, and what TensorFlow's are called that do the same."""
    return {name: IN_TENSORS[short] or short for name in numpy_calls(site) if (short := _short(name)) in IN_TENSORS}


def _told_in_tensors(site: Site | None, how: str, pairs: dict[str, str], *, is_edited: bool) -> str:
    """The same in words, which show a line to write where there is an edit that writes it."""
    write = "write" if is_edited else "use"
    predict = method_call(site, "predict") or method_call(site, "predict_on_batch")
    if predict is not None and site is not None and how not in site.text:
        name, model = assigned(site), f"{ast.unparse(owner_of(predict))}({ast.unparse(predict.args[0])})"
        return f"Call the model itself: `{model if name is None else f'{name} = {model}'}`."
    within = numpy_within(site)
    if within is not None:
        return (
            f"Write the function with `tf.` functions and call it without `{within}`, or give it a gradient by "
            "`tf.custom_gradient`."
        )
    instead = " and ".join(f"`tf.{tensors}` for `{name}`" for name, tensors in pairs.items())
    if is_written(site, how):
        too = " and the `.detach()`" if site is not None and ".detach()" in site.text.replace(how, "") else ""
        drop = f"Stay in tensors: drop the `{how}`{too}"
        return f"{drop} and {write} {instead}." if instead else f"{drop} and go on with `tf.` functions."
    if instead:
        return f"Stay in tensors: {write} {instead}."
    called = next(iter([*numpy_calls(site)][-1:]), None)
    if called is not None:
        return f"Stay in tensors: use the `tf.` function in place of `{called}`, or do without it."
    return "Stay in tensors: gather them in a list and join them with `tf.stack`."


def _short(name: str) -> str:
    return name.partition(".")[2]


def in_a_tensor(editor: Editor, site: Site | None, how: str, variable: str) -> Fix:
    """In place of a write into a variable."""
    call = method_call(site, how)
    if call is not None and isinstance(owner_of(call), ast.Subscript):
        return Fix(
            f"Keep the value in a tensor instead of {variable}, and change entries with `tf.tensor_scatter_nd_update`."
        )
    instead = _beside_data(site)
    edit = values.given_to_name(editor, site, instead)
    if edit is not None and site is not None:
        return Fix(f"Keep the value in a tensor: write `{instead}` in place of `{site.text}`.", edit)
    in_place = isinstance(next(iter(line_of(site)), None), ast.AugAssign)
    if not is_written(site, how) and not in_place:  # in a function that the line calls
        return Fix("Compute it from tensors alone: a metric, or whatever else keeps a state, passes no gradient.")
    of_a_list = call is not None and variable.endswith("]`") and ast.unparse(owner_of(call)).isidentifier()
    if call is None or of_a_list or how not in _WRITES:
        return Fix(f"Keep the value in a tensor instead of writing it into {variable}.")
    owner, given = ast.unparse(owner_of(call)), [ast.unparse(each) for each in call.args]
    line = f"{owner} = {_WRITES[how].format(*given, owner=owner)}"
    edit = values.given_to_name(editor, site, line)
    if edit is None:
        return Fix(f"Keep the value in a tensor instead of writing it into {variable}.")
    return Fix(f"Keep the value in a tensor: write `{line}` in place of `{ast.unparse(call)}`.", edit)


def _beside_data(site: Site | None) -> str | None:
    """What to write for a line that only writes into the `.data` of a tensor with a plain name."""
    match line_of(site):
        case [ast.AugAssign(target=ast.Attribute(ast.Name(name), "data"), op=operator, value=value)]:
            return f"{name} = {ast.unparse(ast.BinOp(ast.Name(name), operator, value))}"
        case [ast.Assign(targets=[ast.Attribute(ast.Name(name), "data")], value=value)]:
            return f"{name} = {ast.unparse(value)}"
        case [ast.Expr(ast.Call(ast.Attribute(ast.Attribute(ast.Name(name), "data"), how), [value]))]:
            whole = _DATA_WRITES.get(how)
            filled = None if whole is None else whole.format(owner=name, value=f"({ast.unparse(value)})")
            code = None if filled is None else parse_expression(filled)
            return None if code is None else f"{name} = {ast.unparse(code)}"
    return None


def makes_leaves(call: ast.Call) -> bool:
    """Whether what a call is for is to make a leaf of what it is given."""
    return ast.unparse(call.func).rpartition(".")[2] in _MAKERS


def joined(editor: Editor, site: Site | None, *, stacked: bool) -> Fix:
    """In place of a leaf that is made of several tensors; `stacked`: of its rows, each of them one of these."""
    makers = [each for each in calls_in(line_of(site)) if each.args and makes_leaves(each)]
    edit = values.joined(editor, site, stacked=stacked)
    match makers:
        case [ast.Call(args=[parts, *_])] if edit is not None and len(ast.unparse(parts)) <= LONGEST:
            return Fix(f"Join the tensors themselves: write `tf.stack({ast.unparse(parts)})`.", edit)
    return Fix("Join the tensors themselves, with `tf.stack` or `tf.concat`.", edit)


def nested(editor: Editor, site: Site | None) -> Fix | None:
    """In place of PyTorch's call that nests copies of tensors; None at a line without one."""
    if all(callee(each) != "nested_tensor" for each in calls_in(line_of(site))):
        return None
    return Fix("Nest the tensors themselves, with `torch.nested.as_nested_tensor`.", values.nested(editor, site))


def as_float(question: Question, tensor: int, site: Site | None) -> Fix:
    """In place of an integer leaf; one that looks up entries stays an integer."""
    name = question.name(tensor)
    table = _table(question, tensor)
    if table is not None:
        return Fix(f"Leave {name} as it is: an index has no gradient. Ask for that of {table}.")
    number = _whole_number(question, tensor, site)
    edit = following.made_real(question.editor, site, casts=question.graph.is_variable(tensor))
    write = f"write `{number}.0` for `{number}`, or " if edit is not None and edit.code == f"{number}.0" else ""
    return Fix(f"Make {name} a float where it is made: {write}pass `dtype=tf.float32`.", edit)


def uncast(question: Question, tensor: int, site: Site | None) -> Edit | None:
    """In place of a cast to integers, where nothing looks entries up by them."""
    if any((op.op, slot) in INDEXES for op, slot in _uses(question, tensor)) or _is_index(question, site):
        return None
    cast = question.graph.op_of(tensor)
    read = written(question, cast.inputs[0]) if cast is not None and cast.inputs else None
    return formulas.without_call(question.editor, site, *CASTS, tensor=read)


def _whole_number(question: Question, tensor: int, site: Site | None) -> int | None:
    """The first entry of a leaf, if the line that made it has that number in what it makes leaves of."""
    value = elements_of(question.log.value(tensor))
    entries = [] if value is None else value.reshape(-1)[:1].tolist()
    calls = calls_in(line_of(site))
    made = [each for call in calls for each in _made_leaves(call)]
    numbers = [node.value for each in made for node in ast.walk(each) if isinstance(node, ast.Constant)]
    return next((each for each in numbers if type(each) is int and each in entries), None)


def _made_leaves(call: ast.Call) -> list[ast.expr]:
    """What a call makes leaves of; a function of JAX has them as arguments."""
    name = ast.unparse(call.func)
    return call.args[1:] if name.endswith("record_jax") else call.args[:1] if name.endswith(LEAVES) else []


def _is_index(question: Question, site: Site | None) -> bool:
    """Whether the program indexes by what a line casts, there or by a name that the line gives it."""
    if site is None:
        return False
    statement, file = question.editor.statement(site), question.editor.file(site)
    names = bound(statement.targets) if isinstance(statement, ast.Assign) else set()
    indices = (each.slice for each in file.walk() if isinstance(each, ast.Subscript))
    parts = [part for each in indices for part in ast.walk(each)]
    own = question.editor.node(site)
    return own in parts or any(isinstance(part, ast.Name) and part.id in names for part in parts)


def _table(question: Question, tensor: int) -> str | None:
    """What a tensor looks entries up in, if that is all that it does."""
    uses = list(_uses(question, tensor))
    if not uses or any((op.op, slot) not in INDEXES for op, slot in uses):
        return None
    tables = [question.name(op.inputs[0]) for op, slot in uses if slot]
    return f"{tables[0]}, or of the entries it picks" if tables else "what is multiplied by the entries it picks"


def _uses(question: Question, tensor: int) -> Iterator[tuple[Op, int | None]]:
    """The ops that make what is real of a tensor, or of the integers made of it, and the slots that they read it in."""
    rows, waiting = question.log.tensors, [tensor]
    for each in waiting:  # grows meanwhile
        for link in question.graph.links_from(each):
            if link.slot is not None and is_real(rows[link.head].dtype):
                yield question.graph.ops[link.position], link.slot
            elif link.slot is not None and link.head not in waiting:
                waiting.append(link.head)


def same_shape(question: Question, op: Op, operands: Sequence[int]) -> Fix:
    """In place of a column and a row that meet."""
    shapes = [question.log.tensors[each].shape for each in operands]
    at = 0 if len(shapes[0]) > len(shapes[1]) else 1
    column, row = (written(question, each) for each in (operands[at], operands[1 - at]))
    squeezed = "`tf.squeeze` the column along axis 1" if column is None else f"`tf.squeeze({column}, axis=1)`"
    reshaped = "`tf.reshape` the row to `[-1, 1]`" if row is None else f"`tf.reshape({row}, [-1, 1])`"
    edits = (formulas.squeezed(question, op, operands[at]), formulas.reshaped(question, op, operands[1 - at]))
    edit = next(filter(None, edits), None)
    return Fix(f"Give both the same shape first: {squeezed}, or {reshaped}.", edit)
