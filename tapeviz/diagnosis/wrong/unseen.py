"""GradientCall -> Findings about what was overwritten where autograd does not look: results, and what an op kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.numbers.overwritten import Overwritten, is_by_another, is_read_again, overwritten
from tapeviz.diagnosis.op_kinds import COLLECTIVES, KEEPING_STATISTICS
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.places import origin, words
from tapeviz.diagnosis.wording.smooth import followed_collective
from tapeviz.diagnosis.zero.verdicts import OF_A_WRITE, OF_SHARED_MEMORY
from tapeviz.events import Event, OpRecorded, SavedChanged, Site, StateWritten
from tapeviz.events.raw import IN_PLACE
from tapeviz.graph import Link, Op
from tapeviz.phrases import unquoted
from tapeviz.replay import Step
from tapeviz.source.places import site_at


def changed_unseen(call: GradientCall, sources: Iterable[int]) -> Iterator[Finding]:
    """A result of an op was written over while autograd was off: the gradient passes it as if it had not been."""
    wanted, told = set(sources), set[Site | None]()
    for link in _overwritten_results(call):
        site = site_at(call.log, link.position)
        of_tensor = wanted & call.ancestors_of([link.head])
        if site not in told and of_tensor:
            yield _finding(Question(call, min(of_tensor)), link, site)
        told.add(site)


def changed_since(call: GradientCall, sources: Iterable[int]) -> Iterator[Finding]:
    """What an op kept for its gradient was written over before the gradient was computed from it.

    A gradient that is zero for that is told as a zero.
    """
    if not call.is_made or not call.graph.writes:
        return
    sound = {each for each in sources if call.numbers.badness(call.gradients[each]) is None}
    told = {site_at(call.log, each.position) for each in _overwritten_results(call)}
    for step in call.run.steps:
        found = overwritten(call, step)
        site = None if found is None else site_at(call.log, found.write)
        if found is None or site in told:
            continue
        led = sound & {*found.affected, *call.ancestors_of(found.affected)}
        if led:
            told.add(site)
            about = _since_checkpoint if is_read_again(call, step) else _since
            yield about(Question(call, min(led)), step.op, found, site)


def came_back_changed(call: GradientCall, sources: Iterable[int]) -> Iterator[Finding]:
    """What the program's hooks on saved tensors gave back is not what they were given: the first op of which that is
    so, where it is not known by which write into a leaf."""
    changed = call.log.of_kind(SavedChanged) if call.is_made else {}
    steps = {step.op: step for step in call.run.steps if not _keeps_statistics(call, step)} if changed else {}
    since = [(op, at) for at, each in changed.items() if (op := call.graph.producer(each.tensor)) in steps]
    since = [(op, at) for op, at in since if (call.position or 0) < at < steps[op].position]
    if any(overwritten(call, steps[op]) for op, _ in since):  # told as that, or as the zero that it makes
        return
    if not since or next(changed_since(call, sources), None) is not None:
        return
    op, at = min(since)
    affected = [each.tensor for each in steps[op].contributions]
    led = set(sources) & {*affected, *call.ancestors_of(affected)}
    if led:
        about = _computed_otherwise if changed[at].recomputed else _written_over
        yield about(Question(call, min(led)), op, at)


def _overwritten_results(call: GradientCall) -> Iterator[Link]:
    """The writes over results of ops, unseen by autograd, after which the target was computed from what they wrote.

    What an op gave that autograd did not follow is a leaf, whatever made it: the gradient is that of what it holds.
    """
    graph = call.graph
    for tensor in sorted(call.reached & graph.writes.keys()) if call.position is not None and graph.writes else ():
        maker = graph.op_of(tensor)
        if maker is None or graph.is_variable(tensor) or _keeps(call, maker, tensor):
            continue
        if dict(maker.tapes).get(call.tape) == "recorded":
            yield from (each for each in graph.links_into(tensor) if _is_used_on(call, each))


def _keeps(call: GradientCall, op: Op, tensor: int) -> bool:
    """Whether an op computes its gradient from a result of its own, as `exp` does: of what was written into that.

    What is known of the op goes before what was saved: where a recorder cannot see that, it takes it to be everything.
    """
    if not isinstance(op, OpRecorded) or tensor not in op.saved:
        return False
    row = call.log.row_of(op)
    return row is None or any("out" in row.reads(each) for each in row.arguments)


def _since(question: Question, op: int, found: Overwritten, site: Site | None) -> Finding:
    kept = "its result" if found.tensor in question.graph.ops[op].outputs else question.name(found.tensor)
    wrote = f"{words(site)} wrote other numbers into it"
    is_shared = is_by_another(question.log, found.write)
    if is_shared:
        wrote = f"other numbers were written into its memory, which {words(site)} shares with another library,"
    called, line = question.op_name(question.graph.ops[op]), words(site_at(question.log, op))
    return question.finding(
        "inplace_modification",
        site,
        f"{called} at {line} kept {kept} for its gradient, and {wrote} before the "
        f"gradient was computed, where autograd does not see it: the gradient of {question.source_name} is that of "
        "other numbers than those of the forward pass.",
        OF_SHARED_MEMORY if is_shared else _by_a_collective(question, question.log.events[found.write]) or OF_A_WRITE,
        evidence=[op, found.write],
        severity="warning",
        symptom="wrong",
    )


def _since_checkpoint(question: Question, op: int, found: Overwritten, site: Site | None) -> Finding:
    name, called = question.name(found.tensor), question.op_name(question.graph.ops[op])
    return question.finding(
        "changed_recomputation",
        site,
        f"{called} at {words(site_at(question.log, op))} runs again in the backward pass, in a checkpoint, and reads "
        f"{name}, in which it meets other numbers than the first time, since {words(site)} changed it: the gradient of "
        f"{question.source_name} is not that of {question.target_name} as it was computed.",
        None,
        evidence=[op, found.write],
        severity="warning",
        symptom="wrong",
    )


def _computed_otherwise(question: Question, op: int, at: int) -> Finding:
    site, called = site_at(question.log, op), question.op_name(question.graph.ops[op])
    return question.finding(
        "changed_recomputation",
        site,
        f"{called} at {words(site)} runs again in the backward pass, in a checkpoint, and meets other numbers than the "
        "first time: something that the function of the checkpoint reads, and that is no argument of it, has changed "
        f"in between. The gradient of {question.source_name} is not that of {question.target_name} as it was computed.",
        None,
        evidence=[op, at],
        severity="warning",
        symptom="wrong",
    )


def _keeps_statistics(call: GradientCall, step: Step) -> bool:
    """Whether an op writes into what it keeps by itself: its gradient is not computed from that."""
    return call.graph.ops[step.op].op in KEEPING_STATISTICS


def _written_over(question: Question, op: int, at: int) -> Finding:
    graph, called = question.graph, question.op_name(question.graph.ops[op])
    kept = {*graph.ops[op].inputs, *graph.ops[op].outputs}
    until = question.call.position or len(question.log.events)
    wrote = (each for each, other in graph.ops.items() if op < each < until and IN_PLACE in other.attrs)
    write = next((each for each in wrote if not kept.isdisjoint(graph.ops[each].inputs)), None)
    line, site = words(site_at(question.log, op)), site_at(question.log, op if write is None else write)
    how = "other numbers were written into it" if write is None else f"{words(site)} wrote other numbers into it"
    return question.finding(
        "inplace_modification",
        site,
        f"{called} at {line} keeps a tensor for its gradient, by hooks on saved tensors that hold its memory, and "
        f"{how} before the gradient was computed, which autograd does not see through them: what {called} "
        "passes on is computed from other numbers than those of the forward pass.",
        OF_A_WRITE,
        evidence=[op, write, at],
        severity="warning",
        symptom="wrong",
    )


def _is_used_on(call: GradientCall, link: Link) -> bool:
    """Whether a link is a write before the call, after which the target was computed from what was written over."""
    if not isinstance(call.log.events[link.position], StateWritten):
        return False
    used = call.graph.links_from(link.head, link.position, call.position)
    return any(each.head in call.reached and call.passes(each) for each in used)


def _finding(question: Question, link: Link, site: Site | None) -> Finding:
    name, made = question.name(link.head), origin(question.made_on(link.head))
    is_shared = is_by_another(question.log, link.position)
    where = f"in the memory that {words(site)} shares with another library" if is_shared else f"at {words(site)}"
    return question.finding(
        "inplace_modification",
        site,
        f"{name}, {made}, is changed in place {where}, where autograd does not see it: the gradient of "
        f"{question.target_name} passes {name} as if it still held what that line gave, so the gradient of "
        f"{question.source_name} is not that of what was computed.",
        _let_it_see(question, link),
        evidence=[link.position],
        severity="hint",
        symptom="wrong",
    )


def _by_a_collective(question: Question, write: Event) -> str | None:
    """What to call in the place of a function between processes that wrote into its argument."""
    if not isinstance(write, StateWritten) or write.how not in COLLECTIVES:
        return None
    return followed_collective(question, write.how)


def _let_it_see(question: Question, link: Link) -> str:
    collective = _by_a_collective(question, question.log.events[link.position])
    if collective is not None:
        return collective
    bare = unquoted(question.name(link.head)) if question.is_named(link.head) else "h"
    return (
        "Let autograd see the change: without `no_grad` or `.data`, or out of place, as by `tf.where`. If the gradient "
        f"is to pass as it does, use `{bare} + (new - {bare}).detach()`."
    )
