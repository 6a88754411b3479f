"""Calls of compiled functions, which stay compiled -> nothing of the recorder's is in their sight.

What a compiled function may do was decided for the state of the program in which it was compiled: function modes,
global hooks, and PyTorch's own functions, which it looks at again at each call. Where something has changed, it is
compiled once more, with the recorder's functions as a part of the program. So all of these are taken away while such
a function runs, and each graph of it tells of itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module
from threading import get_ident
from types import FrameType
from typing import Any

import torch

from tapeviz.events.program.frames import PACKAGE_FILES, users_frame
from tapeviz.recorders.hooks import ALWAYS
from tapeviz.recorders.patches import Patches, Row
from tapeviz.recorders.torch import stack
from tapeviz.recorders.torch.compiled.compiler import ASKS, MODULE, Compiler, name_of
from tapeviz.recorders.torch.compiled.graphs import CompiledGraph, CompiledGraphs
from tapeviz.recorders.torch.compiled.hooks import hooks_in
from tapeviz.recorders.torch.compiled.opened import EagerlyRunFunctions
from tapeviz.recorders.torch.compiled.running import RunningFunction
from tapeviz.recorders.torch.compiled.side_recording import SideRecording
from tapeviz.recorders.torch.mode import FunctionMode
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.stack import seen

_ENGINE = id(torch.autograd), "_engine_run_backward"
"""Where backward passes begin: a compiled function may leave the compiled code for one, and it is recorded."""
_SETS, _CONVERTS, _KEEPS = "_maybe_set_eval_frame", "CatchErrorsWrapper", "CleanupManager"
_CONVERTING = "torch._dynamo.convert_frame"


def can_stay_compiled() -> bool:
    """Whether this version of PyTorch has all that is needed to see compiled functions from outside."""
    has = ((MODULE, ASKS), (MODULE, _SETS), (_CONVERTING, _CONVERTS), ("torch._dynamo.utils", _KEEPS))
    return all(hasattr(import_module(module), name) for module, name in has)


class _OutermostCall:
    """A compiled function that runs in a thread, the outermost of those that call each other.

    Attributes:
        wrapper: the frame in which the compiler calls it.
        is_running: whether it has been called yet.
        back: what puts the recorder back, in reverse order.
    """

    __slots__ = ("back", "is_running", "wrapper")

    def __init__(self, wrapper: FrameType) -> None:
        self.wrapper = wrapper
        self.is_running = False
        self.back: list[Callable[[], None]] = []


class CompiledFunctions(Compiler):
    """The compiled functions that run, in whatever thread: what is taken away for one is so in all."""

    def __init__(self, session: Session, mode: FunctionMode, patches: Patches) -> None:
        super().__init__(session, patches)
        self._mode = mode
        self._patches = patches
        self._opened = EagerlyRunFunctions(session, patches)
        self._graphs = CompiledGraphs(session, self.hooks, self._run)
        self._running: RunningFunction | None = None
        self._times: Counter[str] = Counter()
        self._calls: dict[int, _OutermostCall] = {}
        patches.finally_(self._end_all)

    @cached_property
    def _side(self) -> SideRecording:
        """Made for the first compiled function: most recordings meet none."""
        return SideRecording(self._session)

    def compilers(self) -> list[Row]:
        """Hooks around the call of a compiled function, and around its compilation; else it is opened."""
        if not can_stay_compiled():
            return self._opened.compilers()
        frames, converting = import_module(MODULE), import_module(_CONVERTING)
        self._graphs.find()
        self._graphs.tracer.watch(self.hooks)
        return [
            ALWAYS.instead(frames, ASKS, self._decide),
            ALWAYS.instead(frames, _SETS, self._set),
            ALWAYS.instead(getattr(converting, _CONVERTS), "__call__", self._compile),
        ]

    def _decide(self, ask: Any, callback: Any) -> Any:
        answer = ask(callback)
        wrapper = users_frame(1)
        runs = answer is not None and answer is not False and "fn" in wrapper.f_code.co_freevars
        if runs and get_ident() not in self._calls:
            self._begin(wrapper)
        return answer

    def _set(self, put: Any, callback: Any) -> Any:
        """Compiled code is switched on, or off again when the function has returned."""
        call = self._calls.get(get_ident())
        if call is not None and users_frame(1) is call.wrapper:
            if call.is_running:
                self._end(get_ident())
            else:
                call.is_running = True
        return put(callback)

    def _begin(self, wrapper: FrameType) -> None:
        call = self._calls[get_ident()] = _OutermostCall(wrapper)
        if self._session.is_here:
            if self._mode.is_recording:
                caller = self._session.enter(1)
                self._session.open()
                about = name_of(wrapper), hooks_in(wrapper), caller, self._times
                self._running = RunningFunction(self._session, *about, self._recording, self._side)
            if (back := stack.lift(self._mode)) is not None:
                call.back.append(back)
        call.back.append(self._lift())

    def _lift(self) -> Callable[[], None]:
        return self._patches.lift(keeping=(_ENGINE,))

    @contextmanager
    def _recording(self) -> Iterator[None]:
        """A block in the middle of a call in which the recorder is back, alone."""
        call = self._calls[get_ident()]
        call.back.pop()()
        try:
            with seen(), stack.only(self._mode):
                yield
        finally:
            call.back.append(self._lift())

    def _end(self, thread: int) -> None:
        back = self._calls[thread].back
        while back:
            back.pop()()
        del self._calls[thread]
        running = self._running
        if running is not None and thread == self._session.thread:
            self._running = None
            running.finish()

    def _run(self, graph: CompiledGraph, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """A graph is called."""
        running = self._running if self._session.is_here else None
        return function(*args) if running is None else running.run(graph, function, args)

    def _end_all(self) -> None:
        """The recording ends: also in a call that Ctrl-C has broken off, or in the middle of another thread's."""
        for thread in list(self._calls):
            self._end(thread)

    def _compile(self, convert: Any, compiler: Any, frame: FrameType, *args: Any, **kwargs: Any) -> Any:
        """A frame is compiled: what the compiler makes of it is looked for.

        Of the recorder's own, only what CPython calls when the program frees a tensor can run there: that is not.
        """
        if frame.f_code.co_filename in PACKAGE_FILES:
            nothing = getattr(import_module("torch._dynamo.types"), "ConvertFrameReturn", None)
            return None if nothing is None else nothing()
        if not self._session.is_here:
            return convert(compiler, frame, *args, **kwargs)
        with self._mode.unrecorded():  # the tracer takes gradients of what has no numbers
            converted = convert(compiler, frame, *args, **kwargs)
        call = self._calls.get(get_ident())
        self._graphs.find(frozenset() if call is None else hooks_in(call.wrapper))
        return converted
