"""What a program freezes by a line of its own is not missed in a list of sources."""

from __future__ import annotations

from textwrap import dedent

import pytest

from tapeviz.diagnosis.diagnose import diagnose
from tapeviz.events import Site
from tapeviz.source.freezing import is_frozen
from tapeviz.source.text import SourceText
from tests.diagnosis.programs import run


@pytest.mark.parametrize(
    ("text", "frozen"),
    [
        ("base = Net()\nbase.trainable = False", True),
        ("base = Net()\nbase.trainable = True", False),
        ("base = Net()\nhead.trainable = False", False),
        ("base = Net(\n)\nfor layer in base.layers[:-1]:\n    layer.trainable = False", True),
        ("base = Net()\nfor layer in head.layers:\n    layer.trainable = False", False),
        ("self.base = Net()\nself.base.trainable = False", True),
        ("self.base = Net()\nself.head.trainable = False", False),
        ("model = Net([base, head])\nbase.trainable = False", True),
        ("model(x)\nbase.trainable = False", True),
        ("model(x)", False),
        ("no python (", False),
    ],
)
def test_a_line_freezes_what_another_makes(text: str, frozen: bool) -> None:
    lines = text.splitlines(keepends=True)
    assert is_frozen(SourceText(lines), Site("f.py", 1, 1, 0, 0, "", lines[0].strip())) is frozen


@pytest.mark.parametrize(("line", "causes"), [("base.trainable = False", []), ("pass", ["untracked_parameter"])])
def test_a_frozen_network_below_a_head_is_no_oversight(framework: str, line: str, causes: list[str]) -> None:
    text = f"""
        base, head = tf.keras.layers.Dense(2), tf.keras.layers.Dense(1)
        base.build((None, 3)), head.build((None, 2))
        {line}
        for _ in range(2):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(head(base(tf.ones([4, 3]))) ** 2)
            for w, g in zip(head.trainable_weights, tape.gradient(loss, head.trainable_weights)):
                w.assign_sub(0.1 * g)
        """
    assert [each.cause for each in diagnose(run(dedent(text), pytest.importorskip(framework)))] == causes
