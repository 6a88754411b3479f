"""The message of an error -> the parts by which a framework refuses a gradient, which hold nothing of the program's."""

from __future__ import annotations

from enum import StrEnum


class MessagePart(StrEnum):
    """The parts of messages by which a rule knows its error; an error that has none of them is not looked into."""

    # What TensorFlow, and the engine with it, says of a gradient call.
    USED_UP = "non-persistent"
    NOT_REGISTERED = "gradient registry has no entry"
    ROWS = "IndexedSlices"
    TWO_VARIABLES = "singleton tf.Variables"
    LATER_VARIABLE = "Creating variables on a non-first call"
    # What Python says of a target or a source that is no tensor, in TensorFlow's way of asking for its id or dtype.
    NO_ID = "no attribute '_id'"
    NO_DTYPE = "no attribute 'dtype'"
    # What Keras says of what an optimizer is given.
    NOTHING_PROVIDED = "No gradients provided for any variable"
    NO_PAIRS = "not enough values to unpack (expected 2, got 0)"
    UNPAIRED = "_unique_id"
    HALF_A_PAIR = "not enough values to unpack (expected 2, got 1)"
    NOT_PAIRS = "too many values to unpack (expected 2)"
    ALONE = "annot iterate over a scalar"
    NO_MINIMIZE = "no attribute 'minimize'"
    # What they say of a gradient function of the user's own.
    WRONG_COUNT = "custom_gradient function"
    WITHOUT_VARIABLES = "keyword argument 'variables'"
    # What PyTorch says.
    INCORRECT_NUMBER = "returned an incorrect number of gradients"
    OF_NO_TENSOR = "the corresponding forward input was not a Variable"
    INVALID = "returned an invalid gradient at index"
    NOT_IMPLEMENTED = "derivative for"
    WITHOUT_FORMULA = "no autograd formula was registered"
    ONLY_FLOATS = "dtype can require gradients"
    NOT_REQUIRED = "does not require grad"
    NOT_USED = "not have been used in the graph"
    ONE_NUMBER = "can be implicitly created only for scalar outputs"
    TWICE = "backward through the graph a second time"
    MARKED_ONCE = "marked with @once_differentiable"
    OVERWRITTEN = "modified by an inplace operation"
    WITHOUT_MEMORY = "ZeroTensors are immutable"
    NOT_RECOMPUTED = "torch.utils.checkpoint"
    UNREDUCED = "Expected to have finished reduction in the prior iteration"
    MARKED_TWICE = "Expected to mark a variable ready only once"
    NOTHING_TO_REPLICATE = "module doesn't have any parameter that requires a gradient"
    LEAF_WRITTEN = "leaf Variable that requires grad"
    INFERENCE = "Inference tensors"
    NO_PARAMETERS = "empty parameter list"
    NO_ROWS = "does not support sparse gradients"
    NOT_A_LEAF = "optimize a non-leaf Tensor"
    FLAG_OF_A_RESULT = "requires_grad flags of leaf variables"
    NOT_TO_NUMPY = "numpy() on Tensor that requires grad"
    # What Python says of a loss that is no tensor.
    NO_BACKWARD = "no attribute 'backward'"
    # What JAX says of an array that outlived its trace.
    ESCAPED = "unexpected tracer"
    # What JAX says of an array that is read while a function is traced.
    TRACED_TO_NUMPY = "__array__() was called on traced array"
    TRACED_TO_NUMBER = "tracer value encountered where concrete"
    TRACED_TO_INDEX = "__index__() method was called on traced array"
    TRACED_TO_TRUTH = "boolean conversion of traced array"
    TRACED_MASK = "boolean indices must be concrete"
    # What it says of a gradient call.
    ONE_RESULT = "defined for scalar-output functions"
    ONLY_REAL = "requires real- or complex-valued inputs"
    ONLY_REAL_RESULT = "requires real-valued outputs"
    # What it says of a function of Python's that is called as the program runs.
    OF_A_CALLBACK = "callbacks do not support JVP"
    # What it says of a loop, and what is said of one in `recorders.jax.control_flow`.
    NO_REVERSE_MODE = "Reverse-mode differentiation does not work for"
    NO_REVERSE_PASS = "no reverse pass"
    # What NumPy and Python say of a box of autograd's.
    BOX_TO_NUMPY = "of type ArrayBox which has no callable"
    BOX_TO_NUMBER = "a real number, not 'ArrayBox'"
    BOX_WRITTEN = "'ArrayBox' object does not support item assignment"
    # What Python says of a gradient that is None.
    OF_NONE = "NoneType"


def parts_of(message: str) -> str:
    """What is kept of a message where no values are.

    >>> parts_of("the cube of 3.5 does not require grad and does not have a grad_fn"), parts_of("KeyError: 3.5")
    ('does not require grad', '')
    """
    return " ... ".join(part for part in MessagePart if part in message)
