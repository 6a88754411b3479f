"""Graph, gradient calls -> the words of a `Coverage`: what a diagnosis looked at, and what it could not see."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from tapeviz.diagnosis.error.ended import ending
from tapeviz.diagnosis.finding import Coverage, Finding
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.own_rules import is_in_the_text
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.recording.optimizer_lists import unused
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.opened import compiled, opened
from tapeviz.diagnosis.wording.places import words
from tapeviz.diagnosis.wrong.witnessed import judged
from tapeviz.events import BackwardStarted, EventLog, GradientRead, GradientStored, GradientUnseen, Unwatched, Watched
from tapeviz.events.catalog import CUSTOM
from tapeviz.graph import Graph
from tapeviz.phrases import ANOTHER_THREAD, OUT_OF_SIGHT, UNSEEN, counted, listed, quoted
from tapeviz.source.places import site_at
from tapeviz.source.text import Texts


def coverage_of(
    graph: Graph,
    calls: list[GradientCall],
    failed: list[GradientCall],
    found: list[Finding],
    unmet: list[int],
    unexplained: list[Question],
) -> Coverage:
    """What was looked at in a recording.

    Args:
        graph: of the whole recording.
        calls: its gradient calls that came to their end.
        failed: those that did not.
        found: what was found in them.
        unmet: the leaves that no `backward` met, as `unmet_leaves` gives them.
        unexplained: the sources that got no gradient, and no rule says why.
    """
    return Coverage(
        checked=_checked(calls),
        unchecked="; ".join(_unchecked(graph, calls, failed)),
        unmet=_unmet(graph, calls, found, unmet) if calls else "",
        unseen=_unseen(graph),
        opened=_opened(graph, bool(unmet) or any(each.symptom == "none" for each in found)),
        unexplained=listed(list(dict.fromkeys(map(_without_a_reason, unexplained)))) if unexplained else "",
    )


def unmet_leaves(graph: Graph, calls: Iterable[GradientCall], found: Iterable[Finding]) -> list[int]:
    """Leaves that every `backward` passed by, though they want a gradient, and no finding says why.

    It asks for those alone that it meets. What has no elements, as a parameter that is all with another process, is
    none.
    """
    stored = graph.log.of_kind(GradientStored).values()
    if not stored:
        return []
    last = max(graph.log.of_kind(BackwardStarted))
    wanted: dict[int, None] = {}
    for position, event in graph.log.of_kind(Watched, Unwatched).items():
        if position > last:
            break
        if isinstance(event, Unwatched):
            wanted.pop(event.tensor, None)
        elif graph.is_variable(event.tensor):
            wanted[event.tensor] = None
    met = {source for each in calls for source in each.gradients} | {each.source for each in found}
    met.update(each.tensor for each in stored)  # by a run within the backward, too
    read = graph.log.of_kind(GradientRead).values()
    met.update(each.tensor for each in read if each.gradient is not None)  # a library left it, as one that shards
    return [each for each in wanted if each not in met and 0 not in graph.log.tensors[each].shape]


def _without_a_reason(question: Question) -> str:
    return f"no gradient of {question.target_name} arrives at {question.source_name}"


def _checked(calls: list[GradientCall]) -> str:
    if not calls:
        return ""
    count, sources = counted(len(calls), "gradient call"), counted(sum(len(each.gradients) for each in calls), "source")
    return f"{count} with {sources} for None, zero, NaN and missing terms, and the errors raised"


def _unchecked(graph: Graph, calls: list[GradientCall], failed: list[GradientCall]) -> Iterator[str]:
    gradients = [gradient for each in calls if each.run.rows is None for gradient in each.gradients.values()]
    unkept = [each for each in gradients if each is not None and graph.log.value(each) is None]
    if unkept:
        over = _overwritten(graph, unkept)
        yield f"the numbers of {counted(len(unkept), 'gradient')}, which {over or 'were not kept'}"
    jacobians = sum(each.run.rows is not None for each in calls)
    if jacobians:
        yield f"the numbers of {counted(jacobians, 'Jacobian')}, whose rows are not kept"
    own = _own_gradients(graph, calls)
    if own:
        how, give = _check(graph.log, own[0]), "gives" if len(own) == 1 else "give"
        yield (
            f"whether what {listed(list(map(quoted, own)))} {give} as a gradient is the derivative: `{how}` "
            "holds it against finite differences"
        )
    if failed:
        lines = dict.fromkeys(words(site_at(graph.log, each.run.position)) for each in failed)
        yield f"the gradient taken at {listed(list(lines))}, which did not come to its end"
    yield from _gradients_unseen(graph)
    ended = ending(graph.log)
    if ended and not failed:
        yield f"what was to come after {ended}"


def _check(log: EventLog, name: str) -> str:
    """What holds the gradient of a user's function of this name against finite differences."""
    if "::" in name:
        return log.facts.checks_operator.format(name=name.replace("::", "."))
    return log.facts.checks.format(name=name)


