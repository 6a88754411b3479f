"""The user's tape, and the gradients it gives (`tf.GradientTape`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
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
from tapeviz.engine.notes import note
from tapeviz.engine.recording import asked, current
from tapeviz.engine.taping import Taping
from tapeviz.engine.values.constant import convert_to_tensor
from tapeviz.events.program.exceptions import note_error
from tapeviz.events.types import GradientUnseen

USED_UP = "A non-persistent GradientTape gives one gradient or jacobian: for more, write GradientTape(persistent=True)"


class GradientTape(Taping):
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

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._watch_accessed = watch_accessed_variables

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
