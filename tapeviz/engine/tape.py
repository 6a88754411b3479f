"""The user's tape (`tf.GradientTape`): entered, told what to watch, left, asked for gradients; each is logged."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType, TracebackType
from typing import Any, Self
from weakref import ref

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.backward.differentiable import all_differentiable, differentiable
from tapeviz.engine.backward.gradients import gradients
from tapeviz.engine.backward.indexed_slices import IndexedSlices
from tapeviz.engine.backward.jacobian import (
    batch_jacobian,
    check_one_round,
    check_rows_at_a_time,
    jacobians,
    of_one_batch,
    zeros_wanted,
)
from tapeviz.engine.backward.unconnected import UnconnectedGradients
from tapeviz.engine.logs import enter, kept_open, leave
from tapeviz.engine.notes import note, watch
from tapeviz.engine.recording import Trace, asked, current, mention
from tapeviz.engine.tensors.mutable import MutableTensor
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.constant import convert_to_tensor
from tapeviz.events.log import EventLog, Showable
from tapeviz.events.program.exceptions import note_error
from tapeviz.events.program.frames import users_frame
from tapeviz.events.raw import next_id
from tapeviz.events.types import (
    GradientUnseen,
    Pruned,
    RecordingPaused,
    RecordingResumed,
    TapeClosed,
    TapeOpened,
    TapeReset,
)
from tapeviz.events.undo import ended_by
from tapeviz.events.window import Window

USED_UP = "A non-persistent GradientTape gives one gradient or jacobian: for more, write GradientTape(persistent=True)"


class GradientTape(Showable):
    """Records ops for the computation of gradients (`tf.GradientTape`).

    Args:
        persistent: whether several gradients can be computed. Otherwise the first one releases what was recorded.
        watch_accessed_variables: whether trainable variables are watched when they are read.

    >>> import tapeviz as tf
    >>> x = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     y = x * x * x
    >>> tape.gradient(y, x)
    <tf.Tensor: shape=(), dtype=float32, numpy=27.0>
    """

    _id: int = 0
    _trace: Trace | None = None
    _log: EventLog | None = None
    _window: Window | None = None
    _recording: bool = False
    _watched: Mapping[int, TensorLike] = MappingProxyType({})
    """The tensors it watched when it was used up, by id."""

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._watch_accessed = watch_accessed_variables

    # ----- entering and leaving -----

    def __enter__(self) -> Self:
        if self._recording:
            raise ValueError("Tape is still recording, This can happen if you try to re-enter an already-active tape.")
        trace, log = self._trace, self._log
        if trace is None:
            self._id = self._id or next_id()
            self._trace = trace = Trace(self._id, self._watch_accessed)
            log = None
        try:
            self._log = log = enter(trace, log)
            self._recording = True
            _log_act(log, TapeOpened, (trace.id, self._persistent, self._watch_accessed))
            return self
        except BaseException:
            leave(trace)
            self._recording = False
            raise

    @ended_by(lambda self, *_: self._stop())
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is not None:
            note_error(current.get().log or self._log, error, traceback, self._id)

    def _stop(self) -> None:
        """Record no longer, if the tape does."""
        trace, log = self._trace, self._log
        if self._recording and trace is not None and log is not None:
            leave(trace)
            self._recording = False
            log.append(TapeClosed, (trace.id,))

    def _active(self) -> tuple[Trace, EventLog]:
        if self._trace is None or self._log is None or not self._recording:
            raise ValueError(
                "The tape is not recording, so there is nothing to reset or stop: that goes inside its `with` block."
            )
        return self._trace, self._log

    def reset(self) -> None:
        """Forget what was recorded, and go on recording.

        Raises:
            ValueError: outside of the tape's `with` block.
        """
        trace, log = self._active()
        self._release()
        fresh = Trace(trace.id, self._watch_accessed)
        self._trace, self._watched = fresh, {}
        now = current.get()
        current.set(now.with_traces(tuple(fresh if each is trace else each for each in now.traces)))
        _log_act(log, TapeReset, (trace.id,))

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """A block in which the tape does not record.

        Raises:
            RuntimeError: the tape was never entered.
            ValueError: the tape is not recording.
        """
        if self._trace is None:
            raise RuntimeError(
                "The tape is not recording, so stop_recording has nothing to stop: it goes inside its `with` block."
            )
        trace, log = self._active()
        _log_act(log, RecordingPaused, (trace.id,))
        self._recording = False
        now = current.get()
        current.set(now.with_traces(tuple(each for each in now.traces if each is not trace)))
        try:
            with kept_open(log):
                yield
        finally:
            if self._trace is trace:
                now = current.get()
                current.set(now.with_traces((*now.traces, trace)))
                self._recording = True
                log.append(RecordingResumed, (trace.id,))
            else:  # used up meanwhile
                self.__enter__()

    # ----- watching -----

    def watch(self, tensor: object) -> None:
        """Watch a tensor, a variable, `IndexedSlices`, or each of these in a structure.

        It has no effect while no tape records.

        Raises:
            ValueError: the argument is something else.
            AttributeError: the tape was never entered, or was used up.
        """
        for each in nest.flatten(tensor, expand_composites=True):
            if not isinstance(each, TensorLike) or not each._native:
                raise ValueError(
                    f"Passed in object {each} of type {type(each).__name__!r}, not tf.Tensor or tf.Variable or "
                    "ExtensionType. Make it a tensor first: x = tf.constant(...), then tape.watch(x)."
                )
            if self._trace is None or self._log is None:
                raise AttributeError(  # TensorFlow's class for this
                    "'NoneType' object has no attribute '_tape': the tape is not recording; call tape.watch inside the "
                    "tape's `with` block."
                )
            if current.get().traces:  # otherwise TensorFlow ignores it, too
                self._watch(each, self._trace, self._log)

    def _watch(self, tensor: TensorLike, trace: Trace, log: EventLog) -> None:
        if tensor._id not in log.mentioned:
            mention(log, tensor)
        watch(log, trace, tensor)
        if tensor._value.dtype.kind == "f":
            tensor._traces = (*(each for each in tensor._traces if each.alive and each is not trace), trace)
        else:
            tensor._traces = ()  # for the next op to find out: integers are not followed, complex numbers specially

    def watched_variables(self) -> tuple[MutableTensor, ...]:
        """The variables that the tape watches, in the order of their creation."""
        watched = self._watched if self._trace is None else self._trace.watched
        variables = sorted([each for each in watched.values() if isinstance(each, MutableTensor)], key=lambda v: v._id)
        return tuple([each._watched for each in variables])

    # ----- afterwards -----

    def _release(self) -> None:
        """Free what was recorded: the tape is used up, or garbage."""
        trace, log = self._trace, self._log
        if trace is not None and log is not None:
            self._watched, self._trace = trace.watched, None
            log.append(Pruned, (trace.id,))
            trace.release()

    __del__ = _release

    @property
    def log(self) -> EventLog:
        """The log of this tape: its own, or its part of the log that `record()` opened.

        Raises:
            RuntimeError: the tape was never entered.
        """
        if self._log is None:
            raise RuntimeError("This tape has no log yet: nothing was recorded. Enter it first: `with tape: ...`.")
        if self._log.held and self._window is None:
            self._window = Window(self._log, self._id)
        return self._window or self._log

    # ----- gradients -----

    def gradient(
        self,
        target: object,
        sources: object,
        output_gradients: object = None,
        unconnected_gradients: object = UnconnectedGradients.NONE,
    ) -> Any:
        """The gradient of the sum of all targets with respect to each source.

        Args:
            target: a tensor or a variable of any shape, or a structure of them.
            sources: a tensor or a variable, or a structure of them.
            output_gradients: a seed for each target, which has its shape or broadcasts to it; ones by default.
            unconnected_gradients: "none" or "zero": the gradient of a source on which no target depends.

        Returns:
            In the structure of `sources`, a tensor of the shape and dtype of each source, or None.

        Raises:
            RuntimeError: the tape is not persistent, and was used before.
            TypeError: `target` is None, or a target or source is not a tensor, a number or an array.
            AttributeError: a target or source is a number or an array.
            ValueError: an unknown `unconnected_gradients`, or a seed is None.
            InvalidArgumentError: a seed has another dtype, or its shape does not broadcast to the target's.
            LookupError: TensorFlow has no gradient for an op between a source and a target.
        """
        return self._run(gradients, target, sources, output_gradients, unconnected_gradients)

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: object = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The derivative of each element of a target with respect to each source.

        One backward pass computes all of them together, unless another tape records it.

        Args:
            target: a tensor, or a gradient in `IndexedSlices`.
            sources: a tensor or a variable, or a structure of them.
            unconnected_gradients: as for `gradient`.
            parallel_iterations: has no effect, but as in TensorFlow the tape must be persistent if it is not greater
                than the number of elements, and it must be at least 2 with `experimental_use_pfor`.
            experimental_use_pfor: has no effect, but as in TensorFlow False needs a persistent tape.

        Returns:
            In the structure of `sources`, tensors of shape target.shape + source.shape.

        Raises:
            RuntimeError: the tape is not persistent, and was used before or would have to be persistent.
            ValueError, TypeError: `parallel_iterations` is too small.
            AttributeError: the target or a source is not a tensor.

        >>> import tapeviz as tf
        >>> x = tf.Variable([1.0, 2.0])
        >>> with tf.GradientTape() as tape:
        ...     y = x * x
        >>> tape.jacobian(y, x).numpy()
        array([[2., 0.],
               [0., 4.]], dtype=float32)
        """
        with self._noting():
            target = convert_to_tensor(target) if isinstance(target, (np.ndarray, np.generic)) else target
            wanted = target if isinstance(target, IndexedSlices) else differentiable(target, "target", "shape")
            flat = all_differentiable(sources, "source")
            self._check_loop("jacobian", experimental_use_pfor, parallel_iterations)
            check_one_round("jacobian", self._persistent, parallel_iterations, math.prod(wanted.shape))
            zero = zeros_wanted("jacobian", experimental_use_pfor, unconnected_gradients)
        found = self._run(jacobians, wanted, flat, zero)
        return nest.pack_sequence_as(sources, found)

    def batch_jacobian(
        self,
        target: object,
        source: object,
        unconnected_gradients: object = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The Jacobian of each example of a batch: of `target[i]` with respect to `source[i]`.

        If an example of the target depends on other examples of the source, their derivatives are added.

        Args:
            target: a tensor of shape (b, ...).
            source: a tensor or a variable of shape (b, ...).
            unconnected_gradients: has no effect.
            parallel_iterations: as for `jacobian`, as is `experimental_use_pfor`.

        Returns:
            A tensor of shape (b, *target.shape[1:], *source.shape[1:]); zeros if the target does not depend on the
            source.

        Raises:
            RuntimeError: as for `jacobian`.
            AttributeError: an argument is not a tensor.
            ValueError: a rank is less than 2, or the first axes have different lengths.
            IndexError: the target is a scalar.
        """
        with self._noting():
            wanted, one = of_one_batch(target, source)
            self._check_loop("batch_jacobian", experimental_use_pfor, parallel_iterations)
            check_one_round("batch_jacobian", self._persistent, parallel_iterations, math.prod(wanted.shape[1:]))
            zeros_wanted("batch_jacobian", experimental_use_pfor, unconnected_gradients)
        return self._run(batch_jacobian, wanted, one)

    def _check_loop(self, what: str, at_once: bool, at_a_time: int | None) -> None:
        """Check the arguments about loops: a loop of gradient calls needs a persistent tape."""
        if not at_once and not self._persistent:
            raise RuntimeError(
                f"experimental_use_pfor=False computes the {what} by several gradient calls: it needs a tape made with "
                "GradientTape(persistent=True)."
            )
        check_rows_at_a_time(what, at_once, at_a_time)

    @contextmanager
    def _noting(self) -> Iterator[None]:
        """A block whose errors are logged, as is the one that the tape is used up already."""
        try:
            if self._trace is None:
                raise RuntimeError(USED_UP)
            yield
        except Exception as error:
            note_error(current.get().log or self._log, error, None, self._id)
            raise

    def _run(self, backward: Callable[..., Any], *asked_for: object) -> Any:
        """Compute gradients by `backward`; a tape that is not persistent stops recording before, and is used up after.

        Errors are logged, as by `_noting`, but without the costs of a context manager.
        """
        trace, log, release, now = self._trace, self._log, not self._persistent, current.get()
        try:
            if trace is None or log is None:
                raise RuntimeError(USED_UP)
            asked.set(ref(log))
            if now.log is not None and now.log.held and now.log is not log:
                note(GradientUnseen)
            if release and self._recording:
                self._stop()
            found = backward(trace, log, release, *asked_for)
        except Exception as error:
            if trace is not None and not trace.alive:
                self._release()
            note_error(current.get().log or log, error, None, self._id)
            raise
        if release:
            self._release()
        return found

    def __repr__(self) -> str:
        if self._log is None:
            return "<tapeviz.GradientTape, never entered>"
        state = "recording" if self._recording else "used" if self._trace is None else "recorded"
        kind = "persistent, " if self._persistent else ""
        return f"<tapeviz.GradientTape, {kind}{state}: {self.log!r}>"


def _log_act(log: EventLog, kind: type, about: tuple[Any, ...]) -> None:
    """Log an event of a tape, at the user's line."""
    frame = users_frame(2)
    log.append(kind, about, None, None, None, frame.f_code, frame.f_lasti)
