"""Reading -> how much of each tensor there is room for: characters of its elements, and elements in its picture."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tapeviz.views.payload.axes import axes_of_all
from tapeviz.views.reading import Reading
from tapeviz.views.words.cells import LEAST_CELLS, Axes, cells, fair_share, plain_axes

CHARACTERS = 120_000
"""For the elements of all tensors together, as text: the more tensors, the less of each."""
LEAST_PICTURED, FEW_OPS, MORE_PICTURED, MOST_PICTURED = 20_000, 15, 1_000, 50_000
"""Elements in the pictures of all tensors together: of few ops so many, and more for each other, up to so many."""
MOST_CELLS = 4096
"""Elements in the picture of one tensor."""


class Room(NamedTuple):
    """What there is room for: of the elements of each tensor so many `characters`, and in its picture so many of its
    elements; the `axes` of some are known."""

    characters: int
    pictured: Mapping[int, int]
    axes: Mapping[int, Axes]

    def has_picture(self, tensor: int) -> bool:
        """Whether there may be a picture of a tensor."""
        return self.pictured.get(tensor, 0) > 0

    def picture(self, tensor: int, value: Any) -> dict[str, Any] | None:
        """The elements of a tensor's value from which its picture is painted."""
        if value is None or not self.has_picture(tensor):
            return None
        axes, shape = self.axes.get(tensor), np.shape(value)
        is_known = axes is not None and len(axes.names) == len(shape)
        return cells(value, axes if axes and is_known else plain_axes(shape), self.pictured[tensor])


def room_of(reading: Reading, tensors: Sequence[int]) -> Room:
    """The room for each of these tensors: weights of attentions, which people look for, have two thirds of it first."""
    room = min(LEAST_PICTURED + MORE_PICTURED * max(0, len(reading.sketch.box_of_op) - FEW_OPS), MOST_PICTURED)
    rows = reading.log.tensors
    sizes = {each: math.prod(rows[each].shape) for each in _pictured(reading, tensors)}
    sizes = {tensor: min(size, MOST_CELLS) for tensor, size in sizes.items() if size > 1}
    characters = CHARACTERS // max(1, len(tensors))
    if fair_share(sizes.values(), room) < LEAST_CELLS:
        return Room(characters, {}, {})
    axes = axes_of_all(reading)
    first = {tensor: size for tensor, size in sizes.items() if tensor in axes and "key" in axes[tensor].names}
    found = _shared(first, 2 * room // 3)
    rest = {tensor: size for tensor, size in sizes.items() if tensor not in first}
    return Room(characters, found | _shared(rest, room - sum(found.values())), axes)


def _shared(sizes: Mapping[int, int], room: int) -> dict[int, int]:
    share = fair_share(sizes.values(), room)
    return {tensor: min(size, share) for tensor, size in sizes.items() if share >= min(size, LEAST_CELLS)}


def _pictured(reading: Reading, tensors: Iterable[int]) -> set[int]:
    """The tensors that a picture may be asked for: of the gradients those that are whole."""
    rows = reading.log.tensors
    found = {tensor for tensor in tensors if rows[tensor].role != "cotangent"}
    for run in reading.runs:
        for step in run.steps:
            found.update(each for each in step.upstream if each is not None)
            found.update(each.total for each in step.contributions if each.final)
    return found
