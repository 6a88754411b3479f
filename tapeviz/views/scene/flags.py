"""Reading -> what is special about each box and wire: its flags, and the one word that is shown as its badge."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

from tapeviz.events import OpSkipped, StateWritten
from tapeviz.events.summary import Oddity
from tapeviz.graph import Graph
from tapeviz.replay import Run
from tapeviz.views.reading import Reading
from tapeviz.views.reading.sketch import UNSAID, Box, Wire, tensors_of

Claim: TypeAlias = Literal["target", "None", "NaN", "inf", "zero"]
"""What a badge says of a run: that it begins there, or what kind of gradient it gave to a source."""


class Badge(NamedTuple):
    """The word on a box, and what it claims of a run, which another run may contradict; None: nothing of any run."""

    word: str
    claim: Claim | None = None


class Flags:
    """The flags and badges of everything in one reading; the front end's `types.js` lists the flags.

    With a `run`, only its own targets have the badge of a target, and a source to which it gave a gradient is judged by
    that gradient alone. Without, all runs count.
    """

    def __init__(self, reading: Reading, run: Run | None = None) -> None:
        self._reading = reading
        targets = {target for each in reading.runs for target in each.targets}
        self._badged = targets if run is None else set(run.targets)
        sources = {source for run in reading.runs for source in run.sources}
        own = {} if run is None else dict(zip(run.sources, run.gradients or (), strict=False))
        dead = reading.cuts.dead
        lost = reading.cuts.none - {source for source, gradient in own.items() if gradient is not None}
        self._flagged = {"dead": dead, "target": targets, "source": sources, "none": lost}
        self._odd_values: dict[int, Oddity | None] = {}
        self._infinities = Infinities(reading.graph, self._odd_value)
        self._odd_gradients: dict[int, Oddity] = {}
        for each in reading.runs:
            for source, gradient in zip(each.sources, each.gradients or (), strict=False):
                judged = each is run or source not in own
                odd = reading.graph.figures.oddities(gradient) if judged and gradient is not None else ()
                if odd:
                    self._odd_gradients[source] = odd[0]

    def of_box(self, box: Box) -> tuple[str, ...]:
        """The flags of a box."""
        tensors = tensors_of(self._reading.graph, box)
        flags: list[str] = []
        if box.op is not None:
            flags.append("skipped" if isinstance(self._reading.graph.ops[box.op], OpSkipped) else "recorded")
        flags += [flag for flag, of in self._flagged.items() if not of.isdisjoint(tensors)]
        flags += [self._odd_gradients[each] for each in tensors if each in self._odd_gradients]
        flags += filter(None, map(self._harmful_oddity, tensors))
        return tuple(dict.fromkeys(flags))

    def badge_of_box(self, box: Box) -> Badge | None:
        """The badge of a box: for the worst of its flags."""
        tensors = tensors_of(self._reading.graph, box)
        if not self._flagged["none"].isdisjoint(tensors):
            return Badge("None", "None")
        gradient = next((self._odd_gradients[each] for each in tensors if each in self._odd_gradients), None)
        if gradient:
            return Badge(f"{_WORDS[gradient]} gradient", _WORDS[gradient])
        value = next((odd for odd in map(self._harmful_oddity, tensors) if odd), None)
        if value:
            return Badge(_WORDS[value])
        return None if self._badged.isdisjoint(tensors) else Badge("target", "target")

    def of_wire(self, wire: Wire) -> tuple[str, ...]:
        """The flags of a wire."""
        if self._is_cut(wire):
            return ("cut",)
        if wire.tensor in self._reading.cuts.dead:
            return ("dead",)
        op = self._reading.graph.ops.get(wire.position)
        return ("skipped",) if wire.slot is None or isinstance(op, OpSkipped) else ("recorded",)

    def word_of_wire(self, wire: Wire) -> str | None:
        """The word on a wire: why no gradient comes back along it, or how a value went past the tape."""
        word = self._reading.cuts.words.get((wire.tensor, wire.position, wire.slot))
        return word or (wire.how if wire.slot is None and wire.how != UNSAID else None)

    def _is_cut(self, wire: Wire) -> bool:
        """Whether a gradient is lost there: only ops pass one on, and none has to pass an update of a variable."""
        if (wire.tensor, wire.position, wire.slot) in self._reading.cuts.words:
            return True
        written = isinstance(self._reading.log.events[wire.position], StateWritten)
        return wire.slot is None and not written

    def _harmful_oddity(self, tensor: int) -> Oddity | None:
        """What is odd about a value, unless it is an infinity that does no harm."""
        odd = self._odd_value(tensor)
        return None if odd == "inf" and self._infinities.harmless(tensor) else odd

    def _odd_value(self, tensor: int) -> Oddity | None:
        """What is odd about a value; zeros do not count, since they are common and harmless."""
        if tensor not in self._odd_values:
            odd = self._reading.graph.figures.oddities(tensor)
            self._odd_values[tensor] = next((each for each in odd if each != "zero"), None)
        return self._odd_values[tensor]


_WORDS: dict[Oddity, Literal["NaN", "inf", "zero"]] = {"nan": "NaN", "inf": "inf", "zero": "zero"}


class Infinities:
    """Which infinite values of a graph do no harm: a softmax makes 0 of minus infinity.

    An infinity is harmless where whatever reads it is finite, or a harmless infinity again.
    """

    def __init__(self, graph: Graph, odd: Callable[[int], Oddity | None]) -> None:
        self._graph = graph
        self._odd = odd
        self._known: dict[int, bool] = {}

    def harmless(self, tensor: int) -> bool:
        """Whether an infinite tensor makes nothing odd in the end; one that nothing reads is an end itself."""
        left = [tensor]
        while left:
            readers = {link.head for link in self._graph.links_from(left[-1])} - {left[-1]}
            infinite = [each for each in readers if self._odd(each) == "inf"]
            unknown = [each for each in infinite if each not in self._known]
            self._known.setdefault(left[-1], False)  # a variable may lead back to itself
            if unknown:
                left += unknown
                continue
            is_harmful = not readers or any(self._odd(each) == "nan" for each in readers)
            self._known[left.pop()] = not is_harmful and all(self._known[each] for each in infinite)
        return self._known[tensor]
