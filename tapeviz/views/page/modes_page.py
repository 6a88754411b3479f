"""Both modes -> one offline page: the graph twice, tangents on one side, cotangents on the other, stepped together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from html import escape
from string import Template
from typing import Any

from tapeviz.markup import theme
from tapeviz.phrases import counted
from tapeviz.views.drawing.marks import Mark, Picture, Text
from tapeviz.views.drawing.picture import picture
from tapeviz.views.drawing.svg import svg
from tapeviz.views.page import side_by_side
from tapeviz.views.page.passes import BothModes, ModeName, ModePasses, Pass
from tapeviz.views.scene import Scene, scene
from tapeviz.views.words import numbers

MOST_ROWS = 400
MOST_ENTRIES = 10
"""The sides of the largest Jacobian that is written out."""
COLOURS = "".join(
    f".side .f-{role}{{fill:var(--tv-{role})}}.side .s-{role}{{stroke:var(--tv-{role})}}" for role in theme.COLOURS
)
"""Of the roles that pictures have, in the theme of the page."""
BODY = Template("""\
<style>$colours</style>
<h1>$sentence</h1>
<div class="sides">$sides</div>
<div class="steps" role="group" aria-label="Steps">
<button type="button" data-go="-1000000000">First step</button>
<button type="button" data-go="-1">Previous</button>
<button type="button" data-go="1">Next</button>
<input type="range" id="step" min="0" max="1" value="0" aria-label="Step" aria-describedby="status">
<p id="status" role="status"></p>
</div>
<div class="tables">
<div tabindex="0" role="group" aria-label="Trace">$trace</div>
<div tabindex="0" role="group" aria-label="Jacobian">$jacobian</div>
</div>
""")
SIDE = Template("""\
<section class="side" aria-labelledby="$side-head">
<h2 id="$side-head">$title: $count</h2>
<p>$words Seed: <span id="$side-seed"></span> <select id="$side-pass" aria-label="$title, pass">$options</select></p>
<div class="drawing" style="--whole: ${height}px" tabindex="0" role="group" aria-label="$title, graph">$drawing</div>
</section>""")
DESCRIPTIONS: dict[ModeName, tuple[str, str]] = {
    "forward": ("Forward mode", "Tangents go with the program: one pass for each number that goes in."),
    "reverse": ("Reverse mode", "Cotangents go against the program: one pass for each number that comes out."),
}


def page(modes: BothModes) -> str:
    """The page: HTML that needs no other file, no network and no kernel."""
    drawn = _scene(modes)
    data: dict[str, Any] = {
        "boxes": {node.id: _tensor(modes, node.op, node.tensor) for node in drawn.nodes},
        "wires": [drawn.nodes[edge.head].id for edge in drawn.edges],
    }
    data |= {mode.name: [_steps(modes, drawn, mode, each) for each in mode.passes] for mode in modes.both}
    body = BODY.substitute(
        colours=COLOURS,
        sentence=escape(modes.sentence),
        sides="".join(_side(modes, mode, drawn) for mode in modes.both),
        trace="".join(_trace(modes)),
        jacobian="".join(_jacobian(modes)),
    )
    return side_by_side.page("Forward and reverse mode", "modes", body, data)


def _scene(modes: BothModes) -> Scene:
    """What both sides show; every box has room for the longest number that it will."""
    reading = modes.reading
    passes = [each for mode in modes.both for each in mode.passes]
    strips = []
    for box in reading.sketch.boxes:
        tensor = _tensor(modes, box.op, box.tensor)
        found = [each.text(tensor) for each in passes if tensor in each.found] if tensor is not None else []
        strips.append(max(found, key=len, default=None))
    small = len(reading.sketch.boxes) <= side_by_side.MOST_BOXES
    # A gradient that is zero in one pass is nothing amiss: the others have the rest of the Jacobian.
    unjudged = replace(reading, runs=[replace(run, gradients=None) for run in reading.runs])
    return scene(unjudged, range(len(reading.groups.rows)) if small else None, strips, tucked=False)


def _tensor(modes: BothModes, op: int | None, tensor: int | None) -> int | None:
    if op is None:
        return tensor
    outputs = modes.reading.graph.ops[op].outputs
    return outputs[0] if outputs else None


def _steps(modes: BothModes, drawn: Scene, mode: ModePasses, done: Pass) -> dict[str, Any]:
    """One pass: its seed, what it finds for each tensor, and each step: its op, and what it gives a number to."""
    reading = modes.reading
    seen = {box: node.id for node in drawn.nodes for box in node.boxes}
    reached = [_reached(modes, mode, position) for position in done.ops]
    last = {tensor: step for step, tensors in enumerate(reached) for tensor in tensors}
    steps = []
    for step, position in enumerate(done.ops):
        gives = [each for each in dict.fromkeys(reached[step]) if each in done.found and last[each] == step]
        told = ", ".join(f"{modes.marked(each, mode.mark)} = {done.text(each)}" for each in gives)
        title = reading.names.title(position)
        who = title if mode.name == "forward" else f"the rule of {title}"
        says = f"{who} gives {told or 'nothing that is complete'}"
        box = seen.get(reading.sketch.box_of_op.get(position, -1))
        steps.append({"box": box, "gives": gives, "says": says})
    return {
        "seed": modes.seed(done, mode.mark),
        "found": {str(each): done.text(each) for each in done.found},
        "start": [each for each in done.found if each not in last],
        "steps": steps,
    }


def _reached(modes: BothModes, mode: ModePasses, position: int) -> tuple[int, ...]:
    """The tensors that an op hands derivatives on to: its outputs, or in reverse its inputs."""
    op = modes.reading.graph.ops[position]
    return op.outputs if mode.name == "forward" else op.inputs


def _side(modes: BothModes, mode: ModePasses, drawn: Scene) -> str:
    title, words = DESCRIPTIONS[mode.name]
    options = "".join(
        f'<option value="{index}">pass {index + 1:,} of {mode.total:,}: {escape(modes.seed(each, mode.mark))}</option>'
        for index, each in enumerate(mode.passes)
    )
    shown = replace(
        _without_numbers(picture(drawn, upstream=mode.name == "reverse")),
        title=f"{title}: the graph, with the numbers of this pass",
    )
    return SIDE.substitute(
        side=mode.name,
        title=title,
        words=words,
        count=counted(mode.total, "pass"),
        options=options,
        height=round(drawn.height),
        drawing=_drawing(shown, mode.name),
    )


def _drawing(picture: Picture, side: str) -> str:
    """The picture as an element of the page, its ids those of its groups after the name of the side."""
    text = svg(replace(picture, groups=tuple(replace(each, id=f"{side}-{each.id}") for each in picture.groups)))
    # The theme of the page, not of the system, is what a picture in a page wears.
    head, _, rest = text.partition("<style>")
    return head + rest.partition("</style>")[2]


def _without_numbers(drawn: Picture) -> Picture:
    """The picture with nothing written in the strips of its boxes: the page writes there, as far as a step has come."""
    return replace(
        drawn, groups=tuple(replace(group, marks=tuple(map(_unwritten, group.marks))) for group in drawn.groups)
    )


def _unwritten(mark: Mark) -> Mark:
    return replace(mark, text="") if isinstance(mark, Text) and mark.part == "strip" else mark


def _trace(modes: BothModes) -> Iterator[str]:
    """The table that textbooks write by hand: value, tangent and cotangent of every line of the program."""
    yield '<table id="trace"><caption>Trace</caption><thead><tr><th scope="col">Op</th><th scope="col">Value</th>'
    yield '<th scope="col">Tangent</th><th scope="col">Cotangent</th></tr></thead><tbody>'
    rows = list(modes.rows())
    for tensor, words, _ in rows[:MOST_ROWS]:
        value = escape(numbers.short_text(modes.reading.log.value(tensor)))
        yield f'<tr data-tensor="{tensor}"><th scope="row">{escape(words)}</th><td>{value}</td>'
        yield '<td class="forward"></td><td class="reverse"></td></tr>'
    yield "</tbody></table>"
    if len(rows) > MOST_ROWS:
        yield f"<p>and {len(rows) - MOST_ROWS:,} more</p>"


def _jacobian(modes: BothModes) -> Iterator[str]:
    """The matrix that the passes fill: forward mode a column a pass, reverse mode a row."""
    found = modes.jacobian
    if found is None or max(found.shape) > MOST_ENTRIES:
        return
    yield '<table id="jacobian"><caption>Jacobian: forward mode fills a column a pass, reverse mode a row</caption>'
    heads = "".join(f'<th scope="col">∂{escape(each)}</th>' for each in modes.elements(modes.inputs))
    yield f"<thead><tr><td></td>{heads}</tr></thead>"
    outs = list(modes.elements(modes.outputs))
    for row, line in enumerate(found):
        cells = "".join(
            f'<td data-row="{row}" data-column="{column}">{escape(numbers.number(each))}</td>'
            for column, each in enumerate(line)
        )
        yield f'<tr><th scope="row">∂{escape(outs[row])}</th>{cells}</tr>'
    yield "</table>"
