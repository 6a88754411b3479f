"""The functions of the ops as a program calls them: its arguments -> tensors and options -> the op.

- names        `exports`, all of them by name; `tensorflow_names`, the `__name__` of each function
- arguments    `arguments` that are tensors; `integers` and `integer_vectors`, and `matching_integers`, of one dtype;
               `argument_errors`, if they do not fit the signature
- functions    `array/` of shapes and places, `math/` of numbers, `linalg/` of matrices, `nn/` of networks
"""

from importlib import import_module
from pkgutil import walk_packages

from tapeviz.engine.functions.exports import EXPORTS
from tapeviz.engine.functions.tensorflow_names import rename

for _each in walk_packages(__path__, f"{__name__}."):
    import_module(_each.name)  # each puts its functions into the table
rename(EXPORTS)
