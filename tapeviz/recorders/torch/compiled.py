"""`torch.compile` -> the same functions run eagerly while a recording lasts, so that their ops are seen.

A compiled region would run past the recorder, and its compiler would trace the recorder as part of the program.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import torch

from tapeviz.recorders.patches import Patches

_MODULE = "torch._dynamo.eval_frame"


class CompiledFunctions:
    """What the program compiled before the recording, and what it compiles in it."""

    def install(self, patches: Patches) -> None:
        """The compiler's stance decides for all of them; it is imported only where a program uses it."""
        if _MODULE in sys.modules:
            self._run_eagerly(patches)
            return

        def watched(compile: Any) -> Any:
            def compiling(*args: Any, **kwargs: Any) -> Any:
                compiled = compile(*args, **kwargs)
                if not patches.has(import_module(_MODULE), "_stance"):
                    self._run_eagerly(patches)
                return compiled

            return compiling

        patches.wrap(torch, "compile", watched)

    def _run_eagerly(self, patches: Patches) -> None:
        module = import_module(_MODULE)
        patches.replace(module, "_stance", module.DynamoStance("force_eager"))
