"""A program in TensorFlow's spelling, a framework -> what it computed, printed and raised; two of those -> differences.

The oracle of the suite is real TensorFlow: a program is run as it stands, and again with only its import lines changed.

    program = read_program(path)
    ours, theirs = run(program, "tapeviz"), run(program, "tensorflow")
    assert differences(ours, theirs) == []
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np

RECORDED = ("EXPECTED", "PRINTED", "RAISES")
"""The names at a program's end that are the test's, not the program's."""

NUMBER = re.compile(r"-?\d+(?:\.\d*)?(?:e[+-]?\d+)?")


@dataclass(frozen=True)
class Program:
    """A program's source, and what its end says of it: some names' values, the printed lines, the error's class."""

    path: Path
    source: str
    expected: dict[str, Any] = field(default_factory=dict)
    printed: list[str] | None = None
    raises: str | None = None

    def under(self, framework: str) -> str:
        """The source with `framework` in the import lines; the line numbers stay."""
        return re.sub(r"^(import|from) tensorflow\b[\w.]*", rf"\1 {framework}", self.source, flags=re.MULTILINE)


@dataclass(frozen=True)
class Outcome:
    """What a run left: the module-level names, the text on stdout, the exception that ended it (or None)."""

    names: dict[str, Any]
    stdout: str
    error: Exception | None


@dataclass(frozen=True)
class Tolerance:
    """How far two outcomes may lie apart. `last_digit` lets each printed number differ by one in its last place.

    `as_values` lets printed numbers lie as far apart as values.
    """

    rtol: float = 1e-5
    atol: float = 1e-6
    last_digit: bool = False
    as_values: bool = False


@dataclass(frozen=True)
class Reading:
    """One value of a program as NumPy sees it, with the type that the framework gave it."""

    kind: str
    dtype: str
    shape: tuple[int, ...]
    value: np.ndarray


def read_program(path: Path) -> Program:
    """The program in `path`. What its end says is read from the source: a program that raises never gets there."""
    source = path.read_text(encoding="utf-8")
    said = {
        statement.targets[0].id: ast.literal_eval(statement.value)
        for statement in ast.parse(source).body
        if isinstance(statement, ast.Assign)
        and isinstance(statement.targets[0], ast.Name)
        and statement.targets[0].id in RECORDED
    }
    return Program(path, source, said.get("EXPECTED", {}), said.get("PRINTED"), said.get("RAISES"))


def run(program: Program, framework: str, *, shared: bool = True) -> Outcome:
    """Run `program` under "tapeviz" or "tensorflow", in this process. Its exception is part of the outcome.

    Numbers that it draws without a seed are the same in both if they are `shared`.
    """
    module = importlib.import_module(framework)
    source = program.source if framework == "tensorflow" else program.under(framework)
    code = compile(source, str(program.path), "exec", dont_inherit=True)
    names: dict[str, Any] = {"__name__": "__main__", "__file__": str(program.path)}
    stdout, error = io.StringIO(), None
    normals = shared_normals(module) if shared else contextlib.nullcontext()
    weights = shared_weights(module) if shared and "keras" in source else contextlib.nullcontext()
    with contextlib.redirect_stdout(stdout), normals, weights:
        try:
            exec(code, names)
        except Exception as raised:
            error = raised
    return Outcome(names, stdout.getvalue(), error)


@contextlib.contextmanager
def shared_normals(module: ModuleType, seed: int = 1) -> Iterator[None]:
    """While open, `module.random.normal` draws from NumPy's generator: the same numbers for every framework."""
    source = np.random.RandomState(seed)

    def normal(shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None) -> Any:
        numbers = source.normal(mean, stddev, size=tuple(shape))
        return module.constant(numbers, dtype=dtype or module.float32)

    with mock.patch.object(module.random, "normal", normal):
        yield


@contextlib.contextmanager
def shared_weights(module: ModuleType, seed: int = 2) -> Iterator[None]:
    """While open, the first weights of Keras's layers are NumPy's numbers: the same ones for every framework."""
    source = np.random.RandomState(seed)

    def uniform(initializer: Any, shape: Any, dtype: Any = None) -> Any:
        return module.constant(source.uniform(-0.5, 0.5, size=tuple(shape)), dtype=dtype or module.float32)

    with mock.patch.object(module.keras.initializers.GlorotUniform, "__call__", uniform):
        yield


def differences(ours: Outcome, theirs: Outcome, tolerance: Tolerance = Tolerance()) -> list[str]:
    """Every respect in which two outcomes disagree, one sentence each: names, types, values, text, error."""
    found = list(_error_differences(ours.error, None if theirs.error is None else type(theirs.error).__name__))
    mine, reference = readings(ours.names), readings(theirs.names)
    for name in mine | reference:
        found += [f"{name}: {what}" for what in _reading_differences(mine.get(name), reference.get(name), tolerance)]
    return found + _text_differences(ours.stdout, theirs.stdout, tolerance)


