"""TensorFlow's functions over the op table; `table` holds them by name.

    from tapeviz.engine.api import exports, missing
    globals().update(exports("math"))

- arguments    `arguments`, which are tensors; `integers`; `layouts`, of windows and channels
- tensors      `creation` and `sequences`, `array`, `joining` and `parting`, `indexing`, `picking` and `scattering`,
               `searching`, `segments`, `diagonals`, `tensor_array`
- numbers      `elementwise`, `complex`, `reduction`, `counting`, `norms`, `clipping`, `fourier`
- matrices     `products`, `solving`, `decomposition`
- networks     `activations`, `losses`, `normalization`, `convolution`, `pooling`
- chance       `random`, `generator`, by `sampling`
- programs     `control`, `contexts`, `functional`, `callbacks`, `decorators`, `device`, `graphs`, `printing`
- assertions   `debugging`; `requiring`, on one tensor
"""

from tapeviz.engine import ops
from tapeviz.engine.api import (
    activations,
    array,
    callbacks,
    clipping,
    complex,
    contexts,
    control,
    convolution,
    counting,
    creation,
    debugging,
    decomposition,
    decorators,
    device,
    diagonals,
    elementwise,
    fourier,
    functional,
    generator,
    graphs,
    indexing,
    joining,
    losses,
    normalization,
    norms,
    parting,
    picking,
    pooling,
    printing,
    products,
    random,
    reduction,
    requiring,
    sampling,
    scattering,
    searching,
    segments,
    sequences,
    solving,
    tensor_array,
)
from tapeviz.engine.api.indexing import getitem
from tapeviz.engine.api.table import EXPORTS, export, exports, missing, namespace

__all__ = [
    "EXPORTS",
    "activations",
    "array",
    "callbacks",
    "clipping",
    "complex",
    "contexts",
    "control",
    "convolution",
    "counting",
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
    "generator",
    "getitem",
    "graphs",
    "indexing",
    "joining",
    "losses",
    "missing",
    "namespace",
    "normalization",
    "norms",
    "ops",
    "parting",
    "picking",
    "pooling",
    "printing",
    "products",
    "random",
    "reduction",
    "requiring",
    "sampling",
    "scattering",
    "searching",
    "segments",
    "sequences",
    "solving",
    "tensor_array",
]
