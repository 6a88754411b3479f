"""A function of JAX and its arguments -> the log of what `jax.value_and_grad` does with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
from jax import tree_util

from tapeviz.events.defaults import Defaults
from tapeviz.events.log import EventLog
from tapeviz.events.program.exceptions import note_error
from tapeviz.events.program.frames import enter_frame, users_frame
from tapeviz.events.raw import next_id
from tapeviz.events.types import TapeClosed, TapeOpened, Watched
from tapeviz.recorders.frameworks import Framework
from tapeviz.recorders.jax.arguments import Leaf, Program, positions, trace
from tapeviz.recorders.jax.forward import Forward
from tapeviz.recorders.jax.operands import Operand
from tapeviz.recorders.jax.places import Place
from tapeviz.recorders.jax.sweep import Sweep
from tapeviz.recorders.jax.values import is_differentiable
from tapeviz.validation import function_first

JAX = Framework("jax", __name__, ("jax",), oldest="0.6", newest="0.12")


class JaxLog(EventLog):
    """What `record_jax` returns: the log of a function's passes, with what the function returned and its gradients.

    Attributes:
        result: what the function returned.
        gradients: what `jax.grad` returns, in the same structure, but None for an integer; None altogether where no
            gradient was asked for.
    """

    def __init__(self, values: str, max_bytes: int) -> None:
        super().__init__(framework="jax", values=values, max_bytes=max_bytes)
        self.result: Any = None
        self.gradients: Any = None


def record(
    f: Callable[..., Any],
    args: Sequence[Any],
    argnums: int | Sequence[int],
    has_aux: bool,
    values: str | None,
    max_bytes: int | None,
    named: Mapping[str, Any],
) -> JaxLog:
    """The implementation of `record_jax`."""
    JAX.check_version()
    function_first(f, "record_jax")
    differentiated = positions(argnums, len(args))
    log = JaxLog(*Defaults.checked(values, max_bytes))
    frame = users_frame(2)
    enter_frame(log, frame)
    place = Place(log.scope, frame.f_code, frame.f_lasti)
    try:
        program = trace(f, args, named, differentiated, has_aux)
        arrived = _Recording(log, program, place, reverses=bool(differentiated)).run(differentiated)
    except Exception as error:
        note_error(log, error)
        error.log = log  # type: ignore[attr-defined]
        raise
    finally:
        log.close()
    gradients = tuple(_structured(args[index], arrived[index]) for index in differentiated)
    log.gradients = gradients[0] if isinstance(argnums, int) else gradients or None
    return log


def _structured(argument: Any, arrived: Sequence[Any]) -> Any:
    """The gradients of the leaves of one argument in its structure: zeros where nothing arrived, as JAX has it."""
    leaves, structure = tree_util.tree_flatten(argument)
    zeros = (jax.numpy.zeros_like(leaf) for leaf in leaves)
    return tree_util.tree_unflatten(
        structure,
        [
            g if g is not None else zero if is_differentiable(zero) else None
            for g, zero in zip(arrived, zeros, strict=True)
        ],
    )


class _Recording:
    """One run of a program into a log."""

    def __init__(self, log: JaxLog, program: Program, place: Place, *, reverses: bool) -> None:
        self._log = log
        self._program = program
        self._place = place
        self._tape = next_id()
        self._forward = Forward(log, self._tape, program.besides, reverses=reverses)
        self._known: list[tuple[Any, int]] = []
        log.resolvers += (self._id_of,)

    def run(self, differentiated: Sequence[int]) -> dict[int, list[Any]]:
        """Run both passes; for each differentiated argument, the gradients of its leaves."""
        log, program, place = self._log, self._program, self._place
        log.append(TapeOpened, (self._tape, False, False), code=place.code, lasti=place.lasti)
        inputs = [self._input(leaf, leaf.argument in differentiated) for leaf in program.leaves]
        results = self._forward.closed(program.jaxpr, inputs, place._replace(names_result=False, names_returned=False))
        outputs = list(map(self._output, results, program.outputs))
        log.filenames |= self._forward.places.filenames
        log.result = tree_util.tree_unflatten(program.structure, [each.value for each in outputs])
        log.append(TapeClosed, (self._tape,))
        if not differentiated:
            return {}
        sources = [slot for slot, leaf in enumerate(program.leaves) if leaf.argument in differentiated]
        targets = [outputs[slot] for slot in program.targets]
        sweep = Sweep(log, self._tape)
        arrived = sweep.run(self._forward.logged, targets, [inputs[slot] for slot in sources], place)
        by_argument: dict[int, list[Any]] = {argument: [] for argument in differentiated}
        for slot, gradient in zip(sources, arrived, strict=True):
            by_argument[program.leaves[slot].argument].append(gradient)
        return by_argument

    def _input(self, leaf: Leaf, differentiated: bool) -> Operand:
        """Log an argument; without a reverse pass, all arguments are followed."""
        followed = differentiated or not self._forward.reverses
        role = "variable" if differentiated else "constant"
        operand = self._forward.mention(leaf.value, role, leaf.name, followed=followed, place=self._place)
        self._known.append((leaf.value, operand.entry))
        if followed:
            self._log.append(Watched, (self._tape,), operand.entry, None, "explicit")
        return operand

    def _output(self, operand: Operand, name: str) -> Operand:
        """Log the name of a result of the function; a literal that it returns is logged as a constant."""
        if type(operand.entry) is not int:
            operand = self._forward.mention(operand.value, "constant", name)
        self._forward.give_name(operand, name)
        self._known.append((operand.value, operand.entry))
        return operand

    def _id_of(self, obj: Any) -> int | None:
        return next((raw_id for known, raw_id in self._known if known is obj), None)