def _own_gradients(graph: Graph, calls: list[GradientCall]) -> list[str]:
    """The functions of the user's whose own gradients were passed, where the log knows only what they gave."""
    texts = Texts(graph.log)
    passed = dict.fromkeys(step.op for each in calls for step in each.run.steps)
    own = {graph.ops[each].op: each for each in passed if CUSTOM in graph.ops[each].attrs}
    ends = [name for name, position in own.items() if is_in_the_text(graph, texts, position)]
    return [name for name in ends if name not in judged(graph)] if ends else []


EARLIER = "of a tape that was opened before the recording"
"""Why a gradient is not in the log, where the log does not say: the engine's, and TensorFlow's."""

_WITH_ADVICE = {
    EARLIER: f", {EARLIER}, so that its ops are not in it: open the tape inside the recording's block",
    ANOTHER_THREAD: (
        f" {ANOTHER_THREAD}, of which a recording sees nothing: record in that one, or take it in the one that is "
        "recorded"
    ),
}


def unseen_gradients(log: EventLog) -> dict[str, list[int]]:
    """Why nothing is known of some gradients -> their positions."""
    apart: dict[str, list[int]] = {}
    for at, unseen in log.of_kind(GradientUnseen).items():
        apart.setdefault(unseen.why or EARLIER, []).append(at)
    return apart


def _gradients_unseen(graph: Graph) -> Iterator[str]:
    for why, positions in unseen_gradients(graph.log).items():
        lines = listed(list(dict.fromkeys(words(site_at(graph.log, at)) for at in positions)))
        yield f"the gradient taken at {lines}" + _WITH_ADVICE.get(why, f", {why}")


def _overwritten(graph: Graph, gradients: list[int]) -> str:
    """The lines that changed gradients in place, "" where none did."""
    sought = set(gradients)
    changed = [(at, op) for at, op in graph.ops.items() if "in_place" in dict(op.attrs)]
    found = [site_at(graph.log, at) for at, op in changed if not sought.isdisjoint(op.inputs)]
    lines = list(dict.fromkeys(map(words, found)))
    return f"{listed(lines)} changed in place before they were looked at" if lines else ""


def _unmet(graph: Graph, calls: list[GradientCall], found: list[Finding], leaves: list[int]) -> str:
    """The names of the leaves that were passed by, and of what an optimizer steps and nothing uses.

    Not those that a library keeps for itself, and so has no name for, and those whose place others have taken: a layer
    that is put in the place of another has the same names.
    """
    told = {each.source for each in found}
    met = {name_of(graph, source) for each in calls for source in each.gradients}
    tensors = graph.log.tensors
    untold = (each for each in (*leaves, *unused(graph)) if each not in told)
    names = dict.fromkeys(name_of(graph, each) for each in untold if tensors[each].name is not None)
    left = [each for each in names if each not in met]
    return listed(left) if left else ""


def _opened(graph: Graph, lacks_some: bool) -> str:
    """Which compiled functions ran eagerly, and what that means for what got no gradient, or else which did not."""
    told, left = opened(graph.log), compiled(graph.log)
    if not told:
        return f"{left}." if left else ""
    if lacks_some and graph.log.facts.gives_zeros_compiled:
        return f"{told}, and what gets None here may get zeros."
    return f"{told}."


_WHY_UNSEEN = {
    UNSEEN: (
        "ran before the recording, or in another thread",
        ": begin `with tv.record():` ahead of the forward pass",
    ),
    OUT_OF_SIGHT: ("ran where no call of them is seen, as in a callback or another thread", ""),
}
"""The scope of ops without a line -> why there is none, and what to do about it."""


def _unseen(graph: Graph) -> str:
    """How many ops ran unseen, and what to do to see them; "" where none did."""
    names = [scope.name for scope in graph.log.scopes]
    counts = Counter(names[op.scope] for op in graph.ops.values() if op.scope is not None)
    told = ((counts[name], *why) for name, why in _WHY_UNSEEN.items() if counts[name])
    return "; ".join(
        f"{counted(count, 'op')} {ran}, and {'its line is' if count == 1 else 'their lines are'} not known{cure}"
        for count, ran, cure in told
    )
