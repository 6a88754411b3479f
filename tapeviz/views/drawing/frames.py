"""EventLog -> its backward pass in pictures, for slides: one per step, and one for all steps inside a folded group."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

from tapeviz import validation
from tapeviz.events.store import atomic
from tapeviz.replay import Run, State
from tapeviz.views.drawing import canvas
from tapeviz.views.drawing.captions import Caption, captions_of, height_of
from tapeviz.views.drawing.marks import MarkGroup, Picture, Text
from tapeviz.views.drawing.picture import picture
from tapeviz.views.drawing.states import group_tracks, painted, states_at, with_gradients
from tapeviz.views.drawing.svg import svg
from tapeviz.views.layout import DOWN, Flow
from tapeviz.views.reading import Reading, read
from tapeviz.views.reading.gradients import GrowingGradients
from tapeviz.views.reading.notes import checked
from tapeviz.views.reading.shown_run import chosen_run
from tapeviz.views.scene import Scene, scene

FORMATS = ("svg", "png", "pdf")
LEAST_WIDTH = 640.0
SLIDE, SLIDE_WIDTH = 16 / 9, 960.0
"""The shape of a slide, and the least width of a page of that shape."""
WORTH_IT = 1.3
"""How much larger rows must show a graph."""
WIDEST = 1.5 * SLIDE_WIDTH
"""A graph that is wider shows a part of it, running down."""
TALLEST = 3 / 4
"""A page that is higher than this share of its width shows only a part of the graph."""
LEAST_ROOM = 360.0
"""The height of such a part, however long the caption."""
AROUND = 110.0
"""How much is shown above and below what is looked at: where a gradient comes from, and where it goes."""


def frames(
    log_or_tape: Any,
    folder: str | Path,
    format: str = "svg",
    run: int | None = None,
    *,
    notes: Mapping[int, str] | None = None,
    title: str | None = None,
) -> list[Path]:
    """Write one picture per step of a backward pass into a folder, for slides.

    `step-0` shows the moment before the first rule, the last picture the gradients that came out. What is folded is one
    box, and its steps are one picture, named after the last of them: a loop of 500 rounds takes no 500 slides. A step
    that has a note is a picture of its own. All pictures have one size, of the shape of a slide, 16:9, and say above
    the graph which rule is applied, to what, and what comes of it.
    The graph runs down, to the right, or in rows: as it is largest on a slide; of one that is too large they show the
    part where the step is.

    Args:
        log_or_tape: a log, or anything with `.log`.
        folder: where to write them; it is made if need be.
        format: "svg", "png" or "pdf".
        run: the number of the sweep, counted from 0; by default the one that the debugger opens with.
        notes: words for steps, as for `save_html`, below what is said of the step; formulas are set on a line.
        title: stands on the first picture.

    Returns:
        The paths of the pictures, in the order of the steps.

    Raises:
        TypeError: a folder that is no path, or notes that are not by step.
        NotADirectoryError: a folder that is a file.
        ValueError: another format, or a log in which no gradient was taken.
        IndexError: no such run.

    >>> import tempfile
    >>> import tapeviz as tv
    >>> x = tv.Variable(3.0, name="x")
    >>> with tv.GradientTape() as tape:
    ...     y = x * x
    >>> _ = tape.gradient(y, x)
    >>> [path.name for path in frames(tape, tempfile.mkdtemp())]
    ['step-0.svg', 'step-1.svg', 'step-2.svg']
    """
    if format not in FORMATS:
        raise ValueError(f"frames are written as one of {', '.join(FORMATS)}, not as {format!r}.")
    target = validation.folder(folder, "tv.frames(tape, 'slides')")
    reading = read(log_or_tape)
    pages = dict(pages_of(reading, run, checked(notes, reading), title))
    target.mkdir(parents=True, exist_ok=True)
    digits = len(str(max(pages)))
    paths = {step: target / f"step-{step:0{digits}}.{format}" for step in pages}
    for step, page in pages.items():
        atomic.write(paths[step], svg(page).encode() if format == "svg" else canvas.render(page, format))
    return [*paths.values()]


def pages_of(
    reading: Reading, run: int | None, notes: Mapping[int, str] | None = None, title: str | None = None
) -> Iterator[tuple[int, Picture]]:
    """Steps with their pages: a caption, and below it the graph in its states, or the part of it where the step is."""
    shown = reading.runs[chosen_run(reading.log, reading.runs, run)]
    every = captions_of(reading, shown, notes, title)
    drawn = _suited(reading, shown, every)
    captions = _together(every, folded_steps(reading, drawn, shown, notes or {}))
    graph, tracks = picture(drawn), group_tracks(reading, drawn, shown)
    width, top, height = _page(graph.width, graph.height, [*captions.values()])
    states = [states_at(tracks, step) for step in captions]
    spare = max(height - top - graph.height, 0.0) / 2
    begins = windows(graph.height, height - top, [_active(drawn, each) for each in states])
    growing = GrowingGradients(reading.graph, shown)
    for (step, caption), state, begin in zip(captions.items(), states, begins, strict=True):
        known = with_gradients(graph, reading, drawn, growing, step)
        moved = painted(known, state).moved((width - graph.width) / 2, top + spare - begin)
        groups = [_without_texts_above(each, top) for each in moved.groups]
        yield step, Picture(caption.heading, width, height, (*groups, caption.marks(width, top)))


def folded_steps(reading: Reading, drawn: Scene, run: Run, notes: Container[int]) -> dict[int, tuple[int, str]]:
    """Of steps that follow each other inside one folded group: the last, with the first and the title of the group.

    One that has a note stands alone.
    """
    boxes = reading.sketch.boxes
    titles = {
        boxes[box].op: (node.id, node.title) for node in drawn.nodes if node.kind == "group" for box in node.boxes
    }
    found: dict[int, tuple[int, str]] = {}
    inside = [(number, titles.get(step.op)) for number, step in enumerate(run.steps, 1) if number not in notes]
    for (_, group), together in groupby(enumerate(inside), key=lambda each: (each[1][0] - each[0], each[1][1])):
        numbers = [number for _, (number, _) in together]
        if group is not None and len(numbers) > 1:
            found[numbers[-1]] = numbers[0], group[1]
    return found


def _together(captions: Sequence[Caption], folded: Mapping[int, tuple[int, str]]) -> dict[int, Caption]:
    """The captions by their steps; of steps inside a folded group the last has one for all of them."""
    found = dict(enumerate(captions))
    for last, (first, title) in folded.items():
        for step in range(first, last):
            del found[step]
        _, _, op = captions[last].heading.partition(": ")
        heading = f"Steps {first} to {last} of {len(captions) - 2}: {title}"
        found[last] = captions[last]._replace(heading=heading, text=f"The last is {op}. {captions[last].text}")
    return found


def _suited(reading: Reading, run: Run, captions: Sequence[Caption]) -> Scene:
    """The graph running the way in which a slide shows it largest: down, to the right, or to the right in rows."""
    room = SLIDE_WIDTH / SLIDE - height_of(captions, SLIDE_WIDTH)
    aspect = SLIDE_WIDTH / max(room, LEAST_ROOM)
    flows = DOWN, Flow(across=True), Flow(across=True, aspect=aspect)
    down, across, rows = (scene(reading, run=run, flow=flow) for flow in flows)

    def scale(drawn: Scene) -> float:
        return min(1.0, SLIDE_WIDTH / drawn.width, room / drawn.height)

    best = max(down, across, key=scale)
    best = rows if scale(rows) > WORTH_IT * scale(best) else best
    return best if best.width <= WIDEST else down


def _page(width: float, height: float, captions: Sequence[Caption]) -> tuple[float, float, float]:
    """Width of a page for a graph of this size, height of its caption, and its own; one of which a part is shown is no
    larger than the graph is wide."""
    page = max(width, LEAST_WIDTH)
    top = height_of(captions, page)
    if top + height > TALLEST * max(page, SLIDE_WIDTH):
        page = max(page, SLIDE_WIDTH)
        top = height_of(captions, page)
        return page, top, top + max(page / SLIDE - top, LEAST_ROOM)
    page = max(page, (top + height) * SLIDE)
    return page, top, page / SLIDE


def windows(height: float, room: float, spans: Sequence[tuple[float, float] | None]) -> Iterator[float]:
    """Where the part in view begins: at the lower end first, and moved no further than it takes to see the next span.

    A span is None where nothing is looked at; one that is too long shows its lower end.

    >>> list(windows(1000.0, 300.0, [None, (900.0, 940.0), (500.0, 540.0), (520.0, 560.0)]))
    [700.0, 700.0, 390.0, 390.0]
    >>> list(windows(200.0, 300.0, [None, (0.0, 40.0)]))
    [0.0, 0.0]
    """
    last = max(height - room, 0.0)
    begin = last
    for span in spans:
        if span is not None:
            start, end = span
            begin = max(min(begin, start - AROUND), end + AROUND - room)
        begin = min(max(begin, 0.0), last)
        yield begin


def _active(drawn: Scene, states: Mapping[str, State]) -> tuple[float, float] | None:
    """How far the boxes of this step reach down the graph: from where to where; None where there are none."""
    boxes = [node for node in drawn.nodes if states.get(node.id) == "active"]
    return (min(node.y for node in boxes), max(node.y + node.h for node in boxes)) if boxes else None


def _without_texts_above(group: MarkGroup, top: float) -> MarkGroup:
    """Without the texts that the caption's ground would have to cover: matplotlib draws texts over all else."""
    return replace(group, marks=tuple(each for each in group.marks if not isinstance(each, Text) or each.y > top))
