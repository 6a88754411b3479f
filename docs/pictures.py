"""Programs -> the pictures in the README, taken of saved pages in Chromium.

python -m docs.pictures [NAME ...]     writes docs/images/*.png
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from playwright.sync_api import Page, sync_playwright

import tapeviz as tf
from benchmarks.page_programs import transformer
from docs import lesson
from tests.browser.chromium import ADVICE, FLAGS, find_browser

FOLDER = Path(__file__).with_name("images")


def perceptron() -> tf.GradientTape:
    """Two layers, a penalty on their weights, and a variable that nothing uses."""
    random = np.random.default_rng(0)

    def variable(name: str, *shape: int) -> tf.Variable:
        return tf.Variable(random.standard_normal(shape).astype(np.float32) / 2, name=name)

    w1, b1, w2, b2 = variable("w1", 4, 16), variable("b1", 16), variable("w2", 16, 3), variable("b2", 3)
    unused = tf.Variable(1.0, name="unused")
    images, labels = tf.constant(random.standard_normal((8, 4)), tf.float32), tf.constant(np.arange(8) % 3)
    with tf.GradientTape() as tape:
        logits = tf.matmul(tf.nn.relu(tf.matmul(images, w1) + b1), w2) + b2
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
        penalty = tf.reduce_sum(w1**2) + tf.reduce_sum(w2**2)
        loss = tf.reduce_mean(losses) + 0.01 * penalty
    tape.gradient(loss, [w1, b1, w2, b2, unused])
    return tape


def port() -> Any:
    """A step of training in PyTorch, and its port to JAX."""
    from docs.two_frameworks.model import in_torch
    from docs.two_frameworks.port import in_jax

    return tf.compare(in_torch, in_jax)


class Picture(NamedTuple):
    """A picture to take: `shown` makes what has a page, which is opened at `address`; `lens` is what its boxes show."""

    shown: Callable[[], Any]
    address: str
    height: int
    dark: bool = False
    lens: str | None = None


PICTURES = {
    "debugger": Picture(lambda: lesson.tape, "step=4", 700),
    "gradient": Picture(perceptron, "", 760, dark=True, lens="gradient"),
    "lecture": Picture(lambda: lesson.tape, "step=3&lecture&predict", 700),
    "folded": Picture(lambda: transformer(30), "step=300", 660, dark=True),
    "compared": Picture(port, "", 800),
}


def take(page: Page, name: str, picture: Picture, folder: Path) -> None:
    """Open the page of a picture, and photograph it."""
    path, shown = folder / f"{name}.html", picture.shown()
    file = tf.save_html(shown, path) if isinstance(shown, tf.GradientTape) else shown.save_html(path)
    page.set_viewport_size({"width": 1120, "height": picture.height})
    page.emulate_media(color_scheme="dark" if picture.dark else "light", reduced_motion="reduce")
    page.goto(f"{Path(file).as_uri()}#{picture.address}")
    page.locator(".debugger[data-ready], main[data-theme]").wait_for()
    if picture.lens:
        page.locator(".legend select").select_option(picture.lens)
    page.screenshot(path=FOLDER / f"{name}.png")


def main(names: Sequence[str]) -> None:
    """Take the pictures of these names, or all of them."""
    browser = find_browser()
    if browser is None:
        raise SystemExit(ADVICE)
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = playwright.chromium.launch(executable_path=browser, args=list(FLAGS)).new_page()
        for name in names or PICTURES:
            take(page, name, PICTURES[name], Path(folder))


if __name__ == "__main__":
    main(sys.argv[1:])
