"""An op's name -> which of its tensors TensorFlow's tape keeps for the gradient function.

TensorFlow does not publish its list of what a gradient leaves unused, but hands None to the gradient function in place
of it; so what is kept is learned at the first gradient of each kind of op.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from tapeviz.recorders.tensorflow.names import Form


class SavedSlots:
    """Indices into inputs + outputs of a record: all of them, until a gradient has shown which are not needed."""

    def __init__(self, form: Form, outputs: int) -> None:
        self._form = form
        self._inputs = tuple(range(len(form.arguments)))
        self._outputs = tuple(range(len(form.arguments), len(form.arguments) + outputs))
        self._is_known = False

    def __iter__(self) -> Iterator[int]:
        yield from self._inputs
        yield from self._outputs

    def learn(self, inputs: Any, outputs: Any) -> None:
        """Learn what the tape keeps from the arguments of a gradient function: None stands for what it has not kept."""
        if self._is_known:
            return
        self._is_known = True
        given = () if inputs is None else inputs
        first = len(self._form.arguments)
        kept = [index < len(given) and given[index] is not None for index in self._form.arguments]
        self._inputs = tuple(slot for slot, is_kept in enumerate(kept) if is_kept)
        self._outputs = tuple(first + at for at, each in enumerate(outputs or ()) if each is not None)


@cache
def saved_slots(form: Form, outputs: int) -> SavedSlots:
    """What the tape keeps of an op with so many outputs."""
    return SavedSlots(form, outputs)
