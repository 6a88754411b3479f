"""The examples that TensorFlow's docstrings give do the same in tapeviz, as far as it has what they use."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sampling import THOROUGH
from tests.tf.differential.docstrings import Outcome

pytestmark = [pytest.mark.tensorflow, pytest.mark.slow]

TRACED = "a function's body runs at each call, with values: nothing is traced"
DIFFERENT = {
    "Tensor": "the class of a tensor is tapeviz's",
    "IndexedSlices": "its repr tells what is in it",
    "TensorShape": TRACED,
    "TensorSpec": TRACED,
    "ensure_shape": TRACED,
    "executing_eagerly": TRACED,
    "function": TRACED,
    "py_function": TRACED,
    "gradients": "it is for graphs, which there are none of",
    "random.Generator": "the first numbers are drawn without a seed",
    "random.create_rng_state": "there is one algorithm",
}
"""Where examples differ, and why; a docstring whose examples differ no more must leave this table."""

LACKING = re.compile(r"(module|type object|'\w+' object).* has no attribute ")
"""What is said of a name outside of the API that tapeviz offers. What comes after it in a docstring goes on from it."""

NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]?\d+)?")
CLOSE = 1e-5


def run(framework: str, examples: Path) -> dict[str, list[Outcome]]:
    command = [sys.executable, "-m", "tests.tf.differential.docstrings", framework, str(examples)]
    told = subprocess.run(command, cwd=Path(__file__).parents[3], capture_output=True, text=True, check=True).stdout
    outcomes: dict[str, list[Outcome]] = json.loads(told)
    return outcomes


def plain(text: str) -> str:
    """Without addresses and their modules, colours, times, and the spaces that only line up columns."""
    text = re.sub(r"\x08|\x1b\[\d+m|[\w.]+\.(?=\w+ object at 0x)|0x[0-9a-f]+", "", text)
    text = re.sub(r"\d+s \d+m?s/step", "", text)  # of a progress bar: the time so far, and that of a step
    return re.sub(r"\s*([][(),])\s*", r"\1", re.sub(r"\s+", " ", text)).strip()


def alike(ours: str, theirs: str) -> bool:
    """Whether two texts differ in nothing but the last digits of numbers."""
    ours, theirs = plain(ours), plain(theirs)
    if NUMBER.sub("#", ours) != NUMBER.sub("#", theirs):
        return False
    pairs = zip(NUMBER.findall(ours), NUMBER.findall(theirs), strict=True)
    return all(a == b or abs(float(a) - float(b)) <= CLOSE * max(1.0, abs(float(b))) for a, b in pairs)


def differing(ours: list[Outcome], theirs: list[Outcome]) -> list[int]:
    """The places of the examples that differ, up to the first that asks for what tapeviz does not have."""
    found = []
    for place, (mine, original) in enumerate(zip(ours, theirs, strict=True)):
        if mine[1] == "AttributeError" and LACKING.match(mine[2]) and original[1] != "AttributeError":
            break
        if mine[1] != original[1] or not alike(mine[0], original[0]):
            found.append(place)
    return found


def test_examples_of_tensorflows_docstrings_do_the_same(tmp_path: Path) -> None:
    theirs = run("tensorflow", tmp_path / "examples.json")
    ours = run("tapeviz", tmp_path / "examples.json")
    sources = json.loads((tmp_path / "examples.json").read_text(encoding="utf-8"))
    assert sum(map(len, sources.values())) > (2_000 if THOROUGH else 500)
    different = {name: places for name in theirs if (places := differing(ours[name], theirs[name]))}
    shown = [
        f"{name}: {sources[name][place]}\n  tapeviz    {ours[name][place]}\n  TensorFlow {theirs[name][place]}"
        for name, places in different.items()
        for place in places[:2]
        if name not in DIFFERENT
    ]
    assert not shown, "\n".join(shown)
    assert different.keys() == DIFFERENT.keys() & sources.keys()
