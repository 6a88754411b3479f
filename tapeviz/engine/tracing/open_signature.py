"""An error in a function whose signature leaves shapes open -> the error that TensorFlow raises when it runs.

It builds one graph for all shapes that fit. A mistake that not all of them make is met when the graph runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Signature
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.specs.tensor_spec import TensorSpec
from tapeviz.engine.tracing.result_specs import results_of
from tapeviz.engine.tracing.trace_types import Literal
from tapeviz.errors import OpError


def met_at_run(
    error: Exception, function: Callable[..., Any], signature: Signature, wanted: Mapping[str, Any]
) -> Exception | None:
    """What a graph of a function that takes what is `wanted` raises when it runs.

    None if it cannot be built, as the mistake is one with any shapes.
    """
    met = error.__cause__
    parts = {name: nest.flatten(each) for name, each in wanted.items()}
    leaves = [each for several in parts.values() for each in several]
    specs = [each for each in leaves if isinstance(each, TensorSpec)]
    known = all(each.shape.is_fully_defined() for each in specs)
    if known or not isinstance(met, OpError) or not all(isinstance(each, (TensorSpec, Literal)) for each in leaves):
        return None

    def called(values: Any) -> Any:
        rest = iter(values)
        given = signature.bind_partial()
        given.arguments = {
            name: nest.pack_sequence_as(
                each, [leaf.value if isinstance(leaf, Literal) else next(rest) for leaf in parts[name]]
            )
            for name, each in wanted.items()
        }
        return function(*given.args, **given.kwargs)

    try:
        results_of(called, specs)
    except Exception:
        return None
    return met
