"""A call that is given too little, or the wrong thing -> the edit of its arguments, or of the line before it."""

from __future__ import annotations

import ast

from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.events import Site
from tapeviz.source.edits import Edit, all_of
from tapeviz.source.statements import FUNCTION, callee

GRADIENT_CALLS = ("grad", "backward")
"""PyTorch's calls that give gradients."""


def with_option(editor: Editor, site: Site | None, names: tuple[str, ...], option: str, value: str) -> Edit | None:
    """An option of the one call of a function with one of these names."""
    return editor.give(site, editor.call(site, *names), option, value)


def renamed(editor: Editor, site: Site | None, old: str, new: str) -> Edit | None:
    """Another method or function of the same owner."""
    match editor.call(site, old):
        case ast.Call(func=ast.Attribute(value=owner) as function) if site is not None:
            return editor.replace(site, function, f"{editor.text(site, owner)}.{new}")
    return None


def swapped(editor: Editor, site: Site | None) -> Edit | None:
    """A call with its target and its sources the other way round."""
    node = editor.node(site)
    if site is None or not isinstance(node, ast.Call) or any(map(_is_seed, node.keywords)):
        return None
    first, second = [*node.args, *(each.value for each in node.keywords), None, None][:2]
    if first is None or second is None:
        return None
    texts = editor.text(site, second), editor.text(site, first)
    return all_of(editor.replace(site, each, text) for each, text in zip((first, second), texts, strict=True))


def _is_seed(argument: ast.keyword) -> bool:
    """Whether an argument is made for the target alone."""
    return argument.arg in ("grad_outputs", "output_gradients")


def asked_by(editor: Editor, site: Site | None, source: str, instead: str) -> Edit | None:
    """A gradient call that asks by another source in the place of the one that is written there."""
    node = editor.node(site)
    if not isinstance(node, ast.Call) or len(node.args) < 2:
        return None
    asked = node.args[1]
    if ast.unparse(asked) == source:
        return editor.replace(site, asked, instead)
    parts = asked.elts if isinstance(asked, ast.List | ast.Tuple) else []
    same = [each for each in parts if ast.unparse(each) == source]
    return editor.replace(site, same[0], instead) if len(same) == 1 and not instead.startswith("[") else None


def summed(editor: Editor, site: Site | None) -> Edit | None:
    """The sum of a tensor in the place of the tensor that `backward` is called on."""
    match editor.call(site, "backward"):
        case ast.Call(func=ast.Attribute(value=owner), args=[], keywords=[]) if site is not None:
            return editor.replace(site, owner, f"{editor.operand(site, owner)}.sum()")
    return None


def paired(editor: Editor, site: Site | None, *, swapped: bool = False) -> Edit | None:
    """One gradient with its variable in the place of a `zip` of the two; `swapped`: the gradients of a list first."""
    zips = [each for each in editor.calls(site, "zip") if len(each.args) == 2]
    if site is None or len(zips) != 1:
        return None
    one, other = (editor.text(site, each) for each in zips[0].args)
    return editor.replace(site, zips[0], f"zip({other}, {one})" if swapped else f"[({one}, {other})]")


def before(editor: Editor, site: Site | None, code: str | None) -> Edit | None:
    """A line before the one at a site."""
    return None if site is None or code is None else editor.above(site, editor.statement(site), code)


def optimizer_at(editor: Editor, step: Site | None) -> str | None:
    """What the optimizer is called that takes a step at a line, be it by a scaler of the loss."""
    for call in editor.calls(step, "step"):
        if step is not None and isinstance(call.func, ast.Attribute):
            return editor.text(step, call.args[0] if call.args else call.func.value)
    return None


def clipping_all_of(editor: Editor, clip: Site | None, optimizer: str | None) -> Edit | None:
    """A call that clips gradients by their norm, of all parameters in the list of an optimizer."""
    call = editor.call(clip, "clip_grad_norm_")
    if optimizer is None or call is None or not call.args:
        return None
    return editor.replace(clip, call.args[0], f"[p for group in {optimizer}.param_groups for p in group['params']]")


def listed_once(editor: Editor, first: Site | None, second: Site | None) -> Edit | None:
    """The list by which one optimizer is made, without the parameters by which another one is."""
    match editor.node(first), editor.node(second):
        case ast.Call(args=[ast.List(elts=parts) as kept, *_]), ast.Call(args=[whole, *_]) if first is not None:
            left = [each for each in parts if not _is_spread(each, whole)]
            if left and len(left) == len(parts) - 1:
                return editor.replace(first, kept, f"[{', '.join(editor.text(first, each) for each in left)}]")
    return None


def _is_spread(part: ast.expr, whole: ast.expr) -> bool:
    """Whether a part of a list spreads the same thing out."""
    return isinstance(part, ast.Starred) and ast.unparse(part.value) == ast.unparse(whole)


def scaler_at(editor: Editor, step: Site | None) -> str | None:
    """What the scaler of the loss is called that takes the step of an optimizer at a line."""
    for call in editor.calls(step, "step"):
        if step is not None and isinstance(call.func, ast.Attribute) and call.args:
            return editor.text(step, call.func.value)
    return None


def detached(editor: Editor, site: Site | None, name: str) -> Edit | None:
    """A name in a line that reads it, cut off from what it was computed of."""
    found = [
        each
        for each in editor.parts(site)
        if isinstance(each, ast.Name | ast.Attribute) and isinstance(each.ctx, ast.Load) and ast.unparse(each) == name
    ]
    return editor.replace(site, found[0], f"tf.stop_gradient({name})") if len(found) == 1 else None


