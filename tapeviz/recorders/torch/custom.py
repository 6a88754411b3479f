"""Calls of `autograd.Function.apply` -> one op each, named by the class; what its `forward` does is its own affair."""

from __future__ import annotations

from typing import Any

import torch

from tapeviz.recorders.patches import Patches
from tapeviz.recorders.torch.mode import FunctionMode
from tapeviz.recorders.torch.ops import Op
from tapeviz.recorders.torch.session import Session

Function = torch.autograd.Function


class CustomFunctions:
    """Functions with a gradient of the user's own."""

    def __init__(self, session: Session, mode: FunctionMode) -> None:
        self._session = session
        self._mode = mode
        self._ops: dict[str, Op] = {}

    def install(self, patches: Patches) -> None:
        """All of them inherit `apply`."""
        patches.wrap(Function, "apply", self._applying)

    def _applying(self, before: Any) -> Any:
        original = before.__func__

        def apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
            if self._mode.looks_away() or not self._session.is_here:
                return original(cls, *args, **kwargs)
            self._session.open()
            return self._op(cls)(lambda *given, **named: self._run(original, cls, given, named), (), args, kwargs)

        return classmethod(apply)

    def _run(self, original: Any, cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        with self._mode.aside():
            return original(cls, *args, **kwargs)

    def _op(self, cls: Any) -> Op:
        name = cls.__name__
        if name not in self._ops:
            self._ops[name] = Op(self._session, cls, name, (("custom_gradient", True),))
        return self._ops[name]
