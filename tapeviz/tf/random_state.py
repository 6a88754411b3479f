"""The global seed and an op's own seed -> streams of random numbers, by TensorFlow's rules.

After `set_seed(s)` the same calls draw the same numbers, whatever was drawn before. The numbers that were drawn are
counted for each pair of seeds; without any seed they differ at every run. Dry runs are not `counting`: they do not
change what later calls draw.

In a graph, what each op has drawn is counted for that op, and the seed of an op that has none is its number among those
of the graph. So equal functions draw equal numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextvars import ContextVar
from itertools import count
from random import Random
from threading import Lock
from typing import Any, ClassVar

import numpy as np

from tapeviz.engine.graph_mode import building
from tapeviz.engine.kernels.philox import Philox
from tapeviz.engine.setting import Setting

_WITHOUT_GLOBAL_SEED = 87654321
_LARGEST = 2**31 - 1
_one_thread = Lock()
"""Held while numbers are taken, so that no two threads draw the same ones."""
counting: ContextVar[bool] = ContextVar("tapeviz.counting", default=True)
"""Whether drawn numbers are counted; those of dry runs are not."""


class Seeds:
    """The global state: the global seed, the counts of drawn numbers, and the source of seeds for ops without one."""

    chosen: int | None = None
    drawn: ClassVar[Counter[Any]] = Counter()
    source: ClassVar[Random] = Random()
    times: int = 0
    """How often the global seed was set."""
    begun: int = 0
    """How often the counts were reset, for graphs, which then reset their own."""

    @classmethod
    def begin_anew(cls) -> None:
        """Reset the counts: every op draws its first numbers next, as after the global seed is set."""
        cls.drawn.clear()
        cls.begun += 1


class GraphSeeds:
    """The random state of a graph: the global seed when it was built, and what each of its ops has drawn."""

    def __init__(self, seed: int | None) -> None:
        self.seed = seed
        self._drawn: Counter[int] = Counter()
        self._inner: dict[int, GraphSeeds] = {}
        self._begun = Seeds.begun

    @property
    def drawn(self) -> Counter[int]:
        """How much each op has drawn since the global seed was set, by its place in the graph."""
        if self._begun != Seeds.begun:
            self._drawn.clear()
            self._begun = Seeds.begun
        return self._drawn

    def inner(self, place: int, graph: Callable[[], GraphSeeds]) -> GraphSeeds:
        """The state of a graph that is called at a place in this one."""
        if place not in self._inner:
            self._inner[place] = GraphSeeds(graph().seed)
        return self._inner[place]


class GraphRun:
    """One run of a graph, perhaps at a place in the run of another one, `around`.

    `find` returns the state of the graph for a global seed. It is called when something is drawn, as most runs do not.
    """

    def __init__(self, around: GraphRun | None, place: int, find: Callable[[int | None], GraphSeeds]) -> None:
        self._around, self._place, self._find = around, place, find
        self._graph: GraphSeeds | None = None
        self._set: tuple[int | None, ...] = ()
        self.next_place = count().__next__
        self.next_number = count().__next__

    @property
    def graph(self) -> GraphSeeds:
        """The random state of the graph."""
        if self._graph is None:
            around = self._around
            if around is None:
                self._graph = self._find(Seeds.chosen)
            else:
                self._graph = around.graph.inner(self._place, lambda: self._find(around.seed))
        return self._graph

    @property
    def seed(self) -> int | None:
        """The global seed of the graph, or the one that was set in this run."""
        return self._set[0] if self._set else self.graph.seed

    @seed.setter
    def seed(self, seed: int | None) -> None:
        self._set = (seed,)


current_run: ContextVar[GraphRun | None] = ContextVar("tapeviz.current_run", default=None)
"""The innermost run of a graph."""


def in_run(find: Callable[[int | None], GraphSeeds]) -> Setting:
    """A block in which a graph runs, perhaps inside of a run of another one."""
    around = current_run.get()
    return Setting(current_run, GraphRun(around, 0 if around is None else around.next_place(), find))


def in_run_apart(graph: GraphSeeds) -> Setting:
    """A block in which a graph runs independently of those around it."""
    return Setting(current_run, GraphRun(None, 0, lambda seed: graph))


def seed_of_graphs() -> int | None:
    """The global seed of a graph that is built now."""
    return _global_seed(current_run.get())


def body(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of a branch or loop: inside of a graph it is a graph of its own, whose runs draw in turn."""
    around = current_run.get()
    if around is None:
        return function
    place = around.next_place()

    def run(*args: Any) -> Any:
        with Setting(current_run, GraphRun(around, place, GraphSeeds)):
            return function(*args)

    return run


