"""A Python generator -> a dataset."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.specs.dtypes import as_dtype
from tapeviz.engine.specs.shape import TensorShape
from tapeviz.engine.specs.tensor_spec import TensorSpec
from tapeviz.engine.values.constant import convert_to_tensor
from tapeviz.tf.api.programs.callbacks import raised_in
from tapeviz.tf.data.elements import array, tensor
from tapeviz.tf.data.pipeline import UNKNOWN_CARDINALITY, Parts
from tapeviz.tf.data.structures import leaves_of


def from_generator(
    generator: Callable[..., Any], output_types: Any, output_shapes: Any, args: Any, output_signature: Any
) -> Parts:
    """The values that a Python generator yields. Each iteration starts it again."""
    if not callable(generator):
        raise TypeError("`generator` must be a Python callable.")
    signature = _signature(output_types, output_shapes, output_signature)
    given = [convert_to_tensor(each).numpy() for each in args or ()]

    def start() -> Iterator[Any]:
        try:
            for value in generator(*given):
                yield _yielded(value, signature)
        except Exception as error:
            raise raised_in("from_generator", error) from error

    return start, UNKNOWN_CARDINALITY, signature, "FlatMap"


def _signature(types: Any, shapes: Any, signature: Any) -> Any:
    """What a generator yields, as a structure of specs.

    Raises:
        TypeError: it is not said, or said twice, or by something else.
    """
    if signature is None and types is None:
        raise TypeError(
            "To specify the output signature you need to provide either the `output_signature` argument or the "
            "`output_types` argument."
        )
    if signature is not None:
        for name, given in (("output_types", types), ("output_shapes", shapes)):
            if given is not None:
                raise TypeError(f"The `{name}` argument can not be used together with the `output_signature` argument.")
        for each in leaves_of(signature, signature):  # of which a list is one
            if not isinstance(each, TensorSpec):
                raise TypeError(
                    f"output_signature holds specs, not {each!r}: tf.TensorSpec([], tf.int32), a tuple of several."
                )
        return signature
    kinds = [as_dtype(each) for each in leaves_of(types, types)]
    told = [None] * len(kinds) if shapes is None else leaves_of(types, shapes)
    specs = [TensorSpec(TensorShape(shape), kind) for shape, kind in zip(told, kinds, strict=True)]
    return nest.pack_sequence_as(types, specs)


def _yielded(value: Any, signature: Any) -> Any:
    """What a generator yields, as it was announced.

    Raises:
        TypeError: it is something else.
    """
    try:
        if isinstance(signature, TensorSpec) and signature.shape.rank is None:
            return convert_to_tensor(value, signature.dtype)  # as TensorFlow, which then refuses more than NumPy
        leaves = leaves_of(signature, value)
    except (TypeError, ValueError):
        raise TypeError(
            "`generator` yielded an element that did not match the expected structure. The expected structure was "
            f"{nest.map_structure(lambda spec: spec.dtype, signature)}, but the yielded element was {value}."
        ) from None
    return nest.pack_sequence_as(
        signature, [_announced(leaf, spec) for leaf, spec in zip(leaves, nest.flatten(signature), strict=True)]
    )


def _announced(value: Any, spec: TensorSpec) -> Any:
    try:
        found = array(value) if spec.dtype.name == "string" else np.asarray(value, spec.dtype.as_numpy_dtype)
    except (TypeError, ValueError):
        raise TypeError(
            "`generator` yielded an element that could not be converted to the expected type. The expected type was "
            f"{spec.dtype.name}, but the yielded element was {value}."
        ) from None
    if not spec.fits(found.shape):
        raise TypeError(
            f"`generator` yielded an element of shape {found.shape} where an element of shape {spec.shape} was "
            "expected."
        )
    return tensor(found)
