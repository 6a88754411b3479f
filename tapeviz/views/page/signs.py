"""Matches of two programs -> a sign on every box of one of them: is its value that of its counterpart?

`frontend/words/signs.js` makes the same signs for the page.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, TypeAlias, get_args

from tapeviz.diagnosis.comparing.divergence import Divergence
from tapeviz.diagnosis.comparing.matching import Match
from tapeviz.diagnosis.comparing.program_values import ProgramValue
from tapeviz.graph import Graph
from tapeviz.phrases import listed
from tapeviz.views.drawing.marks import Mark, MarkGroup, Picture, pill
from tapeviz.views.reading.sketch import Box, Sketch
from tapeviz.views.scene import SceneNode
from tapeviz.views.scene.looks import badge_width

ValueState: TypeAlias = Literal["other", "alone", "unknown", "same"]
"""What became of a value in the other program, the most striking first."""
WORDS: dict[ValueState, tuple[str, str]] = {
    "same": ("=", "the same value"),
    "other": ("≠", "another value"),
    "alone": ("○", "no counterpart"),
    "unknown": ("?", "values not kept"),
}
"""The sign of a state, and its words."""
PARTS = "parts"
"""The sign where the programs part."""
OUT, UP, ARROW = 5.0, 3.0, 8.0
"""How far a pill stands out to the left of its box, and above it, and keeps from the arrow that comes in."""
LOOKS: dict[str, tuple[str, str, str]] = {
    "same": ("gradient-soft", "gradient", "gradient"),
    "other": ("warning-soft", "warning", "warning"),
    "alone": ("paper", "soft", "soft"),
    "unknown": ("paper", "soft", "soft"),
    PARTS: ("cut", "cut", "on-cut"),
}
"""The fill, the border and the text of a pill."""
BORDERS: dict[str, tuple[float, tuple[float, float] | None]] = {
    "other": (2.4, None),
    "alone": (1.8, (1.5, 3.5)),
    PARTS: (3.4, None),
}
"""How thick the border of a box is, and its dashes; others keep theirs."""


class Sign(NamedTuple):
    """What a box says of its counterpart: on a pill, and in words."""

    look: str
    text: str
    words: str


def state_of(match: Match) -> ValueState:
    """Whether a value is the same as its counterpart."""
    if match.before is None or match.after is None:
        return "alone"
    return "unknown" if match.value.same is None else "same" if match.value.same else "other"


def items_of(sketch: Sketch, graph: Graph, values: Sequence[ProgramValue | None]) -> list[list[int]]:
    """For every box the indices of what it stands for, of what a program made."""
    of_box: defaultdict[str, list[int]] = defaultdict(list)
    for index, each in enumerate(values):
        if each is not None:
            of_box[_id(graph, each)].append(index)
    # A leaf has several boxes, "t7.0" and so on.
    return [of_box[box.id.partition(".")[0]] for box in sketch.boxes]


def _id(graph: Graph, value: ProgramValue) -> str:
    """The id of the box that stands for it, as the sketch has it."""
    if value.op is None:
        return f"t{value.tensors[0]}"
    return f"o{value.position}" if value.position in graph.ops else f"s{value.position}"


def sign_of(states: Sequence[ValueState], parting: bool, folded: bool) -> Sign | None:
    """The sign of a box, by what became of what it stands for; None where it stands for nothing that was compared.

    The programs part there if `parting`; it is a group if `folded`. The front end's twin: `signOf`.
    """
    if not states:
        return None
    counts = Counter(states)
    worst = next(state for state in get_args(ValueState) if counts[state])
    if parting:
        return Sign(PARTS, PARTS, f"the programs part here: {WORDS[worst][1]}")
    if not folded:
        return Sign(worst, *WORDS[worst])
    odd = [state for state in get_args(ValueState) if counts[state] and state != "same"]
    if not odd:
        return Sign(worst, "=", f"all {len(states):,} the same")
    pills = [f"{WORDS[state][0]} {counts[state]:,}" for state in odd]
    words = [f"{WORDS[state][1]} in {counts[state]:,}" for state in odd]
    return Sign(worst, f"{' '.join(pills)} of {len(states):,}", f"{listed(words)} of {len(states):,}")


def is_at(node: SceneNode | Box, origin: Divergence) -> bool:
    """Whether a box is that of an origin."""
    return (
        node.op == origin.position if origin.position is not None else node.op is None and node.tensor == origin.tensor
    )


def with_signs(picture: Picture, signs: Mapping[str, Sign]) -> Picture:
    """The picture with the signs on its boxes."""
    groups = [
        replace(group, label=f"{group.label}: {sign.words}", marks=tuple(_marks(group, sign)))
        if (sign := signs.get(group.id))
        else group
        for group in picture.groups
    ]
    return replace(picture, groups=tuple(groups))


def _marks(box: MarkGroup, sign: Sign) -> Iterator[Mark]:
    """The marks of a box with the border of its sign, and with a pill on its upper left corner."""
    fill, line, ink = LOOKS[sign.look]
    border = BORDERS.get(sign.look)
    for sheet in box.sheets:
        yield sheet if border is None else replace(sheet, line=line, thickness=border[0], dash=border[1])
    yield from box.marks[len(box.sheets) :]
    body, width = box.sheets[-1], badge_width(sign.text)
    left = max(1.0, min(body.x - OUT, body.x + body.w / 2 - ARROW - width))
    yield from pill(sign.text, left + width / 2, body.y - UP, fill, ink, line)
