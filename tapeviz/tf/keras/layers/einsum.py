"""The layer whose product with its kernel an equation says (`tf.keras.layers.EinsumDense`)."""

from __future__ import annotations

import re
from typing import Any

from tapeviz.engine.functions.exports import EXPORTS
from tapeviz.tf.keras.initializers.scaling import VarianceScaling
from tapeviz.tf.keras.layers.base.input_specs import InputSpec
from tapeviz.tf.keras.layers.base.layer import Layer
from tapeviz.tf.keras.layers.base.passing import passed
from tapeviz.tf.keras.layers.base.weighted import BuiltWeight, Weighted, as_float

_FORM = re.compile(r"(\w+),(\w+)->(\w+)|\.\.\.(\w+),(\w+)->\.\.\.(\w+)|(\w+)\.\.\.,(\w+)->(\w+)\.\.\.")


class EinsumDense(Weighted):
    """activation(einsum(equation, inputs, kernel) + bias).

    Args:
        equation: the labels of the axes of inputs, kernel and output, as "abc,cd->abd". "..." stands for further axes
            at the beginning or the end.
        output_shape: the lengths of the output without the first axis. None stands for the length of the input.
        activation: a name or a function. This and the initializers, regularizers and constraints are those of `Dense`.
        bias_axes: the labels of the axes of the bias; without them there is none.

    Raises:
        ValueError: when built, if the equation has another form, or the length of a label is unknown or ambiguous.

    >>> import tapeviz as tf
    >>> layer = tf.keras.layers.EinsumDense("abc,cd->abd", output_shape=(None, 6), bias_axes="d")
    >>> layer(tf.ones([2, 4, 5])).shape, layer.kernel.shape
    (TensorShape([2, 4, 6]), TensorShape([5, 6]))
    """

    _settings_ = (
        *Layer._settings_, "output_shape", "equation", "activation", "bias_axes", "kernel_initializer",
        "bias_initializer", "kernel_regularizer", "bias_regularizer", "activity_regularizer", "kernel_constraint",
        "bias_constraint", "quantization_config",
    )  # fmt: skip
    kernel: Any = BuiltWeight()
    kernel_initializer: Any

    def __init__(
        self,
        equation: str,
        output_shape: Any,
        activation: Any = None,
        bias_axes: str | None = None,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(use_bias=bias_axes is not None, **passed(locals(), "equation", "output_shape", "bias_axes"))
        self.equation, self.bias_axes = equation, bias_axes
        self.output_shape = (output_shape,) if isinstance(output_shape, int) else tuple(output_shape)

    def build(self, input_shape: Any) -> None:
        lengths, kernel, output = self._lengths_(tuple(input_shape))
        shape, way = tuple([lengths[label] for label in kernel]), self.kernel_initializer
        if isinstance(way, VarianceScaling):
            of_outputs = [axis for axis, label in enumerate(kernel) if label in output]
            way = way._along_([axis for axis in range(len(kernel)) if axis not in of_outputs], of_outputs)
        self._kernel = self._add_("kernel", shape, initializer=way)
        self.bias = None
        if self.bias_axes is not None:
            self.bias = self._add_("bias", self._bias_shape_(lengths, output))
        self.input_spec = InputSpec(ndim=len(input_shape))

    def call(self, inputs: Any, training: bool | None = None) -> Any:
        outputs = EXPORTS["einsum"](self.equation, as_float(inputs, self.kernel), self.kernel)
        return self._finished_(outputs)

    def compute_output_shape(self, input_shape: Any) -> Any:
        lengths, _, output = self._lengths_(tuple(input_shape))
        shape = [lengths[label] for label in output]
        if "..." not in self.equation:
            shape[len(output) - len(self.output_shape) :] = self.output_shape  # as told, open lengths among them
        return tuple(shape)

    def _lengths_(self, input_shape: tuple[int | None, ...]) -> tuple[dict[str, int | None], str, str]:
        """The length of each label, and the labels of kernel and output, those of open axes included."""
        match = _FORM.fullmatch(self.equation.replace(" ", ""))
        if match is None:
            raise ValueError(
                f"Invalid einsum equation '{self.equation}'. Equations must be in the form [X],[Y]->[Z], "
                "...[X],[Y]->...[Z], or [X]...,[Y]->[Z]...."
            )
        given, kernel, output = (each for each in match.groups() if each is not None)
        open_axes = "".join([str(axis) for axis in range(len(input_shape) - len(given))])
        behind = self.equation.rstrip().endswith("...")
        if "..." in self.equation:
            given = given + open_axes if behind else open_axes + given
            output = output + open_axes if behind else open_axes + output
        if len(given) != len(input_shape):
            raise ValueError(
                f"The inputs of {self.name!r} have {len(input_shape)} axes, and {len(given)} in {self.equation!r}."
            )
        lengths = dict(zip(given, input_shape, strict=True))
        told = output[1:] if output[0] == given[0] else output
        order = 1 if behind else -1  # open axes that nothing is told of lie at the other end
        for label, length in zip(told[::order], self.output_shape[::order], strict=False):
            known = lengths.setdefault(label, length)
            if length not in (None, known):
                raise ValueError(
                    f"Input shape and output shape do not match at shared dimension '{label}'. "
                    f"Input shape is {known}, and output shape is {length}."
                )
        for where, labels in (("output", output), ("weight", kernel)):
            for label in labels:
                if label not in lengths or (where == "output" and label not in given + kernel):
                    raise ValueError(
                        f"Dimension '{label}' was specified in the {where} '{labels}' but has no corresponding dim in "
                        f"the input spec '{given}' or the other of weight spec '{kernel}' and output spec '{output}'"
                    )
        return lengths, kernel, output

    def _bias_shape_(self, lengths: dict[str, int | None], output: str) -> tuple[int | None, ...]:
        """Its lengths, from the first of its axes on; 1 along axes that it does not have."""
        axes = self.bias_axes or ""
        for label in axes:
            if label not in output:
                raise ValueError(
                    f"Bias dimension '{label}' was requested, but is not part of the output spec '{output}'"
                )
        first = min((output.index(label) for label in axes), default=len(output))
        return tuple([lengths[label] if label in axes else 1 for label in output[first:]])
