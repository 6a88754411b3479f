"""Graphs of compiled functions, wherever a program has them, with the recorder around each.

The compiler leaves a function for each graph among the globals of what it has compiled, before the recording or in it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import torch

from tapeviz.phrases import COMPILED
from tapeviz.recorders.patches import Patches, Swapped
from tapeviz.recorders.torch.compiled.traced import Traced, Tracer
from tapeviz.recorders.torch.session import Session

EARLIER = "compiled before the recording"
UNTRACED = "by a backend that does not trace it ahead of time"
"""Why it is not known what is inside of a graph."""

_GRAPH = "__compiled_fn"
"""How the names of the compiler's functions begin."""


class CompiledGraph:
    """A graph of a compiled function: its nodes, or why they are `unknown`; what the log calls it once it has run.

    Attributes:
        changes: the places of the arguments that it writes to, once it has run.
        functions: those of its functions that have gradients of their own, by their nodes.
    """

    __slots__ = ("changes", "function", "functions", "number", "traced", "unknown")

    def __init__(self, traced: Traced | None, unknown: str) -> None:
        self.traced = traced
        self.unknown = unknown
        self.function = ""
        self.number: int | None = None
        self.changes: frozenset[int] | None = None
        self.functions: dict[Any, Any] = {}

    @property
    def module(self) -> Any:
        """The graph as the program has it, to be run again; None if that is not known, or cannot be done."""
        return None if self.traced is None else self.traced.module

    def may_change(self, at: int, argument: Any) -> bool:
        """Whether it may write to an argument: before it has run, to what wants no gradient, as statistics."""
        if self.changes is not None or not isinstance(argument, torch.Tensor):
            return self.changes is not None and at in self.changes
        return not argument.requires_grad or self.traced is None or self.traced.flows is None

    @property
    def op(self) -> str:
        """The name of the op that a call of it is."""
        return f"{self.function}{COMPILED}"


Run = Callable[[CompiledGraph, Callable[..., Any], tuple[Any, ...]], Any]
"""(graph, its function, its arguments) -> what the function gives."""


class CompiledGraphs:
    """The graphs that have been found; their calls are handed to `run`."""

    def __init__(self, session: Session, hooks: Patches, run: Run) -> None:
        self.tracer = Tracer(session)
        self._hooks = hooks
        self._run = run
        self._found: set[str] = set()

    def find(self, *, is_new: bool) -> None:
        """Stand around each graph that was not there before; what `is_new` has just been traced."""
        traced, unknown = (self.tracer.take(), UNTRACED) if is_new else (None, EARLIER)
        manager = import_module("torch._dynamo.utils").CleanupManager.instance
        held = {hook.name: hook.scope for hooks in list(manager.values.values()) for hook in hooks}
        for name in held.keys() - self._found:
            self._found.add(name)
            if name.startswith(_GRAPH) and name in held[name]:
                graph = CompiledGraph(traced, "" if traced else unknown)
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