def _run_that_counts() -> GraphRun | None:
    """The run of a graph that the next op is part of; None outside of graphs and in dry runs."""
    return current_run.get() if building.in_graph.get() and counting.get() else None


def set_seed(seed: int | None) -> None:
    """Set the global seed of random numbers, and start them again (`tf.random.set_seed`).

    Args:
        seed: a number; None for no seed, as at the start of a program.

    Raises:
        TypeError: the seed is not a number.

    >>> import tapeviz as tf
    >>> tf.random.set_seed(7)
    >>> a = tf.random.normal([])
    >>> tf.random.set_seed(7)
    >>> bool(a == tf.random.normal([]))
    True
    """
    run = _run_that_counts()
    if run is not None:
        run.seed = None if seed is None else _whole(seed)
        return
    Seeds.chosen = None if seed is None else _whole(seed)
    Seeds.times += 1
    Seeds.begin_anew()
    Seeds.source.seed(seed if type(seed) is float else Seeds.chosen)  # TensorFlow cuts it off for kernels only


def stream(kernel: str, reserved: int, own: int | None = None) -> Philox:
    """The numbers for the next call of a kernel, with the op's `own` seed, which reserves so many of them."""
    run = _run_that_counts()
    first, second = seeds(own)
    if own is None and _global_seed(run) is None:
        return Philox.of_seeds(first, second)
    with _one_thread:
        drawn: Counter[Any] = Seeds.drawn if run is None else run.graph.drawn
        op = (kernel, first, second) if run is None else run.next_place()
        begun = drawn[op]
        # outside of graphs, seeds that ops were given at random hardly ever occur again
        if counting.get() and (run is not None or own is not None):
            drawn[op] += reserved
    return Philox.of_seeds(first, second).behind(begun)


def seeds(own: int | None = None) -> tuple[int, int]:
    """The two seeds of the next call: the global one, and the op's own, or one instead."""
    run = _run_that_counts()
    chosen = _global_seed(run)
    if chosen is None and own is None:
        first, second = np.random.default_rng().integers(0, 2**32, 2).tolist()
        return first, second
    first = (_WITHOUT_GLOBAL_SEED if chosen is None else chosen) % _LARGEST
    second = (_seed_of_an_op(run) if own is None else _whole(own)) % _LARGEST
    return first, second if first or second else _LARGEST


def _global_seed(run: GraphRun | None) -> int | None:
    return Seeds.chosen if run is None else run.seed


def _seed_of_an_op(run: GraphRun | None) -> int:
    """The seed of an op that was given none."""
    if run is not None:
        return run.next_number()
    with _one_thread:
        source = Seeds.source if counting.get() else Random(0)  # a dry run does not change the source
        return source.randint(0, _LARGEST)


def of_graph() -> Philox:
    """The numbers of the first op of a new graph: with a global seed always the same."""
    return Philox.of_seeds(*seeds(None if Seeds.chosen is None else 0))


def _whole(seed: Any) -> int:
    if isinstance(seed, (str, bytes)):
        raise TypeError(f"A seed is an integer, not {seed!r}.")
    return int(seed)
