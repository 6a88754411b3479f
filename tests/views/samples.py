"""Small logs written by hand that several views are tested on."""

from __future__ import annotations

import numpy as np

from tests.literal_logs import Script

HOSTILE = 'a</script>"\\N{x}$\n\t<b>&amp;]]>é∂\x07'
"""A name that breaks whatever does not escape it."""
PECULIAR = np.arange(6.0).reshape(2, 3) + 0.123


def cube(name: str = "x") -> Script:
    """y = x * x * x at 3, and its gradient."""
    log = Script()
    x = log.variable(name, 3.0)
    with log.tape(watch=[x]) as tape:
        inner = log.op("mul", x, x, value=9.0, saved=(0, 1))
        y = log.op("mul", inner, x, value=27.0, saved=(0, 1))
    log.backward(tape, y, [x], steps=[(y, [3.0, 9.0]), (inner, [9.0, 9.0])], sums={x: [18.0, 27.0]})
    return log


def read_out(name: str = "w") -> Script:
    """loss = mean(scale * relu(w).numpy()): no gradient for w, one for scale, and one of zero for z."""
    log = Script()
    w, scale, z = log.variable(name, PECULIAR), log.variable("scale", 2.0), log.variable("z", np.zeros(2))
    with log.tape(watch=[w, scale, z]) as tape:
        hidden = log.op("relu", w, value=PECULIAR)
        log.read_out(hidden)
        back = log.constant(None, PECULIAR)
        scaled = log.op("mul", back, scale, value=2 * PECULIAR)
        loss = log.op("reduce_mean", scaled, value=5.0, attrs=(("axis", None), ("keepdims", False)))
    steps = [(loss, [np.full((2, 3), 1 / 6)]), (scaled, [None, 2.623])]
    log.backward(tape, loss, [w, scale], steps=steps, missing=[w])
    return log


def written_between() -> Script:
    """square(w) at 2, and at 1.5 after an assign_sub."""
    log = Script()
    w = log.variable("w", 2.0)
    with log.tape(watch=[w]):
        log.op("square", w)
        log.assign(w, None, 1.5, "assign_sub")
        log.op("square", w)
    return log


def chain(length: int) -> Script:
    """x * x * x * ... , differentiated."""
    log = Script()
    x = log.variable("x", 1.0)
    outputs = []
    with log.tape(watch=[x]) as tape:
        y = x
        for _ in range(length):
            y = log.op("mul", y, x, value=1.0)
            outputs.append(y)
    steps = [(output, [1.0, 1.0]) for output in reversed(outputs)]
    log.backward(tape, y, [x], steps=steps, sums={x: [1.0] * length})
    return log


def empty() -> Script:
    """A tape that recorded nothing."""
    log = Script()
    with log.tape():
        pass
    return log


LOGS = {"cube": cube, "read_out": read_out, "chain": lambda: chain(400), "empty": empty, "bare": Script}
