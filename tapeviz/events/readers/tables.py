"""Raw ids, scopes and instructions -> dense ids with a row each: the tables beside the events."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from operator import itemgetter
from types import CodeType
from typing import Any

import numpy as np

from tapeviz.events.norms import norms
from tapeviz.events.program.scope_codes import kind_of
from tapeviz.events.raw import ScopeNode
from tapeviz.events.summary import Packed
from tapeviz.events.types import Event, Role, Scope, Site, TensorInfo
from tapeviz.events.values import HeldTensor, is_value, placement_of, read_spec
from tapeviz.phrases import encodable
from tapeviz.source.codes import Codes
from tapeviz.source.sites import (
    Naming,
    ParsedSource,
    instruction_of,
    is_inline,
    moved_left,
    parsed,
    read_lines,
    resolve,
)

NEVER = -1
"""The position from which on a tensor holds a value, where none was kept."""


def legible(name: str | None) -> str | None:
    """A name as it can be shown anywhere; None where nothing of it would be seen.

    >>> legible("w"), legible("  "), legible(None)
    ('w', None, None)
    """
    return None if name is None or not name.strip() else encodable(name)


class SourceFiles:
    """The source lines and syntax of the files a log mentions; lines given beforehand win over the file of today."""

    def __init__(self, kept: Mapping[str, list[str]]) -> None:
        self.lines: dict[str, list[str]] = dict(kept)
        self._parsed: dict[str, ParsedSource] = {}
        self.codes = Codes(lambda code: moved_left(code, self.lines_of(code.co_filename)))

    def lines_of(self, filename: str) -> list[str]:
        if filename not in self.lines:
            self.lines[filename] = read_lines(filename)
        return self.lines[filename]

    def parsed(self, filename: str) -> ParsedSource:
        if filename not in self._parsed:
            self._parsed[filename] = parsed("".join(self.lines_of(filename)))
        return self._parsed[filename]


class SiteTable:
    """Sites and scopes, each interned at its first mention."""

    def __init__(self, sources: SourceFiles) -> None:
        self.sources = sources
        self.sites: list[Site] = []
        self.scopes: list[Scope] = []
        self.files: dict[str, str] = {}
        self._site_ids: dict[tuple[int, int], int] = {}
        self._scope_ids: dict[tuple[int | None, CodeType, int | None], int] = {}
        self._nodes: dict[ScopeNode, int | None] = {}
        self._namings: dict[tuple[int, int, str], Naming] = {}

    def site(self, code: CodeType | None, lasti: int) -> int | None:
        if code is None:
            return None
        known = self.sources.codes.of(code)
        key = (known.number, lasti)
        if key not in self._site_ids:
            own = (known.number, known.instruction(lasti))
            if own not in self._site_ids:
                self._site_ids[own] = len(self.sites)
                site = resolve(code, known.span(lasti), self.sources.lines_of(code.co_filename))
                self.files[site.filename] = code.co_filename
                self.sites.append(site)
            self._site_ids[key] = self._site_ids[own]
        return self._site_ids[key]

    def scope(self, node: ScopeNode | None) -> int | None:
        """The id of a scope; equal calls (same caller, same call, same code) are one scope."""
        missing = []
        at = node
        while at is not None and at not in self._nodes:
            missing.append(at)
            at = at.parent
        for each in reversed(missing):
            parent = self._nodes[each.parent] if each.parent is not None else None
            self._nodes[each] = self._intern_scope(parent, each)
        return None if node is None else self._nodes[node]

    def _intern_scope(self, parent: int | None, node: ScopeNode) -> int | None:
        if is_inline(node.code):
            return parent
        site = self.site(node.caller, node.lasti)
        key = (parent, node.code, site)
        if key not in self._scope_ids:
            self._scope_ids[key] = len(self.scopes)
            self.scopes.append(Scope(parent, node.code.co_name, site, kind_of(node.code)))
        return self._scope_ids[key]

    def naming(self, code: CodeType | None, lasti: int, scope: ScopeNode | None) -> Naming:
        """What the source calls the result of an instruction.

        A returned value is named by the caller, and so is the object that a constructor makes: what `self.w` is in
        `Dense(3)` is `m.first.w` where that is the `self.first` of `m`.
        """
        known, path = Naming(), ""
        while code is not None:
            naming = self._naming_at(code, lasti, path)
            naming = replace(naming, home=code) if naming.counted else naming
            known = naming if known.name is None else known.within(naming)
            if scope is None or not (naming.returned or naming.owner):
                break
            while scope.parent is not None and is_inline(scope.code):
                scope = scope.parent
            if self._instruction(scope.caller, scope.lasti) != self._instruction(code, lasti):
                path = naming.path  # else what a library calls there is this same expression
            code, lasti, scope = scope.caller, scope.lasti, scope.parent
        return known

    def part(self, code: CodeType | None, lasti: int, whole: str) -> str | None:
        """The attribute or element of `whole` that the source of an instruction is about, if it is about one alone."""
        if code is None:
            return None
        return self.sources.parsed(code.co_filename).part(self.sources.codes.of(code).span(lasti), whole)

    def _naming_at(self, code: CodeType, lasti: int, path: str) -> Naming:
        known = self.sources.codes.of(code)
        key = (known.number, lasti, path)
        if key not in self._namings:
            self._namings[key] = self.sources.parsed(code.co_filename).naming(known.span(lasti), path)
        return self._namings[key]

    def _instruction(self, code: CodeType | None, lasti: int) -> tuple[int, int]:
        if code is None:
            return -1, -1
        known = self.sources.codes.of(code)
        return known.number, known.instruction(lasti)


class TensorTable:
    """Tensors in order of first mention, with their values as far as they were kept.

    Most hold one value all the time: what it is, and since when, are columns; all that another held is beside them.
    """

    def __init__(self) -> None:
        self.rows: list[TensorInfo] = []
        self.raw_ids: list[int | None] = []
        self._dense: dict[int, int] = {}
        self._since, self._held = array("q"), list[Any]()
        self._several: dict[int, list[tuple[int, Any]]] = {}
        self._counted: dict[CodeType | None, Counter[tuple[str | None, CodeType, int, ScopeNode | None]]] = {}

    def knows(self, raw_id: int) -> bool:
        return raw_id in self._dense

    def dense(self, raw_id: int) -> int | None:
        return self._dense.get(raw_id)

    def bind(self, raw_id: int, dense: int) -> None:
        """Let a further raw id stand for a tensor that has a row already."""
        self._dense.setdefault(raw_id, dense)

    def id(self, raw_id: int) -> int:
        """The dense id of a raw one; a tensor the log knows nothing else about gets an empty row."""
        dense = self._dense.get(raw_id)
        return self.add(raw_id, "constant", None, None, 0) if dense is None else dense

    def add(self, raw_id: int | None, role: Role, value: Any, name: str | None, position: int) -> int:
        """A new row. `value` may be a value, a spec, or None where not even the shape is known."""
        dense = len(self.rows)
        shape, dtype = ((), "unknown") if value is None else read_spec(value)
        self.add_row(TensorInfo(dense, shape, dtype, role, legible(name), placement_of(value)), raw_id)
        self.write(dense, value, position)
        return dense

    def add_row(self, row: TensorInfo, raw_id: int | None = None) -> None:
        """A new row that is known, of a tensor of which no value is."""
        self.rows.append(row)
        self.raw_ids.append(raw_id)
        if raw_id is not None:
            self._dense[raw_id] = row.id
        self._since.append(NEVER)
        self._held.append(None)

    def call(self, dense: int, name: str) -> None:
        """Give a tensor a name, unless it has one."""
        if self.rows[dense].name is None:
            self.rows[dense] = replace(self.rows[dense], name=legible(name))

    def rename(self, dense: int, name: str | None) -> None:
        """Give a tensor another name, or take its name away: it belongs to a later one."""
        self.rows[dense] = replace(self.rows[dense], name=legible(name))

    def write(self, dense: int, value: Any, position: int) -> None:
        """From `position` on, the tensor holds `value`."""
        if value is not None and is_value(value):
            if not isinstance(value, (np.ndarray, np.generic, HeldTensor, Packed)):
                value = np.asarray(value)
            self.hold(dense, position, value)

    def rewrite(self, dense: int, value: Any, position: int) -> None:
        """The same of one that held something before; of what had another shape, as a part of it has, not this."""
        is_known = self._since[dense] != NEVER
        if not is_known and value is not None and is_value(value) and read_spec(value)[0] != self.rows[dense].shape:
            self.hold(dense, 0, None)
        self.write(dense, value, position)

    def reshape(self, dense: int, value: Any, position: int) -> None:
        """From `position` on, a tensor is of the shape of `value`, and that is what is said of it."""
        row = self.rows[dense]
        if value is not None and row.dtype != "unknown" and read_spec(value)[0] != row.shape:
            self.rewrite(dense, value, position)
            self.rows[dense] = replace(row, shape=read_spec(value)[0])

    def hold(self, dense: int, position: int, value: Any) -> int:
        """The same of a value that is one; None of one that is not known. Which of the tensor's values it is."""
        if self._since[dense] == NEVER:
            self._since[dense], self._held[dense] = position, value
            return 0
        several = self._several.setdefault(dense, [(self._since[dense], self._held[dense])])
        several.append((position, value))
        return len(several) - 1

    def fill(self, dense: int, number: int, value: Any) -> None:
        """What the value of that number is, of a tensor that was said to hold one."""
        several = self._several.get(dense)
        if several:
            several[number] = several[number][0], value
        if number == 0:
            self._held[dense] = value

    def versions(self, dense: int) -> Sequence[tuple[int, Any]]:
        """Everything that a tensor held, with the position from which on it did; nothing of one that is none."""
        if not 0 <= dense < len(self._since):
            return ()
        several = self._several.get(dense)
        if several is not None:
            return several
        since = self._since[dense]
        return () if since == NEVER else ((since, self._held[dense]),)

    def norms(self, tensors: Sequence[int]) -> list[float | None]:
        """The norms of the first values of some tensors; None where no numbers are known."""
        held = [self.versions(each)[:1] for each in tensors]
        return norms([each[0][1] if each else None for each in held])

    def counted(self, naming: Naming, place: tuple[CodeType, int], scope: ScopeNode | None, goes_on: bool) -> Naming:
        """The naming of one result; results of one comprehension, which `place` is in, are numbered in order.

        What `goes_on` is made of the last of them, by the same expression, and has its number. A comprehension that
        runs again has a scope of its own; since Python 3.12 it has none, and it has ended where the code around it
        names something else.
        """
        if not naming.counted:
            if naming.name is not None:
                self._counted.pop(place[0], None)
            return naming
        if naming.name is None and not naming.several:
            return naming
        while scope is not None and not is_inline(scope.code):
            scope = scope.parent
        counts = self._counted.setdefault(naming.home, Counter())
        key = (naming.name, place[0], instruction_of(*place), scope)
        counts[key] += not (goes_on and counts[key])
        number = counts[key] - 1
        if naming.name is None:
            return Naming(naming.several[number % len(naming.several)])
        return replace(naming, name=f"{naming.name}[{number}]{naming.part}")


