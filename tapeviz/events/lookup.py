"""EventLog, a name that the user gave -> the tensor with that name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tapeviz.errors import LogError
from tapeviz.events.types import BackwardStarted, LeafCreated, OpRecorded

if TYPE_CHECKING:
    from tapeviz.events.log import EventLog

NUMBERING = "₀₁₂₃₄₅₆₇₈₉"
"""The digits by which readers tell apart what the program gives no name of its own."""


MOST_NAMES = 24
"""The names that an error lists."""


def tensor_named(log: EventLog, name: str) -> int:
    """The id of the last tensor with a name; a parameter goes by the name that its module has for it, too.

    Raises:
        LogError: nothing has the name, or several variables that are in use do.
    """
    from difflib import get_close_matches  # when it is asked for

    rows = [row for row in log.tensors if row.name == name and row.role != "cotangent"]
    if not rows:
        rows = [row for row in log.tensors if row.role == "variable" and (row.name or "").endswith(f".{name}")]
    if not rows:
        names = sorted({row.name for row in log.tensors if row.name})
        told = f"No tensor of this log is called {name!r}. It has: {_listed(names) or 'no names'}."
        told += "".join(f" The nearest is {near!r}." for near in get_close_matches(name, names, n=1))
        if name.endswith(tuple(NUMBERING)):
            told += " Pictures number what the program gives no name: pass the tensor itself."
        raise LogError(told)
    variables = [row.id for row in rows if row.role == "variable"]
    meant = _in_use(log, variables) if len(variables) > 1 else []
    if len(meant) > 1:
        raise LogError(
            f"{len(meant)} variables of this log are called {name!r}{_made_at(log, meant)}. "
            "Pass the variable itself, or give each a name of its own."
        )
    return rows[-1].id


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMES
    return ", ".join([*names[:MOST_NAMES], *([f"and {more:,} more"] if more > 0 else [])])


def _in_use(log: EventLog, variables: Sequence[int]) -> list[int]:
    """The variables, of several with one name, that the name could mean: the last one, and what is used beside it.

    A name that is given to a new variable at every round of a loop means the last of them alone.
    """
    made = {leaf.tensor: at for at, leaf in log.of_kind(LeafCreated).items()}
    last = max(variables, key=lambda each: made.get(each, -1))
    since = made.get(last, 0)
    used = {each for at, op in log.of_kind(OpRecorded).items() if at >= since for each in op.inputs}
    asked = {each for at, call in log.of_kind(BackwardStarted).items() if at >= since for each in call.sources}
    return [each for each in variables if each in {last, *used, *asked}]


def _made_at(log: EventLog, leaves: Sequence[int]) -> str:
    """The lines that made some leaves, as a part of a sentence; "" where they are not known."""
    made = {leaf.tensor: leaf.site for leaf in log.of_kind(LeafCreated).values()}
    sites = [log.sites[site] for each in leaves if (site := made.get(each)) is not None]
    lines = " and at ".join(dict.fromkeys(f"{site.filename}, line {site.line}" for site in sites))
    return lines and f", made at {lines}"
