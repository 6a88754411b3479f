"""TensorFlow's tensors and variables -> ids of the log, in which each is mentioned once, with its origin.

TensorFlow numbers every tensor of a process itself and never uses a number twice, so the log knows a tensor by the
complement of that number: ids from 0 on are the other writers'. A variable is known by the number of its handle, and
reading it makes no tensor of its own: what was read is the variable.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

from tensorflow.python import pywrap_tfe
from tensorflow.python.framework.ops import EagerTensor

from tapeviz.events.program.inspection import attributes, is_a
from tapeviz.events.raw import Mentioned
from tapeviz.events.types import LeafCreated
from tapeviz.phrases import ANOTHER_THREAD
from tapeviz.recorders.local_names import called_in
from tapeviz.recorders.naming import rename
from tapeviz.recorders.tensorflow.elsewhere import Elsewhere, scope_of_thread
from tapeviz.recorders.tensorflow.session import Session
from tapeviz.recorders.tensorflow.tensor_ids import RecentTensors, TensorIdSet
from tapeviz.recorders.tensorflow.values import (
    LARGE,
    HeldState,
    has_numbers,
    is_eager,
    kept,
    kept_state,
    number_in,
    shape_of,
    spec_of,
)

UNNAMED = frozenset(("Variable", "variable", ""))
"""Names that TensorFlow gives a variable when the user gives none."""

Instruction = tuple[CodeType, int]
"""A line of the user's: the code, and the instruction in it."""


def raw_id(tensor: Any) -> int:
    """The log's id of an eager tensor; a later tensor has a smaller one."""
    number: int = tensor._id
    return ~number


