"""TensorFlow's computations of gradients -> a `Sweep` for each, whose methods are called as it goes on."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, Protocol

from tensorflow.python import pywrap_tfe
from tensorflow.python.eager import backprop, imperative_grad, record
from tensorflow.python.ops import custom_gradient
from tensorflow.python.util import nest

from tapeviz.events.program.frames import is_library, users_frame
from tapeviz.events.program.inspection import code_of
from tapeviz.events.types import GradientUnseen
from tapeviz.recorders.hooks import When
from tapeviz.recorders.local_names import named_in
from tapeviz.recorders.naming import give_name
from tapeviz.recorders.patches import Row, Swapped
from tapeviz.recorders.tensorflow import callbacks
from tapeviz.recorders.tensorflow.backward.logged_ops import LoggedOp
from tapeviz.recorders.tensorflow.backward.saved import saved_slots
from tapeviz.recorders.tensorflow.backward.sweep import Sweep
from tapeviz.recorders.tensorflow.backward.witnesses import TapeWitnesses
from tapeviz.recorders.tensorflow.ledger import raw_id
from tapeviz.recorders.tensorflow.ops import READS, Ops
from tapeviz.recorders.tensorflow.values import is_followed, kept_gradient, kept_ones

JACOBIANS = ("jacobian", "batch_jacobian")
LINKS = READS | {"captured_value"}
"""What TensorFlow's tape is told in a graph of a tensor that is, by another name, one that it follows."""


class GradientWitness(Protocol):
    """What TensorFlow has for what a user's function with its own gradient computed."""

    def testify(self, ops: Ops, op: LoggedOp, upstream: Sequence[Any], rule: Sequence[Any]) -> None:
        """Log that, beside what the user's rule gave."""


class GradientWitnesses(Protocol):
    """Follow the functions with their own gradient that a program runs, to say what TensorFlow has for each."""

    def take(self) -> GradientWitness | None:
        """That of the function that has just run."""

    def call(self, call: Callable[..., Any], f: Any, args: Any, kwargs: Any) -> Any:
        """Call TensorFlow's function that calls the user's."""


