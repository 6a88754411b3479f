"""A graph as the compiler took it from the program -> a run of it, node by node, each called at its line.

A function with a gradient of its own is in such a graph as two graphs, one for each way; it is made a function again.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, TypeAlias

import torch
from torch.fx import GraphModule, Interpreter, Node

from tapeviz.events.log import EventLog
from tapeviz.events.program.frames import is_library, resume
from tapeviz.events.program.scope_codes import code_called
from tapeviz.events.raw import ScopeNode
from tapeviz.events.types import CompiledWithout
from tapeviz.recorders.torch.compiled.lines import CALLS, Line, call_at, function_around, lines_in, opener
from tapeviz.recorders.torch.kinds import writes_in_place
from tapeviz.recorders.torch.values import tensors_in

_APPLY = re.compile(r"(\w+)\s*\.\s*apply\b")
_ROOT, _KEY = re.compile(r"^[LG]\['\w+'\]"), re.compile(r"\['?(\w+)'?\]")
_CALLS = ("call_function", "call_method")
_DETACHING = ("detach", "detach_", "data")
_APPLIED, _HOOKED, _CHECKPOINTED = "autograd_function_apply", "register_hook", "tag_activation_checkpoint"
_FORWARD, GRADIENT = "forward", "gradient"
_PURE = ("torch.", "_operator.", "math.", "builtins.")
_IMPURE = ("torch.cuda.", "torch.distributed.", "torch.func.", "torch._functorch.", "torch._C._functorch.")
"""Where functions are that a graph may call, and where are some of these that have effects."""
Function: TypeAlias = Callable[..., Any]


def is_runnable(module: Any) -> bool:
    """Whether a graph can be run without an effect outside of it: it calls nothing but PyTorch's own functions on
    tensors, and has no tensors but those that it is given."""
    return all(
        _is_pure(node, graph)
        for graph in module.modules()
        if isinstance(graph, GraphModule)
        for node in graph.graph.nodes
    )


def _is_pure(node: Node, graph: Any) -> bool:
    if node.op == "get_attr":
        return isinstance(graph.get_submodule(str(node.target)), GraphModule)
    if node.op == "call_module" or "out" in node.kwargs:
        return False
    target = node.target
    if isinstance(target, torch._ops.HigherOrderOperator):
        return _name(node) in (_APPLIED, _HOOKED, _CHECKPOINTED)
    if isinstance(target, (torch._ops.OpOverload, torch._ops.OpOverloadPacket)):
        return str(target).partition(".")[0] in ("aten", "prims")
    home = f"{getattr(target, '__module__', None) or torch.__name__}."
    return node.op != "call_function" or (home.startswith(_PURE) and not home.startswith(_IMPURE))


def written_by(module: Any) -> frozenset[int]:
    """The inputs of a graph that it may write to, by their places: those that lead, each as the first argument, to what
    is written in place, as a view or without its gradient.

    >>> from torch.fx import symbolic_trace
    >>> written_by(symbolic_trace(lambda x, y, z: (x.view(-1).add_(y), z * 2)))
    frozenset({0})
    """
    places = {node: at for at, node in enumerate(node for node in module.graph.nodes if node.op == "placeholder")}
    waiting = [each for node in module.graph.nodes if writes_in_place(_name(node)) for each in _firsts(node)]
    seen = set(waiting)
    for node in waiting:
        new = [each for each in _firsts(node) if each not in seen]
        seen.update(new)
        waiting += new
    return frozenset(at for node, at in places.items() if node in seen)


def reached_in(module: Any) -> frozenset[int]:
    """The inputs of a graph that a gradient may arrive at, by their places: those that lead to a result, or to what is
    written in place, through nothing that autograd does not follow.

    >>> from torch.fx import symbolic_trace
    >>> reached_in(symbolic_trace(lambda x, y, z: x.detach() * y + (z > 0)))
    frozenset({1, 2})
    """
    followed, is_on = dict[Node, None](), True
    for node in module.graph.nodes:
        if node.target is torch._C._set_grad_enabled:
            is_on = bool(node.args[0])
        elif (is_on or node.op == "placeholder") and _can_be_followed(node):
            followed[node] = None
    seen = {each for each in followed if each.op == "output" or (each.op in _CALLS and writes_in_place(_name(each)))}
    for node in reversed(followed):
        if node in seen:
            seen.update(each for each in node.all_input_nodes if each in followed)
    return frozenset(at for at, node in enumerate(module.graph.find_nodes(op="placeholder")) if node in seen)


def _can_be_followed(node: Node) -> bool:
    """Whether the result of a node may have a gradient: it is not detached, and no whole numbers."""
    dtype = getattr(node.meta.get("example_value"), "dtype", torch.float32)
    return _name(node) not in _DETACHING and (dtype.is_floating_point or dtype.is_complex)


def files_of(module: Any) -> set[str]:
    """The files of the program that the nodes of a graph come from."""
    return {line.file for node in module.graph.nodes for line in _lines_of(node)}


def _firsts(node: Node) -> list[Node]:
    """The first argument of a node, or all of them, where it is a list."""
    first = node.args[0] if node.args and node.op != "output" else None
    return [each for each in (first if isinstance(first, (list, tuple)) else [first]) if isinstance(each, Node)]


class NodeRunner(Interpreter):
    """Runs a graph; `functions` are those with gradients of their own, by their nodes, made once."""

    def __init__(self, module: Any, places: NodePlaces, functions: dict[Node, type[torch.autograd.Function]]) -> None:
        super().__init__(module)
        self._places = places
        self._functions = functions

    def run_node(self, n: Node) -> Any:
        """One node."""
        if n.op not in _CALLS:
            return super().run_node(n)
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        if n.op == "call_method":
            return self._places.call(n, getattr(args[0], str(n.target)), args[1:], kwargs)
        name = _name(n)
        if name == _CHECKPOINTED:
            kept = {"use_reentrant", "preserve_rng_state", "context_fn", "determinism_check", "debug", "early_stop"}
            return self._within(args[0])(*args[1:], **{key: each for key, each in kwargs.items() if key not in kept})
        if name == _HOOKED:
            return self._places.call(n, _hooked, (args[0], Interpreter(args[1]).run, *args[2:]), kwargs)
        if name == _APPLIED:
            if n not in self._functions:
                self._functions[n] = _function(n, *args[:2], **kwargs)
            return self._places.call(n, self._functions[n].apply, args[2:], {})
        target: Any = n.target
        return self._places.call(n, target, args, kwargs)

    @contextmanager
    def as_before(self) -> Iterator[None]:
        """A block, broken off perhaps, after which autograd and autocast are switched as before it."""
        is_on = torch.is_grad_enabled()
        try:
            yield
        finally:
            torch._C._set_grad_enabled(is_on)
            for each in reversed([each for each in self.env.values() if isinstance(each, torch.amp.autocast)]):
                each.__exit__(None, None, None)

    def _within(self, module: Any) -> Function:
        return NodeRunner(module, self._places, self._functions).run


class NodePlaces:
    """Where nodes ran: at lines, in modules and functions, which are scopes within that of the graph.

    What has no line belongs to the one before; to that of the call of the graph, if there is none. The graph is one of
    a `function`; those of its functions whose gradients are not used, and that were `reported`, are known.
    """

    def __init__(self, log: EventLog, scope: ScopeNode, call: Line, function: str, reported: set[str]) -> None:
        self._log = log
        self._function = function
        self._reported = reported
        self._around = scope
        self._line = call
        self._times: Counter[Any] = Counter()
        self._scope = scope

    def call(self, node: Node, function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What a function gives that is called where a node ran."""
        key = _name(node), node.meta.get("stack_trace")
        lines = _lines_of(node, self._times[key])
        self._times[key] += 1
        if lines:
            self._line, self._scope = lines[-1], self._scope_of(node, lines)
        elif node.target is torch._C._set_grad_enabled:
            after = next((found[-1] for each in _following(node) if (found := _lines_of(each))), None)
            self._line = (after and opener(after)) or after or self._line
        self._log.filenames.update(each.file for each in (*lines, self._line))
        found = call_at(self._line)(self._ready, function, args, kwargs)
        self._notice_forward(lines, found)
        return found

    def _notice_forward(self, lines: list[Line], found: Any) -> None:
        """A line in the `forward` of a function with a gradient of its own: there, autograd was to follow nothing."""
        own = function_around(lines[-1]) if len(lines) > 1 and _APPLY.search(lines[-2].text) else None
        if own is None or own in self._reported or not any(each.requires_grad for each in tensors_in(found)):
            return
        self._reported.add(own)
        caller = call_at(lines[-2]).__code__
        self._log.append(
            CompiledWithout, None, None, None, (self._function, GRADIENT, own), caller, CALLS, self._around
        )

    def _ready(self) -> None:
        resume(self._log, sys._getframe(1), self._scope)

    def _scope_of(self, node: Node, lines: list[Line]) -> ScopeNode:
        """The modules and functions that run, each called from a line, from the outermost inwards.

        A line in a `forward` is one of the next module that is the program's own; those of a library have no lines.
        """
        scope, modules = self._around, _modules_of(node)
        for caller, called in pairwise(lines):
            is_forward = called.function == _FORWARD
            last = next((at for at, (_, is_own) in enumerate(modules) if is_own), -1) if is_forward else -1
            names = [path for path, _ in modules[: last + 1]] or ([] if is_forward else [called.function])
            modules = modules[last + 1 :]
            scope = _within(scope, names, caller)
        return _within(scope, [path for path, _ in modules], lines[-1])


