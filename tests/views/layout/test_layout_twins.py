"""The layout in Python and the layout in JavaScript give the same numbers, to the last bit."""

from __future__ import annotations

import json
import random
from dataclasses import asdict

import pytest

from tapeviz.views.layout import Node, layout
from tests.views.javascript import in_javascript
from tests.views.layout import graphs

GRAPHS = {
    "nothing": (0, []),
    "alone": (7, []),
    "chain": graphs.chain(200),
    "transformer": graphs.transformer(3),
    "rnn": graphs.rnn(20),
    "rnn with shared weights": graphs.rnn_with_shared_weights(12),
    "lstm": graphs.lstm(8),
    "neurons": graphs.neurons(2, 4),
    "inception": graphs.inception(3),
    "dense blocks": graphs.dense_blocks(2, 6),
    "encoder-decoder": graphs.encoder_decoder(3),
    "fan": (40, [(i, 39) for i in range(39)]),
} | {f"random {seed}": graphs.random_dag(20 + 15 * seed, seed, 3 + 2 * seed) for seed in range(10)}
OPTIONS = [
    {},
    {"node_gap": 10.1, "edge_gap": 5.3, "layer_gap": 20.7},
    {"direction": "right"},
]


def cases():
    """Every graph with boxes of crooked sizes, under each of the options in turn."""
    draw = random.Random(0)
    for i, (count, edges) in enumerate(GRAPHS.values()):
        nodes = [Node(draw.uniform(10, 150), draw.uniform(10, 60)) for _ in range(count)]
        yield nodes, edges, OPTIONS[i % len(OPTIONS)]


def camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.title() for part in rest)


@pytest.mark.node
def test_python_and_javascript_agree_exactly():
    sent = [
        [[node._asdict() for node in nodes], edges, {camel(key): value for key, value in options.items()}]
        for nodes, edges, options in cases()
    ]
    found = in_javascript("layout/layout.js", "layout", sent)
    for name, (nodes, edges, options), theirs in zip(GRAPHS, cases(), found, strict=True):
        ours = json.loads(json.dumps(asdict(layout(nodes, edges, **options))))
        assert ours == theirs, name
