"""Calls of `autograd.Function.apply` -> one op each, named by the class; what its `forward` does is its own affair.

But for what it reads besides its arguments, as from a closure or an attribute: it takes part, and gets no gradient.

PyTorch has such functions too, that call the user's: a reentrant `checkpoint`. What those compute is the user's
affair, and autograd is off there. Another of them is where a module's backward hooks are hung up. And it makes one of
what the user registers with an operator of `torch.library`: that is an op already, and has a gradient of the user's.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

import torch
from torch.nn.modules._functions import BackwardHookFunction
from torch.overrides import TorchFunctionMode
from torch.utils.checkpoint import CheckpointFunction

from tapeviz.events.catalog import CAPTURED, CUSTOM, KEEPS_OWN, RECOMPUTED
from tapeviz.events.program.frames import is_library
from tapeviz.events.program.inspection import arguments_of
from tapeviz.events.types import SavedChanged
from tapeviz.recorders.patches import Row, Wrapped
from tapeviz.recorders.torch.backward.saved import keeps_own
from tapeviz.recorders.torch.functional_collectives import about_followed, followed
from tapeviz.recorders.torch.kinds import kind_of
from tapeviz.recorders.torch.mode import FunctionMode
from tapeviz.recorders.torch.ops import RecordedFunction, running_op
from tapeviz.recorders.torch.pauses import Pauses
from tapeviz.recorders.torch.plumbing import HandingOn, hands_gradients_on
from tapeviz.recorders.torch.registered import RegisteredGradient, registered_with
from tapeviz.recorders.torch.run_again import compared
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.stack import count, seen, unseen
from tapeviz.recorders.torch.transcript import Transcript
from tapeviz.recorders.torch.values import tensors_in
from tapeviz.recorders.torch.witnesses import Draws

Function = torch.autograd.Function


class CustomFunctions:
    """Hooks for functions that define their own gradients."""

    def __init__(self, session: Session, mode: FunctionMode, pauses: Pauses) -> None:
        self._session = session
        self._mode = mode
        self._pauses = pauses
        self._ops: dict[Any, RecordedFunction] = {}

    def rows(self) -> list[Row]:
        """A hook at the class method `apply`, which all such functions inherit."""
        return [Wrapped(Function, "apply", self._applying)]

    def _applying(self, before: Any) -> Any:
        def original(cls: Any, *args: Any, **kwargs: Any) -> Any:
            return before.__get__(None, cls)(*args, **kwargs)  # a class method, of PyTorch's C from 2.15 on

        def apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
            within = running_op() if self._mode.is_recording else None
            if within is not None and (registered := registered_with(cls)) is not None:
                return self._registered(partial(original, cls, *args, **kwargs), cls, args, within, registered)
            if within is not None or not self._mode.is_recording:
                return original(cls, *args, **kwargs)
            self._session.open()
            with unseen():  # this is no call of a public function, around which PyTorch asks no mode
                run = partial(self._run, original, cls)
                return self._witnessed(lambda: self._op(cls)(run, (), args, kwargs), cls, args)

        return classmethod(apply)

    def _registered(
        self, call: Any, cls: Any, args: tuple[Any, ...], op: RecordedFunction, registered: RegisteredGradient
    ) -> Any:
        """The call of an operator, whose kernel may be computed again for a witness of the gradient of the user's."""
        op.has_gradient_of_the_users(registered.rule)
        transcript = self._session.witnesses.transcript(cls, args)
        if transcript is None:
            return call()
        draws = Draws()
        with _reading(args, transcript):
            out = call()
        self._session.witnesses.prepare(cls, args, out, transcript, draws, registered.arguments)
        return out

    def _witnessed(self, call: Any, cls: Any, args: tuple[Any, ...]) -> Any:
        """The call of a user's function, which may be computed again for a witness of its gradient."""
        op = self._op(cls)
        if not isinstance(op, _Own):
            return call()
        transcript = self._session.witnesses.transcript(cls, args)
        if transcript is None:
            return call()
        draws, op.transcript = Draws(), transcript
        try:
            out = call()
        finally:
            op.transcript = None
        self._session.witnesses.prepare(cls, args, out, transcript, draws, _arguments(cls))
        return out

    def _run(self, original: Any, cls: Any, *args: Any, **kwargs: Any) -> Any:
        with ExitStack() as around:
            around.enter_context(seen())
            op = self._op(cls)
            if isinstance(op, _Own):
                around.enter_context(self._mode.unrecorded())
            else:
                around.enter_context(self._pauses.pause())
                package = cls.__module__.partition(".")[0]
                around.enter_context(self._mode.only_user_functions(sys._getframe(), package))
            if isinstance(op, _Reading):
                around.enter_context(op.reading(args))
            return original(cls, *args, **kwargs)

    def _op(self, cls: Any) -> RecordedFunction:
        if cls not in self._ops:
            name = "backward_hook" if cls is BackwardHookFunction else followed(cls) or cls.__name__
            kind = _kind_of(cls)
            self._ops[cls] = kind(self._session, cls, name, (CUSTOM, RECOMPUTED) if kind is _Checkpoint else (CUSTOM,))
        return self._ops[cls]


def _arguments(cls: Any) -> tuple[str, ...]:
    """What `forward` of a user's function calls what it is given."""
    own = arguments_of(cls.forward)
    return own if cls.setup_context is not torch.autograd.function._SingleLevelFunction.setup_context else own[1:]


def _is_librarys(cls: Any) -> bool:
    """Whether a function is defined in a library; one without Python code counts as the user's."""
    code = getattr(cls.forward, "__code__", None)
    return code is not None and is_library(code.co_filename)


