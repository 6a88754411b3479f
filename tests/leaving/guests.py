"""The frameworks -> for each a small program, the ops that a log has of it, and all that a recording could leave changed.

What is compared are identities, so that a wrapper that is left in the place of a function is seen.
"""

from __future__ import annotations

import gc
import sys
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import tapeviz as tv
from tapeviz.engine.recording import current, flight
from tapeviz.events import EventLog, OpRecorded, OpSkipped
from tapeviz.recorders import patches
from tapeviz.recorders.record import record
from tapeviz.recorders.session import recorded
from tests.recorders.frameworks import tensorflow_state, torch_state

EXPECTED = ["mul", "reduce_sum"]


def ops_of(log: EventLog) -> list[str]:
    """The names of the ops in a log."""
    return [event.op for event in log.events if isinstance(event, (OpRecorded, OpSkipped))]


def python_state() -> list[Any]:
    """What of Python, and of tapeviz itself, a recording could leave changed."""
    return [
        *(sys.meta_path[:], sys.excepthook, sys.unraisablehook, sys.displayhook, threading.excepthook),
        *(warnings.showwarning, warnings.filters[:], sys.getprofile(), sys.getrecursionlimit()),
        *(gc.isenabled(), gc.get_threshold(), gc.callbacks[:]),
        *(current.get() is flight, recorded.get(), dict(patches._places), _is_free(patches._lock)),
    ]


def _is_free(lock: Any) -> bool:
    """Whether another thread can have a lock."""
    got: list[bool] = []
    thread = threading.Thread(target=lambda: got.append(lock.acquire(blocking=False)) or (got[0] and lock.release()))
    thread.start()
    thread.join()
    return got[0]


def _buffer_table() -> Any:
    from tapeviz.recorders.tensorflow import buffers

    return buffers._told, buffers._table(buffers.EagerTensor) and buffers._hook()[0].value  # type: ignore[index]


@dataclass(frozen=True)
class Guest:
    """A framework that is recorded.

    Attributes:
        program: computes the gradient of a sum of squares.
        state: what of the framework could be left changed.
        make: makes the recording, given options of `record`.
    """

    name: str
    program: Callable[[], Any]
    state: Callable[[], list[Any]]
    make: Callable[..., Any] = record

    def left(self) -> list[Any]:
        """The state of the framework, of Python and of tapeviz."""
        return [*self.state(), *python_state()]


def _taped(tf: Any) -> Callable[[], Any]:
    w = tf.Variable([1.0, 2.0])

    def program() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(w * w)
        return tape.gradient(loss, w)

    return program


def engine() -> Guest:
    """tapeviz's own tape."""
    return Guest("engine", _taped(tv), list)


def tensorflow() -> Guest:
    """TensorFlow, with a callback of the program's own."""
    tf = import_module("tensorflow")
    return Guest("tensorflow", _taped(tf), lambda: [*tensorflow_state(tf), _buffer_table()])


def torch() -> Guest:
    """PyTorch, with modes of the program's own on the stack."""
    library = import_module("torch")
    stack = import_module("tapeviz.recorders.torch.stack")
    import_module("torch._dynamo.eval_frame")
    w = library.ones(2, requires_grad=True)

    def program() -> Any:
        w.grad = None
        (w * w).sum().backward()
        return w.grad

    return Guest(
        "torch", program, lambda: [*torch_state(library), *(id(stack.at(each)) for each in range(stack.count()))]
    )


class _RecordedJax:
    """`record_jax` in the form of a block: entered until the equations begin, left after that."""


GUESTS: dict[str, Callable[[], Guest]] = {"engine": engine, "tensorflow": tensorflow, "torch": torch}
