"""Question -> Finding: the tape follows the source, but the recording has a gap on the path to the target."""

from __future__ import annotations

from collections.abc import Callable

from tapeviz.diagnosis.custom import captured_by, returned_none
from tapeviz.diagnosis.edits import moving
from tapeviz.diagnosis.edits.picking import interpolated
from tapeviz.diagnosis.error.refused import GIVE_ONE
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.none import copied, paused
from tapeviz.diagnosis.none.constant_derivative import step_of_a_kink
from tapeviz.diagnosis.op_kinds import is_compiled_graph, is_packages
from tapeviz.diagnosis.paths.decisive import decisive
from tapeviz.diagnosis.paths.stops import stops
from tapeviz.diagnosis.paths.trail import STOP, Cut
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording import fixes
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.opened import OPEN_IT
from tapeviz.diagnosis.wording.places import words
from tapeviz.diagnosis.wording.smooth import let_through, smooth
from tapeviz.diagnosis.wording.spelling import computed, described
from tapeviz.events import BackwardStarted, Site
from tapeviz.graph import Op, is_real
from tapeviz.phrases import COMPILED, listed, quoted
from tapeviz.source import lines
from tapeviz.source.places import calls, same_line, site_at

_OF_A_PACKAGE = (
    "If what that line calls is to hold it back, all is well. Otherwise look for an option of the package that lets it "
    "through, or do without the call."
)
"""What to do about a stop in an installed package, which is not the user's to remove."""


def integer_target(question: Question) -> Finding | None:
    """The target itself is of integer or bool type, by a cast."""
    row = question.log.tensors[question.target]
    maker = question.graph.producer(row.id)
    if is_real(row.dtype) or question.call.trail.cuts(question.source):
        return None
    name, site = question.name(row.id), site_at(question.log, maker)
    return question.finding(
        "integer_dtype",
        site,
        f"The target, {question.introduced(row.id)}, is {row.dtype}, and no gradient passes an integer "
        f"{question.say('tensor')}.",
        f"Keep {name} a float.",
        evidence=[maker],
    )


def cut_off(question: Question) -> Finding | None:
    """Some link on the path passes no gradient: the one that matters names the cause."""
    cuts = question.within.trail.cuts(question.source)
    if cuts is None:
        return None
    cut = decisive(question, cuts)
    return _RULES[cut.kind](question, cut)


# ----- one rule per kind of cut -----


def _outside_tape(question: Question, cut: Cut) -> Finding:
    """An op that the target needs ran before the tape was entered or after it was left."""
    opened = question.call.opened
    early = opened is not None and cut.link.position < opened
    when = "before the tape was entered" if early else "after the tape was left"
    kept = _kept(question, cut)
    site = kept or cut.site
    made = computed(question, cut.link.head, site)
    is_of_a_round = early and kept is None and moving.is_in_block(question.editor, site, site_at(question.log, opened))
    if is_of_a_round:
        when = "in an earlier round, on a tape of its own"
    return question.finding(
        "outside_tape",
        site,
        f"{made} was computed at {words(site)}, {when}: that step from {question.source_name} to "
        f"{question.target_name} is not on the tape, and {question.outcome}.",
        _open_once(question)
        if is_of_a_round
        else _move_inside(question, site, made, early)
        if kept is None
        else f"Keep only {question.source_name}, and compute {made} where it is read, inside the tape's `with` block.",
        evidence=[cut.link.position, opened],
    )


def _in_another_thread(question: Question, cut: Cut) -> Finding:
    """What the target needs of the source was computed in a thread of its own."""
    made = computed(question, cut.link.head, cut.site)
    return question.finding(
        "outside_tape",
        cut.site,
        f"{made} was computed at {words(cut.site)}, in another thread, and a tape records the one that it was opened "
        f"in: that step from {question.source_name} to {question.target_name} is not on the tape, and "
        f"{question.outcome}.",
        "Open the tape in the function that runs there, and take the gradient in it, too.",
        evidence=[cut.link.position, question.call.opened],
    )


def _move_inside(question: Question, site: Site | None, result: str, early: bool) -> Fix:
    opened = site_at(question.log, question.call.opened)
    if same_line(site, question.call.site):
        edit = moving.argument_into_block(question.editor, question.call.site, opened)
        return Fix(f"Compute {result} inside the tape's `with` block.", edit)
    again = "; if several steps need the value, compute it anew in each" if early else ""
    edit = moving.into_block(question.editor, site, opened, early=early)
    return Fix(f"Move that line into the tape's `with` block{again}.", edit)


