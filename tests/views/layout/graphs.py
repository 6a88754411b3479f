"""Sizes -> graphs of the kinds people draw, as (number of nodes, edges)."""

from __future__ import annotations

import random

Graph = tuple[int, list[tuple[int, int]]]


class Builder:
    """A graph under construction: `op(*inputs)` adds a node and returns its index."""

    def __init__(self) -> None:
        self.count = 0
        self.edges: list[tuple[int, int]] = []

    def op(self, *inputs: int) -> int:
        self.edges += [(tail, self.count) for tail in inputs]
        self.count += 1
        return self.count - 1

    def linear(self, x: int) -> int:
        return self.op(self.op(x, self.op()), self.op())

    def norm(self, x: int) -> int:
        centred = self.op(x, self.op(x))
        scale = self.op(self.op(self.op(centred)))
        return self.op(self.op(self.op(centred, scale), self.op()), self.op())

    @property
    def graph(self) -> Graph:
        return self.count, self.edges


def chain(length: int) -> Graph:
    return length, [(i, i + 1) for i in range(length - 1)]


def transformer(blocks: int) -> Graph:
    build = Builder()
    x = build.op()
    for _ in range(blocks):
        h = build.norm(x)
        q, k, v = (build.op(build.op(build.linear(h))) for _ in "qkv")
        weights = build.op(build.op(build.op(q, k)))
        x = build.op(x, build.linear(build.op(build.op(weights, v))))
        x = build.op(x, build.linear(build.op(build.linear(build.norm(x)))))
    return build.graph


def rnn(steps: int) -> Graph:
    """Unrolled, the weights drawn once per use."""
    build = Builder()
    h = build.op()
    for _ in range(steps):
        h = build.op(build.op(build.op(build.op(build.op(), build.op()), build.op(h, build.op())), build.op()))
    build.op(h, build.op())
    return build.graph


def rnn_with_shared_weights(steps: int) -> Graph:
    build = Builder()
    h, w, u, b = (build.op() for _ in range(4))
    for _ in range(steps):
        h = build.op(build.op(build.op(build.op(build.op(), w), build.op(h, u)), b))
    return build.graph


def lstm(steps: int) -> Graph:
    build = Builder()
    h, c = build.op(), build.op()
    for _ in range(steps):
        both = build.op(build.op(build.op(), build.op()), build.op(h, build.op()))
        split = build.op(build.op(both, build.op()))
        i, f, g, o = (build.op(split) for _ in "ifgo")
        c = build.op(build.op(f, c), build.op(i, g))
        h = build.op(o, build.op(c))
    return build.graph


def neurons(layers: int, width: int) -> Graph:
    """A network of scalars, every neuron joined to all of the layer before."""
    build = Builder()
    values = [build.op() for _ in range(width)]
    for _ in range(layers):
        values = [
            build.op(build.op(_sum(build, [build.op(x, build.op()) for x in values]), build.op())) for _ in range(width)
        ]
    _sum(build, values)
    return build.graph


def _sum(build: Builder, terms: list[int]) -> int:
    total = terms[0]
    for term in terms[1:]:
        total = build.op(total, term)
    return total


def inception(blocks: int) -> Graph:
    build = Builder()
    x = build.op()
    for _ in range(blocks):
        branches = []
        for depth in range(1, 5):
            y = x
            for _ in range(depth):
                y = build.op(build.op(y, build.op()))
            branches.append(y)
        x = build.op(*branches)
    return build.graph


def dense_blocks(blocks: int, layers: int) -> Graph:
    """Every layer takes all earlier ones of its block."""
    build = Builder()
    x = build.op()
    for _ in range(blocks):
        outputs = [x]
        for _ in range(layers):
            outputs.append(build.op(build.op(build.op(*outputs), build.op())))
        x = build.op(build.op(*outputs))
    return build.graph


def encoder_decoder(layers: int) -> Graph:
    """The encoder's output and a mask go to every layer."""
    build = Builder()
    x, mask, y = (build.op() for _ in range(3))

    def attend(queries: int, keys: int) -> int:
        scores = build.op(build.op(queries), build.op(keys))
        return build.op(build.op(build.op(scores, mask)), build.op(keys))

    for _ in range(layers):
        x = build.op(x, attend(x, x))
        x = build.op(x, build.op(x))
    for _ in range(layers):
        y = build.op(y, attend(y, y))
        y = build.op(y, attend(y, x))
    return build.graph


def random_dag(count: int, seed: int, reach: int = 8) -> Graph:
    """Edges mostly from close by; some nodes alone, some pairs joined twice."""
    draw = random.Random(seed)
    edges = []
    for head in range(1, count):
        for _ in range(draw.choice([0, 1, 1, 2, 2, 3])):
            edges.append((max(0, head - 1 - int(draw.expovariate(1 / reach))), head))
    return count, edges
