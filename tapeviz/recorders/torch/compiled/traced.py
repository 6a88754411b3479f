"""The tracer ahead of time -> the nodes of a graph, forward and backward, each with the line of the user's.

It writes down what a graph runs, and what autograd runs for it on the way back; the partitioner then chooses which
results are saved, and which are computed again. The compiler keeps on each node where in the program it comes from, and
on a node of the way back which node of the way there it belongs to.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from types import CodeType
from typing import Any, NamedTuple, TypeVar

import torch

from tapeviz.events.program.frames import is_library
from tapeviz.events.program.scope_codes import code_called
from tapeviz.recorders.imports import install_when_imported
from tapeviz.recorders.patches import Patches, Row
from tapeviz.recorders.torch.kinds import writes_in_place
from tapeviz.recorders.torch.names import signature_of
from tapeviz.recorders.torch.session import Session

T = TypeVar("T")
_FRAME = re.compile(r'File "([^"]+)", line (\d+), in (.+)')
_BACKWARD, _CALL, _TAG = "is_backward", "call_function", "partitioner_tag"
_BACKENDS, _TRACES, _SPLITS = "torch._dynamo.backends.common", "aot_module_simplified", "partition_fn"
_SETTINGS, _CACHES = "torch._functorch.config", "enable_autograd_cache"


class TracedNode(NamedTuple):
    """A call that the tracer wrote down, of an op on the way there or on the way back.

    Attributes:
        op: its name in the catalog.
        part: "forward"; "recomputed", of one that is computed again on the way back; "backward".
        reads: the nodes whose results it reads, by their places in the graph.
        of: of one that is not forward, the forward node that it belongs to; None if it is not known.
        kept: whether its result is saved for the way back.
        module: the module that it runs in, as the program reaches it, such as `model.layers.0`; "" if in none.
        code: code that begins at the line of the user's which it comes from; None if that is not known.
    """

    op: str
    part: str
    reads: tuple[int, ...]
    of: int | None
    kept: bool
    module: str
    code: CodeType | None


class Traced(NamedTuple):
    """A graph: its `nodes`; `flows`, for each result the inputs that it is computed from, None if that is not known."""

    nodes: tuple[TracedNode, ...]
    flows: tuple[frozenset[int], ...] | None


class Tracer:
    """What was traced and not asked for yet: of one frame that is compiled, one graph."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._graphs: list[Traced | None] = []

    def watch(self, patches: Patches) -> None:
        """Put a hook at the tracer, as the backends that use it call it, once one has imported that.

        It takes seconds, and a program may have the compiler without one, as DistributedDataParallel imports it.
        """
        install_when_imported(patches, {_BACKENDS: self._rows})

    def _rows(self, backends: Any) -> list[Row]:
        return [self._session.here.instead(backends, _TRACES, self._trace)] if hasattr(backends, _TRACES) else []

    def take(self) -> Traced | None:
        """The graph that was traced since the last call; None if its backend does not use the tracer."""
        graphs, self._graphs = self._graphs, []
        return graphs[0] if len(graphs) == 1 else None

    def _trace(self, trace: Any, module: Any, args: Any, *more: Any, **kwargs: Any) -> Any:
        """Have a graph traced; what was traced earlier, and is kept in a file, has no nodes to look at."""
        split, graphs = kwargs.get(_SPLITS), list[tuple[TracedNode, ...] | None]()
        if split is not None:
            kwargs[_SPLITS] = _looking(split, graphs)
        settings = import_module(_SETTINGS)
        with settings.patch({_CACHES: False} if hasattr(settings, _CACHES) else {}):
            traced = trace(module, args, *more, **kwargs)
        nodes = graphs[-1] if graphs else attempted(nodes_of, module, None)
        self._graphs.append(None if nodes is None else Traced(nodes, attempted(flows_of, module)))
        return traced


