"""Groups of layers: a call of each, and the steps of those that are recurrent."""

from __future__ import annotations

import pytest

import tapeviz as tf
from tapeviz.graph import build
from tapeviz.views.folding.groups import find_groups


def transformer() -> tf.GradientTape:
    """Layers with ops of their own between those of the layers in them."""
    layers = tf.keras.layers
    words = tf.keras.Input((5, 4))
    heard = layers.LayerNormalization(name="norm")(words + layers.MultiHeadAttention(2, 3, name="heads")(words, words))
    said = layers.Dense(4, name="out")(layers.Dense(8, activation="gelu", name="hidden")(heard))
    model = tf.keras.Model(words, heard + said, name="block")
    with tf.GradientTape() as tape:
        model(tf.ones([2, 5, 4]))
    return tape


def test_a_layer_that_goes_on_after_those_in_it_is_one_call() -> None:
    graph = build(transformer().log)
    titles = [row.title for row in find_groups(graph, sorted(graph.ops)).rows]
    assert [title for title in titles if not title.startswith("part")] == ["heads", "norm", "hidden"]


def titles_of(tape: tf.GradientTape) -> list[str]:
    """Of what repeats, and of the call of a layer that is named so."""
    graph = build(tape.log)
    rows = find_groups(graph, sorted(graph.ops)).rows
    return [
        f"{row.title} | {row.note}" for row in rows if row.kind == "repeat" or row.title in ("layer", "add", "slope")
    ]


@pytest.mark.parametrize(
    ("name", "options", "titles"),
    [
        ("SimpleRNN", {}, ["simple_rnn_cell × 8 | SimpleRNNCell · 5 ops each"]),
        ("GRU", {}, ["gru_cell × 8 | GRUCell · 18 ops each"]),
        ("LSTM", {}, ["lstm_cell × 8 | LSTMCell · 14 ops each"]),
        ("LSTM", {"dropout": 0.5}, ["lstm_cell × 8 | LSTMCell · 15 ops each"]),
        ("SimpleRNN", {"dropout": 0.5, "recurrent_dropout": 0.5}, ["simple_rnn_cell × 8 | SimpleRNNCell · 7 ops each"]),
        ("LSTM", {"recurrent_dropout": 0.5}, ["iteration × 4 | mul, mask", "lstm_cell × 8 | LSTMCell · 25 ops each"]),
    ],
)
def test_the_steps_of_a_recurrent_layer_while_training(name: str, options: dict[str, float], titles: list[str]) -> None:
    """What is dropped is drawn before the first step, which looks as the others do."""
    layer, series = getattr(tf.keras.layers, name)(4, **options), tf.ones([2, 8, 3])
    layer(series)
    with tf.GradientTape() as tape:
        layer(series, training=True)
    assert titles_of(tape) == titles


def test_cells_that_are_stacked_drop_the_same_at_every_step() -> None:
    tf.keras.backend.clear_session()  # whichever tests ran before, names are counted from the start
    cells = [tf.keras.layers.LSTMCell(4, dropout=0.5), tf.keras.layers.SimpleRNNCell(2, dropout=0.5)]
    layer, series = tf.keras.layers.RNN(cells), tf.ones([2, 8, 3])
    layer(series)
    with tf.GradientTape() as tape:
        layer(series, training=True)
    assert titles_of(tape) == ["stacked_rnn_cells × 8 | StackedRNNCells · 21 ops each"]


def test_the_recorded_gradient_of_a_step_is_long_and_repeats() -> None:
    layer, series = tf.keras.layers.SimpleRNN(2), tf.ones([2, 8, 3])
    layer(series)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(series)
            loss = tf.reduce_sum(layer(series))
        inner.gradient(loss, series)
    assert titles_of(outer) == ["simple_rnn_cell × 8 | SimpleRNNCell · 5 ops each", "iteration × 6 | 15 ops each"]


def test_one_op_that_a_layer_runs_several_times_running_is_one_call() -> None:
    x = tf.ones([2, 3])
    with tf.GradientTape() as tape:
        tf.exp(tf.keras.layers.Add(name="layer")([x] * 5))
    assert titles_of(tape) == ["layer | Add · add, add, add, add"]
