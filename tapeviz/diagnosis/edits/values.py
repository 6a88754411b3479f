"""A value that leaves its tensor, is copied into a leaf or written into a variable -> the edit that keeps a tensor."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.diagnosis.question import Question
from tapeviz.events import Site
from tapeviz.source.edits import Edit
from tapeviz.source.lines import FITTING, NUMPY_WITHIN, PREDICTING, is_of_numpy
from tapeviz.source.statements import bound, callee

READERS = ("numpy", "item", "tolist")
"""The methods that read a tensor out."""

_LISTS = ("tolist",)
"""Those that give lists, which a tensor of TensorFlow's cannot take the place of."""

_NUMBERS = ("float",)
"""Python's own functions that do."""

MAKERS = ("Variable", "constant", "convert_to_tensor", "Parameter", "as_tensor", "tensor", "from_numpy", "from_dlpack")
"""The functions that make tensors of numbers."""

_NOT_OF_TORCH = ("astype", "copy", "compress", "fill", "nonzero", "repeat", "tobytes")
"""Methods of arrays that tensors of PyTorch's have not, or that do something else there."""

_NOT_OF_TENSORFLOW = ("mean", "sum", "std", "var", "max", "min", "reshape", "dot", "T", "clip", "item", *_NOT_OF_TORCH)
"""Those that tensors of TensorFlow's have not."""

_FITTING = tuple(each.strip(".()") for each in FITTING)


def kept_in_tensors(editor: Editor, site: Site | None, functions: dict[str, str]) -> Edit | None:
    """A line without its read-out, with `functions` of tensors in the place of NumPy's, and no leaf of the result."""
    if site is None:
        return None
    calls = [each for each in editor.parts(site) if isinstance(each, ast.Call)]
    lists = () if editor.log.facts.records_always else _LISTS
    read = [each for each in calls if _is_reading(each) and not _is_read_again(editor, site, each)]
    renamed = [each for each in calls if ast.unparse(each.func) in functions]
    if (
        any(callee(each) in lists for each in calls)
        or not all(_goes_on(editor, site, each, functions) for each in read)
        or _computes_on(editor, site)
    ):
        return None
    edit: Edit | None = None
    change: Edit | None
    for change in (
        *(_unread(editor, site, each) for each in read),
        *(editor.replace(site, each.func, f"tf.{functions[ast.unparse(each.func)]}") for each in renamed),
        *(_unmade(editor, site, each) for each in (*renamed, *_computed_of(editor, site, read, renamed))),
    ):
        edit = change if edit is None else edit.and_also(change) or edit
    return edit


def _unread(editor: Editor, site: Site, read: ast.Call) -> Edit | None:
    """The tensor in the place of its read-out, of the copy that is made of that, and of the leaf that is made of it."""
    return editor.replace(site, _leaf_of(editor, site, _copy_of(editor, site, read)), editor.text(site, _read_of(read)))


def computed_in_tensors(editor: Editor, site: Site | None, functions: Mapping[str, str]) -> Edit | None:
    """A function that computes with NumPy, called for its numbers, is called itself, and computes with tensors.

    `functions` are NumPy's, by what comes behind the dot, with the names of those of tensors.
    """
    match editor.calls(site, *NUMPY_WITHIN):
        case [ast.Call(args=[ast.Name(id=name), ast.List(elts=operands), *_]) as call] if site is not None:
            body = editor.file(site).function(name)
            called = f"{name}({', '.join(editor.text(site, each) for each in operands)})"
            edit = None if body is None else editor.replace(site, call, called)
        case _:
            return None
    for each in ast.walk(body) if body is not None else ():
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute) and edit is not None:
            own = ast.unparse(each.func)
            short = own.removeprefix("np.").removeprefix("numpy.")
            if each.func.attr == "astype":
                edit = edit.and_also(editor.file(site).without_end(each, each.func.value))
            elif short != own:
                edit = edit.and_also(editor.replace(site, each.func, f"tf.{functions.get(short, '')}"))
    return edit


def _is_reading(call: ast.Call) -> bool:
    match call:
        case ast.Call(func=ast.Attribute(attr=name), args=[], keywords=[]):
            return name in READERS
        case ast.Call(func=ast.Name(id=name), args=[_]):
            return name in _NUMBERS
    return False


