"""The names of TensorFlow's that a user finds, in `tapeviz` and in `tapeviz.tf`."""

from __future__ import annotations

import importlib
import inspect
import json
import pickle
import subprocess
import sys

import pytest

import tapeviz


@pytest.mark.parametrize("name", tapeviz.NAMESPACES)
def test_every_namespace_is_importable_and_an_attribute(name: str) -> None:
    assert getattr(tapeviz, name) is importlib.import_module(f"tapeviz.{name}")


IMPORTS = """
import tapeviz.keras.layers.base.layer
from tapeviz.keras import layers
from tapeviz.keras.optimizers import Adam
import tapeviz.nn, tapeviz.tf.math, tapeviz.math
import tapeviz as tf
import tapeviz.tf
assert isinstance(layers.Dense(1), tf.keras.layers.Layer) and tf.tf.keras is tf.keras
"""


def test_no_module_is_loaded_twice_under_two_names() -> None:
    code = f"""{IMPORTS}
import json, sys
print(json.dumps([[name, str(id(each)), each.__name__, each.__spec__.name] for name, each in sys.modules.items()
                  if name.startswith("tapeviz")]))"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = json.loads(done.stdout)
    by_name = {name: identity for name, identity, *_ in loaded}
    for name, identity, own, of_spec in loaded:
        assert own == of_spec
        assert by_name[own] == identity, f"{name} is another module than {own}"
    files = [own for name, _, own, _ in loaded if name == own]
    assert len(files) == len({identity for _, identity, *_ in loaded}) > 300


def test_a_name_below_a_namespace_that_is_no_module_is_not_found() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"tapeviz\.keras\.nothing"):
        importlib.import_module("tapeviz.keras.nothing")


def test_both_doors_lead_to_the_same_namespaces() -> None:
    assert {*tapeviz.NAMESPACES, "errors"} == {*tapeviz.tf.NAMESPACES}


def test_names_of_tensorflow_are_found_all_the_same() -> None:
    for name in ("reduce_sum", "float32", "nn", "function", "Module", "newaxis", "losses"):
        assert name in dir(tapeviz.tf)
        assert getattr(tapeviz, name) is getattr(tapeviz.tf, name)


def test_public_functions_have_docstrings() -> None:
    bare = [
        name
        for name in {*dir(tapeviz), *dir(tapeviz.tf)}
        if not name.startswith("_") and callable(getattr(tapeviz, name)) and not inspect.getdoc(getattr(tapeviz, name))
    ]
    assert bare == []


def test_dir_lists_the_namespace() -> None:
    assert "tf" in dir(tapeviz)
    assert tapeviz.tf is importlib.import_module("tapeviz.tf")


@pytest.mark.parametrize("namespace", ["", "keras.activations", "linalg", "math", "nn", "signal"])
def test_functions_are_pickled_as_where_users_find_them(namespace: str) -> None:
    module = importlib.import_module(f"tapeviz.{namespace}".rstrip("."))
    functions = [each for name, each in vars(module).items() if name[0] != "_" and inspect.isfunction(each)]
    assert len(functions) > 5
    for function in functions:
        assert pickle.loads(pickle.dumps(function)) is function


@pytest.mark.parametrize(
    ("name", "advice"),
    [("reduce_summ", "reduce_sum"), ("sparse_softmax_cross_entropy_with_logits", "tf.nn."), ("nosuchthing", "has no")],
)
def test_a_missing_name_says_what_is_near(name: str, advice: str) -> None:
    with pytest.raises(AttributeError, match=advice):
        getattr(tapeviz, name)
