"""The op table: one row per primitive, by family. Importing this package fills `engine.table.OPS`."""

from tapeviz.engine.ops import (
    array,
    complex,
    convolution,
    decomposition,
    fourier,
    gamma,
    joining,
    linalg,
    math,
    nn,
    picking,
    reduction,
    segments,
)

__all__ = [
    "array",
    "complex",
    "convolution",
    "decomposition",
    "fourier",
    "gamma",
    "joining",
    "linalg",
    "math",
    "nn",
    "picking",
    "reduction",
    "segments",
]
