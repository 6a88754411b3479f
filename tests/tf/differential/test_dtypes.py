"""Every function with every dtype, by tapeviz and by TensorFlow in this process: the same result, or the same error.

The functions that are made of ops' rows are called without being listed; of others, and of other calls of these,
`dtypes.txt` has an expression a line, of arguments of one dtype: numbers `s` and `k`, vectors `x`, `y` and, of places,
`i`, a matrix `m`, sequences `q`, pictures `p`, filters `w`, and the dtype itself, `d`. Of dtypes with gradients, those
of what an expression gives are compared too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import tapeviz
from tapeviz.engine.ops import OPS
from tapeviz.engine.specs.dtypes import DIFFERENTIABLE, DTYPES
from tests.outcomes import Raised, same
from tests.sampling import quarter
from tests.tf.api_cases import BEYOND
from tests.tf.differential.known import LAXER, TRUTH, WHICH_ERROR, is_open
from tests.tf.differential.program import Program, outcome

pytestmark = pytest.mark.tensorflow

MADE_OF_ROWS = [
    f"tf.{op.public.names.split()[0]}({', '.join('xy'[: len(op.arguments)])})"
    for op in OPS.values()
    if op.public is not None and BEYOND.isdisjoint(op.public.names.split())
]
EXPRESSIONS = [
    *MADE_OF_ROWS,
    *(
        line
        for line in Path(__file__).with_name("dtypes.txt").read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    ),
]
NUMBERS: dict[str, Any] = {
    "s": 2,
    "k": 1,
    "x": [1, 2, 3],
    "y": [3, 2, 1],
    "i": [0, 1],
    "m": [[3, 1], [1, 2]],
    "q": np.arange(6).reshape(1, 3, 2) % 5,
    "p": np.arange(18).reshape(1, 3, 3, 2) % 5,
    "w": np.arange(16).reshape(2, 2, 2, 2) % 3,
}
PLACES = "ki"
HERMITIAN = np.array([[3, 1j], [-1j, 2]])
"""The matrix of complex numbers, of which there is a Cholesky factor, as of the other."""
SLOPE = """
with tf.GradientTape() as tape:
    tape.watch([{followed}])
    out = {expression}
out = [each for each in (out if isinstance(out, (tuple, list)) else [out]) if hasattr(each, "dtype")]
tape.gradient(out, [{followed}])
"""

KNOWN = {
    r"^tf\.debugging\.assert_near\(x, x\) bfloat16": LAXER,
    r"^m @ m int16": LAXER,
    r"scatter_nd_sub\(\[\[0\]\], y\[:1\]\) bool": TRUTH,
    r"^round\(s\) complex|^tf\.math\.in_top_k\(i, m, 1\) (bool|string)": WHICH_ERROR,
    r"^tf\.(matmul\(m, m, adjoint_b=True\)|linalg\.lstsq\(m, m\)) (bool|string)": WHICH_ERROR,
    r"^tf\.math\.unsorted_segment_(mean|sqrt_n)\(x.* string": WHICH_ERROR,
    r"^tf\.(strided_slice\(.* k|sequence_mask\(\[1, 2\], k \+ k\)).* string": WHICH_ERROR,
    r"^tf\.random\.(split\(i\)|fold_in\(.*k\)) (?!u?int(32|64))": WHICH_ERROR,
    r'^slope tf\.nn\.conv2d\(p, w, 1, "SAME", dilations=2\) float(16|64)': LAXER,
    r"^slope tf\.nn\.batch_normalization\(m, .* y\[:2\], 0\.1\) bfloat16": "eight bits, rounded in another order",
}
"""Pattern of a program's name -> why the two differ."""

ALLOWED = r"Value for attr '\w+' of \w+ is not in the list of allowed values: [^\n]*"
KNOWN_LISTS = {
    r"^tf\.[\w.]+\([mx], .*\bk": "TensorFlow looks at any of two unsuitable dtypes first",
    r"^tf\.random\.stateless_uniform\(i": "the same list, of an attribute that is called otherwise",
    r"^tf\.sort\(.*DESCENDING": "the largest first takes one op less",
    r"m\[None\]": "products of many matrices are another op",
}
"""Pattern of a program's name -> why the two list other dtypes as allowed."""


def _argument(name: str, dtype: str) -> Any:
    """The numbers of an argument, as they are written down for a dtype."""
    numbers = np.array(NUMBERS[name])
    if dtype == "string":
        return numbers.astype(str).tolist()
    if dtype == "bool":
        return (numbers % 2 == 1).tolist()
    if (not DTYPES[dtype].is_floating and not DTYPES[dtype].is_complex) or name in PLACES:
        return numbers.tolist()
    if DTYPES[dtype].is_floating:
        return (numbers * 0.5).tolist()
    return (HERMITIAN if name == "m" else numbers * (0.5 + 0.25j)).tolist()


def _programs(expression: str) -> Iterator[Program]:
    """An expression with every dtype, and its gradients with those that have gradients."""
    names = [name for name in NUMBERS if re.search(rf"\b{name}\b", expression)]
    followed = ", ".join(name for name in names if name not in PLACES)
    for dtype in DTYPES:
        arguments = "".join(f"{name} = tf.constant({_argument(name, dtype)!r}, d)\n" for name in names)
        made = f"d = tf.{dtype}\n{arguments}"
        yield Program(f"{expression} {dtype}", made + expression)
        if followed and np.dtype(DTYPES[dtype]._numpy).kind in DIFFERENTIABLE:
            yield Program(f"slope {expression} {dtype}", made + SLOPE.format(expression=expression, followed=followed))


def _reason(name: str, known: dict[str, str] = KNOWN) -> str | None:
    return next((why for pattern, why in known.items() if re.search(pattern, name)), None)


def _lists_the_same(name: str, ours: Any, theirs: Any) -> bool:
    """Whether the dtypes that TensorFlow's error lists as allowed are in ours, if both are errors of that sort."""
    if not (isinstance(ours, Raised) and isinstance(theirs, Raised)) or _reason(name, KNOWN_LISTS):
        return True
    allowed = re.search(ALLOWED, theirs.message)
    return not allowed or "list of allowed" not in ours.message or allowed[0] in ours.message


@pytest.mark.parametrize("expression", quarter(EXPRESSIONS))
def test_an_expression_takes_the_dtypes_that_tensorflow_takes(expression: str, tensorflow: ModuleType) -> None:
    differing, refused = [], False
    for program in _programs(expression):
        if is_open(program) or (refused and program.name.startswith("slope ")):
            continue  # which says no more than the expression did
        theirs, ours = outcome(program, tensorflow), outcome(program, tapeviz)
        refused = isinstance(theirs, Raised)
        agreed = same(ours, theirs) is (_reason(program.name) is None)
        if not agreed or not _lists_the_same(program.name, ours, theirs):
            differing.append(f"\n{program.name}\ntapeviz:    {ours}\nTensorFlow: {theirs}")
    assert not differing, "".join(differing)


def test_no_more_is_known_than_there_is() -> None:
    names = [program.name for expression in EXPRESSIONS for program in _programs(expression)]
    assert [pattern for pattern in (*KNOWN, *KNOWN_LISTS) if not any(re.search(pattern, name) for name in names)] == []


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_arguments_can_be_made(dtype: str, tensorflow: ModuleType) -> None:
    text = "\n".join(f"tf.constant({_argument(name, dtype)!r}, tf.{dtype})" for name in NUMBERS)
    assert not isinstance(outcome(Program(dtype, text), tensorflow), Raised)
