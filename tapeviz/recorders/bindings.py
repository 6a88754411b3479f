"""The variables of a program -> names for the tensors that they hold, where no line has given them one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import chain, islice
from types import FrameType
from typing import Any

from tapeviz.events.log import EventLog
from tapeviz.recorders.local_names import look_around

VARIABLES = "trainable_variables"
"""An attribute of every module of TensorFlow, Keras and tapeviz."""
MOST = 1_000
"""Elements of a list or a dictionary that are looked at: what is longer is data, such as a vocabulary."""
PLAIN = frozenset((bool, bytes, float, int, str, type(None)))
"""The classes of values that are no tensors and contain none."""


def note_names(log: EventLog, namespace: Mapping[str, Any]) -> None:
    """Tell a log by which names a program refers to its tensors.

    Of several names of a tensor the first one is used. Names with a leading underscore are ignored. The log uses these
    names only for a tensor that has no other name, or whose name several tensors have. The parts of a module are named
    by their path, `net.first.w`, even if a plain variable refers to one as well: that is usually a loop's variable.
    """
    public = {name: value for name, value in namespace.items() if not name.startswith("_")}
    torch = sys.modules.get("torch")
    for name, module in public.items():
        if torch and isinstance(module, torch.nn.Module):
            for part, tensor in chain(module.named_parameters(), module.named_buffers()):
                log.bind(tensor, f"{name}.{part}")
        elif _is_module(module):
            _note_parts(log, module, name)
    for name, value in public.items():
        log.bind(value, name)


def _note_parts(log: EventLog, root: Any, name: str) -> None:
    """Tell a log the paths of all tensors in a module, at any depth."""
    met: set[int] = set()
    waiting = [(name, root)]
    for path, value in waiting:
        parts = list(parts_of(value, _is_module))
        if not parts:
            log.bind(value, path)
        elif id(value) not in met:
            met.add(id(value))
            waiting += ((path + step, part) for step, part in parts)


def _is_module(value: Any) -> bool:
    return hasattr(type(value), VARIABLES)


def parts_of(whole: Any, is_whole: Callable[[Any], bool]) -> Iterator[tuple[str, Any]]:
    """The parts of a list, a dictionary or an object that `is_whole`, as pairs of path (`[0]`, `['w']`, `.w`) and part.

    Plain data in lists and dictionaries is left out.
    """
    if isinstance(whole, (list, tuple, dict)):
        pairs = whole.items() if isinstance(whole, dict) else enumerate(whole)
        yield from ((f"[{key!r}]", part) for key, part in islice(pairs, MOST) if type(part) not in PLAIN)
    elif is_whole(whole):
        yield from ((f".{key}", part) for key, part in vars(whole).items() if not key.startswith("_"))


def note_variables(log: EventLog, frame: FrameType) -> None:
    """Tell a log the names that a running function, and then its module, have for their tensors."""
    look_around(frame, lambda variables: note_names(log, variables))
