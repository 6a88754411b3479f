"""EventLog -> Findings: everything that is wrong in a recording."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from tapeviz.diagnosis.coverage import coverage_of, unmet_leaves
from tapeviz.diagnosis.depth import out_of_range
from tapeviz.diagnosis.error import refused
from tapeviz.diagnosis.error.unreachable import unreachable
from tapeviz.diagnosis.finding import SEVERITIES, SYMPTOMS, Finding, Findings
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.nan.by_xla import nan_by_xla
from tapeviz.diagnosis.nan.not_finite import target_not_finite
from tapeviz.diagnosis.none.paused import is_off_by_library
from tapeviz.diagnosis.none.unused import is_displaced
from tapeviz.diagnosis.paths.views import is_copied
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.ranks.across import across
from tapeviz.diagnosis.recorded_calls import bad_gradients, bad_numbers, ended_early, first_times, gradient_calls
from tapeviz.diagnosis.recording import (
    alternating,
    between_steps,
    cached_copies,
    compiled,
    doubled,
    grad_attribute,
    loop_names,
    mapped,
    optimizer_lists,
    plain_fields,
    read_too_early,
    source_lists,
)
from tapeviz.diagnosis.recording.closures import late_binding
from tapeviz.diagnosis.updates import (
    ascent,
    averages,
    clip_order,
    clipping,
    decay,
    lost,
    micro_batches,
    moments,
    scaled,
    twice,
)
from tapeviz.diagnosis.why import without_gradient
from tapeviz.diagnosis.wording.naming import names_of
from tapeviz.diagnosis.wrong.clipped import clipped_away
from tapeviz.diagnosis.wrong.partial import ACCIDENTS, held_back
from tapeviz.diagnosis.wrong.silent import wrong
from tapeviz.diagnosis.wrong.witnessed import witnessed
from tapeviz.diagnosis.zero.all_zero import zero_here
from tapeviz.diagnosis.zero.cancel import nearly_cancelled
from tapeviz.diagnosis.zero.out_of_range import indexed_outside
from tapeviz.events import (
    EventLog,
    GradientStored,
    OptimizerCreated,
    StateWritten,
    log_of,
)
from tapeviz.events.collector_paused import collector_paused
from tapeviz.events.store.ranks import Ranks
from tapeviz.graph import Graph
from tapeviz.replay import Run, runs
from tapeviz.source.roundtrips import whole_graph

RULES = (
    *refused.RULES,
    *read_too_early.RULES,
    *grad_attribute.RULES,
    *doubled.RULES,
    *alternating.RULES,
    *between_steps.RULES,
    *cached_copies.RULES,
    *compiled.RULES,
    *loop_names.RULES,
    *source_lists.RULES,
    *optimizer_lists.RULES,
    *plain_fields.RULES,
    *clipping.RULES,
    *clip_order.RULES,
    *scaled.RULES,
    *micro_batches.RULES,
    *lost.RULES,
    *twice.RULES,
    *moments.RULES,
    *averages.RULES,
    *decay.RULES,
    *ascent.RULES,
    *mapped.RULES,
    late_binding,
    witnessed,
)
"""Graph -> what is wrong with the recording as a whole."""

OF_VALUES = frozenset({"nan_in_forward", "nan_in_input"})
"""Causes that are faults whoever differentiates."""

NUMBERS = (out_of_range, nearly_cancelled, indexed_outside, clipped_away, nan_by_xla)
"""Gradient call, sources that got a gradient -> what is wrong with its numbers though none is zero, infinite or NaN."""

KNOWN = "findings"
"""By which name a log has its findings."""


@collector_paused
def diagnose(log_or_tape: Any) -> Findings:
    """Every problem of a recording, worst first.

    Args:
        log_or_tape: a log, anything with `.log`, or the logs of several ranks.

    Returns:
        A sequence of `Finding`s, each with its cause, the user's line and the fix; false where there is none. As text,
        and in a notebook, they are explained; `patch()` has all fixes that are edits, and `to_dict()` is for `json`.

    Raises:
        TypeError: `log_or_tape` neither is a log nor has one.

    >>> import tapeviz as tv
    >>> x = tv.constant(3.0)
    >>> with tv.GradientTape() as tape:
    ...     y = x * x
    >>> tape.gradient(y, x)
    >>> [finding.cause for finding in diagnose(tape)]
    ['not_watched']
    """
    if isinstance(log_or_tape, Ranks):
        return across(log_or_tape, _of_log)
    return _of_log(log_of(log_or_tape))


def _of_log(log: EventLog) -> Findings:
    return log.once(KNOWN, lambda: _found(whole_graph(log), runs(log)))


def findings_of(graph: Graph, sweeps: Sequence[Run]) -> Findings:
    """The same, for a log whose whole graph and runs someone has already; it is found out once of a log as it is."""
    return graph.log.once(KNOWN, lambda: _found(graph, sweeps))


def _found(graph: Graph, sweeps: Sequence[Run]) -> Findings:
    calls, failed = list(gradient_calls(graph, sweeps)), ended_early(graph, sweeps)
    found = [finding for rule in RULES for finding in rule(graph)]
    for each in first_times(calls):
        found += _about_the_call(each)
    for each in first_times(each for each in calls if each.is_lost):
        found += target_not_finite(each, each.arrived)
    about_sources = list(_about_each_source([*calls, *failed]))
    found += (each for each in about_sources if isinstance(each, Finding))
    unexplained = [each for each in about_sources if isinstance(each, Question)]
    found += unreachable(graph)
    unmet = unmet_leaves(graph, calls, found)
    found += _lost_on_the_way(calls, unmet)
    found = _without_consequences(graph, found)
    found.sort(key=lambda each: (SEVERITIES.index(each.severity), SYMPTOMS.index(each.symptom), each.evidence[-1:]))
    return Findings(found, names_of(graph, found), coverage_of(graph, calls, failed, found, unmet, unexplained))


def _about_the_call(call: GradientCall) -> Iterator[Finding]:
    """What can be wrong although every source got a gradient with sound numbers."""
    yield from wrong(call, call.arrived)
    yield from (finding for rule in NUMBERS for finding in rule(call, call.arrived))


def _about_each_source(calls: Iterable[GradientCall]) -> Iterator[Finding | Question]:
    """Why a gradient is amiss, for every line and source, once for each reason; the question, of a None without one."""
    told: set[Hashable] = set()
    for call, source, symptom in bad_gradients(calls):
        if symptom == "none":
            finding = without_gradient(question := Question(call, source))
            if finding is None:
                yield question
        elif call.is_moot(symptom):
            continue
        else:
            finding = bad_numbers(call, source) or (zero_here(call, source) if symptom == "zero" else None)
            if symptom == "zero" and (finding is None or finding.cause == "zero_factor"):
                finding = held_back(call, source) or finding
        reason = None if finding is None else (call.key(source), finding.cause, finding.site, symptom, finding.because)
        if finding is not None and reason not in told:
            told.add(reason)
            is_programs = not call.is_recorders or finding.cause in OF_VALUES
            yield finding if is_programs else replace(finding, severity="hint")


def _without_consequences(graph: Graph, found: list[Finding]) -> list[Finding]:
    """The findings but for those that only come of another one.

    A variable is not finite since it was given a gradient that is not; the step of an optimizer changes nothing where
    its parameters got no gradient; a layer gets none since another one, which learns, took its place and its numbers.
    What is written into an optimizer's parameters, and made of others than these, is how they start.
    """
    learning = {each.tensor for each in graph.log.of_kind(GradientStored).values()}
    unlearned = {each.source for each in found if each.symptom == "none" and each.severity == "error"}
    not_finite_since: dict[int | None, int] = {}  # a source, and where it was first given what is not finite
    for each in found:
        if each.symptom == "nan":
            at = max(each.evidence, default=0)
            not_finite_since[each.source] = min(at, not_finite_since.get(each.source, at))

    def follows(finding: Finding) -> bool:
        events = {at: graph.log.events[at] for at in finding.evidence}
        if finding.cause == "untracked_parameter":
            made = (event for event in events.values() if isinstance(event, OptimizerCreated))
            return any(not unlearned.isdisjoint(event.parameters) for event in made)
        if finding.cause == "through_state" and finding.severity != "error":
            into = [each for each in events.values() if isinstance(each, StateWritten) and each.tensor in learning]
            starts = finding.source not in graph.listed and any(each.tensor in graph.listed for each in into)
            return starts or any(each.value is not None and is_copied(graph, each.value) for each in into)
        updates = ((at, each.tensor) for at, each in events.items() if isinstance(each, StateWritten))
        return finding.cause == "nan_in_input" and any(not_finite_since.get(tensor, at) < at for at, tensor in updates)

    return [each for each in found if not follows(each)]


def _lost_on_the_way(calls: list[GradientCall], unmet: list[int]) -> Iterator[Finding]:
    """Why a `backward` passed a leaf by that takes part in its target, where nobody asks for such a thing.

    What is read out as numbers may well be meant as the start of something else, and so may what a library computes
    with autograd off. So may something of which only the name took part, since something else was given it.
    """
    for source in unmet if calls else ():
        last = next((each for each in reversed(calls) if source in each.ancestors and each.trail.reaches(source)), None)
        question = Question(last or calls[-1], source)
        finding = without_gradient(question) if last is not None or is_displaced(question) else None
        if finding is None:
            continue
        if finding.cause in ACCIDENTS:
            yield replace(finding, severity="hint" if finding.cause == "left_to_numpy" else "warning")
        elif last is None or (
            finding.cause == "recording_disabled" and is_off_by_library(last.log, finding.site, finding.evidence[0])
        ):
            yield replace(finding, severity="hint")
