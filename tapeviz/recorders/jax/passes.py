"""A traced program, and a log -> the records of its forward pass, and of its reverse pass if there are sources."""

from __future__ import annotations

from typing import Any

from tapeviz.events.log import EventLog
from tapeviz.events.raw import next_id
from tapeviz.events.types import TapeClosed, TapeOpened, Watched
from tapeviz.recorders.jax.arguments import Leaf, Program, is_array
from tapeviz.recorders.jax.forward import Forward
from tapeviz.recorders.jax.ledger import Ledger
from tapeviz.recorders.jax.operands import Operand
from tapeviz.recorders.jax.places import Place
from tapeviz.recorders.jax.sweep import Sweep


class Passes:
    """One run of a program into a log, at the user's `place`, on a tape of its own.

    What `runs_again` has run in the user's program before, with all its effects.
    """

    def __init__(
        self, log: EventLog, ledger: Ledger, program: Program, place: Place, *, runs_again: bool = False
    ) -> None:
        self._log = log
        self._program = program
        self._place = place
        self._tape = next_id()
        self._forward = Forward(
            log,
            self._tape,
            program.besides,
            reverses=bool(program.sources),
            ran_at=place if runs_again else None,
            witnesses=ledger.witnesses,
        )
        self._ledger = ledger
        self.arrived: tuple[int | None, ...] = ()
        """The raw ids of the gradients, once it has run."""

    def run(self) -> tuple[list[Any], list[Any]]:
        """The results of the program, and the gradients of its sources: None for one at which nothing arrives."""
        log, program, place = self._log, self._program, self._place
        log.append(TapeOpened, (self._tape, program.seeds is not None, False), code=place.code, lasti=place.lasti)
        inputs = list(map(self._input, program.leaves))
        inside = place._replace(names_result=False, names_returned=False)
        outputs = list(map(self._output, self._forward.closed(program.jaxpr, inputs, inside), program.outputs))
        log.filenames |= self._forward.places.filenames
        log.append(TapeClosed, (self._tape,))
        results = [each.value for each in outputs]
        if not program.sources:
            return results, []
        targets, sources = [outputs[slot] for slot in program.targets], [inputs[slot] for slot in program.sources]
        sweep = Sweep(log, self._tape, keeps_values=program.rows is None)
        gradients = sweep.run(self._forward.logged, targets, program.seeds, sources, place, program.rows)
        self.arrived = sweep.arrived
        return results, gradients

    def _input(self, leaf: Leaf) -> Operand:
        """Log an argument; without a reverse pass, all arguments are followed."""
        followed = leaf.is_source or not self._forward.reverses
        role = "variable" if leaf.is_source else "constant"
        known = self._ledger.variable(leaf.value)
        operand = self._forward.mention(leaf.value, role, leaf.name, followed=followed, place=self._place, known=known)
        if leaf.is_source and self._ledger.keeps_variables and is_array(leaf.value):
            self._ledger.stay(leaf.value, operand.entry)
        else:
            self._ledger.note(leaf.value, operand.entry)
        if followed:
            self._log.append(Watched, (self._tape,), operand.entry, None, "explicit")
        return operand

    def _output(self, operand: Operand, name: str | None) -> Operand:
        """Log the name of a result of the function; a literal that it returns is logged as a constant."""
        if type(operand.entry) is not int:
            operand = self._forward.mention(operand.value, "constant", name)
        if name is not None:
            self._forward.give_name(operand, name)
        self._ledger.note(operand.value, operand.entry)
        return operand
