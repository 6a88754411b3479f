"""Copies of layers own what is theirs: lists that tell come as plain ones alone, and tell the copy with their layer."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.keras import call_signature

COPIES: list[Callable[[Any], Any]] = [copy.copy, copy.deepcopy, lambda layer: pickle.loads(pickle.dumps(layer))]


class Block(tf.keras.layers.Layer):
    def __init__(self) -> None:
        super().__init__(name="block")
        self.first = tf.keras.layers.Dense(2, name="first")
        self.many = [tf.keras.layers.Dense(2, name="listed"), [3]]
        self.named = {"a": tf.keras.layers.Dense(2, name="named")}
        self.ordered = OrderedDict(z=1, y=[2])
        self.several = {tf.keras.layers.Dense(2, name="one of several")}
        self.gone = tf.keras.layers.Dense(2, name="gone")
        self.gone = None
        self.again = self.first


def names(layer: Any) -> list[str]:
    return [each.name for each in layer._sublayers_]


@pytest.mark.parametrize("copied", COPIES)
def test_a_copy_of_a_layer_owns_its_own(copied: Callable[[Any], Any]) -> None:
    block = Block()
    twin = copied(block)
    held = ["first", "listed", "named", "one of several", "gone"]
    assert names(twin) == names(block) == held
    assert twin.again is twin.first is twin._sublayers_[0] is not block.first
    assert twin.many[0] is twin._sublayers_[1]
    assert list(twin.ordered.items()) == [("z", 1), ("y", [2])]
    twin.many.append(tf.keras.layers.Dense(2, name="added"))
    twin.many[1].append(tf.keras.layers.Dense(2, name="deep"))
    twin.named["b"] = tf.keras.layers.Dense(2, name="called b")
    twin.several.clear()
    assert names(twin) == [*held[:3], "gone", "added", "deep", "called b"]
    assert names(block) == held


@pytest.mark.parametrize("copied", COPIES)
def test_a_copy_of_a_built_layer_is_built(copied: Callable[[Any], Any]) -> None:
    dense = tf.keras.layers.Dense(2)
    dense(np.ones((1, 3), np.float32))
    dense.trainable = False
    twin = copied(dense)
    assert [each is kept for each, kept in zip(twin.weights, (twin.kernel, twin.bias), strict=True)] == [True, True]
    with pytest.raises(ValueError, match="already built"):
        twin.late = tf.keras.layers.Dense(1)
    twin.trainable = True
    assert (len(twin.trainable_weights), len(dense.trainable_weights)) == (2, 0)


@pytest.mark.parametrize("copied", COPIES)
def test_a_copy_of_a_list_alone_is_a_plain_list(copied: Callable[[Any], Any]) -> None:
    block = Block()
    for kept, kind in ((block.many, list), (block.named, dict), (block.ordered, OrderedDict), (block.several, set)):
        twin = copied(kept)
        assert type(twin) is kind
        assert len(twin) == len(kept)


def test_classes_of_layers_come_and_go() -> None:
    for kept in (call_signature.parameters, call_signature.place_of_training, call_signature.masks_taken):
        kept.cache_clear()

    def made() -> weakref.ref[Any]:
        class Own(tf.keras.layers.Layer):
            def __init__(self, units: int = 3) -> None:
                super().__init__()

        Own().get_config()
        return weakref.ref(Own)

    gone = made()
    gc.collect()
    assert gone() is None
