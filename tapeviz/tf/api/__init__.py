"""TensorFlow's functions that are no ops: each is put into the engine's `exports`, by its public name.

- programs     `programs/` around the user's own functions; `random/` numbers; `debugging/`, which check
- lists        `tensor_array`, of tensors; `partitions` of one
"""

from importlib import import_module
from pkgutil import walk_packages

from tapeviz.engine import namespace as namespace  # the ops, and the operators of tensors, are there first

for _each in walk_packages(__path__, f"{__name__}."):
    import_module(_each.name)  # each puts its functions into the table
