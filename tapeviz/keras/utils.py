"""`tf.keras.utils`: labels and seeds."""

from __future__ import annotations

import random as python_random
from typing import Any

import numpy as np

from tapeviz.engine import random
from tapeviz.engine.constant import make
from tapeviz.engine.tensor import TensorLike
from tapeviz.keras import naming
from tapeviz.keras.backend import clear_session


def to_categorical(x: Any, num_classes: int | None = None) -> Any:
    """Class numbers as rows with a 1 at the class: a float64 array, or a float32 tensor for a tensor.

    >>> to_categorical([0, 2]).tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    classes = np.asarray(x._value if isinstance(x, TensorLike) else x, dtype="int64")
    classes = classes[..., 0] if classes.ndim > 1 and classes.shape[-1] == 1 else classes
    count = int(classes.max()) + 1 if num_classes is None else num_classes
    if classes.size and not -count <= int(classes.min()) <= int(classes.max()) < count:
        wrong = classes[(classes < -count) | (classes >= count)][0]
        raise IndexError(f"index {wrong} is out of bounds for axis 1 with size {count}: there are {count} classes.")
    found = np.eye(count)[classes]
    return make(found.astype(np.float32)) if isinstance(x, TensorLike) else found


def set_random_seed(seed: int) -> None:
    """Start the random numbers of Python, NumPy and tapeviz over.

    >>> set_random_seed(7)
    """
    python_random.seed(seed)
    np.random.seed(seed)
    random.set_seed(seed)


__all__ = ["clear_session", "set_random_seed", "to_categorical"]
__getattr__ = naming.absent("tapeviz.keras.utils", __all__)
