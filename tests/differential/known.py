"""Programs in which tapeviz and TensorFlow differ, and why: pattern of a program's name or text -> reason.

Every row is checked: a program that agrees after all must leave this table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from tests.differential.program import Program

WHICH_ERROR = "both refuse it, with errors of different classes"
TRUTH = "arithmetic on truth values, which TensorFlow allows here and there"
STRICTER = "tapeviz refuses what TensorFlow lets pass and cannot compute with"
LAXER = "tapeviz computes what TensorFlow happens to refuse"
STRINGS = "string tensors are for constants, comparison, joining and printing"

KNOWN = {
    r"^slopes\(lambda y, z: tf\.nn\.softmax_cross_entropy": "the second slope in labels, logits: TensorFlow drops it",
    r"^along\(lambda x: tf\.nn\.max_pool2d.*(\[np|inf|nan, np)": "forward mode finds other places than the gradient",
    r"^along\(lambda x: tf\.reduce_mean\(tf\.zeros\(\[0\]": "the mean of no tangents: 0 in TensorFlow",
    r"^m @ tf\.constant\(\[\[1\.0\], \[2\.0\]\]\)": "TensorFlow takes bfloat16 and float32 together in a product",
    r"^tf\.debugging\.assert_near\(x, x": LAXER,
    r"^made: operator / bool np": TRUTH,
    r"^made: operator \| (\w+ ('a'|None|1j)|int32 \[?2\.5|bool (\[2|2\.5))": WHICH_ERROR,
    r"^jvp\(lambda x: x, \[1\.0, 2\.0\], \[1\.0\]\)": STRICTER,
    r"^repr\(tape\.gradient\(y, emb\)\)": "TensorFlow shows an address",
}


def reason(program: Program, known: Mapping[str, str] = KNOWN) -> str | None:
    """Why a program is known to differ, or None."""
    names = (program.name, program.text.splitlines()[-1])
    return next((why for pattern, why in known.items() if any(re.search(pattern, each) for each in names)), None)
