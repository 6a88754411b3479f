"""GradientCall -> Findings about gradients by complex numbers that are the conjugates of the way up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.places import words


def conjugate(call: GradientCall, sources: Iterable[int]) -> Iterator[Finding]:
    """A framework gives the conjugate, and the gradient is not real by itself; said of each source that has one."""
    if not call.log.facts.gives_conjugates:
        return
    for source in sources:
        gradient = call.numbers.value(call.gradients[source])
        if gradient is None or not np.iscomplexobj(gradient) or not np.any(gradient.imag):
            continue
        question = Question(call, source)
        name, framework = question.source_name, call.log.facts.framework
        yield question.finding(
            "conjugate_gradient",
            call.site,
            f"{name} is complex, and {framework} gives the conjugate of the direction in which {question.target_name} "
            f"grows: a step against what is taken at {words(call.site)} changes the imaginary part of {name} the wrong "
            "way.",
            severity="hint",
            symptom="wrong",
            evidence=[question.made_at(source)],
            because=framework,
        )
