"""EventLog -> the one JSON value that the front end shows; its shape is written down in `frontend/types.js`.

It says everything once: `kinds` holds what ops of one kind have in common, a number stands with the tensor it belongs
to. What follows from it (sentences, rules with the numbers of a step in them, the state of a box at a step) the front
end works out itself.

- parts      `scene`, `tensors`, `ops` with their kinds, `runs`, `findings`, `sites`, as the payload's keys are;
             `attention`, the weights of those that keep none
- of ranks   `over_ranks`, what all of several have in common, beside the log of one
- beside     `room`, how much of each tensor is told; `axes`, what those of tensors are called; `columns`, which makes
             the payload small
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tapeviz.events import log_of
from tapeviz.events.collector_paused import collector_paused
from tapeviz.events.store.redacted import redacted
from tapeviz.phrases import encodable
from tapeviz.views.payload.attention import attention_cards
from tapeviz.views.payload.findings import finding_card
from tapeviz.views.payload.ops import Kinds, op_card
from tapeviz.views.payload.over_ranks import OverRanks, over_ranks_cards
from tapeviz.views.payload.runs import run_card
from tapeviz.views.payload.scene import scene_data
from tapeviz.views.payload.sites import NumberedSites
from tapeviz.views.payload.tensors import tensor_cards
from tapeviz.views.reading import read
from tapeviz.views.reading.notes import note_card
from tapeviz.views.reading.shown_run import opening_run


@collector_paused
def payload(
    log_or_tape: Any,
    *,
    values: bool = True,
    sources: bool = True,
    notes: Mapping[int, str] | None = None,
    title: str | None = None,
    over_ranks: OverRanks | None = None,
) -> dict[str, Any]:
    """Everything the debugger shows of a log, as JSON can hold it; equal logs give equal payloads.

    Args:
        log_or_tape: a log, or anything with `.log`.
        values: without them it holds no element of a tensor, and nothing computed from one.
        sources: without them it holds no line of source, and of a file no more than its name.
        notes: a lecturer's words for steps of the backward pass, counted from 0.
        title: a lecturer's; by default what was recorded.
        over_ranks: what to say of other ranks.

    >>> import tapeviz as tv
    >>> x = tv.Variable(3.0, name="x")
    >>> with tv.GradientTape() as tape:
    ...     y = x * x
    >>> _ = tape.gradient(y, x)
    >>> packed = payload(tape)
    >>> [node["title"] for node in packed["scene"]["nodes"]], packed["runs"][0]["gradients"]
    (['x', 'y'], [{'source': 0, 'cotangent': 5, 'update': None, 'small': None}])
    """
    is_whole = values and sources
    reading = read(log_or_tape if is_whole else redacted(log_of(log_or_tape), values=values, sources=sources))
    numbered = NumberedSites(reading)
    kinds = Kinds()
    more = {} if over_ranks is None else over_ranks_cards(reading, over_ranks, numbered, values)
    return {
        "title": encodable(str(title or reading.title)),
        "remark": reading.remark,
        "scene": scene_data(reading, values),
        "tensors": tensor_cards(reading, numbered, values),
        "ops": {str(op): op_card(reading, op, kinds, numbered, values) for op in sorted(reading.sketch.box_of_op)},
        "kinds": kinds.cards(),
        "attentions": attention_cards(reading),
        "run": opening_run(reading.log, reading.runs),
        "runs": [run_card(reading, run, numbered, values) for run in reading.runs],
        "findings": [finding_card(reading, group, numbered) for group in reading.findings.groups()],
        "sites": numbered.cards(),
        "notes": {str(step): note_card(encodable(str(note))) for step, note in (notes or {}).items()},
        **more,
    }
