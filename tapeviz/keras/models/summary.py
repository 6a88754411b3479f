"""A model -> the table of its layers that `summary` prints."""

from __future__ import annotations

import math
from typing import Any

WIDTHS = (33, 24, 15)
TITLES = ("Layer (type)", "Output Shape", "Param #")


def table(model: Any) -> str:
    """The text of `model.summary()`: a row for each layer, and the totals.

    >>> import tapeviz as tf
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1, name="out")], name="line")
    >>> y = model(tf.zeros([1, 2]))
    >>> print(table(model).splitlines()[4])
    │ out (Dense)                     │ (1, 1)                 │             3 │
    """
    rows = [_row(layer) for layer in model.layers]
    lines = [f'Model: "{model.name}"', _rule("┏┳┓", "━"), _cells(TITLES, "┃"), _rule("┡╇┩", "━")]
    for index, row in enumerate(rows):
        lines += [_rule("├┼┤", "─")] * bool(index) + [_cells(row, "│")]
    lines.append(_rule("└┴┘", "─"))
    return "\n".join([*lines, *_totals(model)])


def _row(layer: Any) -> tuple[str, str, str]:
    shape = "?" if layer.seen_shape is None else str(layer.seen_shape)
    waiting = not layer.built and not layer.weights
    count = "0 (unbuilt)" if waiting else f"{layer.count_params():,}"
    return f"{layer.name} ({type(layer).__name__})", shape, count


def _cells(texts: tuple[str, str, str], bar: str) -> str:
    cells = []
    for place, (text, width) in enumerate(zip(texts, WIDTHS, strict=True)):
        room = width - 2
        text = text if len(text) <= room else f"{text[: room - 1]}…"
        cells.append(f" {text.rjust(room) if place == 2 else text.ljust(room)} ")
    return f"{bar}{bar.join(cells)}{bar}"


def _rule(corners: str, line: str) -> str:
    left, middle, right = tuple(corners)
    return left + middle.join(line * width for width in WIDTHS) + right


def _totals(model: Any) -> list[str]:
    groups = (
        ("Total", model.weights),
        ("Trainable", model.trainable_weights),
        ("Non-trainable", model.non_trainable_weights),
    )
    return [
        f" {name} params: {sum(each._value.size for each in weights):,} ({_bytes(weights)})" for name, weights in groups
    ]


def _bytes(weights: list[Any]) -> str:
    size = sum(each._value.nbytes for each in weights)
    step = min(int(math.log(size, 1024)), 3) if size else 0
    return f"{size / 1024**step:.2f} {('B', 'KB', 'MB', 'GB')[step]}"
