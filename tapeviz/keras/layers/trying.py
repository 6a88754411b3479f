"""A function of tensors on placeholders -> the shapes and dtypes of what it gives: found by running it, unseen."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from typing import Any

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.constant import convert_to_tensor
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.setting import Setting
from tapeviz.engine.spec import TensorSpec
from tapeviz.engine.trial import undone
from tapeviz.keras.symbolic import KerasTensor, spec_like

PLACES = (KerasTensor, TensorSpec)
"""What stands for a tensor of which only shape and dtype are known."""
LENGTHS = 16, 32
"""What a length behind the batch's that may be any is tried as: lengths of the outputs that differ may be any too."""
placing: ContextVar[bool] = ContextVar("tapeviz.keras.placing", default=False)
"""Whether layers run on zeros for the shape of what they give: then they keep no statistics."""


def tried(run: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """What stands for the outputs of `run(args, kwargs)`; some lengths of placeholders among these may be any.

    >>> tried(lambda args, kwargs: args[0][:, 1:, None], (TensorSpec((None, None)),), {})
    TensorSpec(shape=(None, None, 1), dtype=tf.float32, name=None)
    """
    if any(None in _lengths(each)[1:] for each in nest.flatten((args, kwargs)) if isinstance(each, PLACES)):
        with suppress(Exception):  # of a function that takes no such length: the error to be seen is that of the next
            some, more = (_outputs(run, args, kwargs, length) for length in LENGTHS)
            return nest.map_structure(_where_they_agree, some, more)
    return _outputs(run, args, kwargs, 1)


def _outputs(run: Callable[..., Any], args: Any, kwargs: Any, length: int) -> Any:
    """What stands for the outputs where every length that may be any is this one, that of the batch 1."""
    open_batch = any(_lengths(each)[:1] == (None,) for each in nest.flatten(args) if isinstance(each, PLACES))
    with Setting(placing, True), undone():
        outputs = run(*nest.map_structure(lambda each: _zeros(each, length), (args, kwargs)))
    return nest.map_structure(lambda each: spec_like(each, open_batch), outputs)


def _where_they_agree(some: TensorSpec, more: TensorSpec) -> TensorSpec:
    lengths = zip(_lengths(some), _lengths(more), strict=True)
    return TensorSpec([one if one == other else None for one, other in lengths], some.dtype)


def _lengths(place: KerasTensor | TensorSpec) -> tuple[int | None, ...]:
    return tuple(place.shape or ())


def _zeros(value: Any, length: int) -> Any:
    if not isinstance(value, PLACES):
        return value
    lengths = [length if each is None else each for each in _lengths(value)]
    if _lengths(value)[:1] == (None,):
        lengths[0] = 1
    return convert_to_tensor(np.zeros(lengths, as_dtype(value.dtype).name))
