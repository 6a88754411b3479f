"""The text of a program -> the log of its run, and which of its lines a diagnosis must name.

A line may carry a mark: `code  #! other` is the line to be found, and `other` what the repaired program has in its
place; `code  #~ other` is only replaced. Nothing after the mark: the repaired program has no such line; `=`: the same.
`;;` in the replacement begins a new line.
"""

from __future__ import annotations

import linecache
import re
from dataclasses import dataclass
from itertools import count
from textwrap import dedent
from typing import Any

import numpy as np

import tapeviz
from tapeviz.diagnosis.diagnose import diagnose

MARK = re.compile(r"^(?P<indent>\s*)(?P<code>.*?)\s*#(?P<kind>[!~])(?P<new>.*)$")
_numbers = count()


@dataclass(frozen=True)
class Program:
    """A faulty program: `causes` are the labels that are right, the best first."""

    name: str
    causes: tuple[str, ...]
    text: str

    @property
    def broken(self) -> str:
        """The program as it is run, without the marks."""
        return "\n".join(self._line(line, "code") for line in self.text.splitlines()) + "\n"

    @property
    def repaired(self) -> str:
        """The program with its fault put right."""
        return "\n".join(self._line(line, "new") for line in self.text.splitlines()) + "\n"

    @property
    def culprits(self) -> set[int]:
        """The numbers of the lines that may be named."""
        marks = enumerate(map(MARK.match, self.text.splitlines()), 1)
        return {number for number, mark in marks if mark is not None and mark["kind"] == "!"}

    @staticmethod
    def _line(line: str, part: str) -> str:
        mark = MARK.match(line)
        if mark is None:
            return line
        new = mark["new"].strip()
        code = mark["code"] if part == "code" or new == "=" else new or "pass"
        return "\n".join(mark["indent"] + each.strip() for each in code.split(";;"))


def marked(causes: str, **texts: str) -> list[Program]:
    """Faulty programs of the same causes, by name."""
    return [Program(name, tuple(causes.split()), dedent(text).strip("\n")) for name, text in texts.items()]


def symptoms(text: str, module: Any) -> list[Any]:
    """What each call of `gradient` in a program gave: "none", "zero", "nan" or "ok" per source, or an error's name."""
    found: list[Any] = []
    plain = module.GradientTape.gradient

    def noting(tape: Any, target: Any, sources: Any, *args: Any, **options: Any) -> Any:
        gradients = plain(tape, target, sources, *args, **options)
        if not module.executing_eagerly():  # a jacobian of TensorFlow traces one backward pass
            return gradients
        found.append([_symptom(each, module) for each in _flat(gradients)])
        return gradients

    module.GradientTape.gradient = noting
    try:
        exec(compile(text, "<program>", "exec"), {"tf": module, "np": np, "__name__": "program"})
    except Exception as error:
        found.append(type(error).__name__)
    finally:
        module.GradientTape.gradient = plain
    return found


def _flat(gradients: Any) -> list[Any]:
    if isinstance(gradients, dict):
        return [each for name in sorted(gradients) for each in _flat(gradients[name])]
    return [one for each in gradients for one in _flat(each)] if isinstance(gradients, (list, tuple)) else [gradients]


def _symptom(gradient: Any, module: Any) -> str:
    if gradient is None:
        return "none"
    numbers = module.convert_to_tensor(gradient).numpy()
    return "ok" if np.isfinite(numbers).all() and numbers.any() else "zero" if np.isfinite(numbers).all() else "nan"


def run(text: str, module: Any, *, may_raise: bool = False) -> Any:
    """Execute a program with `tf` and `torch` bound to `module`, inside a recording of its own; the log.

    With `may_raise`, or if it begins with `# raises`, it may end in the error that is to be explained.
    """
    if hasattr(module, "keras"):  # names of layers are counted, and initial weights drawn, from the start
        module.keras.backend.clear_session(free_memory=False)
        module.random.set_seed(0)
    if hasattr(module, "set_grad_enabled"):
        module.manual_seed(0)
    filename = f"<program {next(_numbers)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    with tapeviz.record() as log:
        try:
            exec(compile(text, filename, "exec"), {"tf": module, "torch": module, "np": np, "__name__": "program"})
        except (RuntimeError, ValueError, AttributeError, TypeError):
            if not (may_raise or text.startswith("# raises")):
                raise
    if hasattr(module, "set_grad_enabled"):
        module.set_grad_enabled(True)
    return log


def loud(recording: Any) -> list[str]:
    """What is said of a recording above a hint: of a healthy one, nothing."""
    return [str(each) for each in diagnose(recording) if each.severity != "hint"]
