"""A log -> the debugger as a widget, whose position Python can read and set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anywidget
import traitlets

from tapeviz.phrases import counted
from tapeviz.views import frontend
from tapeviz.views.page.show import still
from tapeviz.views.payload import columns
from tapeviz.views.payload import payload as pack
from tapeviz.views.reading import read
from tapeviz.views.reading.notes import checked

__all__ = ["Debugger"]


class Debugger(anywidget.AnyWidget):
    """A widget that steps through one log in a notebook: its graph, its runs, and what is wrong.

    Its position can be read and set. It follows the page, a little later than a key or a click; the page follows it.

    - `run`: the number of the backward pass, counted from 0; -1 for stepping forward
    - `step`: how many rules, or ops, have been gone through
    - `selected`: the id of the tensor whose card is open; -1 for none
    - `unfolded`: the groups that are not folded, by their indices in `payload["scene"]["groups"]`

    Setting one of them to what the log does not have raises TraitError.
    """

    _esm = frontend.module("widget.js")
    payload = traitlets.Dict().tag(sync=True, to_json=lambda value, _widget: columns.pack(value))
    styles = traitlets.Unicode(frontend.css()).tag(sync=True)
    run = traitlets.Int(-1).tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    selected = traitlets.Int(-1).tag(sync=True)
    unfolded = traitlets.List(traitlets.Int()).tag(sync=True)
    settable = traitlets.List(traitlets.Unicode()).tag(sync=True)

    def __init__(self, log_or_tape: Any, notes: Mapping[int, str] | None = None, title: str | None = None) -> None:
        self._reading = read(log_or_tape)
        self._notes, self._title = checked(notes, self._reading), title
        packed = pack(self._reading, notes=self._notes, title=title)
        super().__init__(payload=packed, run=packed["run"], unfolded=packed["scene"]["unfolded"])

    def follow(self, log_or_tape: Any) -> None:
        """Show another log in place, at the same run, step and tensor as far as it has them."""
        self._reading = read(log_or_tape)
        packed = pack(self._reading, notes=self._notes, title=self._title)
        last = len(packed["runs"]) - 1
        alike = self._titles(packed) == self._titles(self.payload)
        with self.hold_sync():
            self.payload = packed
            if not alike:
                self.unfolded = packed["scene"]["unfolded"]
            self.run = min(self.run, last) if self.run >= 0 else -1
            self.step = min(self.step, self._length())
            if str(self.selected) not in packed["tensors"]:
                self.selected = -1

    @traitlets.validate("run")
    def _known_run(self, proposal: dict[str, Any]) -> int:
        count = len(self.payload["runs"])
        if not -1 <= proposal["value"] < count:
            raise traitlets.TraitError(
                f"run {proposal['value']}: this log has {counted(count, 'run')}, counted from 0; -1 is forward"
            )
        return int(proposal["value"])

    @traitlets.validate("step")
    def _known_step(self, proposal: dict[str, Any]) -> int:
        count = self._length()
        if not 0 <= proposal["value"] <= count:
            raise traitlets.TraitError(f"step {proposal['value']}: run {self.run} has the steps 0 to {count}")
        return int(proposal["value"])

    @traitlets.validate("selected")
    def _known_tensor(self, proposal: dict[str, Any]) -> int:
        if proposal["value"] != -1 and str(proposal["value"]) not in self.payload["tensors"]:
            raise traitlets.TraitError(f"selected {proposal['value']}: no tensor of this log that is shown has that id")
        return int(proposal["value"])

    @traitlets.validate("unfolded")
    def _known_groups(self, proposal: dict[str, Any]) -> list[int]:
        count = len(self.payload["scene"]["groups"])
        unknown = [group for group in proposal["value"] if not 0 <= group < count]
        if unknown:
            raise traitlets.TraitError(f"unfolded {unknown}: this log has {counted(count, 'group')}, counted from 0")
        return list(proposal["value"])

    @staticmethod
    def _titles(payload: dict[str, Any]) -> list[str]:
        return [group["title"] for group in payload["scene"]["groups"]]

    @traitlets.observe("run")
    def _start_over(self, _change: Any) -> None:
        if self.step > self._length():
            self.step = 0

    def _length(self) -> int:
        runs = self.payload.get("runs", [])
        return len(runs[self.run]["steps"] if self.run >= 0 else self.payload.get("ops", []))

    def __repr__(self) -> str:
        """What a prompt shows, where no page can be."""
        advice = "a notebook shows it as the last line of a cell; elsewhere, tv.save_html(tape, 'tape.html') writes it"
        return f"<{type(self).__name__}, {self.payload['title']}: {advice}>"

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """What anywidget shows, and beside it the picture, for readers that have no widgets."""
        data, metadata = super()._repr_mimebundle_(**options) or ({}, {})
        return {**data, "text/html": still(self._reading), "text/plain": self.payload["title"]}, metadata
