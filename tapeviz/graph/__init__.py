"""EventLog -> Graph: what every tensor was made from, and through which steps a gradient can pass back.

A link joins two tensors: the value of its tail went into its head. An op makes a link for each argument, except for one
of which it reads only the shape. Other links are those by which a value passes the tape: a leaf that was rebuilt from a
tensor, an assigned variable, a number that was read out and came back as a constant. `Graph.block` says why a gradient
on a tape cannot pass a link.

`structure` is the graph; `building`, how it grows event by event; `combining`, what one sweep tells of all its tensors;
`roundtrips`, the links of numbers that came back; `indexed`, what is looked up in the log beside it, with `tapes`, when
each of them followed the program, and `optimizers`, what each was to change.
"""

from __future__ import annotations

from tapeviz.graph.building import build
from tapeviz.graph.combining import AncestorSets, combined_after, combined_before
from tapeviz.graph.optimizers import OptimizerHistory
from tapeviz.graph.structure import OF_A_SHAPE, Block, Graph, Link, Memory, Op, has_derivative, is_real
from tapeviz.graph.tapes import TapeHistory

__all__ = [
    "OF_A_SHAPE",
    "AncestorSets",
    "Block",
    "Graph",
    "Link",
    "Memory",
    "Op",
    "OptimizerHistory",
    "TapeHistory",
    "build",
    "combined_after",
    "combined_before",
    "has_derivative",
    "is_real",
]
