"""EventLog -> Audit: every VJP of its backward passes, checked against a witness that had no part in it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from tapeviz import graph, replay
from tapeviz.diagnosis.comparing.equations import equation
from tapeviz.diagnosis.comparing.rounding import SURE, of_sum
from tapeviz.diagnosis.numbers.slip_words import RuleInput, off_by, swapped
from tapeviz.diagnosis.numbers.slips import epsilon, masked, slip, tolerance
from tapeviz.diagnosis.op_kinds import ADDITIVE, DRAWS
from tapeviz.diagnosis.wording.places import words
from tapeviz.diagnosis.wrong.witnessed import inputs_off, is_meant, judged, kept, known
from tapeviz.engine.ops import OPS
from tapeviz.engine.specs.dtypes import FLOATING
from tapeviz.errors import LogError
from tapeviz.events import EventLog, Site, VjpWitnessed, log_of
from tapeviz.events.summary import elements_of, norm
from tapeviz.graph import Graph, Op
from tapeviz.live.comparison import ROUNDINGS, both, compare, pairing, wide
from tapeviz.live.rerun import primal_of
from tapeviz.live.witness import Witnessed, by_differences, by_rule
from tapeviz.markup.table import Toned, grid
from tapeviz.markup.theme import Tone
from tapeviz.phrases import counted, quoted, side_by_side
from tapeviz.replay import Contribution, Run, Step
from tapeviz.source.places import site_at
from tapeviz.views.words.names import Names

AuditVerdict: TypeAlias = Literal["right", "wrong", "kink", "random", "changed", "on purpose", "not checked"]
"""kink: the derivative is another at inputs a few roundings away; random: the op has drawn its numbers; changed: not by
the rule, but by a hook on what it gave; on purpose: another gradient than the derivative, as a straight-through has."""

TONES: dict[AuditVerdict, Tone] = {"right": "", "wrong": "error", "changed": "warning"}
MOST = 20
"""Rows that are shown as text; of more, the others are counted."""
Judgement: TypeAlias = tuple[AuditVerdict, str]
"""A verdict, and why, in words."""
_RIGHT: Judgement = "right", ""
_KINK: Judgement = "kink", ""
_RANDOM = DRAWS | {"dropout"}
_DOUBLE = frozenset(("float64", "complex128"))


@dataclass(frozen=True)
class AuditedStep:
    """One VJP, by its run and step, and its line; what it is, and in words, what it gives instead of what is due."""

    run: int
    step: int
    op: str
    site: Site | None
    verdict: AuditVerdict
    text: str

    def __str__(self) -> str:
        where = f" at {words(self.site)}" if self.site is not None else ""
        return f"step {self.step}, {self.op}{where}: {self.verdict}{f', {self.text}' if self.text else ''}"


class Audit:
    """What was found of every VJP of a recording. It is true where none is wrong; as text it is a table.

    `steps` has them all in order, `wrong` those that give something else than what is due.
    """

    def __init__(self, steps: Sequence[AuditedStep]) -> None:
        self.steps = tuple(steps)

    @property
    def wrong(self) -> list[AuditedStep]:
        """The VJPs that give something else than what is due."""
        return [each for each in self.steps if each.verdict == "wrong"]

    def __bool__(self) -> bool:
        return not self.wrong

    def __str__(self) -> str:
        told = [each for each in self.steps if each.verdict not in ("right", "not checked")]
        rows = [(f"step {each.step}", each.op, words(each.site), each.verdict, each.text) for each in told[:MOST]]
        more = [f"… and {len(told) - MOST} more"] if len(told) > MOST else []
        lines = [f"  {line}" for line in (*(side_by_side(rows) if rows else ()), *more, *self._unchecked())]
        return "\n".join([self._in_short(), *lines])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        told = [each for each in self.steps if each.verdict != "right"]
        return grid(self._in_short(), ("op", "line", "verdict", ""), [(f"step {e.step}", _row(e)) for e in told])

    def _in_short(self) -> str:
        counts = Counter(each.verdict for each in self.steps)
        told = ", ".join(f"{count:,} {verdict}" for verdict, count in counts.most_common())
        return ": ".join(filter(None, [counted(len(self.steps), "VJP"), told]))

    def _unchecked(self) -> Iterator[str]:
        """Why some were not checked, each reason once."""
        reasons = Counter(each.text for each in self.steps if each.verdict == "not checked")
        for reason, count in reasons.most_common():
            yield f"{count:,} not checked: {reason}"


def _row(step: AuditedStep) -> list[Toned]:
    tone = TONES.get(step.verdict, "soft")
    return [(step.op, ""), (words(step.site), ""), (step.verdict, tone), (step.text, "")]


def audit(log_or_tape: Any) -> Audit:
    """Check every VJP of a recorded program against a witness that had no part in it.

    A gradient function of the user's own is held against what the framework has for what the function computed. An op
    of a framework is run again in double precision by tapeviz, on the recorded values, where that gives what was
    recorded: against tapeviz's own rule, or against differences, as are the engine's own ops. What is wrong is told by
    the entry, and by the slip where it is one: a factor, a sign, a transpose, a tensor that is missing, inputs swapped.
    Where the derivative is another a few roundings away it is a kink, and no fault.

    Args:
        log_or_tape: a log, or anything with `.log`, such as a tape.

    Returns:
        A verdict for each VJP of each backward pass. As text, and in a notebook, it is a table.

    Raises:
        TypeError: `log_or_tape` neither is a log nor has one.

    >>> import tapeviz as tv
    >>> x = tv.Variable(3.0, name="x")
    >>> with tv.GradientTape() as tape:
    ...     y = tv.sin(x) * x
    >>> _ = tape.gradient(y, x)
    >>> audit(tape)
    2 VJPs: 2 right
    """
    log = log_of(log_or_tape)
    built, runs = graph.build(log), replay.runs(log)
    auditor = _Auditor(log, built, Names(built, runs))
    with np.errstate(all="ignore"):
        return Audit([found for number, run in enumerate(runs) for found in auditor.of_run(number, run)])


class _Auditor:
    """One log, and what is looked up in it for every step."""

    def __init__(self, log: EventLog, built: Graph, names: Names) -> None:
        self._log, self._graph, self._names = log, built, names
        self._witnessed = {event.op: event for event in log.of_kind(VjpWitnessed).values()}
        self._judged = judged(built)

    def of_run(self, number: int, run: Run) -> Iterator[AuditedStep]:
        """The verdicts about the steps of one backward pass; none of a Jacobian's, whose numbers are not kept."""
        sent: defaultdict[int, list[int]] = defaultdict(list)
        for at, step in enumerate(run.steps if run.rows is None else (), 1):
            op = self._graph.ops[step.op]
            try:
                verdict, text = self._verdict(op, step)
            except LogError as error:
                verdict, text = ("random", "") if op.op in _RANDOM else ("not checked", str(error).rstrip("."))
            for each in step.contributions:
                sent[each.tensor].append(each.cotangent)
                changed = self._changed(each, sent[each.tensor]) if each.tensor not in run.targets else None
                if changed is not None and verdict != "wrong":
                    verdict, text = "changed", changed
            yield AuditedStep(number, at, op.op, site_at(self._log, step.op), verdict, text)

    def _changed(self, about: Contribution, sent: Sequence[int]) -> str | None:
        """What became of a gradient after all that was sent to a tensor had arrived there, if it was changed then."""
        if not about.final or about.total == about.cotangent:
            return None
        parts = [elements_of(self._log.value(each)) for each in sent]
        total = elements_of(self._log.value(about.total))
        known = [each for each in parts if each is not None and total is not None and each.shape == total.shape]
        if total is None or len(known) < len(sent) or total.dtype.kind not in "fc":
            return None
        dtype = self._log.tensors[about.total].dtype
        size = sum(map(norm, known)) / (norm(total) or 1.0)
        found = equation(np.asarray(sum(known)), total, SURE * size * of_sum(dtype, 1 + len(known)))
        if found.same:
            return None
        name = quoted(self._names.tensor(about.tensor))
        return f"a hook makes another gradient of what {name} gets: {found.text('what was sent', 'what arrives', name)}"

    def _verdict(self, op: Op, step: Step) -> Judgement:
        if self._log.is_users(op):
            return self._of_users(op, step)
        if not step.contributions:
            return "right", "it sends nothing"
        inputs = [wide(self._value(each, step.op)) for each in op.inputs]
        upstream = [None if each is None else wide(self._value(each)) for each in step.upstream]
        dtype = self._dtype(op.outputs[0], *(each.cotangent for each in step.contributions))
        rules = by_rule(self._log, op, inputs, upstream, dtype)
        found = [
            self._checked(op, step, each, inputs, upstream, None if rules is None else (rules[0], rules[1]))
            for each in step.contributions
        ]
        off = [each for each in found if isinstance(each, RuleInput)]
        if off:
            within = tolerance(dtype)
            return "wrong", swapped(off, within) or "; ".join(
                off_by(each, self._known(op, step), within) for each in off
            )
        judged = [each for each in found if not isinstance(each, RuleInput)]
        return next(
            (each for verdict in ("wrong", "not checked", "kink") for each in judged if each[0] == verdict), _RIGHT
        )

    def _of_users(self, op: Op, step: Step) -> Judgement:
        """A gradient function of the user's own, by what the framework had for what its function computed."""
        event = self._witnessed.get(step.op)
        if event is None:
            reason = "its function could not be run again" if op.op not in self._judged else "it was at another call"
            return "not checked", f"{op.op} is a function of the program's own: {reason}"
        inputs = list(inputs_off(self._graph, event, in_part=True))
        if not inputs:
            return "right", ""
        within = tolerance(event.narrowest)
        again = "it draws random numbers anew: " if event.redrew else ""
        off = "; ".join(off_by(each, known(self._graph, event), within) for each in inputs)
        meant = all(is_meant(self._graph, event, each) for each in inputs)
        return "on purpose" if meant else "wrong", again + (swapped(inputs, within) or off)

    def _checked(
        self,
        op: Op,
        step: Step,
        about: Contribution,
        inputs: list[Any],
        upstream: list[Any],
        rules: tuple[list[Any], list[Any]] | None,
    ) -> Judgement | RuleInput:
        """The verdict about what one argument got; how it is off, where it is wrong."""
        cotangent = self._value(about.cotangent)
        cotangent = np.conj(cotangent) if self._log.facts.gives_conjugates else cotangent
        if rules is not None and rules[0][about.slot] is not None:
            due, nearby = (np.asarray(each[about.slot]) for each in rules)
            rule, dtype = np.asarray(wide(cotangent)), self._dtype(op.outputs[0], about.cotangent)
            if rule.shape == due.shape and norm(rule - due) <= _rounding(op, about.slot, inputs, upstream, dtype):
                return _RIGHT
            return self._judged_by(about, Witnessed(rule, due, nearby), dtype)
        primal = primal_of(self._log, op, step.op, inputs)

        def target(moved: Any) -> tuple[float, float]:
            outputs = primal([*inputs[: about.slot], moved, *inputs[about.slot + 1 :]])
            return pairing(upstream, outputs if len(op.outputs) > 1 else (outputs,))

        dtype = self._log.tensors[about.cotangent].dtype
        symmetric = op.op in OPS and OPS[op.op].facts.symmetric
        compared = compare(target, inputs[about.slot], cotangent, dtype, upstream, symmetric=symmetric)
        if compared.verdict == "not finite":
            return "not checked", f"not finite: {both(compared.vjp, compared.difference)}"
        if compared.verdict != "differs":
            return _RIGHT if compared.verdict == "agrees" else _KINK
        if symmetric or np.iscomplexobj(cotangent):
            return "wrong", both(compared.vjp, compared.difference)
        witnessed = by_differences(primal, inputs, upstream, about.slot, cotangent)
        found = self._judged_by(about, witnessed, "float32" if dtype in _DOUBLE else dtype)
        return _KINK if found == _RIGHT else found

    def _judged_by(self, about: Contribution, by: Witnessed, dtype: str) -> Judgement | RuleInput:
        due = by.due if by.due.shape == by.rule.shape else np.broadcast_to(by.due, by.rule.shape)
        found = slip(by.rule, due, by.nearby, dtype)
        is_unsure = False
        if found is None:
            found, is_unsure = masked(by.rule, due, by.nearby, dtype)
        if found is None:
            return _KINK if is_unsure else _RIGHT
        name = quoted(self._names.tensor(about.tensor))
        found = replace(found, index=by.place(self._log.tensors[about.tensor].shape, found.index))
        return RuleInput(about.slot, name, found, by.rule, due)

    def _known(self, op: Op, step: Step) -> list[tuple[str, Any]]:
        """What an op reads and gives, by name."""
        ids = [*op.inputs, *(op.outputs if len(op.outputs) == 1 else ())]
        return kept(self._log, [(quoted(self._names.tensor(each)), each) for each in ids], step.op)

    def _dtype(self, *tensors: int) -> str:
        """The dtype of fewest digits: an op of two gives each argument its gradient in the dtype of that."""
        return max((self._log.tensors[each].dtype for each in tensors), key=epsilon)

    def _value(self, tensor: int, at: int | None = None) -> Any:
        value = self._log.value(tensor, at)
        if elements_of(value) is None:
            raise LogError("the numbers were not kept: record with a larger `max_bytes`.")
        return value


def _rounding(op: Op, slot: int, inputs: Sequence[Any], upstream: Sequence[Any], dtype: str) -> float:
    """The norm of what rounding may leave of a sum that cancels."""
    others = [norm(each) for at, each in enumerate(inputs) if at != slot and np.asarray(each).dtype.kind in FLOATING]
    size = 1.0 if op.op in ADDITIVE else max([1.0, *(each for each in others if np.isfinite(each))])
    return ROUNDINGS * epsilon(dtype) * size * sum(norm(each) for each in upstream if each is not None)