class Sweeps:
    """The sweeps that are running, the innermost last."""

    def __init__(self, ops: Ops, witnesses: GradientWitnesses | None = None) -> None:
        self._ops = ops
        self._session = ops.session
        self._log = ops.log
        self._ledger = ops.ledger
        self._tapes = ops.tapes
        self._running: list[Sweep] = []
        self._witnesses = TapeWitnesses(ops) if witnesses is None else witnesses
        self.pulled: Callable[[LoggedOp, Sweep], None] = lambda op, sweep: None
        """What is done when a function with its own gradient was pulled back in a sweep."""

    @property
    def _is_watching(self) -> bool:
        """Whether gradients are recorded here and now."""
        return self._session.is_running and not self._ops.switched_off

    # ----- hooks -----

    def rows(self) -> list[Row]:
        """Hooks at all gradient calls, at the gradient functions of ops, and at functions with own gradients."""
        watching, running, tape = When(lambda: self._is_watching), self._session.running, backprop.GradientTape
        register, own = pywrap_tfe.TFE_Py_RegisterGradientFunction, backprop._gradient_function
        return [
            watching.instead(imperative_grad, "imperative_grad", self._take),
            running.before(tape, "gradient", self._name_target),
            *(watching.instead(tape, name, self._take_rows) for name in JACOBIANS),
            *(running.failed(tape, name, self._session.fail) for name in ("gradient", *JACOBIANS)),
            watching.instead(record, "record_operation", self._record),
            watching.instead(custom_gradient, "_eager_mode_decorator", self._witnesses.call),
            Swapped(register, own, register, lambda: register(own), self._stepping),
        ]

    def _take(
        self,
        take: Any,
        tape: Any,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        sources_raw: Any = None,
        **more: Any,
    ) -> Any:
        def taken() -> Any:
            return take(tape, target, sources, output_gradients, sources_raw, **more)

        state = self._tapes.state_behind(tape)
        if state is None:
            return self._unseen(taken)
        seeds = [
            kept_ones(self._log, each) if given is None else kept_gradient(self._log, given)
            for each, given in zip(target, output_gradients or (None,) * len(target), strict=True)
        ]
        run = Sweep(self._tapes, state)
        run.begin(target, sources, sources_raw, seeds)
        with self._sweeping(run):
            found = taken()
        run.end(sources, found)
        return found

    def _take_rows(self, take: Any, tape: Any, target: Any, sources: Any, *args: Any, **more: Any) -> Any:
        """`jacobian` and `batch_jacobian`: one run for all rows, with its ops but without their numbers."""
        if not is_followed(self._log, target) or not target.shape.is_fully_defined():
            return take(tape, target, sources, *args, **more)
        state = self._tapes.state_of(tape)
        if state is None:
            return self._unseen(lambda: take(tape, target, sources, *args, **more))
        flat = nest.flatten(sources)
        handles = [getattr(each, "handle", each) for each in flat]
        run = Sweep(self._tapes, state)
        sides = target.shape[1:] if take.__name__ == "batch_jacobian" else target.shape
        run.begin([target], handles, flat, [], rows=math.prod(sides))
        with self._sweeping(run), self._tapes.unlogged(), self._ops.unrecorded():
            found = take(tape, target, sources, *args, **more)
        if self._tapes.open:
            self._recorded(take.__name__, run, nest.flatten(found))
        run.end(handles, nest.flatten(found))
        return found

    def _unseen(self, taken: Callable[[], Any]) -> Any:
        """A gradient of a tape that was opened before the recording, so that its ops are unknown."""
        if not self._ops.within_gradients:  # the rows of a Jacobian are told of together
            self._session.note(GradientUnseen)
        with self._ops.within_gradient():
            return taken()

    def _recorded(self, name: str, run: Sweep, found: Any) -> None:
        """Log a Jacobian that other tapes record as one op, whose inputs are all that was read to compute it."""
        outputs = [each for each in found if is_followed(self._log, each)]
        if outputs:
            self._ops.write_folded(name, run.read, outputs)

    def _name_target(self, tape: Any, target: Any = None, *args: Any, **more: Any) -> None:
        """If a library takes the gradient, as `fit` does, the target gets the name of the library's variable."""
        caller = users_frame(1)
        filename = caller.f_code.co_filename
        if not is_library(filename) or filename == callbacks.LIBRARY:
            return
        name = named_in(caller, target) if is_followed(self._log, target) else None
        if name is not None:
            give_name(self._log, raw_id(target), name)

    @contextmanager
    def _sweeping(self, run: Sweep) -> Iterator[None]:
        self._running.append(run)
        with self._ops.within_gradient():
            try:
                yield
            except Exception as error:
                self._session.fail(error)
                raise
            finally:
                self._running.pop()

    def _stepping(self, pull: Any) -> Any:
        def _gradient_function(
            name: Any, attrs: Any, count: Any, inputs: Any, outputs: Any, upstream: Any, skipped: Any, scope: Any
        ) -> Any:
            found = self._running and self._session.is_here and name not in READS
            op = self._tapes.logged.op_of(attrs) if found else None
            if op is not None and self._tapes.open:
                self._running[-1].hand_over(op, upstream)
            result = pull(name, attrs, count, inputs, outputs, upstream, skipped, scope)
            if op is not None:
                saved_slots(op.form, len(op.outputs)).learn(inputs, outputs)
                self._try_pull(op, upstream, result)
            return result

        return _gradient_function

    def _record(
        self,
        record: Any,
        op_type: Any,
        outputs: Any,
        inputs: Any,
        backward_function: Any,
        forward_function: Any = None,
    ) -> None:
        """A function with its own gradient has run: one with `custom_gradient`, or a compiled function."""
        if op_type not in LINKS and all(is_followed(self._log, each) for each in (*outputs, *inputs)):
            op = self._ops.write_function(_text(op_type), inputs, outputs, users=_is_users(backward_function))
            if op is not None:
                backward_function = self._pulling(op, backward_function, self._witnesses.take())
        record(op_type, outputs, inputs, backward_function, forward_function)

    def _pulling(self, op: LoggedOp, backward: Any, witness: GradientWitness | None) -> Any:
        users = _is_users(backward)

        def pull(*upstream: Any) -> Any:
            if not self._running or not self._session.is_here:
                return backward(*upstream)
            with self._ops.within_users_function() if users else nullcontext():
                if users:
                    self._running[-1].hand_over(op, upstream)
                result = backward(*upstream)
            self._try_pull(op, upstream, result)
            self.pulled(op, self._running[-1])
            if witness is not None:
                self._testify(witness, op, upstream, result)
            return result

        return pull

    def _testify(self, witness: GradientWitness, op: LoggedOp, upstream: Any, result: Any) -> None:
        """Log what TensorFlow has for a user's function, once, beside what the user's rule gave."""
        running, self._running = self._running, []
        try:
            witness.testify(self._ops, op, upstream, result)
        except Exception:  # what TensorFlow cannot differentiate
            pass
        finally:
            self._running = running

    def _try_pull(self, op: LoggedOp, upstream: Any, result: Any) -> None:
        try:
            self._running[-1].pull(op, upstream, result)
        except Exception as error:
            self._session.missed(f"the gradient of {op.form.name}", error)


def _text(name: Any) -> str:
    return name if isinstance(name, str) else name.decode()


def _is_users(backward: Any) -> bool:
    """Whether a backward function calls a function of the user's, as those of `custom_gradient` do."""
    cells = getattr(backward, "__closure__", None) or ()
    codes = [code_of(each.cell_contents) for each in cells]
    return any(code is not None and not is_library(code.co_filename) for code in codes)
