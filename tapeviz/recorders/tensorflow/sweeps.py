"""A gradient that TensorFlow takes -> one run of the log: its steps, sums and results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from tensorflow.python import pywrap_tfe
from tensorflow.python.eager import backprop, imperative_grad, record
from tensorflow.python.util import nest

from tapeviz.events.frames import is_library
from tapeviz.events.raised import note_error
from tapeviz.events.raw import Arrived, next_id
from tapeviz.events.types import BackwardFinished, BackwardStarted, CotangentAccumulated, GradientUnseen, VjpApplied
from tapeviz.recorders.patches import Patches
from tapeviz.recorders.tensorflow.ledger import raw_id
from tapeviz.recorders.tensorflow.links import Link
from tapeviz.recorders.tensorflow.ops import READS, Ops
from tapeviz.recorders.tensorflow.saved import saved_slots
from tapeviz.recorders.tensorflow.tapes import Followed
from tapeviz.recorders.tensorflow.values import is_eager, kept_gradient, kept_ones


class Run:
    """One sweep of a tape: how many contributions have reached each tensor, and which sums the log has."""

    def __init__(self, tape: Followed) -> None:
        self.id = next_id()
        self.follows = tape.follows
        self.parts: Counter[int] = Counter()
        self.summed: set[int] = set()
        self.pulled: dict[Link, None] = {}
        self.values: dict[int, tuple[Any, Any]] = {}


class Sweeps:
    """The gradients that are being taken, the innermost last."""

    def __init__(
        self,
        ops: Ops,
        here: Callable[[], bool],
        in_thread: Callable[[], bool],
        missed: Callable[[str, Exception], None],
    ) -> None:
        self.ops = ops
        self.log = ops.log
        self.ledger = ops.ledger
        self.tapes = ops.tapes
        self._running: list[Run] = []
        self._here = here
        self._in_thread = in_thread
        self._missed = missed

    # ----- hooks -----

    def install(self, patches: Patches) -> None:
        """See every gradient, and in it every op's gradient function."""
        patches.wrap(imperative_grad, "imperative_grad", self._taking)
        patches.wrap(backprop.GradientTape, "gradient", self._gradient)
        for name in ("jacobian", "batch_jacobian"):
            patches.wrap(backprop.GradientTape, name, self._rows)
        patches.wrap(record, "record_operation", self._recording)
        register, own = pywrap_tfe.TFE_Py_RegisterGradientFunction, backprop._gradient_function
        patches.swap(register, own, register, lambda: register(own), self._stepping)

    def _taking(self, take: Any) -> Any:
        def imperative_grad(
            tape: Any, target: Any, sources: Any, output_gradients: Any = None, sources_raw: Any = None, **more: Any
        ) -> Any:
            def taken() -> Any:
                return take(tape, target, sources, output_gradients, sources_raw, **more)

            if not self._here() or self.ops.paused:
                return taken()
            followed = self.tapes.of(tape)
            if followed is None:
                return self._unseen(taken)
            seeds = [
                kept_ones(self.log, each) if given is None else kept_gradient(self.log, given)
                for each, given in zip(target, output_gradients or (None,) * len(target), strict=True)
            ]
            run = self._start(followed, target, sources, sources_raw, seeds)
            with self._sweeping(run):
                found = taken()
            self._finish(run, sources, found)
            if not followed.persistent:
                self.tapes.release(followed.id)
            return found

        return imperative_grad

    def _rows(self, take: Any) -> Any:
        """`jacobian` and `batch_jacobian`: one run for all rows, of which the log has the way, not the numbers."""

        def rows(tape: Any, target: Any, sources: Any, *args: Any, **more: Any) -> Any:
            if not self._here() or self.ops.paused or not is_eager(target):
                return self._noting(take, tape, target, sources, *args, **more)
            followed = self.tapes.current(tape)
            if followed is None:
                return self._unseen(lambda: self._noting(take, tape, target, sources, *args, **more))
            flat = nest.flatten(sources)
            handles = [getattr(each, "handle", each) for each in flat]
            run = self._start(followed, [target], handles, flat, [])
            with self._sweeping(run), self.tapes.quietly(), self.ops.quietly():
                found = take(tape, target, sources, *args, **more)
            if self.tapes.open:
                self._recorded(take.__name__, run, nest.flatten(found))
            self._finish(run, handles, nest.flatten(found))
            if not followed.persistent:
                self.tapes.release(followed.id)
            return found

        return rows

    def _unseen(self, taken: Callable[[], Any]) -> Any:
        """A gradient of a tape that was opened before the recording: no op of it can be told."""
        if not self.ops.silent:  # the rows of a Jacobian are told of together
            frame = self.ledger.enter()
            self.log.append(GradientUnseen, code=frame.f_code, lasti=frame.f_lasti, scope=self.log.scope)
        with self.ops.silently():
            return taken()

    def _recorded(self, name: str, run: Run, found: Any) -> None:
        """A Jacobian that other tapes record is one op to the log, made of all that its way read."""
        read = {entry: None for link in run.pulled for entry in link.entries if type(entry) is int}
        outputs = [each for each in found if is_eager(each)]
        if outputs:
            self.ops.write_folded(name, tuple(read), outputs)

    def _noting(self, call: Any, *args: Any, **more: Any) -> Any:
        try:
            return call(*args, **more)
        except Exception as error:
            if self._here():
                note_error(self.log, error)
            raise

    def _gradient(self, take: Any) -> Any:
        def gradient(*args: Any, **more: Any) -> Any:
            return self._noting(take, *args, **more)

        return gradient

    @contextmanager
    def _sweeping(self, run: Run) -> Iterator[None]:
        self._running.append(run)
        with self.ops.silently():
            try:
                yield
            except Exception as error:
                note_error(self.log, error)
                raise
            finally:
                self._running.pop()

    def _stepping(self, pull: Any) -> Any:
        def _gradient_function(
            name: Any, attrs: Any, count: Any, inputs: Any, outputs: Any, upstream: Any, skipped: Any, scope: Any
        ) -> Any:
            found = self._running and self._in_thread() and name not in READS
            link = self.tapes.links.find(attrs) if found else None
            if link is not None and self.tapes.open:
                self._hand_over(link, upstream)
            result = pull(name, attrs, count, inputs, outputs, upstream, skipped, scope)
            if link is not None:
                saved_slots(link.form, count, len(link.outputs)).learn(inputs, outputs)
                self._try_step(link, upstream, result)
            return result

        return _gradient_function

    def _recording(self, note: Any) -> Any:
        """A function brings its own gradient: user code with `custom_gradient`, or a compiled function."""

        def record_operation(
            op_type: Any, output_tensors: Any, input_tensors: Any, backward_function: Any, forward_function: Any = None
        ) -> None:
            tensors = (*output_tensors, *input_tensors)
            if self._here() and not self.ops.paused and all(map(is_eager, tensors)):
                link = self.ops.write_function(_text(op_type), input_tensors, output_tensors)
                if link is not None:
                    backward_function = self._pulling(link, backward_function)
            note(op_type, output_tensors, input_tensors, backward_function, forward_function)

        return record_operation

    def _pulling(self, link: Link, backward: Any) -> Any:
        users = _is_users(backward)

        def pull(*upstream: Any) -> Any:
            if not self._running or not self._in_thread():
                return backward(*upstream)
            with self.ops.aloud() if users else nullcontext():
                if users:
                    self._hand_over(link, upstream)
                result = backward(*upstream)
            self._try_step(link, upstream, result)
            return result

        return pull

    def _hand_over(self, link: Link, upstream: Any) -> None:
        """Ops that the log will have get to see the gradients that have arrived: they are tensors like others."""
        run = self._running[-1]
        for output, g in zip(link.outputs, upstream, strict=False):
            self._sum(run, output, g)
            if is_eager(g) and raw_id(g) not in self.ledger.known:
                self.ledger.known.add(raw_id(g))
                self.log.append(Arrived, run.id, output, None, raw_id(g))

    # ----- one run -----

    def _start(self, tape: Followed, targets: Any, sources: Any, given: Any, seeds: list[Any]) -> Run:
        run, frame = Run(tape), self.ledger.enter()
        for each in given or ():
            if getattr(each, "handle", None) is not None:
                self.ledger.accessed(getattr(each, "_value", each))
        both = tuple([tuple([self.ledger.mention(each, frame) for each in group]) for group in (targets, sources)])
        values = (*seeds, *[True] * (len(targets) - len(seeds)))
        run.parts.update(both[0])
        self.log.append(
            BackwardStarted, (run.id, tape.id), both, values, (None,) * len(values), frame.f_code, frame.f_lasti
        )
        return run

    def _try_step(self, link: Link, upstream: Any, result: Any) -> None:
        try:
            self._step(self._running[-1], link, upstream, result)
        except Exception as error:
            self._missed(f"the gradient of {link.form.name}", error)

    def _step(self, run: Run, link: Link, upstream: Any, result: Any) -> None:
        log = self.log
        if link in run.pulled:  # the rows of a Jacobian, one after the other
            return
        run.pulled[link] = None
        given = upstream if isinstance(upstream, (list, tuple)) else (upstream,)
        for output, g in zip(link.outputs, given, strict=False):
            self._sum(run, output, g)
        pulled = result if isinstance(result, (list, tuple)) else (result,)
        parts = [pulled[index] if index < len(pulled) else None for index in link.form.arguments]
        # a gradient function may have one for what the tape does not follow, too: TensorFlow drops it there
        parts = [
            each if type(entry) is int and entry in run.follows else None
            for each, entry in zip(parts, link.entries, strict=True)
        ]
        values = tuple([None if each is None else self._kept(run, each) for each in parts])
        raw_ids = tuple([self._known(each) for each in parts]) if self.tapes.open else None
        for entry, each in zip(link.entries, parts, strict=True):
            if each is not None:
                run.parts[entry] += 1
        outputs = link.outputs if len(link.outputs) > 1 else link.outputs[0]
        log.append(VjpApplied, run.id, outputs, values, raw_ids)

    def _sum(self, run: Run, tensor: int, total: Any) -> None:
        """All contributions to a tensor have arrived: if there are several, the log gets their sum."""
        count = run.parts[tensor]
        if count > 1 and tensor not in run.summed and total is not None:
            run.summed.add(tensor)
            value = self._kept(run, total)
            self.log.append(CotangentAccumulated, (run.id, count), tensor, value, self._known(total))

    def _kept(self, run: Run, gradient: Any) -> Any:
        """A gradient that is passed on counts once."""
        found = run.values.get(id(gradient))
        if found is None:
            found = run.values[id(gradient)] = gradient, kept_gradient(self.log, gradient)
        return found[1]

    def _known(self, gradient: Any) -> int | None:
        """The id of a gradient that is the result of a logged op."""
        raw = raw_id(gradient) if is_eager(gradient) else 0
        return raw if raw in self.ledger.known else None

    def _finish(self, run: Run, sources: Any, found: Any) -> None:
        ids: list[int | None] = []
        values: list[Any] = []
        for source, gradient in zip(sources, found, strict=True):
            if gradient is None:
                ids.append(None)
                values.append(None)
                continue
            self._sum(run, raw_id(source), gradient)
            raw = raw_id(gradient if is_eager(gradient) else gradient.values)
            self.ledger.known.add(raw)
            self.ledger.gradients.add(raw)
            ids.append(raw)
            values.append(self._kept(run, gradient))
        for tensor, count in run.parts.items():
            if count > 1 and tensor not in run.summed:  # TensorFlow adds up what somebody asks for
                self.log.append(CotangentAccumulated, (run.id, count), tensor, True)
        self.log.append(BackwardFinished, run.id, tuple(ids), tuple(values))


def _text(name: Any) -> str:
    return name if isinstance(name, str) else name.decode()


def _is_users(backward: Any) -> bool:
    """Whether a backward function calls one of the user's own, as `custom_gradient` does."""
    cells = getattr(backward, "__closure__", None) or ()
    codes = [getattr(each.cell_contents, "__code__", None) for each in cells]
    return any(code is not None and not is_library(code.co_filename) for code in codes)