def _within(scope: ScopeNode, names: list[str], caller: Line) -> ScopeNode:
    """Scopes of these names, each in the one before, called from a line."""
    for name in names:
        scope = ScopeNode(scope, code_called(name), call_at(caller).__code__, CALLS)
    return scope


def _lines_of(node: Node, earlier: int = 0) -> list[Line]:
    """The lines of the program's own that led to a node, the outermost first; how many like it ran there `earlier`."""
    lines = lines_in(node.meta.get("stack_trace"), _name(node), earlier)
    return [each for each in lines if not is_library(each.file)]


def _following(node: Node) -> Iterator[Node]:
    """The nodes after one, up to the end of its graph."""
    while node.op != "output":
        node = node.next
        yield node


def _modules_of(node: Node) -> list[tuple[str, bool]]:
    """The modules around a node, within the one that is compiled: each as it is reached from the one around it, and
    whether its class is the program's own."""
    stack = node.meta.get("nn_module_stack") or node.meta.get("fwd_nn_module_stack") or {}
    found: list[tuple[str, bool]] = []
    outer = ""
    for path, kind in stack.values():
        own = _KEY.sub(r".\1", _ROOT.sub("", str(path)).replace("._modules", "")).strip(".")
        if own:
            file = getattr(sys.modules.get(getattr(kind, "__module__", "")), "__file__", None)
            found.append((own.removeprefix(f"{outer}."), file is not None and not is_library(file)))
            outer = own
    return found


