"""The page in a file."""

from __future__ import annotations

import json

import pytest

import tapeviz as tf
from tapeviz.views.page.document import document, unpacked
from tapeviz.views.page.save_html import save_html
from tapeviz.views.payload import payload
from tapeviz.views.payload.columns import unpack


def test_saving_says_where(tape, tmp_path):
    path = save_html(tape, str(tmp_path / "lecture.html"))
    assert path == tmp_path / "lecture.html"
    assert path.read_text(encoding="utf-8") == document(payload(tape))
    assert save_html(tape.log, path) == path


def test_saving_leaves_out_what_it_is_told_to(tape, tmp_path):
    full = save_html(tape, tmp_path / "full.html").read_text()
    bare = save_html(tape, tmp_path / "bare.html", values="none", sources=False).read_text()
    assert "tf.nn.relu(x @ w1)" in unpacked(full)["tapeviz-payload"]
    assert "tf.nn.relu(x @ w1)" not in unpacked(bare)["tapeviz-payload"]
    assert all(
        tensor["value"] is None for tensor in unpack(json.loads(unpacked(bare)["tapeviz-payload"]))["tensors"].values()
    )


@pytest.mark.parametrize("values", [False, "off"])
def test_what_to_leave_out_is_said_as_for_logs(tape, tmp_path, values):
    with pytest.raises(ValueError, match=rf"values must be \"kept\" or \"none\", got {values!r}"):
        save_html(tape, tmp_path / "page.html", values=values)
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["lecture.txt", "lecture", "data.npy"])
def test_only_html_files_are_written(tape, tmp_path, name):
    path = tmp_path / name
    path.write_text("precious")
    with pytest.raises(ValueError, match=r"writes an HTML file.*does not end in \.html"):
        save_html(tape, path)
    assert path.read_text() == "precious"


def test_a_folder_that_is_not_there_is_named(tape, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"cannot save a\.html: there is no folder .*nowhere"):
        save_html(tape, tmp_path / "nowhere" / "a.html")


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
        save_html(tape, tmp_path / "a.html", notes=notes)
    with pytest.raises(error, match=told):
        tf.debug(tape, notes=notes)
    assert not (tmp_path / "a.html").exists()


def test_what_has_no_log_is_refused(tmp_path):
    with pytest.raises(TypeError, match="Nothing recorded in an int"):
        save_html(3, tmp_path / "a.html")
