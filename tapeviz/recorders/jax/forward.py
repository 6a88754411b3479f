"""A jaxpr and the values of its inputs -> its results, computed equation by equation, with a record of each.

What a reverse pass needs stays in `logged`, one per op that a gradient can pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import jax
from jax.extend import core

from tapeviz.events import catalog
from tapeviz.events.log import EventLog
from tapeviz.events.raw import Mentioned, next_id
from tapeviz.events.types import RecordingPaused, RecordingResumed
from tapeviz.recorders.jax.equations import only_has_effects, rule_for
from tapeviz.recorders.jax.linearized import Linearized
from tapeviz.recorders.jax.names import Form
from tapeviz.recorders.jax.operands import Closed, LoggedOp, Operand, Vjp, literal
from tapeviz.recorders.jax.places import Place, Places, added_by_gradients
from tapeviz.recorders.jax.values import as_array, is_differentiable, kept
from tapeviz.recorders.jax.witnesses import JaxWitnesses
from tapeviz.recorders.naming import give_name, name_by_line, take_name
from tapeviz.recorders.runs import one_or_all


class Forward:
    """Evaluates jaxprs into a log.

    `names` are those of arrays that the program reads without their being arguments, by identity. Without `reverses`
    nothing is kept for a reverse pass. What `ran_at` a place of the program before runs again, without its effects.
    """

    def __init__(
        self,
        log: EventLog,
        tape: int,
        names: Mapping[int, str],
        *,
        reverses: bool,
        ran_at: Place | None,
        witnesses: JaxWitnesses | None = None,
    ) -> None:
        self.log = log
        self.tape = tape
        self.reverses = reverses
        self.witnesses = witnesses or JaxWitnesses()
        self._ran_at = ran_at
        self.places = Places()
        self._linearized = Linearized()
        self.logged: list[LoggedOp] = []
        self._names = names
        self._of_gradients: dict[int, tuple[Any, ...]] = {}
        self._constants: dict[int, tuple[Any, Operand]] = {}

    def run(
        self, jaxpr: core.Jaxpr, constants: Sequence[Any], operands: Sequence[Operand], around: Place
    ) -> list[Operand]:
        """Evaluate a jaxpr that belongs to the code at `around`."""
        known = dict(zip(jaxpr.constvars, map(self.constant, constants), strict=True))
        known.update(zip(jaxpr.invars, operands, strict=True))

        def read(atom: Any) -> Operand:
            return literal(atom) if isinstance(atom, core.Literal) else known[atom]

        added = added_by_gradients(jaxpr)
        for index, equation in enumerate(jaxpr.eqns):
            if self._ran_at is not None and only_has_effects(equation):
                continue
            inputs = [read(atom) for atom in equation.invars]
            place = self.places.of(equation, around, added=index in added)
            outputs = rule_for(equation)(self, equation, inputs, place)
            known.update(zip(equation.outvars, outputs, strict=True))
        return [read(atom) for atom in jaxpr.outvars]

    def closed(self, jaxpr: Closed, operands: Sequence[Operand], around: Place) -> list[Operand]:
        """Evaluate a jaxpr that comes with its constants."""
        return self.run(jaxpr.jaxpr, jaxpr.consts, operands, around)

    def apply(
        self,
        form: Form,
        function: Callable[..., Sequence[Any]],
        inputs: Sequence[Operand],
        place: Place,
        *,
        may_give_zeros: bool = False,
        witness: Callable[..., None] | None = None,
    ) -> list[Operand]:
        """Run one op and log it; keep its VJP if a gradient can pass."""
        followed = any(each.followed for each in inputs)
        passes = _passes(form, len(inputs)) if followed else ()
        if followed and self.reverses and any(each.perturbed for each in inputs):
            results, vjp = self._linearized.apply(function, inputs)
        else:
            results, vjp = function(*(each.value for each in inputs)), None
        perturbed = any(each.perturbed and passing for each, passing in zip(inputs, passes, strict=False))
        outputs = [
            Operand(each, next_id(), has_gradient and followed, has_gradient and perturbed)
            for each in map(as_array, results)
            for has_gradient in (is_differentiable(each),)
        ]
        recorded = any(each.followed for each in outputs)
        if recorded and vjp is not None:
            self.logged.append(LoggedOp(tuple(inputs), tuple(outputs), passes, vjp, may_give_zeros, witness))
        saved = _saved(vjp, (*inputs, *outputs)) if recorded else ()
        self._write_op(form, inputs, outputs, saved, (self.tape,) if recorded else (), place)
        return outputs

    def _write_op(
        self,
        form: Form,
        inputs: Sequence[Operand],
        outputs: Sequence[Operand],
        saved: tuple[int, ...],
        tapes: tuple[int, ...],
        place: Place,
    ) -> None:
        """Log an op. The line of a gradient call names only results that no other op of the call reads."""
        log = self.log
        entries = tuple(each.entry for each in inputs)
        ids = one_or_all(tuple(each.entry for each in outputs))
        values = one_or_all(tuple(kept(log, each.value) for each in outputs))
        at = (place.scope, place.code, place.lasti)
        attrs = (*form.attrs, (catalog.WITHIN, place.within)) if place.within else form.attrs
        log.raw += (form.name, entries, ids, values, attrs, saved, tapes, *at)
        nameless = [] if place.names_result else [each.entry for each in outputs]
        if place.in_gradient:
            nameless += [entry for entry in entries if self._of_gradients.get(entry) == at]
            self._of_gradients.update(dict.fromkeys((each.entry for each in outputs), at))
        for raw_id in nameless:
            take_name(log, raw_id)

    @contextmanager
    def paused(self, place: Place) -> Iterator[None]:
        """A block of ops that no gradient passes through, because of the code at `place`."""
        self.log.append(RecordingPaused, (self.tape,), code=place.code, lasti=place.lasti)
        yield
        self.log.append(RecordingResumed, (self.tape,))

    def constant(self, value: Any) -> Operand:
        """The operand for an array that the program reads and that is not an argument; the same at every use."""
        if id(value) not in self._constants:
            operand = self.mention(value, "constant", self._names.get(id(value)), place=self._ran_at)
            self._constants[id(value)] = value, operand
        return self._constants[id(value)][1]

    def give_name(self, operand: Operand, name: str) -> None:
        """Give a tensor a name, where the user's source gives it none."""
        give_name(self.log, operand.entry, name)

    def name_by_line(self, inputs: Sequence[Operand], results: Sequence[Operand], place: Place) -> None:
        """The line at `place` names the results of several ops that it ran together."""
        entries, ids = (tuple(each.entry for each in operands) for operands in (inputs, results))
        name_by_line(self.log, entries, ids, (place.code, place.lasti, place.scope))

    def mention(
        self,
        value: Any,
        role: str,
        name: str | None,
        *,
        followed: bool = False,
        place: Place | None = None,
        known: int | None = None,
    ) -> Operand:
        """Log a tensor that no op has made, which came in at `place`, unless it is `known`; its operand."""
        array = jax.numpy.asarray(value)
        perturbed = followed and is_differentiable(array)
        if known is not None:
            return Operand(array, known, perturbed, perturbed)
        operand = Operand(array, next_id(), perturbed, perturbed)
        code, lasti = (None, -1) if place is None else (place.code, place.lasti)
        about = (role, role == "variable", name)
        self.log.append(Mentioned, None, operand.entry, kept(self.log, array), about, code, lasti)
        return operand


def _passes(form: Form, operands: int) -> tuple[bool, ...]:
    """Which operands of an op a gradient reaches: all, if the user's own function defines it."""
    row = None if catalog.CUSTOM in form.attrs else catalog.row(form.name)
    return tuple([row is None or row.passes(slot) for slot in range(operands)])


def _saved(vjp: Vjp | None, operands: Sequence[Operand]) -> tuple[int, ...]:
    """Which operands and results a VJP keeps; what it computed itself, such as a cosine for a sine, does not count."""
    residuals = {id(leaf) for leaf in jax.tree_util.tree_leaves(vjp.pull)} if vjp else set()
    return tuple(slot for slot, each in enumerate(operands) if id(each.value) in residuals)
