"""Calls of PyTorch's public functions -> records: each goes to the part of the recorder that its kind asks for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from itertools import takewhile
from threading import get_ident
from types import FrameType
from typing import Any

import numpy as np
from torch.overrides import TorchFunctionMode

from tapeviz.events.program.frames import is_library, name_in_package, opens_scopes, outward
from tapeviz.events.types import ReadOut, StateWritten, Unwatched, Watched
from tapeviz.recorders.hooks import When
from tapeviz.recorders.naming import name_by_line
from tapeviz.recorders.session import recorded
from tapeviz.recorders.torch.composite import CompositeFunction
from tapeviz.recorders.torch.function_bodies import skipping_one_hop
from tapeviz.recorders.torch.functional_collectives import DispatchedCollective, is_dispatched
from tapeviz.recorders.torch.grad_attribute import GradAttribute
from tapeviz.recorders.torch.kinds import READ_OUTS, kind_of, name_of
from tapeviz.recorders.torch.ops import OVERWRITING, OverwritingFunction, RecordedFunction
from tapeviz.recorders.torch.pauses import Pauses
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.stack import at, count, pop, push, unseen, with_modes, without_modes
from tapeviz.recorders.torch.tensor_likes import PLAIN, act_as_tensors, hand_over
from tapeviz.recorders.torch.writes import Write

Handler = Callable[[Any, Any, tuple[Any, ...], dict[str, Any]], Any]


class FunctionMode(TorchFunctionMode):
    """Sees every public call of the thread; while `quiet`, it lets them pass."""

    def __init__(self, session: Session, gradients: GradAttribute, pauses: Pauses) -> None:
        super().__init__()
        self._session = session
        self._gradients = gradients
        self._pauses = pauses
        self._handlers: dict[Any, Handler] = {}
        self.quiet = False
        self._within: FrameType | None = None
        self._package = ""
        self._step: FrameType | None = None
        self._guard: AbstractContextManager[None] = nullcontext()

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        session = self._session
        is_here = recorded.get() is session.log and get_ident() == session.thread  # in less time than `is_recording`
        if not is_here or (self.quiet and self._looks_away()):
            return func(*args, **(kwargs or {}))
        handler = self._handlers.get(func)
        if type(handler) is RecordedFunction and types in PLAIN and not (kwargs or count()):  # by far the commonest
            return handler.__call__(func, types, args, {})
        asks = bool(types) and types not in PLAIN
        if asks and act_as_tensors(types):
            entered = CompositeFunction(self._session, self, hand_over, hand_over, name_of(func))
            out = entered(func, types, args, kwargs or {})
            if out is not NotImplemented:
                return out
        if handler is None:
            handler = self._handlers[func] = self._handler(func)
        if kwargs is None:
            kwargs = {}
        elif kwargs.get("out") is not None and type(handler) is RecordedFunction:
            handler = Write(self._session, self._gradients, func, name_of(func))
        if (asks or count()) and type(handler) is not CompositeFunction:
            return without_modes(handler)(with_modes(func), types, args, kwargs)
        return handler(func, types, args, kwargs)

    @property
    def recording(self) -> When:
        """Makes rows whose actions run only while `is_recording`."""
        return When(lambda: self.is_recording)

    @property
    def is_recording(self) -> bool:
        """Whether what this thread does now is recorded."""
        return self._session.is_here and not (self.quiet and self._looks_away())

    @contextmanager
    def unrecorded(self) -> Iterator[None]:
        """A block whose calls are not recorded."""
        outer = self.quiet, self._within
        self.quiet, self._within = True, None
        on_top = count() > 0 and at(count() - 1) is self
        if on_top:
            pop()
        try:
            yield
        finally:
            self.quiet, self._within = outer
            if on_top:
                push(self)

    @contextmanager
    def only_user_functions(self, frame: FrameType, package: str) -> Iterator[None]:
        """A block, in `frame`, in which only the calls of functions that the library was given are recorded.

        They are the user's, or those of another package than the library's own.
        """
        outer = self.quiet, self._within, self._package
        self.quiet, self._within, self._package = True, frame, package
        try:
            yield
        finally:
            self.quiet, self._within, self._package = outer

    def begin_step(self, frame: FrameType, plain: bool) -> FrameType:
        """An optimizer steps, in `frame`: a thousand small calls, which should not even be handed to the mode.

        Within another step it is a part of that one; the frame of the outermost is returned. `plain`: no parameter is
        of a class that answers calls.
        """
        self._notice_lost_step()
        if self._step is None:
            self.quiet = True
            self._step = frame
            self._guard = unseen() if plain and count() == 1 else nullcontext()  # the program's own modes see each
            self._guard.__enter__()
        return self._step

    def end_step(self, frame: FrameType | None = None) -> None:
        """The step has ended; if a `frame` is given, only the step that began in it."""
        if self._step is not None and frame in (None, self._step):
            self._guard.__exit__(None, None, None)
            self._step = None
            self.quiet = False

    def _looks_away(self) -> bool:
        """Whether the mode is quiet, and the call does not come from a user function that a library has called."""
        self._notice_lost_step()
        return self.quiet and not (self._within is not None and _is_called_back(self._within, self._package))

    def _notice_lost_step(self) -> None:
        """End a step that was left by an exception, so that its frame is no longer on the stack."""
        if self._step is not None and self._step not in outward(sys._getframe(1)):
            self.end_step()

    def _handler(self, func: Any) -> Handler:
        """The handler for the calls of one function."""
        session, name = self._session, name_of(func)
        if is_dispatched(func):
            return DispatchedCollective(session, func)
        match kind_of(func):
            case "op" if name in ("detach", "data"):
                return _Alias(session, func, name)
            case "op" if name in OVERWRITING:
                return OverwritingFunction(session, func, name)
            case "op":
                return RecordedFunction(session, func, name)
            case "enter":
                op = RecordedFunction(session, func, name)
                return CompositeFunction(session, self, skipping_one_hop(func), op, name)
            case "write":
                return Write(session, self._gradients, func, name)
            case "read":
                return _ReadOut(session, READ_OUTS[name])
            case "watch":
                return self._watch
            case "gradient":
                return self._gradients.access
            case "pause":
                return self._pauses.switch
            case "assign":
                return self._assign
            case "backward":
                return self._backward
            case "retain":
                return self._retain
        return _pass

    def _watch(self, func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """`t.requires_grad_()` and `t.requires_grad = True`."""
        tensor, session = args[0], self._session
        before = tensor.requires_grad
        try:
            out = func(*args, **kwargs)
        except Exception as error:
            session.fail(error)
            raise
        if tensor.requires_grad is not before and tensor.is_leaf:
            if before:
                session.note(Unwatched, (session.tape,), session.ledger.id_of(tensor))
            else:
                raw_id = session.ledger.id_of(tensor)
                session.note(Watched, (session.tape,), raw_id, None, "explicit")
                # `x = x.detach().requires_grad_()` names what no op gives
                name_by_line(session.log, (), (raw_id,), session.place())
        return out

    def _retain(self, func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """`t.retain_grad()`."""
        self._session.ledger.retain(args[0])
        return func(*args, **kwargs)

    def _assign(self, func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """`t.data = value`."""
        tensor, value = args
        session = self._session
        out = func(*args, **kwargs)
        known = session.tensors.get(tensor) is not None or session.tensors.get(value) is not None
        if known and session.tensors.original(value) is not tensor:
            raw_id, source = map(session.ledger.id_of, (tensor, value))
            if source != raw_id:  # as a module does when it is moved to where it is
                session.note(StateWritten, source, raw_id, session.values.hold(tensor, raw_id), ".data = ")
        return out

    def _backward(self, func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """`t.backward()` and `autograd.grad`: what autograd does is seen where it starts its engine."""
        try:
            return func(*args, **kwargs)
        except Exception as error:
            self._session.fail(error)
            raise


class _Alias(RecordedFunction):
    """`t.detach()` and `t.data`: an op without derivative, whose result shares the elements."""

    __slots__ = ()
    is_closed = False

    def __call__(self, func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        out = super().__call__(func, types, args, kwargs)
        self._session.tensors.share(out, args[0])
        self._session.values.follow(out, args[0])
        return out


class _ReadOut:
    """A function that gives a tensor's numbers to the program, or its memory to another library."""

    __slots__ = ("_how", "_session")

    def __init__(self, session: Session, how: str) -> None:
        self._session = session
        self._how = how

    def __call__(self, func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            out = func(*args, **kwargs)
        except Exception as error:
            self._session.fail(error)
            raise
        self._session.note(ReadOut, None, self._session.ledger.id_of(args[0]), None, self._how)
        if isinstance(out, np.ndarray) or self._how == READ_OUTS["__dlpack__"]:
            self._session.lent.lend(args[0])
        return out


def _is_called_back(within: FrameType, package: str) -> bool:
    """Whether a library that runs in a frame has called a module, or a function that is none of its own."""
    inside = takewhile(lambda frame: frame is not within, outward(sys._getframe(2)))
    return any(opens_scopes(frame.f_code) or _is_given(frame.f_code.co_filename, package) for frame in inside)


@cache
def _is_given(filename: str, package: str) -> bool:
    """Whether a file is the user's, or of a package besides this one, PyTorch and tapeviz."""
    if not is_library(filename):
        return True
    inner = name_in_package(filename)
    return inner is not None and inner.partition("/")[0] not in (package, "torch", "tapeviz")


def _pass(func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return func(*args, **kwargs)
