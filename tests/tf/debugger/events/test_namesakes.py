"""Variables that would share a name: what each is called, and what is said of a name that means several."""

from __future__ import annotations

from typing import Any

import pytest

import tapeviz as tf
import tapeviz as tv


class Dense(tf.Module):
    def __init__(self, name: str | None = None) -> None:
        super().__init__()
        self.w = tf.Variable(tf.ones((2, 2)), name=name)

    def __call__(self, x: Any) -> Any:
        return x @ self.w


class Net(tf.Module):
    def __init__(self, name: str | None = None) -> None:
        super().__init__()
        self.first = Dense(name)
        self.rest = [Dense(name) for _ in range(2)]

    def __call__(self, x: Any) -> Any:
        for each in (self.first, *self.rest):
            x = each(x)
        return x


class Deep(Net):
    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)


def made(kind: type[Net], name: str | None) -> Any:
    return kind(name)


def asked(net: Any) -> tf.GradientTape:
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(net(tf.ones((1, 2))))
    tape.gradient(loss, net.trainable_variables)
    return tape


def names(subject: Any) -> list[str | None]:
    return sorted(row.name or "" for row in subject.log.tensors if row.role == "variable")


PATHS = ["net.first.w", "net.rest[0].w", "net.rest[1].w"]


@pytest.mark.parametrize("kind", [Net, Deep])
@pytest.mark.parametrize("name", [None, "w"])
def test_variables_of_constructors_are_called_by_where_their_objects_stand(kind: type[Net], name: str | None) -> None:
    net = kind(name)
    assert names(asked(net)) == PATHS


def test_an_object_that_a_function_returns_is_named_by_its_caller() -> None:
    net = made(Net, None)
    assert names(asked(net)) == PATHS


def test_in_a_recording_the_lines_say_the_same() -> None:
    with tv.record() as log:
        net = Net("w")
        asked(net)
    assert names(log) == PATHS


def test_the_program_names_what_no_line_tells_apart() -> None:
    net = tf.Module()
    net.rest = []
    for _ in range(2):
        net.rest.append(tf.Variable(1.0, name="w"))
    net.by_name = {"w": tf.Variable(1.0, name="w"), "itself": net}
    with tv.record() as log, tf.GradientTape() as tape:
        loss = tf.add_n(net.trainable_variables)
    tape.gradient(loss, net.trainable_variables)
    assert names(log) == ["net.by_name['w']", "net.rest[0]", "net.rest[1]"]


def test_a_name_that_nobody_else_has_stays() -> None:
    net = Dense("weights")
    assert names(asked(net)) == ["weights"]


def test_an_object_without_a_name_leaves_the_constructors() -> None:
    assert names(asked(Dense())) == ["self.w"]


def test_a_name_that_means_several_variables_is_refused_with_their_lines() -> None:
    layers: list[Dense] = []
    for _ in range(2):
        layers.append(Dense())
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(layers[1](layers[0](tf.ones((1, 2)))))
    tape.gradient(loss, [each.w for each in layers])
    with pytest.raises(tv.errors.LogError, match=r"2 variables .* are called .self\.w., made at .*, line \d+\."):
        tv.why(tape, loss, "self.w")


def test_a_name_that_is_given_anew_at_every_round_means_the_last() -> None:
    with tv.record() as log:
        for _ in range(3):
            weight = tf.Variable(3.0, name="weight")
            with tf.GradientTape() as tape:
                y = weight * weight
            tape.gradient(y, weight)
    assert log.id_of("weight") == log.id_of(weight)
