"""What goes wrong in real life: a clear error or the right picture, nothing lost, nothing run."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.errors import InvalidArgumentError, LogError
from tapeviz.views.page.html import unpacked

EVIL = '</script><script>document.title="run"</script>'


def recorded() -> tuple[tv.GradientTape, tv.Tensor, tv.Variable]:
    x = tv.Variable([1.0, 2.0])
    with tv.GradientTape(persistent=True) as tape:
        y = tv.reduce_sum(x * x)
    return tape, y, x


def used_up() -> None:
    x = tv.Variable(1.0)
    with tv.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    tape.gradient(y, x)


WRONG: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "a target that is text": (lambda: recorded()[0].gradient("loss", recorded()[2]), TypeError, "got str 'loss'"),
    "a target that is an array": (
        lambda: recorded()[0].gradient(np.ones(2), recorded()[2]),
        AttributeError,
        "got ndarray",
    ),
    "a source that is a number": (
        lambda: recorded()[0].gradient(recorded()[1], 3.0),
        AttributeError,
        "a source must be",
    ),
    "no target": (lambda: recorded()[0].gradient(None, recorded()[2]), TypeError, "received None"),
    "a used tape": (used_up, RuntimeError, "only be used to compute one set of gradients"),
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
    "a module that is missing": (
        lambda: tv.distribute,
        AttributeError,
        "^module 'tapeviz' has no attribute 'distribute' yet.$",
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
    "an op that is missing": (lambda: tv.reduce_summ, AttributeError, "reduce_sum"),
    "a page that is no page": (lambda: tv.save_html(recorded()[0], "tape.ipynb"), ValueError, r"\.html"),
    "values that are no mode": (lambda: tv.configure(values="some"), ValueError, '"kept" or "none"'),
    "a tangent of another shape": (
        lambda: tv.autodiff.ForwardAccumulator(tv.ones(2), tv.ones(3)),
        ValueError,
        r"\(2,\).*\(3,\)",
    ),
    "a negative budget": (lambda: tv.record(max_bytes=-1), ValueError, "negative"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_clear_error(case: str) -> None:
    call, error, message = WRONG[case]
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
        y = tv.reduce_sum(tv.math.log(x) / x)
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


@pytest.mark.slow
def test_a_chain_of_100_000_ops(tmp_path: Path) -> None:
    x = tv.Variable(1.0)
    with tv.record(values="none") as log:
        with tv.GradientTape() as tape:
            y = x
            for _ in range(100_000):
                y = y * 1.0
        assert float(tape.gradient(y, x)) == 1.0
    assert list(tv.diagnose(log)) == []
    tv.draw(log, tmp_path / "chain.svg")
    assert (tmp_path / "chain.svg").stat().st_size < 500_000


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