def _looking(split: Callable[..., Any], graphs: list[tuple[TracedNode, ...] | None]) -> Callable[..., Any]:
    """The partitioner; what it gives is written down, of a graph within another one first."""

    def call(*args: Any, **kwargs: Any) -> Any:
        parts = split(*args, **kwargs)
        graphs.append(attempted(nodes_of, *parts))
        return parts

    return call


def attempted(read: Callable[..., T], *graphs: Any) -> T | None:
    """What is read from graphs; None where this PyTorch has them otherwise, for which no program is to fail."""
    try:
        return read(*graphs)
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def flows_of(module: Any) -> tuple[frozenset[int], ...] | None:
    """For each result of a graph the inputs that it is computed from, by their places; None where it writes in place.

    >>> from torch.fx import symbolic_trace
    >>> flows_of(symbolic_trace(lambda x, y: (x + 1, y, x * y)))
    (frozenset({0}), frozenset({1}), frozenset({0, 1}))
    """
    found: dict[Any, frozenset[int]] = {}
    inputs = 0
    for node in module.graph.nodes:
        if node.op == "placeholder":
            found[node] = frozenset((inputs,))
            inputs += 1
        elif node.op == "output":
            return tuple([found.get(each, frozenset()) for each in node.args[0]])
        elif writes_in_place(getattr(node.target, "__name__", str(node.target))):
            return None
        else:
            found[node] = frozenset().union(*[found[each] for each in node.all_input_nodes])
    return None


def nodes_of(there: Any, back: Any) -> tuple[TracedNode, ...]:
    """The calls in the graphs of the two ways, as the partitioner has made them; None `back` where it was not asked."""
    forward, backward = list(there.graph.nodes), list(back.graph.nodes) if back is not None else []
    places: dict[str, int] = {}
    came_from: dict[Any, int] = {}
    saved = {each.name for each in backward if each.op == "placeholder"}
    found: list[TracedNode] = []

    def add(node: Any, part: str, of: int | None, kept: bool) -> None:
        reads = tuple([places[each.name] for each in node.all_input_nodes if each.name in places])
        places[node.name] = len(found)
        found.append(TracedNode(_op(node), part, reads, of, kept, _module(node), _code(node)))

    for node in forward:
        if node.op == _CALL:
            for key in _origins(node):
                came_from.setdefault(key, len(found))
            add(node, "forward", None, node.name in saved)
    for node in backward:
        if node.op == _CALL:
            of = next((came_from[key] for key in _origins(node) if key in came_from), None)
            if node.meta.get(_TAG) == _BACKWARD:
                add(node, "backward", of, False)
            else:
                add(node, "recomputed", places.get(node.name, of), False)
    return tuple(found)


def _origins(node: Any) -> list[Any]:
    """What a node on the way back shares with that on the way there: its number, or else its line."""
    return [each for each in (node.meta.get("seq_nr"), node.meta.get("stack_trace")) if each is not None]


def _op(node: Any) -> str:
    target = node.target
    name = str(target).split(".")[1] if isinstance(target, torch._ops.OpOverload) else target.__name__
    return signature_of(name).name


def _module(node: Any) -> str:
    """The path of the innermost module, as the program reaches it from a variable."""
    stack = node.meta.get("nn_module_stack") or node.meta.get("fwd_nn_module_stack") or {}
    path = next((str(each[0]) for each in reversed(stack.values())), "")
    return re.sub(r"^[LG]\['(\w+)'\]", r"\1", path).replace("._modules", "").removeprefix("self.")


def _code(node: Any) -> CodeType | None:
    """Code that begins at a node's line: the innermost one that is no library's, or else the innermost."""
    lines = [(file, int(line), name) for file, line, name in _FRAME.findall(node.meta.get("stack_trace") or "")]
    own = [each for each in lines if not is_library(each[0])] or lines
    if not own:
        return None
    file, line, name = own[-1]
    return code_called(name).replace(co_filename=file, co_firstlineno=line)
