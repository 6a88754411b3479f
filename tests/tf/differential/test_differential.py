"""Small programs over all of the API, run by tapeviz and by TensorFlow in this process: the same outcome.

`programs/` holds them by topic; `generated` makes more of tables; `known` says where the two differ and why.
"""

from __future__ import annotations

import importlib
from collections import defaultdict
from types import ModuleType

import pytest

import tapeviz
from tests.outcomes import Raised, same
from tests.tf.differential.generated import GENERATED
from tests.tf.differential.known import KNOWN, is_open, reason
from tests.tf.differential.program import FOLDER, Program, from_file, outcome

pytestmark = pytest.mark.tensorflow

WRITTEN = [program for path in sorted(FOLDER.glob("*.txt")) for program in from_file(path)]
MISTAKES = ("NameError", "SyntaxError", "IndentationError", "ImportError", "ModuleNotFoundError")
"""What TensorFlow raises where the program is wrong, not what it is about."""


@pytest.fixture(autouse=True)
def exact_shapes(tensorflow: ModuleType) -> None:
    """TensorFlow's forward mode looks at shapes less exactly once it has traced an op 32 times."""
    forwardprop = importlib.import_module("tensorflow.python.eager.forwardprop")
    forwardprop._TRACE_COUNT.clear()


def _outcomes(program: Program, tensorflow: ModuleType) -> tuple[object, object]:
    ours, theirs = outcome(program, tapeviz), outcome(program, tensorflow)
    assert not (isinstance(theirs, Raised) and theirs.name in MISTAKES), _report(program, ours, theirs)
    return ours, theirs


def _report(program: Program, ours: object, theirs: object) -> str:
    return f"\n{program.text}\n\ntapeviz:    {ours}\nTensorFlow: {theirs}"


@pytest.mark.parametrize("program", WRITTEN, ids=str)
def test_a_program_does_what_tensorflow_does(program: Program, tensorflow: ModuleType) -> None:
    if is_open(program):
        pytest.skip("what TensorFlow does here is up to the processor")
    ours, theirs = _outcomes(program, tensorflow)
    why = reason(program)
    assert same(ours, theirs) is (why is None), _report(program, ours, theirs) + f"\nknown: {why}"


def _families() -> dict[str, list[Program]]:
    families = defaultdict(list)
    for program in GENERATED:
        families[" ".join(program.name.split()[1:3])].append(program)
    return families


FAMILIES = _families()


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_of_programs_does_what_tensorflow_does(family: str, tensorflow: ModuleType) -> None:
    differing = []
    for program in FAMILIES[family]:
        ours, theirs = _outcomes(program, tensorflow)
        if same(ours, theirs) is not (reason(program) is None):
            differing.append(_report(program, ours, theirs))
    assert not differing, "".join(differing[:5]) + f"\n{len(differing)} of {len(FAMILIES[family])} not as known"


def test_no_more_is_known_than_there_is() -> None:
    met = {reason(program) for program in (*WRITTEN, *GENERATED)}
    assert [why for why in KNOWN.values() if why not in met] == []


def test_at_most_three_of_a_hundred_are_known_to_differ() -> None:
    every = [*WRITTEN, *GENERATED]
    assert sum(reason(program) is not None for program in every) <= 0.03 * len(every)


def test_a_difference_is_seen() -> None:
    wrong = Program("wrong", "tf.constant(1.0) + (0.001 if tf.__name__ == 'tapeviz' else 0.0)")
    assert not same(outcome(wrong, tapeviz), outcome(wrong, pytest.importorskip("tensorflow")))
