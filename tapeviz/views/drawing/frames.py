"""EventLog -> one picture per step of its backward pass, for slides; or all of them as one GIF."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tapeviz import validation
from tapeviz.replay import ROWS_LOST, Run, State, Step
from tapeviz.views.drawing import canvas
from tapeviz.views.drawing.picture import Curve, Mark, MarkGroup, Picture, Polygon, Rect, Stroke, Text, picture
from tapeviz.views.drawing.states import group_tracks, painted, states_at
from tapeviz.views.drawing.svg import svg
from tapeviz.views.drawing.windows import windows
from tapeviz.views.folding.opening import chosen_run
from tapeviz.views.reading import Reading, read
from tapeviz.views.scene import Scene, scene
from tapeviz.views.scene.metrics import text_width
from tapeviz.views.words import numbers
from tapeviz.views.words.rules import rule_line

FORMATS = ("svg", "png", "pdf")
LEAST_WIDTH = 480.0
SLIDE, SLIDE_WIDTH = 16 / 9, 960.0
"""The shape of a slide, and the least width of a page of that shape."""
TALLEST = 3 / 4
"""A page that is higher than this share of its width shows only a part of the graph."""
LEAST_ROOM = 360.0
"""The height of such a part, however long the caption."""
MARGIN = 20.0
HEADING_SIZE, LINE_SIZE, LEADING = 15.0, 12.0, 18.0
TOLD = 6
"""How many contributions, or gradients, a caption names."""
LAST_HELD = 3
"""For how many frames a GIF shows the last picture before it begins again."""


def frames(log_or_tape: Any, folder: str | Path, format: str = "svg", run: int | None = None) -> list[Path]:
    """Write one picture per step of a backward sweep into a folder, which is made if need be; return their paths.

    `format` is "svg", "png" or "pdf"; `run` counts the sweeps from 0, the debugger's is taken if it is None.
    `step-0` is the moment before the first rule, the last picture shows the gradients that came out. Every picture has
    the size of the others, and says above the graph which rule is applied, on what, and what comes of it. Of a graph
    that is too tall for a slide it shows the part where the step is.

    Raises:
        TypeError: a folder that is no path.
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
    pages = list(_pages(read(log_or_tape), run))
    target.mkdir(parents=True, exist_ok=True)
    digits = len(str(len(pages) - 1))
    paths = [target / f"step-{number:0{digits}}.{format}" for number in range(len(pages))]
    for path, page in zip(paths, pages, strict=True):
        path.write_bytes(svg(page).encode() if format == "svg" else canvas.render(page, format))
    return paths


def animate(log_or_tape: Any, path: str | Path, run: int | None = None, seconds: float = 1.2) -> Path:
    """Write a backward sweep as a GIF, `seconds` for each step; return its path.

    `run` counts the sweeps from 0, the debugger's is taken if it is None.

    Raises:
        TypeError: `path` is not a path.
        FileNotFoundError: a folder that is not there.
        ValueError: a path that does not end in .gif, no time for a step, or a log in which no gradient was taken.
        IndexError: no such run.

    >>> import tempfile
    >>> import tapeviz as tv
    >>> x = tv.Variable(3.0, name="x")
    >>> with tv.GradientTape() as tape:
    ...     y = x * x
    >>> _ = tape.gradient(y, x)
    >>> animate(tape, Path(tempfile.mkdtemp()) / "square.gif").name
    'square.gif'
    """
    from matplotlib.animation import PillowWriter

    target = validation.output_file(path, "tv.animate(tape, 'tape.gif')", "a GIF", (".gif",))
    if not seconds > 0:
        raise ValueError(f"seconds must be more than 0, not {seconds}.")
    pages = list(_pages(read(log_or_tape), run))
    writer = PillowWriter(fps=1 / seconds)  # type: ignore[arg-type]  # it takes fractions, too
    with writer.saving(canvas.figure(pages[0]), str(target), dpi=canvas.RESOLUTION):
        for page in pages + pages[-1:] * (LAST_HELD - 1):
            writer.fig = canvas.figure(page)
            writer.grab_frame()
    return target


def _pages(reading: Reading, run: int | None) -> Iterator[Picture]:
    """A page per step: the caption, and below it the graph in its states, or the part of it that is looked at."""
    shown = reading.runs[chosen_run(reading.log, reading.runs, run)]
    drawn = scene(reading, run=shown)
    graph, tracks = picture(drawn), group_tracks(reading, drawn, shown)
    width = max(graph.width, LEAST_WIDTH)
    captions, top = _captions(reading, shown, width)
    height = top + graph.height
    if height > TALLEST * max(width, SLIDE_WIDTH):
        width = max(width, SLIDE_WIDTH)
        captions, top = _captions(reading, shown, width)
        height = top + max(width / SLIDE - top, LEAST_ROOM)
    states = [states_at(tracks, number) for number in range(len(captions))]
    begins = windows(graph.height, height - top, [_active(drawn, each) for each in states])
    for (heading, lines), state, begin in zip(captions, states, begins, strict=True):
        moved = _moved(painted(graph, state), (width - graph.width) / 2, top - begin)
        words = MarkGroup("caption", heading, (Rect(0, 0, width, top, 0, "paper"), *_written(heading, lines)))
        yield Picture(heading, width, height, (*(_without_words_above(each, top) for each in moved.groups), words))


