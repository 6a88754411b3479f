"""Erroneous programs, as in `test_differential`: the sentence of TensorFlow's error is in ours.

`messages/` holds them by topic. What TensorFlow's runtime puts around a sentence is left out: which node and which
kernel ran, on which device, what else a kernel was compiled for, the arguments of a Keras layer.
"""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

import tapeviz
from tests.outcomes import Raised
from tests.tf.differential.known import reason
from tests.tf.differential.program import FOLDER, Program, from_file, outcome

pytestmark = pytest.mark.tensorflow

FILES = (*sorted((Path(__file__).parent / "messages").glob("*.txt")), FOLDER / "errors.txt")
FOREIGN = "errors:"
"""What the names of programs begin with that are here because most of them raise an error, but not all."""
PROGRAMS = [program for path in FILES for program in from_file(path)]

ADDRESS = r"(?<= at )0x[0-9a-f]+"
COUNTED = rf"{ADDRESS}| with name '(None|keras_tensor(_\d+)?)'"
"""Addresses and numbers of things, which differ from run to run."""
NOISE = (
    r"\{\{function_node [^}]*\}\} ?",
    r" \[Op:\w+\]( name: [\w/]*)?",
    r"(?s)\n\t; NodeDef: .*",
    r"(?s)\nAll kernels registered for op .*",
    r"(?s)\nRegistered devices: .*",
    r", node name: \w+",
    r"_Mkl|Native(?=Conv)",
    r"^module '[\w.]+'",
    r"^EagerTensor",
    r"(?s)\. \n +If you are looking for numpy-related methods.*",
    r"(?s)\. Run workload with environment variable .*",
    r"(?s)^in user code:\n.*\n\n    \w+: ",
    r"Exception encountered when calling [\w.]+\(\)\.\n\n",
    r"(?s)\n\nArguments received by .*",
    r"\x1b\[\d*m",
    r"(?s)\nTraceback \(most recent call last\).*",
    r"(?<=Previous registration was in ).*",
    r" for '\{\{node .*",
    r"(?s) You are likely doing something like:.*",
    r" See https://\S+ for more information\.",
    COUNTED,
)

INNER = "what a line inside TensorFlow trips over"
KERNEL = "TensorFlow's tells of its kernels"
LAXER = "tapeviz lets it pass"
ELSEWHERE = "each notices it in another place"

KNOWN = {
    r"^tf\.vectorized_map\(lambda x: x, \(": INNER,
    r"^tf\.concat\(\[\], 0": KERNEL,
    r"^tf\.errors\.InvalidArgumentError\(": LAXER,
    r"^t\.gradient\(y, \[c\]\)": ELSEWHERE,
}
"""Pattern of a program's last line -> why TensorFlow's sentence is not ours."""


def sentence(message: str) -> str:
    """What a message of TensorFlow's says, without its runtime."""
    for pattern in NOISE:
        message = re.sub(pattern, "", message)
    return message.strip()


@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_a_mistake_is_told_in_the_words_of_tensorflow(program: Program, tensorflow: ModuleType) -> None:
    theirs = outcome(program, tensorflow)
    if not isinstance(theirs, Raised):
        assert program.name.startswith(FOREIGN), "there is no error"
        return
    ours = outcome(program, tapeviz)
    carried = ours == theirs and sentence(theirs.message) in re.sub(COUNTED, "", ours.message)
    report = f"\n{program.text}\n\ntapeviz:    {ours}\nTensorFlow: {theirs}\nknown: {reason(program, KNOWN)}"
    assert carried is (reason(program, KNOWN) is None), report


def test_no_more_is_known_than_there_is() -> None:
    met = {pattern for pattern in KNOWN for program in PROGRAMS if re.search(pattern, program.text.splitlines()[-1])}
    assert [pattern for pattern in KNOWN if pattern not in met] == []
