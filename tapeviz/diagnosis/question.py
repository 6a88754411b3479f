"""One source of a gradient call, and why its gradient is what it is -> names, words and findings about it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from tapeviz.diagnosis.dialects import dialect_of
from tapeviz.diagnosis.dialects.dialect import Dialect
from tapeviz.diagnosis.dialects.phrases import Phrase
from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.diagnosis.finding import Finding, Severity, Symptom
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.op_kinds import EXTREMES, is_packages
from tapeviz.diagnosis.origins import value_given
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.naming import kind_of, name_of
from tapeviz.diagnosis.wording.opened import scripted_around
from tapeviz.diagnosis.wording.places import origin, within
from tapeviz.events import EventLog, LeafCreated, Site
from tapeviz.events.catalog import WITHIN
from tapeviz.graph import Graph, Op
from tapeviz.phrases import quoted
from tapeviz.source.places import site_at
from tapeviz.source.syntax import only_element

_BEYOND = (
    "The formula is that of an installed package: give it other numbers, or look for an option of it that keeps them "
    "away from there, such as an `eps`."
)
FOR_CALLERS = dict.fromkeys(("domain_edge", "where_trap", "nan_in_forward"), _BEYOND)
"""By the cause, what to do about the formula of an op in a package, which its caller cannot write otherwise."""

_LONGEST_NAME = 40
"""Characters of an argument that is a tensor's name for want of one."""


