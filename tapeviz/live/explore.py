"""A function and ranges for its arguments -> sliders that run it again, and the debugger that follows them."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path
from types import FrameType
from typing import Any

import ipywidgets

from tapeviz.engine.namespace import GradientTape, Variable
from tapeviz.errors import LogError
from tapeviz.events import EventLog
from tapeviz.events.defaults import Defaults
from tapeviz.events.program.frames import is_library, users_frame
from tapeviz.events.store import atomic
from tapeviz.live.arguments import name_of, require_arguments, returned_tensors, runner_at
from tapeviz.live.debug import LiveDebugger
from tapeviz.live.inputs import Input, input_of
from tapeviz.markup.card import alert
from tapeviz.phrases import counted
from tapeviz.source.filenames import shown_name
from tapeviz.source.sites import read_lines
from tapeviz.validation import page_path, whole
from tapeviz.views.page.sliders_page import UnderSliders, sliders_page

SMOOTH = 0.25
"""Seconds: what takes longer to run and to draw follows a slider when it is let go, not while it is dragged."""
MOST_RECORDINGS = 400
"""In one file."""


class Explorer(UnderSliders):
    """A function under sliders; `explore` makes one, and each verb takes it as it takes its tape.

    `widget` is what a notebook shows: sliders, a message, the debugger. `values` are the arguments of the last run
    that went well, `tape` is its tape, and `gradients` the gradient of what it returned by each argument; `error` is
    what the last run raised, None if it went well.
    """

    def __init__(self, function: Callable[..., Any], inputs: list[Input], caller: FrameType) -> None:
        self.values: dict[str, Any] = {}
        self.tape: GradientTape | None = None
        self.gradients: dict[str, Any] = {}
        self.error: Exception | None = None
        self._function = function
        self._inputs = inputs
        self._again = runner_at(caller)
        self._debugger: LiveDebugger | None = None
        self._message = ipywidgets.HTML()
        controls = [each.control for each in inputs]
        self.widget = ipywidgets.VBox([*controls, self._message])
        for control in controls:
            control.observe(self._moved, "value")
        self._again(self._update)

    @property
    def log(self) -> EventLog:
        """The log of the last run that went well.

        Raises:
            LogError: there was none yet.
        """
        if self.tape is None:
            raise LogError(f"{name_of(self._function)} has raised an error at every setting so far: {self.error}")
        return self.tape.log

    @property
    def debugger(self) -> LiveDebugger | None:
        """The debugger below the sliders; None before the first run that went well."""
        return self._debugger

    def _moved(self, _change: Any) -> None:
        self._again(self._update)

    def _update(self) -> None:
        """Run the function and show what came of it; what it raises is shown in its place."""
        started = time.perf_counter()
        try:
            self._run()
        except Exception as error:
            self.error = error
            self._message.value = _error_card(error)
            return
        self.error = None
        self._message.value = ""
        self._show()
        # The front end sends the next value of a slider once this one is done, and leaves out those between.
        smooth = time.perf_counter() - started < SMOOTH
        for each in self._inputs:
            if isinstance(each.control, ipywidgets.FloatSlider):
                each.control.continuous_update = smooth

    def _run(self) -> None:
        values = {each.name: each.value for each in self._inputs}
        self.tape, self.gradients = self._recorded(values)
        self.values = values

    def _recorded(self, values: Mapping[str, Any]) -> tuple[GradientTape, dict[str, Any]]:
        """The tape of the function at these values, and the gradient by each of them."""
        variables = {name: Variable(value, name=name) for name, value in values.items()}
        with GradientTape() as tape:
            target = self._function(**variables)
        returned_tensors("explore", self._function, target)
        gradients = tape.gradient(target, list(variables.values()))
        return tape, dict(zip(variables, gradients, strict=True))

    def save_html(
        self,
        path: str | os.PathLike[str],
        *,
        values: str = "kept",
        sources: bool = True,
        title: str | None = None,
        stops: int = 11,
    ) -> Path:
        """Write sliders and debugger into one HTML file, which opens offline in any browser.

        Nothing runs there: the function is recorded now, at each stop of each slider, and where several are together at
        each combination. Arrays keep the values that they have.

        Args:
            path: the file to write; it ends in .html.
            values: "none" leaves the numbers of the program out; those of the sliders stay.
            sources: False leaves its source lines and file names out.
            title: of the page; by default the name of the function.
            stops: the number of values from one end of a slider to the other.

        Returns:
            The path of the file.

        Raises:
            ValueError: a path that does not end in .html, an unknown `values`, fewer than 2 stops, or more than 400
                recordings.
            FileNotFoundError: a folder that is not there.

        >>> import tempfile
        >>> import tapeviz as tv
        >>> explored = tv.explore(lambda x: tv.square(x - 1.0), x=(0.0, 2.0))
        >>> explored.save_html(Path(tempfile.mkdtemp()) / "parabola.html", stops=3).name
        'parabola.html'
        """
        target = page_path(path, "explored.save_html('lecture.html')")
        kept = Defaults.keeps(values)
        sliders = [each.slider(stops) for each in self._inputs if each.is_number]
        count = whole(stops, "stops", "a number of values") ** len(sliders)
        if stops < 2 or count > MOST_RECORDINGS:
            asked = f"{counted(len(sliders), 'slider')} with {counted(stops, 'stop')}: {counted(count, 'recording')}"
            raise ValueError(f"{asked}. Let stops be at least 2, and recordings at most {MOST_RECORDINGS}.")
        settings = product(*(each.stops for each in sliders))
        recordings = (self._at(dict(zip((each.name for each in sliders), each, strict=True))) for each in settings)
        title = title or name_of(self._function)
        atomic.write(target, sliders_page(title, sliders, recordings, values=kept, sources=sources).encode())
        return target

    def _at(self, numbers: Mapping[str, float]) -> GradientTape | str:
        """The tape of the function with these numbers, or what it raised."""
        found: list[GradientTape | str] = []

        def record() -> None:
            try:
                values = {each.name: each.value for each in self._inputs if not each.is_number}
                found.append(self._recorded({**values, **numbers})[0])
            except Exception as error:
                found.append(f"{type(error).__name__}: {error}")

        self._again(record)
        return found[0]

    def _show(self) -> None:
        if self._debugger is not None:
            self._debugger.follow(self.tape)
            return
        self._debugger = LiveDebugger(self.tape, {each.name: each.type for each in self._inputs})
        self.widget.children = (*self.widget.children, self._debugger)

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return self.widget._repr_mimebundle_(**options)

    def __repr__(self) -> str:
        if self.error is not None:
            return f"<Explorer of {name_of(self._function)}: {type(self.error).__name__}: {self.error}>"
        settings = ", ".join(f"{name}={value}" for name, value in self.values.items())
        return f"<Explorer of {name_of(self._function)}({settings})>"


def explore(function: Callable[..., Any], /, **arguments: Any) -> Explorer:
    """Sliders for the arguments of a function; moving one runs it again, and the debugger follows in place.

    A value can also be typed into the card of a variable. An error that the function raises is shown with its line,
    and the sliders go on working. The page stays at its run, step and tensor as far as the new recording has them.

    Args:
        function: it gets one `Variable` per keyword, and returns the target, a tensor of any shape.
        arguments: its arguments by name. A pair is the range of a slider, which starts in the middle; a number gets a
            range around itself; an array is typed as text.

    Returns:
        The explorer, which a notebook shows, and whose `save_html` writes a page that needs no kernel. Its `values`,
        `gradients` and `tape` are those of the last run that went well; its `error` is what the last run raised.

    Raises:
        TypeError: no argument, one that `function` does not take, or one that is neither a number, nor a pair, nor an
            array.
        ValueError: a pair that is no range.

    >>> import tapeviz as tv
    >>> explored = explore(lambda x, w: tv.square(x * w - 1.0), x=3.0, w=(0.0, 2.0))
    >>> explored.values, explored.gradients["w"].numpy()
    ({'x': 3.0, 'w': 1.0}, np.float32(12.0))
    >>> slider = explored.widget.children[0]
    >>> slider.value = 1.0
    >>> explored.values["x"], float(explored.gradients["w"])
    (1.0, 0.0)
    """
    inputs = [input_of(name, given) for name, given in arguments.items()]
    require_arguments("explore", function, arguments)
    return Explorer(function, inputs, users_frame(1))


def _error_card(error: Exception) -> str:
    """The error, and the user's line that it came from, as HTML."""
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if not is_library(frame.filename) and frame.lineno
    ]
    return alert(type(error).__name__, str(error), _place(frames[-1]) if frames else None)


def _place(frame: traceback.FrameSummary) -> tuple[str, str]:
    """Line and text of a frame; the lines of a notebook's cell are where IPython keeps them."""
    lines = read_lines(frame.filename)
    number = frame.lineno or 0
    text = lines[number - 1].strip() if number <= len(lines) else frame.line or ""
    return f"{shown_name(frame.filename)}, line {number}, in {frame.name}", text
