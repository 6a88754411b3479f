"""Text files of small programs -> programs: what each does under a framework, as plain values.

A file is a topic. A paragraph is a program, whose value is its last expression, or what that prints; in a paragraph
that begins with `each:`, every line is a program; one that begins with `setup:` is put before all programs below it.
"""

from __future__ import annotations

import ast
import contextlib
import io
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent / "programs"


@dataclass(frozen=True)
class Program:
    """A source text in which `tf` is a framework and `np` NumPy; `slopes`, `rows`, `along`: see below."""

    name: str
    text: str

    def __str__(self) -> str:
        return self.name


def from_file(path: Path) -> Iterator[Program]:
    """The programs of one topic, named by topic and line."""
    setup, line = "", 1
    for paragraph in path.read_text(encoding="utf-8").split("\n\n"):
        line += len(paragraph) - len(paragraph.lstrip("\n"))
        lines = paragraph.strip("\n").splitlines()
        if lines[:1] == ["setup:"]:
            setup = "\n".join(lines[1:]) + "\n"
        elif lines[:1] == ["each:"]:
            for i, text in enumerate(lines[1:], line + 1):
                yield Program(f"{path.stem}:{i}", setup + text)
        elif lines:
            yield Program(f"{path.stem}:{line}", setup + "\n".join(lines))
        line += paragraph.lstrip("\n").count("\n") + 2


def outcome(program: Program, tf: Any) -> Any:
    """The program's value as plain values, with what it printed; or the class of its error."""
    printed = io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(printed):
        warnings.simplefilter("ignore")
        try:
            found = plain(_run(program, tf))
        except Exception as error:
            return Raised(type(error).__name__, str(error))
    return [found, printed.getvalue()] if printed.getvalue() else found


def _run(program: Program, tf: Any) -> Any:
    tree = ast.parse(program.text, program.name)
    names: dict[str, Any] = {"tf": tf, "np": np, "__name__": "__main__"}
    names |= {"slopes": Slopes(tf), "rows": partial(rows, tf), "along": partial(along, tf)}
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, program.name, "exec", dont_inherit=True), names)
    return None if last is None else eval(compile(ast.Expression(last.value), program.name, "eval"), names)


class Slopes:
    """`slopes(f, x, ...)`: the value of f there, and its first and second derivatives, None where there is none."""

    def __init__(self, tf: Any) -> None:
        self._tf = tf

    def __call__(self, f: Any, *values: Any, dtype: Any = None) -> Any:
        tf = self._tf
        sources = [value if tf.is_tensor(value) else tf.constant(value, dtype) for value in values]
        with tf.GradientTape(persistent=True) as outer:
            outer.watch(sources)
            with tf.GradientTape() as inner:
                inner.watch(sources)
                y = f(*sources)
            first = inner.gradient(y, sources)
            # a slope that is not constant, so that a second derivative shows
            weighted = [None if g is None else tf.convert_to_tensor(g) * tf.constant(0.75, g.dtype) for g in first]
        second = [None if w is None else outer.gradient(w, sources) for w in weighted]
        return {"value": y, "first": first, "second": second}


def rows(tf: Any, f: Any, *values: Any, dtype: Any = None) -> Any:
    """`rows(f, x, ...)`: the Jacobian of f with respect to each argument."""
    sources = [value if tf.is_tensor(value) else tf.constant(value, dtype) for value in values]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(sources)
        y = f(*sources)
    vectorised = any(each.dtype != y.dtype for each in sources)  # takes TensorFlow long, but its loop knows one dtype
    return tape.jacobian(y, sources, experimental_use_pfor=vectorised)


def along(tf: Any, f: Any, *values: Any, dtype: Any = None) -> Any:
    """`along(f, x, ...)`: the derivative of f along a direction, in forward mode."""
    sources = [value if tf.is_tensor(value) else tf.constant(value, dtype) for value in values]
    directions = [tf.constant(_ramp(np.shape(each)), each.dtype) for each in sources]
    with tf.autodiff.ForwardAccumulator(sources, directions) as accumulator:
        y = f(*sources)
    return accumulator.jvp(y)


def _ramp(shape: tuple[int, ...]) -> np.ndarray:
    return np.linspace(0.5, 1.5, int(np.prod(shape))).reshape(shape)


@dataclass(frozen=True)
class Array:
    """A tensor, a variable or a NumPy array: which of them, its dtype and its numbers."""

    kind: str
    dtype: str
    value: np.ndarray

    def __repr__(self) -> str:
        return f"{self.kind} {self.dtype} {self.value.shape} {np.array2string(self.value, separator=', ')}"


class Raised:
    """What a program raised; its message is for reading only."""

    def __init__(self, name: str, message: str) -> None:
        self.name = name
        self.message = message

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Raised) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"{self.name}: {self.message.partition(chr(10))[0]}"


def plain(value: Any) -> Any:
    """A result as values that belong to no framework; structures keep their type's name."""
    if isinstance(value, np.ndarray | np.generic):
        return Array("array", str(value.dtype), _numbers(value))
    if hasattr(value, "is_numpy_compatible"):
        return ("dtype", value.name)
    if hasattr(value, "as_list"):
        return ("shape", tuple(value.as_list()))
    if hasattr(value, "dense_shape") and hasattr(value, "indices"):
        return {"slices": [plain(value.indices), plain(value.values), plain(value.dense_shape)]}
    if hasattr(value, "numpy") and hasattr(value, "dtype"):
        kind = "variable" if hasattr(value, "read_value") or hasattr(value, "path") else "tensor"
        return Array(kind, getattr(value.dtype, "name", value.dtype), _numbers(value.numpy()))
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return (type(value).__name__, [plain(each) for each in value])
    if value is None or isinstance(value, bool | int | float | complex | str | bytes):
        return (type(value).__name__, value)
    return type(value).__name__


def _numbers(value: Any) -> np.ndarray:
    """An array; of bfloat16, in whose dtype NumPy cannot compare all it should, the same numbers as float32."""
    array = np.asarray(value)
    return array.astype(np.float32) if array.dtype.kind == "V" else array


TOLERANCES = {
    "bfloat16": 3e-2,
    "float16": 4e-3,
    "float32": 1e-5,
    "float64": 1e-9,
    "complex64": 1e-5,
    "complex128": 1e-9,
}


def same(ours: Any, theirs: Any) -> bool:
    """Whether two outcomes agree; numbers up to rounding, everything else exactly."""
    if isinstance(theirs, Array):
        return isinstance(ours, Array) and _same_array(ours, theirs)
    if isinstance(theirs, dict):
        return isinstance(ours, dict) and ours.keys() == theirs.keys() and all(same(ours[k], theirs[k]) for k in ours)
    if isinstance(theirs, list | tuple) and isinstance(ours, list | tuple):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(theirs, float) and isinstance(ours, float):
        return bool(np.isclose(ours, theirs, rtol=1e-6, equal_nan=True))
    return type(ours) is type(theirs) and bool(ours == theirs)


def _same_array(ours: Array, theirs: Array) -> bool:
    if (ours.kind, ours.dtype, ours.value.shape) != (theirs.kind, theirs.dtype, theirs.value.shape):
        return False
    tolerance = TOLERANCES.get(theirs.dtype)
    if tolerance is None or theirs.value.dtype.kind not in "fc":
        return bool(np.array_equal(ours.value, theirs.value))
    size = max(1.0, float(np.max(np.abs(theirs.value), initial=0.0, where=np.isfinite(theirs.value))))
    return np.allclose(ours.value, theirs.value, rtol=tolerance, atol=tolerance * min(size, 1e3) / 10, equal_nan=True)
