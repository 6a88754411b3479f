"""Calls of functions with `tf.custom_gradient` -> the gradient that TensorFlow has for what they computed.

A tape of the recorder's follows the user's function while it runs, once of each line that calls it. So nothing is run
again, and random numbers are those that the function drew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any

from tensorflow.python.eager import imperative_grad, tape
from tensorflow.python.framework.indexed_slices import IndexedSlices
from tensorflow.python.framework.ops import EagerTensor, convert_to_tensor
from tensorflow.python.ops.unconnected_gradients import UnconnectedGradients
from tensorflow.python.util import nest

from tapeviz.events.body_ops import body_since, is_telling, narrowest, passed
from tapeviz.events.program.frames import is_library
from tapeviz.events.program.inspection import code_of
from tapeviz.events.types import VjpWitnessed
from tapeviz.recorders.runs import one_or_all
from tapeviz.recorders.tensorflow.backward.logged_ops import LoggedOp
from tapeviz.recorders.tensorflow.ops import Ops
from tapeviz.recorders.tensorflow.values import kept_gradient


@dataclass(frozen=True)
class TapeWitness:
    """One call: the tape that followed it, what it was given and gave, and the ops that it ran."""

    tape: Any
    sources: list[Any]
    results: list[Any]
    names: tuple[str, ...]
    ran: tuple[str, ...]
    narrowest: str

    def testify(self, ops: Ops, op: LoggedOp, upstream: Sequence[Any], rule: Sequence[Any]) -> None:
        """Log what the user's rule gave for an upstream gradient, and what TensorFlow has for it."""
        slots = [slot for slot, each in enumerate(self.sources) if each is not None]
        pairs = [(each, g) for each, g in zip(self.results, upstream, strict=True) if isinstance(g, EagerTensor)]
        if not slots or not pairs or len(self.sources) > len(op.inputs):
            return
        targets, seeds = map(list, zip(*pairs, strict=True))
        with ops.unrecorded():
            found = imperative_grad.imperative_grad(
                self.tape, targets, [self.sources[slot] for slot in slots], output_gradients=seeds,
                unconnected_gradients=UnconnectedGradients.NONE,
            )  # fmt: skip
            known = dict(zip(slots, found, strict=True))
            many = len(op.inputs)
            rules = (*rule, *[None] * many)[:many]
            rows = [list(map(_plain, each)) for each in (upstream, rules, map(known.get, range(many)))]
        kept = [tuple([None if each is None else kept_gradient(ops.log, each) for each in row]) for row in rows]
        names = (*self.names, *[""] * many)[:many]
        about = names, self.ran, self.narrowest
        ops.log.append(VjpWitnessed, None, one_or_all(op.outputs), (*kept, (None,) * many), about)


class TapeWitnesses:
    """Follows the user's functions; `take` gives the witness of the one that has just run."""

    def __init__(self, ops: Ops) -> None:
        self._ops = ops
        self._known: set[Any] = set()
        self._latest: TapeWitness | None = None

    def take(self) -> TapeWitness | None:
        """That of the function that has just run."""
        latest, self._latest = self._latest, None
        return latest

    def call(self, call: Callable[..., Any], f: Any, args: Any, kwargs: Any) -> Any:
        """Call TensorFlow's function that calls the user's, which a tape follows."""
        code, frame = code_of(f), self._ops.session.enter()
        key = code, frame.f_code, frame.f_lasti
        self._latest = None
        follows = self._ops.log.keeps_values and self._ops.tapes.open and key not in self._known and not kwargs
        with self._ops.unrecorded():
            follows = follows and is_telling(nest.flatten(args))
        if code is None or is_library(code.co_filename) or not follows:
            return call(_with_users_name(f), args, kwargs)
        self._known.add(key)
        return call(self._followed(f, code), args, kwargs)

    def _followed(self, f: Any, code: Any) -> Any:
        @wraps(f)
        def following(*args: Any, **kwargs: Any) -> Any:
            flat, since = nest.flatten(args), self._ops.log.end
            own = tape.push_new_tape(persistent=False, watch_accessed_variables=True)
            try:
                for each in flat:
                    if isinstance(each, EagerTensor):
                        tape.watch(own, each)
                result = f(*args, **kwargs)
            finally:
                tape.pop_tape(own)
            self._note(own, flat, nest.flatten(result[0]) if type(result) is tuple else [], code, since)
            return result

        return following

    def _note(self, own: Any, arguments: list[Any], results: list[Any], code: Any, since: int) -> None:
        body = body_since(self._ops.log, since)
        is_plain = all(isinstance(each, EagerTensor) for each in results)
        is_plain = is_plain and len(set(map(id, arguments))) == len(arguments)  # else a place of several is not told
        if body is None or not results or not is_plain or any("stop_gradient" in each[:1] for each in body):
            return
        read = [each for each in own.watched_variables() if all(each is not other for other in arguments)]
        sources = [each if isinstance(each, EagerTensor) else getattr(each, "handle", None) for each in arguments]
        sources += [each.handle for each in read] if len(read) == 1 else []  # the order of several is TensorFlow's own
        names = code.co_varnames[: code.co_argcount]
        named = names if len(names) == len(arguments) else ("",) * len(arguments)
        named = (*named, *[""] * (len(sources) - len(arguments)))
        dtypes = [each.dtype.name for each in arguments if isinstance(each, EagerTensor)]
        self._latest = TapeWitness(own, sources, results, named, passed(body), narrowest(body, dtypes))


def _plain(gradient: Any) -> Any:
    """A gradient as a tensor, also one that is sparse; None if it is none."""
    if isinstance(gradient, IndexedSlices) and gradient.dense_shape is not None:
        gradient = convert_to_tensor(gradient)
    return gradient if isinstance(gradient, EagerTensor) else None


def _with_users_name(f: Any) -> Any:
    """A function that TensorFlow has put around one of the user's, by the name of that: `recompute_grad` has such."""
    code = code_of(f)
    if code is None or not is_library(code.co_filename) or "f" not in code.co_freevars:
        return f
    around = f.__closure__[code.co_freevars.index("f")].cell_contents
    if not hasattr(around, "__name__"):
        return f

    @wraps(f)
    def named(*args: Any, **kwargs: Any) -> Any:
        return f(*args, **kwargs)

    named.__name__ = around.__name__
    return named
