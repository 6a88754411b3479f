"""Programs in which tapeviz and TensorFlow differ, and why: pattern of a program's name or text -> reason.

Every row is checked: a program that agrees after all must leave this table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from tests.processor import COMPUTES_BFLOAT16, COMPUTES_HALVES
from tests.tf.differential.program import Program

WHICH_ERROR = "both refuse it, with errors of different classes"
TRUTH = "arithmetic on truth values, which TensorFlow allows here and there"
LAXER = "tapeviz computes what TensorFlow happens to refuse"
OWN_CLASS = "an object of tapeviz says what it is"

KNOWN = {
    r"^slopes\(lambda y, z: tf\.nn\.softmax_cross_entropy": "the second slope in labels, logits: TensorFlow drops it",
    r"^jac\(lambda x: tf\.roll\(x, 1, -1\).*0\.5\]\)$": "TensorFlow's vectorized Jacobian rolls along another axis",
    r"^(slopes|rows|along)\(lambda x: tf\.linalg\.pinv\(x\), 2": "TensorFlow loses terms between equal singular values",
    r"^along\(lambda x: tf\.nn\.max_pool2d.*(\[np|inf|nan, np)": "forward mode finds other places than the gradient",
    r"^along\(lambda x: tf\.reduce_mean\(tf\.zeros\(\[0\]": "the mean of no tangents: 0 in TensorFlow",
    r"^m @ tf\.constant\(\[\[1\.0\], \[2\.0\]\]\)": "TensorFlow takes bfloat16 and float32 together in a product",
    r"^tf\.debugging\.assert_near\(x, x": LAXER,
    r"^made: operator / bool np": TRUTH,
    r"^repr\(tape\.gradient\(y, emb\)\)": "TensorFlow shows an address",
    r"^setattr\(tf\.constant\(1\.0\), \"(name|graph)\"": LAXER,
    r"^\[type\(each\)\.__name__ for each in (r\.map|\[r, pairs|\(tf\.)": OWN_CLASS,
    r"^\[\(type\(each\)\.__name__, tf\.convert_to_tensor|^\[repr\(type\(tf\.constant": OWN_CLASS,
    r"^type\(tf\.(name_scope|custom_gradient)\(": OWN_CLASS,
    r"^    x = x \+ 1$": OWN_CLASS,
}

OF_HALVES = (
    r"^(slope )?tf\.nn\.softmax\(s\) float16",
    r'^slope tf\.nn\.conv2d\(p, w, 1, "SAME", dilations=2\) float16',
    r"^tf\.nn\.conv2d_transpose\(.*float16.*NCHW",
)
"""What oneDNN's take that its own refuse, or refuse with another class: compared where there are only its own."""
OF_BFLOAT16 = (
    r"^(slope )?tf\.nn\.softmax\(s\) bfloat16",
    r'^slope tf\.nn\.conv2d\(p, w, 1, "SAME", dilations=2\) bfloat16',
    r"^tf\.keras\.losses\.CategoricalCrossentropy\(\)\(tf\.nn\.softmax\(m\), tf\.nn\.softmax\(m\)\)$",
)
"""What oneDNN's compute in float32: compared where they are there."""
OPEN = (*(OF_HALVES if COMPUTES_HALVES else ()), *(() if COMPUTES_BFLOAT16 else OF_BFLOAT16))


def is_open(program: Program) -> bool:
    """Whether what TensorFlow does is up to this processor."""
    return any(re.search(pattern, each) for pattern in OPEN for each in _names(program))


def _names(program: Program) -> tuple[str, str]:
    """What it is known by."""
    return program.name, program.text.splitlines()[-1]


def reason(program: Program, known: Mapping[str, str] = KNOWN) -> str | None:
    """Why a program is known to differ, or None."""
    names = _names(program)
    return next((why for pattern, why in known.items() if any(re.search(pattern, each) for each in names)), None)
