"""The text of a program -> the log of its run, and which of its lines a diagnosis must name.

A line may carry a mark: `code  #! other` is the line to be found, and `other` what the repaired program has in its
place; `code  #~ other` is only replaced. Nothing after the mark: the repaired program has no such line; `=`: the same.
`;;` in the replacement begins a new line.
"""

from __future__ import annotations

import linecache
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from textwrap import dedent
from typing import Any

import numpy as np

import tapeviz
from tapeviz.diagnosis import Findings
from tapeviz.diagnosis.diagnose import diagnose
from tapeviz.events import EventLog
from tapeviz.events.program.frames import GENERATED
from tests.engine import names

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


def beyond_the_engine(text: str) -> bool:
    """Whether a program uses names of TensorFlow's that the engine has not, as `tf.keras` and `tf.function`."""
    return not all(hasattr(names, each) for each in re.findall(r"\btf\.(\w+)", text))


def marked(causes: str, **texts: str) -> list[Program]:
    """Faulty programs of the same causes, by name."""
    return [Program(name, tuple(causes.split()), dedent(text).strip("\n")) for name, text in texts.items()]


@contextmanager
def noted(module: Any, given: list[Any]) -> Iterator[None]:
    """Into `given`: what each call of `gradient` in the block gives, and the name of the error that ends it."""
    plain = module.GradientTape.gradient

    def noting(tape: Any, target: Any, sources: Any, *args: Any, **options: Any) -> Any:
        gradients = plain(tape, target, sources, *args, **options)
        if not hasattr(module, "executing_eagerly") or module.executing_eagerly():  # a jacobian traces one pass
            given.append(gradients)
        return gradients

    noting.__code__ = noting.__code__.replace(co_filename=GENERATED)  # no frame of the user's, whose lines are named
    module.GradientTape.gradient = noting
    try:
        yield
    except Exception as error:
        given.append(type(error).__name__)
        raise
    finally:
        module.GradientTape.gradient = plain


def symptoms(text: str, module: Any) -> list[Any]:
    """What a program shows that is run without a recording."""
    given: list[Any] = []
    with suppress(Exception), noted(module, given):
        exec(compile(text, "<program>", "exec"), {"tf": module, "np": np, "__name__": "program"})
    return shown(given, module)


def shown(given: list[Any], module: Any) -> list[Any]:
    """What each call of `gradient` gave: "none", "zero", "nan" or "ok" per source, or an error's name."""
    return [
        each if isinstance(each, str) else [_symptom(gradient, module) for gradient in _flat(each)] for each in given
    ]


def _flat(gradients: Any) -> list[Any]:
    if isinstance(gradients, dict):
        return [each for name in sorted(gradients) for each in _flat(gradients[name])]
    return [one for each in gradients for one in _flat(each)] if isinstance(gradients, (list, tuple)) else [gradients]


def _symptom(gradient: Any, module: Any) -> str:
    if gradient is None:
        return "none"
    numbers = module.convert_to_tensor(gradient).numpy()
    return "ok" if np.isfinite(numbers).all() and numbers.any() else "zero" if np.isfinite(numbers).all() else "nan"


def run(
    text: str, module: Any, *, may_raise: bool = False, within: AbstractContextManager[Any] | None = None
) -> EventLog:
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
            with within or nullcontext():
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


class Ran:
    """A program in one framework: it is run once, when first asked about, and whatever is asked reads that run."""

    def __init__(self, text: str, module: Any) -> None:
        self.text, self.module = text, module
        self._given: list[Any] = []

    @cached_property
    def log(self) -> EventLog:
        has_tape = hasattr(self.module, "GradientTape")
        return run(self.text, self.module, within=noted(self.module, self._given) if has_tape else None)

    @cached_property
    def findings(self) -> Findings:
        return diagnose(self.log)

    @property
    def loud(self) -> list[str]:
        """What is said above a hint."""
        return [str(each) for each in self.findings if each.severity != "hint"]

    @cached_property
    def symptoms(self) -> list[Any]:
        """What it showed while it was recorded; see `shown`."""
        assert self.log is not None
        return shown(self._given, self.module)


class Pair:
    """A faulty program and its repair, in one framework."""

    def __init__(self, program: Program, module: Any) -> None:
        self.program = program
        self.broken, self.repaired = Ran(program.broken, module), Ran(program.repaired, module)

    def first_names_cause_and_line(self) -> None:
        """Assert that of all that is found in the faulty program, the fault comes first."""
        found = self.broken.findings
        assert found, "nothing found"
        first = found[0]
        assert first.cause in self.program.causes, str(found)
        assert first.site is not None
        assert first.site.line in self.program.culprits, str(found)


def name_of(program: Program) -> str:
    """A program's part in the id of a test."""
    return f"{program.causes[0]}-{program.name}"
