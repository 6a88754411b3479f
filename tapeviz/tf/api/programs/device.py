"""`tf.device`: a name is checked as TensorFlow does; everything runs on the CPU."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tapeviz.engine.functions.exports import export

_TYPES = ("cpu", "gpu", "tpu")


@export("device")
@contextmanager
def device(device_name: Any) -> Iterator[None]:
    """A context that names a device. The ops in it run on the CPU, as all others do.

    Args:
        device_name: the name of a device, or None.

    Raises:
        ValueError: it is not the name of a device.
        RuntimeError: it is a function.

    >>> import tapeviz as tf
    >>> with tf.device("/GPU:0"):
    ...     tf.constant(1.0).device
    '/job:localhost/replica:0/task:0/device:CPU:0'
    """
    if callable(device_name):
        raise RuntimeError("tf.device does not support functions.")
    if isinstance(device_name, str):
        _check(device_name)
    elif device_name is not None:
        raise ValueError(f"Expecting a string device name. Got {type(device_name)}({device_name})")
    yield


def _check(name: str) -> None:
    """Raise ValueError unless the parts of a name, between slashes, are a place and at most one kind of device."""
    kinds = 0
    for part in filter(None, name.split("/")):
        attribute, *values = part.split(":")
        count = len(values)
        if attribute == "job" and count == 1:
            continue
        if attribute in ("replica", "task") and count == 1:
            int(values[0])
        elif (attribute.lower() in _TYPES and count <= 1) or (attribute == "device" and count == 2):
            kinds += 1
            if values and values[-1] != "*":
                int(values[-1])
        else:
            raise ValueError(f"Unknown attribute {attribute!r} is encountered while parsing the device spec: {name!r}.")
    if kinds > 1:
        raise ValueError(f"Multiple device types are not allowed while parsing the device spec: {name}.")
