"""Edits of programs of TensorFlow's: what they write, that the gradient is there then, and where none is offered."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from tests.diagnosis.fixes.healing import healed
from tests.diagnosis.fixes.programs import Faulty
from tests.diagnosis.fixes.running import PROGRAM, gradients, in_process
from tests.diagnosis.planted.symptoms import unhealthy

pytestmark = pytest.mark.tensorflow

CONTRAST = """
    import tensorflow as tf
    image, shift = tf.random.uniform([1, 2, 2, 3], seed=1), tf.Variable(0.1)
    with tf.GradientTape() as tape:
        seen = tf.image.adjust_contrast(image + shift * image, 1.5)
        loss = tf.reduce_sum(tf.square(seen))
    slope = tape.gradient(loss, shift)
    """

LOOKUP = """
    import tensorflow as tf
    pos, row = tf.Variable([1.3, 2.8]), tf.constant([0.0, 1.0, 4.0, 9.0])
    with tf.GradientTape() as tape:
        left = tf.cast(pos, tf.int64)
        loss = tf.reduce_sum(tf.square(tf.gather(row, left) - 5.0))
    slope = tape.gradient(loss, pos)
    """

ROUNDS = """
    import tensorflow as tf
    w, total = tf.Variable([1.0, 2.0]), tf.constant(0.0)
    for step in range(4):

        with tf.GradientTape() as tape:
            # a comment
            total = total + tf.reduce_sum(tf.square(w - float(step)))
        if step == 3:
            slope = tape.gradient(total, w)
    """

MEAN = "tf.reduce_mean(image + shift * image, axis=[-3, -2], keepdims=True)"

WRITTEN = {
    "a contrast": (CONTRAST, f"seen = (image + shift * image - {MEAN}) * 1.5 + {MEAN}"),
    "a place between two entries": (
        LOOKUP,
        "loss = tf.reduce_sum(tf.square((tf.gather(row, left) + (pos - tf.floor(pos)) * "
        "(tf.gather(row, tf.clip_by_value(left + 1, 0, row.shape[0] - 1)) - tf.gather(row, left))) - 5.0))",
    ),
}

UNWRITTEN = {
    "the contrast of what is computed anew": CONTRAST.replace("image + shift * image", "tf.tanh(image + shift)"),
    "a contrast with names for its arguments": CONTRAST.replace(", 1.5)", ", contrast_factor=1.5)"),
    "along an axis that is told": LOOKUP.replace("(row, left)", "(row, left, axis=0)"),
}


@pytest.mark.parametrize(("text", "written"), WRITTEN.values(), ids=WRITTEN)
def test_what_is_written_heals(text: str, written: str, tmp_path: Path) -> None:
    program = dedent(text)
    outcome = healed(Faulty("", "tensorflow", program, program, 1), tmp_path, in_process)
    assert outcome.is_healed, outcome
    assert [each.strip() for each in outcome.text.splitlines() if each not in program.splitlines()] == [written]
    assert unhealthy(gradients(outcome.text, "tensorflow")) == []


@pytest.mark.parametrize("text", UNWRITTEN.values(), ids=UNWRITTEN)
def test_nothing_is_offered_that_would_not_do(text: str, tmp_path: Path) -> None:
    (tmp_path / PROGRAM).write_text(dedent(text))
    found = in_process(tmp_path)
    assert found
    assert [each["patch"] for each in found] == [""] * len(found)


def test_one_tape_is_opened_around_all_rounds(tmp_path: Path) -> None:
    program = dedent(ROUNDS)
    loop, block = "for step in range(4):\n", "with tf.GradientTape() as tape:\n"
    mended = program.replace(f"    {block}", "").replace(loop, f"{block}    {loop}").replace("\n    if", "\n        if")
    mended = mended.replace("        slope", "            slope")
    outcome = healed(Faulty("", "tensorflow", program, program, 1), tmp_path, in_process)
    assert outcome.text == mended
    assert [each["cause"] for each in outcome.rounds[0]] == ["outside_tape"]
    assert "in an earlier round, on a tape of its own" in outcome.rounds[0][0]["message"]
    [slope] = gradients(mended, "tensorflow").values()
    assert slope is not None
    assert slope.tolist() == [8.0 * 1.0 - 12.0, 8.0 * 2.0 - 12.0]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("step == 3", "step > 1"),
        ("as tape", "as tape, open('/dev/null')"),
        ("(w - float", "(w + len('''\n            ''') - float"),
    ],
    ids=["a gradient in several rounds", "a block of two", "a text of several lines"],
)
def test_a_tape_stays_in_its_loop(old: str, new: str, tmp_path: Path) -> None:
    (tmp_path / PROGRAM).write_text(dedent(ROUNDS.replace(old, new)))
    found = in_process(tmp_path)
    assert [(each["cause"], each["patch"]) for each in found] == [("outside_tape", "")] * len(found)
    assert found


def test_the_contrast_that_is_written_out_has_the_same_numbers() -> None:
    tf = pytest.importorskip("tensorflow")
    image, shift = tf.random.uniform([2, 3, 3, 3], seed=2), tf.constant(0.2)
    written = WRITTEN["a contrast"][1].removeprefix("seen = ")
    own = eval(written, {"tf": tf, "image": image, "shift": shift})
    assert abs(own - tf.image.adjust_contrast(image + shift * image, 1.5)).numpy().max() < 1e-6
