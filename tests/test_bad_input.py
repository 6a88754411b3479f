"""What goes wrong in real life: a clear error or the right picture, nothing lost, nothing run."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.engine.forward import ForwardAccumulator
from tapeviz.errors import InvalidArgumentError, LogError
from tapeviz.views.page.document import unpacked
from tests.engine import names

HERE = Path(__file__).parent
EVIL = '</script><script>document.title="run"</script>'


def recorded() -> tuple[tv.GradientTape, tv.Tensor, tv.Variable]:
    x = tv.Variable([1.0, 2.0])
    with tv.GradientTape(persistent=True) as tape:
        y = tv.reduce_sum(x * x)
    return tape, y, x


def differentiated() -> tv.GradientTape:
    tape, y, x = recorded()
    tape.gradient(y, x)
    return tape


def squared_along(direction: tv.Tensor) -> tv.Tensor:
    x = tv.ones(2)
    with ForwardAccumulator(x, direction):
        return x * x


def used_up() -> None:
    x = tv.Variable(1.0)
    with tv.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    tape.gradient(y, x)


Wrong = tuple[Callable[[], Any], type[Exception], str]
"""What is called, and the class and the words of its error."""

WRONG: dict[str, Wrong] = {
    "a target that is text": (lambda: recorded()[0].gradient("loss", recorded()[2]), TypeError, "got str 'loss'"),
    "a target that is an array": (
        lambda: recorded()[0].gradient(np.ones(2), recorded()[2]),
        AttributeError,
        "got numpy.ndarray",
    ),
    "a source that is a number": (
        lambda: recorded()[0].gradient(recorded()[1], 3.0),
        AttributeError,
        "a source must be",
    ),
    "no target": (lambda: recorded()[0].gradient(None, recorded()[2]), TypeError, "received None"),
    "a used tape": (used_up, RuntimeError, "non-persistent GradientTape gives one gradient.*for more, write"),
    "mismatched shapes": (
        lambda: tv.ones(2) + tv.ones(3),
        InvalidArgumentError,
        r"^Incompatible shapes: \[2\] vs\. \[3\]\. In add of .*\(2,\).*\(3,\)",
    ),
    "inner lengths": (
        lambda: tv.ones((2, 3)) @ tv.ones((2, 3)),
        InvalidArgumentError,
        r"In\[0\]: \[2,3\], In\[1\]: \[2,3\]\. In matmul of \(2, 3\) times \(2, 3\) the inner lengths, 3 and 2",
    ),
    "mixed dtypes": (lambda: tv.ones(2) + tv.ones(2, tv.float64), InvalidArgumentError, "float32.*float64.*tf.cast"),
    "watching an array": (lambda: tv.GradientTape().watch(np.ones(2)), ValueError, "Make it a tensor first"),
    "why of a stranger": (lambda: tv.why(recorded()[0], tv.constant(1.0), recorded()[2]), LogError, "never mentions"),
    "why of a number": (lambda: tv.why(recorded()[0], 3.0, recorded()[2]), LogError, "not a tensor of"),
    "why of an unknown name": (lambda: tv.why(recorded()[0], "lost", "x"), LogError, "is called 'lost'"),
    "a verb on something else": (lambda: tv.debug([1, 2]), TypeError, "GradientTape"),
    "draw of something else": (lambda: tv.draw("tape"), TypeError, "GradientTape"),
    "diagnose of something else": (lambda: tv.diagnose(3.0), TypeError, "GradientTape"),
    "an engine that is none": (lambda: tv.draw(recorded()[0], engine="dotty"), ValueError, "graphviz"),
    "a format that is none": (lambda: tv.draw(recorded()[0], "tape.xyz"), ValueError, "svg"),
    "a tape never entered": (lambda: tv.draw(tv.GradientTape()), RuntimeError, "never|nothing was recorded"),
    "a page that is no page": (lambda: tv.save_html(recorded()[0], "tape.ipynb"), ValueError, r"\.html"),
    "values that are no mode": (lambda: tv.configure(values="some"), ValueError, '"kept", "norms" or "none"'),
    "a tangent of another shape": (
        lambda: squared_along(tv.ones(3)),
        ValueError,
        r"\(2,\).*\(3,\)",
    ),
    "a negative budget": (lambda: tv.record(max_bytes=-1), ValueError, "negative"),
    "a budget in words": (
        lambda: tv.configure(max_bytes="64MB"),
        TypeError,
        "max_bytes is a number of bytes, such as 64 << 20; got '64MB'",
    ),
    "a budget of a recording in words": (lambda: tv.record(max_bytes="1"), TypeError, "max_bytes is a number of bytes"),
    "a ring of a truth": (lambda: tv.configure(ring=True), TypeError, "ring is a number of ops; got True"),
    "a ring in words": (lambda: tv.configure(ring="all"), TypeError, "ring is a number of ops; got 'all'"),
    "steps in words": (lambda: tv.record(steps="3"), TypeError, "steps is a whole number of tapes; got '3'"),
    "a step that is no number": (
        lambda: tv.check_step(differentiated(), "a"),
        TypeError,
        "step is the number of a rule, counted from 1; got 'a'",
    ),
    "a run that is no number": (
        lambda: tv.frames(differentiated(), "slides", run="x"),
        TypeError,
        "run is the number of a backward pass, counted from 0; got 'x'",
    ),
    "no function to check": (lambda: tv.check_gradients(3, 2.0), TypeError, "pass a function first, .* got an int"),
    "no function to explore": (
        lambda: tv.explore(3, x=1.0),
        TypeError,
        "explore: pass a function first, .* got an int",
    ),
    "no function for two modes": (
        lambda: tv.modes("f", x=1.0),
        TypeError,
        "modes: pass a function first, .* got a str",
    ),
    "a limit that is no number": (lambda: tv.History(limit="9"), TypeError, "limit is a number of steps; got '9'"),
    "nothing in place of a tape": (lambda: tv.why(None, "y", "x"), TypeError, "Nothing recorded in None: pass a Grad"),
    "a tensor in place of a tape": (
        lambda: tv.why(tv.constant(1.0), "y", "x"),
        TypeError,
        r"in a Tensor: the tape, or the log, comes first, as in tv\.why\(tape, loss, w\)",
    ),
    "a file in place of a log": (
        lambda: tv.why(__file__, "y", "x"),
        TypeError,
        r"in a str: read the file first, log = tv\.load\('.*test_bad_input\.py'\)",
    ),
    "arguments turned round": (
        lambda: tv.save_html("tape.html", recorded()[0]),
        TypeError,
        r"tv\.save_html: the path is a GradientTape; write tv\.save_html\(tape, 'tape\.html'\)",
    ),
    "a page without a path": (lambda: tv.save_html(recorded()[0], None), TypeError, "tv.save_html: the path is None"),
    "a picture to a number": (lambda: tv.draw(recorded()[0], 3), TypeError, "tv.draw: the path is an int"),
    "a log to a number": (lambda: tv.save(recorded()[0], 3), TypeError, "tv.save: the path is an int"),
    "a log over a page": (
        lambda: tv.save(recorded()[0], "page.html"),
        ValueError,
        r"tv\.save writes a log, and 'page\.html' ends in \.html: tv\.save_html writes a page",
    ),
    "a log out of a number": (lambda: tv.load(3), TypeError, r"tv\.load: the path is an int; write tv\.load\("),
    "a log that is not there": (lambda: tv.load("lost.tape"), FileNotFoundError, "there is no file 'lost.tape'"),
    "a log that is a folder": (lambda: tv.load(HERE), IsADirectoryError, "'.*tests' is a folder; name a file in it"),
    "a log to a folder": (lambda: tv.save(recorded()[0], HERE), IsADirectoryError, "'.*tests': it is a folder"),
    "a picture in no folder": (
        lambda: tv.draw(recorded()[0]).save("nowhere/tape.svg"),
        FileNotFoundError,
        "cannot save tape.svg: there is no folder 'nowhere'; make it first",
    ),
    "a film in no folder": (
        lambda: tv.animate(differentiated(), "nowhere/tape.gif"),
        FileNotFoundError,
        "there is no folder 'nowhere'",
    ),
    "slides into a file": (
        lambda: tv.frames(differentiated(), __file__),
        NotADirectoryError,
        r"cannot write into '.*test_bad_input\.py': it is a file; name a folder",
    ),
}


@pytest.fixture(params=WRONG.values(), ids=WRONG)
def wrong(request: pytest.FixtureRequest) -> Wrong:
    return request.param


def test_a_clear_error(wrong: Wrong) -> None:
    call, error, message = wrong
    with pytest.raises(error, match=message):
        call()


def everything(tape: Any, folder: Path) -> str:
    """Every view of a tape; the text of the page."""
    tv.draw(tape, folder / "tape.svg")
    tv.draw(tape, folder / "tape.png")
    tv.to_dot(tape)
    tv.plot(tape)
    tv.diagnose(tape)
    repr(tape)
    tape._repr_mimebundle_()
    return tv.save_html(tape, folder / "tape.html").read_text()


def test_a_source_of_another_tape(tmp_path: Path) -> None:
    x = tv.constant(2.0)
    with tv.GradientTape() as first:
        first.watch(x)
        x * x
    with tv.GradientTape() as second:
        y = x * 3.0
    assert second.gradient(y, x) is None
    assert tv.why(second, y, x).cause == "not_watched"
    everything(second, tmp_path)


def test_nan_and_infinity(tmp_path: Path) -> None:
    x = tv.Variable([0.0, 1.0, -1.0])
    with tv.GradientTape() as tape:
        y = tv.reduce_sum(names.math.log(x) / x)
    gradient = tape.gradient(y, x).numpy()
    assert not math.isfinite(gradient[0])
    page = everything(tape, tmp_path)
    assert "NaN" in unpacked(page)["tapeviz-payload"]


def test_an_empty_tensor(tmp_path: Path) -> None:
    x = tv.Variable(tv.zeros((0, 3)))
    with tv.GradientTape() as tape:
        y = tv.reduce_sum(x * 2.0)
    assert tape.gradient(y, x).shape == (0, 3)
    everything(tape, tmp_path)


def test_an_exception_inside_the_block(tmp_path: Path) -> None:
    x = tv.Variable(2.0)
    tape = tv.GradientTape()
    with pytest.raises(ZeroDivisionError), tape:  # noqa: PT012 - the block is what is tested
        y = x * x
        1 / 0  # noqa: B018
    everything(tape, tmp_path)
    assert float(tape.gradient(y, x)) == 4.0
    with tv.GradientTape() as after:
        z = x * 3.0
    assert float(after.gradient(z, x)) == 3.0


def test_an_untouched_and_an_empty_tape(tmp_path: Path) -> None:
    x = tv.Variable(2.0)
    with tv.GradientTape() as tape:
        x * x
    everything(tape, tmp_path)
    with tv.GradientTape() as empty:
        pass
    everything(empty, tmp_path)


@pytest.mark.parametrize("name", [EVIL, 'quote" and \\ back', "line\nbreak", "ünïcode ∂", "{x}", "$\\frac", "%s", ""])
def test_names_are_only_text(name: str, tmp_path: Path) -> None:
    w = tv.Variable(2.0, name=name)
    with tv.GradientTape() as tape:
        y = w * w
    tape.gradient(y, w)
    page = everything(tape, tmp_path)
    assert EVIL not in page
    assert EVIL not in (tmp_path / "tape.svg").read_text()
    assert EVIL not in str(tape._repr_mimebundle_())
    assert EVIL not in tv.why(tape, y, w)._repr_html_()
