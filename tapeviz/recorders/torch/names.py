"""PyTorch's name of an op -> its name in the catalog, and the meaning of its arguments there.

A name without a row keeps its own name, and what is no tensor becomes an attribute.
"""

from __future__ import annotations

import re

from tapeviz.events import catalog
from tapeviz.recorders.signatures import OpSignature
from tapeviz.recorders.torch.table import ROWS


def signature_of(name: str) -> OpSignature:
    """What the catalog calls an op of PyTorch's: `add_` and `__iadd__` are `add`, done in place.

    Of `torch.special` are second names of many functions.

    >>> signature_of("add_").name, signature_of("histc").name
    ('add', 'histc')
    """
    plain = name.strip("_") if name.startswith("__") and name not in ROWS else name.rstrip("_") or name
    for each in (name, plain, plain.removeprefix("i"), plain.removeprefix("_"), plain.removeprefix("special_")):
        if each in ROWS:
            return ROWS[each]
    return OpSignature(plain)


def signature_of_node(name: str, inputs: int) -> OpSignature:
    """The op of an autograd node in the catalog; one that knows only some of its `inputs` keeps its own name.

    >>> signature_of_node("MulBackward0", 2).name, signature_of_node("MulBackward0", 1).name
    ('mul', 'MulBackward0')
    """
    plain = name.rpartition("::")[2]
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", re.sub(r"Backward\d*$", "", plain)).lower()
    found = signature_of(snake)
    known = catalog.row(found.name)
    return found if known is not None and len(known.arguments) == inputs else OpSignature(plain)
