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
from tests.sampling import quarter
from tests.tf.differential.generated import GENERATED
from tests.tf.differential.known import KNOWN, is_open, reason
from tests.tf.differential.program import FOLDER, Program, from_file, outcome

pytestmark = pytest.mark.tensorflow

TOPICS = {path.stem: list(from_file(path)) for path in sorted(FOLDER.glob("*.txt"))}
WRITTEN = [program for programs in TOPICS.values() for program in programs]
MISTAKES = ("NameError", "SyntaxError", "IndentationError", "ImportError", "ModuleNotFoundError")
"""What TensorFlow raises where the program is wrong, not what it is about."""


def _look_at_shapes_exactly() -> None:
    """TensorFlow's forward mode looks at shapes less exactly once it has traced an op 32 times."""
    importlib.import_module("tensorflow.python.eager.forwardprop")._TRACE_COUNT.clear()


def _outcomes(program: Program, tensorflow: ModuleType) -> tuple[object, object]:
    _look_at_shapes_exactly()
    ours, theirs = outcome(program, tapeviz), outcome(program, tensorflow)
    assert not (isinstance(theirs, Raised) and theirs.name in MISTAKES), _report(program, ours, theirs)
    return ours, theirs


def _report(program: Program, ours: object, theirs: object) -> str:
    return f"\n{program.text}\n\ntapeviz:    {ours}\nTensorFlow: {theirs}"


def _families() -> dict[str, list[Program]]:
    """The made programs by what they are made of; those that are derived of a topic's, by topic."""
    families = defaultdict(list)
    for program in GENERATED:
        how, *words = program.name.split()
        families[" ".join(words[:2] if how == "made:" else words[:1])].append(program)
    return families


FAMILIES = _families()


@pytest.mark.parametrize("topic", TOPICS)
def test_the_programs_of_a_topic_do_what_tensorflow_does(topic: str, tensorflow: ModuleType) -> None:
    _do_as_known(quarter(program for program in TOPICS[topic] if not is_open(program)), tensorflow)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_of_programs_does_what_tensorflow_does(family: str, tensorflow: ModuleType) -> None:
    _do_as_known(quarter(FAMILIES[family]), tensorflow)


def _do_as_known(programs: list[Program], tensorflow: ModuleType) -> None:
    differing = []
    for program in programs:
        ours, theirs = _outcomes(program, tensorflow)
        why = reason(program)
        if same(ours, theirs) is not (why is None):
            differing.append(f"{program}: {_report(program, ours, theirs)}\nknown: {why}")
    assert not differing, "\n".join(differing[:5]) + f"\n{len(differing)} of {len(programs)} not as known"


def test_no_more_is_known_than_there_is() -> None:
    met = {reason(program) for program in (*WRITTEN, *GENERATED)}
    assert [why for why in KNOWN.values() if why not in met] == []


def test_at_most_three_of_a_hundred_are_known_to_differ() -> None:
    every = [*WRITTEN, *GENERATED]
    assert sum(reason(program) is not None for program in every) <= 0.03 * len(every)


def test_a_difference_is_seen() -> None:
    wrong = Program("wrong", "tf.constant(1.0) + (0.001 if tf.__name__ == 'tapeviz' else 0.0)")
    assert not same(outcome(wrong, tapeviz), outcome(wrong, pytest.importorskip("tensorflow")))
