"""A function of tensors, called on placeholders -> the specs of its results, found by dry runs."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import nullcontext, redirect_stdout, suppress
from contextvars import ContextVar
from functools import partial
from typing import Any

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.graph_mode.building import building, in_graph
from tapeviz.engine.setting import Setting
from tapeviz.engine.specs.tensor_spec import TensorSpec
from tapeviz.engine.tensors.mutable import MutableTensor, on_creation
from tapeviz.engine.tensors.variable import Variable
from tapeviz.tf.keras.masks import mask_of, with_mask
from tapeviz.tf.keras.symbolic import KerasTensor
from tapeviz.tf.tracing.dry_run import undone
from tapeviz.tf.tracing.spec_values import common, of_spec, ramp

PLACES = (KerasTensor, TensorSpec)
"""The classes that stand for tensors of which only shape and dtype are known."""
LENGTHS = 16, 32
"""The values of unknown lengths in dry runs: lengths of the outputs that differ between them are unknown, too."""
placing: ContextVar[bool] = ContextVar("tapeviz.keras.placing", default=False)
"""Whether layers run only for the shapes of their outputs: then they do not update statistics."""


def output_specs(run: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """The specs of the results of a function of tensors, found by dry runs.

    Args:
        run: the function, called as `run(args, kwargs)`.
        args: positional arguments with placeholders in them, perhaps of unknown lengths.
        kwargs: keyword arguments.

    >>> output_specs(lambda args, kwargs: args[0][:, 1:, None], (TensorSpec((None, None)),), {})
    TensorSpec(shape=(None, None, 1), dtype=tf.float32, name=None)
    """
    given = args, kwargs
    places = [each for each in nest.flatten(given) if isinstance(each, PLACES)]
    open_batch = any(_lengths(each)[:1] == (None,) for each in nest.flatten(args) if isinstance(each, PLACES))

    def outputs(length: int, batch: int = 1, fill: Any = np.zeros) -> Any:
        """The specs of the outputs if unknown lengths have this value; `batch` is the length of the first axis."""
        with Setting(placing, True), undone():
            values = nest.map_structure(lambda each: _value_at(each, length, batch, fill), given)
            with building(values, rewritten=False):
                found = run(*values)
        return nest.map_structure(_standing_for, found)

    tried: list[Any] = []
    if any(None in _lengths(each)[1:] for each in places):
        with suppress(Exception):  # these lengths may be wrong; the error to be raised is that of the next run
            tried.append(nest.map_structure(common, *map(outputs, LENGTHS)))
    found = tried[0] if tried else outputs(1)
    if not open_batch:
        return found
    if any(map(_may_have_batch_elsewhere, nest.flatten(found))):
        with suppress(Exception), redirect_stdout(io.StringIO()):  # the first run has printed everything
            return nest.map_structure(_common_to_batches, found, outputs(LENGTHS[-1], 2, ramp))
    return nest.map_structure(_with_open_batch, found)


def builds_by_trial(run: Callable[..., Any], args: Any, kwargs: Any) -> bool:
    """Build sublayers by a dry run, and return whether that succeeded.

    It fails if a layer makes a `tf.Variable`. The first call makes it instead, so that random numbers are drawn only
    once. In a graph it does not fail, since one call builds that.
    """
    alone = Setting(on_creation, partial(_weights_alone, on_creation.get()))
    try:
        with alone if in_graph.get() is None else nullcontext():
            output_specs(run, args, kwargs)
    except Exception:
        return False
    return True


def _weights_alone(then: Callable[[MutableTensor], None] | None, made: MutableTensor) -> None:
    if isinstance(made, Variable):
        raise ValueError("A layer's tf.Variable is made by its first call.")
    if then is not None:
        then(made)


def _standing_for(output: Any) -> Any:
    """The spec of an output; None for None.

    Raises:
        ValueError: it is no tensor.
    """
    if output is None:
        return None
    if not hasattr(output, "shape"):
        raise ValueError(
            f"All operation outputs must be tensors. A layer returned a non-tensor. Non-tensor received: {output!r}"
        )
    return TensorSpec(tuple(output.shape), output.dtype)


def _may_have_batch_elsewhere(spec: TensorSpec | None) -> bool:
    """Whether, for a batch of 1, another axis of an output than the first one may be that of the batch."""
    shape = () if spec is None else tuple(spec.shape)
    return bool(shape) and (shape[0] != 1 or 1 in shape[1:])


def _with_open_batch(spec: TensorSpec | None) -> TensorSpec | None:
    if spec is None or not spec.shape.rank:
        return spec
    return TensorSpec((None, *spec.shape[1:]), spec.dtype)


def _common_to_batches(one: TensorSpec | None, other: TensorSpec | None) -> TensorSpec | None:
    """The common spec of an output for two batches; a length of 0 is unknown, as it may depend on values."""
    if one is None or other is None:
        return None
    both = common(one, other)
    return TensorSpec([each or None for each in both.shape], both.dtype)


def _lengths(place: KerasTensor | TensorSpec) -> tuple[int | None, ...]:
    return tuple(place.shape or ())


def _value_at(place: Any, length: int, batch: int, fill: Any) -> Any:
    if not isinstance(place, PLACES):
        return place
    mask = mask_of(place)
    return with_mask(
        _filled(place, length, batch, fill), None if mask is None else _filled(mask, length, batch, np.ones)
    )


def _filled(place: KerasTensor | TensorSpec, length: int, batch: int, fill: Any) -> Any:
    first = [batch if each is None else each for each in _lengths(place)[:1]]
    return of_spec(TensorSpec([*first, *_lengths(place)[1:]], place.dtype), length, fill)


def output_masks(run: Callable[..., Any], args: Any, kwargs: Any) -> dict[int, TensorSpec]:
    """The specs of the masks of the outputs that have one, by the indices of the outputs.

    Empty if the dry run fails.
    """

    def masks(args: Any, kwargs: Any) -> dict[int, Any]:
        found = enumerate(map(mask_of, nest.flatten(run(args, kwargs))))
        return {place: mask for place, mask in found if mask is not None}

    with suppress(Exception):  # the layer's own error is that of its first run
        return dict(output_specs(masks, args, kwargs))
    return {}
