"""Entries of raw records <-> few bytes, within this process only; log files are written by `store`.

What has an identity, as code, classes and objects of the program's, stays as it is; only its number is packed.
"""

from __future__ import annotations

import io
import pickle
import zlib
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from tapeviz.events.summary import Packed

QUICKLY = 1
"""The level of compression: higher ones save a twentieth more."""


class Packer:
    """Packs lists of entries, and unpacks those that it packed.

    >>> packer = Packer()
    >>> packer.unpack(packer.pack([1, "sin", (2.0, None), len]))
    [1, 'sin', (2.0, None), <built-in function len>]
    """

    def __init__(self) -> None:
        self._objects: list[Any] = []
        self._numbers: dict[int, int] = {}
        self._builders: dict[str, Callable[..., Any]] = {
            **{each.__name__: each for each in _BUILDERS},
            _kept.__name__: self._objects.__getitem__,
        }

    def pack(self, entries: list[Any]) -> bytes:
        """The bytes of a list."""
        file = io.BytesIO()
        _Packing(file, self.number).dump(entries)
        return zlib.compress(file.getbuffer(), QUICKLY)

    def unpack(self, data: bytes) -> list[Any]:
        """The list of the bytes."""
        entries: list[Any] = _Unpacking(io.BytesIO(zlib.decompress(data)), self._builders).load()
        return entries

    def number(self, obj: Any) -> int:
        """The number that an object is kept under."""
        found = self._numbers.get(id(obj))
        if found is None:
            found = self._numbers[id(obj)] = len(self._objects)
            self._objects.append(obj)
        return found


class _Packing(pickle.Pickler):
    def __init__(self, file: io.BytesIO, number: Callable[[Any], int]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._number = number

    def reducer_override(self, obj: Any) -> Any:
        """How to build anything that is no plain number, text or tuple of such."""
        kind = type(obj)
        if kind is Packed:
            return Packed, (bytes(obj),)
        if (kind is np.ndarray or isinstance(obj, np.generic)) and obj.dtype.kind in "biufcV":
            about = obj.tobytes(), obj.dtype
            return (_array, (*about, obj.shape)) if kind is np.ndarray else (_scalar, about)
        if kind in (type, FunctionType) and obj in _BUILDERS:
            return NotImplemented  # by its name
        return _kept, (self._number(obj),)


class _Unpacking(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, builders: dict[str, Callable[..., Any]]) -> None:
        super().__init__(file)
        self._builders = builders

    def find_class(self, module: str, name: str) -> Any:
        return self._builders[name]


def _array(data: bytes, dtype: Any, shape: tuple[int, ...]) -> Any:
    return np.frombuffer(data, dtype).reshape(shape)


def _scalar(data: bytes, dtype: Any) -> Any:
    return np.frombuffer(data, dtype)[0]


def _kept(number: int) -> Any:
    """Stands for what gives the object of a number; each `Packer` has its own."""


_BUILDERS: tuple[Callable[..., Any], ...] = (Packed, _array, _scalar, _kept)
