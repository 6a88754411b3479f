"""Question, cut -> Finding: an op on the path ran while recording was off, as it is for what a dataset computes."""

from __future__ import annotations

import ast

from tapeviz.diagnosis.edits import calls as edits
from tapeviz.diagnosis.edits import moving
from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.op_kinds import is_packages
from tapeviz.diagnosis.paths.trail import Cut
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.places import words
from tapeviz.diagnosis.wording.spelling import computed
from tapeviz.events import EventLog, Site
from tapeviz.source import lines
from tapeviz.source.places import calls, same_line, site_at
from tapeviz.source.statements import callee

_OF_A_LIBRARY = (
    "Call what leaves autograd on. In a reentrant checkpoint it is on if an input requires a gradient: write "
    "`use_reentrant=False`, or let one require it."
)
"""What to do where a library has autograd off, and the line that calls it says nothing of that."""


def switched_off(question: Question, cut: Cut) -> Finding:
    """An op that the target needs ran while recording was switched off."""
    line, paused = cut.site, "the tape was paused (`stop_recording`)"
    fix = Fix(
        "Move that line out of the `stop_recording()` block; keep there only what the target does not need.",
        moving.out_of_block(question.editor, line),
    )
    if question.log.facts.records_always:
        line = site_at(question.log, cut.link.position)
        off, fix = _why_off(question, cut, line)
        paused = "autograd was off" + (off if off or line == cut.site else f", since {words(cut.site)}")
    op = question.graph.ops[cut.link.position]
    ran = (
        f"{question.op_name(op)} ran" if is_packages(op) else f"{computed(question, cut.link.head, line)} was computed"
    )
    return question.finding(
        "recording_disabled",
        cut.site,
        f"{ran} at {words(line)} while {paused}: no gradient of "
        f"{question.target_name} passes there, and {question.outcome}.",
        fix,
        evidence=[cut.link.position],
    )


def in_dataset(question: Question, cut: Cut) -> Finding:
    """An op that the target needs ran for a dataset, in a graph of its own."""
    made = computed(question, cut.link.head, cut.site)
    return question.finding(
        "recording_disabled",
        cut.site,
        f"{made} was computed at {words(cut.site)} for a dataset. Its functions are graphs of their own in TensorFlow, "
        f"and in a `tf.function` so are loops over it: no gradient passes there, and {question.outcome}.",
        "Compute it from what the dataset gives, outside its functions, in a loop of Python's own.",
        evidence=[cut.link.position],
    )


def is_off_by_library(log: EventLog, site: Site | None, position: int) -> bool:
    """Whether an op ran in the call that switched autograd off at `site`, of which that line says nothing."""
    return not lines.switches_off(site) and any(same_line(site, each) for each, _ in calls(log, position))


def is_within_sample(editor: Editor, site: Site | None) -> bool:
    """Whether autograd was off in an expression since it draws from a distribution without asking for a gradient."""
    call = editor.node(site)
    return isinstance(call, ast.Call) and callee(call) == "sample"


def _why_off(question: Question, cut: Cut, line: Site | None) -> tuple[str, Fix]:
    """Why autograd was off, where the line that has it off says so in words of its own; and what to write instead."""
    site, log, editor = cut.site, question.log, question.editor
    text = "" if site is None else site.text
    if is_within_sample(editor, site):
        drawn = "where the distribution has none, weight the loss with the `log_prob` of what was drawn"
        told = f"Draw with `rsample`, which lets the gradient pass; {drawn}."
        return ", as it is within `sample`", Fix(told, edits.renamed(editor, site, "sample", "rsample"))
    if "use_reentrant=True" in text:
        edit = edits.with_option(editor, site, ("checkpoint",), "use_reentrant", "False")
        return ", as it is within a reentrant checkpoint", Fix("Pass `use_reentrant=False`.", edit)
    if text.startswith("@"):
        told = "Take the decorator away, or move what is to learn out of the function."
        return "", Fix(told, moving.undecorated(editor, site))
    if "set_grad_enabled" in text and not text.startswith("with"):  # a call: it holds until the next one
        call = f", since `{text}` at {words(site)}" if len(text) <= lines.LONGEST else f", since {words(site)}"
        told = f"Switch autograd on again before {words(line)}: `torch.set_grad_enabled(True)`."
        return call, Fix(told, edits.before(editor, line, "torch.set_grad_enabled(True)"))
    if is_off_by_library(log, site, cut.link.position):
        return ", as it is within what that line calls", Fix(_OF_A_LIBRARY)
    there = "that line" if same_line(site, line) else words(line)
    return "", Fix(f"Move {there} out of the block in which autograd is off.", moving.out_of_block(editor, line))
