"""A dataset -> the same elements: hints to TensorFlow on how to run it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tapeviz.engine.functions.integers import long_of
from tapeviz.errors import InvalidArgumentError
from tapeviz.tf.data.options import Options
from tapeviz.tf.data.pipeline import Kind


def prefetch(self: Kind, buffer_size: Any, name: str | None = None) -> Kind:
    """The same elements: nothing is computed ahead here.

    Raises:
        InvalidArgumentError: `buffer_size` is less than -1.
    """
    size = -1 if buffer_size is None else long_of(buffer_size, "buffer_size")
    if size < -1:
        raise InvalidArgumentError(f"buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning, got {size}.")
    return self._like(iter, self._size, "Prefetch")


def with_options(self: Kind, options: Any, name: str | None = None) -> Kind:
    """The same elements: options have no effect here.

    Raises:
        AttributeError: the argument is not a `tf.data.Options`.
    """
    if not isinstance(options, Options):
        said = f"{type(options).__name__!r} object has no attribute '_to_proto'"
        raise AttributeError(f"{said}. Dataset.with_options takes a tf.data.Options.")
    return self._like(iter, self._size, "Options")


def cache(self: Kind, filename: str = "", name: str | None = None) -> Kind:
    """The same elements, which are kept after the first complete iteration."""
    kept: list[Any] = []

    def keeping(elements: Iterator[Any]) -> Iterator[Any]:
        seen = []
        for element in elements:
            seen.append(element)
            yield element
        kept[:] = [seen]

    def start() -> Iterator[Any]:
        return iter(kept[0]) if kept else keeping(self._start())

    return type(self)(start, self._size, self._spec, "Cache")
