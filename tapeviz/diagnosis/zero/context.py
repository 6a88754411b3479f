"""The op at which a gradient becomes zero, with the question -> what a reason asks of it: slots, operands, values."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.numbers.run_numbers import Onset
from tapeviz.diagnosis.paths.views import behind_views
from tapeviz.diagnosis.question import Question
from tapeviz.graph import Op


class ZeroContext(NamedTuple):
    """The op at which the gradient of a question's source becomes zero."""

    onset: Onset
    question: Question

    @property
    def call(self) -> GradientCall:
        return self.question.call

    @property
    def op(self) -> Op:
        return self.call.graph.ops[self.onset.step.op]

    @property
    def slot(self) -> int:
        """Which of its operands gets the zero."""
        return self.onset.contribution.slot

    @property
    def others(self) -> list[int]:
        """Of its first two operands those that do not."""
        return [each for at, each in enumerate(self.op.inputs[:2]) if at != self.slot]

    @property
    def values(self) -> list[np.ndarray]:
        """The values of those, as far as they were kept."""
        found = [self._value(each) for each in self.others]
        return [each for each in found if each is not None]

    def _value(self, tensor: int) -> Any:
        """A value, of which that of the tensor that it is a view of will do."""
        values = (self.call.numbers.value(each, self.onset.step.op) for each in (tensor, self._behind(tensor)))
        return next((each for each in values if each is not None), None)

    def _behind(self, tensor: int) -> int:
        return behind_views(self.call.graph, tensor)
