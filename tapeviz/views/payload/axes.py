"""Reading -> the axes of its tensors: which of them make a picture, and what they are called where that is known."""

from __future__ import annotations

from tapeviz.diagnosis.op_kinds import SOFTMAXES
from tapeviz.graph import Op
from tapeviz.views.reading import Reading
from tapeviz.views.words.cells import Axes, Shape

IMAGES_LAST, IMAGES_FIRST = (("image", "row", "column", "channel"), ("image", "channel", "row", "column"))
KERNELS_LAST, KERNELS_FIRST = (("row", "column", "from", "to"), ("to", "from", "row", "column"))
CONVOLUTIONS = frozenset({"conv", "conv2d", "depthwise_conv2d"})
KEEPING = frozenset(
    {"add", "avg_pool", "batch_norm", "dropout", "gelu", "max_pool", "mul", "relu", "sigmoid", "silu", "tanh"}
)
"""Ops whose result has the axes of their first argument, if it has as many."""
READING_ATTENTION = frozenset({"dropout", "einsum", "matmul"})
"""What goes on with the weights of an attention."""
ATTENTION = ("batch", "head", "query", "key")


def axes_of_all(reading: Reading) -> dict[int, Axes]:
    """The axes of every tensor that more is known of than its shape; those of a gradient are its tensor's.

    >>> import tapeviz as tv
    >>> from tapeviz.views.reading import read
    >>> x, w = tv.Variable(tv.ones([1, 8, 8, 3])), tv.Variable(tv.ones([3, 3, 3, 5]))
    >>> with tv.GradientTape() as tape:
    ...     y = tv.nn.conv2d(x, w, strides=1, padding="SAME")
    >>> axes_of_all(read(tape))[tape.log.id_of(w)]
    Axes(rows=0, columns=1, names=('row', 'column', 'from', 'to'))
    """
    named: dict[int, tuple[str, ...]] = {}
    for position in sorted(reading.graph.ops):
        _name(reading, reading.graph.ops[position], named)
    found = {tensor: _axes(names) for tensor, names in named.items()}
    for run in reading.runs:
        for step in run.steps:
            op = reading.graph.ops[step.op]
            pairs = [*zip(op.outputs, step.upstream, strict=True)]
            pairs += [
                (each.tensor, gradient) for each in step.contributions for gradient in (each.cotangent, each.total)
            ]
            for tensor, gradient in pairs:
                if gradient is not None and tensor in found:
                    found[gradient] = found[tensor]
    return found


def _name(reading: Reading, op: Op, named: dict[int, tuple[str, ...]]) -> None:
    shapes = [reading.log.tensors[each].shape for each in (*op.inputs, *op.outputs)]
    if op.op in CONVOLUTIONS and len(op.inputs) > 1 and all(len(shape) == 4 for shape in (*shapes[:2], shapes[-1])):
        is_last = _is_last(op.op, shapes[0], shapes[1])
        named[op.inputs[0]] = named[op.outputs[0]] = IMAGES_LAST if is_last else IMAGES_FIRST
        named[op.inputs[1]] = KERNELS_LAST if is_last else KERNELS_FIRST
    elif op.op in SOFTMAXES and _is_attention(reading, op):
        unknown = ("",) if len(shapes[-1]) == 3 else ()  # a batch, or the heads
        named[op.inputs[0]] = named[op.outputs[0]] = (*unknown, *ATTENTION[-len(shapes[-1]) + len(unknown) :])
    elif op.op in KEEPING and op.inputs and len(shapes[0]) == len(shapes[-1]) and op.inputs[0] in named:
        for output in op.outputs[:1]:
            named[output] = named[op.inputs[0]]


def _is_last(op: str, image: Shape, kernel: Shape) -> bool:
    """Whether the channels are the last axis of the image, and the last two of the kernel."""
    return op != "conv" and image[-1] == kernel[-2]


def _is_attention(reading: Reading, op: Op) -> bool:
    """Whether the results of a softmax weigh values; a matrix that is not square may as well weigh experts."""
    shape = reading.log.tensors[op.outputs[0]].shape
    readers = [(reading.graph.ops[position].op, slot) for position, slot in reading.graph.consumers(op.outputs[0])]
    is_read = any(name in READING_ATTENTION and (slot == 0 or name == "einsum") for name, slot in readers)
    return is_read and (len(shape) in (3, 4) or (len(shape) == 2 and shape[0] == shape[1]))


def _axes(names: tuple[str, ...]) -> Axes:
    rows, columns = ("query", "key") if "key" in names else ("row", "column")
    return Axes(names.index(rows), names.index(columns), names)