class _Reads(TorchFunctionMode):
    """Sees what a function reads that wants a gradient, and is not among its `arguments`."""

    def __init__(self, arguments: tuple[Any, ...], transcript: Transcript | None) -> None:
        super().__init__()
        self._transcript = transcript
        self._made: dict[int, torch.Tensor] = {}
        self._arguments = {id(each) for each in arguments}  # autograd looks into no structure
        self._found: dict[int, torch.Tensor] = {}

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        with unseen():
            if kind_of(func) == "watch":
                self._made[id(args[0])] = args[0]
            new = [each for each in tensors_in((args, kwargs or {})) if self._is_read_besides(each)]
            if new and kind_of(func) in ("op", "enter", "read"):
                self._found.update((id(each), each) for each in new)
            call = None if self._transcript is None else self._transcript.before(func, args, kwargs or {})
        out = func(*args, **(kwargs or {}))
        with unseen():
            if call is not None and self._transcript is not None:
                self._transcript.after(call, out)
            self._made.update((id(each), each) for each in tensors_in((out,)) if each.requires_grad)
        return out

    def _is_read_besides(self, tensor: torch.Tensor) -> bool:
        """Autograd is off in here, so that what is computed wants no gradient; what is made may want one, though."""
        return tensor.requires_grad and id(tensor) not in self._arguments and id(tensor) not in self._made

    @property
    def found(self) -> tuple[torch.Tensor, ...]:
        return tuple(self._found.values())


@contextmanager
def _reading(arguments: tuple[Any, ...], transcript: Transcript | None) -> Iterator[_Reads]:
    """A block in which a function of the user's runs."""
    if transcript is not None and count():
        transcript.spoil()  # a mode of the program's may change what functions give
    reads = _Reads(arguments, transcript)
    with reads:
        yield reads


class _Reading(RecordedFunction):
    """A function with its own gradient. What it reads besides its arguments are its last inputs, which get none."""

    __slots__ = ("_captured", "transcript")
    is_closed = False

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.transcript: Transcript | None = None

    @contextmanager
    def reading(self, arguments: tuple[Any, ...]) -> Iterator[None]:
        """A block in which the function runs."""
        transcript, self.transcript = self.transcript, None  # what it calls in turn is noted as a part of it
        with _reading(arguments, transcript) as reads:
            yield
        self._captured = reads.found

    def _one(self, start: int, out: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        super()._one(start, out, self._all_read(args, out), kwargs)

    def _many(self, start: int, out: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        super()._many(start, out, self._all_read(args, out), kwargs)

    def _all_read(self, args: tuple[Any, ...], out: Any) -> tuple[Any, ...]:
        captured, self._captured = self._captured, ()
        self._more = (CUSTOM, (CAPTURED, len(captured))) if captured else (CUSTOM,)
        if keeps_own(out, tensors_in(args)):
            self._more += (KEEPS_OWN,)
        return *args, *captured


class _Own(_Reading):
    """A function of the user's."""

    __slots__ = ()


class _Calling(RecordedFunction):
    """A library's function that calls a function of the user's. It is logged as an op only if autograd follows it.

    PyTorch's own run that function again in the backward pass, and what it reads gets its gradient there.
    """

    __slots__ = ()
    is_closed = False

    def _one(self, start: int, out: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if out.requires_grad or self._session.tensors.get(out) is None:
            super()._one(start, out, args, kwargs)


class _Checkpoint(_Calling):
    """A reentrant checkpoint, whose function computes something else the second time if what it reads has changed."""

    __slots__ = ()

    def __call__(self, func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        results: list[int] = []
        function = compared(args[0], lambda: self._note_change(results))
        out = super().__call__(func, types, (function, *args[1:]), kwargs)
        known = self._session.tensors
        results.extend(raw_id for each in tensors_in((out,)) if (raw_id := known.get(each)) is not None)
        return out

    def _note_change(self, results: list[int]) -> None:
        if results and self._session.is_here:
            self._session.log.append(SavedChanged, None, results[0], None, True)


class _Collective(_Calling):
    """One that several processes compute together, and that autograd follows."""

    __slots__ = ()

    def __call__(self, func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self._more = about_followed(func.args[-1], args)  # as `_applying` has made it
        return super().__call__(func, types, args, kwargs)


class _OfDistributed(_Collective):
    """A method of a distributed tensor's, of which a log says where its parts were, and are."""

    __slots__ = ()

    def _one(self, start: int, out: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        super()._one(start, out, args[:1], {})


class _CallingPackage(_Calling, _Reading):
    """The same of another package, as the adjoint method of a solver is."""

    __slots__ = ()


class _Hooked(RecordedFunction):
    """The function to which the backward hooks of a module are attached. It returns its arguments, mostly one tensor in
    a tuple, which the module unpacks."""

    __slots__ = ()
    is_closed = False

    def _many(self, start: int, out: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if len(out) == 1:
            self._one(start, out[0], args, kwargs)
        else:
            super()._many(start, out, args, kwargs)


def _kind_of(cls: Any) -> type[RecordedFunction]:
    """How to treat the calls of one function."""
    if cls is BackwardHookFunction:
        return _Hooked
    if not _is_librarys(cls):
        return _Own
    if name := followed(cls):
        return _OfDistributed if name.startswith("dtensor.") else _Collective
    if cls is CheckpointFunction:
        return _Checkpoint
    if hands_gradients_on(cls):
        return HandingOn
    return _Calling if cls.__module__.startswith("torch.") else _CallingPackage
