"""A tensor that several values of a log are of -> these values: copied once for all, when the program changes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import ref

import torch

from tapeviz.events.values import OBJECT, HeldTensor, ReleasedTensor
from tapeviz.recorders.torch.values import HeldTorchTensor, elements_left


class SharedTensor(HeldTensor):
    """One of several values that share a tensor, which is copied once for all of them when the program changes it.

    The latest of them counts its elements: the log lets go of it last.
    """

    __slots__ = ("__weakref__",)

    def __init__(self, source: SharedElements) -> None:
        super().__init__(source, source.shape, source.dtype, source.nbytes)
        source.latest = ref(self)

    def read(self) -> Any:
        return self.tensor.read()

    def summarised(self) -> Any:
        return self.tensor.summarised()

    @property
    def is_near(self) -> bool:
        return bool(self.tensor.is_near)

    @property
    def cost(self) -> int:
        if type(self.tensor) is ReleasedTensor:
            return 0
        return OBJECT + (self.nbytes if self.tensor.latest() is self else 0)

    def elements(self) -> torch.Tensor | None:
        """The elements as a tensor; None where they are not known any more: small ones are."""
        if type(self.tensor) is not ReleasedTensor:
            found: torch.Tensor | None = self.tensor.elements()
            return found
        return elements_left(self.tensor.value)


class SharedElements(HeldTorchTensor):
    """The tensor of some `SharedTensor`, of which the `latest` is known as long as there is one."""

    __slots__ = ("latest",)

    def __init__(self, tensor: torch.Tensor) -> None:
        super().__init__(tensor)
        self.latest: Callable[[], SharedTensor | None] = lambda: None
