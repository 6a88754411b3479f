"""Reading, run -> what is said of each step above the graph: in words, and set in lines of a given width."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from tapeviz.replay import ROWS_LOST, Run, Step
from tapeviz.views.drawing.marks import MarkGroup, Rect, Text
from tapeviz.views.reading import Reading
from tapeviz.views.reading.notes import NO_BREAK, plain_note
from tapeviz.views.scene.metrics import text_width
from tapeviz.views.words import numbers
from tapeviz.views.words.rules import rule_line

MARGIN = 20.0
HEADING_SIZE, LINE_SIZE, LEADING = 15.0, 12.0, 18.0
MOST_NAMED = 6
"""How many contributions, or gradients, a caption names."""


class Caption(NamedTuple):
    """What is said of one step: its heading, the text below that, and a lecturer's note."""

    heading: str
    text: str
    note: str = ""

    def lines(self, width: float) -> list[tuple[str, str]]:
        """Text and note, their words in lines that fit into a page of this width, each with its role."""
        return [(line, role) for text, role in ((self.text, "soft"), (self.note, "ink")) for line in _set(text, width)]

    def marks(self, width: float, height: float) -> MarkGroup:
        """The caption at the head of a page, on a ground of this size that covers what lies under it."""
        return MarkGroup("caption", self.heading, (Rect(0, 0, width, height, 0, "paper"), *self._texts(width)))

    def _texts(self, width: float) -> Iterator[Text]:
        y = MARGIN + HEADING_SIZE - 4
        yield Text(MARGIN, y, self.heading, "ink", HEADING_SIZE, bold=True, centred=False)
        for number, (line, role) in enumerate(self.lines(width), 1):
            yield Text(MARGIN, y + LEADING * number, line, role, LINE_SIZE, centred=False)


def _set(text: str, width: float) -> list[str]:
    """The words of a text in lines that fit into a page of this width; a formula is broken if it is longer than one."""

    def fits(words: str) -> bool:
        return text_width(words.replace(NO_BREAK, " "), LINE_SIZE) <= width - 2 * MARGIN

    lines: list[str] = []
    for whole in filter(None, text.split(" ")):
        for word in [whole] if fits(whole) else whole.split(NO_BREAK):
            longer = f"{lines[-1]} {word}" if lines else word
            if lines and fits(longer):
                lines[-1] = longer
            else:
                lines.append(word)
    return [line.replace(NO_BREAK, " ") for line in lines]


def height_of(captions: Sequence[Caption], width: float) -> float:
    """The height at the head of a page that is enough for each of these captions."""
    return MARGIN + LEADING * max(len(each.lines(width)) for each in captions) + LEADING


def captions_of(
    reading: Reading, run: Run, notes: Mapping[int, str] | None = None, title: str | None = None
) -> list[Caption]:
    """A caption for the start of a run, for each of its steps, and for its gradients; with a lecturer's title."""
    begins = f"The backward pass starts at {reading.names.targets(run.targets)}"
    seeds = _seeds(reading, run)
    start = Caption(title, f"{begins}. {seeds}") if title else Caption(begins, seeds)
    steps = [
        Caption(f"Step {number} of {len(run.steps)}: {reading.graph.ops[step.op].op}", _step(reading, step))
        for number, step in enumerate(run.steps, 1)
    ]
    known = {step: plain_note(note) for step, note in (notes or {}).items()}
    told = [each._replace(note=known.get(step, "")) for step, each in enumerate([start, *steps])]
    return [*told, Caption("The gradients", _gradients(reading, run))]


def _seeds(reading: Reading, run: Run) -> str:
    if run.rows is not None:
        at_one = reading.log.facts.rows_begin_at_one
        begin = "at an element of the target, with a seed of 1.0 there" if at_one else "with a seed of its own"
        return f"Each row begins {begin}; {ROWS_LOST}."
    texts = [_number(reading, seed) if seed is not None else "1.0" for seed in run.seeds]
    return f"The gradient of the target by itself is the seed: {', '.join(texts)}."


def _step(reading: Reading, step: Step) -> str:
    """`g = 1.0 arrives. To x goes g x = 9.0, the sum is 27.0.`"""
    op = reading.graph.ops[step.op]
    arrived = ", ".join(_number(reading, each) for each in step.upstream if each is not None)
    parts = [f"g = {arrived} arrives."]
    for each in step.contributions[:MOST_NAMED]:
        sums = f", the sum is {_number(reading, each.total)}" if each.parts > 1 else ""
        rule = rule_line(reading.names, op, each.slot)
        value = _number(reading, each.cotangent)
        goes = value if rule is None else f"{rule} = {value}"
        parts.append(f"To {reading.names.tensor(each.tensor)} goes {goes}{sums}.")
    more = len(step.contributions) - MOST_NAMED
    return " ".join([*parts, *([f"And {more} more."] if more > 0 else [])])


def _gradients(reading: Reading, run: Run) -> str:
    """`x: 27.0, w: None.`"""
    pairs = list(zip(run.sources, run.gradients or (), strict=False))
    texts = [
        f"{reading.names.tensor(source)}: {'None' if gradient is None else _number(reading, gradient)}"
        for source, gradient in pairs[:MOST_NAMED]
    ]
    more = len(pairs) - MOST_NAMED
    return ", ".join([*texts, *([f"and {more} more"] if more > 0 else [])]) + "."


def _number(reading: Reading, cotangent: int) -> str:
    return numbers.written(numbers.short_text(reading.log.value(cotangent)))
