"""A function of the user's that a dataset applies -> the same, begun anew for each iteration.

No tape sees what it does, its random numbers begin anew, and it may not make variables.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeviz.tf import random_state
from tapeviz.tf.data.pipeline import iteration_seeds
from tapeviz.tf.tracing.separate_graphs import unrecorded


def running(function: Callable[[Any], Any]) -> Callable[[], Callable[[Any], Any]]:
    """A factory of the function for each iteration."""
    seed = random_state.Seeds.chosen

    def start() -> Callable[[Any], Any]:
        kept = iteration_seeds.get()
        graph = random_state.GraphSeeds(seed) if kept is None else kept.setdefault(start, random_state.GraphSeeds(seed))

        def calling(value: Any) -> Any:
            with unrecorded(), random_state.in_run_apart(graph):
                return function(value)

        return calling

    return start
