"""What a package of TensorFlow's namespace may import, the map of its modules, and the names that they look up."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tapeviz.engine.functions.exports import EXPORTS
from tapeviz.tf import api as api  # which adds to EXPORTS
from tests.test_layers import PACKAGE, is_text, met_beyond, off_the_map, source_of

# A package -> all that it may import besides itself, where that is less than its layer may.
WITHIN = {"tf.data": ["engine", "errors", "tf.api", "tf.names", "tf.random_state", "tf.tracing", "tf"]}
MAPPED = [
    *("tf", "tf.api", "tf.api.debugging", "tf.api.programs", "tf.api.random", "tf.data", "tf.keras"),
    *("tf.keras.callbacks", "tf.keras.layers", "tf.keras.layers.base"),
    *("tf.keras.layers.recurrent", "tf.keras.layers.windows", "tf.keras.losses", "tf.keras.metrics"),
    *("tf.keras.models", "tf.keras.optimizers", "tf.keras.symbolic", "tf.tracing"),
]


@pytest.mark.parametrize("package", WITHIN)
def test_a_package_knows_no_more_than_it_needs(package: str) -> None:
    assert met_beyond(package, WITHIN[package]) == set()


@pytest.mark.parametrize("package", MAPPED)
def test_every_module_is_on_the_map_of_its_package(package: str) -> None:
    assert off_the_map(package) == set()


def test_what_is_looked_up_in_the_api_is_there() -> None:
    """Keras and the engine's classes reach the API through `EXPORTS`, where no type checker sees a slip."""
    sought = {name for path in sorted(PACKAGE.rglob("*.py")) for name in looked_up(source_of(path))}
    assert sought - EXPORTS.keys() == set()
    assert len(sought) > 50


def looked_up(tree: ast.Module) -> Iterator[str]:
    """The names that a module looks up in `EXPORTS`, whatever it calls that."""
    imported = [name for each in ast.walk(tree) if isinstance(each, ast.ImportFrom) for name in each.names]
    called = {name.asname or name.name for name in imported if name.name == "EXPORTS"} | {"EXPORTS"}
    lookups = [each for each in ast.walk(tree) if isinstance(each, ast.Subscript) and isinstance(each.value, ast.Name)]
    for each in lookups:
        if each.value.id in called and is_text(each.slice):
            yield str(each.slice.value)
