"""EventLog -> words about the compiled functions that ran eagerly in it: compiled, they may give something else."""

from __future__ import annotations

from tapeviz.events import EventLog, FunctionOpened
from tapeviz.phrases import BY_TORCHSCRIPT, BY_XLA, RUN_EAGERLY, listed, quoted

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


def _around(log: EventLog, scope: int | None, *endings: str) -> str | None:
    """The name of the innermost scope with one of these endings, without it."""
    names = (log.scopes[each].name for each in log.outward(scope))
    return next((name.removesuffix(end) for name in names for end in endings if name.endswith(end)), None)
