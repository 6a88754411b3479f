"""Every op of the table on 0, -1, infinity, NaN and huge numbers, both ways, and programs that end badly.

    python -X dev -W error -m tests.edge_values

Run by `test_silence`, which wants to hear nothing: not a warning, not a resource left open.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from tapeviz.engine.ops import OPS
from tapeviz.errors import OpError
from tests.engine import names as tf
from tests.engine.samples import SAMPLES, Sample

EDGES = (0.0, -0.0, -1.0, 1.0, np.inf, -np.inf, np.nan, 1e300, -1e300, 5e-324)


def filled(value: Any, number: float) -> Any:
    """An array of floats with one number everywhere; anything else as it is."""
    if value.dtype.kind not in "fc":
        return value
    kind = value.dtype.type
    return np.full(value.shape, number, kind) if value.shape else kind(number)


def single(value: Any) -> Any:
    """In single precision, in which huge numbers are infinite."""
    with np.errstate(over="ignore", under="ignore"):
        return value.astype({"f": np.float32, "c": np.complex64}.get(value.dtype.kind, value.dtype))


def at_the_edge(sample: Sample) -> Iterator[list[Any]]:
    """All floats the same edge; and the first one at an edge, the others where they were."""
    for number in EDGES:
        yield [filled(each, number) for each in sample.arguments]
        yield [filled(sample.arguments[0], number), *sample.arguments[1:]]


def differentiated(name: str, arguments: list[Any], attributes: dict[str, Any]) -> None:
    """The op, its gradient and the gradient of that; some refuse such numbers, or have no gradient, in words."""
    tensors = [tf.constant(each) for each in arguments]
    with contextlib.suppress(OpError, LookupError), tf.GradientTape() as outer:
        outer.watch(tensors)
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            out = OPS[name](*tensors, **attributes)
        gradients = [tf.convert_to_tensor(each) for each in tape.gradient(out, tensors) if each is not None]
        if gradients:
            outer.gradient(gradients, tensors)


def programs() -> None:
    """What tutorials do at the edges, and what is left behind when one fails."""
    x = tf.Variable(0.0)
    with tf.GradientTape(persistent=True) as tape:
        results = [1.0 / x, tf.math.log(x), tf.sqrt(x), x**0.5, tf.norm(tf.stack([x, x])), 0.0 / x, tf.exp(1e30 + x)]
    for each in results:
        tape.gradient(each, x)
    tf.check_gradients(lambda v: tf.where(v > 0.0, 1.0 / v, 0.0), [1.0, 2.0])
    with contextlib.suppress(OpError), tf.GradientTape() as tape:
        tf.constant([1.0]) @ tf.constant([1.0])
    with tf.record() as log, tf.GradientTape() as tape:
        y = tf.reduce_mean(tf.nn.softmax([1e30, -np.inf * x]))
    tape.gradient(y, x)
    str(log), repr(log.events), str(tf.why(tape, y, x)), str(tf.diagnose(tape))
    tf.linalg.inv([[1.0, 2.0], [3.0, 4.0]])
    tf.cast([np.nan, np.inf, 1e30], tf.int32)
    tf.math.reduce_std(tf.zeros([0]))
    tf.reduce_mean(tf.zeros([0, 2]), axis=0)


def main() -> None:
    for name, samples in SAMPLES.items():
        for sample in samples:
            halved = {
                key: value.replace("64", "32") if isinstance(value, str) else value
                for key, value in sample.attributes.items()
            }
            for arguments in at_the_edge(sample):
                differentiated(name, arguments, sample.attributes)
                differentiated(name, [single(each) for each in arguments], halved)
    programs()


if __name__ == "__main__":
    main()
