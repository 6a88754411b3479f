"""The variables of a program -> names for the tensors that they hold, where no line has given them one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from types import FrameType
from typing import Any

from tapeviz.events.log import EventLog
from tapeviz.events.program.inspection import PLAIN, attributes, has_in_class, is_a, items, named, public
from tapeviz.recorders.keras import path_name
from tapeviz.recorders.local_names import look_around

VARIABLES = "trainable_variables"
"""An attribute of every module of TensorFlow, Keras and tapeviz."""
WRAPPED = frozenset({"_fsdp_wrapped_module", "_checkpoint_wrapped_module"})
"""By what names PyTorch's wrappers hold the module that they wrap; it leaves these out of the names of parameters."""
MOST = 1_000
"""Elements of a list or a dictionary that are looked at: what is longer is data, such as a vocabulary."""


def note_names(log: EventLog, namespace: Mapping[str, Any]) -> None:
    """Tell a log by which names a program refers to its tensors.

    Of several names of a tensor the first one is used. Names with a leading underscore are ignored. The log uses these
    names only for a tensor that has no other name, or whose name several tensors have. The parts of a module are named
    by their path, `net.first.w`, even if a plain variable refers to one as well: that is usually a loop's variable.
    """
    variables = list(public(namespace))
    torch = sys.modules.get("torch")
    for name, module in variables:
        if torch and is_a(module, torch.nn.Module):
            for part, tensor in tensors_in(module):
                log.bind(tensor, path_name(name, part))
        elif _is_module(module):
            _note_parts(log, module, name)
    for name, value in variables:
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
    return has_in_class(value, VARIABLES)


def parts_of(whole: Any, is_whole: Callable[[Any], bool]) -> Iterator[tuple[str, Any]]:
    """The parts of a list, a dictionary or an object that `is_whole`, as pairs of path (`[0]`, `['w']`, `.w`) and part.

    Plain data in lists and dictionaries is left out, and what has a key that is no plain data.
    """
    held = items(whole)
    if held is not None:
        several = ((key, part) for key, part in islice(held, MOST) if type(part) not in PLAIN)
        yield from ((f"[{key!r}]", part) for key, part in several if type(key) in PLAIN)
    elif is_whole(whole):
        yield from ((f".{key}", part) for key, part in public(attributes(whole)))


def modules_in(root: Any) -> Iterator[tuple[str, Any]]:
    """A module of PyTorch's and those inside, each once, with their paths: as `named_modules`, which a class of the
    program's may define."""
    met: set[int] = set()
    waiting = [("", root)]
    while waiting:
        path, module = waiting.pop()
        if module is not None and id(module) not in met:
            met.add(id(module))
            yield path, module
            held = attributes(module).get("_modules")
            if held is not None and (type(held) is not dict or held):  # most have no parts
                parts = reversed(list(named(held)))
                waiting += ((path if name in WRAPPED else _joined(path, name), part) for name, part in parts)


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _tensors(modules: Iterable[tuple[str, Any]], kind: str) -> Iterator[tuple[str, Any]]:
    met: set[int] = set()
    for path, module in modules:
        for name, tensor in named(attributes(module).get(kind)):
            if tensor is not None and id(tensor) not in met:
                met.add(id(tensor))
                yield _joined(path, name), tensor


def parameters_in(root: Any) -> Iterator[tuple[str, Any]]:
    """The parameters of a module of PyTorch's and of those inside, each once, with their paths."""
    return _tensors(modules_in(root), "_parameters")


def has_parameters(root: Any) -> bool:
    """Whether there are any."""
    return next(parameters_in(root), None) is not None


def tensors_in(root: Any) -> Iterator[tuple[str, Any]]:
    """The parameters, and then the buffers."""
    return tensors_of(list(modules_in(root)))


def tensors_of(modules: list[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """The same of the modules that `modules_in` gives."""
    return chain(_tensors(modules, "_parameters"), _tensors(modules, "_buffers"))


def note_variables(log: EventLog, frame: FrameType) -> None:
    """Tell a log the names that a running function, and then its module, have for their tensors."""
    look_around(frame, lambda variables: note_names(log, variables))
