"""The functions of the ops as a program calls them: its arguments -> tensors and options -> the op.

- names        `exports`, all of them by name
- arguments    `arguments` that are tensors; `integers`
- functions    `array/` of shapes and places, `math/` of numbers, `linalg/` of matrices, `nn/` of networks
"""

from importlib import import_module
from pkgutil import walk_packages

for _each in walk_packages(__path__, f"{__name__}."):
    import_module(_each.name)  # each puts its functions into the table
