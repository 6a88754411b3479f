"""A graph of tinygrad's -> its numbers, computed by NumPy from the buffers that the program has filled.

tinygrad makes kernels of several ops, so that its own numbers may differ in their last digits. To ask it for them would
realize tensors of the program's, which then are other graphs.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
from tinygrad.uop import Ops

from tapeviz.recorders.tinygrad.arithmetic import NotComputedError, computed, numpy_dtype
from tapeviz.recorders.tinygrad.below import below
from tapeviz.recorders.tinygrad.names import operands_of

LARGEST = 1 << 22
"""Elements of an array above which it is not computed: a product that tinygrad sums at once would fill the memory."""
ROOM = 1 << 26
"""Bytes of what was computed that is kept for what is computed of it."""


class _Found(dict[Any, Any]):
    """What is computed of a graph, above what was known of it before."""

    def __init__(self, known: Any) -> None:
        super().__init__()
        self._before = known

    def get(self, uop: Any, default: Any = None) -> Any:
        return self[uop] if uop in self else self._before.get(uop, default)


class GraphNumbers:
    """The numbers of nodes, as far as they are known, for as long as their program has them."""

    def __init__(self) -> None:
        self._known: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
        self._bytes = 0

    def of(self, uop: Any) -> Any:
        """The array of a node; None if it has none that can be had."""
        try:
            with np.errstate(all="ignore"):
                return self._compute(uop, {})
        except Exception:  # an op, a device or a layout that is not known here: the log then has the shape alone
            return None

    def learn(self, uop: Any, array: Any) -> None:
        """The array of a node is known."""
        self._remember(uop, array)

    def forget(self, uop: Any) -> None:
        """A node has other numbers from now on."""
        self._known.pop(uop, None)

    def _remember(self, uop: Any, array: Any) -> None:
        self._bytes += array.nbytes
        if self._bytes > ROOM:
            self._known.clear()
            self._bytes = array.nbytes
        self._known[uop] = array

    def _compute(self, root: Any, bound: dict[Any, Any]) -> Any:
        found = _Found(self._known)
        for uop in below(root, self._known.__contains__, bound):
            known = bound[uop] if uop in bound else self._one(uop, found)
            if known is not None:
                found[uop] = known
                if not bound and uop.op not in _VIEWS:
                    self._remember(uop, known)
        result = found.get(root)
        if result is None:
            raise NotComputedError(root.op.name)
        return result

    def _one(self, uop: Any, found: _Found) -> Any:
        """What one node gives; None of one that is no array, or one whose input is none."""
        try:
            return self._computed(uop, found)
        except NotComputedError:
            return None

    def _computed(self, uop: Any, found: _Found) -> Any:
        op = uop.op
        if op is Ops.CONST:
            return np.asarray(uop.arg, numpy_dtype(uop.dtype))
        if op is Ops.BUFFER:
            return _contents(uop)
        if op is Ops.AFTER:
            store = next((each for each in uop.src[1:] if each.op is Ops.STORE), None)
            return None if store is None else _stored(found, uop.src[0], store)
        if op is Ops.GETTUPLE:
            return self._of_function(uop, found)
        if op in _NO_ARRAYS or uop._shape is None:
            return None
        if op is Ops.REDUCE and found.get(uop.src[0]) is None:
            return _sum_of_products(uop, found)
        inputs = [found.get(each) for _, each in operands_of(uop)]
        size = 1 if op in _VIEWS else int(np.prod(uop.shape))
        if any(each is None for each in inputs) or size > LARGEST:
            return None
        return computed(uop, inputs)

    def _of_function(self, uop: Any, found: _Found) -> Any:
        """A result of a function that is a node by itself: what its body gives for the arguments."""
        function = uop.src[0]
        if function.op is Ops.TUPLE:
            return found.get(function.src[uop.arg])
        body, *arguments = function.src
        nodes = below(body.src[uop.arg], self._known.__contains__)
        parameters = {each.arg.slot: each for each in nodes if each.op is Ops.PARAM}
        bound = {node: found.get(arguments[slot]) for slot, node in parameters.items()}
        if any(each is None for each in bound.values()):
            return None
        return self._compute(body.src[uop.arg], bound)


_NO_ARRAYS = frozenset((Ops.STORE, Ops.TUPLE, Ops.FUNCTION, Ops.CALL, Ops.SINK, Ops.PARAM, Ops.RANGE, Ops.INDEX))
_VIEWS = frozenset((Ops.RESHAPE, Ops.EXPAND, Ops.PERMUTE, Ops.FLIP, Ops.SHRINK, Ops.BUFFER))


def _contents(uop: Any) -> Any:
    """A copy of what a buffer holds; None of one that was not filled yet."""
    held = uop.realized
    if held is None:
        return None
    return np.frombuffer(bytes(held.as_memoryview()), numpy_dtype(uop.dtype)).reshape(uop.shape)


def _stored(found: _Found, target: Any, store: Any) -> Any:
    """A tensor after a value was put into all of it; None where only a part of it was."""
    value = found.get(store.src[1])
    if value is None or store.src[0] is not target:
        return None
    return np.broadcast_to(value, target.shape)


def _sum_of_products(uop: Any, found: _Found) -> Any:
    """The sum of a product that was too large for itself, as that of a product of matrices is; None of another one."""
    reduction, axes = uop.arg
    order, product = None, uop.src[0]
    if product.op is Ops.PERMUTE:
        order, product = product.marg, product.src[0]
    operands = [found.get(each) for each in product.src] if product.op is Ops.MUL else []
    if reduction is not Ops.ADD or len(operands) != 2 or any(each is None for each in operands):
        return None
    rank = len(product.shape)
    order = order or tuple(range(rank))
    parts = [(each, range(rank - each.ndim, rank)) for each in operands]
    squeezed = [_without_ones(each, list(labels)) for each, labels in parts]
    left = list(order[axes:])
    given = [entry for pair in squeezed for entry in pair]
    present = {axis for _, labels in squeezed for axis in labels}
    summed = np.einsum(*given, [axis for axis in left if axis in present], optimize=True)
    return np.broadcast_to(summed.reshape(uop.shape), uop.shape).astype(numpy_dtype(uop.dtype))


def _without_ones(array: Any, labels: list[int]) -> tuple[Any, list[int]]:
    kept = [axis for axis, length in enumerate(array.shape) if length != 1]
    return array.reshape([array.shape[axis] for axis in kept]), [labels[axis] for axis in kept]
