"""TensorFlow's functions over the op table; `exports` holds them by name.

    from tapeviz.engine.api import exports, missing
    globals().update(exports("math"))

- names        `exports`; `tensorflow_names`, the `__name__` of each function
- arguments    `arguments` that are tensors; `integers` and `integer_vectors`, and `matching_integers`, of one dtype;
               `argument_errors`, if they do not fit the signature
- functions    `array/` of shapes and places, `math/` of numbers, `linalg/` of matrices, `nn/` of networks, `random/`
               ones, `programs/` around the user's own, `debugging/`, which check
"""

from importlib import import_module
from pkgutil import walk_packages

from tapeviz.engine.api.array.indexing import getitem
from tapeviz.engine.api.exports import EXPORTS, export, exports, missing, namespace
from tapeviz.engine.api.tensorflow_names import rename

for _each in walk_packages(__path__, f"{__name__}."):
    import_module(_each.name)  # each puts its functions into the table
rename(EXPORTS)

__all__ = ["EXPORTS", "export", "exports", "getitem", "missing", "namespace"]
