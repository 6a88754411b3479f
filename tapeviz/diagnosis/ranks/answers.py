"""Ranks, target, source -> Answers: why the gradient is what it is, on each rank and over all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tapeviz.diagnosis.finding import Answer, Finding
from tapeviz.diagnosis.ranks.across import together
from tapeviz.diagnosis.ranks.rank_log import RankLog
from tapeviz.events import EventLog
from tapeviz.events.store.ranks import Ranks, ranks_in_words
from tapeviz.markup.card import note, stacked
from tapeviz.phrases import quoted


class RankAnswers(Mapping[int, Finding | Answer]):
    """The answer of each rank to one question, and `together`, the findings about its source that need all logs."""

    def __init__(self, answers: Mapping[int, Finding | Answer], together: Sequence[Finding]) -> None:
        self._answers = dict(answers)
        self.together = tuple(together)

    def __getitem__(self, rank: int) -> Finding | Answer:
        return self._answers[rank]

    def __iter__(self) -> Iterator[int]:
        return iter(self._answers)

    def __len__(self) -> int:
        return len(self._answers)

    def _by_text(self) -> Iterator[tuple[str, Finding | Answer]]:
        """Each answer once, under the ranks that give it."""
        ranks: dict[str, list[int]] = {}
        for rank, answer in self._answers.items():
            ranks.setdefault(str(answer), []).append(rank)
        for own in ranks.values():
            yield "All ranks" if len(own) == len(self) else ranks_in_words(own).capitalize(), self._answers[own[0]]

    def __str__(self) -> str:
        told = [f"{who}: {answer}" for who, answer in self._by_text()]
        return "\n\n".join([*(map(str, self.together)), *told])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        together = [each._repr_html_() for each in self.together]
        return stacked([*together, *(note(f"{who}:") + answer._repr_html_() for who, answer in self._by_text())])


def answers(
    ranks: Ranks, target: Any, source: Any, why: Callable[[EventLog, Any, Any], Finding | Answer]
) -> RankAnswers:
    """Why a gradient is what it is on each rank, by `why`, and what all ranks together show of its source."""
    found = together([RankLog(rank, log) for rank, log in ranks.items()])
    about = [each for each in found if quoted(str(source)) in each.message]
    return RankAnswers({rank: why(log, target, source) for rank, log in ranks.items()}, about)
