"""A tensor -> a hashable object that refers to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tapeviz.engine.tensors.tensor_like import TensorLike


class Reference:
    """A tensor's identity, hashable (`tf.Tensor.ref`)."""

    __slots__ = ("_tensor",)

    def __init__(self, tensor: TensorLike) -> None:
        self._tensor = tensor

    def deref(self) -> TensorLike:
        """The tensor itself."""
        return self._tensor

    def __eq__(self, other: object) -> bool:
        return self._tensor is _unwrapped(other)

    def __lt__(self, other: object) -> bool:
        return id(self._tensor) < id(_unwrapped(other))

    def __gt__(self, other: object) -> bool:
        return id(self._tensor) > id(_unwrapped(other))

    def __hash__(self) -> int:
        return id(self._tensor)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._tensor!r}>"


def _unwrapped(other: object) -> TensorLike:
    if not isinstance(other, Reference):
        raise TypeError(f"Cannot compare wrapped object with unwrapped object: {other!r} is no .ref().")
    return other._tensor
