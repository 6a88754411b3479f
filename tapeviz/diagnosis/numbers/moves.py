"""An op that only moves entries -> which entry of its input each entry of its output is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from tapeviz.graph import Op

Array: TypeAlias = Any
Operands: TypeAlias = Sequence[Any]
"""The arrays an op read; None where one was not kept."""

ELSEWHERE = -1
"""In place of an entry that comes from none of the input's."""


def origins(
    op: Op, slot: int, operands: Operands, shape: tuple[int, ...], out: Sequence[tuple[int, ...]], result: int = 0
) -> Array | None:
    """For every entry of a result, of those of the shapes `out`, the flat index of the entry of operand `slot` it is.

    None for an op that computes, and where the log does not say enough.
    """
    move, pieces = MOVES.get(op.op), SPLITS.get(op.op)
    if move is None and pieces is None:
        return None
    entries, attrs = np.arange(int(np.prod(shape))).reshape(shape), dict(op.attrs)
    try:
        if move is not None:
            moved = move(entries, slot, operands, attrs)
        elif pieces is not None:
            moved = pieces(entries, out, attrs)[result]
    except (KeyError, IndexError, TypeError, ValueError):  # a framework's op of this name has other attributes
        return None
    size = int(np.prod(out[result]))
    return moved if moved.shape == out[result] else moved.reshape(out[result]) if moved.size == size else None


def _index(index: Any) -> Any:
    """An index as it is logged, as NumPy takes it: slices are triples, the ellipsis is text."""
    if isinstance(index, tuple) and len(index) == 3:
        return slice(*index)
    return Ellipsis if index == "..." else index


def _getitem(entries: Array, slot: int, operands: Operands, attrs: dict[str, Any]) -> Array:
    return entries[tuple(_index(each) for each in attrs["index"])]


def _gather(entries: Array, slot: int, operands: Operands, attrs: dict[str, Any]) -> Array:
    if attrs.get("batch_dims", 0):
        raise ValueError
    return np.take(entries, np.asarray(operands[1]), axis=attrs.get("axis", 0))  # a table of rows has no axis to name


def _take_along(entries: Array, slot: int, operands: Operands, attrs: dict[str, Any]) -> Array:
    """In the other axes the index may be shorter than what is read: it begins where that begins."""
    index, axis = np.asarray(operands[1]), attrs["axis"] % entries.ndim
    shorter = tuple(slice(None if at == axis else size) for at, size in enumerate(index.shape))
    return np.take_along_axis(entries[shorter], index, axis)


def _gather_nd(entries: Array, slot: int, operands: Operands, attrs: dict[str, Any]) -> Array:
    if attrs.get("batch_dims", 0):
        raise ValueError
    return entries[tuple(np.moveaxis(np.asarray(operands[1]), -1, 0))]


def _boolean_mask(entries: Array, slot: int, operands: Operands, attrs: dict[str, Any]) -> Array:
    return entries[np.asarray(operands[1])]


def _joined(join: Callable[..., Array]) -> Callable[[Array, int, Operands, dict[str, Any]], Array]:
    """Several operands in one: only those of the one in the slot are its own."""

    def joined(entries: Array, slot: int, operands: Operands, attrs: dict[str, Any]) -> Array:
        parts = [entries if at == slot else np.full(each.shape, ELSEWHERE) for at, each in enumerate(operands)]
        return join(parts, axis=attrs["axis"])

    return joined


def _transpose(entries: Array, slot: int, operands: Operands, attrs: dict[str, Any]) -> Array:
    return entries.transpose(attrs.get("perm"))


def _repeated(entries: Array, slot: int, operands: Operands, attrs: dict[str, Any]) -> Array:
    return np.tile(entries, attrs["multiples"])


def _broadcast(entries: Array, slot: int, operands: Operands, attrs: dict[str, Any]) -> Array:
    return np.broadcast_to(entries, attrs["shape"])


def _pad_sequence(entries: Array, slot: int, operands: Operands, attrs: dict[str, Any]) -> Array:
    """Several sequences, one beside the other; what they are filled up with is from none."""
    parts = [entries if at == slot else np.full(each.shape, ELSEWHERE) for at, each in enumerate(operands)]
    padded = np.full((len(parts), max(map(len, parts)), *entries.shape[1:]), ELSEWHERE)
    for row, part in zip(padded, parts, strict=True):
        row[slice(-len(part), None) if attrs["padding_side"] == "left" else slice(len(part))] = part
    return padded if attrs["batch_first"] else padded.swapaxes(0, 1)


def _pack(entries: Array, slot: int, operands: Operands, attrs: dict[str, Any]) -> Array:
    """Step by step, those of several sequences that have not ended."""
    steps = entries.swapaxes(0, 1) if attrs["batch_first"] else entries
    return np.concatenate([step[np.asarray(operands[1]) > at] for at, step in enumerate(steps)])


def _unpack(entries: Array, slot: int, operands: Operands, attrs: dict[str, Any]) -> Array:
    """The other way round."""
    sizes = np.asarray(operands[1])
    padded = np.full((max(attrs["total_length"], len(sizes)), sizes[0], *entries.shape[1:]), ELSEWHERE)
    for row, step in zip(padded, np.split(entries, np.cumsum(sizes)[:-1]), strict=False):
        row[: len(step)] = step
    return padded.swapaxes(0, 1) if attrs["batch_first"] else padded


def _same(entries: Array, slot: int, operands: Operands, attrs: dict[str, Any]) -> Array:
    return entries


def _split(entries: Array, out: Sequence[tuple[int, ...]], attrs: dict[str, Any]) -> list[Array]:
    axis = attrs.get("axis", 0)
    return np.split(entries, np.cumsum([shape[axis] for shape in out])[:-1], axis)


def _unstack(entries: Array, out: Sequence[tuple[int, ...]], attrs: dict[str, Any]) -> list[Array]:
    return list(np.moveaxis(entries, attrs["axis"], 0))


MOVES: dict[str, Callable[[Array, int, Operands, dict[str, Any]], Array]] = {
    **dict.fromkeys(("reshape", "expand_dims", "squeeze", "identity", "cast"), _same),
    "boolean_mask": _boolean_mask,
    "broadcast_to": _broadcast,
    "concat": _joined(np.concatenate),
    "gather": _gather,
    "gather_nd": _gather_nd,
    "getitem": _getitem,
    "matrix_transpose": lambda entries, slot, operands, attrs: entries.swapaxes(-1, -2),
    "pack_padded_sequence": _pack,
    "pad_packed_sequence": _unpack,
    "pad_sequence": _pad_sequence,
    "stack": _joined(np.stack),
    "take_along": _take_along,
    "tile": _repeated,
    "transpose": _transpose,
}
"""The ops that move entries, by their names in the catalog."""

SPLITS: dict[str, Callable[[Array, Sequence[tuple[int, ...]], dict[str, Any]], list[Array]]] = {
    "split": _split,
    "unstack": _unstack,
}
"""Those that have several results, which the entries of one input are moved to."""
