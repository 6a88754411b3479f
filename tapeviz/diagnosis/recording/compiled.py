"""Graph -> Findings about compiled functions: what they keep of their first call, and may do only then."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from numpy import ndarray

from tapeviz.diagnosis.error.messages import MessagePart, errors_saying, last_before
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import finished_calls
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.why import without_gradient
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import CompiledWithout, FunctionReused, GradientStored, GraphTraced, LeafCreated
from tapeviz.graph import Graph
from tapeviz.phrases import listed, quoted
from tapeviz.source.assignments import last_change
from tapeviz.source.places import site_at
from tapeviz.source.text import Texts


def value_built_in(graph: Graph) -> Iterator[Finding]:
    """A Python value that a compiled function reads changed after the function was compiled."""
    log, texts = graph.log, Texts(graph.log)
    told: set[tuple[str, tuple[str, ...]]] = set()
    for position, event in log.of_kind(FunctionReused).items():
        if (event.function, event.changed) in told:
            continue
        told.add((event.function, event.changed))
        called = site_at(log, position)
        changes = [last_change(texts.of(called), name, called) for name in event.changed] if called is not None else []
        site = next((each for each in changes if each is not None), called)
        names = listed([f"`{each}`" for each in event.changed])
        first = event.changed[0]
        yield Finding.at(
            graph.log,
            "tf_function",
            site,
            f"`{event.function}` is compiled at its first call, with the value that {names} had then; {words(site)} "
            f"changes it, and the call at {words(called)} would not see that. This recording runs the function anew at "
            "every call, so its numbers differ from those that TensorFlow gives.",
            f"Make `{first}` a variable, `{first} = tf.Variable(...)` and `{first}.assign(...)`, or an argument of "
            f"`{event.function}` that is a tensor.",
            position,
            symptom="wrong",
            severity="warning",
        )


def variable_made_again(graph: Graph) -> Iterator[Finding]:
    """A compiled function makes a variable at every call."""
    for position, _ in errors_saying(graph, MessagePart.TWO_VARIABLES, MessagePart.LATER_VARIABLE):
        made = last_before(graph, position, LeafCreated, kind="variable")
        site = site_at(graph.log, position if made is None else made)
        yield Finding.at(
            graph.log,
            "tf_function",
            site,
            f"A compiled function makes a variable at {words(site)}, and would make another at its next call: "
            "TensorFlow allows that at the first call only, and refuses.",
            "Make the variable once, outside the function, or in it only if it is not there yet: "
            "`if self.w is None: self.w = tf.Variable(...)`.",
            made,
            position,
        )


def left_out(graph: Graph) -> Iterator[Finding]:
    """A compiled function does without a hook, or without a gradient, that the program has for it."""
    log = graph.log
    for position, event in log.of_kind(CompiledWithout).items():
        site, function, name = site_at(log, position), quoted(event.function), quoted(event.name)
        if event.kind == "gradient":
            told = (
                f"the gradient function of {name}, applied at {words(site)}, is not what runs: its backend has taken "
            )
            told += f"what {name} computes for ops like any others, and their derivatives for its gradient."
            fix = f"Compile {function} with another backend, or leave {name} out: `torch.compiler.disable`."
        else:
            told = f"{name} got a {event.kind} after {function} was compiled, and the call at {words(site)} does not "
            told += "call it."
            fix = f"Register the {event.kind} before the first call of {function}, or compile it anew: "
            fix += "`torch.compiler.reset()`."
        yield Finding.at(
            log,
            "tf_function",
            site,
            f"In the compiled {function}, {told}",
            fix,
            position,
            symptom="wrong",
            severity="warning",
        )


def zeros_for_none(graph: Graph) -> Iterator[Finding]:
    """A compiled function sends zeros to what nothing of the target is computed from: an optimizer steps with them."""
    log = graph.log
    if not log.of_kind(GraphTraced):
        return
    calls = {each.run.number: each for each in finished_calls(graph)}
    listed_by = {tensor for each in graph.optimizers.values() if each.steps for tensor in each.parameters}
    told: set[int] = set()
    for event in log.of_kind(GradientStored).values():
        call, value = calls.get(event.run), log.value(event.gradient)
        is_zero = isinstance(value, ndarray) and not value.any()
        if call is None or not is_zero or event.tensor in told or event.tensor not in listed_by - call.ancestors:
            continue
        told.add(event.tensor)
        found = without_gradient(Question(call, event.tensor, zeros=True))
        if found is not None and found.cause == "unused_source":
            yield replace(found, severity="hint")


RULES = (value_built_in, variable_made_again, left_out, zeros_for_none)
