"""Events that tell what is inside of a compiled graph, which runs as one op."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tapeviz.events.ids import ScopeId, SiteId


@dataclass(frozen=True, slots=True)
class GraphTraced:
    """A graph of a compiled function ran, compiled, for the first time in the recording; its op has the same number.

    Attributes:
        function: the function that is compiled.
        graph: the number, in the attribute `graph` of the ops that are its calls.
        recompilations: how many times the function had been compiled in the recording before, for other arguments.
        unknown: why the nodes inside are not known; "" if they follow, as `NodeTraced`.
    """

    function: str
    graph: int
    recompilations: int
    unknown: str
    site: SiteId | None
    scope: ScopeId | None


@dataclass(frozen=True, slots=True)
class CompiledWithout:
    """A compiled function ran, and something of the program's did not that would run if it were not compiled.

    Told once of each such thing, at the call; of a gradient, at the line that applies its function.

    Attributes:
        function: the function that is compiled.
        kind: "gradient", of a function that defines its own; or the kind of a hook, such as "forward hook".
        name: that of the function with the gradient, or of the module with the hook.
    """

    function: str
    kind: str
    name: str
    site: SiteId | None
    scope: ScopeId | None


@dataclass(frozen=True, slots=True)
class NodeTraced:
    """A node inside of a compiled graph, as its compiler has traced it, at the line of the program that it comes from.

    Attributes:
        graph: the number of its graph. The nodes of a graph are in the order in which they run.
        op: its name in the catalog.
        part: it runs "forward", "backward", or is "recomputed" on the way back.
        reads: those of which it reads the results, by their places among the nodes of the graph.
        of: of one that does not run forward, the place of the forward node that it belongs to.
        kept: whether its result is saved for the way back.
        module: the module in which it runs, "" if there is none.
    """

    graph: int
    op: str
    part: Literal["forward", "backward", "recomputed"]
    reads: tuple[int, ...]
    of: int | None
    kept: bool
    module: str
    site: SiteId | None
    scope: ScopeId | None
