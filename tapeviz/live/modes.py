"""A function and its arguments -> forward mode beside reverse mode, every pass of both, run here and now."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from tapeviz.engine.forward import ForwardAccumulator
from tapeviz.engine.namespace import GradientTape, Tensor, Variable, convert_to_tensor
from tapeviz.engine.specs.dtypes import FLOATING
from tapeviz.events.program.frames import users_frame
from tapeviz.live.arguments import require_arguments, returned_tensors, runner_at
from tapeviz.replay import Run
from tapeviz.views.page.modes import Modes
from tapeviz.views.page.passes import Pass
from tapeviz.views.reading import Reading, read

MOST_PASSES = 12
"""So many passes of a mode are run and shown; all are counted."""


def modes(function: Callable[..., Any], /, **arguments: Any) -> Modes:
    """Forward mode beside reverse mode for the same program, with the count of passes that each needs.

    Forward mode carries tangents with the program, one pass for each number that goes in; reverse mode carries
    cotangents against it, one for each that comes out. The function runs once for the tape, and once for each pass
    forwards.

    Args:
        function: it gets one `Variable` per keyword, and returns a tensor, or several.
        arguments: its arguments by name: real numbers, or arrays of them.

    Returns:
        All passes of both. A notebook shows the graph twice, to be stepped through side by side; `print` gives the
        trace as a table, and `.save_html(path)` writes the page to a file.

    Raises:
        TypeError: no argument, one that `function` does not take or that is no real number or array, or something else
            returned than tensors.
        ValueError: a function that does something else each time, or an empty array.

    >>> import tapeviz as tv
    >>> found = modes(lambda x, w: tv.sin(x) * w, x=0.0, w=2.0)
    >>> found.forward_passes, found.reverse_passes
    (2, 1)
    >>> print(found)
    2 numbers in, 1 number out: forward mode takes 2 passes for the whole Jacobian, reverse mode 1 pass.
    <BLANKLINE>
      op           value  tangent, ẋ = 1  cotangent, m̄ul = 1
      x            0.0    1.0             2.0
      w            2.0    0.0             0.0
      sin(x)       0.0    1.0             2.0
      mul(sin, w)  0.0    2.0             1.0
    """
    require_arguments("modes", function, arguments)
    variables = [_variable(name, value) for name, value in arguments.items()]
    named = dict(zip(arguments, variables, strict=True))
    returned: list[Any] = []
    with GradientTape(persistent=True) as tape:
        # From here its result has no name: what the user assigns is what becomes of it all.
        runner_at(users_frame(1))(lambda: returned.append(function(**named)))
    outputs = returned_tensors("modes", function, returned[0])
    seeds = list(islice(_directions(outputs), MOST_PASSES))
    for index, direction in seeds:
        tape.gradient(outputs[index], variables, output_gradients=Tensor._new(direction))
    reading = read(tape)
    log = tape.log
    sources = [log.id_of(each) for each in variables]
    targets = [log.id_of(each) for each in outputs]
    reverse = [
        _backward(reading, run, targets[index], direction)
        for run, (index, direction) in zip(reading.runs, seeds, strict=False)
    ]
    forward = [
        _forward(reading, function, named, sources, index, direction)
        for index, direction in islice(_directions(variables), MOST_PASSES)
    ]
    return Modes(
        reading, tuple(sources), tuple(targets), tuple(forward), tuple(reverse), _numbers(variables), _numbers(outputs)
    )


def _variable(name: str, value: Any) -> Variable:
    array = np.asarray(value)
    if array.dtype.kind not in "biu" + FLOATING:
        raise TypeError(f"modes: {name}={value!r:.40} is neither a real number nor an array of them.")
    if not array.size:
        raise ValueError(f"modes: {name} is an empty array, of shape {array.shape}: give it some numbers.")
    return Variable(value if array.dtype.kind in FLOATING else array.astype(np.float32), name=name)


def _numbers(tensors: Sequence[Any]) -> int:
    """How many elements the tensors have together: the number of passes for the whole Jacobian."""
    return sum(each._value.size for each in tensors)


def _directions(tensors: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    """For each element of each tensor: the index of the tensor, and its shape with a one there, zeros elsewhere."""
    for index, tensor in enumerate(tensors):
        value = tensor._value
        for element in range(value.size):
            direction = np.zeros(value.size, value.dtype)
            direction[element] = 1
            yield index, direction.reshape(value.shape)


class _Tracing(ForwardAccumulator):
    """An accumulator that writes down the tangents of every op as it runs: `trace` has the op's name, and those."""

    def __init__(self, primals: Any, tangents: Any) -> None:
        super().__init__(primals, tangents)
        self.trace: list[tuple[str, list[Any]]] = []

    def __enter__(self) -> _Tracing:
        super().__enter__()
        return self

    def carry(self, call: Any, result: Any) -> None:
        super().carry(call, result)
        outputs = result if type(result) is tuple else (result,)
        self.trace.append((call.op.name, [self._tangents.get(each._id) for each in outputs]))


def _forward(
    reading: Reading,
    function: Callable[..., Any],
    named: dict[str, Variable],
    sources: Sequence[int],
    index: int,
    direction: Any,
) -> Pass:
    """One pass with the program: the tangent of every tensor, where the seed is a direction of one input."""
    variables = list(named.values())
    tangents = [direction if each == index else np.zeros_like(v._value) for each, v in enumerate(variables)]
    with _Tracing(variables, [Tensor._new(each) for each in tangents]) as accumulator:
        function(**named)
    ops = [reading.graph.ops[position] for position in sorted(reading.graph.ops)]
    if [name for name, _ in accumulator.trace] != [op.op for op in ops]:
        raise ValueError("modes: the function does not run the same ops each time, so its passes cannot be compared.")
    found: dict[int, Any] = dict(zip(sources, tangents, strict=True))
    for op, (_, carried) in zip(ops, accumulator.trace, strict=True):
        for output, tangent in zip(op.outputs, carried, strict=True):
            if tangent is not None:
                found[output] = convert_to_tensor(tangent)._value
    return Pass(sources[index], direction, found, tuple(sorted(reading.graph.ops)))


def _backward(reading: Reading, run: Run, target: int, direction: Any) -> Pass:
    """One pass against the program: the cotangent of every tensor, all its contributions summed."""
    found: dict[int, Any] = {target: direction}
    for step in run.steps:
        for each in step.contributions:
            found[each.tensor] = reading.log.value(each.total)
    return Pass(target, direction, found, tuple(step.op for step in run.steps))
