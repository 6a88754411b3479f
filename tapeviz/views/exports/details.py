"""Reading -> what another viewer shows beside an op or a tensor: pairs of a heading and a text."""

from __future__ import annotations

from collections.abc import Iterator

from tapeviz.events import Site
from tapeviz.replay import ROWS_LOST, Run
from tapeviz.views.reading import Reading
from tapeviz.views.reading.sketch import Box
from tapeviz.views.words import numbers


class Details:
    """The call, the line, the value and the gradients of what is drawn of a log, in words."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._runs = [(reading.names.run(run), run, _gradients_of(run)) for run in reading.runs]

    def of_box(self, box: Box) -> Iterator[tuple[str, str]]:
        """What is known of an op and what it gave, or of a leaf."""
        if box.op is not None:
            yield from self.of_op(box.op)
        elif box.tensor is not None:
            yield from self._of_tensor(box.tensor, box.at)

    def of_op(self, position: int) -> Iterator[tuple[str, str]]:
        """What is known of an op and what it gave; of several outputs, each by its index."""
        op, call = self._reading.graph.ops[position], self._reading.names.whole_subtitle(position)
        yield "call", f"{self._reading.names.function(op)}{call}" if call.startswith("(") else call
        if op.site is not None:
            yield "line", line_of(self._reading.log.sites[op.site])
        for index, tensor in enumerate(op.outputs):
            for heading, text in self._of_tensor(tensor):
                yield (heading if len(op.outputs) == 1 else f"{heading} ({index})"), text

    def _of_tensor(self, tensor: int, at: int | None = None) -> Iterator[tuple[str, str]]:
        yield "value", numbers.short_text(self._reading.log.value(tensor, at))
        for title, run, gradients in self._runs:
            if tensor in gradients:
                yield title, self.gradient(run, gradients[tensor])

    def gradient(self, run: Run, cotangent: int | None) -> str:
        """A gradient in a few words; of a Jacobian, that its rows are not kept."""
        if cotangent is None:
            return "None"
        return numbers.short_text(self._reading.log.value(cotangent)) if run.rows is None else ROWS_LOST


def _gradients_of(run: Run) -> dict[int, int | None]:
    """Each tensor that a run came to -> the cotangent that it got; None for a source that got none."""
    seeded = {target: seed for target, seed in zip(run.targets, run.seeds, strict=True) if seed is not None}
    sent = {each.tensor: each.total for step in run.steps for each in step.contributions}
    return seeded | sent | dict(zip(run.sources, run.gradients or (), strict=False))


def line_of(site: Site) -> str:
    """A place in the source: file, line and text.

    >>> line_of(Site("train.py", 3, 3, 0, 8, "<module>", "y = x * x"))
    'train.py:3  y = x * x'
    """
    return f"{site.filename}:{site.line}  {site.text}"
