"""The offline page, and the output of a cell."""

from __future__ import annotations

import base64
import json
import re
from html import unescape

import pytest

import tapeviz as tf
from tapeviz.views.page import html
from tapeviz.views.payload import payload
from tapeviz.views.payload.columns import unpack
from tapeviz.views.reports.text import text

HOSTILE = "</script><script>alert(1)</script><!--"


@pytest.fixture
def tape():
    """A step of a two-layer network: 15 ops and a name that would end a script element."""
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    w1 = tf.Variable([[0.5, -1.0], [0.25, 1.0]], name="w1")
    w2 = tf.Variable([[1.0], [2.0]], name=HOSTILE)
    with tf.GradientTape() as tape:
        h = tf.nn.relu(x @ w1)
        y = tf.tanh(h @ w2)
        for _ in range(8):
            y = y * 0.9
        loss = tf.reduce_mean(tf.square(tf.sigmoid(y)))
    tape.gradient(loss, [w1, w2])
    return tape


def shown(page):
    """The payload in a page."""
    return unpack(json.loads(html.unpacked(page)["tapeviz-payload"]))


def test_the_page_holds_the_payload_and_nothing_of_it_is_run(tape):
    packed = payload(tape)
    page = html.document(packed)
    assert shown(page) == json.loads(json.dumps(packed))
    # Nothing of the user's is in the page but in the packed part, whose letters cannot end a script element.
    assert "alert(1)" not in page + html.unpacked(page)["tapeviz-module"]
    assert re.fullmatch(r"[\w+/=]+", re.findall(r'id="tapeviz-packed">(.*?)</script>', page, re.DOTALL)[0])


def test_the_page_may_reach_nothing(tape):
    page = html.document(payload(tape))
    [policy] = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy.startswith("default-src 'none'; ")
    text = page + "".join(html.unpacked(page).values())
    assert "http:" not in policy + text.replace("http://www.w3.org/", "")
    assert "https:" not in policy + text
    assert not re.search(r"<(link|img|iframe)\b|\bsrc=", page.split("<script")[0])


def test_the_title_is_escaped():
    page = html.document({"title": "<b>&"})
    assert page.count("&lt;b&gt;&amp;") == 2
    assert "<b>" not in page.split("<script")[0]


def test_equal_logs_give_equal_pages(tape):
    assert html.document(payload(tape)) == html.document(payload(tape.log))


def test_saving_says_where(tape, tmp_path):
    path = html.save_html(tape, str(tmp_path / "lecture.html"))
    assert path == tmp_path / "lecture.html"
    assert path.read_text(encoding="utf-8") == html.document(payload(tape))
    assert html.save_html(tape.log, path) == path


def test_saving_leaves_out_what_it_is_told_to(tape, tmp_path):
    full = html.save_html(tape, tmp_path / "full.html").read_text()
    bare = html.save_html(tape, tmp_path / "bare.html", values="none", sources=False).read_text()
    assert "tf.nn.relu(x @ w1)" in html.unpacked(full)["tapeviz-payload"]
    assert "tf.nn.relu(x @ w1)" not in html.unpacked(bare)["tapeviz-payload"]
    assert all(tensor["value"] is None for tensor in shown(bare)["tensors"].values())


@pytest.mark.parametrize("values", [False, "off"])
def test_what_to_leave_out_is_said_as_for_logs(tape, tmp_path, values):
    with pytest.raises(ValueError, match=rf"values must be \"kept\" or \"none\", got {values!r}"):
        html.save_html(tape, tmp_path / "page.html", values=values)
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["lecture.txt", "lecture", "data.npy"])
def test_only_html_files_are_written(tape, tmp_path, name):
    path = tmp_path / name
    path.write_text("precious")
    with pytest.raises(ValueError, match=r"writes an HTML file.*does not end in \.html"):
        html.save_html(tape, path)
    assert path.read_text() == "precious"


def test_a_folder_that_is_not_there_is_named(tape, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"cannot save a\.html: there is no folder .*nowhere"):
        html.save_html(tape, tmp_path / "nowhere" / "a.html")


@pytest.mark.parametrize(
    ("notes", "error", "told"),
    [
        ({99: "never seen"}, ValueError, r"notes for step 99: the steps are 0 to \d+\."),
        ({-1: "never seen"}, ValueError, r"notes for step -1"),
        (["first", "second"], TypeError, r'as in \{1: "The square comes first\."\}, not a list'),
        ({"1": "a text"}, TypeError, r"write 1, not '1' nor 1\.0; got \['1'\]"),
    ],
)
def test_notes_that_nobody_would_read_are_refused(tape, tmp_path, notes, error, told):
    with pytest.raises(error, match=told):
        html.save_html(tape, tmp_path / "a.html", notes=notes)
    with pytest.raises(error, match=told):
        tf.debug(tape, notes=notes)
    assert not (tmp_path / "a.html").exists()


def test_what_has_no_log_is_refused(tmp_path):
    with pytest.raises(TypeError, match="Nothing recorded in an int"):
        html.save_html(3, tmp_path / "a.html")
    with pytest.raises(TypeError, match="Nothing recorded in an int"):
        html.show(3)
    with pytest.raises(TypeError, match="Nothing recorded in a Tensor"):
        html.bundle(tf.constant(1.0))


def test_a_cell_holds_the_page_and_a_picture_and_is_small(tape):
    cell = html.bundle(tape)["text/html"]
    assert len(cell.encode()) < 200_000
    [page] = re.findall(r"srcdoc='([^']*)'", cell)
    assert unescape(page) == html.document(payload(tape))
    [picture] = re.findall(r'src="data:image/svg\+xml;base64,([^"]*)"', cell)
    assert base64.b64decode(picture).startswith(b"<svg")


def test_a_cell_of_a_thousand_ops_that_opens_folded_is_small():
    weights = [tf.Variable(tf.random.normal((8, 8))) for _ in range(250)]
    with tf.GradientTape() as tape:
        h = tf.ones((4, 8))
        for w in weights:
            h = tf.tanh(h @ w * 0.5 + h)
        loss = tf.reduce_sum(h)
    tape.gradient(loss, weights)
    assert len(html.bundle(tape)["text/html"].encode()) < 500_000


def test_the_frame_is_a_sandbox_without_the_notebook_in_it(tape):
    [sandbox] = re.findall(r'sandbox="([^"]*)"', html.bundle(tape)["text/html"])
    assert set(sandbox.split()) == {"allow-scripts", "allow-downloads", "allow-popups"}


def test_a_terminal_gets_the_text(tape, capsys):
    assert html.bundle(tape)["text/plain"] == repr(tape)
    html.show(tape)
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

    monkeypatch.setitem(html.sys.modules, "IPython", IPython)
    monkeypatch.setattr(html, "bundle", lambda subject: {"text/html": f"the page of {subject}"})
    html.show("a tape")
    assert shown == [{"text/html": "the page of a tape"}]


@pytest.mark.parametrize("asked", [False, True])
def test_a_tape_without_ops_and_one_without_a_gradient_are_shown(asked):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        if asked:
            _ = x * x
    assert "srcdoc='" in html.bundle(tape)["text/html"]
