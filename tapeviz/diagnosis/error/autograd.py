"""Graph -> Findings about PyTorch's own exceptions: a graph used twice, a tensor changed under it.

Each names the line to change, which is rarely the one that raised.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from tapeviz.diagnosis.edits import calls, moving, writing
from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.diagnosis.error.messages import MessagePart, errors_saying
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall, failed_calls, finished_calls
from tapeviz.diagnosis.none.higher_order import inner_calls, steps_of
from tapeviz.diagnosis.none.once_differentiable import cut_off, is_marked_once
from tapeviz.diagnosis.none.rebound import leaves_of_that_name, rebound
from tapeviz.diagnosis.op_kinds import VIEWS
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.leaves import in_place, leaf_last, made_leaf
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.places import origin, within, words
from tapeviz.events import (
    OpRecorded,
    RecordingPaused,
    Site,
    StateWritten,
)
from tapeviz.graph import Graph
from tapeviz.phrases import listed, unquoted
from tapeviz.source.lines import LONGEST, line_of
from tapeviz.source.places import site_at


def graph_used_twice(graph: Graph) -> Iterator[Finding]:
    """A backward pass went into a part of the graph that an earlier one had freed."""
    editor = Editor(graph.log)
    for position, call in failed_calls(graph, MessagePart.TWICE):
        first = next((each for each in reversed(finished_calls(graph, position)) if _share(graph, each, call)), None)
        if first is not None and _is_differentiated(graph, first, call):
            yield _not_recorded(graph, first, call, position)
            continue
        carried = None if first is None else _first_reader(graph, call, first.position or 0)
        site = call.site if carried is None else site_at(graph.log, carried[0])
        before = "an earlier one" if first is None else f"an earlier one, at {words(first.site)},"
        renamed = made = None
        if carried is not None:
            renamed = _no_more_its_leaf(graph, call, carried[1])
            made = renamed or _made_with_its_leaf(graph, carried[1]) or _made_once(graph, first, *carried)
        if made is not None:
            site, told, fix = made
        elif carried is None:
            told = f"The backward pass at {words(call.site)} goes through a graph that {before} used up."
            fix = Fix(
                "Call `backward` once, on the sum of the losses, or pass `retain_graph=True` to the first call.",
                calls.with_option(
                    editor, None if first is None else first.site, calls.GRADIENT_CALLS, "retain_graph", "True"
                ),
            )
        else:
            names = _names_beside(graph, call, *carried, first)
            hang = "hangs" if len(names) == 1 else "hang"
            told = (
                f"{listed(names)}, read at {words(site)}, still {hang} on a graph that an earlier backward pass used "
                f"up, so the backward pass at {words(call.site)} fails."
            )
            fix = _carried_on(graph, first, call, *carried, names)
        evidence = None if first is None else first.position, carried and carried[0], position
        cause = "graph_consumed" if renamed is None else "source_rebound"
        yield Finding.at(graph.log, cause, site, told, fix, *evidence, target=call.targets[0])


def _is_differentiated(graph: Graph, first: GradientCall, call: GradientCall) -> bool:
    """Whether what an earlier call gave is part of the target: it was to be recorded, and so to keep its graph."""
    given = graph.finished[first.number].gradients if first.number in graph.handing_over else ()
    return not call.ancestors.isdisjoint(each for each in given if each is not None)


def _not_recorded(graph: Graph, first: GradientCall, call: GradientCall, position: int) -> Finding:
    return Finding.at(
        graph.log,
        "no_higher_order_record",
        first.site,
        f"The gradient taken at {words(first.site)} is part of {name_of(graph, call.targets[0])}, but was not "
        f"recorded: it used its graph up, through which the backward pass at {words(call.site)} has to go, too.",
        Fix(
            "Pass `create_graph=True` to the first call.",
            calls.with_option(Editor(graph.log), first.site, calls.GRADIENT_CALLS, "create_graph", "True"),
        ),
        first.position,
        position,
        target=call.targets[0],
    )


def _no_more_its_leaf(graph: Graph, call: GradientCall, tensor: int) -> tuple[Site | None, str, Fix] | None:
    """Line, message and fix for a result that has the name of the leaf which an optimizer is to change."""
    before = graph.ancestors([tensor]) & graph.listed
    leaf = next(iter(leaves_of_that_name(graph, tensor, before)), None)
    if leaf is None:
        return None
    site, name = site_at(graph.log, graph.made_at(tensor)), name_of(graph, tensor)
    told = rebound(graph, name, leaf, site, "hangs on the graph of the step before")
    told = f"{told}. The optimizer goes on changing the leaf, and the backward pass at {words(call.site)} fails."
    fix = in_place(site, unquoted(name), Editor(graph.log))
    return site, told, fix.reworded(lambda code: f"Change the tensor in place: {code}.")


def _names_beside(graph: Graph, call: GradientCall, reader: int, tensor: int, first: GradientCall | None) -> list[str]:
    """The name of a result from before an earlier call, and of others that the same op reads, as a recurrence does the
    parts of its state."""
    links = [link for link in call.links_to(call.targets[0]) if link.slot is not None and link.position == reader]
    old = [link.tail for link in links if first is not None and _is_result(graph, link.tail, first.position or 0)]
    return list(dict.fromkeys(name_of(graph, each) for each in (tensor, *old)))


def _carried_on(
    graph: Graph, first: GradientCall | None, call: GradientCall, reader: int, tensor: int, names: Sequence[str]
) -> Fix:
    """The fix for results that two backward passes read: detach the state of a recurrence for the later pass.

    Where only by way of it parameters get the later gradient, as those of a generator do, the earlier pass is to do
    without them.
    """
    cuts = listed([f"`{unquoted(each)}.detach()`" if each.startswith("`") else "`.detach()`" for each in names])
    others = {link.tail for link in graph.back(call.targets, lambda link: link.tail != tensor)}
    alone = any(graph.is_variable(each) and each not in others for each in graph.ancestors([tensor]))
    readers = [link.position for link in graph.links_from(tensor) if first and link.head in first.ancestors]
    at = reader if not alone or not readers else readers[0]
    editor, site = Editor(graph.log), site_at(graph.log, at)
    edit, *more = [calls.detached(editor, site, unquoted(each)) for each in names]
    for each in more:
        edit = None if edit is None else edit.and_also(each)
    it = "it" if len(names) == 1 else "them"
    if at == reader:
        return Fix(f"Cut {it} off where the next step begins, by {cuts}, or compute {it} anew in each step.", edit)
    early = within(words(site), call.site)
    told = f"If the earlier pass is not to train what made {listed(names)}, cut {it} off at {early}, by {cuts}."
    return Fix(f"{told} Otherwise call `backward` once, on the sum of the losses.", edit)


def _made_with_its_leaf(graph: Graph, tensor: int) -> tuple[Site | None, str, Fix] | None:
    """Line, message and fix for a result that every step reads, and that one line made from a leaf of its own."""
    whole = _whole(graph, tensor)
    site = site_at(graph.log, graph.made_at(whole))
    line = leaf_last(site)
    if line is None:
        return None
    told = (
        f"{name_of(graph, whole)}, {origin(site)}, is the result of an op on a leaf: every backward pass goes through "
        "that op, and the first one used its graph up."
    )
    return site, told, made_leaf(Editor(graph.log), site, line)


def _made_once(
    graph: Graph, first: GradientCall | None, reader: int, tensor: int
) -> tuple[Site | None, str, Fix] | None:
    """Line, message and fix for a result that was computed once, and that a line reads in every pass."""
    reading, name = site_at(graph.log, reader), name_of(graph, tensor)
    before = [link.position for link in graph.links_from(tensor) if first and link.head in first.ancestors]
    if not any(site_at(graph.log, each) == reading for each in before):
        return None
    site = site_at(graph.log, graph.made_at(tensor))
    told = (
        f"{name}, {origin(site)}, is computed once, and every backward pass goes through it by way of "
        f"{words(reading)}: the first one used its graph up."
    )
    edit = moving.above_another(Editor(graph.log), site, reading)
    return site, told, Fix(f"Compute {name} anew for each pass, where {words(reading)} reads it.", edit)


def _share(graph: Graph, earlier: GradientCall, later: GradientCall) -> bool:
    """Whether two calls went through the same op."""
    return not _recorded(graph, earlier.ancestors).isdisjoint(_recorded(graph, later.ancestors))


def _recorded(graph: Graph, tensors: set[int]) -> set[int]:
    """The recorded ops that made tensors."""
    makers = {maker for each in tensors if (maker := graph.producer(each)) is not None}
    return {each for each in makers if isinstance(graph.ops[each], OpRecorded)}


def _first_reader(graph: Graph, call: GradientCall, first: int) -> tuple[int, int] | None:
    """(op, tensor): the first op after an earlier call that read a result made before it."""
    links = [link for link in call.links_to(call.targets[0]) if link.slot is not None and link.position > first]
    old = [link for link in links if _is_result(graph, link.tail, first)]
    return min(((link.position, link.tail) for link in old), default=None)


def _is_result(graph: Graph, tensor: int, before: int) -> bool:
    maker = graph.producer(tensor)
    return maker is not None and maker < before and isinstance(graph.ops[maker], OpRecorded)


def changed_in_place(graph: Graph) -> Iterator[Finding]:
    """A tensor that the backward pass needs, or a leaf, was overwritten."""
    editor = Editor(graph.log)
    for position, call in failed_calls(graph, MessagePart.OVERWRITTEN):
        write = overwriting(graph, call)
        if write is not None:
            at, tensor = write
            site, called = site_at(graph.log, at), graph.log.tensors[tensor].name is not None
            name = name_of(graph, tensor if called else _whole(graph, tensor))
            yield Finding.at(
                graph.log,
                "inplace_modification",
                site,
                f"{name} is changed in place at {words(site)}, but the backward pass at {words(call.site)} needs the "
                "value that it had before.",
                _instead_of_writing(editor, site, graph.log.tensors[tensor].name),
                at,
                position,
                target=tensor,
            )
    for position, _ in errors_saying(graph, MessagePart.LEAF_WRITTEN):
        site = site_at(graph.log, position)
        yield Finding.at(
            graph.log,
            "inplace_modification",
            site,
            f"A leaf that requires a gradient is changed in place at {words(site)}: autograd allows that only under "
            "`torch.no_grad()`.",
            Fix(
                "Work on a copy, `x.clone()`; to update a weight, write under `torch.no_grad()`.",
                writing.of_leaf(Editor(graph.log), site),
            ),
            position,
        )


def _instead_of_writing(editor: Editor, site: Site | None, name: str | None) -> Fix:
    if site is not None and ".step(" in site.text:
        return Fix("Take the step after every backward pass that needs the weights as they were.")
    edit = writing.out_of_place(editor, site, name)
    match line_of(site):
        case [ast.Assign(targets=[ast.Subscript() as part], value=value)]:
            return Fix(_into_a_copy(part, value), edit)
        case [ast.AugAssign(target=ast.Subscript() as part, op=operator, value=value)]:
            return Fix(_into_a_copy(part, value, ast.BinOp(part, operator, value)), edit)
        case [ast.AugAssign() | ast.Expr()] if edit is not None and site is not None:
            return Fix(
                f"Make a new tensor instead: write `{edit.code}` for `{site.text}`, or work on a `clone()`.", edit
            )
    told = "Make a new tensor instead, as by `x = x + y` for `x += y` and `relu(x)` for `relu_(x)`"
    return Fix(f"{told}, or work on a `clone()`.", edit)


def _into_a_copy(part: ast.Subscript, value: ast.expr, whole: ast.expr | None = None) -> str:
    """In place of a write into a part; what reads the same tensor for it must not meet the copy."""
    name, text, place = ast.unparse(part.value), ast.unparse(whole or value), ast.unparse(part)
    if all(ast.unparse(each) != name for each in ast.walk(value) if isinstance(each, (ast.Name, ast.Attribute))):
        return f"Write into a copy: put `{name} = {name}.clone()` before that line, or take `torch.where` of a mask."
    new = text if len(text) <= LONGEST else "..."
    return (
        f"Compute first, then write into a copy: `new = {new}`, `{name} = {name}.clone()`, `{place} = new`. Or "
        "gather the parts in a list, and join them with `torch.stack`."
    )


def overwriting(graph: Graph, call: GradientCall) -> tuple[int, int] | None:
    """(position, tensor) of the last write to something that an op of the call had saved before."""
    needed: dict[int, int] = {}
    for link in call.links_to(call.targets[0]):
        op = graph.ops.get(link.position)
        if isinstance(op, OpRecorded):
            kept = op.saved or _result_kept(graph, op)
            needed.update((tensor, min(link.position, needed.get(tensor, link.position))) for tensor in kept)
    for position in range(call.position or 0, -1, -1):
        event = graph.log.events[position]
        written = None
        if isinstance(event, StateWritten):
            written = event.tensor
        elif position in graph.ops and "in_place" in dict(graph.ops[position].attrs):
            written = graph.ops[position].inputs[0]
        if written is None:
            continue
        elements = _whole(graph, written)
        if any(saved < position and _whole(graph, each) == elements for each, saved in needed.items()):
            return position, written
    return None


def _result_kept(graph: Graph, op: OpRecorded) -> tuple[int, ...]:
    """The result of an op in place whose gradient is computed from it, as that of `relu_`: no recorder sees it kept."""
    row = graph.log.row_of(op) if "in_place" in dict(op.attrs) else None
    return op.outputs if row is not None and any("out" in row.reads(each) for each in row.arguments) else ()


def _whole(graph: Graph, tensor: int) -> int:
    """The first tensor that had the elements of this one: a view shares them, and a write in place keeps them."""
    while (op := graph.op_of(tensor)) is not None:
        if op.op not in VIEWS and "in_place" not in dict(op.attrs):
            break
        tensor = op.inputs[0]
    return tensor


def inference_tensor(graph: Graph) -> Iterator[Finding]:
    """A tensor made in `inference_mode` was to be saved for the backward pass."""
    for position, _ in errors_saying(graph, MessagePart.INFERENCE):
        paused = _entered(graph, position, "inference_mode")
        site, used = site_at(graph.log, paused), words(site_at(graph.log, position))
        yield Finding.at(
            graph.log,
            "recording_disabled",
            site,
            f"What was computed in the `inference_mode` entered at {words(site)} can take no part in a graph, and "
            f"{used} uses it in one.",
            Fix(
                "Use `torch.no_grad()` there, or `clone()` the result after the block.",
                calls.renamed(Editor(graph.log), site, "inference_mode", "no_grad"),
            ),
            paused,
            position,
        )


def _entered(graph: Graph, position: int, name: str) -> int | None:
    """Where a block was entered last that a line of the program's opens by this name, rather than a library's own."""
    before = [at for at in graph.log.of_kind(RecordingPaused) if at < position]
    named = [at for at in before if (site := site_at(graph.log, at)) is not None and name in site.text]
    return max(named or before, default=None)


def differentiable_once(graph: Graph) -> Iterator[Finding]:
    """A gradient that is differentiated again came through a gradient function which is not to be differentiated."""
    for _, call in failed_calls(graph, MessagePart.MARKED_ONCE):
        question = Question(call, call.targets[0])
        for taken, inner, _ in inner_calls(call):
            at = next((each.op for each in steps_of(graph.log, inner) if is_marked_once(question, each.op)), None)
            if at is not None:
                outcome = f"the backward pass at {words(call.site)} fails"
                yield cut_off(question, taken, at, graph.ops[at].inputs[0], outcome)
                break


RULES = (graph_used_twice, changed_in_place, inference_tensor, differentiable_once)
