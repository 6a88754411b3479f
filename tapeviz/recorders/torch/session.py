"""One recording of PyTorch: the log, its one tape, the tensors it knows, and the user's place in the program.

PyTorch has no tape that a program opens: autograd follows whatever requires a gradient. It is one tape here, open from
the first thing that PyTorch does until the recording ends.
"""

from __future__ import annotations

import os
import sys
from threading import get_ident
from types import FrameType
from typing import Any
from weakref import ref

import torch

from tapeviz.events.log import EventLog
from tapeviz.events.program.frames import PACKAGE_FILES, enter_frame, is_library, leave, opens_scopes, resume
from tapeviz.events.program.raised import note_error
from tapeviz.events.raw import Mentioned, Named, next_id
from tapeviz.events.types import LeafCreated, RecordingPaused, TapeOpened, Watched
from tapeviz.recorders.hooks import When
from tapeviz.recorders.torch.backward.nodes import Nodes
from tapeviz.recorders.torch.held_values import HeldValues
from tapeviz.recorders.torch.tensors import Tensors
from tapeviz.recorders.torch.values import node_of, spec

_FILES = frozenset(each for each in PACKAGE_FILES if each.startswith(os.path.dirname(__file__)))
_OURS = "ours"
"""What a file is that the recorder itself is written in; another is the user's own (False) or not (True)."""
_DISPATCH = PACKAGE_FILES | {torch.overrides.__file__}
"""The files between a call in the user's code and the recorder."""


