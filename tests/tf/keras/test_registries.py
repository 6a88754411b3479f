"""What `get`, `serialize` and `deserialize` of each package of Keras make of names, configs and whatever else."""

from __future__ import annotations

from copy import copy
from importlib import import_module
from typing import Any

import pytest

import tapeviz
from tests.tf.keras.comparison import assert_agreement
from tests.tf.keras.material import answer_or_error

CLASSES = {
    "losses": "Hinge",
    "metrics": "Sum",
    "optimizers": "SGD",
    "initializers": "Zeros",
    "regularizers": "L2",
    "constraints": "NonNeg",
    "activations": "ReLU",
    "optimizers.schedules": "ExponentialDecay",
}
"""A class for each package."""
NEEDED = {"ExponentialDecay": {"initial_learning_rate": 1.0, "decay_steps": 2, "decay_rate": 0.5}}
"""What it cannot be made without."""
NAMES = {each: import_module(f"tapeviz.keras.{each}")._known.by_name for each in CLASSES}


def package_of(tf: Any, path: str) -> Any:
    package = tf.keras
    for name in path.split("."):
        package = getattr(package, name)
    return package


def told_of(thing: Any) -> Any:
    """A class, a function or an object by its name; numbers, texts and structures of them as they are."""
    if isinstance(thing, (list, tuple)):
        return type(thing)(map(told_of, thing))
    if thing is None or isinstance(thing, (str, bytes, int, float, dict)):
        return thing
    return getattr(thing, "__name__", type(thing).__name__)


class Own:
    """No object of Keras."""


def own(x: Any) -> Any:
    return x


def identifiers(tf: Any, path: str) -> list[Any]:
    """What a user may give in the place of an object."""
    name = CLASSES[path]
    kind = getattr(tf.keras.layers if path == "activations" else package_of(tf, path), name)
    config = NEEDED.get(name, {})
    thing = kind(**config)
    described = package_of(tf, path).serialize(thing)
    own_class = {"class_name": "Own", "module": "here", "registered_name": "Own", "config": {}}
    no_function = {"class_name": "function", "module": "builtins", "registered_name": "function", "config": "nothing"}
    layer = {"module": "keras.layers", "class_name": "Dense", "config": {"units": 1}, "registered_name": None}
    return [
        *(None, 5, 2.5, True, "nothing", "", name, name.lower(), name.upper(), [1], [described], ("a",), {}),
        *(kind, thing, described, own, Own, Own(), len, own_class, no_function, layer),
        *({"config": {}}, {"class_name": name}, {"class_name": name, "module": None, "config": {}}),
        *({"class_name": name, "config": each} for each in (config, None, {"wrong": 1}, 5)),
        *({"class_name": each, "config": {}} for each in ("Nothing", 5)),
    ]


def _fails_by_accident(path: str, verb: str, given: Any) -> bool:
    """Whether Keras asks a number for a key, and fails at that: here it is no activation, as a text is none."""
    return (path, verb) == ("activations", "serialize") and isinstance(given, (int, float, type(None)))


@pytest.mark.tensorflow
@pytest.mark.parametrize("path", CLASSES)
@pytest.mark.parametrize("verb", ["get", "serialize", "deserialize"])
def test_identifiers_stand_for_what_they_do_in_keras(path: str, verb: str) -> None:
    def program(tf: Any) -> Any:
        ask = getattr(package_of(tf, path), verb)
        given = [each for each in identifiers(tf, path) if not _fails_by_accident(path, verb, each)]
        return [told_of(answer_or_error(lambda each=each: ask(each))) for each in given]

    assert_agreement(program, (path, verb) == ("optimizers.schedules", "get"))


@pytest.mark.tensorflow
@pytest.mark.parametrize("path", CLASSES)
def test_every_registered_name_is_made_told_and_made_again(path: str) -> None:
    def program(tf: Any) -> Any:
        package, found = package_of(tf, path), {}
        for name in NAMES[path]:
            thing = answer_or_error(lambda name=name: getattr(package, "get", package.deserialize)(name))
            described = answer_or_error(lambda thing=thing: package.serialize(thing))
            again = answer_or_error(lambda described=described: package.deserialize(copy(described)))
            found[name] = [told_of(thing), _but_its_module(described), told_of(again)]
        return found

    assert_agreement(program, fails=False)


def _but_its_module(described: Any) -> Any:
    """What was told of an object; the modules of base classes are not compared, which Keras has in two."""
    is_base = isinstance(described, dict) and described["class_name"] in ("Loss", "Metric", "Initializer")
    return described | {"module": None} if is_base else described


@pytest.mark.tensorflow
@pytest.mark.parametrize("path", [each for each in CLASSES if "." not in each])
def test_what_keras_finds_by_a_name_is_found_by_it(path: str) -> None:
    known = import_module(f"keras.src.{path}").ALL_OBJECTS_DICT
    package = package_of(tapeviz, path)
    here = {name for name, each in known.items() if each.__name__ in package.__all__}
    assert here <= NAMES[path].keys()
