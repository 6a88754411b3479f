"""EventLog -> words about the compiled functions in it: those that ran eagerly, and those that stayed compiled."""

from __future__ import annotations

from collections import Counter

from tapeviz.events import EventLog, FunctionOpened, GraphTraced, OpRecorded, OpSkipped
from tapeviz.phrases import (
    AGAIN_BY_XLA,
    BY_TORCHSCRIPT,
    BY_XLA,
    COMPILED,
    COMPUTED_AGAIN,
    RESUMED,
    RUN_EAGERLY,
    TRACED,
    counted,
    listed,
    quoted,
)

MOST_NAMED = 2
"""How many compiled functions are named."""


def opened(log: EventLog) -> str:
    """Which functions were opened for the recording, and what that means; "" where none was."""
    functions = dict.fromkeys(each.function for each in log.of_kind(FunctionOpened).values())
    names = list(map(quoted, functions))
    if not names:
        return ""
    are = "is" if len(names) == 1 else "are"
    return f"{listed(names, most=MOST_NAMED)} {are} compiled, but ran eagerly here: numbers may differ"


def opened_around(log: EventLog, scope: int | None) -> str | None:
    """The name of the compiled function in which a scope is; None where it is in none."""
    return _around(log, scope, RUN_EAGERLY, BY_XLA)


def scripted_around(log: EventLog, scope: int | None) -> str | None:
    """The name of the function, compiled by TorchScript, in which a scope is; None where it is in none."""
    return _around(log, scope, BY_TORCHSCRIPT)


def resumed_from(log: EventLog, scope: int | None) -> int | None:
    """The line from which on the compiled function in which a scope is goes on in its next graph; None if in none."""
    function, resumed, own = (_around(log, scope, *_KNOWN) or "").partition(RESUMED)
    since = int(own.split()[0]) if resumed else 0
    graphs = (each.function.partition(RESUMED) for each in log.of_kind(GraphTraced).values())
    later = (int(rest.split()[0]) for name, breaks, rest in graphs if breaks and name == function)
    return min((each for each in later if each > since), default=None) if function else None


OPEN_IT = 'Record it once more with `tv.record(functions="eager")`, which runs each op of it by itself, and ask again.'
"""What to do about an op that is a whole compiled graph."""
IS_COMPUTED_AGAIN = "its ops were computed again on what it was given, so that last bits may differ"
IS_COMPUTED_BY_XLA = "its ops were computed again one by one, which XLA, that compiles it, may do otherwise"
IS_TRACED = "its ops are those of its trace, without numbers"
IS_UNOPENED = "its ops were not opened"
"""What is known of the inside of a compiled function."""


_KNOWN = {TRACED: IS_TRACED, COMPUTED_AGAIN: IS_COMPUTED_AGAIN, AGAIN_BY_XLA: IS_COMPUTED_BY_XLA}
"""The ending of a scope's name -> what is known of what is in it; a later one counts more."""


def compiled(log: EventLog) -> str:
    """Which functions ran compiled, in how many graphs, and how often they were compiled again; "" where none did."""
    graphs = log.of_kind(GraphTraced).values()
    again: dict[str, str] = {}
    for ending, known in _KNOWN.items():
        found = [each.name.removesuffix(ending) for each in log.scopes if each.name.endswith(ending)]
        again |= dict.fromkeys(found, known)
    nodes = {op.op for op in log.of_kind(OpRecorded, OpSkipped).values()}
    parts: dict[str, set[str]] = {}
    anew: Counter[str] = Counter()
    unseen: set[str] = set()
    opened_as: dict[str, str] = {}
    for each in graphs:
        function, _, resumed = each.function.partition(RESUMED)
        parts.setdefault(function, set()).add(resumed)
        anew[function] += bool(each.recompilations)
        if _is_librarys(each, nodes):
            again.setdefault(each.function, IS_COMPUTED_AGAIN)
        unseen |= set() if each.function in again else {function}
        opened_as.setdefault(function, again.get(each.function, IS_UNOPENED))
    told = [
        _sentence(
            function,
            len(breaks) - ("" in breaks),
            anew[function],
            IS_UNOPENED if function in unseen else opened_as[function],
        )
        for function, breaks in parts.items()
    ]
    return "; ".join(told[:MOST_NAMED])


def _is_librarys(graph: GraphTraced, ops: set[str]) -> bool:
    """Whether a graph is of a library's own function, as a step of Keras', whose ops are opened without a scope."""
    library, _, name = graph.function.partition(".")
    return bool(name) and library.isidentifier() and not graph.unknown and f"{name}{COMPILED}" not in ops


def _sentence(function: str, breaks: int, anew: int, known: str) -> str:
    broken = f", and breaks into parts at {counted(breaks, 'line')}" if breaks else ""
    once_more = f", and was compiled again {counted(anew, 'time')}" if anew else ""
    return f"{quoted(function)} ran compiled{broken}{once_more}: {known}"


def _around(log: EventLog, scope: int | None, *endings: str) -> str | None:
    """The name of the innermost scope with one of these endings, without it."""
    names = (log.scopes[each].name for each in log.outward(scope))
    return next((name.removesuffix(end) for name in names for end in endings if name.endswith(end)), None)