@dataclass(frozen=True)
class Question:
    """What a user asks, as by `tv.why(tape, loss, w)`: why does `source` get the gradient that it gets from `call`?

    A gradient call has as many questions as sources. With `part`: why does the gradient lack the share of that part?

    `zeros`: the call gave zeros in the place of None, as it was asked to.
    """

    call: GradientCall
    source: int
    part: int | None = None
    zeros: bool = False

    # ----- what is known -----

    @property
    def log(self) -> EventLog:
        return self.call.log

    @property
    def graph(self) -> Graph:
        return self.call.graph

    def site_of(self, op: Op) -> Site | None:
        """The line of an op."""
        return None if op.site is None else self.log.sites[op.site]

    @cached_property
    def within(self) -> GradientCall:
        """The call, or what it would be if the part were its target."""
        if self.part is None:
            return self.call
        return self.call.about(self.part)

    @property
    def target(self) -> int:
        """The target that the source takes part in; the first one if it is none."""
        if len(self.call.targets) == 1:
            return self.call.targets[0]
        found = self.call.trail.target(self.source)
        return self.call.targets[0] if found is None else found

    @property
    def is_followed(self) -> bool:
        """Whether the tape follows the source at all."""
        return self.source in self.call.followed

    @property
    def leaf(self) -> LeafCreated | None:
        """The creation of the source, if it is a leaf."""
        position = self.graph.leaves.get(self.source)
        event = None if position is None else self.log.events[position]
        return event if isinstance(event, LeafCreated) else None

    @property
    def watch(self) -> int | None:
        """The position of the first explicit watch of the source by this tape."""
        return self.call.watches.get(self.source)

    @property
    def is_beside_reached(self) -> bool:
        """Whether the source is a part of what is differentiated as a whole, and the gradient arrives at other parts.

        Some parts may be for other results: zeros are what they get by right.
        """
        whole = self._whole(self.source)
        beside = self.call.reached_sources if whole is not None else ()
        return any(self._whole(each) == whole for each in beside)

    def _whole(self, source: int) -> str | None:
        """The argument that a source is an entry of, by its name, where arguments are differentiated as a whole."""
        found = re.match(r"`(\w+)[.\[]", self.name(source)) if self.log.facts.differentiates_arguments else None
        return None if found is None else found[1]

    def readers(self, tensor: int) -> Iterator[Op]:
        """The ops that read a tensor."""
        return (self.graph.ops[position] for position, _ in self.graph.consumers(tensor))

    @property
    def editor(self) -> Editor:
        """What writes into the program's files."""
        return self.call.once("editor", lambda: Editor(self.log))

    # ----- in words -----

    @property
    def dialect(self) -> Dialect:
        """The words for the program's author."""
        zeros = self.zeros or self.call.gives_zeros

        def find() -> Dialect:
            dialect = dialect_of(self.log).of_tape(self.call.tape_name)
            return dialect.with_zeros() if zeros else dialect

        return self.call.once(("dialect", zeros), find)

    def say(self, phrase: Phrase, **places: str) -> str:
        """A phrase in the words for the program's author."""
        return self.dialect.say(phrase, **places)

    def or_leaving_out(self, it: str = "it") -> str:
        """What else to do with a source that takes no part; `it` is what to call it there."""
        whole = self._whole(self.source)
        if whole is not None:
            return f", or leave {it} out of `{whole}`"
        if self.call.is_made and self.call.run.gradients is None and not self.call.named:
            return ""  # the call raised, since there is nothing that it could have done without this source
        return self.say("or leave it out", it=it, its="its" if it == "it" else f"{it}'s")

    def op_name(self, op: Op) -> str:
        """What an op is called, as code; each of the two that a clip is made of is one, where the line writes it.

        Of an op that nothing is known of, the function of a library's that the line calls.
        """
        if op.site is not None and self.log.row_of(op) is None:
            site = self.log.sites[op.site]
            call = self.call.texts.of(site).call_at(site)
            function = "" if call is None else ast.unparse(call.func)
            if function and (function.startswith(self.dialect.libraries) or is_packages(op)):
                return f"`{function}`"
        name, clip = self.dialect.op(op.op), self.dialect.op("clip_by_value")
        is_clip = op.op in EXTREMES and op.site is not None and f"{clip}(" in self.log.sites[op.site].text
        return f"`{clip if is_clip else name}`"

    def _writes(self, op: Op, place: str) -> bool:
        """Whether an op that a library runs at a place is that library's function which the user's line calls."""
        package, site = self.dialect.package, None if op.site is None else self.log.sites[op.site]
        return bool(package) and place.startswith(package) and site is not None and f"{op.op}(" in site.text

    def script_around(self, op: Op) -> str | None:
        """What the line calls, as code, where TorchScript has compiled that, and the op ran in it."""
        name = scripted_around(self.log, op.scope)
        if name is None or op.site is None:
            return None
        site = self.log.sites[op.site]
        call = self.call.texts.of(site).call_at(site)
        return quoted(name if call is None else ast.unparse(call.func))

    def made_at(self, tensor: int) -> int | None:
        """The position at which a tensor came to be."""
        return self.graph.made_at(tensor)

    def made_on(self, tensor: int) -> Site | None:
        """The line that made a tensor; of a leaf that was not seen being made, the one that the text has for it."""
        site = site_at(self.log, self.made_at(tensor))
        if site is not None or self.graph.producer(tensor) is not None:
            return site
        given = value_given(self.call, tensor)
        return None if given is None else given[0]

    def name(self, tensor: int) -> str:
        """What to call a tensor: the user's name, or the text the call has for it, else the op or leaf that made it."""
        given = self._name_given(tensor) or self._written(tensor)
        return name_of(self.graph, tensor) if given is None else quoted(given)

    def is_named(self, tensor: int) -> bool:
        """Whether the user has a name for a tensor."""
        return self._name_given(tensor) is not None

    def _name_given(self, tensor: int) -> str | None:
        """The user's name for a tensor, or the name the call has for it."""
        own, written = self.log.tensors[tensor].name, self._written(tensor)
        return own if own is not None or written is None or not written.isidentifier() else written

    def _written(self, tensor: int) -> str | None:
        """What the call has in the place of a tensor, if it is that tensor alone, in a list or not, and short."""
        return self.call.once("written", lambda: _written_alone(self.call)).get(tensor)

    def introduced(self, tensor: int) -> str:
        """What to call a tensor and the line that made it, said once."""
        is_leaf = self.graph.producer(tensor) is None
        came = origin(self.made_on(tensor), self.say("made") if is_leaf else "made")
        return (
            f"{kind_of(self.graph, tensor)} {came}"
            if is_leaf and not self.is_named(tensor)
            else (f"{self.name(tensor)}, {came}")
        )

    @property
    def source_name(self) -> str:
        """What to call the source."""
        return self.name(self.source)

    @property
    def target_name(self) -> str:
        """What to call the target."""
        return self.name(self.target)

    @property
    def outcome(self) -> str:
        """What the user sees, at the end of a sentence."""
        if self.part is None:
            return f"{self.source_name} {self.say('gets None')}"
        part = "that number" if self.log.tensors[self.part].role == "literal" else self.name(self.part)
        return f"the gradient of {self.source_name} silently lacks the contribution of {part}"

    def finding(
        self,
        cause: str,
        site: Site | None,
        message: str,
        fix: str | Fix | None = None,
        *,
        severity: Severity = "error",
        symptom: Symptom | None = None,
        evidence: Iterable[int | None] = (),
        because: str = "",
    ) -> Finding:
        """A finding about this question; without a `fix` of its own it gets the cause's.

        Of an op that a package runs the place there is told, and of its formula what a caller can do about it.
        """
        evidence = list(evidence)
        op = self.graph.ops.get(evidence[0]) if evidence and evidence[0] is not None else None
        place = None if op is None or site_at(self.log, evidence[0]) != site else dict(op.attrs).get(WITHIN)
        if op is not None and place is not None and not self._writes(op, str(place)) and self.op_name(op) in message:
            message += f" It runs in {place}."
            fix = fix if isinstance(fix, Fix) and fix.is_for_callers else FOR_CALLERS.get(cause, fix)
        script = None if op is None else self.script_around(op)
        if op is not None and script is not None and self.op_name(op) in message:
            message += f" It runs in {script}, which is compiled by TorchScript."
        return Finding.at(
            self.log,
            cause,
            site,
            message,
            None if fix is None else Fix.of(fix).reworded(lambda text: within(text, site)),
            *evidence,
            self.call.position,
            symptom=symptom or ("none" if self.part is None else "wrong"),
            severity=severity,
            source=self.source,
            target=self.target,
            because=because,
        )


def _written_alone(call: GradientCall) -> dict[int, str]:
    """What a call has in the place of its only target, and of its only source."""
    found: dict[int, str] = {}
    for argument, tensors in zip(call.arguments, (call.targets, call.sources), strict=False):
        if len(tensors) == 1 and len(text := only_element(argument)) <= _LONGEST_NAME:
            found.setdefault(tensors[0], text)
    return found
