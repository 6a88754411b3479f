"""Question -> Finding: a gradient function of the user's cuts off a derivative that was to be differentiated.

A call that asked for a graph has one: autograd's own rules are made of ops. What a function of the user's gives may be
anything, as what NumPy computes, or what autograd was off for.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from tapeviz.diagnosis.custom import own_function
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.none.higher_order import inner_calls, keeps_elsewhere, steps_of
from tapeviz.diagnosis.op_kinds import is_packages
from tapeviz.diagnosis.own_rules import gradient_function
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import BackwardStarted, OpRecorded, VjpApplied
from tapeviz.events.catalog import KEEPS_OWN
from tapeviz.graph import Link
from tapeviz.source.gradient_functions import is_once_differentiable
from tapeviz.source.places import site_at


def cut_off_by_own_gradient(question: Question) -> Finding | None:
    """What the gradient function of an op gave is not connected to what it keeps, which was made of the source."""
    within = question.within
    for position, call, _ in inner_calls(within):
        for at, needed in within.once(("cut off", call.run), partial(_cut_off, question, call)):
            kept = next((each for each in needed if within.is_made_of(each, question.source)), None)
            if kept is not None:
                doubt = f" If it does not change with {question.name(kept)}, zero is right."
                return cut_off(question, position, at, kept, question.outcome, doubt)
    return None


def _cut_off(question: Question, call: BackwardStarted) -> list[tuple[int, tuple[int, ...]]]:
    """(op, what its derivative needs) for the user's ops whose gradient functions gave constants in a call."""
    found: list[tuple[int, tuple[int, ...]]] = []
    for step in steps_of(question.log, call) if call.create_graph else ():
        op = question.graph.ops[step.op]
        if isinstance(op, OpRecorded) and question.log.is_users(op):
            needed = op.inputs if is_marked_once(question, step.op) or keeps_elsewhere(op) else op.saved
            if connected(question.call, step).isdisjoint(needed):
                found.append((step.op, needed))
    return found


def connected(call: GradientCall, step: VjpApplied) -> set[int]:
    """What autograd goes back to from what a rule gave, other than by the upstream gradient that the rule was given."""

    def follow(link: Link) -> bool:
        return link.slot is not None and link.head not in step.upstream and call.passes(link)

    links = call.graph.back((each for each in step.cotangents if each is not None), follow)
    return {link.tail for link in links}


def is_marked_once(question: Question, at: int) -> bool:
    """Whether the user's gradient function of an op is `once_differentiable`, by its text."""
    site = site_at(question.log, at)
    return site is not None and is_once_differentiable(question.call.texts.of(site), question.graph.ops[at].op)


def cut_off(
    question: Question, position: int, at: int, kept: int, outcome: str, doubt: str = "", **kind: Any
) -> Finding:
    """What the gradient function of the op at `at` gave in the call at `position` is a constant, made of `kept`."""
    op, taken = question.graph.ops[at], words(site_at(question.log, position))
    name, kept_name, is_marked = own_function(question, op), question.name(kept), is_marked_once(question, at)
    keeps = "keeps" if isinstance(op, OpRecorded) and kept in op.saved else "reads"
    why = "it is `once_differentiable`" if is_marked else f"it is not connected to {kept_name}, which {name} {keeps}"
    first = "Leave out `once_differentiable`, and compute" if is_marked else "Compute"
    if KEEPS_OWN in op.attrs and keeps == "reads" and len(op.outputs) == 1:
        first = f"Keep {kept_name} itself, not what is made of it, and compute"
    instead = "by tensor ops alone, without `detach`, NumPy or a gradient call that has no `create_graph=True`"
    fix, site = f"{first} the gradient {instead}.", gradient_function(question.graph, question.call.texts, at)
    if is_packages(op):
        fix, site = "Look for an option of the package for higher derivatives.", site_at(question.log, at)
    return question.finding(
        "custom_gradient_bug",
        site,
        f"The gradient taken at {taken} is to be differentiated again, but what the gradient function of {name} "
        f"gives to it is a constant for {question.say('the tape')}, as {why}: {outcome}.",
        f"{fix}{doubt}",
        evidence=[at, position],
        **kind,
    )