def _open_once(question: Question) -> Fix:
    """What to do where every round of a loop has a tape of its own, and one gradient is to be that of all rounds."""
    asked = [each.site for each in question.log.of_kind(BackwardStarted).values()]
    opened, call = site_at(question.log, question.call.opened), question.call.site
    is_one = sum(number is not None and same_line(question.log.sites[number], call) for number in asked) == 1
    edit = moving.around_its_loop(question.editor, opened, call) if is_one else None
    return Fix("Take the gradient in each round and add the gradients up, or open one tape around all rounds.", edit)


def _kept(question: Question, cut: Cut) -> Site | None:
    """The line that computes what an object keeps, beside its variable or in a function without the gradient call.

    No line of the function that asks for the gradient stands for it there.
    """
    made, asked = question.made_on(question.source), question.call.site
    outward = [site for site, _ in calls(question.log, cut.link.position)]
    beside = [each for each in outward if _is_one_function(each, made)]
    if not beside and not any(_is_one_function(each, asked) for each in outward):
        beside = outward[:1]
    return next((each for each in beside if lines.kept_attribute(each) and not same_line(each, made)), None)


def _is_one_function(one: Site, other: Site | None) -> bool:
    return other is not None and (one.filename, one.function) == (other.filename, other.function)


def _forgotten(question: Question, cut: Cut) -> Finding:
    """An op that the target needs was recorded, but the tape was emptied after it."""
    line = site_at(question.log, cut.link.position)
    made = computed(question, cut.link.head, line)
    return question.finding(
        "outside_tape",
        cut.site,
        f"{made} was computed at {words(line)}, before the tape was emptied at {words(cut.site)}: that step "
        f"from {question.source_name} to {question.target_name} is no longer on it, and {question.outcome}.",
        "Compute it after the tape is emptied, or do without the reset.",
        evidence=[cut.link.position],
    )


def _no_derivative(question: Question, cut: Cut) -> Finding:
    """An op on the path has no derivative; where the user asked for that, it is a stop."""
    op, target = question.graph.ops[cut.link.position], question.target_name
    if op.op == STOP:
        return _stopped(question, cut)
    if is_compiled_graph(op):
        return _in_a_graph(question, cut.link.position)
    if question.call.position is None and _refuses(question, cut):
        return question.finding(
            "nondifferentiable_op",
            cut.site,
            f"TensorFlow has no gradient for {question.op_name(op)}, which ran at {words(cut.site)}: a gradient call "
            "fails there.",
            GIVE_ONE,
            evidence=[cut.link.position],
            symptom="error",
        )
    flat = step_of_a_kink(question, cut.link.position)
    if flat is not None:
        return flat
    return question.finding(
        "nondifferentiable_op",
        cut.site,
        f"{_made_by(question, cut, op)} no derivative: the gradient of {target} ends there, and {question.outcome}.",
        smooth(question, op),
        evidence=[cut.link.position],
    )


def _in_a_graph(question: Question, position: int, *evidence: int) -> Finding:
    """The path ends in a compiled graph, at an op that was not seen."""
    site, op = site_at(question.log, position), question.graph.ops[position]
    return question.finding(
        "nondifferentiable_op",
        site,
        f"The path to {question.source_name} ends inside of the compiled {quoted(op.op.removesuffix(COMPILED))}, "
        f"called at {words(site)}, which was not opened, so that the op is not known: {question.outcome}.",
        OPEN_IT,
        evidence=[position, *evidence],
    )


def _stopped(question: Question, cut: Cut) -> Finding:
    """A stop on purpose; where others hold back what other paths bring, one of them may be in the wrong place."""
    stopper, source = question.dialect.op(lines.stopper(cut.site)), question.source_name
    others = dict.fromkeys(words(each) for each in stops(question) if not same_line(each, cut.site))
    is_librarys = is_packages(question.graph.ops[cut.link.position]) and not lines.stops_here(cut.site)
    fix = Fix(_OF_A_PACKAGE) if is_librarys else let_through(question, cut, stopper)
    if question.part is not None:
        held = f"{question.name(question.part)} back"
    elif others:
        held = f"{question.target_name} back, as others do at {listed(list(others))}, and no path to {source} is left"
        fix = Fix(f"Remove the one of them that is to let it pass to {source}.")
    else:
        held = f"{question.target_name} back, and it is on every path to {source}"
    is_apart = question.part is None and question.is_beside_reached
    if is_apart:
        learns = f"If {source} is not to learn from {question.target_name}, all is well. Otherwise "
        fix = fix.reworded(lambda text: f"{learns}{text[0].lower()}{text[1:]}")
    told = f"holds the gradient of {held}: {question.outcome}."
    if question.part == cut.link.head and not question.is_named(question.part):
        passed = question.name(cut.link.tail)
        told = f"passes {passed} on without its gradient: that of {source} silently lacks what comes by this way."
    return question.finding(
        "stop_gradient",
        cut.site,
        f"`{stopper}` at {words(cut.site)} {told}",
        fix,
        severity="hint" if is_apart else "error",
        evidence=[cut.link.position],
    )