def _captions(reading: Reading, run: Run, width: float) -> tuple[list[tuple[str, list[str]]], float]:
    """The heading and the lines of every step, and how much room they take above the graph."""
    captions = [_caption(reading, run, number, width) for number in range(len(run.steps) + 2)]
    return captions, MARGIN + LEADING * max(len(lines) for _, lines in captions) + LEADING


def _active(drawn: Scene, states: Mapping[str, State]) -> tuple[float, float] | None:
    """From where to where down the graph this step's boxes reach."""
    boxes = [node for node in drawn.nodes if states.get(node.id) == "active"]
    return (min(node.y for node in boxes), max(node.y + node.h for node in boxes)) if boxes else None


def _caption(reading: Reading, run: Run, number: int, width: float) -> tuple[str, list[str]]:
    """The heading and the lines of one step."""
    room = width - 2 * MARGIN
    if number == 0:
        names = reading.names.targets(run.targets)
        return f"The backward pass starts at {names}", _wrapped(_seeds(reading, run), room)
    if number > len(run.steps):
        return "The gradients", _wrapped(_came_out(reading, run), room)
    step = run.steps[number - 1]
    heading = f"Step {number} of {len(run.steps)}: {reading.graph.ops[step.op].op}"
    return heading, _wrapped(_step_text(reading, step), room)


def _seeds(reading: Reading, run: Run) -> str:
    if run.rows is not None:
        at_one = reading.log.customs.unit_rows
        begin = "at an element of the target, with a seed of 1.0 there" if at_one else "with a seed of its own"
        return f"Each row begins {begin}; {ROWS_LOST}."
    texts = [_number(reading, seed) if seed is not None else "1.0" for seed in run.seeds]
    return f"The gradient of the target by itself is the seed: {', '.join(texts)}."


def _came_out(reading: Reading, run: Run) -> str:
    """`x: 27.0, w: None.`"""
    pairs = list(zip(run.sources, run.gradients or (), strict=False))
    texts = [
        f"{reading.names.tensor(source)}: {'None' if gradient is None else _number(reading, gradient)}"
        for source, gradient in pairs[:TOLD]
    ]
    more = len(pairs) - TOLD
    return ", ".join([*texts, *([f"and {more} more"] if more > 0 else [])]) + "."


def _step_text(reading: Reading, step: Step) -> str:
    """`g = 1.0 arrives. To x goes g x = 9.0, the sum is 27.0.`"""
    op = reading.graph.ops[step.op]
    arrived = ", ".join(_number(reading, each) for each in step.upstream if each is not None)
    parts = [f"g = {arrived} arrives."]
    for each in step.contributions[:TOLD]:
        sums = f", the sum is {_number(reading, each.total)}" if each.parts > 1 else ""
        rule = rule_line(reading.names, op, each.slot)
        value = _number(reading, each.cotangent)
        goes = value if rule is None else f"{rule} = {value}"
        parts.append(f"To {reading.names.tensor(each.tensor)} goes {goes}{sums}.")
    more = len(step.contributions) - TOLD
    return " ".join([*parts, *([f"And {more} more."] if more > 0 else [])])


def _number(reading: Reading, cotangent: int) -> str:
    return numbers.short_text(reading.log.value(cotangent))


def _wrapped(text: str, room: float) -> list[str]:
    """The words of a text in lines that are no wider than `room`."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if text_width(longer, LINE_SIZE) <= room or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def _written(heading: str, lines: Sequence[str]) -> Iterator[Text]:
    yield Text(MARGIN, MARGIN + HEADING_SIZE - 4, heading, "ink", HEADING_SIZE, bold=True, centred=False)
    for index, line in enumerate(lines, 1):
        yield Text(MARGIN, MARGIN + HEADING_SIZE - 4 + LEADING * index, line, "soft", LINE_SIZE, centred=False)


def _moved(page: Picture, right: float, down: float) -> Picture:
    groups = tuple(
        replace(each, marks=tuple(_mark_moved(mark, right, down) for mark in each.marks)) for each in page.groups
    )
    return replace(page, groups=groups)


def _without_words_above(group: MarkGroup, top: float) -> MarkGroup:
    """Without the texts that the caption's ground would have to cover: matplotlib draws texts over all else."""
    return replace(group, marks=tuple(each for each in group.marks if not isinstance(each, Text) or each.y > top))


def _mark_moved(mark: Mark, right: float, down: float) -> Mark:
    if isinstance(mark, Curve | Polygon):
        return replace(mark, points=tuple((x + right, y + down) for x, y in mark.points))
    if isinstance(mark, Stroke):
        (x, y), (to_x, to_y) = mark.start, mark.end
        return replace(mark, start=(x + right, y + down), end=(to_x + right, to_y + down))
    return replace(mark, x=mark.x + right, y=mark.y + down)
