"""The reference is made of the docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import tapeviz
from docs import op_names
from docs.__main__ import chapters, main


def test_every_verb_and_every_namespace_is_in_it(tmp_path) -> None:
    path = tmp_path / "build" / "reference.html"
    main(path)
    text = path.read_text(encoding="utf-8")
    for name in [*tapeviz.VERBS, "GradientTape", "math.log", "keras.layers.Dense", "errors.LogError", "Findings"]:
        assert f'id="{name}"' in text
    for method in ("from_tensor_slices(tensors", "fit(self", "log<"):  # of a class, inherited, properties
        assert f"<h3>.{method}" in text
    assert inspect.getdoc(tapeviz.save_html).splitlines()[0] in text


def test_nothing_in_it_is_without_words() -> None:
    counted = {heading: len(members) for heading, members in chapters()}
    assert counted["tapeviz"] > 150
    assert all(inspect.getdoc(each) for _, members in chapters() for _, each in members)


@pytest.mark.tensorflow
@pytest.mark.torch
@pytest.mark.jax
def test_the_table_of_names_is_that_of_the_recorders(golden: Callable[[Path, str], None]) -> None:
    for framework in ("tensorflow", "torch", "jax"):
        pytest.importorskip(framework)
    golden(op_names.PAGE, op_names.page())


GUIDES = ("CONTRIBUTING.md", "docs/hot_path.md")
ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("guide", GUIDES)
def test_what_a_guide_points_to_is_there(guide: str) -> None:
    """Files and folders, from the root or, in a walk through the engine, from that."""
    text = (ROOT / guide).read_text(encoding="utf-8")
    paths = set(re.findall(r"`((?:\w[\w.-]*/)+[\w.-]*)`", text))
    assert len(paths) > 8
    roots = (ROOT, ROOT / "tapeviz", ROOT / "tapeviz" / "engine", ROOT / "tapeviz" / "views")
    missing = {path for path in paths if "NAME" not in path and not any((root / path).exists() for root in roots)}
    assert missing == set()