def _is_read_again(editor: Editor, site: Site, call: ast.Call) -> bool:
    """Whether what is read out is read out once more, as by `.numpy().tolist()`."""
    around = list(editor.file(site).around(call))[1:3]
    return any(isinstance(each, ast.Call) and _is_reading(each) for each in around)


def _of_arrays(editor: Editor) -> tuple[str, ...]:
    """The methods of arrays that tensors of the program's framework have not."""
    return _NOT_OF_TORCH if editor.log.facts.records_always else _NOT_OF_TENSORFLOW


def _copy_of(editor: Editor, site: Site, read: ast.Call) -> ast.Call:
    """The copy that is made of a read-out, which a tensor need not be; else the read-out."""
    match list(editor.file(site).around(read))[1:3]:
        case [ast.Attribute(attr="copy"), ast.Call(args=[], keywords=[]) as copy]:
            return copy
    return read


def _goes_on(editor: Editor, site: Site, call: ast.Call, functions: Mapping[str, str]) -> bool:
    """Whether a tensor can stand in the place of a read-out: no function is given it that may take numbers alone, and
    no method of it is called that arrays alone have."""
    parent = editor.file(site).parent(_copy_of(editor, site, call))
    if isinstance(parent, ast.Attribute) and parent.attr in _of_arrays(editor):
        return False
    name = ast.unparse(parent.func) if isinstance(parent, ast.Call) else ""
    is_maker = name.rpartition(".")[2] in MAKERS
    return not name or name in functions or is_maker or name.startswith(editor.dialect.libraries)


def _computes_on(editor: Editor, site: Site) -> bool:
    """Whether a method that arrays alone have is called on what the line gives a name, or NumPy is given that."""
    statement = editor.statement(site)
    if not isinstance(statement, ast.Assign):
        return False
    names = bound(statement.targets)
    of_arrays = {(each, method) for each in names for method in _of_arrays(editor)}
    if not of_arrays.isdisjoint(editor.file(site).attributes):
        return True
    return not names.isdisjoint(_given_to_numpy(editor, site))


def _given_to_numpy(editor: Editor, site: Site) -> frozenset[str]:
    """The names that functions of NumPy's are given in a file."""

    def find() -> frozenset[str]:
        calls = (each for each in editor.file(site).walk() if isinstance(each, ast.Call) and is_of_numpy(each))
        return frozenset(each.id for call in calls for each in call.args if isinstance(each, ast.Name))

    return editor.log.once(("names that NumPy is given", site.filename), find)


def _read_of(call: ast.Call) -> ast.expr:
    """The tensor that is read out, without what only makes it fit for that."""
    return _unfitted(call.func.value if isinstance(call.func, ast.Attribute) else call.args[0])


def _unfitted(read: ast.expr) -> ast.expr:
    """An expression without what only makes its tensor fit for being read out."""
    while True:
        match read:
            case ast.Call(func=ast.Attribute(value=owner, attr=name), args=[]) if name in (*_FITTING, *READERS):
                read = owner
            case ast.Attribute(value=owner, attr="data"):
                read = owner
            case _:
                return read


def _leaf_of(editor: Editor, site: Site, node: ast.expr) -> ast.expr:
    """The call that makes a leaf of a value alone, or the value."""
    parent = editor.file(site).parent(node)
    is_made = isinstance(parent, ast.Call) and callee(parent) in MAKERS and parent.args[:1] == [node]
    return parent if is_made and isinstance(parent, ast.expr) else node


def _computed_of(editor: Editor, site: Site, read: list[ast.Call], functions: list[ast.Call]) -> Iterator[ast.expr]:
    """What operators, methods and these functions compute of read-outs on the line, each as a whole."""
    for whole in read:
        node: ast.AST = _copy_of(editor, site, whole)
        for around in list(editor.file(site).around(node))[1:]:
            is_called = isinstance(around, ast.Call) and (around.func is node or around in functions)
            if not is_called and not isinstance(around, ast.BinOp | ast.UnaryOp | ast.Attribute):
                break
            node = around
        if isinstance(node, ast.BinOp | ast.UnaryOp | ast.Call) and node is not whole:
            yield node


