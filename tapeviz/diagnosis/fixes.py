"""A problem and the user's line -> what to write instead, in the names of the line and the log; none are made up."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import numpy as np

from tapeviz.diagnosis.question import Question
from tapeviz.events import Site
from tapeviz.events.sites import parse
from tapeviz.events.summary import Summary
from tapeviz.graph import Op

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

LOOKUPS = {("gather", 1), ("gather_nd", 1), ("one_hot", 0)}
"""The ops and slots in which a tensor only says which entries are meant."""

LEAVES = ("Variable", "constant", "convert_to_tensor")
"""The functions that make a leaf of the numbers they are given."""

LONGEST = 60
"""Characters of a text that are worth saying again."""

_SPELLINGS = {
    "div": ("Div", "divide"),
    "greater": ("Gt",),
    "greater_equal": ("GtE",),
    "less": ("Lt",),
    "less_equal": ("LtE",),
    "pow": ("Pow",),
    "reduce_euclidean_norm": ("norm",),
}
"""How an op is called, or which operator stands for it, where that is not its name."""

_WRITES = {"assign": "{value}", "assign_add": "{owner} + {value}", "assign_sub": "{owner} - {value}"}


# ----- the user's line -----


def assigned(site: Site | None) -> str | None:
    """The name that the line of a site is assigned to.

    >>> assigned(Site("a.py", 3, 3, 9, 14, "f", "y_pred = x @ w + b"))
    'y_pred'
    """
    match _line(site):
        case [ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name))]:
            return name
    return None


def expression(site: Site | None) -> str | None:
    """What the line of a site returns or only computes, where that is short.

    >>> expression(Site("a.py", 3, 3, 11, 22, "f", "return tf.tanh(x@w)"))
    'tf.tanh(x @ w)'
    """
    match _line(site):
        case [ast.Return(value=ast.expr() as value)] | [ast.Expr(value=value)]:
            text = ast.unparse(value)
            return text if len(text) <= LONGEST else None
    return None


def reader(site: Site | None, how: str) -> str:
    """What reads a value out at a line: the read-out if it is written there, else the NumPy function that is.

    >>> reader(Site("a.py", 3, 3, 4, 14, "f", "h = np.tanh(x)"), "np.asarray()")
    'np.tanh()'
    """
    if site is not None and how.rstrip(")") in site.text:
        return how
    called = list(_numpy_calls(site))
    return f"{called[-1]}()" if called else how


def _statements(text: str) -> list[ast.stmt]:
    """A line as Python; the head of a block has an empty one."""
    tree = parse(text) or parse(f"{text} pass")
    return [] if tree is None else tree.body


def _line(site: Site | None) -> list[ast.stmt]:
    """The line of a site, if it is whole."""
    return [] if site is None else _statements(site.text)


def _calls(statements: list[ast.stmt]) -> Iterator[ast.Call]:
    for statement in statements:
        yield from (node for node in ast.walk(statement) if isinstance(node, ast.Call))


def _numpy_calls(site: Site | None) -> Iterator[str]:
    """The functions of NumPy and `math` that a line calls, the innermost last; it may go on in the next."""
    text = "" if site is None else site.text
    for call in _calls(_statements(text) or _statements(text + _closing(text))):
        name = ast.unparse(call.func)
        if name.startswith(("np.", "numpy.", "math.")):
            yield name


def _closing(text: str) -> str:
    """The brackets that a line leaves open.

    >>> _closing("h = np.tanh(x[0] + np.exp(")
    '))'
    """
    closing = ""
    for character in text:
        if character in "([{":
            closing = ")]}"["([{".index(character)] + closing
        elif closing.startswith(character):
            closing = closing[1:]
    return closing


def _method(site: Site | None, method: str) -> ast.Call | None:
    """The call of a method at a line, if there is one with a first argument."""
    calls = _calls(_line(site))
    found = [each for each in calls if isinstance(each.func, ast.Attribute) and each.func.attr == method]
    return found[0] if len(found) == 1 and found[0].args else None


def _owner(call: ast.Call) -> ast.expr:
    assert isinstance(call.func, ast.Attribute)
    return call.func.value


# ----- what to write -----


def in_tensors(site: Site | None, how: str) -> str:
    """In place of a read-out."""
    predict = _method(site, "predict")
    if how == ".predict()" and predict is not None:
        name, model = assigned(site), f"{ast.unparse(_owner(predict))}({ast.unparse(predict.args[0])})"
        return f"Call the model itself: `{model if name is None else f'{name} = {model}'}`."
    pairs = {name: IN_TENSORS[short] or short for name in _numpy_calls(site) if (short := _short(name)) in IN_TENSORS}
    instead = " and ".join(f"`tf.{tensors}` for `{name}`" for name, tensors in pairs.items())
    if site is not None and how.rstrip(")") in site.text:
        drop = f"Stay in tensors: drop the `{how}`"
        return (
            f"{drop} and write {instead}." if instead else f"{drop} and use `tf.` functions on what it was called on."
        )
    if instead:
        return f"Stay in tensors: write {instead}."
    called = reader(site, how).removesuffix("()")
    return f"Stay in tensors: use the `tf.` function in place of `{called}`, or do without it."


def _short(name: str) -> str:
    return name.partition(".")[2]


def in_a_tensor(site: Site | None, how: str, variable: str) -> str:
    """In place of a write into a variable."""
    call = _method(site, how)
    if call is not None and isinstance(_owner(call), ast.Subscript):
        return (
            f"Keep the value in a tensor instead of {variable}, and change entries with `tf.tensor_scatter_nd_update`."
        )
    if call is None or how not in _WRITES:
        return f"Keep the value in a tensor instead of writing it into {variable}."
    owner, value = ast.unparse(_owner(call)), ast.unparse(call.args[0])
    return (
        f"Keep the value in a tensor: write `{owner} = {_WRITES[how].format(owner=owner, value=value)}` in place of "
        f"`{ast.unparse(call)}`."
    )


def as_float(question: Question, tensor: int, site: Site | None) -> str:
    """In place of an integer leaf; one that looks up entries stays an integer."""
    name = question.name(tensor)
    table = _table(question, tensor)
    if table is not None:
        return f"Leave {name} as it is: an index has no gradient. Ask for that of {table}."
    number = _whole_number(question, tensor, site)
    write = "" if number is None else f"write `{number}.0` for `{number}`, or "
    return f"Make {name} a float where it is made: {write}pass `dtype=tf.float32`."


def _whole_number(question: Question, tensor: int, site: Site | None) -> int | None:
    """The first entry of a leaf, if the line that made it has that number in what it makes leaves of."""
    value = question.log.value(tensor)
    entries = [] if value is None or isinstance(value, Summary) else np.asarray(value).reshape(-1)[:1].tolist()
    calls = _calls(_line(site))
    made = [each.args[0] for each in calls if each.args and ast.unparse(each.func).endswith(LEAVES)]
    numbers = [node.value for each in made for node in ast.walk(each) if isinstance(node, ast.Constant)]
    return next((each for each in numbers if type(each) is int and each in entries), None)


def _table(question: Question, tensor: int) -> str | None:
    """What a tensor looks entries up in, if that is all that it does."""
    uses = [
        (question.graph.ops[link.position], link.slot)
        for link in question.graph.links_from(tensor)
        if link.slot is not None
    ]
    if not uses or any((op.op, slot) not in LOOKUPS for op, slot in uses):
        return None
    tables = [question.name(op.inputs[0]) for op, slot in uses if slot]
    return f"{tables[0]}, or of the entries it picks" if tables else "what is multiplied by the entries it picks"


def written(question: Question, tensor: int) -> str | None:
    """How the user writes a tensor: its name, or a plain number; None where neither is known."""
    if question.is_named(tensor):
        return question.name(tensor).strip("`")
    value = question.log.value(tensor) if question.log.tensors[tensor].role == "literal" else None
    return f"{value:g}" if isinstance(value, np.ndarray | np.generic) and value.ndim == 0 else None


def spelled(question: Question, op: Op, slot: int) -> str | None:
    """How the user writes an operand of an op: as the text that stands there in the call, by its name, or a number."""
    site = None if op.site is None else question.log.sites[op.site]
    called = (op.op, *_SPELLINGS.get(op.op, ()))
    text = None if site is None else question.call.texts.of(site).operand_text(site, slot, called)
    return written(question, op.inputs[slot]) if text is None or len(text) > LONGEST else text


def passed_through(question: Question, op: Op, slot: int = 0) -> str:
    """In place of a step or a clip: its value, and the gradient of its input."""
    before, after = written(question, op.inputs[slot]), written(question, op.outputs[0])
    if before is None or after is None:
        return "let the gradient pass: add `tf.stop_gradient` of output minus input to the input"
    return f"let the gradient pass: use `{before} + tf.stop_gradient({after} - {before})`"


def smooth_step(question: Question, op: Op) -> str:
    """In place of a comparison."""
    left, right = (written(question, each) for each in op.inputs[:2])
    if left is None or right is None or op.op in ("equal", "not_equal"):
        return "Use a smooth step in place of the comparison: `tf.sigmoid` of a multiple of the difference."
    if op.op.startswith("less"):
        left, right = right, left
    difference = left if right == "0" else f"({left} - {right})"
    return f"Use a smooth step in place of the comparison: `tf.sigmoid(k * {difference})`, the steeper the larger k."


def at_edge(question: Question, op: Op) -> int:
    """The slot of an op that the edges of its domain are about."""
    row = question.log.row(op.op)
    told = "" if row is None or not row.domain else row.domain[0].split()[0]
    slot = row.arguments.index(told) if row is not None and told in row.arguments else 0
    return slot if slot < len(op.inputs) else 0


def safe_first(question: Question, op: Op, where: Op | None) -> str:
    """In place of the input of a branch that a `where` discards."""
    name = spelled(question, op, at_edge(question, op))
    mask = None if where is None or where.op != "where" else spelled(question, where, 0)
    read = [] if where is None else [question.call.ancestors_of([each]) for each in where.inputs[1:]]
    branches = [slot for slot, tensors in enumerate(read) if op.outputs[0] in tensors]
    if name is None:
        return f"Make what `{op.op}` reads safe first: put 1.0 in its discarded entries with a `tf.where` of its own."
    if mask is None or len(branches) != 1:
        safe = "put 1.0 in its discarded entries with a `tf.where` of its own, under the same condition"
        return f"Make `{name}` safe first: {safe}, and compute `{op.op}` from that."
    values = f"{name}, 1.0" if branches == [0] else f"1.0, {name}"
    return f"Make `{name}` safe first: compute `{op.op}` from `tf.where({mask}, {values})`."


def same_shape(question: Question, op: Op) -> str:
    """In place of a column that meets a row."""
    shapes = [question.log.tensors[each].shape for each in op.inputs[:2]]
    at = 0 if len(shapes[0]) > len(shapes[1]) else 1
    column, row = (written(question, each) for each in (op.inputs[at], op.inputs[1 - at]))
    squeezed = "`tf.squeeze` the column along axis 1" if column is None else f"`tf.squeeze({column}, axis=1)`"
    reshaped = "`tf.reshape` the row to `[-1, 1]`" if row is None else f"`tf.reshape({row}, [-1, 1])`"
    return f"Give both the same shape first: {squeezed}, or {reshaped}."
