"""A name in a module of Keras' -> what it is there, if the program has imported that."""

from __future__ import annotations

import sys
from typing import Any


def in_keras(module: str, name: str) -> tuple[Any, ...]:
    """One thing, or none: a program may use TensorFlow without Keras."""
    found = getattr(sys.modules.get(f"keras.src.{module}"), name, None)
    return () if found is None else (found,)
