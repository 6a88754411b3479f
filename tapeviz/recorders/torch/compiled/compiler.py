"""The module in which PyTorch's compiler decides how a compiled function runs, and what a recording needs of it."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from importlib import import_module
from types import FrameType
from typing import Any

import torch

from tapeviz.recorders.hooks import ALWAYS
from tapeviz.recorders.patches import Patches, Row
from tapeviz.recorders.torch.compiled.hooks import modules_held_by
from tapeviz.recorders.torch.session import Session

MODULE = "torch._dynamo.eval_frame"
ASKS = "_callback_from_stance"
"""The function by which compiled functions decide how to run; if it returns None, they run eagerly."""


class Compiler(ABC):
    """A part of a recorder that acts where a compiled function is called; `hooks` are those in the compiler."""

    def __init__(self, session: Session, patches: Patches) -> None:
        self._session = session
        self.hooks = Patches()
        patches.finally_(self.hooks.undo)

    def rows(self) -> list[Row]:
        """A hook where a program asks for a compiler, unless it has imported it already."""
        if MODULE in sys.modules:
            self.hooks.install(self.compilers())
            return []
        return [ALWAYS.after(torch, "compile", self._compiled)]

    @abstractmethod
    def compilers(self) -> list[Row]:
        """Hooks in the compiler."""

    def _compiled(self, *args: Any, **kwargs: Any) -> None:
        if not self.hooks.has(import_module(MODULE), ASKS):
            self.hooks.install(self.compilers())


def name_of(wrapper: FrameType) -> str:
    """The name of the compiled function that runs in its `wrapper`, or of the class of a compiled module."""
    compiled, modules = wrapper.f_locals.get("fn"), modules_held_by(wrapper)
    return type(modules[0]).__name__ if modules else str(getattr(compiled, "__name__", type(compiled).__name__))
