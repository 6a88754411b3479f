"""Graph -> Findings about boxes of autograd's that were given to plain NumPy, or to Python, in the place of arrays."""

from __future__ import annotations

from collections.abc import Iterator

from tapeviz.diagnosis.error.messages import MessagePart, errors_saying
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.wording.places import words
from tapeviz.graph import Graph
from tapeviz.source.places import site_at

REFUSED = {
    MessagePart.BOX_TO_NUMPY: (
        "a function of plain NumPy's",
        "Use the function of the same name from `autograd.numpy`: `import autograd.numpy as np`.",
    ),
    MessagePart.BOX_TO_NUMBER: (
        "a function of Python's that takes a number",
        "Go on with the array in place of the number; an array of several is made by `np.array` of `autograd.numpy`.",
    ),
    MessagePart.BOX_WRITTEN: (
        "an assignment to a part of an array",
        "Make the whole array at once: `np.where`, `np.concatenate` and `np.array` of `autograd.numpy` are followed.",
    ),
}
"""Part of the message -> what a box was given to, and the fix."""


def refused_boxes(graph: Graph) -> Iterator[Finding]:
    """The function that is differentiated gives a box to what takes an array or a number."""
    for part, (taker, fix) in REFUSED.items():
        for position, _ in errors_saying(graph, part):
            site = site_at(graph.log, position)
            yield Finding.at(
                graph.log,
                "left_to_numpy",
                site,
                f"At {words(site)}, {taker} meets an array that autograd has put into a box, to follow what is "
                "computed of it, and refuses the box.",
                fix,
                position,
            )


RULES = (refused_boxes,)
"""Graph -> what is wrong with the recording as a whole."""