def around(editor: Editor, site: Site | None, opens: str) -> Site | None:
    """The call by which the block around a line is opened."""
    statement = editor.statement(site)
    if site is None:
        return None
    for each in editor.file(site).around(statement):
        for item in each.items if isinstance(each, ast.With) else ():
            if isinstance(item.context_expr, ast.Call) and callee(item.context_expr) == opens:
                line, column, end, end_column = (getattr(item.context_expr, name) for name in _SPAN)
                return Site(site.filename, line, end, column, end_column, site.function, "")
    return None


_CROSS_ENTROPY = ("categorical_crossentropy", "categoricalcrossentropy", "binary_crossentropy", "binarycrossentropy")
_SPAN = ("lineno", "col_offset", "end_lineno", "end_col_offset")


def in_module_lists(editor: Editor, site: Site | None) -> Edit | None:
    """The lists of layers that the classes of a file keep as attributes become such as a module finds them in."""
    if site is None:
        return None
    edits: list[Edit | None] = []
    for each in editor.file(site).walk():
        match each:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"))], value=kept):
                holder = _holder(kept)
                if holder is not None:
                    edits.append(editor.replace(site, kept, f"torch.nn.{holder}({editor.text(site, kept)})"))
    return all_of(edits)


def _holder(kept: ast.expr) -> str | None:
    """What PyTorch calls that in which a module finds what is kept in a list, in a dict, or as a tensor."""
    match kept:
        case ast.List(elts=[first, *_]) | ast.ListComp(elt=first) if _makes_layer(first):
            return "ModuleList"
        case ast.Dict(values=[first, *_]) | ast.DictComp(value=first) if _makes_layer(first):
            return "ModuleDict"
        case ast.Call(keywords=named) if any(each.arg == "requires_grad" for each in named) and not _makes_layer(kept):
            return "Parameter"
    return None


def _makes_layer(node: ast.AST) -> bool:
    """Whether an expression makes a layer of PyTorch's."""
    name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
    return name.startswith(("torch.nn.", "nn.")) and name.rpartition(".")[2][:1].isupper()


def asked_of(editor: Editor, site: Site | None, tape: str) -> Edit | None:
    """A gradient call of another tape."""
    node = editor.node(site)
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name() as owner)):
            return editor.replace(site, owner, tape)
    return None


def of_logits(editor: Editor, site: Site | None) -> Edit | None:
    """The one cross-entropy of Keras' that a file makes or calls takes logits."""
    nodes = editor.file(site).walk() if site is not None else ()
    found = [each for each in nodes if isinstance(each, ast.Call) and callee(each).lower().endswith(_CROSS_ENTROPY)]
    return editor.file(site).with_argument(found[0], "from_logits", "True") if site and len(found) == 1 else None


def made_whole(editor: Editor, site: Site | None) -> Edit | None:
    """The one call of a file that asks for a gradient of rows and their places asks for none."""
    nodes = editor.file(site).walk() if site is not None else ()
    found = [
        each
        for each in nodes
        if isinstance(each, ast.Call) and any(ast.unparse(named) == "sparse=True" for named in each.keywords)
    ]
    return editor.file(site).without_keyword(found[0], "sparse") if site is not None and len(found) == 1 else None


def made_dense(editor: Editor, site: Site | None, attribute: str) -> Edit | None:
    """A tensor of a gradient that came as rows and their places, where an attribute of a tensor is asked for."""
    found = [each for each in editor.parts(site) if isinstance(each, ast.Attribute) and each.attr == attribute]
    if site is None or len(found) != 1:
        return None
    owner = found[0].value
    return editor.replace(site, owner, f"tf.convert_to_tensor({editor.text(site, owner)})")


def without_flag(editor: Editor, site: Site | None) -> Edit | None:
    """A program that does not ask for the gradient of a result as of a leaf."""
    statement = editor.statement(site)
    match statement:
        case ast.Assign(targets=[ast.Attribute(attr="requires_grad")], value=ast.Constant(value=True)) if (
            site is not None
        ):
            return editor.file(site).removed(statement)
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="requires_grad_"))) if site is not None:
            return editor.file(site).removed(statement)
    match editor.call(site, "requires_grad_"):
        case ast.Call(func=ast.Attribute(value=owner)) as call if site is not None:
            return editor.replace(site, call, editor.text(site, owner))
    return None


def held_back(editor: Editor, site: Site | None, name: str) -> Edit | None:
    """A line gives a name what it computes, without how it was computed."""
    statement = editor.statement(site)
    match statement:
        case ast.Assign(targets=[target], value=value) if site is not None and ast.unparse(target) == name:
            return editor.replace(site, value, f"tf.stop_gradient({editor.text(site, value)})")
    return None


def times_upstream(editor: Editor, site: Site | None) -> Edit | None:
    """What a gradient function returns, times the gradient that it is given."""
    statement = editor.statement(site)
    if site is None or statement is None:
        return None
    around = list(editor.file(site).around(statement))
    function = next((each for each in around if isinstance(each, FUNCTION)), None)
    match statement, function:
        case ast.Return(value=ast.Lambda(args=ast.arguments(args=[own]), body=value)), _:
            pass
        case ast.Return(value=ast.Tuple(elts=[*_, ast.Lambda(args=ast.arguments(args=[own]), body=value)])), _:
            pass
        case ast.Return(value=ast.expr() as value), ast.FunctionDef(args=ast.arguments(args=given, defaults=defaults)):
            needed = [each for each in given[: len(given) - len(defaults)] if each.arg not in ("self", "ctx")]
            if len(needed) != 1:
                return None
            own = needed[0]
        case _:
            return None
    if isinstance(value, ast.Tuple):
        return None
    return editor.replace(site, value, f"{own.arg} * {editor.operand(site, value)}")