class Tables:
    """What readers of a log ask: its events and the tables they point into.

    `missed` says that it begins late; `known` is what readers have worked out of it by themselves.
    """

    def __init__(self, lines: Mapping[str, list[str]]) -> None:
        self.events: list[Event] = []
        self.tensors = TensorTable()
        self.places = SiteTable(SourceFiles(lines))
        self.missed = False
        self.known: dict[Hashable, Any] = {}
        self._of_kinds: dict[tuple[type, ...], dict[int, Event]] = {}
        self._by_class: dict[type, dict[int, Event]] | None = None

    @property
    def length(self) -> int:
        """How many events there are."""
        return len(self.events)

    def of_kind(self, *kinds: type) -> Mapping[int, Event]:
        """Position -> event, for the events of these classes, in order; looked for once, when all events are there."""
        if kinds not in self._of_kinds:
            apart = [found for each, found in self._classes().items() if issubclass(each, kinds)]
            one = apart[0] if len(apart) == 1 else dict(sorted(chain(*(each.items() for each in apart)), key=_position))
            self._of_kinds[kinds] = one
        return self._of_kinds[kinds]

    def _classes(self) -> dict[type, dict[int, Event]]:
        """The events of each class, found in one sweep for whoever asks."""
        if self._by_class is None:
            found: defaultdict[type, dict[int, Event]] = defaultdict(dict)
            for at, event in enumerate(self.events):
                found[type(event)][at] = event
            self._by_class = found
        return self._by_class


_position: Callable[[tuple[int, Event]], int] = itemgetter(0)
