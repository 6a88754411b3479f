"""Erroneous programs, as in `test_differential`: the class of TensorFlow's error, and a message that helps.

`messages/` holds them by topic. A message names what it is about, as the program has it, and says what to do: see
`tests.told`.
"""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

import tapeviz
from tests.outcomes import Raised
from tests.sampling import quarter
from tests.tf.differential.known import reason
from tests.tf.differential.program import FOLDER, Program, from_file, outcome
from tests.told import is_told

pytestmark = pytest.mark.tensorflow

FILES = (*sorted((Path(__file__).parent / "messages").glob("*.txt")), FOLDER / "errors.txt")
FOREIGN = "errors:"
"""What the names of programs begin with that are here because most of them raise an error, but not all."""
PROGRAMS = [program for path in FILES for program in from_file(path)]

LAXER = "tapeviz lets it pass"
NO_GRAPH = "an attribute of TensorFlow's graphs, which there are none of"
NO_WORDS = "Python's own error, which says nothing"
NOTED = "the advice is in a note, since programs print the message"

KNOWN = {
    r"^tf\.Variable\(1\.0\)\.(eval\(\)|initial_value|to_proto\(\))$": NO_GRAPH,
    r"^tf\.constant\(1\.0\)\.(eval|consumers)\(\)$": NO_GRAPH,
    r"\.dims\[0\]": "lengths are numbers here",
    r"aggregation=|VariableAggregation": NO_GRAPH,
    r"^Model\(\)\.call\(\[1\]\)$": LAXER,
    r"^tf\.errors\.InvalidArgumentError\(": LAXER,
    r"^next\(iter\(tf\.data\.Dataset\.from_tensor_slices\(\[\]\)\)\)$": NO_WORDS,
    r"^model\.fit\(verbose=0\)$": NO_WORDS,
    r"^tf\.keras\.optimizers\.SGD\(\)\.apply_gradients\(\[\(None, v\)\]\)$": NOTED,
}
"""Pattern of a program's last line -> why its error is another, or is not told."""


@pytest.mark.parametrize("program", quarter(PROGRAMS), ids=str)
def test_a_mistake_is_told(program: Program, tensorflow: ModuleType) -> None:
    theirs = outcome(program, tensorflow)
    if not isinstance(theirs, Raised):
        assert program.name.startswith(FOREIGN), "there is no error"
        return
    ours = outcome(program, tapeviz)
    told = ours == theirs and is_told(program.text, ours.message)
    report = f"\n{program.text}\n\ntapeviz:    {ours}\nTensorFlow: {theirs}\nknown: {reason(program, KNOWN)}"
    assert told is (reason(program, KNOWN) is None), report


def test_no_more_is_known_than_there_is() -> None:
    met = {pattern for pattern in KNOWN for program in PROGRAMS if re.search(pattern, program.text.splitlines()[-1])}
    assert [pattern for pattern in KNOWN if pattern not in met] == []


def test_a_message_that_does_not_help_is_seen() -> None:
    program = "tf.reshape(tf.ones([6]), [4])"
    assert not is_told(program, "Invalid argument: look at it again.")
    assert not is_told(program, "reshape failed")
