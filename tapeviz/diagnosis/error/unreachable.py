"""Graph -> Findings about gradient calls that raised because no gradient could reach what they asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tapeviz.diagnosis.dialects import dialect_of
from tapeviz.diagnosis.error.messages import MessagePart
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall, failed_calls
from tapeviz.diagnosis.none.higher_order import inner_calls
from tapeviz.diagnosis.none.unused import is_displaced
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.why import without_gradient
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.places import words
from tapeviz.graph import Graph, is_real
from tapeviz.phrases import counted, listed, unquoted


def unreachable(graph: Graph) -> Iterator[Finding]:
    """Why nothing led to the sources of a call that raised."""
    for _, call in failed_calls(graph, MessagePart.NOT_REQUIRED, MessagePart.NOT_USED):
        parameters = [each for each in call.sources if each not in call.reached]
        parameters = parameters or [each for each in call.sources if each in call.watches] or _wanted(call)
        # What was cut off comes before what may be frozen on purpose.
        parameters.sort(key=lambda each: each not in call.followed)
        for source in parameters[:1]:
            finding = without_gradient(Question(call, source))
            if finding is not None:
                told = _all_frozen(call, finding, parameters) or finding
                yield replace(told, symptom="error", severity="error")


def _all_frozen(call: GradientCall, finding: Finding, parameters: list[int]) -> Finding | None:
    """The finding for several parameters at once, where not one of those that took part is followed."""
    if finding.cause != "not_trainable" or len(parameters) < 2 or not call.followed.isdisjoint(parameters):
        return None
    graph, say, target = call.graph, dialect_of(call.log).say, name_of(call.graph, call.targets[0])
    since = "from before the recording" if finding.site is None else f"since {words(finding.site)}"
    message = (
        f"All {counted(len(parameters), 'parameter')} that {target} was computed from are frozen "
        f"({listed([name_of(graph, each) for each in parameters])}), the first of them {since}: {say('the tape')} "
        "follows nothing, and there is no gradient to compute."
    )
    fix = f"Set `{say('trainable')} = True` on those that are to learn, before {target} is computed."
    given = [name_of(graph, each) for each in _data_that_took_part(call)]
    if given:
        these = f"is one of {listed(given)}" if len(given) > 1 else f"is {given[0]}"
        fix += f" If what is to change {these}, write `{unquoted(given[-1])}.requires_grad_()` where it is made."
    return replace(finding, message=message, fix=fix)


def _wanted(call: GradientCall) -> list[int]:
    """What a call that names no sources can have been made for: a variable that took part, else any other leaf.

    What an optimizer is to change comes before all others, and last what would have taken part, had not something else
    got its name.
    """
    tensors = call.log.tensors
    took_part = _real_leaves(call)
    variables = [each for each in took_part if call.graph.is_variable(each) or each in call.watches]
    variables = [each for each in took_part if each in call.graph.listed] or variables
    variables = variables or [each for each in _behind_gradients(call) if call.graph.is_variable(each)]
    inner = {each for _, started, _ in inner_calls(call) for each in started.sources}
    # a gradient by the inner ones was had; those that the tape was asked to watch are what is wanted
    variables.sort(key=lambda each: (each in inner, each not in call.watches))
    constants = [each for each in took_part if tensors[each].role == "constant"]
    followed = sorted(call.followed & (call.graph.leaves.keys() | call.watches.keys()))
    trained = [each for each in followed if each in call.graph.listed and is_displaced(Question(call, each))]
    return variables or trained or constants or [each for each in followed if is_displaced(Question(call, each))]


def _real_leaves(call: GradientCall) -> list[int]:
    """The leaves of real numbers that took part in the target, and results that were made leaves of."""
    leaves, tensors = call.graph.leaves.keys() | call.watches.keys(), call.log.tensors
    return [each for each in sorted(call.ancestors & leaves) if is_real(tensors[each].dtype)]


def _data_that_took_part(call: GradientCall) -> list[int]:
    """What took part in the target, has a name and was made of no parameter, as an image is that is to be changed."""
    graph, tensors = call.graph, call.log.tensors
    named = [each for each in sorted(call.ancestors) if tensors[each].name and is_real(tensors[each].dtype)]
    learnt = graph.descendants(each for each in call.ancestors & graph.leaves.keys() if graph.is_variable(each))
    return [each for each in named if each not in learnt and not graph.is_variable(each)]


def _behind_gradients(call: GradientCall) -> list[int]:
    """The leaves that took part in the target by way of a gradient."""
    behind: set[int] = set().union(*(call.ancestors_of(inner.targets) for _, inner, _ in inner_calls(call)))
    return sorted(behind & call.graph.leaves.keys())