def broken_promises(program: Program, outcome: Outcome, tolerance: Tolerance = Tolerance()) -> list[str]:
    """Every respect in which an outcome disagrees with what the program's end says, one sentence each."""
    found = list(_error_differences(outcome.error, program.raises))
    for name, expected in program.expected.items():
        if name not in outcome.names:
            found.append(f"{name}: missing, expected {expected}")
        elif not _close(_plain(outcome.names[name]), np.asarray(expected), tolerance):
            found.append(f"{name}: {outcome.names[name]!r}, expected {expected}")
    if program.printed is not None:
        found += _text_differences(outcome.stdout, "".join(f"{line}\n" for line in program.printed), tolerance)
    return found


def readings(names: dict[str, Any]) -> dict[str, Reading]:
    """Every tensor, variable, array, number, text and None among `names`, those in lists, tuples and dicts included."""
    public = {name: value for name, value in names.items() if not name.startswith("_") and name not in RECORDED}
    return dict(_readings(public, ""))


def _readings(value: Any, path: str) -> Iterator[tuple[str, Reading]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _readings(item, f"{path}[{key!r}]" if path else str(key))
    elif isinstance(value, list | tuple):
        yield f"len({path})", _reading(len(value))
        for index, item in enumerate(value):
            yield from _readings(item, f"{path}[{index}]")
    elif (reading := _reading(value)) is not None:
        yield path, reading


def _reading(value: Any) -> Reading | None:
    if hasattr(value, "numpy"):
        kind = "variable" if hasattr(value, "assign") else "tensor"
        return Reading(kind, getattr(value.dtype, "name", value.dtype), tuple(value.shape), np.asarray(value.numpy()))
    if isinstance(value, np.ndarray | np.generic):
        return Reading("array", value.dtype.name, value.shape, np.asarray(value))
    if value is None or isinstance(value, bool | int | float | complex | str):
        return Reading(type(value).__name__, "", (), np.asarray(value))
    return None


def _reading_differences(mine: Reading | None, reference: Reading | None, tolerance: Tolerance) -> Iterator[str]:
    if mine is None or reference is None:
        yield "missing" if mine is None else "not in the reference"
        return
    for aspect in ("kind", "dtype", "shape"):
        if getattr(mine, aspect) != getattr(reference, aspect):
            yield f"{aspect} {getattr(mine, aspect)!r}, expected {getattr(reference, aspect)!r}"
    if not _close(mine.value, reference.value, tolerance):
        yield f"{mine.value}, expected {reference.value}"


def _error_differences(error: Exception | None, expected: str | None) -> Iterator[str]:
    raised = None if error is None else type(error).__name__
    if raised != expected:
        yield f"raised {error!r}, expected {expected or 'no error'}"


def _text_differences(text: str, expected: str, tolerance: Tolerance) -> list[str]:
    same = text == expected or (tolerance.last_digit and _same_but_last_digits(text, expected, tolerance))
    return [] if same else [f"printed {text!r}, expected {expected!r}"]


def _same_but_last_digits(text: str, expected: str, tolerance: Tolerance) -> bool:
    """Whether two texts differ only in the last digits of numbers, and in the blanks that line them up."""
    near = partial(np.isclose, rtol=tolerance.rtol, atol=tolerance.atol) if tolerance.as_values else _never
    ours, theirs = NUMBER.findall(text), NUMBER.findall(expected)
    words, known = ("".join(NUMBER.sub("#", each).split()) for each in (text, expected))
    return words == known and all(
        abs(float(a) - float(b)) <= 1.5 * 10.0 ** -min(_places(a), _places(b)) or near(float(a), float(b))
        for a, b in zip(ours, theirs, strict=True)
    )


def _never(a: float, b: float) -> bool:
    return False


def _places(number: str) -> int:
    return len(number.partition(".")[2])


def _plain(value: Any) -> np.ndarray:
    """The value of a tensor, or of a list or tuple of tensors of one shape, as one array."""
    if isinstance(value, list | tuple):
        return np.asarray([_plain(item) for item in value])
    return np.asarray(value.numpy() if hasattr(value, "numpy") else value)


def _close(ours: np.ndarray, theirs: np.ndarray, tolerance: Tolerance) -> bool:
    if ours.shape != theirs.shape:
        return False
    if not (np.issubdtype(ours.dtype, np.number) and np.issubdtype(theirs.dtype, np.number)):
        return np.array_equal(ours, theirs)
    return np.allclose(ours, theirs, rtol=tolerance.rtol, atol=tolerance.atol, equal_nan=True)
