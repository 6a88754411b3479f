"""Graph -> Findings about moments that an optimizer has kept of weights which the program has since made anew."""

from __future__ import annotations

from collections.abc import Iterator

from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.op_kinds import FILLS
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import ParameterUpdated, StateWritten
from tapeviz.graph import Graph
from tapeviz.phrases import holds_of
from tapeviz.source.places import site_at

_UNSEEN = "assign"
"""How a variable is written whose new number no op of the log has given: it is drawn, or read from somewhere."""


def of_old_weights(graph: Graph) -> Iterator[Finding]:
    """A parameter is drawn anew between two steps of an optimizer, the later of which uses what it has kept."""
    seen: dict[int, int] = {}  # a parameter, and the optimizer that has changed it
    anew: dict[int, int] = {}  # one that was drawn anew after that, and where
    found: dict[int, list[tuple[int, int, int]]] = {}
    for position, event in enumerate(graph.log.events):
        match event:
            case StateWritten(tensor=tensor) if tensor in seen and _is_fresh(graph, event):
                anew[tensor] = position
            case ParameterUpdated(tensor=tensor, optimizer=optimizer):
                if tensor in anew and seen[tensor] == optimizer and _moments(event):
                    found.setdefault(optimizer, []).append((tensor, anew[tensor], position))
                anew.pop(tensor, None)
                seen[tensor] = optimizer
    for uses in found.values():
        yield _old(graph, uses)


def _is_fresh(graph: Graph, event: StateWritten) -> bool:
    """Whether a write leaves nothing of what the whole tensor held, of which a view may be a part."""
    if event.value is None:
        return event.how.rstrip("_") in FILLS or event.how == _UNSEEN
    op, tensors = graph.op_of(event.value), graph.log.tensors
    return op is not None and op.op in FILLS and tensors[event.value].shape == tensors[event.tensor].shape


def _moments(event: ParameterUpdated) -> list[str]:
    """What an optimizer keeps of earlier gradients, besides the number of steps."""
    kept = zip(event.names, event.state, strict=True)
    return [name for name, tensor in kept if tensor is not None and name != "step"]


def _old(graph: Graph, uses: list[tuple[int, int, int]]) -> Finding:
    tensor, written, step = uses[0]
    site, event = site_at(graph.log, written), graph.log.events[step]
    kept = _moments(event)[0] if isinstance(event, ParameterUpdated) else ""
    write, more = graph.log.events[written], holds_of(len({each for each, _, _ in uses}) - 1)
    return Finding.at(
        graph.log,
        "stale_value",
        site,
        f"{name_of(graph, tensor)} is made anew at {words(site)}, but the step at {words(site_at(graph.log, step))} "
        f"still uses `{kept}`, which is of the gradients of the numbers before.{more}",
        "Make the optimizer anew as well, or delete what it keeps of that parameter: `optimizer.state.pop(w)`.",
        written,
        step,
        symptom="wrong",
        severity="hint" if isinstance(write, StateWritten) and write.how == _UNSEEN else "warning",
        source=tensor,
    )


RULES = (of_old_weights,)
