"""Graph -> Findings about gradient calls that failed because no gradient could have reached what they asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tapeviz.diagnosis.call import Call, failed_calls
from tapeviz.diagnosis.errors import Said
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.missing import inner_calls
from tapeviz.diagnosis.pair import without_gradient
from tapeviz.diagnosis.question import Question
from tapeviz.graph import Graph, is_real


def unreachable(graph: Graph) -> Iterator[Finding]:
    """Why nothing led to the sources of a call that raised."""
    for _, call in failed_calls(graph, Said.NOT_REQUIRED, Said.NOT_USED):
        asked = [each for each in call.sources if each not in call.reached] or _wanted(call)
        for source in asked[:1]:
            finding = without_gradient(Question(call, source))
            if finding is not None:
                yield replace(finding, symptom="error", severity="error")


def _wanted(call: Call) -> list[int]:
    """What a call that names no sources can have been made for: a variable that took part, else any other leaf."""
    tensors = call.log.tensors
    took_part = [each for each in sorted(call.ancestors & call.graph.leaves.keys()) if is_real(tensors[each].dtype)]
    variables = [each for each in took_part if call.graph.is_variable(each) or each in call.watches]
    variables = variables or [each for each in _behind_gradients(call) if call.graph.is_variable(each)]
    return variables or [each for each in took_part if tensors[each].role == "constant"]


def _behind_gradients(call: Call) -> list[int]:
    """The leaves that took part in the target by way of a gradient."""
    behind: set[int] = set().union(*(call.ancestors_of(inner.targets) for _, inner, _ in inner_calls(call)))
    return sorted(behind & call.graph.leaves.keys())
