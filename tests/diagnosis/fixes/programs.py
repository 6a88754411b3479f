"""The pages of `docs/causes`, and a folder of cases -> faulty programs as files, each with its repair."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from tapeviz.diagnosis import CAUSES
from tests.diagnosis.cause_pages import example, shown
from tests.diagnosis.faulty import FAULTY
from tests.diagnosis.faulty_tensorflow import FAULTY as FAULTY_TENSORFLOW
from tests.diagnosis.faulty_torch import FAULTY_TORCH
from tests.diagnosis.programs import Program, name_of


@dataclass(frozen=True)
class Faulty:
    """A faulty program: `framework` is the module that it is written for, `repaired` the same put right by hand."""

    name: str
    framework: str
    text: str
    repaired: str
    lines: int

    @property
    def is_mended_by_a_line(self) -> bool:
        """Whether the repair by hand changes one line."""
        return self.lines == 1


def pages() -> Iterator[Faulty]:
    """The programs of the pages of causes."""
    for label in CAUSES:
        given = example(label)
        if given is not None:
            yield _marked(label, *given)


def marked() -> Iterator[Faulty]:
    """All faulty programs of `tests/diagnosis`."""
    for programs, module in ((FAULTY, "tapeviz"), (FAULTY_TENSORFLOW, "tensorflow"), (FAULTY_TORCH, "torch")):
        if find_spec(module):
            for each in programs:
                yield _marked(name_of(each), each, module)


def _marked(name: str, program: Program, module: str) -> Faulty:
    text, repaired = shown(program.broken, module), shown(program.repaired, module)
    return Faulty(name, module, text, repaired, _changed(program.text))


def _changed(marked: str) -> int:
    """The lines that a repair changes, by the marks of `programs`."""
    marks = [each.rpartition("#")[2] for each in marked.splitlines() if "#!" in each or "#~" in each]
    return sum(1 + each.count(";;") for each in marks if each[1:].strip() != "=")


def cases(folder: Path) -> Iterator[Faulty]:
    """The programs of a folder: functions `run` of a framework that give gradients, with `FIX`, the lines to write.

    One of JAX is given `record_jax`, too. What `ENV` asks for has to be there before JAX and Keras are imported.
    """
    for own in ("tensorflow", "torch", "jax"):
        for path in sorted((folder / own).glob("*.py")):
            case, text = _facts(path), path.read_text()
            framework, pairs = getattr(case, "FRAMEWORK", own), getattr(case, "FIX", ())
            lacking = _lacking(case, framework)
            if lacking:
                print(f"skipped: {path.stem}, which needs {', '.join(lacking)}")
                continue
            yield Faulty(
                path.stem,
                framework,
                _called(text, framework),
                _called(_fixed(text, pairs), framework),
                sum(max(1, len(new.splitlines())) for _, new in pairs),
            )


def _facts(path: Path) -> ModuleType:
    """The names that a case gives beside its function."""
    module = ModuleType(path.stem)
    exec(compile(path.read_text(), str(path), "exec"), module.__dict__)
    return module


def _lacking(case: ModuleType, framework: str) -> list[str]:
    """What a case needs and does not find: its framework, packages, and variables of the environment."""
    packages = [each.partition("==")[0] for each in getattr(case, "REQUIRES", "").replace(",", " ").split()]
    wanted: dict[str, str] = getattr(case, "ENV", {})
    return [
        *([] if find_spec(framework) else [framework]),
        *(each for each in packages if not _is_installed(each)),
        *(f"{name}={value}" for name, value in wanted.items() if os.environ.get(name) != value),
    ]


def _is_installed(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True


def _fixed(text: str, pairs: tuple[tuple[str, str], ...]) -> str:
    """A case with lines of its function replaced."""
    run = next(each for each in ast.parse(text).body if isinstance(each, ast.FunctionDef) and each.name == "run")
    lines = text.split("\n")
    for old, new in pairs:
        at = next(at for at in range(run.lineno - 1, run.end_lineno or 0) if lines[at].strip() == old)
        indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
        lines[at] = "\n".join(indent + each for each in (new or "pass").split("\n"))
    return "\n".join(lines)


def _called(text: str, framework: str) -> str:
    """A case as a script: its function called as its author called it."""
    if framework == "jax":
        return f"{text}\n\nimport jax\nimport tapeviz\n\nlog = run(jax, tapeviz.record_jax)\n"
    alias, seed = ("tf", "random.set_seed") if framework == "tensorflow" else ("torch", "manual_seed")
    return f"{text}\n\nimport {framework} as {alias}\n\n{alias}.{seed}(0)\ngradients, _ = run({alias})\n"
