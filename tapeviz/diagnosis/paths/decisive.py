"""The cuts on a path -> the one to report."""

from __future__ import annotations

from dataclasses import dataclass

from tapeviz.diagnosis.paths.trail import STOP, Cut, FewestCuts
from tapeviz.diagnosis.question import Question
from tapeviz.source.lines import stops_here
from tapeviz.source.places import same_line, site_at


@dataclass(frozen=True, slots=True)
class _Kept:
    """FewestCuts without those that only prepare the next one, and the last among them that is a stop."""

    first: Cut
    rest: _Kept | None
    stop: Cut | None


def decisive(question: Question, cuts: FewestCuts) -> Cut:
    """The cut to name: of several in a row the first, with some exceptions.

    An explicit stop holds whatever is done before it, unless it only prepares a read-out, a write or a copy. A rounding
    right before a cast to integers is part of the cast, and what is computed only to fill a variable is part of making
    it.
    """
    kept = _with_what_prepares_them(question, cuts)
    if kept.stop is not None:
        return kept.stop
    first, second = kept.first, None if kept.rest is None else kept.rest.first
    if second is not None and first.kind == "no_derivative" and second.kind == "integer":
        return second
    if second is not None and second.kind == "rebuilt" and same_line(first.site, second.site):
        return second
    return first


def _with_what_prepares_them(question: Question, cuts: FewestCuts) -> _Kept:
    """The cuts without those that only prepare the next one, if that stays."""
    known: dict[FewestCuts, _Kept] = question.call.once(("kept", question.part is None), dict)
    way: list[FewestCuts] = []
    left: FewestCuts | None = cuts
    while left is not None and left not in known:
        way.append(left)
        left = left.rest
    kept = None if left is None else known[left]
    for each in reversed(way):
        cut, after = each.first, None if kept is None else kept.first
        if kept is None or not any(prepares(question, cut, after) for prepares in _PREPARING):
            stop = None if kept is None else kept.stop
            kept = _Kept(cut, kept, stop or (cut if _is_stop(question, cut) else None))
        known[each] = kept
    return known[cuts]


def _is_for_reading(question: Question, cut: Cut, after: Cut | None) -> bool:
    """Whether a stop only made a tensor fit to be read out, as in `x.detach().numpy()` and `x.detach().T.numpy()`."""
    if after is None or after.kind != "read_out" or not _is_stop(question, cut):
        return False
    return after.link.tail == cut.link.head or same_line(cut.site, after.site)


def _is_for_writing(question: Question, cut: Cut, after: Cut | None) -> bool:
    """Whether autograd was off, or stopped, only to let a line write into a variable, as in `w.data.copy_(x)`.

    Of a part of the target it may well be what the user meant.
    """
    if question.part is not None or after is None or after.kind != "state":
        return False
    is_stop = _is_stop(question, cut)
    if is_stop and not stops_here(cut.site):  # nobody wrote it: a model gives its state so
        return True
    return (is_stop or cut.kind == "paused") and same_line(site_at(question.log, cut.link.position), after.site)


def _is_for_copying(question: Question, cut: Cut, after: Cut | None) -> bool:
    """Whether a line stopped only what it made a leaf of, as in `torch.tensor(x.detach())`: it is cut off anyway."""
    if after is None or after.kind != "rebuilt" or not _is_stop(question, cut):
        return False
    return after.link.tail == cut.link.head and same_line(cut.site, after.site)


_PREPARING = (_is_for_reading, _is_for_writing, _is_for_copying)


def _is_stop(question: Question, cut: Cut) -> bool:
    return cut.kind == "no_derivative" and question.graph.ops[cut.link.position].op == STOP