def _refuses(question: Question, cut: Cut) -> bool:
    """Whether a gradient call that comes to the op is an error: where numbers that carry gradients came of it."""
    log = question.log
    row = log.row_of(question.graph.ops[cut.link.position])
    carries = is_real(log.tensors[cut.link.head].dtype)
    return row is not None and row.unregistered and carries and log.facts.raises_without_gradient


def _made_by(question: Question, cut: Cut, op: Op) -> str:
    """That an op has, and what came of it where that has a name."""
    called = question.op_name(op)
    if cut.link.head in op.outputs[1:] and not is_real(question.log.tensors[cut.link.head].dtype):
        return f"The indices that {called} at {words(cut.site)} gives have"
    if question.is_named(cut.link.head):
        return f"{question.name(cut.link.head)} comes from {called} at {words(cut.site)}, which has"
    return f"{called} at {words(cut.site)} has"


def _integer(question: Question, cut: Cut) -> Finding:
    """A tensor on the path was cast to integers."""
    row = question.log.tensors[cut.link.tail]
    name = described(question, row.id)
    kept = name if question.is_named(row.id) else "it"
    uncast = fixes.uncast(question, row.id, cut.site)
    between = None if uncast is not None else interpolated(question, row.id, cut.site)
    return question.finding(
        "integer_dtype",
        cut.site,
        f"{name} is {row.dtype} since {words(cut.site)}, and no gradient passes an integer {question.say('tensor')}: "
        f"{question.outcome}.",
        Fix(
            f"{f'Keep {kept} a float; to' if between is None else 'To'} learn a position, interpolate between "
            "neighbours instead of indexing.",
            uncast or between,
        ),
        evidence=[question.made_at(row.id), cut.link.position],
    )


def _left_to_numpy(question: Question, cut: Cut) -> Finding:
    """A value was read out, and came back as a plain number."""
    read, how = question.graph.op_of(cut.link.tail), lines.reader(cut.site, cut.link.how)
    prepared = read is not None and read.op == STOP and how != cut.link.how  # as in `x.detach().numpy()`
    tail = described(question, read.inputs[0] if read is not None and prepared else cut.link.tail)
    return question.finding(
        "left_to_numpy",
        cut.site,
        f"`{how}` at {words(cut.site)} reads {tail} out as plain numbers, which {question.say('the tape')} cannot "
        f"follow: the gradient of {question.target_name} ends there, and {question.outcome}.",
        fixes.in_tensors(question.editor, cut.site, lines.read_out(cut.site, cut.link.how)),
        evidence=[cut.link.position],
    )


_RULES: dict[str, Callable[[Question, Cut], Finding]] = {
    "outside": _outside_tape,
    "thread": _in_another_thread,
    "forgotten": _forgotten,
    "paused": paused.switched_off,
    "dataset": paused.in_dataset,
    "no_derivative": _no_derivative,
    "integer": _integer,
    "rebuilt": copied.rebuilt,
    "state": copied.through_state,
    "read_out": _left_to_numpy,
}


def none_given(question: Question) -> Finding | None:
    """Nothing cuts the path, but an op of the framework's was asked for the gradient of its input, and has none."""
    found = returned_none(question)
    op = None if found is None else question.graph.ops[found[0].position]
    if found is None or op is None or question.log.is_users(op) or found[0].tail in captured_by(op):
        return None
    link, step = found
    if is_compiled_graph(op):
        return _in_a_graph(question, link.position, step)
    site, framework = site_at(question.log, link.position), question.log.facts.framework
    return question.finding(
        "nondifferentiable_op",
        site,
        f"{framework} has no gradient for {question.op_name(op)}, which ran at {words(site)}: the gradient of "
        f"{question.target_name} ends there, and {question.outcome}.",
        GIVE_ONE,
        evidence=[link.position, step],
    )


RULES = (integer_target, cut_off, none_given)
"""In this order; the first that fits holds. They need a path from the source to the target."""
