"""`tf.print`: tensors inside any structure -> text in TensorFlow's format, on a stream."""

from __future__ import annotations

import builtins
import sys
from pprint import pformat
from typing import Any

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.backward.indexed_slices import IndexedSlices
from tapeviz.engine.functions.arguments import value_of
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.integers import setting_of
from tapeviz.engine.specs.dtypes import BFLOAT16
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.errors import NotFoundError
from tapeviz.tf.tracing.dry_run import is_undone

_DIGITS = {4: (6, 9), 8: (15, 17)}
"""By bytes of a float: the digits that usually do, and those that always do."""
_SHOWN = (TensorLike, IndexedSlices)
"""What is shown as an array, wherever it is in a structure."""


@export("print")
def print(*inputs: Any, **kwargs: Any) -> None:
    """Print tensors and other objects.

    Args:
        inputs: what to print.
        kwargs: `output_stream`, a stream, or "file://" and a path, by default `sys.stderr`; `summarize`, how many
            elements are printed at each end of an axis, by default 3, -1 for all; `sep` and `end`, as for Python's
            `print`.

    Raises:
        ValueError: an unknown keyword, or another kind of `output_stream`.
        TypeError: `summarize` is not a number.
        NotFoundError: the folder of the file does not exist.

    >>> import sys
    >>> import tapeviz as tf
    >>> tf.print("x =", tf.constant([1, 2]), output_stream=sys.stdout)
    x = [1 2]
    """
    known = {"output_stream", "summarize", "sep", "end", "name"}
    if unknown := {key: each for key, each in kwargs.items() if key not in known}:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {unknown}")
    told = kwargs.get("summarize")
    edge = 3 if told is None else setting_of(told, "summarize")
    words = [_text(each, edge) for each in inputs]
    if len(inputs) == 1 and isinstance(inputs[0], TensorLike):
        value = inputs[0]._value
        if value.dtype.kind == "O" and not value.ndim:  # a text alone, as it is
            words = [value.item().decode(errors="replace")]
    text = kwargs.get("sep", " ").join(words)
    stream = kwargs.get("output_stream", sys.stderr)
    end = kwargs.get("end", "\n")
    if not (stream.startswith("file://") if isinstance(stream, str) else hasattr(stream, "write")):
        raise ValueError(
            f"tf.print cannot write to {stream!r}: give sys.stderr, 'file://path', or an object with `write`."
        )
    if is_undone.get():
        return
    if isinstance(stream, str):
        path = stream.removeprefix("file://")
        try:
            with open(path, "a", encoding="utf-8") as file:
                builtins.print(text, end=end, file=file)
        except FileNotFoundError as error:
            raise NotFoundError(f"{path}; {error.strerror}. In print: its folder must be there.") from None
    else:
        builtins.print(text, end=end, file=stream)


class _Slot:
    """Where a tensor's text goes in that of a structure, which is broken into lines as if it were this wide."""

    def __repr__(self) -> str:
        return "\0\0\0\0"


def _text(value: Any, edge: int) -> str:
    """A structure as `pprint` shows it, dicts by sorted key; the texts of its tensors are put in afterwards."""
    if isinstance(value, str):
        return value
    tensors = [each for each in nest.flatten(value) if isinstance(each, _SHOWN)]
    slots = nest.map_structure(lambda each: _Slot() if isinstance(each, _SHOWN) else each, value)
    between = pformat(slots).split(repr(_Slot()))
    dense = [each._dense() if isinstance(each, IndexedSlices) else each for each in tensors]
    texts = [_array(value_of(each), edge) for each in dense]
    return "".join([part for pair in zip(between, [*texts, ""], strict=True) for part in pair])


def _array(value: Any, edge: int, indent: int = 1) -> str:
    if not value.shape:
        return _number(value[()] if isinstance(value, np.ndarray) else value) if edge else "..."
    if value.dtype.kind == "c":  # TensorFlow has no text for these
        shown = value.size if edge < 0 else min(edge, value.size)
        return "[" + " ".join("?" * shown) + ("..." if shown < value.size else "") + "]"
    if len(value) and (not edge or (value.ndim > 1 and not value.size)):
        return "[" + "\n" * (value.ndim - 1) + " ...]"
    rows = list(range(len(value)))
    if 0 <= 2 * edge < len(rows):
        rows[edge : -edge or None] = [-1]
    if value.ndim == 1:
        return "[" + " ".join("..." if i < 0 else _number(value[i]) for i in rows) + "]"
    gap = "\n" * (value.ndim - 1) + " " * indent
    return "[" + gap.join("..." if i < 0 else _array(value[i], edge, indent + 1) for i in rows) + "]"


def _number(number: Any) -> str:
    if isinstance(number, (bool, np.bool_)):
        return str(int(number))
    if isinstance(number, bytes):
        return f'"{number.decode(errors="replace").translate(_ESCAPED)}"'
    if isinstance(number, (np.floating, BFLOAT16.type)):
        number = np.float32(number) if number.dtype.itemsize == 2 else number
        few, enough = _DIGITS[number.dtype.itemsize]
        text = f"{float(number):.{few}g}"
        return text if number.dtype.type(text) == number or np.isnan(number) else f"{float(number):.{enough}g}"
    return "?" if isinstance(number, np.complexfloating) else str(number)


_ESCAPED = str.maketrans({"\n": r"\n", "\t": r"\t", "\r": r"\r", "\\": r"\\", '"': r"\"", "'": r"\'"})
"""How a text looks that is not printed alone."""