class Ledger:
    """The tensors that are in the log, and what to record of others at their first use.

    Hidden tensors were made while the log was open and have not been used yet: numbers on their way into an op, data
    from a generator, shapes. When an op uses one, it is logged as a leaf, at the place where it was made.
    """

    def __init__(self, session: Session, home: FrameType, start: int | None = None) -> None:
        """A ledger for a recording that is opened in the frame `home`, or whose first tensor has the id `start`."""
        self.session = session
        self.log = session.log
        self._home: FrameType | None = home
        self._start = now() if start is None else start
        self.known = TensorIdSet(self._start)
        self.elsewhere = Elsewhere()
        self.gradients = TensorIdSet(self._start)
        """The results of gradient calls, and what an optimizer computes from them outside of tapes."""
        self._hidden: RecentTensors[Instruction] = RecentTensors()
        self._places: dict[Instruction, Instruction] = {}
        self._aliases: RecentTensors[int] = RecentTensors()
        self._variables: dict[int, int] = {}
        self._layers_own: set[int] = set()
        self._written: dict[int, int] = {}
        self._valued: set[int] = set()
        self._states: dict[int, HeldState] = {}
        self.tapes_of: Callable[[int], tuple[int, ...]] = lambda raw: ()
        """A function of an id that gives the tapes which follow the tensor; set by `Tapes`."""

    def close(self) -> None:
        """The recording ends. The log still asks for ids, but must not keep the program's variables alive."""
        self._home = None

    # ----- tensors -----

    def is_older(self, raw: int) -> bool:
        """Whether a tensor or variable was made before the log was opened."""
        return raw >= self._start

    def is_fresh(self, raw: int) -> bool:
        """Whether a tensor has just been made from a Python number, for the op that uses it."""
        known = raw in self.known or raw in self._aliases or raw in self._hidden or raw in self.elsewhere
        return not (known or self.is_older(raw))

    def hide(self, tensors: Any, place: Instruction) -> None:
        """Note the place where tensors were made that need not be logged before something uses them."""
        place = self._places.setdefault(place, place)
        for each in tensors:
            self._hidden[raw_id(each)] = place

    def hidden(self, raw: int) -> Instruction | None:
        """Where a hidden tensor was made."""
        return self._hidden.get(raw)

    def knows(self, tensor: Any) -> bool:
        """Whether the log has mentioned a tensor, or the variable that it was read from."""
        raw = raw_id(tensor)
        return raw in self.known or raw in self._aliases

    def entry(self, tensor: Any, frame: FrameType) -> Any:
        """The entry of an op's input in its record: the id of a tensor, or a number that is a literal."""
        raw = raw_id(tensor)
        if raw in self.known:
            return raw
        variable = self._aliases.get(raw)
        if variable is not None:
            return variable if raw < self._written.get(variable, 0) else self._outdated(raw, variable, tensor, frame)
        if shape_of(tensor) == () and self.is_fresh(raw) and has_numbers(tensor):
            number = number_in(tensor)
            return self.mention(tensor, frame) if number is None else number
        return self.mention(tensor, frame)

    def mention(self, tensor: Any, frame: FrameType) -> int:
        """The id of a tensor, which is logged as a leaf if it is not in the log yet."""
        raw = raw_id(tensor)
        if raw in self.known or raw in self._aliases:
            return self._aliases.get(raw, self.interned(raw))
        if raw in self.elsewhere:
            return self._logged(raw, tensor)
        self.known.add(raw)
        if self.is_older(raw):
            about = ("constant", False, called_in(frame, tensor, self._home))
            self.log.append(Mentioned, None, raw, kept(self.log, tensor), about)
        else:
            place = self._hidden.pop(raw, (frame.f_code, frame.f_lasti))
            leaf = ("constant", False, None)
            self.log.append(LeafCreated, (), raw, kept(self.log, tensor), leaf, *place, self.log.scope)
        return raw

    def _logged(self, raw: int, tensor: Any) -> int:
        """Log a tensor that another thread has computed, as one op of what the log knows; its id."""
        op, roots = self.elsewhere.origin(raw)
        for root in roots:
            variable = self.elsewhere.variable(root)
            if variable is not None:
                self.accessed(variable)
        entries = tuple(
            [self._aliases.get(root, root) for root in roots if root in self.known or root in self._aliases]
        )
        self.known.add(raw)
        self.log.filenames.add(op.code.co_filename)
        scope = scope_of_thread(self.log.scope)
        value = kept(self.log, tensor)
        self.log.raw += (ANOTHER_THREAD, entries, raw, value, (), (), (), scope, op.code, op.lasti)
        return raw

    def alias(self, raw: int, of: int) -> None:
        """Treat a tensor as the same one as another, which is in the log."""
        self._aliases[raw] = of

    def _outdated(self, raw: int, variable: int, tensor: Any, frame: FrameType) -> int:
        """Log a value that was read before its variable was written again as a tensor by itself; its id."""
        del self._aliases[raw]
        self.known.add(raw)
        log, tapes = self.log, self.tapes_of(raw)
        place = log.scope, frame.f_code, frame.f_lasti
        log.raw += ("identity", (variable,), raw, kept(log, tensor), (), (), tapes, *place)
        return raw

    # ----- variables -----

    def created(self, variable: Any, initial: Any) -> None:
        """Log a new variable; `initial` is the tensor with its first value, if there is one."""
        raw, frame = raw_id(variable._handle), self.session.enter()
        parents: tuple[int, ...] = ()
        value: Any = (_shape(variable), variable.dtype.name)
        if initial is not None:
            value = self.hold(raw, initial)
            self._valued.add(raw)
            if raw_id(initial) in self.known or raw_id(initial) in self._aliases:
                parents = (self.mention(initial, frame),)
        self.known.add(raw)
        about = ("variable", bool(variable.trainable), name_of(variable))
        self.log.append(LeafCreated, parents, raw, value, about, frame.f_code, frame.f_lasti, self.log.scope)

    def accessed(self, variable: Any) -> int:
        """The id of a variable, which is mentioned now if it is older than the log."""
        raw = raw_id(variable.handle)
        raw = self._variables.setdefault(raw, raw)
        if raw not in self.known:
            self.known.add(raw)
            name = name_of(variable) or called_in(self.session.enter(), variable, self._home)
            about = ("variable", bool(variable.trainable), name)
            self.log.append(Mentioned, None, raw, (_shape(variable), variable.dtype.name), about)
        return raw

    def asked_for(self, variable: Any) -> None:
        """A gradient with respect to a variable is requested. A variable of a Keras layer is named by its path.

        To TensorFlow the kernels of all layers of a subclassed model are `model/kernel`.
        """
        raw, path = self.accessed(getattr(variable, "_value", variable)), getattr(variable, "path", "")
        if "/" in path and raw not in self._layers_own:
            self._layers_own.add(raw)
            rename(self.log, raw, path)

    def interned(self, raw: int) -> int:
        """The id of a variable, always as the same object, which saves memory."""
        return self._variables.get(raw, raw)

    def lacks_value(self, handle: Any) -> bool:
        """Whether a variable is in the log, and not yet what it holds."""
        raw = self.interned(raw_id(handle))
        return raw in self.known and raw not in self._valued

    def read(self, handle: Any, value: Any) -> None:
        """A variable was read. The first time, its value is logged."""
        raw = self.interned(raw_id(handle))
        if raw not in self.known:
            self.known.add(raw)
            self.log.append(Mentioned, None, raw, spec_of(value), ("variable", True, None))
        if raw not in self._valued:
            self._valued.add(raw)
            self.log.append(Mentioned, None, raw, self.hold(raw, value), ("variable", True, None))
        self._aliases[raw_id(value)] = raw

    def hold(self, variable: int, value: Any) -> Any:
        """What the log stores of the value that a variable has from now on."""
        held = kept_state(self.log, value)
        if type(held) is HeldState:
            self._states[variable] = held
        return held

    def about_to_be_written(self, handle: Any) -> None:
        """Release the value of a large variable, so that TensorFlow can write it in place."""
        held = self._states.pop(raw_id(handle), None) if is_eager(handle) else None
        if held is not None and held.nbytes > LARGE:
            self.log.bytes -= held.cost
            held.let_go()

    def written(self, variable: int) -> None:
        """A variable was written: tensors that were read before no longer have its value."""
        self._written[variable] = self._now()
        self._valued.add(variable)

    def _now(self) -> int:
        """An id between those of all tensors before and after what is noted now."""
        return now()

    def last_written(self, variable: int) -> int:
        """When a variable was last written to in the recording, as an id of that time; 0 if it was not."""
        return self._written.get(variable, 0)

    def resolve(self, obj: Any) -> int | None:
        """The log's id of a tensor or variable of TensorFlow or Keras, None for anything else.

        What a strategy has once per replica is that of the first one.
        """
        held = attributes(obj)
        values = held.get("_values")
        for each in (obj, held.get("_value"), values[0] if isinstance(values, tuple) and values else values):
            tensor = attributes(each).get("_handle", each)
            if is_a(tensor, EagerTensor):
                return self._aliases.get(raw_id(tensor), raw_id(tensor))
        return None


def now() -> int:
    """An id between those of all existing and all later tensors."""
    number: int = pywrap_tfe.TFE_Py_UID()
    return ~number


def name_of(variable: Any) -> str | None:
    """The name that the user, or a layer, gave a variable."""
    name = str(variable.name).partition(":")[0]
    return None if name in UNNAMED else name


def _shape(variable: Any) -> tuple[int, ...]:
    """The shape as far as it is announced: 0 for a length that may change, () where even the rank may."""
    return () if variable.shape.rank is None else tuple(each or 0 for each in variable.shape)