class Session:
    """What all parts of the recorder share; `caller` is the user's frame that called the module which runs."""

    def __init__(self, log: EventLog) -> None:
        self.log = log
        self.tape = next_id()
        self.tapes = (self.tape,)
        self.tensors = Tensors()
        self.nodes = Nodes()
        self.values = HeldValues(log, self.tensors)
        self.thread = get_ident()
        self.opened = False
        self._began_paused = not torch.is_grad_enabled()
        self._retained: list[ref[Any]] = []
        self.caller: FrameType | None = None
        self._kinds: dict[str, Any] = {}

    def open(self) -> None:
        """PyTorch does something for the first time."""
        if self.opened:
            return
        self.opened = True
        self.log.sign("torch")
        frame = self.frame(1)
        self.log.append(TapeOpened, (self.tape, True, True), code=frame.f_code, lasti=frame.f_lasti)
        if self._began_paused:
            self.log.append(RecordingPaused, (self.tape,))

    def fail(self, error: Exception) -> None:
        """PyTorch refuses something, be it the first thing that it is asked for."""
        self.open()
        note_error(self.log, error)

    @property
    def here(self) -> When:
        """What is done only in the thread that is recorded."""
        return When(lambda: self.is_here)

    @property
    def is_here(self) -> bool:
        """Whether this is the thread that is recorded."""
        return get_ident() == self.thread

    # ----- the user's place -----

    def frame(self, depth: int) -> FrameType:
        """The nearest frame of the user's own, `depth` calls up or further; where there is none, the outermost.

        The frame of a user's `__torch_function__` does not count: it passes on a call that was made elsewhere.
        """
        frame = sys._getframe(depth + 1)
        kinds, caller = self._kinds, self.caller
        while True:
            filename = frame.f_code.co_filename
            kind = kinds.get(filename)
            if kind is None:
                kind = kinds[filename] = _OURS if filename in _FILES else is_library(filename)
            if not kind and frame.f_code.co_name != "__torch_function__":
                return frame
            if kind is _OURS and caller is not None and opens_scopes(frame.f_code):
                return caller
            outer = frame.f_back
            if outer is None:
                return frame
            frame = outer

    def enter(self, depth: int) -> FrameType:
        """The same, and the log's scope is that of this frame from now on."""
        frame = self.frame(depth + 1)
        if frame is not self.log.frame:
            self.go_to(frame)
        return frame

    def go_to(self, frame: FrameType) -> None:
        """The log goes on in the scope of the user's `frame`, or of the module that it called last and that runs."""
        log = self.log
        calls = list(log.path) if frame is self.caller else []
        while calls and not opens_scopes(calls[-1].f_code):
            calls.pop()
        if calls:
            leave(log.path, len(calls))
            resume(log, frame, log.path[calls[-1]])
        else:
            enter_frame(log, frame)

    def note(self, kind: Any, inputs: Any = None, outputs: Any = None, values: Any = None, attrs: Any = None) -> None:
        """Append a record that is no op, at the user's place."""
        self.open()
        frame = self.enter(1)
        self.log.append(kind, inputs, outputs, values, attrs, frame.f_code, frame.f_lasti, self.log.scope)

    # ----- tensors -----

    def id_of(self, tensor: Any) -> int:
        """The raw id of a tensor, which the log is told of first if it does not know it."""
        found = self.tensors.ids.get(id(tensor))
        return self.meet(tensor) if found is None else found

    def known_id(self, obj: Any) -> int | None:
        """The raw id of a tensor of the program, for whoever asks the log about it; None for anything else."""
        if not isinstance(obj, torch.Tensor):
            return None
        found = self.tensors.get(obj)
        return -1 if found is None else found

    def meet(self, tensor: Any) -> int:
        """Mention a tensor that was made out of sight: with the graph that leads to it, or as a leaf."""
        self.open()
        if node_of(tensor) is not None:
            return self.nodes.adopt(self, tensor)
        facts = self.tensors.facts(tensor)
        raw_id = facts.reserved or next_id()
        self.tensors.bind(tensor, raw_id)
        about = self.about(tensor, None if facts.short else facts.name)
        self.log.append(Mentioned, None, raw_id, self.values.hold(tensor, raw_id), about, *facts.place)
        if facts.short and facts.name is not None:
            self.give_name(tensor, facts.name, short=True)
        if facts.reserved is None:
            self.watch(tensor, raw_id)
        return raw_id

    def give_name(self, tensor: Any, name: str, *, short: bool = False) -> None:
        """Give a tensor a name of the program's; it may have been mentioned before.

        `short`: within something that has a name of its own, which is not known yet.
        """
        raw_id = self.tensors.get(tensor) or self.tensors.facts(tensor).reserved
        if raw_id is None:
            facts = self.tensors.learn(tensor)
            facts.name, facts.short = name, short
        else:
            self.log.append(Named, None, raw_id)
            self.log.append(Named, None, raw_id, None, (name,) if short else name)

    def announce(self, parameter: Any, parents: tuple[int, ...], frame: FrameType, named: bool) -> None:
        """A parameter was made. Its elements count only from its first use, since modules fill them after making it."""
        self.open()
        raw_id = self.tensors.learn(parameter).reserved = next_id()
        code, lasti = frame.f_code, frame.f_lasti
        about = self.about(parameter, None)
        self.log.append(LeafCreated, parents, raw_id, spec(parameter), about, code, lasti, self.log.scope)
        if not named:
            self.log.append(Named, None, raw_id)
        self.watch(parameter, raw_id)

    def leaf(self, tensor: Any, parents: tuple[int, ...], frame: FrameType) -> None:
        """A tensor was made by no op, in the user's `frame`."""
        raw_id = self.tensors.add(tensor)
        about = self.about(tensor, self.tensors.facts(tensor).name)
        value = self.values.hold(tensor, raw_id)
        self.log.append(LeafCreated, parents, raw_id, value, about, frame.f_code, frame.f_lasti, self.log.scope)
        self.watch(tensor, raw_id)

    def about(self, tensor: Any, name: str | None) -> tuple[str, bool, str | None]:
        """Role, whether it is trained, and name of a leaf, as its record says it."""
        variable = tensor.requires_grad or isinstance(tensor, torch.nn.Parameter)
        return "variable" if variable else "constant", tensor.requires_grad, name

    def watch(self, tensor: Any, raw_id: int) -> None:
        """Autograd follows a leaf that requires a gradient."""
        if tensor.requires_grad:
            self.log.append(Watched, (self.tape,), raw_id, None, "accessed")

    def retain(self, tensor: Any) -> None:
        """The next backward passes leave a gradient in a tensor that is no leaf."""
        self._retained.append(ref(tensor))

    def retained(self) -> list[Any]:
        """Those tensors, as far as they live."""
        self._retained = [each for each in self._retained if each() is not None]
        return [tensor for each in self._retained if (tensor := each()) is not None]

    def result_id(self, tensor: Any) -> int:
        """The raw id of a gradient that a call gives back: a tensor of a graph, or one by itself."""
        return self.id_of(tensor) if tensor.grad_fn is not None else self.tensors.add(tensor)

    def born_here(self, tensor: Any, parents: tuple[int, ...], frame: FrameType) -> None:
        """A leaf was made; one that a library made for itself is mentioned only when it is used."""
        if parents or self.in_users_code(3):
            self.open()
            self.leaf(tensor, parents, frame)
        else:
            self.tensors.learn(tensor).place = frame.f_code, frame.f_lasti

    def in_users_code(self, depth: int) -> bool:
        """Whether the nearest frame outside the recorder and PyTorch's dispatch is the user's own."""
        frame = sys._getframe(depth + 1)
        while frame.f_code.co_filename in _DISPATCH and frame.f_back is not None:
            frame = frame.f_back
        return not is_library(frame.f_code.co_filename)

    def owner_of(self, tensor: Any) -> Any:
        """The tensor whose elements another shares past autograd: a variable, or whatever `.data` was taken of.

        While autograd is off it is any tensor of its graph, of which the other one may be a view.
        """
        original = self.tensors.original(tensor)
        whole = tensor if tensor._base is None else tensor._base
        for each in (whole, original):
            if (
                each is not None
                and node_of(each) is None
                and (each.requires_grad or isinstance(each, torch.nn.Parameter))
            ):
                return each
        is_followed = original is None and node_of(whole) is not None
        return whole if is_followed and not torch.is_grad_enabled() else original
