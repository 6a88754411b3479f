"""Tensors -> tensors: what layers do, as `tf.keras.backend` has it."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.tf.keras import activations, seeds
from tapeviz.tf.keras.layers.windows import images


def _placed(data_format: str | None) -> str:
    """Where the channels are."""
    if data_format not in (None, "channels_last", "channels_first"):
        raise ValueError(f"Unknown data_format: {data_format}")
    return images.data_format(data_format)


def _padding(padding: str) -> str:
    if padding not in ("same", "valid"):
        raise ValueError(f"Invalid padding: {padding}")
    return padding.upper()


def relu(x: Any, alpha: float = 0.0, max_value: float | None = None, threshold: float = 0.0) -> Any:
    """x where it is above a threshold, and 0 below it, with options.

    Args:
        x: a tensor, or what can become one.
        alpha: below the threshold, what the distance to it is multiplied by.
        max_value: the largest result; none by default.
        threshold: the threshold.

    >>> relu([-1.0, 2.0], alpha=0.5).numpy().tolist()
    [-0.5, 2.0]
    """
    return activations.relu(x, alpha, max_value, threshold)


def softmax(x: Any, axis: Any = -1) -> Any:
    """The softmax along an axis.

    Raises:
        ValueError: `x` is a vector or a scalar.

    >>> import tapeviz as tf
    >>> softmax(tf.zeros([1, 2])).numpy().tolist()
    [[0.5, 0.5]]
    """
    if x.shape.rank <= 1:
        raise ValueError(f"Cannot apply softmax to a tensor that is 1D. Received input: {x}")
    return activations.softmax(x, axis)


def dropout(x: Any, level: float, noise_shape: Any = None, seed: int | None = None) -> Any:
    """A tensor in which random elements are set to 0 and the others are scaled up: `tf.nn.dropout`.

    Args:
        x: a tensor of floats.
        level: the fraction of elements that are set to 0.
        noise_shape: the shape of the random numbers.
        seed: their seed; by default NumPy draws it.

    >>> dropout([1.0, 2.0], 0.0).numpy().tolist()
    [1.0, 2.0]
    """
    return tf["nn.dropout"](x, level, noise_shape, seeds.of_numpy(seed))


def bias_add(x: Any, bias: Any, data_format: str | None = None) -> Any:
    """A tensor plus a bias for each channel, or for each element of an example.

    Args:
        x: a tensor.
        bias: a vector, or a tensor of the shape of an example.
        data_format: "channels_last" or "channels_first", the former by default.

    Raises:
        ValueError: an unknown data format, or a bias with another number of axes.

    >>> import tapeviz as tf
    >>> bias_add(tf.zeros([1, 2]), tf.constant([1.0, 2.0])).numpy().tolist()
    [[1.0, 2.0]]
    """
    form, rank, lengths = images.layout(_placed(data_format)), x.shape.rank, list(bias.shape)
    if len(lengths) not in (1, rank - 1):
        raise ValueError(f"Unexpected bias dimensions {len(lengths)}. Expected it to be 1 or {rank - 1} dimensions")
    if len(lengths) == 1:
        return tf["nn.bias_add"](x, bias, form)
    if form == "NCHW":
        lengths = [lengths[-1], *lengths[:-1]]
    return x + tf["reshape"](bias, [1, *lengths])


def batch_normalization(
    x: Any, mean: Any, var: Any, beta: Any, gamma: Any, axis: int = -1, epsilon: float = 0.001
) -> Any:
    """(x - mean) / sqrt(var + epsilon) * gamma + beta.

    >>> import tapeviz as tf
    >>> float(batch_normalization(tf.constant(3.0), 1.0, 4.0, 0.0, 1.0, epsilon=0.0))
    1.0
    """
    return tf["nn.batch_normalization"](x, mean, var, beta, gamma, epsilon)


def conv2d(
    x: Any,
    kernel: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = (1, 1),
) -> Any:
    """The 2-D convolution of images with filters: `tf.nn.conv2d` with Keras' names for padding and data format.

    Raises:
        ValueError: an unknown data format or padding.

    >>> import tapeviz as tf
    >>> conv2d(tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 4])).shape
    TensorShape([1, 2, 2, 4])
    """
    form = images.layout(_placed(data_format))
    return tf["nn.conv2d"](x, kernel, strides, _padding(padding), form, dilation_rate)


def pool2d(
    x: Any,
    pool_size: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    pool_mode: str = "max",
) -> Any:
    """The largest number of each window of images, or the mean.

    Args:
        x: a tensor of shape (batch, height, width, channels).
        pool_size: the height and width of the window.
        strides: the steps of the window.
        padding: "valid" or "same".
        data_format: "channels_last" or "channels_first", the former by default.
        pool_mode: "max" or "avg".

    Raises:
        ValueError: a pair has another length, or the data format, the padding or the mode is unknown.

    >>> import tapeviz as tf
    >>> pool2d(tf.ones([1, 4, 4, 1]), (2, 2), strides=(2, 2)).shape
    TensorShape([1, 2, 2, 1])
    """
    form = images.layout(_placed(data_format))
    for name, lengths in (("pool_size", pool_size), ("strides", strides)):
        if len(lengths) != 2:
            raise ValueError(f"`{name}` must be a tuple of 2 integers.")
    padding = _padding(padding)
    if pool_mode not in ("max", "avg"):
        raise ValueError(f"Invalid pooling mode: {pool_mode}")
    return tf[f"nn.{pool_mode}_pool2d"](x, pool_size, strides, padding, form)


def temporal_padding(x: Any, padding: tuple[int, int] = (1, 1)) -> Any:
    """A tensor of three axes with zeros before and after the elements along the second axis.

    Raises:
        ValueError: `padding` is not a pair.

    >>> import tapeviz as tf
    >>> temporal_padding(tf.ones([1, 2, 3])).shape
    TensorShape([1, 4, 3])
    """
    if len(padding) != 2:
        raise ValueError(f"Expected `padding` to be a tuple of 2 integers. Received: padding={padding}")
    return tf["pad"](x, [[0, 0], list(padding), [0, 0]])


def spatial_2d_padding(x: Any, padding: Any = ((1, 1), (1, 1)), data_format: str | None = None) -> Any:
    """Images with zeros around them.

    Args:
        x: a tensor of four axes.
        padding: two pairs of numbers, of rows and of columns.
        data_format: "channels_last" or "channels_first", the former by default.

    Raises:
        ValueError: `padding` is not two pairs, or the data format is unknown.

    >>> import tapeviz as tf
    >>> spatial_2d_padding(tf.ones([1, 2, 3, 1])).shape
    TensorShape([1, 4, 5, 1])
    """
    if [len(each) for each in padding] != [2, 2]:
        raise ValueError(f"Expected `padding` to be a tuple of 2 tuples of 2 integers. Received: padding={padding}")
    around = [list(each) for each in padding]
    return tf["pad"](x, images.joined([0, 0], around, [0, 0], _placed(data_format)))
