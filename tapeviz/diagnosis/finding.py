"""What a diagnosis says: one `Finding` per problem, all `Findings` of a recording, or an `Answer` where all is well."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, TypeAlias, overload

from tapeviz.diagnosis.dialects import dialect_of
from tapeviz.diagnosis.wording.changed import changed
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.places import once, words
from tapeviz.events import EventLog, Site
from tapeviz.markup.card import card, note, stacked
from tapeviz.phrases import NO_GRADIENT, holds_for, unquoted
from tapeviz.source.edits import Edit, patch_of

Severity: TypeAlias = Literal["error", "warning", "hint"]
"""error: the evidence proves it; warning: it is very likely; hint: the log only suggests it."""

Symptom: TypeAlias = Literal["none", "zero", "nan", "wrong", "exploding", "vanishing", "error"]
"""What the user sees: a gradient that is None, all zero, not finite, incomplete, or out of range over depth; or an
exception."""

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "hint")
SYMPTOMS: tuple[Symptom, ...] = ("error", "none", "nan", "zero", "wrong", "exploding", "vanishing")
"""Worst first."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem: `message` says what happened in the user's names and lines, `fix` what to write instead.

    `source` and `target` are tensor ids of the log, None where the problem is not about one; `site` is the line to
    change; `evidence` are positions in the log; `title` is the cause in a few words. `because` is the part of a message
    that several sources must share for it to hold for all of them. `edit` is the fix as a change of the source, where a
    machine can make it: without one, the fix is told and shows no line to write.
    """

    cause: str
    symptom: Symptom
    severity: Severity
    source: int | None
    target: int | None
    site: Site | None
    message: str
    fix: str
    evidence: tuple[int, ...]
    title: str
    because: str = ""
    edit: Edit | None = None

    @classmethod
    def at(
        cls,
        log: EventLog,
        cause: str,
        site: Site | None,
        message: str,
        fix: str | Fix | None,
        *evidence: int | None,
        symptom: Symptom = "error",
        severity: Severity = "error",
        source: int | None = None,
        target: int | None = None,
        because: str = "",
    ) -> Finding:
        """A finding as it is read: the message begins with a capital and names the file of its line once.

        Code in the fix is written as the framework of the log has it; without a `fix` it is the cause's.
        """
        dialect = dialect_of(log)
        told = once(message[0].upper() + message[1:], site)
        positions = tuple(sorted({each for each in evidence if each is not None}))
        cure = Fix.of(dialect.cause(cause).fix if fix is None else fix)
        title, fixed = dialect.title(cause), dialect.code(cure.text)
        return cls(cause, symptom, severity, source, target, site, told, fixed, positions, title, because, cure.edit)

    def patch(self) -> str:
        """The edit as a unified diff, which `git apply` takes where the program ran; "" where there is none.

        Paths are those of the log: below the working directory from there. What has no file, as a notebook's cell and
        what came from standard input, is told by the name that the log has for it: the diff is of the text that ran.

        >>> import tapeviz as tv
        >>> w = tv.Variable(1.0)
        >>> with tv.GradientTape() as tape:
        ...     loss = tv.stop_gradient(w * w)
        >>> _ = tape.gradient(loss, w)
        >>> tv.diagnose(tape)[0].patch().splitlines()[-1]
        '+    loss = w * w'
        """
        return patch_of([self.edit])

    def to_dict(self) -> dict[str, Any]:
        """The finding as plain values, ready for `json.dump`.

        Keys: `cause`, `title`, `symptom`, `severity`, `message`, `fix` and `patch` are texts, the last as
        `Finding.patch` gives it; `place` is None or a dict of `file`, `line`, `end_line` (from 1), `column`,
        `end_column` (from 0, as in `ast`), `function` and `code`.

        >>> import tapeviz as tv
        >>> x = tv.constant(1.0)
        >>> with tv.GradientTape() as tape:
        ...     y = x * 2.0
        >>> _ = tape.gradient(y, x)
        >>> tv.diagnose(tape)[0].to_dict()["cause"]
        'not_watched'
        """
        told = {name: getattr(self, name) for name in ("cause", "title", "symptom", "severity", "message", "fix")}
        return told | {"patch": self.patch(), "place": None if self.site is None else _place(self.site)}

    def __str__(self) -> str:
        return _text([self], ())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return _card([self], ())


def _place(site: Site) -> dict[str, Any]:
    lines = {"file": site.filename, "line": site.line, "end_line": site.end_line}
    columns = {"column": site.column, "end_column": site.end_column}
    return lines | columns | {"function": site.function, "code": site.text}


NOTHING_ASKED = f"{NO_GRADIENT}; or ask `why(log, target, source)` what a call would give."
"""What stands in place of findings before the first gradient call."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a diagnosis looked at and what it could not see, in words; "" where there is nothing to say.

    `checked` is what was looked at (nothing: no gradient was taken), `unchecked` what could not be. `unmet` are the
    leaves that took part, or are in an optimizer's list, want a gradient, and were met by no `backward`. `unseen` says
    which ops have no line because the recording began after them, and `opened` which compiled functions
    ran eagerly, or were not opened.
    `unexplained` are the gradients that are None for a reason that the log does not show.
    """

    checked: str = ""
    unchecked: str = ""
    unmet: str = ""
    unseen: str = ""
    opened: str = ""
    unexplained: str = ""

    @property
    def nothing_found(self) -> str:
        """What stands in place of findings where there are none."""
        lacking = f" Could not check: {self.unchecked}." if self.unchecked else ""
        if not self.checked:
            return f"Nothing was checked.{lacking}" if lacking else NOTHING_ASKED
        known = " ".join(filter(None, (self._unexplained, self._met_by_none)))
        nothing = f"{known} Nothing else found" if known else "Nothing found"
        return f"{nothing}. Checked: {self.checked}.{lacking}"

    @property
    def ahead(self) -> list[str]:
        """What is said first: that the program ran otherwise than it would have alone, or was not looked into."""
        return [self.opened] if self.opened else []

    @property
    def notes(self) -> list[str]:
        """What is said below findings."""
        unseen = f"{self.unseen[0].upper()}{self.unseen[1:]}." if self.unseen else ""
        return [each for each in (self._unexplained, self._met_by_none, unseen) if each]

    @property
    def _unexplained(self) -> str:
        told = f"{self.unexplained[:1].upper()}{self.unexplained[1:]}"
        return f"{told}; the log does not show why." if self.unexplained else ""

    @property
    def _met_by_none(self) -> str:
        met_not = f"No `backward` met {self.unmet}, so no gradient is there: `why(log, loss, w)` says why."
        return met_not if self.unmet else ""


class Findings(Sequence[Finding]):
    """The findings of one recording, worst first; shown with those of one line, cause and symptom together.

    `names` are those of the sources, for messages that hold for several; `coverage` is what was looked at.
    """

    def __init__(self, findings: Iterable[Finding], names: Mapping[int, str], coverage: Coverage | None = None) -> None:
        self._findings = tuple(findings)
        self._names = names
        self.coverage = coverage or Coverage()

    @overload
    def __getitem__(self, index: int) -> Finding: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Finding, ...]: ...

    def __getitem__(self, index: int | slice) -> Finding | tuple[Finding, ...]:
        return self._findings[index]

    def __len__(self) -> int:
        return len(self._findings)

    def only(self, findings: Iterable[Finding]) -> Findings:
        """Some of these findings, and nothing of what no `backward` met."""
        return Findings(findings, self._names, replace(self.coverage, unmet=""))

    def groups(self) -> list[list[Finding]]:
        """The findings of one cause, symptom and line together; one of no source is with the first of its line, unless
        it is told apart from that by its own `because`."""
        groups: dict[tuple[str, Site | None, str, str], list[Finding]] = {}
        first: dict[tuple[str, Site | None], list[Finding]] = {}
        for finding in self._findings:
            line = finding.cause, finding.site
            key = (*line, finding.symptom, finding.because)
            is_own = finding.source is not None or finding.because != ""
            if is_own or line not in first:
                first.setdefault(line, groups.setdefault(key, []))
            group = groups.setdefault(key, []) if is_own else first[line]
            group.append(finding)
        return list(groups.values())

    def patch(self) -> str:
        """The patches of all findings in one, but for those that overlap an earlier one; see `Finding.patch`.

        What is only hinted at is left out where something else was found.
        """
        loud = [each.edit for each in self if each.severity != "hint"]
        return patch_of(loud or [each.edit for each in self])

    def _by_group(self) -> Iterator[tuple[list[Finding], tuple[str, ...]]]:
        """The findings of each group, and the names of the sources that the first of them does not tell."""
        for group in self.groups():
            own = group[0].source
            sources = dict.fromkeys(each.source for each in group if each.source not in (None, own))
            yield group, tuple(self._names.get(each, "a source") for each in sources if each is not None)

    def to_dict(self) -> dict[str, Any]:
        """The findings as plain values, ready for `json.dump`.

        Keys: `findings`, a list of what `Finding.to_dict` gives, with those of one cause, symptom and line told once
        and the names of all `sources` that it holds for; `patch`, as `Findings.patch` gives it; and texts, "" where
        there is nothing to say: `checked`, what was looked at; `unchecked`, what could not be; `unmet`, which leaves no
        `backward` met; `unseen`, which ops have no line; `opened`, which functions are compiled or were opened;
        `unexplained`, which sources got no gradient for no known reason.
        """
        found = []
        for group, also in self._by_group():
            own = () if group[0].source is None else (self._names.get(group[0].source, "a source"),)
            sources = [unquoted(each) for each in (*own, *also)]
            found.append(group[0].to_dict() | {"sources": sources, "patch": patch_of(each.edit for each in group)})
        return {"findings": found, "patch": self.patch()} | asdict(self.coverage)

    def texts(self) -> list[str]:
        """The findings in words, with those of one cause, symptom and line told once."""
        return [_text(group, also) for group, also in self._by_group()]

    def __str__(self) -> str:
        found = self.texts()
        said = [*found, *self.coverage.notes] if found else [self.coverage.nothing_found]
        return "\n\n".join([*self.coverage.ahead, *said])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        found = [_card(group, also) for group, also in self._by_group()]
        after = self.coverage.notes if found else [self.coverage.nothing_found]
        return "".join(map(note, self.coverage.ahead)) + stacked(found) + "".join(map(note, after))


@dataclass(frozen=True, slots=True)
class Answer:
    """Why a gradient arrives: `message`, and one line of `paths` per place where its paths begin.

    `warnings` are what may be wrong with it all the same.
    """

    source: int | None
    target: int
    message: str
    paths: tuple[str, ...] = ()
    warnings: tuple[Finding, ...] = ()

    def __str__(self) -> str:
        return "\n".join((self.message, *(f"  {path}" for path in self.paths), *(str(each) for each in self.warnings)))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return note(self.message, self.paths) + stacked([_card([each], ()) for each in self.warnings])


def _text(group: Sequence[Finding], also: tuple[str, ...]) -> str:
    finding = group[0]
    lines = [f"{finding.severity}: {finding.title} [{finding.cause}]"]
    if finding.site is not None:
        lines.append(f"  {words(finding.site)}:  {finding.site.text}")
    lines.append(f"  {finding.message}")
    if also:
        lines.append(f"  {holds_for(also)}")
    lines.append(f"  Fix: {finding.fix}")
    return "\n".join([*lines, *(f"    {each}" for each in _changed(group))])


def _card(group: Sequence[Finding], also: tuple[str, ...]) -> str:
    finding = group[0]
    place = None if finding.site is None else (words(finding.site), finding.site.text)
    told = finding.severity, finding.title, finding.cause, finding.message, finding.fix
    return card(*told, place, also, _changed(group))


def _changed(group: Sequence[Finding]) -> list[str]:
    """The lines to be changed, as far as the fix does not say them."""
    return changed(group[0].fix, [each.edit for each in group])
