"""The name of an op -> what a reader may know of it, as a `Row`; the rows stand in `ops/`."""

from __future__ import annotations

from tapeviz.events.ops import array, foreign, linalg, math, nn
from tapeviz.events.row import Kind, Row
from tapeviz.events.types import Attrs

CUSTOM = ("custom_gradient", True)
"""The attribute of ops whose gradient function is the user's own: what is known of their name is not known of them."""
CAPTURED = "captured"
"""The attribute of such an op that says how many of its inputs, the last ones, are none of its arguments."""
KEEPS_OWN = ("keeps_own", True)
"""The attribute of such an op that keeps numbers of its own making for its gradient, beside `saved`."""
RULE = "gradient_function"
"""The attribute of such an op that says where its gradient function is defined: the file, without its path, the
line, and which of its arguments are upstream gradients."""
MAPPED = "vmap"
"""The attribute of ops that run once for all rows of a mapped function: of how many rows what they give is one. The
tensors of such an op have these rows as their first axis, and its other attributes count that axis too."""
RECOMPUTED = ("recomputed", True)
"""The attribute of ops that run again in the backward pass, in a checkpoint, and keep nothing until then."""
BRANCH = "branch"
"""The attribute of a conditional that names the branch it took: its first input is what that gave, and the others are
what only other branches read."""
GRAPH = "graph"
"""The attribute of a call of a compiled graph: the number of the graph, which says what is inside."""
WITHIN = "within"
"""The attribute of an op that ran in a package between the user's line and the framework: the file and line there."""


def row(name: str) -> Row | None:
    """What is known of an op, the engine's or a framework's, or None."""
    return ROWS.get(name) or foreign.ROWS.get(name)


def of_kind(kind: Kind) -> frozenset[str]:
    """The names of the ops of one kind, the engine's and the frameworks'."""
    tables = (*TABLES, foreign.ROWS)
    return frozenset([name for table in tables for name, kinds in table.kinds.items() if kind in kinds])


def marked(name: str) -> Attrs:
    """The attributes of a user's op that has a gradient function of its own: none, unless its name is one of a row.

    >>> marked("round"), marked("straight_through")
    ((('custom_gradient', True),), ())
    """
    return () if row(name) is None and name not in USERS else (CUSTOM,)


TABLES = (math.ROWS, array.ROWS, linalg.ROWS, nn.ROWS)
ROWS: dict[str, Row] = {name: row for table in TABLES for name, row in table.items()}
"""The engine's own ops."""
TENSORFLOW = {name: theirs for table in TABLES for name, theirs in table.tensorflow.items()}
"""What TensorFlow calls them (`RowTable.tensorflow`)."""
USERS: dict[str, Row] = {}
"""The ops that users have made by `defop`, which only programs of the engine run."""
