"""Question -> Finding: a leaf was made of the numbers of a tensor by a call that no recorder sees.

A class is no function: PyTorch asks no mode about `torch.Tensor(h.data)`. What it was given is in the text, and the
numbers are the same.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.origins import value_given
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.events import Site
from tapeviz.events.summary import elements_of
from tapeviz.phrases import listed
from tapeviz.source.edits import Edit
from tapeviz.source.places import site_at

_THE_SAME = ("data", "detach", "clone", "cpu", "contiguous", "numpy", "tolist", "item")
"""What an expression may take of a tensor, and still give its numbers."""


class _CopiedLeaf(NamedTuple):
    """A leaf, the call that made it, and the tensors whose numbers that was given, in order."""

    leaf: int
    site: Site
    parents: list[int]


def made_of_numbers(question: Question) -> Finding | None:
    """The target is computed from a leaf that was made of the numbers of the source, or of what was computed of it."""
    graph, source = question.graph, question.source
    for copy in question.call.once("made of numbers", lambda: list(_all_made(question.call))):
        if source == copy.leaf or any(source == each or graph.leads_to(source, each) for each in copy.parents):
            return _finding(question, copy)
    return None


def _finding(question: Question, copy: _CopiedLeaf) -> Finding:
    parents = listed(list(map(question.name, copy.parents)))
    them = "it" if len(copy.parents) == 1 else "them"
    ends = f"no gradient of {question.target_name} goes on to what {them} came from"
    return question.finding(
        "rebuilt_as_leaf",
        copy.site,
        f"{question.introduced(copy.leaf)}, is a new {question.say('tensor')} that holds the "
        f"numbers of {parents} and is not connected to {them}: "
        f"{ends if question.source == copy.leaf else question.outcome}.",
        Fix(f"Use {parents} in its place.", _the_tensor_itself(question, copy.site)),
        evidence=[question.made_at(copy.leaf)],
    )


def _the_tensor_itself(question: Question, site: Site) -> Edit | None:
    """The tensor in the place of the call, where that was given the numbers of one."""
    match question.editor.node(site):
        case ast.Call(args=[ast.Name() | ast.Attribute() | ast.Call() as given, *_]) as call:
            (name,) = _names(given)
            return question.editor.replace(site, call, name)
    return None


def _all_made(call: GradientCall) -> Iterator[_CopiedLeaf]:
    """The leaves that the targets are computed from, if their numbers are those of tensors that the tape follows."""
    graph, named = call.graph, dict[str, list[int]]()
    for row in call.log.tensors:
        if row.name is not None and row.id in call.followed:
            named.setdefault(row.name, []).append(row.id)
    for leaf in call.ancestors if named else ():
        if graph.producer(leaf) is not None or graph.links_into(leaf):
            continue
        site, node = _maker(call, leaf)
        names = [] if site is None or node is None or not node.args else list(_names(node.args[0]))
        parents = [tensor for each in names if (tensor := _latest(call, named.get(each, ()), leaf)) is not None]
        if site is not None and parents and len(parents) == len(names) and _are_alike(call, leaf, parents):
            yield _CopiedLeaf(leaf, site, list(dict.fromkeys(parents)))


def _maker(call: GradientCall, leaf: int) -> tuple[Site | None, ast.Call | None]:
    """The call that made a leaf: where the recorder saw it, else what the text gives the leaf's name to, and once."""
    made = site_at(call.log, call.graph.made_at(leaf))
    if made is not None:
        return made, call.texts.of(made).call_at(made)
    match value_given(call, leaf):
        case (site, ast.Call() as node):
            return site, node
    return None, None


def _names(argument: ast.expr) -> Iterator[str]:
    """The tensors whose numbers an expression is, as it names them; "" for what may have others."""
    match argument:
        case ast.Name(id=name):
            yield name
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            for part in parts:
                yield from _names(part)
        case ast.Attribute(value=inner, attr=taken) if taken in _THE_SAME:
            yield from _names(inner)
        case ast.Call(func=ast.Attribute(value=inner, attr=taken), args=[]) if taken in _THE_SAME:
            yield from _names(inner)
        case ast.Attribute():
            yield ast.unparse(argument)
        case _:
            yield ""


def _latest(call: GradientCall, tensors: list[int] | tuple[()], leaf: int) -> int | None:
    """The last tensor of a name that was there when a leaf was first read."""
    read = next((at for at, _ in call.graph.consumers(leaf)), None)
    before = [each for each in tensors if each != leaf and read is not None and (call.graph.made_at(each) or 0) < read]
    return max(before, key=lambda each: call.graph.made_at(each) or 0, default=None)


def _are_alike(call: GradientCall, leaf: int, parents: list[int]) -> bool:
    """Whether a leaf has just the numbers of others, and not such as many tensors have."""
    own, *others = (elements_of(call.log.value(each)) for each in (leaf, *parents))
    known = [each.reshape(-1) for each in others if each is not None]
    if own is None or len(known) < len(others):
        return False
    given = np.concatenate(known)
    are_numbers = own.dtype.kind in "fc" and bool(np.any((own != 0) & (own != 1)))
    return are_numbers and own.size == given.size and np.allclose(own.reshape(-1), given, equal_nan=True)
