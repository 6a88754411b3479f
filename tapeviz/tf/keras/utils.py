"""`tf.keras.utils`: labels, seeds, a bar of progress, arrays and datasets of sequences, names of one's own classes."""

from __future__ import annotations

import random as python_random
from typing import Any

import numpy as np

from tapeviz.engine.functions.exports import EXPORTS
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.python_values import no_tensor
from tapeviz.tf import random_state
from tapeviz.tf.keras.backend import clear_session
from tapeviz.tf.keras.callbacks.progress_bar import Progbar
from tapeviz.tf.keras.preprocessing.sequence import pad_sequences
from tapeviz.tf.keras.preprocessing.series import timeseries_dataset_from_array
from tapeviz.tf.keras.registered import (
    CustomObjectScope,
    custom_object_scope,
    get_custom_objects,
    get_registered_name,
    get_registered_object,
    register_keras_serializable,
)
from tapeviz.tf.keras.seeds import SeedSource
from tapeviz.tf.keras.unit_vectors import normalize
from tapeviz.tf.names import missing


def to_categorical(x: Any, num_classes: int | None = None) -> Any:
    """One-hot vectors for class numbers.

    Args:
        x: an array or a tensor of integers.
        num_classes: the length of the vectors; by default one more than the largest number.

    Returns:
        A float64 array, or a float32 tensor for a tensor.

    Raises:
        IndexError: a number in an array is too large. For one in a tensor, the vector is 0.
        ValueError: `x` is a tensor, and `num_classes` is missing; or it is negative.

    >>> to_categorical([0, 2]).tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    if isinstance(x, TensorLike):
        if num_classes is None:
            raise ValueError(f"{no_tensor(None)} to_categorical needs num_classes for a tensor.")
        rows = EXPORTS["cast"](x, "int64")
        rows = EXPORTS["squeeze"](rows, -1) if rows.ndim > 1 and rows.shape[-1] == 1 else rows
        return EXPORTS["one_hot"](rows, num_classes)
    classes = np.asarray(x, dtype="int64")
    classes = classes[..., 0] if classes.ndim > 1 and classes.shape[-1] == 1 else classes
    count = num_classes or int(classes.max()) + 1  # in Keras 0 says no more than None
    if count < 0:
        raise ValueError(f"to_categorical makes vectors of num_classes numbers, not of {count}: give their length.")
    vectors = np.eye(count)
    if classes.size and not -count <= int(classes.min()) <= int(classes.max()) < count:
        wrong = classes[(classes < -count) | (classes >= count)][0]
        raise IndexError(f"index {wrong} is out of bounds for axis 1 with size {count}: there are {count} classes.")
    return vectors[classes]


def set_random_seed(seed: int) -> None:
    """Set the seeds of Python, NumPy and tapeviz.

    Weights of layers made afterwards have the values that they have in Keras.

    Args:
        seed: an integer.

    Raises:
        ValueError: the seed is not an integer, or NumPy does not accept it.

    >>> set_random_seed(7)
    """
    if not isinstance(seed, int):
        raise ValueError(f"Expected `seed` argument to be an integer. Received: seed={seed} (of type {type(seed)})")
    python_random.seed(seed)
    np.random.seed(seed)
    random_state.set_seed(seed)
    SeedSource.follow_python()


__all__ = [
    "CustomObjectScope",
    "Progbar",
    "clear_session",
    "custom_object_scope",
    "get_custom_objects",
    "get_registered_name",
    "get_registered_object",
    "normalize",
    "pad_sequences",
    "register_keras_serializable",
    "set_random_seed",
    "timeseries_dataset_from_array",
    "to_categorical",
]
__getattr__ = missing(__name__)
