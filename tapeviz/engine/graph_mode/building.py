"""A function of which TensorFlow would build a graph -> what is different in it.

Its ops run as they are called. But `executing_eagerly` is False, mistakes raise the errors of graph building, and its
tensors cannot be converted to NumPy, because in TensorFlow they have no values yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from copy import copy
from typing import Any, TypeAlias

from tapeviz.engine import nest
from tapeviz.engine.setting import Setting
from tapeviz.engine.specs.shape import TensorShape
from tapeviz.errors import OpError
from tapeviz.events.raw import next_id

Named = Callable[[], Mapping[str, Any]]
"""A function that returns the arguments of a function by the names of its parameters."""


OpenShapes: TypeAlias = dict[int, TensorShape]
"""The shapes of tensors, by their ids, with lengths that may be open."""


class FuncGraph:
    """A graph that TensorFlow would build: which tensors would be symbolic in it, and what it would know of them.

    The arguments of the function are symbolic, and so are tensors that are made in it or in a function around it. If
    AutoGraph has `rewritten` the function, as it does by default, `if`, `for` and `float(...)` on them are ops.
    """

    __slots__ = ("_begun", "_given", "_named", "open_shapes", "rewritten")

    def __init__(
        self, given: object, around: FuncGraph | None, rewritten: bool, named: Named | None, open_shapes: OpenShapes
    ) -> None:
        self.rewritten = rewritten
        self.open_shapes = open_shapes if around is None else {**around.open_shapes, **open_shapes}
        """Of the arguments whose shapes the graph does not know: what it knows of them."""
        self._named = named
        self._begun: int = next_id() if around is None else around._begun
        self._given = {each._id for each in nest.flatten(given) if hasattr(each, "_id")}
        if around is not None:
            self._given |= around._given

    def as_written(self) -> FuncGraph:
        """The same graph inside a function that AutoGraph does not rewrite."""
        other = copy(self)
        other.rewritten = False
        return other

    def is_given(self, raw_id: int) -> bool:
        """Whether a tensor is an argument of the function, or of one around it."""
        return raw_id in self._given

    def name_of(self, raw_id: int) -> str | None:
        """The name of an argument in the graph, which is that of its parameter; None for other tensors."""
        arguments = self._named() if self._named else {}
        return next((f"{name}:0" for name, each in arguments.items() if getattr(each, "_id", None) == raw_id), None)

    def holds(self, raw_id: int) -> bool:
        """Whether a tensor would be symbolic: it was made in the function, or is an argument."""
        return raw_id > self._begun or raw_id in self._given


in_graph: ContextVar[FuncGraph | None] = ContextVar("in_graph", default=None)
_AS_IT_IS = nullcontext()


@contextmanager
def building(
    *given: object,
    rewritten: bool = True,
    built: bool = False,
    named: Named | None = None,
    open_shapes: OpenShapes | None = None,
) -> Iterator[FuncGraph]:
    """A block of which TensorFlow would build a graph. Mistakes in it raise the errors of graph building.

    Args:
        given: the arguments, structures with tensors in them.
        rewritten: whether AutoGraph rewrites the function.
        built: whether the graph was built before and runs now. Mistakes then raise the errors of ops that run.
        named: a function that returns the arguments by the names of their parameters, for errors.
        open_shapes: the shapes of arguments that the graph does not know completely.
    """
    graph = FuncGraph(given, in_graph.get(), rewritten, named, open_shapes or {})
    with Setting(in_graph, graph):
        try:
            yield graph
        except OpError as error:
            if built or error.in_graph is None:
                raise
            raised = error.in_graph(str(error))
            for note in getattr(error, "__notes__", ()):
                raised.add_note(note)
            raise raised from error


def opened(values: object, specs: object) -> OpenShapes:
    """The shapes of the tensors in a structure whose specs do not define them completely, by the ids of the tensors."""
    return {
        value._id: spec.shape
        for value, spec in zip(nest.flatten(values), nest.flatten(specs), strict=False)
        if hasattr(value, "_id") and hasattr(spec, "shape") and not spec.shape.is_fully_defined()
    }


def as_written() -> AbstractContextManager[None]:
    """A block that AutoGraph does not rewrite, even if it rewrites the function around it. Keras calls such code."""
    graph = in_graph.get()
    return _AS_IT_IS if graph is None or not graph.rewritten else Setting(in_graph, graph.as_written())


def truth_of(condition: object) -> bool:
    """Whether a condition is true, for an op that decides when it runs. In a graph, Python does not know it."""
    with running():
        return bool(condition)


def running() -> Setting:
    """A block that runs eagerly, even inside a graph."""
    return Setting(in_graph, None)
