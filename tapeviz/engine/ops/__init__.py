"""The op table: one row per primitive, by family. Importing this package fills `engine.table.OPS`."""

from tapeviz.engine.ops import (
    activations,
    array,
    complex,
    convolution,
    decomposition,
    fourier,
    gamma,
    joining,
    linalg,
    losses,
    math,
    picking,
    reduction,
    running,
    searching,
    segments,
)

__all__ = [
    "activations",
    "array",
    "complex",
    "convolution",
    "decomposition",
    "fourier",
    "gamma",
    "joining",
    "linalg",
    "losses",
    "math",
    "picking",
    "reduction",
    "running",
    "searching",
    "segments",
]
