"""A tensor of tinygrad's -> what the program calls it: a variable, or a path in one of its objects, as `net.l1.weight`.

tinygrad has no class of modules: any object may hold tensors, and any list.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from types import FrameType
from typing import Any

from tinygrad.nn.optim import Optimizer

from tapeviz.events.program.frames import outward
from tapeviz.events.program.inspection import PLAIN, attributes, items, named, public
from tapeviz.recorders.local_names import called_in, look_in

DEEPEST = 5
MOST = 1_000
"""Objects that are looked through for one name."""


def name_of(frame: FrameType, tensor: Any, home: FrameType | None) -> str | None:
    """The name of a tensor in a running function or its callers; None if they do not know it."""
    called = called_in(frame, tensor, home)
    plain = called if called is None or "." not in called else None
    own: str | None = None
    for at in outward(frame):
        path = look_in(at, lambda variables: _path_in(public(variables), tensor))
        if path is not None and "." in path and not path.startswith("self."):
            return path
        own = own or path
        if at.f_code.co_name == "<module>":
            break
    return plain or own


def _path_in(variables: Any, tensor: Any) -> str | None:
    waiting = [(name, value, 0) for name, value in variables if type(value) not in PLAIN]
    met: set[int] = set()
    plain: str | None = None
    for path, value, depth in islice(waiting, MOST):
        if value is tensor and depth:
            return str(path)
        if value is tensor:
            plain = plain or str(path)
        if id(value) in met or depth == DEEPEST:
            continue
        met.add(id(value))
        waiting += [(path + step, part, depth + 1) for step, part in _parts(value) if type(part) not in PLAIN]
    return plain


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    held = items(value)
    if held is not None:
        yield from ((f"[{key!r}]", part) for key, part in islice(held, MOST))
    elif not isinstance(value, (type, Optimizer)) and not callable(getattr(type(value), "__get__", None)):
        yield from ((f".{key}", part) for key, part in named(attributes(value)))
