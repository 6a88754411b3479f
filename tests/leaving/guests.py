"""The frameworks -> a small program in each, its ops in a log, and all that a recording could leave changed.

Functions are compared by identity, so that a wrapper that is left in the place of one is seen.
"""

from __future__ import annotations

import gc
import sys
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import tapeviz as tv
from tapeviz.engine.recording import current, flight
from tapeviz.events import EventLog, OpRecorded, OpSkipped
from tapeviz.recorders import patches
from tapeviz.recorders.session import recorded
from tests.recorders import frameworks


def ops_of(log: EventLog) -> list[str]:
    """The names of the ops in a log."""
    return [event.op for event in log.events if isinstance(event, (OpRecorded, OpSkipped))]


def python_state() -> list[Any]:
    """What of Python, and of tapeviz itself, a recording could leave changed."""
    return [
        *(sys.meta_path[:], sys.excepthook, sys.unraisablehook, sys.displayhook, threading.excepthook),
        *(warnings.showwarning, warnings.filters[:], sys.getprofile(), sys.getrecursionlimit()),
        *(gc.isenabled(), gc.get_threshold(), gc.callbacks[:]),
        *(
            current.get() is flight,
            recorded.get(),
            {key for key, place in patches._places.items() if place.makers},
            _is_free(patches._lock),
        ),
    ]


def _is_free(lock: Any) -> bool:
    """Whether another thread can have a lock."""
    got: list[bool] = []

    def take() -> None:
        got.append(lock.acquire(blocking=False))
        if got[0]:
            lock.release()

    thread = threading.Thread(target=take)
    thread.start()
    thread.join()
    return got[0]


def recorded_block(options: dict[str, Any], block: Callable[[], Any]) -> EventLog:
    """A block in a `record()`."""
    with tv.record(**options) as log:
        block()
    return log


def recorded_by_jax(options: dict[str, Any], block: Callable[[], Any]) -> EventLog:
    """A block in a function that `record_jax` is given: what comes before its call is entering, the rest leaving."""
    numpy = import_module("jax.numpy")

    def function(w: Any) -> Any:
        block()
        return numpy.sum(w * w)

    return tv.record_jax(function, numpy.array([1.0, 2.0]), **options)


@dataclass(frozen=True)
class Guest:
    """A framework that is recorded.

    Attributes:
        program: computes the gradient of a sum of squares.
        state: what of the framework could be left changed.
        record: records a block, with one of the `options`.
        ops: those that a log has of the program.
    """

    name: str
    program: Callable[[], Any]
    state: Callable[[], list[Any]]
    record: Callable[[dict[str, Any], Callable[[], Any]], EventLog] = recorded_block
    options: tuple[dict[str, Any], ...] = ({}, {"steps": 1}, {"stop_on": "nan", "values": "kept"})
    ops: list[str] = field(default_factory=lambda: ["mul", "reduce_sum"])

    def left(self) -> list[Any]:
        """The state of the framework, of Python and of tapeviz."""
        return [*self.state(), *python_state()]

    def fails(self) -> None:
        """The program, and an error after it."""
        self.program()
        raise ValueError("the program's own")


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
    """TensorFlow, its table of functions in C included."""
    tf = import_module("tensorflow")
    buffers = import_module("tapeviz.recorders.tensorflow.buffers")

    def state() -> list[Any]:
        hook = buffers._hook()
        return [*frameworks.tensorflow_state(tf), buffers._notices, hook and hook[0].value]

    return Guest("tensorflow", _taped(tf), state)


def torch() -> Guest:
    """PyTorch, the modes on its stack included."""
    library, stack = import_module("torch"), import_module("tapeviz.recorders.torch.stack")
    w = library.ones(2, requires_grad=True)

    def program() -> Any:
        w.grad = None
        (w * w).sum().backward()
        return w.grad

    def state() -> list[Any]:
        return [*frameworks.torch_state(library), *(id(stack.at(each)) for each in range(stack.count()))]

    return Guest("torch", program, state)


def jax() -> Guest:
    """JAX, a compiled function of it included."""
    library, numpy = import_module("jax"), import_module("jax.numpy")
    gradient, w = library.jit(library.grad(lambda w: numpy.sum(w * w))), numpy.array([1.0, 2.0])
    return Guest("jax", lambda: gradient(w), lambda: frameworks.jax_state(library))


def jax_function() -> Guest:
    """JAX, whose `record_jax` runs the function itself."""
    library, options = import_module("jax"), ({}, {"values": "none"})
    return Guest("jax", lambda: None, lambda: frameworks.jax_state(library), recorded_by_jax, options)


GUESTS: dict[str, Callable[[], Guest]] = {
    each.__name__: each for each in (engine, tensorflow, torch, jax, jax_function)
}
