"""A softmax or sigmoid that remembers its logits."""

from __future__ import annotations

from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tensors.tensor_like import TensorLike


class Probabilities(Tensor):
    """A softmax or sigmoid with its logits, from which losses are computed more accurately, as Keras does."""

    __slots__ = ("logits",)

    logits: TensorLike

    @staticmethod
    def of(tensor: Tensor, logits: TensorLike) -> Probabilities:
        """The tensor, together with its logits."""
        found: Probabilities = object.__new__(Probabilities)
        found._value, found._id, found._traces = tensor._value, tensor._id, tensor._traces
        found.logits = logits
        return found
