"""What a finding says to do, in words, together with the edit that does it, where a machine can make it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from tapeviz.source.edits import Edit


@dataclass(frozen=True, slots=True)
class Fix:
    """`text` says what to do; `edit` does it. Without an edit the text shows no line to write.

    `is_for_callers`: it can be done where an installed package is called, and leaves that as it is.
    """

    text: str
    edit: Edit | None = None
    is_for_callers: bool = False

    @classmethod
    def of(cls, fix: str | Fix) -> Fix:
        """A fix; of words alone one without an edit."""
        return fix if isinstance(fix, Fix) else cls(fix)

    def reworded(self, change: Callable[[str], str]) -> Fix:
        """The same in other words."""
        return replace(self, text=change(self.text))
