"""Question, cut -> Finding: values were copied into another leaf or variable, without how they were computed."""

from __future__ import annotations

from tapeviz.diagnosis.edits import values
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.op_kinds import COPIES
from tapeviz.diagnosis.paths.trail import STOP, Cut
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording import fixes
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.places import origin, words
from tapeviz.diagnosis.wording.spelling import described
from tapeviz.events import LeafCreated, StateWritten
from tapeviz.events.types import SHARED_MEMORY
from tapeviz.phrases import counted, listed, unquoted
from tapeviz.source import lines


def rebuilt(question: Question, cut: Cut) -> Finding:
    """The values of tensors were copied into a new leaf."""
    if _is_copy(question, cut):
        return _of_the_copy(question, cut)
    if _is_renewed(question, cut):
        return _renewed(question, cut)
    made, head = question.log.events[cut.link.position], question.log.tensors[cut.link.head]
    copied = dict.fromkeys(made.parents) if isinstance(made, LeafCreated) else {}
    names = list(dict.fromkeys(described(question, _followed(question, each)) for each in copied))
    if len(copied) < 2:
        tail = described(question, _followed(question, cut.link.tail))
        if tail == question.name(head.id):  # the line gave its own result the name of what it read
            tail = f"the {tail} {origin(question.made_on(cut.link.tail))}"
        what = f"a copy of {tail}"
        fix = Fix(
            f"Use {tail} itself; join several tensors with `tf.stack` or `tf.concat`.",
            values.itself(question.editor, cut.site),
        )
    else:
        what = f"copies of {listed(names, 3) if len(names) == len(copied) else counted(len(copied), 'tensor')}"
        fix = fixes.joined(question.editor, cut.site, stacked=head.shape[:1] == (len(copied),))
    fix = fixes.nested(question.editor, cut.site) or fix
    say = question.say
    new = say("variable") if question.graph.is_variable(cut.link.head) else say("constant")
    return question.finding(
        "rebuilt_as_leaf",
        cut.site,
        f"{question.introduced(cut.link.head)}, is a new {new} that holds {what} and is not connected "
        f"to {'it' if len(copied) < 2 else 'them'}: {question.outcome}.",
        fix,
        evidence=[cut.link.position],
    )


def _followed(question: Question, tensor: int) -> int:
    """What a tensor was before a `detach` made it fit to be copied."""
    made = question.graph.op_of(tensor)
    return made.inputs[0] if made is not None and made.op == STOP else tensor


def through_state(question: Question, cut: Cut) -> Finding:
    """A value was written into a variable, and read from there."""
    if _is_loaded(question, cut):
        return _of_the_copy(question, cut)
    head, written, how = question.name(cut.link.head), question.log.events[cut.link.position], cut.link.how
    value, it = "a value", "it"
    fix = fixes.in_a_tensor(question.editor, cut.site, how, head)
    if isinstance(written, StateWritten) and written.how != how:  # the link is that of the read-out
        value, it, how = f"what `{lines.reader(cut.site, how)}` read out as plain numbers", "that", written.how
        fix = Fix(f"Keep the value in a tensor instead of writing it into {head}, and do not read it out.")
    who = f"`{how}` at {words(cut.site)}"
    if how == SHARED_MEMORY:
        who = f"Another library, with which {words(cut.site)} shares the memory of {head},"
    return question.finding(
        "through_state",
        cut.site,
        f"{who} writes {value} into {head}, but not how {it} was computed: the gradient "
        f"of {question.target_name} ends there, and {question.outcome}.",
        fix,
        evidence=[cut.link.position],
    )


def _of_the_copy(question: Question, cut: Cut) -> Finding:
    """The target was computed from what a line copied a variable to, as a copied model has it."""
    source, copy, line = question.source_name, question.name(cut.link.head), words(cut.site)
    are_distinct = question.is_named(cut.link.head) and copy != source
    if cut.kind == "state":
        into = copy if are_distinct else f"another of that name, {origin(question.made_on(cut.link.head))}"
        used = f"{into}, into which {line} copied the numbers of {source}"
    else:
        used = f"a copy of {source} that {line} made" + (f", {copy}" if are_distinct else "")
    return question.finding(
        "source_is_other_object",
        cut.site,
        f"{question.target_name} was computed from {used}, and not from {source} itself: no gradient goes back to what "
        f"was copied, and {question.outcome}.",
        f"Compute {question.target_name} with {source} itself, or ask for the gradient of "
        f"{copy if are_distinct else 'the copy'}, which was used.",
        evidence=[cut.link.position],
    )


def _is_renewed(question: Question, cut: Cut) -> bool:
    """Whether a line puts a new variable in the place of the source, under its name."""
    both = (cut.link.head, question.source)
    alike = _is_one_path(*(question.log.tensors[each].name for each in both))
    return alike and all(map(question.graph.is_variable, both)) and lines.kept_attribute(cut.site) is not None


def _is_one_path(*names: str | None) -> bool:
    """Whether two names are one, or one of them is the other with the name of the model before it."""
    short, long = sorted((f".{each or ''}" for each in names), key=len)
    return len(short) > 1 and long.endswith(short)


def _renewed(question: Question, cut: Cut) -> Finding:
    """A variable was replaced by another that was made of its value: who holds the first has it no more."""
    name, value, kept = question.source_name, described(question, cut.link.tail), lines.kept_attribute(cut.site)
    first = origin(question.made_on(question.source))
    given = unquoted(value) if value.startswith("`") else "..."
    return question.finding(
        "source_is_other_object",
        cut.site,
        f"The {question.say('variable')} {name} was replaced at {words(cut.site)} by a new one, made of the numbers of "
        f"{value}. {question.target_name} is computed from that, and the one {first} {question.say('gets None')}.",
        Fix(
            f"Change it in place: {question.say('assign', name=kept or name, value=given)}.",
            values.given_in_place(question, cut.site),
        ),
        evidence=[cut.link.position],
    )


def _is_copy(question: Question, cut: Cut) -> bool:
    """Whether a variable was copied as a whole by what is no maker of leaves, as `copy.deepcopy` is none."""
    head, tail, site = cut.link.head, cut.link.tail, cut.site
    call = None if site is None else question.call.texts.of(site).call_at(site)
    whole = tail == question.source and all(map(question.graph.is_variable, (head, tail)))
    return whole and call is not None and not fixes.makes_leaves(call)


def _is_loaded(question: Question, cut: Cut) -> bool:
    """Whether a line had the numbers of a variable written into another, and not by a write of its own."""
    head, source = cut.link.head, question.source
    alike = question.log.tensors[head].shape == question.log.tensors[source].shape
    is_copy = question.graph.is_variable(source) and alike and _only_passed_on(question, cut)
    return is_copy and not lines.is_written(cut.site, cut.link.how)


def _only_passed_on(question: Question, cut: Cut) -> bool:
    """Whether what is written is the source itself, as it came through ops that change no number."""
    tensor, copying = cut.link.tail, cut.link.how.startswith("copy")
    while tensor != question.source:
        op = question.graph.op_of(tensor)
        if op is None or not (copying or op.op in COPIES):
            return False
        tensor, copying = op.inputs[-1], False
    return True
