"""Graphs of compiled functions, wherever a program has them, with the recorder around each.

The compiler leaves a function for each graph among the globals of what it has compiled, before the recording or in it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import torch
from torch.fx import GraphModule

from tapeviz.phrases import COMPILED
from tapeviz.recorders.patches import Patches, Swapped
from tapeviz.recorders.torch.compiled.hooks import ModuleHook
from tapeviz.recorders.torch.compiled.nodes import is_runnable, reached_in, written_by
from tapeviz.recorders.torch.compiled.traced import Traced, Tracer, attempted
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.stack import unseen

EARLIER = "compiled before the recording"
UNTRACED = "by a backend that does not trace it ahead of time"
"""Why it is not known what is inside of a graph."""

_METHOD = "zero_grad"
"""A method of any module, which the compiled function has, too."""
_GRAPH = "__compiled_fn"
"""How the names of the compiler's functions begin."""


class CompiledGraph:
    """A graph of a compiled function: its nodes, or why they are `unknown`; what the log calls it once it has run.

    Attributes:
        module: the graph as the program has it, to be run again; None if that is not known, or cannot be done.
        written: the places of the arguments that it may write to.
        reached: the places of those that a gradient may arrive at.
        changes: of those that it does write to, once it has run.
        functions: those of its functions that have gradients of their own, by their nodes.
        hooks: those of its modules when it was compiled, and those later ones that were told of; None if not known.
        reported: the functions of which it was told that their gradients are not used.
    """

    __slots__ = (
        "changes",
        "function",
        "functions",
        "hooks",
        "module",
        "number",
        "reached",
        "reported",
        "traced",
        "unknown",
        "written",
    )

    def __init__(self, compiled: Any, traced: Traced | None, unknown: str, hooks: frozenset[ModuleHook] | None) -> None:
        module = _module_of(compiled)
        self.module = module if module is not None and attempted(is_runnable, module) else None
        self.written = frozenset() if self.module is None else written_by(module)
        self.reached = frozenset() if self.module is None else reached_in(module)
        self.traced = traced
        self.unknown = unknown
        self.function = ""
        self.number: int | None = None
        self.changes: frozenset[int] | None = None
        self.functions: dict[Any, Any] = {}
        self.hooks = hooks
        self.reported: set[str] = set()

    def may_change(self, at: int, argument: Any) -> bool:
        """Whether it may write to an argument: before it has run, to what wants no gradient, as statistics."""
        if not isinstance(argument, torch.Tensor):
            return False
        return at in self.written or (not argument.requires_grad if self.changes is None else at in self.changes)

    @property
    def op(self) -> str:
        """The name of the op that a call of it is."""
        return f"{self.function}{COMPILED}"


def _module_of(compiled: Any) -> Any:
    """The graph that the compiler was given for a function: methods that this has taken over from it lead to it."""
    while (within := getattr(compiled, "_torchdynamo_orig_callable", None)) is not None:
        compiled = within
    holders = compiled, getattr(compiled, "__self__", None), getattr(getattr(compiled, _METHOD, None), "__self__", None)
    return next((each for each in holders if isinstance(each, GraphModule)), None)


Run = Callable[[CompiledGraph, Callable[..., Any], tuple[Any, ...]], Any]
"""(graph, its function, its arguments) -> what the function gives."""


class CompiledGraphs:
    """The graphs that have been found; their calls are handed to `run`."""

    def __init__(self, session: Session, hooks: Patches, run: Run) -> None:
        self.tracer = Tracer(session)
        self._hooks = hooks
        self._run = run
        self._found: set[str] = set()

    def find(self, hooks: frozenset[ModuleHook] | None = None) -> None:
        """Stand around each graph that was not there before; it has just been traced if the `hooks` are given."""
        traced, unknown = (None, EARLIER) if hooks is None else (self.tracer.take(), UNTRACED)
        manager = import_module("torch._dynamo.utils").CleanupManager.instance
        held = {hook.name: hook.scope for hooks in list(manager.values.values()) for hook in hooks}
        for name in held.keys() - self._found:
            self._found.add(name)
            if name.startswith(_GRAPH) and name in held[name]:
                with unseen():  # to look at the tensors of its examples is no call of the program's
                    graph = CompiledGraph(held[name][name], traced, "" if traced else unknown, hooks)
                self._hooks.install([self._row(held[name], name, graph)])

    def _row(self, scope: dict[str, Any], name: str, graph: CompiledGraph) -> Swapped:
        """The row for the function of a graph, which the compiler may take away meanwhile."""
        before = scope[name]

        def put(value: Any) -> None:
            if name in scope:
                scope[name] = value

        return Swapped((_GRAPH, name), before, put, lambda: put(before), partial(self._watched, graph))

    def _watched(self, graph: CompiledGraph, function: Callable[..., Any]) -> Any:
        """The function of a graph, that tells of its calls, and that is itself no part of what is compiled."""

        def call(*args: Any) -> Any:
            return self._run(graph, function, args)

        return import_module("torch._dynamo").disable(call)
