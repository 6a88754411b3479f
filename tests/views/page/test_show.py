"""What a notebook or a terminal shows."""

from __future__ import annotations

import base64
import re
from html import unescape

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.views.page import show
from tapeviz.views.page.document import document
from tapeviz.views.payload import payload
from tapeviz.views.reports.text import text


def test_a_cell_holds_the_page_and_a_picture_and_is_small(tape):
    shown = show.bundle(tape)["text/html"]
    assert len(shown.encode()) < 200_000
    [page] = re.findall(r"srcdoc='([^']*)'", shown)
    assert unescape(page) == document(payload(tape))
    [picture] = re.findall(r'src="data:image/svg\+xml;base64,([^"]*)"', shown)
    assert base64.b64decode(picture).startswith(b"<svg")


def test_a_cell_of_a_thousand_ops_that_opens_folded_is_small():
    numbers = np.random.default_rng(1)
    weights = [tf.Variable(numbers.standard_normal((8, 8)), dtype=tf.float32) for _ in range(250)]
    with tf.GradientTape() as tape:
        h = tf.ones((4, 8))
        for w in weights:
            h = tf.tanh(h @ w * 0.5 + h)
        loss = tf.reduce_sum(h)
    tape.gradient(loss, weights)
    assert len(show.bundle(tape)["text/html"].encode()) < 500_000


def test_the_frame_is_a_sandbox_without_the_notebook_in_it(tape):
    [sandbox] = re.findall(r'sandbox="([^"]*)"', show.bundle(tape)["text/html"])
    assert set(sandbox.split()) == {"allow-scripts", "allow-downloads", "allow-popups"}


def test_where_frames_are_dropped_a_picture_stays_and_how_to_get_the_page(tape):
    left = re.sub("<iframe.*</iframe>", "", show.bundle(tape)["text/html"], flags=re.DOTALL)
    assert "<img " in left
    assert "trust the notebook" in left
    assert "querySelectorAll('img,small')" in show.bundle(tape)["text/html"]  # both go where the page is shown


def test_a_terminal_gets_the_text(tape, capsys):
    assert show.bundle(tape)["text/plain"] == repr(tape)
    show.show(tape)
    assert capsys.readouterr().out.strip() == text(tape)


def test_a_tape_that_was_never_entered_is_a_line():
    tape = tf.GradientTape()
    assert tape._repr_mimebundle_() == {"text/plain": repr(tape)}


def test_a_notebook_gets_the_page(monkeypatch):
    shown = []

    class Shell:
        class display_pub:
            publish = staticmethod(shown.append)

    class IPython:
        get_ipython = Shell

    monkeypatch.setitem(show.sys.modules, "IPython", IPython)
    monkeypatch.setattr(show, "bundle", lambda subject: {"text/html": f"the page of {subject}"})
    show.show("a tape")
    assert shown == [{"text/html": "the page of a tape"}]


@pytest.mark.parametrize("asked", [False, True])
def test_a_tape_without_ops_and_one_without_a_gradient_are_shown(asked):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        if asked:
            _ = x * x
    assert "srcdoc='" in show.bundle(tape)["text/html"]


def test_what_has_no_log_is_refused():
    with pytest.raises(TypeError, match="Nothing recorded in an int"):
        show.show(3)
    with pytest.raises(TypeError, match="Nothing recorded in a Tensor"):
        show.bundle(tf.constant(1.0))
