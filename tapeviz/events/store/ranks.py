"""A folder of logs, one of each process that ran a program -> the logs by rank."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from tapeviz.events.log import EventLog
from tapeviz.phrases import counted, listed


class Ranks(Mapping[int, EventLog]):
    """The logs of several processes that ran one program together, by their ranks.

    `tv.load` gives them for a folder that `tapeviz run --log FOLDER` wrote; `diagnose`, `why`, `table`, `show` and
    `save_html` take them as they take a log.

    >>> from tapeviz.events import EventLog
    >>> Ranks({1: EventLog(), 0: EventLog()})
    <Ranks: 2 logs, ranks 0 and 1>
    """

    def __init__(self, logs: Mapping[int, EventLog]) -> None:
        self._logs = dict(sorted(logs.items()))

    def __getitem__(self, rank: int) -> EventLog:
        return self._logs[rank]

    def __iter__(self) -> Iterator[int]:
        return iter(self._logs)

    def __len__(self) -> int:
        return len(self._logs)

    def __str__(self) -> str:
        return f"{counted(len(self), 'log')}, {ranks_in_words(self)}"

    def __repr__(self) -> str:
        return f"<Ranks: {self}>"


def ranks_in_words(ranks: Collection[int]) -> str:
    """Some ranks, as a message says them.

    >>> ranks_in_words([0]), ranks_in_words([0, 2]), ranks_in_words([1, 2, 3, 4, 5, 6, 7, 8])
    ('rank 0', 'ranks 0 and 2', 'ranks 1, 2, 3, 4, 5, 6 and 2 more')
    """
    return f"rank{'s' if len(ranks) > 1 else ''} {listed([str(each) for each in ranks])}"


def rank_file(place: Path, rank: int) -> Path:
    """The file of one rank in a folder of logs."""
    return place / f"rank-{rank}.tape"


def rank_files(place: Path) -> dict[int, Path]:
    """The files of a folder that are logs of ranks; none of what is no folder."""
    ranks = (re.search(r"\d+", path.name) for path in place.glob("rank-*.tape"))
    paths = {int(rank[0]): rank_file(place, int(rank[0])) for rank in ranks if rank is not None}
    return {rank: path for rank, path in paths.items() if path.is_file()}
