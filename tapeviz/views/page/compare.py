"""Two EventLogs -> Compared: a comparison that a notebook shows as text, and below it both graphs side by side."""

from __future__ import annotations

from typing import Any

from tapeviz.diagnosis import Comparison
from tapeviz.events import log_of
from tapeviz.views.page.page_result import PageResult
from tapeviz.views.page.show import in_cell


class Compared(Comparison, PageResult):
    __doc__ = Comparison.__doc__
    _file = "compared.html"

    def html(self) -> str:
        """The comparison as a page of its own, with nothing to load: both graphs, and which of one is which of the
        other."""
        from tapeviz.views.page.compare_page import SideBySide

        return SideBySide(self).page()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """What a notebook shows: the text, and the page in a frame, which needs no kernel."""
        from tapeviz.views.page.compare_page import SideBySide

        both = SideBySide(self)
        return {
            "text/html": self._repr_html_() + in_cell(both.stills(), both.title, both.page()),
            "text/plain": str(self),
        }


def compare(before: Any, after: Any) -> Compared:
    """Compare two recordings of a program: of the broken and the fixed one, or in one framework and in another.

    What the two do is matched by line, op and shapes, and names of targets and sources pair their gradients. In two
    frameworks a gradient finds its counterpart by the end of its source's name, else by the value that the source
    began with, or by its shape; values are the same to half of their digits, whatever the order of their elements.

    Args:
        before: a log, or anything with `.log`.
        after: likewise.

    Returns:
        What differs: `changes`, the ops that only one of them has; `gradients`, each beside its counterpart;
        `divergence`, where values begin to be others; `new`, the findings that only `after` has.

    Raises:
        TypeError: one of them neither is a log nor has one.

    >>> import tapeviz as tv
    >>> def train(step):
    ...     w = tv.Variable(2.0, name="w")
    ...     with tv.GradientTape() as tape:
    ...         loss = step(w * 3.0)
    ...     tape.gradient(loss, w)
    ...     return tape
    >>> found = compare(train(tv.round), train(tv.sin))
    >>> print(found.gradients[0])
    loss by w: None [nondifferentiable_op] → 2.881
    >>> [change.mark + change.what for change in found.changes]
    ['-round', '+sin']
    """
    return Compared(log_of(before), log_of(after))
