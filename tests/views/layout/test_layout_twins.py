"""The layout in Python and the layout in JavaScript give the same numbers, to the last bit."""

from __future__ import annotations

import json
import random
from dataclasses import asdict

import pytest

from tapeviz.views.layout import ACROSS, GAPS, BoxSize, layout
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


def cases():
    """Every graph with boxes of crooked sizes."""
    draw = random.Random(0)
    for count, edges in GRAPHS.values():
        yield [BoxSize(draw.uniform(10, 150), draw.uniform(10, 60)) for _ in range(count)], edges


@pytest.mark.node
@pytest.mark.parametrize(("gaps", "aspect"), [(GAPS, 0.0), (ACROSS, 1.7)])
def test_python_and_javascript_agree_exactly(gaps, aspect):
    sent = [[[node._asdict() for node in nodes], edges, None, gaps._asdict(), aspect] for nodes, edges in cases()]
    found = in_javascript("layout/layout.js", "layout", sent)
    for name, (nodes, edges), theirs in zip(GRAPHS, cases(), found, strict=True):
        ours = json.loads(json.dumps(asdict(layout(nodes, edges, gaps=gaps, aspect=aspect))))
        assert ours == theirs, name
