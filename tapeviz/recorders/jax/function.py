"""A function of JAX and its arguments -> the log of what `jax.value_and_grad` does with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import jax
from jax import tree_util

from tapeviz.events.defaults import Defaults
from tapeviz.events.log import EventLog
from tapeviz.events.program.exceptions import note_error
from tapeviz.events.program.frames import enter_frame, users_frame
from tapeviz.recorders.frameworks import FRAMEWORKS
from tapeviz.recorders.jax.arguments import positions, trace
from tapeviz.recorders.jax.ledger import Ledger
from tapeviz.recorders.jax.passes import Passes
from tapeviz.recorders.jax.places import Place
from tapeviz.recorders.jax.values import is_differentiable
from tapeviz.recorders.session import recorded
from tapeviz.validation import function_first


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
    FRAMEWORKS["jax"].check_version()
    function_first(f, "record_jax")
    differentiated = positions(argnums, len(args))
    log, ledger = JaxLog(*Defaults.checked(values, max_bytes)), Ledger()
    log.resolvers += (ledger.id_of,)
    frame = users_frame(2)
    enter_frame(log, frame)
    place = Place(log.scope, frame.f_code, frame.f_lasti)
    outer = recorded.set(None)  # what is computed here is the log's own, and no part of an open `record()`
    try:
        program, structure = trace(f, args, named, differentiated, has_aux)
        results, arrived = Passes(log, ledger, program, place).run()
    except Exception as error:
        note_error(log, error)
        error.log = log  # type: ignore[attr-defined]
        raise
    finally:
        recorded.reset(outer)
        log.close()
    log.result = tree_util.tree_unflatten(structure, results)
    gradients = tuple(_structured([args[each] for each in differentiated], arrived))
    log.gradients = gradients[0] if isinstance(argnums, int) else gradients or None
    return log


def _structured(arguments: Iterable[Any], arrived: Sequence[Any]) -> Iterator[Any]:
    """The gradients of the leaves of arguments in their structures: zeros where nothing arrived, as JAX has it."""
    given = iter(arrived)
    for argument in arguments:
        leaves, structure = tree_util.tree_flatten(argument)
        yield tree_util.tree_unflatten(structure, [_or_zeros(next(given), leaf) for leaf in leaves])


def _or_zeros(gradient: Any, leaf: Any) -> Any:
    zeros = jax.numpy.zeros_like(leaf)
    return gradient if gradient is not None else zeros if is_differentiable(zeros) else None
