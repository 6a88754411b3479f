"""The causes, and a faulty program of each -> the pages of `docs/causes`: what it looks like, why, and the fix."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

from tapeviz.diagnosis import CAUSES, Cause, Finding
from tapeviz.diagnosis.diagnose import diagnose
from tapeviz.diagnosis.dialects.jax import JAX
from tapeviz.diagnosis.dialects.torch import TORCH
from tests.diagnosis.faulty import FAULTY
from tests.diagnosis.faulty_tensorflow import FAULTY as FAULTY_TENSORFLOW
from tests.diagnosis.faulty_torch import FAULTY_TORCH
from tests.diagnosis.programs import Program, run

FOLDER = Path(__file__).parents[2] / "docs" / "causes"

SYMPTOMS = {
    "none": "The gradient is `None`",
    "zero": "The gradient is zero",
    "nan": "The gradient is infinite or NaN",
    "wrong": "The gradient is a number, and wrong",
    "exploding": "The gradient grows or shrinks with depth",
    "vanishing": "The gradient grows or shrinks with depth",
    "error": "An error is raised",
}
"""The chapters of the index, by what the user sees."""

ELSEWHERE = {"PyTorch": TORCH, "JAX": JAX}
"""The frameworks whose users are told of some causes in words of their own."""

Example = tuple[Program, str]
"""A program, and the name of the module that it is written for."""


def example(label: str) -> Example | None:
    """The first program with a cause, of the engine if it has one."""
    for programs, module in ((FAULTY, "tapeviz"), (FAULTY_TENSORFLOW, "tensorflow"), (FAULTY_TORCH, "torch")):
        for each in programs:
            if each.causes[0] == label:
                return each, module
    return None


@cache
def first_finding(given: Example) -> Finding:
    """What is said of a program first, as the page shows it."""
    program, module = given
    return diagnose(run(shown(program.broken, module), import_module(module), may_raise=True))[0]


def placed(text: str) -> str:
    """The made-up name of a program's file, which counts the programs that ran before, as one name."""
    return re.sub(r"<program \d+>", "program.py", text)


def page(cause: Cause) -> str:
    """One cause as Markdown."""
    return "\n".join(_lines(cause)).rstrip() + "\n"


def _lines(cause: Cause) -> Iterator[str]:
    yield from (f"# {cause.title}", "", f"`{cause.label}` · [all causes](README.md)", "", cause.explanation, "")
    given = example(cause.label)
    if given is not None:
        program, module = given
        yield from ("## What it looks like", "", *_code(shown(program.broken, module)), "")
        yield from ("`tv.diagnose` says:", "", "```text", *placed(str(first_finding(given))).splitlines(), "```", "")
    yield from ("## The fix", "", cause.fix, "")
    if given is not None:
        yield from (*_code(shown(program.repaired, module)), "")
    for framework, dialect in ELSEWHERE.items():
        if cause.label in dialect.causes:
            told = dialect.causes[cause.label]
            title = [] if told.title == cause.title else [f"*{told.title}.*", ""]
            yield from (f"## In {framework}", "", *title, told.explanation, "", told.fix, "")


def shown(text: str, module: str) -> str:
    """A program as a page shows it: with its imports, and without lines that only hold a place."""
    imports = ["import numpy as np"] * ("np." in text)
    imports.append("import torch" if module == "torch" else f"import {module} as tf")
    lines = text.splitlines()
    kept = [line for at, line in enumerate(lines) if line.strip() != "# raises" and not _holds_a_place(lines, at)]
    return "\n".join([*imports, "", *kept]) + "\n"


def _holds_a_place(lines: list[str], at: int) -> bool:
    """Whether a line is a `pass` that is not all there is in its block."""
    indents = [len(each) - len(each.lstrip()) for each in lines]
    alone = at > 0 and indents[at - 1] < indents[at] and (at + 1 == len(lines) or indents[at + 1] < indents[at])
    return lines[at].strip() == "pass" and not alone


def _code(text: str) -> Iterator[str]:
    yield from ("```python", *text.rstrip().splitlines(), "```")


def index() -> str:
    """The index of the pages, by what one sees."""
    chapters: dict[str, list[Cause]] = {each: [] for each in SYMPTOMS.values()}
    for cause in CAUSES.values():
        given = example(cause.label)
        chapters[SYMPTOMS["wrong" if given is None else first_finding(given).symptom]].append(cause)
    lines = ["# Why a gradient is None, zero, not finite or wrong", ""]
    lines += ["Each page shows a program with the fault, what `tv.diagnose` says of it, why, and the repair.", ""]
    for heading, causes in chapters.items():
        lines += [f"## {heading}", "", *(f"- [{each.title}]({each.label}.md)" for each in causes), ""]
    return "\n".join(lines).rstrip() + "\n"