def _name(node: Node) -> str:
    return str(getattr(node.target, "__name__", node.target))


def _hooked(tensor: torch.Tensor, body: Function, *others: Any) -> torch.Tensor:
    hung: Any = tensor
    hung.register_hook(lambda gradient: body(gradient, *others))
    return tensor


def _function(node: Node, there: Any, back: Any, **about: Any) -> type[torch.autograd.Function]:
    """A function of two graphs, with the name by which the program applies it, in the file of its own."""

    def forward(ctx: Any, *args: Any) -> Any:
        results, ctx.kept = Interpreter(there).run(*args)
        made = results if isinstance(results, (tuple, list)) else (results,)
        ctx.mark_dirty(*[made[at] for at in about.get("dirty_idx", ())])
        ctx.mark_non_differentiable(*[made[at] for at in about.get("non_differentiable_idx", ())])
        return results

    def backward(ctx: Any, *gradients: Any) -> Any:
        return Interpreter(back).run(*gradients, *ctx.kept)

    line = (lines_in(node.meta.get("stack_trace")) or [Line("", 0, "")])[-1]
    applied = _APPLY.search(line.text)
    own = {each.__name__: staticmethod(_in_file(each, graph)) for each, graph in ((forward, there), (backward, back))}
    return type(applied[1] if applied else "Function", (torch.autograd.Function,), own)


def _in_file(function: Any, graph: Any) -> Any:
    """A function that counts as one at the first line that a graph was traced from."""
    first = next((line for node in graph.graph.nodes for line in lines_in(node.meta.get("stack_trace"))[-1:]), None)
    if first is not None:
        function.__code__ = function.__code__.replace(co_filename=first.file, co_firstlineno=first.number)
    return function