def _unmade(editor: Editor, site: Site, node: ast.expr) -> Edit | None:
    """Nothing in the place of the name and the brackets of a call that makes a leaf of what a function gives."""
    maker = _leaf_of(editor, site, node)
    return None if maker is node else editor.file(site).without_brackets(maker, node)


def predicted(editor: Editor, site: Site | None) -> Edit | None:
    """A model is called in the place of its method that gives arrays."""
    match editor.call(site, *PREDICTING):
        case ast.Call(func=ast.Attribute(value=model), args=[batch, *_]) as call if site is not None:
            return editor.replace(site, call, f"{editor.text(site, model)}({editor.text(site, batch)})")
    return None


def itself(editor: Editor, site: Site | None) -> Edit | None:
    """What a leaf is made of in the place of the leaf; rows that are written out, joined."""
    node = editor.node(site)
    if site is None or not isinstance(node, ast.Call) or callee(node) not in MAKERS or not node.args:
        return None
    given = node.args[0]
    if isinstance(given, _ROWS):
        return joined(editor, site, stacked=False)
    return editor.replace(site, node, editor.text(site, _unfitted(given)))


def joined(editor: Editor, site: Site | None, *, stacked: bool) -> Edit | None:
    """Rows joined in the place of a leaf of them, where they are written out, or, `stacked`, have a name."""
    node = editor.node(site)
    if site is None or not isinstance(node, ast.Call) or callee(node) not in MAKERS or not node.args:
        return None
    given = node.args[0]
    if isinstance(given, _ROWS):
        return editor.replace(site, node, _stack(editor, site, given))
    return editor.replace(site, node, f"tf.stack({editor.text(site, given)})") if stacked else None


def nested(editor: Editor, site: Site | None) -> Edit | None:
    """Tensors nested as they are, in place of copies of them: what they make wants a gradient if they do."""
    match editor.call(site, "nested_tensor"):
        case ast.Call(func=ast.Attribute(value=owner), args=args, keywords=keywords) as call if site is not None:
            options = [each for each in keywords if each.arg != "requires_grad"]
            given = ", ".join(editor.text(site, each) for each in (*args, *options))
            return editor.replace(site, call, f"{editor.text(site, owner)}.as_nested_tensor({given})")
    return None


_ROWS = (ast.List, ast.Tuple, ast.ListComp)
"""How rows are written out."""


def _stack(editor: Editor, site: Site, node: ast.expr) -> str:
    """Rows joined by a function, rows of rows among them, and numbers as tensors."""
    match node:
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return f"tf.stack([{', '.join(_stack(editor, site, each) for each in parts)}])"
        case ast.ListComp(elt=element, generators=[*each]):
            loops = " ".join(ast.unparse(loop).strip() for loop in each)
            return f"tf.stack([{_stack(editor, site, element)} {loops}])"
        case ast.Constant() | ast.UnaryOp(operand=ast.Constant()):
            return f"tf.convert_to_tensor({editor.text(site, node)})"
    return editor.text(site, node)


def given_to_name(editor: Editor, site: Site | None, code: str | None) -> Edit | None:
    """A line that gives a name a value in the place of one that writes it; not where the name is an outer one's."""
    statement = editor.statement(site)
    if site is None or code is None or not isinstance(statement, ast.Expr | ast.AugAssign | ast.Assign):
        return None
    name = code.partition(" = ")[0]
    return editor.rewrite(site, code) if not name.isidentifier() or editor.file(site).is_own(statement, name) else None


def given_in_place(question: Question, site: Site | None) -> Edit | None:
    """A line that puts a new variable in the place of one gives that the value of the new one."""
    statement, editor = question.editor.statement(site), question.editor
    match statement:
        case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=ast.Call(args=[given, *_]) as call) if (
            site is not None and callee(call) in MAKERS
        ):
            name, value = editor.text(site, target), editor.text(site, given)
            return editor.rewrite(site, question.say("line that assigns", name=name, value=value))
    return None


def kept_once(editor: Editor, site: Site | None) -> Edit | None:
    """A line that adds a new variable to a list whenever it runs does so only while the list is empty."""
    statement = editor.statement(site)
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=kept, attr="append"), args=[ast.Call() as maker])) if (
            site is not None and callee(maker) in MAKERS
        ):
            return editor.rewrite(site, f"if not {editor.text(site, kept)}: {editor.text(site, statement)}")
    return None
