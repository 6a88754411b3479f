"""The variables of a program -> names for the tensors that they hold, where no line has given them one."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from itertools import chain, islice
from types import FrameType
from typing import Any

from tapeviz.events.log import EventLog

VARIABLES = "trainable_variables"
"""What every module of TensorFlow's, Keras's and ours has."""
MOST = 1_000
"""Elements of a list or a dictionary that are looked at: what is longer is data, such as a vocabulary."""
PLAIN = frozenset((bool, bytes, float, int, str, type(None)))
"""The classes of values that neither are tensors nor hold any."""


def note_names(log: EventLog, namespace: Mapping[str, Any]) -> None:
    """Tell a log what a namespace calls its tensors; the first name counts, one with a leading underscore never.

    The log uses these names where it knows no other for a tensor, or where several variables have the same name. What
    belongs to a module is named by the module, `net.first.w`, also where a plain variable holds it as well: that is
    mostly the variable of a loop over all parts.
    """
    public = {name: value for name, value in namespace.items() if not name.startswith("_")}
    torch = sys.modules.get("torch")
    for name, module in public.items():
        if torch and isinstance(module, torch.nn.Module):
            for part, tensor in chain(module.named_parameters(), module.named_buffers()):
                log.bind(tensor, f"{name}.{part}")
        elif hasattr(type(module), VARIABLES):
            _note_parts(log, module, name)
    for name, value in public.items():
        log.bind(value, name)


def _note_parts(log: EventLog, root: Any, name: str) -> None:
    """Tell a log the paths from a module to all that is in it, at any depth."""
    met: set[int] = set()
    waiting = [(name, root)]
    for path, value in waiting:
        parts = list(_parts(value))
        if not parts:
            log.bind(value, path)
        elif id(value) not in met:
            met.add(id(value))
            waiting += ((path + step, part) for step, part in parts)


def _parts(whole: Any) -> Iterator[tuple[str, Any]]:
    """The parts of a list, a dictionary or a module, each behind its path: `[0]`, `['w']`, `.w`."""
    if isinstance(whole, (list, tuple, dict)):
        yield from elements(whole)
    elif hasattr(type(whole), VARIABLES):
        yield from ((f".{key}", part) for key, part in vars(whole).items() if not key.startswith("_"))


def elements(whole: Any) -> Iterator[tuple[str, Any]]:
    """The parts of a list or a dictionary, each behind its path: `[0]`, `['w']`; plain data is passed over."""
    pairs = whole.items() if isinstance(whole, dict) else enumerate(whole)
    yield from ((f"[{key!r}]", part) for key, part in islice(pairs, MOST) if type(part) not in PLAIN)


def note_variables(log: EventLog, frame: FrameType) -> None:
    """Tell a log what the variables of a running function, and then those of its module, call their tensors."""
    for namespace in _namespaces(frame):
        note_names(log, namespace)


def name_held(frame: FrameType, within: Callable[[Any], str | None]) -> str | None:
    """The name of something in a running function or its module, by the first variable that holds it.

    `within` gives the path to it from the value of a variable: "" where it is the value itself, None where the value
    does not hold it.
    """
    with closing(_namespaces(frame)) as namespaces:
        for namespace in namespaces:
            for name, value in list(namespace.items()):
                if not name.startswith("_") and (part := within(value)) is not None:
                    return name + part
    return None


def _namespaces(frame: FrameType) -> Generator[Mapping[str, Any], None, None]:
    """The variables of a running function, and then those of its module."""
    namespace = frame.f_locals
    try:
        yield namespace
        if namespace is not frame.f_globals:
            yield frame.f_globals
    finally:
        if frame.f_code.co_flags & inspect.CO_OPTIMIZED and type(namespace) is dict:
            namespace.clear()  # a function's is a copy, which would keep alive whatever the function lets go of
