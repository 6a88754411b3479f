"""The variables of a program -> what the tensors they hold are called, where no line has given them a name."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from types import FrameType
from typing import Any

from tapeviz.events.log import EventLog


def note_names(log: EventLog, namespace: Mapping[str, Any]) -> None:
    """Tell a log what a namespace calls its tensors; the first name counts, one with a leading underscore never.

    The parameters of a module of PyTorch's come last: `net.weight`, where no call of the module has told a name.
    """
    public = {name: value for name, value in namespace.items() if not name.startswith("_")}
    torch = sys.modules.get("torch")
    modules = {name: each for name, each in public.items() if torch and isinstance(each, torch.nn.Module)}
    for name, value in public.items():
        log.bind(value, name)
    for name, module in modules.items():
        for part, parameter in module.named_parameters():
            log.bind(parameter, f"{name}.{part}")


def note_variables(log: EventLog, frame: FrameType) -> None:
    """Tell a log what the variables of a running function, or of a module, call their tensors."""
    namespace = frame.f_locals
    note_names(log, namespace)
    if frame.f_code.co_flags & inspect.CO_OPTIMIZED and type(namespace) is dict:
        namespace.clear()  # a function's is a copy, which would keep alive whatever the function lets go of
