"""Text files of small programs -> programs: what each does under a framework, as plain values.

A file is a topic. A paragraph is a program, whose value is its last expression, or what that prints; in a paragraph
that begins with `each:`, every line is a program; one that begins with `setup:` is put before all programs below it.
"""

from __future__ import annotations

import ast
import contextlib
import io
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tests.outcomes import Raised, outcome_of

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
    with contextlib.redirect_stdout(printed):
        found = outcome_of(partial(_run, program), tf)
    return [found, printed.getvalue()] if printed.getvalue() and not isinstance(found, Raised) else found


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
