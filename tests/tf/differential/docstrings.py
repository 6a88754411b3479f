"""The examples in TensorFlow's docstrings, run by TensorFlow or by tapeviz: what each printed, or the error it raised.

    python -m tests.tf.differential.docstrings tensorflow examples.json > theirs.json   # writes the examples first
    python -m tests.tf.differential.docstrings tapeviz examples.json > ours.json

A process each, as some of them change settings of the whole framework.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import json
import linecache
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from tests.sampling import quarter

Examples = dict[str, list[str]]
"""Per name of the API the statements of its docstring, in order."""
Outcome = tuple[str, str, str]
"""What a statement printed, and the class and the text of the error that it raised, or nothing."""


def examples() -> Examples:
    """Those of the functions, classes and methods that tapeviz has, each docstring once."""
    import tensorflow

    from tapeviz import tf
    from tests.tf.differential.test_signatures import callables

    return dict(quarter(_found(callables(tf, tensorflow, set())), lambda each: each[0]))


def _found(originals: Iterator[tuple[str, Any, Any]]) -> Iterator[tuple[str, list[str]]]:
    read = set()
    for name, _, original in originals:
        text = getattr(original, "__doc__", None) or ""
        if text in read:
            continue
        read.add(text)
        with contextlib.suppress(ValueError):  # a few are indented in a way that nobody can run
            found = [each.source for each in doctest.DocTestParser().get_examples(text)]
            if found:
                yield name, found


def outcomes(framework: Any, statements: list[str], name: str) -> list[Outcome]:
    """What the statements of one docstring do."""
    framework.random.set_seed(1)
    np.random.seed(1)
    names = {"tf": framework, "np": np, "keras": framework.keras, "__name__": "__main__"}
    return [_outcome(source, f"<{name} {index}>", names) for index, source in enumerate(statements)]


def _outcome(source: str, filename: str, names: dict[str, Any]) -> Outcome:
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)  # for AutoGraph
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
            exec(compile(source, filename, "single"), names)
    except Exception as error:
        return printed.getvalue(), type(error).__name__, str(error)
    return printed.getvalue(), "", ""


if __name__ == "__main__":
    told, path = import_module(sys.argv[1]), Path(sys.argv[2])
    if sys.argv[1] == "tensorflow":
        path.write_text(json.dumps(examples()), encoding="utf-8")
    run = {name: outcomes(told, each, name) for name, each in json.loads(path.read_text(encoding="utf-8")).items()}
    print(json.dumps(run))
