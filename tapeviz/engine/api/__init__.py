"""TensorFlow's functions over the op table; `table` holds them by name.

    from tapeviz.engine.api import exports, missing
    globals().update(exports("math"))

- names        `titles`, TensorFlow's own of the functions; `misfits`, what is said of arguments that they do not take
- arguments    `arguments`, which are tensors; `integers`; `alike`, integers of one dtype
- functions    `array/` of shapes and places, `math/` of numbers, `linalg/` of matrices, `nn/` of networks, `random/`
               ones, `programs/` around the user's own, `debugging/`, which check
"""

from importlib import import_module
from pkgutil import walk_packages

from tapeviz.engine.api.array.indexing import getitem
from tapeviz.engine.api.table import EXPORTS, export, exports, missing, namespace
from tapeviz.engine.api.titles import entitle

for _each in walk_packages(__path__, f"{__name__}."):
    import_module(_each.name)  # each puts its functions into the table
entitle(EXPORTS)

__all__ = ["EXPORTS", "export", "exports", "getitem", "missing", "namespace"]
