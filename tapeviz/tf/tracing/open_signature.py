"""An error in a function whose signature leaves shapes open -> the error that TensorFlow raises when the graph runs.

TensorFlow builds one graph for all shapes that fit, and raises while it builds it only if no shape is right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Signature
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.specs.tensor_spec import TensorSpec
from tapeviz.errors import OpError
from tapeviz.tf.tracing.result_specs import results_of
from tapeviz.tf.tracing.signature import with_tensors
from tapeviz.tf.tracing.trace_types import Literal


def met_at_run(
    error: Exception, function: Callable[..., Any], signature: Signature, wanted: Mapping[str, Any]
) -> Exception | None:
    """The error that TensorFlow raises when the graph of a function runs, where the body raises another one here.

    Args:
        error: the error of the body.
        function: the function.
        signature: its parameters.
        wanted: what each parameter accepts.

    Returns:
        The error; None if the graph cannot be built, because the shapes that the signature leaves open do not matter.
    """
    met = error.__cause__
    leaves = [leaf for each in wanted.values() for leaf in nest.flatten(each)]
    specs = [each for each in leaves if isinstance(each, TensorSpec)]
    known = all(each.shape.is_fully_defined() for each in specs)
    if known or not isinstance(met, OpError) or not all(isinstance(each, (TensorSpec, Literal)) for each in leaves):
        return None

    def called(tensors: Any) -> Any:
        given = with_tensors(signature, wanted, tensors)
        return function(*given.args, **given.kwargs)

    try:
        results_of(called, specs)
    except Exception:
        return None
    return met
