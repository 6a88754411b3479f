"""A class of `autograd.Function` -> how its calls are recorded, be it the user's or a library's that calls the user's.

What a function of the user's does in its `forward` is its own affair, but for what it reads besides its arguments: that
takes part, and gets no gradient. PyTorch has such functions too, that call the user's: a reentrant `checkpoint`. What
those compute is the user's affair, and autograd is off there. Another of them is where a module's backward hooks are
hung up.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torch.nn.modules._functions import BackwardHookFunction
from torch.utils.checkpoint import CheckpointFunction

from tapeviz.events.catalog import CAPTURED, CUSTOM, KEEPS_OWN
from tapeviz.events.program.frames import is_library
from tapeviz.events.types import SavedChanged
from tapeviz.recorders.torch.backward.saved import keeps_own
from tapeviz.recorders.torch.functional_collectives import about_followed, followed
from tapeviz.recorders.torch.ops import RecordedFunction
from tapeviz.recorders.torch.plumbing import HandingOn, hands_gradients_on
from tapeviz.recorders.torch.run_again import compared
from tapeviz.recorders.torch.transcript import Transcript
from tapeviz.recorders.torch.users_reads import reading
from tapeviz.recorders.torch.values import tensors_in


class CapturingOp(RecordedFunction):
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
        with reading(arguments, transcript) as reads:
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


class UserFunction(CapturingOp):
    """A call of a function that the user has defined, with a gradient of its own, as one op."""

    __slots__ = ()


class Calling(RecordedFunction):
    """A library's function that calls a function of the user's. It is logged as an op only if autograd follows it.

    PyTorch's own run that function again in the backward pass, and what it reads gets its gradient there.
    """

    __slots__ = ()
    is_closed = False

    def _one(self, start: int, out: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if out.requires_grad or self._session.tensors.get(out) is None:
            super()._one(start, out, args, kwargs)


class Checkpoint(Calling):
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


class Collective(Calling):
    """One that several processes compute together, and that autograd follows."""

    __slots__ = ()

    def __call__(self, func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self._more = about_followed(func.args[-1], args)  # as `_applying` has made it
        return super().__call__(func, types, args, kwargs)


class OfDistributed(Collective):
    """A method of a distributed tensor's, of which a log says where its parts were, and are."""

    __slots__ = ()

    def _one(self, start: int, out: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        super()._one(start, out, args[:1], {})


class CallingPackage(Calling, CapturingOp):
    """The same of another package, as the adjoint method of a solver is."""

    __slots__ = ()


class Hooked(RecordedFunction):
    """The function to which the backward hooks of a module are attached. It returns its arguments, mostly one tensor in
    a tuple, which the module unpacks."""

    __slots__ = ()
    is_closed = False

    def _many(self, start: int, out: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if len(out) == 1:
            self._one(start, out[0], args, kwargs)
        else:
            super()._many(start, out, args, kwargs)


def recorded_as(cls: Any) -> type[RecordedFunction]:
    """How to treat the calls of one function."""
    if cls is BackwardHookFunction:
        return Hooked
    if not _is_librarys(cls):
        return UserFunction
    if name := followed(cls):
        return OfDistributed if name.startswith("dtensor.") else Collective
    if cls is CheckpointFunction:
        return Checkpoint
    if hands_gradients_on(cls):
        return HandingOn
    return Calling if cls.__module__.startswith("torch.") else CallingPackage


def _is_librarys(cls: Any) -> bool:
    """Whether a function is defined in a library; one without Python code counts as the user's."""
    code = getattr(cls.forward, "__code__", None)
    return code is not None and is_library(code.co_filename)
