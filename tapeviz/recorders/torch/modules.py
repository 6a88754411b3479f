"""Calls of modules -> scopes with the modules' dotted names, the names of their parameters, and those of inputs."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from types import FrameType
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch.nn.modules.module import (
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)

from tapeviz.events.program.frames import is_library, open_scopes
from tapeviz.events.program.inspection import attributes, is_a, named, pairs
from tapeviz.events.types import Unwatched
from tapeviz.recorders.bindings import MOST, WRAPPED, has_parameters, modules_in, parameters_in, parts_of, tensors_of
from tapeviz.recorders.keras import is_layer, part_name, path_name, runs_on, scoped
from tapeviz.recorders.local_names import around_comprehensions, look_in, name_held
from tapeviz.recorders.patches import Registered, Row, Wrapped
from tapeviz.recorders.scopes import Scoped
from tapeviz.recorders.torch.buffers import Buffers
from tapeviz.recorders.torch.mode import FunctionMode
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.stack import unseen

Module = torch.nn.Module
WRAPPERS = (torch.nn.parallel.DistributedDataParallel, torch.nn.parallel.DataParallel)
"""What holds a whole model as its `module`, and is not spoken of: parameters have the names that the model has."""


class Modules:
    """The modules that are running, outermost first, and what they are called."""

    def __init__(self, session: Session, mode: FunctionMode) -> None:
        self._session = session
        self._mode = mode
        self._buffers = Buffers(session)
        self._paths: WeakKeyDictionary[Any, str] = WeakKeyDictionary()
        self._running: list[str] = []

    def rows(self) -> tuple[Row, ...]:
        """Hooks at the calls of modules, and at the making and registering of parameters, buffers and parts."""
        recording = self._mode.recording
        return (
            # Not `__call__`, which calls it: to set that takes long, as each of the many subclasses is told.
            Wrapped(Module, "_call_impl", self._calling),
            recording.after(Module, "register_buffer", self._buffered),
            Wrapped(torch.nn.Parameter, "__new__", self._making),
            *(recording.instead(owner, name, self._in_keras) for owner, name in self._parts_of_keras()),
            Registered(register_module_parameter_registration_hook, self._parameter_registered),
            Registered(register_module_module_registration_hook, self._module_registered),
        )

    def path(self, module: Any) -> str:
        """The dotted name of a module within the outermost one; "" of one that is not known, or of that itself."""
        return self._paths.get(module, "")

    def _calling(self, original: Any) -> Any:
        """Its own wrapper: whether it records also depends on this frame, in which a library may call a module."""
        session, mode, running = self._session, self._mode, self._running
        log = session.log

        def call(module: Any, *args: Any, **kwargs: Any) -> Any:
            if not mode.is_recording:
                return original(module, *args, **kwargs)
            before = session.caller, session.package_around
            frame, passed = session.enter_from(sys._getframe(1))
            name = self._name(module, frame)
            if not running:
                self._name_inputs(module, args, kwargs)
                self._buffers.measure(module, self.path)
            session.caller, session.package_around = frame, passed
            scope = Scoped(log, _within(running, name), frame, sys._getframe(), type(module).__name__)
            running.append(name)
            try:
                with scope:
                    return original(module, *args, **kwargs)
            finally:
                running.pop()
                session.caller, session.package_around = before

        open_scopes(call.__code__)
        return call

    @staticmethod
    def _parts_of_keras() -> Iterator[tuple[Any, str]]:
        """What of Keras' runs in a scope of its name, and is not called as a module is."""
        if runs_on("torch"):
            yield from (each for each in scoped() if not issubclass(each[0], Module) or each[1] != "__call__")

    def _in_keras(self, original: Any, part: Any, *args: Any, **kwargs: Any) -> Any:
        """A layer without state, or a loss."""
        session = self._session
        before = session.caller, session.package_around
        frame, passed = session.enter_from(sys._getframe(1))
        if isinstance(part, Module):
            self._learn(part, frame)
        session.caller, session.package_around = frame, passed
        scope = Scoped(session.log, part_name(part), frame, sys._getframe(), type(part).__name__)
        try:
            with scope:
                return original(part, *args, **kwargs)
        finally:
            session.caller, session.package_around = before

    open_scopes(_in_keras.__code__)

    def _name(self, module: Any, frame: FrameType) -> str:
        """The dotted name of a module within the outermost one that runs; of that one its class, or what it is called
        where the class is PyTorch's."""
        if module not in self._paths:
            self._learn(module, frame)
        if is_layer(module):
            return part_name(module)
        return self._paths.get(module) or _class_of(module).__name__

    def _name_inputs(self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Data that nothing has named yet is called as the model calls it: by the parameters of its `forward`."""
        ledger = self._session.ledger
        with unseen():
            for name, value in _arguments(module.forward, args, kwargs):
                if is_a(value, torch.Tensor) and not value.requires_grad and ledger.is_new(value):
                    ledger.give_name(value, name)

    def _learn(self, root: Any, frame: FrameType) -> None:
        """Learn the names of a module and its parts."""
        if self._running and not has_parameters(root):
            return
        wrappers = []
        while (inner := _wrapped(root)) is not None:
            wrappers.append(root)
            root = inner
        own = self._own_name(root, frame)
        for each in wrappers:
            self._paths[each] = ""  # it goes by its class, and is known
        modules = list(modules_in(root))
        for path, module in modules:
            self._paths[module] = _joined(own, path)
        for name, parameter in tensors_of(modules):
            self._session.ledger.give_name(parameter, path_name(own, name))

    def _own_name(self, root: Any, frame: FrameType) -> str:
        """The name of a module; "" for one of a user's class that is held by itself, as it goes by its class.

        A module that a running module keeps in a list or a dictionary is named by the path, `layers[0]`.
        """
        most = MOST if has_parameters(root) else 1
        frames = (around_comprehensions(frame), frame)
        held = ((at, name_held(at, lambda value: _path_in(value, root, most))) for at in frames)
        frame, found = next(((at, name) for at, name in held if name is not None), (frame, ""))
        holder, _, within = found.partition(".")
        outer = look_in(frame, lambda variables: dict(pairs(variables)).get(holder))
        if _wrapped(outer) is not None:  # the name of the model is that of what has it
            found = holder
        elif is_a(outer, Module) and outer is not root and outer in self._paths:
            return _joined(self._paths[outer], within)
        return found if _is_torchs(root) or "[" in found else ""

    def _making(self, original: Any) -> Any:
        """A parameter is made: where, and from which tensor of a graph."""
        session = self._session

        def new(cls: Any, data: Any = None, requires_grad: bool = True) -> Any:
            is_recorded = self._mode.is_recording
            try:
                # One of a class of tensors is made by ops.
                with self._mode.unrecorded() if is_recorded else nullcontext():
                    made = original(cls, data, requires_grad)
            except Exception as error:
                if is_recorded:
                    session.fail(error)
                raise
            if is_recorded:
                with unseen():
                    source = session.tensors.get(data)
                    parents = (source,) if source is not None and data.requires_grad else ()
                    frame, named = session.enter(1), session.in_users_code(1)
                    session.ledger.announce(made, parents, frame, named)
            return made

        return staticmethod(new)

    def _buffered(self, module: Any, name: str, tensor: Any, *args: Any, **kwargs: Any) -> None:
        self._buffers.registered()
        if tensor is None:
            return
        session = self._session
        with unseen():
            if session.in_users_code(1):
                session.note(Unwatched, (session.tape,), session.ledger.id_of(tensor))
                session.ledger.give_name(tensor, name)
            else:  # of a layer of PyTorch's, which the line gives its name to
                session.ledger.give_name(tensor, name, short=True)

    def _parameter_registered(self, module: Any, name: str, parameter: Any) -> None:
        """A module is given a parameter, under a name, in the place of one that it may have had there."""
        if parameter is not None and self._session.is_here:
            before = module._parameters.get(name)
            if before is not None and before is not parameter:
                self._session.ledger.replaced(before)
            path = self._paths.get(module)
            self._session.ledger.give_name(parameter, path_name(path or "", name), short=not path)

    def _module_registered(self, module: Any, name: str, part: Any) -> None:
        """A module becomes part of another, under a name; a slice of a `ModuleList` gives none to what has one."""
        self._buffers.registered()
        path = self._paths.get(module)
        if part is not None and self._session.is_here and (path or part not in self._paths):
            for own, parameter in parameters_in(part):
                self._session.ledger.give_name(parameter, path_name(path or "", f"{name}.{own}"), short=not path)


def _class_of(module: Any) -> type:
    """The user's class of a module, where PyTorch has made one of its own from that, as `fully_shard` does."""
    classes = [each for each in type(module).__mro__ if issubclass(each, Module)]
    return next((each for each in classes if each.__module__.partition(".")[0] != torch.__name__), type(module))


def _is_torchs(module: Any) -> bool:
    """Whether the class of a module says nothing of the user's program: `Sequential`, `Linear`."""
    return _class_of(module).__module__.partition(".")[0] == torch.__name__


def _wrapped(value: Any) -> Any:
    """The module that a wrapper of PyTorch's is about; None for any other value."""
    if any(is_a(value, each) for each in WRAPPERS):
        return value.module
    parts = named(attributes(value).get("_modules"))
    return next((part for name, part in parts if name in WRAPPED), None)


def _path_in(value: Any, module: Any, most: int) -> str | None:
    """Where in what a variable holds a module is: `.0` in a `Sequential`, `[0]` in a list, `.model` in a trainer.

    As many objects as `most` are looked at, without the parts of modules.
    """
    waiting, seen = [("", value)], {id(value)}
    for path, each in waiting:
        if each is module:
            return path
        if is_a(each, Module):
            inner = next((name for name, part in modules_in(each) if part is module), None)
            if inner is not None:
                return f"{path}.{inner}"
        parts = parts_of(each, _is_users)
        fresh = [(where, part) for where, part in parts if id(part) not in seen][: most - len(waiting)]
        seen.update(id(part) for _, part in fresh)
        waiting += [(path + where, part) for where, part in fresh]
    return None


def _is_users(value: Any) -> bool:
    """Whether it has parts, and its class is defined in the user's program; in a notebook it is in no file."""
    kind = type(value)
    module = sys.modules.get(kind.__module__)
    file = getattr(module, "__file__", None)
    return kind.__module__ == "__main__" or (file is not None and not is_library(file))


def _arguments(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The arguments of a call, by the names of the parameters; none of a call that does not fit, and will fail."""
    with suppress(TypeError, ValueError):
        signature = inspect.signature(function)
        for name, value in signature.bind(*args, **kwargs).arguments.items():
            kind = signature.parameters[name].kind
            if kind is inspect.Parameter.VAR_KEYWORD:
                yield from value.items()
            elif kind is not inspect.Parameter.VAR_POSITIONAL:
                yield name, value


def _joined(outer: str, inner: str) -> str:
    return f"{outer}.{inner}" if outer and inner else outer or inner


def _within(running: list[str], name: str) -> str:
    """A dotted name, without the part that the scope around it says already."""
    around = running[-1] if running else ""
    return name.removeprefix(f"{around}.") if around else name
