"""TensorFlow's functions over the op table; `table` holds them by name.

from tapeviz.engine.api import exports, missing
globals().update(exports("math"))
"""

from tapeviz.engine import ops
from tapeviz.engine.api import (
    array,
    callbacks,
    clipping,
    complex,
    control,
    convolution,
    creation,
    debugging,
    decomposition,
    decorators,
    device,
    diagonals,
    elementwise,
    fourier,
    functional,
    indexing,
    joining,
    nn,
    norms,
    picking,
    printing,
    products,
    random,
    reduction,
    segments,
    solving,
    tensor_array,
)
from tapeviz.engine.api.indexing import getitem
from tapeviz.engine.api.table import EXPORTS, export, exports, missing

__all__ = [
    "EXPORTS",
    "array",
    "callbacks",
    "clipping",
    "complex",
    "control",
    "convolution",
    "creation",
    "debugging",
    "decomposition",
    "decorators",
    "device",
    "diagonals",
    "elementwise",
    "export",
    "exports",
    "fourier",
    "functional",
    "getitem",
    "indexing",
    "joining",
    "missing",
    "nn",
    "norms",
    "ops",
    "picking",
    "printing",
    "products",
    "random",
    "reduction",
    "segments",
    "solving",
    "tensor_array",
]
