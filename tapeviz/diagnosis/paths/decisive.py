"""The cuts on a path -> the one to report."""

from __future__ import annotations

from tapeviz.diagnosis.paths.trail import STOP, Cut
from tapeviz.diagnosis.question import Question
from tapeviz.source.lines import stops_here
from tapeviz.source.places import same_line, site_at


def decisive(question: Question, cuts: list[Cut]) -> Cut:
    """The cut to name: of several in a row the first, with some exceptions.

    An explicit stop holds whatever is done before it, unless it only prepares a read-out or a write. A rounding right
    before a cast to integers is part of the cast, and what is computed only to fill a variable is part of making it.
    """
    cuts = _with_what_prepares_them(question, cuts)
    stops = [cut for cut in cuts if _is_stop(question, cut)]
    if stops:
        return stops[-1]
    if len(cuts) > 1 and cuts[0].kind == "no_derivative" and cuts[1].kind == "integer":
        return cuts[1]
    if len(cuts) > 1 and cuts[1].kind == "rebuilt" and same_line(cuts[0].site, cuts[1].site):
        return cuts[1]
    return cuts[0]


def _with_what_prepares_them(question: Question, cuts: list[Cut]) -> list[Cut]:
    """The cuts without those that only prepare the next one, if that stays."""
    kept: list[Cut] = []
    for cut in reversed(cuts):
        after = kept[0] if kept else None
        if not any(prepares(question, cut, after) for prepares in (_is_for_reading, _is_for_writing)):
            kept.insert(0, cut)
    return kept


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


def _is_stop(question: Question, cut: Cut) -> bool:
    return cut.kind == "no_derivative" and question.graph.ops[cut.link.position].op == STOP
