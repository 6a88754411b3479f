"""The live debugger, from Python's side."""

from __future__ import annotations

import pytest
from traitlets import TraitError

import tapeviz as tf
from tapeviz.views import frontend
from tapeviz.views.page.widget import Debugger
from tapeviz.views.payload import columns, payload

STEPS = 2


@pytest.fixture
def x():
    return tf.Variable(3.0, name="x")


@pytest.fixture
def tape(x):
    with tf.GradientTape(persistent=True) as tape:
        y = x * x * x
    tape.gradient(y, x)
    tape.gradient(y, x)
    return tape


def test_it_opens_before_the_first_step_of_the_last_run(tape):
    widget = Debugger(tape)
    assert (widget.run, widget.step, widget.selected) == (1, 0, -1)
    assert widget.payload == payload(tape)


def test_without_a_run_it_opens_forward(x):
    with tf.GradientTape() as tape:
        _ = x * x
    widget = Debugger(tape.log)
    assert widget.run == -1
    widget.step = 1
    with pytest.raises(TraitError, match="step 2: run -1 has the steps 0 to 1"):
        widget.step = 2


def test_what_a_page_needs_travels_with_it(tape):
    state = Debugger(tape).get_state()
    assert state["_esm"] == frontend.module("widget.js")
    assert state["styles"] == frontend.css()
    assert {"payload", "run", "step", "selected", "unfolded"} <= set(state)
    assert columns.unpack(state["payload"]) == payload(tape)


def test_what_the_log_does_not_have_is_refused_and_changes_nothing(tape, x):
    widget = Debugger(tape)
    widget.step, widget.selected = 1, tape.log.id_of(x)
    for trait, value, message in [
        ("step", STEPS + 1, f"step 3: run 1 has the steps 0 to {STEPS}"),
        ("step", -1, "step -1"),
        ("run", 2, "run 2: this log has 2 runs"),
        ("run", -2, "run -2"),
        ("selected", 4711, "selected 4711: no tensor"),
        ("step", "1", "int"),
    ]:
        with pytest.raises(TraitError, match=message):
            setattr(widget, trait, value)
    assert (widget.run, widget.step, widget.selected) == (1, 1, tape.log.id_of(x))


def test_a_shorter_run_starts_over(x):
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
        z = y * x
    tape.gradient(y, x)
    tape.gradient(z, x)
    widget = Debugger(tape)
    widget.step = 2
    widget.run = 0
    assert widget.step == 0


def test_run_and_step_of_a_page_arrive_together(tape):
    widget = Debugger(tape)
    widget.set_state({"run": -1, "step": 2})
    assert (widget.run, widget.step) == (-1, 2)


def test_readers_without_widgets_get_a_picture(tape):
    data, metadata = Debugger(tape)._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    assert 'src="data:image/svg+xml;base64,' in data["text/html"]
    assert data["text/plain"] == "tape: 2 ops, y = 27.0"
    assert isinstance(metadata, dict)


def test_what_has_no_log_is_refused():
    with pytest.raises(TypeError, match="Nothing recorded in a str"):
        Debugger("tape")


def loop(rounds):
    x = tf.Variable(1.0, name="x")
    with tf.GradientTape() as tape:
        y = x
        for _ in range(rounds):
            y = tf.sin(y) * 1.5
    tape.gradient(y, x)
    return tape


def test_groups_unfold_by_their_index():
    widget = Debugger(loop(100))
    groups = widget.payload["scene"]["groups"]
    assert (groups[0]["title"], widget.unfolded) == ("iteration × 100", [0, 1, 111])
    widget.unfolded = [0, 1]
    with pytest.raises(TraitError, match=rf"unfolded \[4711\]: this log has {len(groups)} groups"):
        widget.unfolded = [4711]
    assert widget.unfolded == [0, 1]
    widget.follow(loop(100))
    assert widget.unfolded == [0, 1]
    widget.follow(loop(90))
    assert widget.unfolded == [0, 1, 100]


def test_notes_are_told_at_their_steps_and_stay_when_it_follows(tape, x):
    widget = Debugger(tape, notes={1: "The product of y and x."}, title="Products")
    told = {"1": {"words": ["The product of y and x."], "formulas": []}}
    assert (widget.payload["notes"], widget.payload["title"]) == (told, "Products")
    with tf.GradientTape() as other:
        y = x * x
    other.gradient(y, x)
    widget.follow(other)
    assert (widget.payload["notes"], widget.payload["title"]) == (told, "Products")
    assert tf.debug(tape, notes={0: "Start."}).payload["notes"]["0"]["words"] == ["Start."]
    assert tf.debug(tape).payload["notes"] == {}


def test_at_a_prompt_it_says_what_to_do(tape):
    said = repr(tf.debug(tape))
    assert said.startswith("<LiveDebugger, tape: 2 ops, y = 27.0: a notebook shows it")
    assert "tv.save_html(tape, 'tape.html')" in said
