"""Raw records in, typed events out: the log of one recording.

A writer appends to `log.raw` and leaves; everything a reader asks for is folded from it then, once, and again
only if more was written. Also here: the small ties between writers and readers, so that neither imports the other.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from operator import itemgetter
from textwrap import shorten
from typing import Any, ClassVar, TypeVar, overload

from tapeviz.errors import LogError
from tapeviz.events import catalog
from tapeviz.events.collector_paused import collector_paused
from tapeviz.events.framework_facts import FRAMEWORK_FACTS, UNKNOWN, FrameworkFacts
from tapeviz.events.lookup import tensor_named
from tapeviz.events.memory.deferred import ComputedRecords
from tapeviz.events.memory.records import Records
from tapeviz.events.memory.ring import Tail
from tapeviz.events.prelude import mentioned, relevant
from tapeviz.events.raw import STRIDE
from tapeviz.events.readers.fold import fold
from tapeviz.events.readers.tables import Tables
from tapeviz.events.row import Row
from tapeviz.events.types import (
    BackwardFinished,
    BackwardStarted,
    Event,
    OpRecorded,
    OpSkipped,
    Scope,
    Site,
    TensorInfo,
)
from tapeviz.events.values import readable
from tapeviz.phrases import counted
from tapeviz.source.sites import read_lines
from tapeviz.validation import no_log

Kind = TypeVar("Kind")
OtherKind = TypeVar("OtherKind")

_since = itemgetter(0)


class Showable:
    """Anything a notebook shows through the one display hook; without a hook it shows as text."""

    display_hook: Callable[[Any], dict[str, Any] | None] | None = None

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        hook = Showable.display_hook
        bundle = hook(self) if hook is not None else None
        return bundle if bundle is not None else {"text/plain": repr(self)}


class EventLog(Records, Showable):
    """The log of one recording: events, the tables they point into, and values within a budget.

    >>> import tapeviz as tv
    >>> x = tv.Variable(3.0)
    >>> with tv.GradientTape() as tape:
    ...     y = x * x
    >>> [type(event).__name__ for event in tape.log.events][:4]
    ['LeafCreated', 'TapeOpened', 'Watched', 'OpRecorded']
    """

    error_hook: ClassVar[Callable[[EventLog, BaseException], str | None] | None] = None
    """What a log has to say about an exception that was just written into it, for a note under its traceback."""

    resolvers: tuple[Callable[[Any], int | None], ...] = ()
    """Functions from an object of the program to its raw id; None for an object of another framework."""
    evaluator: Callable[[str, Sequence[Any], dict[str, Any]], Any] | None = None
    """The function that runs an op on arrays, given its name, inputs and attributes; a log from a file has none."""
    closed: bool = False
    """Whether the recording ended; a tape that is entered again opens it."""
    mark: Any = None
    """Where the flight recorder stood when it was closed."""
    _tails: tuple[tuple[int, Tail], ...] = ()
    """Tails of the flight recorder, and the record that each comes before."""
    _tables: Tables | None = None
    _read_to: int = -1
    _computed: ComputedRecords | None = None

    @property
    def facts(self) -> FrameworkFacts:
        """How the log's framework works."""
        return FRAMEWORK_FACTS.get(self.framework, UNKNOWN)

    # ----- for writers -----

    def sign(self, framework: str) -> None:
        """Let the log be this framework's, unless another one has written ops before."""
        if not any(type(kind) is str for kind in self.records()[::STRIDE]):
            self.framework = framework

    def let_go(self, end: int, leaves: list[Any], tail: Tail, others: list[Any]) -> None:
        """Replace the records before index `end` by `leaves`, the `tail`, which may read them, and `others`."""
        moved = len(leaves) + len(others) - end
        self._replace(end, [*leaves, *others])
        later = ((start + moved, each) for start, each in self._tails if start >= end)
        self._tails = ((len(leaves), tail), *later)
        self.mentioned &= mentioned(self.raw)
        self._tables = None

    def bind(self, obj: Any, name: str) -> None:
        """The program's variable `name` holds `obj`; a tensor that no line named takes the first such name."""
        raw_id = self.raw_id(obj)
        if raw_id is not None and self._bindings.setdefault(raw_id, name) is name:
            self._tables = None

    def raw_id(self, obj: Any) -> int | None:
        """The raw id of a tensor or variable of the program; None for anything else."""
        return next((found for resolver in self.resolvers if (found := resolver(obj)) is not None), None)

    def precede(self, tail: Tail) -> None:
        """Put the flight recorder's tail before the next record; readers see the part of it that led there."""
        self._tails += ((self.end, tail),)

    def adopt(self, tail: Tail, wanted: set[int]) -> None:
        """Append what led to the `wanted` tensors while this log was closed."""
        records = relevant(tail.records(), wanted)
        if records:
            self.raw += records

    def close(self) -> None:
        """The recording ended: keep the source lines as they are now."""
        self.closed = True
        if self.keeps_norms:
            self.settle()
        self.frame = None
        self.path.clear()
        for filename in self.filenames:
            if filename not in self.lines:
                self.lines[filename] = read_lines(filename)

    # ----- for readers -----

    @property
    def log(self) -> EventLog:
        """The log itself, so that every verb takes a log or anything with a log."""
        return self

    def _with_origins(self) -> list[Any]:
        """All raw records, and ahead of each stretch of them what led to it from outside."""
        records = self.records()
        if self._computed is None:
            self._computed = ComputedRecords(self.max_bytes)
        if not any(tail.records() for _, tail in self._tails):
            return self._computed.put_into(records)
        parts: list[list[Any]] = []
        wanted: set[int] = set()
        end = len(records)
        for start, tail in reversed(self._tails):
            own = records[start:end]
            wanted |= mentioned(own)
            led_here = relevant(tail.records(), wanted)
            wanted |= mentioned(led_here)
            parts += (own, led_here)
            end = start
        parts.append(records[:end])
        return self._computed.put_into([entry for part in reversed(parts) for entry in part])

    def _read(self) -> Tables:
        end = self.packed.length + len(self.raw)  # `end`, without a call; another thread may go on writing
        if self._tables is None or self._read_to != end:
            self._tables = collector_paused(fold)(self._with_origins(), self.lines, self._bindings)
            self._read_to = end
        return self._tables

    def once(self, key: Hashable, find: Callable[[], Kind]) -> Kind:
        """What `find` gives, worked out once for the log as it is: anew where more was written."""
        known = self._read().known
        if key not in known:
            known[key] = find()
        found: Kind = known[key]
        return found

    @property
    def events(self) -> Sequence[Event]:
        """Everything that happened, in order; an index into it is a position."""
        return self._read().events

    @property
    def length(self) -> int:
        """How many events there are: the position after the last."""
        return self._read().length

    @overload
    def of_kind(self, kind: type[Kind], /) -> Mapping[int, Kind]: ...
    @overload
    def of_kind(self, kind: type[Kind], other: type[OtherKind], /) -> Mapping[int, Kind | OtherKind]: ...
    @overload
    def of_kind(self, *kinds: type) -> Mapping[int, Any]: ...
    def of_kind(self, *kinds: type) -> Mapping[int, Any]:
        """Position -> event, for the events of some classes, in order.

        >>> import tapeviz as tv
        >>> x = tv.Variable(3.0)
        >>> with tv.GradientTape() as tape:
        ...     y = x * x + x
        >>> [op.op for op in tape.log.of_kind(OpRecorded).values()]
        ['mul', 'add']
        """
        return self._read().of_kind(*kinds)

    @property
    def tensors(self) -> Sequence[TensorInfo]:
        """One row per tensor, in order of first mention; an index into it is a tensor id."""
        return self._read().tensors.rows

    @property
    def sites(self) -> Sequence[Site]:
        """The places in the user's source that events point to."""
        return self._read().places.sites

    @property
    def scopes(self) -> Sequence[Scope]:
        """The user's own calls that ops ran in."""
        return self._read().places.scopes

    def outward(self, scope: int | None) -> Iterator[int]:
        """A scope, the one around it, and so on outward."""
        scopes = self.scopes
        while scope is not None:
            yield scope
            scope = scopes[scope].parent

    @property
    def begins_late(self) -> bool:
        """Whether more happened before this log than was kept."""
        return self._read().missed

    def value(self, tensor: int | str, at: int | None = None) -> Any:
        """The value of a tensor as an array, a `Summary` where the budget took it, None where it was not kept.

        A tensor is told by its id, or by the name that the program gave it. A variable holds different values over
        time: `at` is the position to look from (None: its first value).

        Raises:
            LogError: no tensor has the name; the message has the nearest.

        >>> import tapeviz as tv
        >>> w = tv.Variable(3.0, name="w")
        >>> with tv.GradientTape() as tape:
        ...     loss = w * w
        >>> _ = tape.gradient(loss, w)
        >>> float(tape.log.value("loss")), float(tape.log.gradient("w"))
        (9.0, 6.0)
        """
        return readable(self.entry(self.id_of(tensor) if isinstance(tensor, str) else tensor, at))

    def entry(self, tensor: int, at: int | None = None) -> Any:
        """What `value` reads: as the log has it, without a look at its elements."""
        versions = self.versions(tensor)
        if not versions:
            return None
        last = 0 if at is None or len(versions) == 1 else max(0, bisect_right(versions, at, key=_since) - 1)
        return versions[last][1]

    def norms(self, tensors: Sequence[int]) -> list[float | None]:
        """The norms of the first values of some tensors, found together; None where no numbers are known."""
        return self._read().tensors.norms(tensors)

    def gradient(self, source: Any) -> Any:
        """The gradient that the last backward pass gave a source that was asked for it, as `value` has it.

        It is None where none arrived. A source is the variable or tensor itself, or its name.

        Raises:
            LogError: no tensor has the name, or no backward pass was asked for its gradient.
        """
        wanted = self.id_of(source)
        asked = {event.run: event.sources for event in self.of_kind(BackwardStarted).values()}
        for finished in reversed([*self.of_kind(BackwardFinished).values()]):
            gradients = dict(zip(asked.get(finished.run, ()), finished.gradients, strict=False))
            if wanted in gradients:
                gradient = gradients[wanted]
                return None if gradient is None else self.value(gradient)
        name = self.tensors[wanted].name or str(source)
        raise LogError(f"No backward pass of this log was asked for the gradient of {name!r}.")

    def versions(self, tensor: int) -> Sequence[tuple[int, Any]]:
        """Everything that a tensor held: from which position on, and what, as the writer left it."""
        return self._read().tensors.versions(tensor)

    def is_unmet(self, obj: Any) -> bool:
        """Whether it is a tensor or variable that was not used while the log was open."""
        raw_id = self.raw_id(obj)
        return raw_id is not None and self._read().tensors.dense(raw_id) is None

    def id_of(self, obj: Any) -> int:
        """The id of a tensor or variable of the program, or of the name the user gave it.

        Raises:
            LogError: the log does not mention it.
        """
        tables = self._read()
        if isinstance(obj, str):
            return tensor_named(self, obj)
        raw_id = self.raw_id(obj)
        if raw_id is None:
            raise LogError(f"Not a tensor of this log's program: {type(obj).__name__} {_text_of(obj)[:80]!r}.")
        dense = tables.tensors.dense(raw_id)
        if dense is None:
            told = f"This log never mentions {shorten(_text_of(obj), 60, placeholder='...')}"
            advice = "Pass a tensor or variable that the recorded lines used."
            raise LogError(f"{told}: it was not used while the log was open. {advice}")
        return dense

    def row(self, op: str) -> Row | None:
        """What is known of the ops of one name; None if nothing is."""
        own = catalog.USERS.get(op) if self.facts.has_defop else None
        return own or catalog.row(op)

    def row_of(self, op: OpRecorded | OpSkipped) -> Row | None:
        """What is known of an op: nothing where its gradient function is the user's own, whatever its name."""
        return None if catalog.CUSTOM in op.attrs else self.row(op.op)

    def is_users(self, op: OpRecorded | OpSkipped) -> bool:
        """Whether an op has a gradient function of the user's own."""
        return catalog.CUSTOM in op.attrs or (self.row(op.op) is None and not self.facts.has_ops_without_row)

    def evaluate(self, op: int, inputs: Sequence[Any]) -> Any:
        """Run the op at position `op` on other inputs (arrays); a log without its program cannot.

        Raises:
            LogError: the log was loaded from a file, or its writer cannot run ops.
        """
        event = self.events[op]
        if self.evaluator is None or not isinstance(event, (OpRecorded, OpSkipped)):
            raise LogError("This log cannot run its ops again: it came from a file, or the position is no op.")
        if catalog.CUSTOM in event.attrs:
            raise LogError(f"{event.op} is a function of the user's: only the program itself can run it again.")
        return self.evaluator(event.op, inputs, dict(event.attrs))

    def source(self, filename: str) -> list[str]:
        """The lines of a file that the log's sites are in, as they were; [] where they are not known."""
        places = self._read().places
        return places.sources.lines_of(places.files.get(filename, filename))

    def __repr__(self) -> str:
        ops = sum(isinstance(event, (OpRecorded, OpSkipped)) for event in self.events)
        found = {"op": ops, "event": len(self.events), "tensor": len(self.tensors)}
        counts = ", ".join([counted(count, what) for what, count in found.items()])
        return f"<EventLog of {self.framework}: {counts}>"


def _text_of(obj: Any) -> str:
    """An object as text, or what it is if its own code fails at that."""
    try:
        return str(obj)
    except Exception as error:
        return f"<of which str() raises {type(error).__name__}>"


def log_of(subject: Any) -> EventLog:
    """The log of a tape, of a log, or of anything else that has one.

    Raises:
        TypeError: `subject` has no log.
    """
    log = getattr(subject, "log", None)
    if not isinstance(log, EventLog):
        raise no_log(subject)
    return log
