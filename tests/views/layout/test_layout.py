"""The layered layout: nothing overlaps, what is straight stays straight, and large graphs take no time."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeviz.views.layout import BoxSize, Layout, layout
from tapeviz.views.layout.layers import build_layers
from tapeviz.views.layout.ranks import rank_nodes
from tests.growth import timed
from tests.views.layout import graphs


@st.composite
def dags(draw):
    """Boxes of all sizes and edges that point to later ones, joined twice at times."""
    side = st.integers(1, 200).map(float)
    nodes = draw(st.lists(st.builds(BoxSize, side, side), min_size=1, max_size=25))
    numbers = st.integers(0, len(nodes) - 1)
    pairs = draw(st.lists(st.tuples(numbers, numbers), max_size=50))
    return nodes, [(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]]


def boxes(nodes: list[BoxSize], placed: Layout) -> list[tuple[float, float, float, float]]:
    """Left, top, right and bottom of every node."""
    return [
        (x - node.width / 2, y - node.height / 2, x + node.width / 2, y + node.height / 2)
        for node, x, y in zip(nodes, placed.x, placed.y, strict=True)
    ]


@given(dags())
def test_boxes_stay_apart_and_inside_the_picture(dag):
    nodes, edges = dag
    placed = layout(nodes, edges)
    drawn = boxes(nodes, placed)
    for left, top, right, bottom in drawn:
        assert 0 <= left < right <= placed.width
        assert 0 <= top < bottom <= placed.height
    for i, (left, top, right, bottom) in enumerate(drawn):
        for other_left, other_top, other_right, other_bottom in drawn[:i]:
            aside = max(left - other_right, other_left - right)
            below = max(top - other_bottom, other_top - bottom)
            assert aside >= 24 - 1e-6 or below > 0


@given(dags())
def test_edges_run_down_from_border_to_border(dag):
    nodes, edges = dag
    placed = layout(nodes, edges)
    drawn = boxes(nodes, placed)
    for (tail, head), line in zip(edges, placed.edges, strict=True):
        (start_x, start_y), (end_x, end_y) = line[0], line[-1]
        assert start_y == pytest.approx(drawn[tail][3])
        assert end_y == pytest.approx(drawn[head][1])
        assert drawn[tail][0] <= start_x <= drawn[tail][2]
        assert drawn[head][0] <= end_x <= drawn[head][2]
        assert all(above < below for (_, above), (_, below) in pairwise(line))


@given(dags())
def test_edges_meet_no_box_on_their_way(dag):
    nodes, edges = dag
    placed = layout(nodes, edges)
    drawn = boxes(nodes, placed)
    for ends, line in zip(edges, placed.edges, strict=True):
        for (x, y), (next_x, next_y) in pairwise(line):
            for v, (left, top, right, bottom) in enumerate(drawn):
                beside = max(x, next_x) < left + 1e-6 or min(x, next_x) > right - 1e-6
                apart = next_y < top + 1e-6 or y > bottom - 1e-6
                assert v in ends or beside or apart


def test_a_chain_is_a_straight_column():
    count, edges = graphs.chain(1000)
    placed = layout([BoxSize(20.0 + i % 7, 20.0) for i in range(count)], edges)
    assert len(set(placed.x)) == 1
    assert placed.width == 26
    assert all(len(line) == 2 and line[0][0] == line[1][0] for line in placed.edges)


@pytest.mark.parametrize(
    "graph",
    [graphs.transformer(4), graphs.rnn(50), graphs.lstm(20), graphs.encoder_decoder(3), graphs.inception(4)],
    ids=["transformer", "rnn", "lstm", "encoder-decoder", "inception"],
)
def test_the_main_flow_is_one_column(graph):
    """Some longest path from a source to a sink runs straight down, however many boxes stand beside it."""
    count, edges = graph
    placed = layout([BoxSize(60.0, 24.0)] * count, edges)
    rank = rank_nodes(count, edges)
    longest = [0] * count
    straight = [0] * count
    for v in sorted(range(count), key=rank.__getitem__):
        for tail, head in edges:
            if head == v:
                longest[v] = max(longest[v], longest[tail] + 1)
                if placed.x[tail] == placed.x[v]:
                    straight[v] = max(straight[v], straight[tail] + 1)
    assert max(straight) == max(longest)


def test_a_network_does_not_grow_wider_with_its_depth():
    widths = []
    for blocks in (2, 12):
        count, edges = graphs.transformer(blocks)
        widths.append(layout([BoxSize(60.0, 24.0)] * count, edges).width)
    assert widths[1] <= 1.3 * widths[0]


def test_arguments_stand_in_their_order():
    placed = layout([BoxSize(40.0, 20.0)] * 4, [(0, 3), (1, 3), (2, 3)])
    assert placed.x[0] < placed.x[1] < placed.x[2]
    assert placed.x[1] == placed.x[3]


def test_a_weight_stands_right_above_its_op():
    count, edges = graphs.rnn(10)
    rank = rank_nodes(count, edges)
    uses = {tail: head for tail, head in edges if all(other != tail for _, other in edges)}
    assert all(rank[head] - rank[leaf] == 1 for leaf, head in uses.items())


def test_edges_with_the_same_ends_run_side_by_side():
    placed = layout([BoxSize(40.0, 20.0)] * 3, [(0, 1), (0, 1), (1, 2), (0, 2), (0, 2)])
    first, second = placed.edges[0], placed.edges[1]
    assert [y for _, y in first] == [y for _, y in second]
    assert {b[0] - a[0] for a, b in zip(first, second, strict=True)} == {7.0}
    assert {b[0] - a[0] for a, b in zip(placed.edges[3], placed.edges[4], strict=True)} == {7.0}


def test_uses_of_one_value_share_a_line():
    count, edges = graphs.chain(20)
    edges += [(0, head) for head in range(9, 17)]
    placed = layout([BoxSize(40.0, 20.0)] * count, edges)
    assert len({line[1:3][0] for line in placed.edges[19:]}) == 1


def test_bends_grow_with_the_depth_and_not_with_the_uses():
    count, edges = graphs.rnn_with_shared_weights(300)
    graph = build_layers(rank_nodes(count, edges), edges)
    shared = 3
    assert len(graph.rank) - count < shared * 3 * len(graph.layers)


def test_parts_are_packed_into_rows():
    placed = layout([BoxSize(40.0, 40.0)] * 100, [])
    assert 1 < placed.width / placed.height < 2.5
    assert layout([], []) == Layout()


@pytest.mark.parametrize(
    ("edges", "nodes"),
    [([(2, 2)], {2}), ([(0, 1), (1, 0)], {0, 1}), ([(0, 1), (1, 2), (2, 3), (3, 1), (3, 4)], {1, 2, 3})],
)
def test_a_cycle_is_refused_and_named(edges, nodes):
    with pytest.raises(ValueError, match="cycle through the nodes") as caught:
        layout([BoxSize(10.0, 10.0)] * 5, edges)
    named = str(caught.value).partition("[")[2].rstrip("]").split(", ")
    assert {int(node) for node in named} == nodes


@pytest.mark.parametrize("edge", [(0, 2), (-1, 0)])
def test_an_edge_to_nowhere_is_refused_and_named(edge):
    with pytest.raises(ValueError, match=rf"edge 1 joins nodes {edge[0]} and {edge[1]}, but there are 2 nodes"):
        layout([BoxSize(10.0, 10.0)] * 2, [(0, 1), edge])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("graph", "size"),
    [
        (graphs.chain, 100_000),
        (graphs.transformer, 175),
        (graphs.rnn, 1250),
        (graphs.rnn_with_shared_weights, 1000),
    ],
    ids=["chain of 100,000", "transformer", "rnn", "rnn with shared weights"],
)
def test_large_graphs_take_no_square(graph, size):
    """Four times the nodes take less than ten times as long; 10,000 take under a second where nothing else runs."""

    def seconds(size, below=0.0):
        count, edges = graph(size)
        nodes = [BoxSize(60.0, 24.0)] * count
        return timed(lambda: layout(nodes, edges), below)[1]

    most = 10 * max(seconds(size // 4), 0.02)
    assert seconds(size, most) < most


def test_a_long_chain_wraps_into_rows_like_a_text():
    count = 40
    placed = layout([BoxSize(60.0, 20.0)] * count, [(i, i + 1) for i in range(count - 1)], aspect=1.5)
    rows = sorted(set(placed.x))
    assert 3 < len(rows) < 8
    assert placed.x == sorted(placed.x), "a row after the other, in the order of the chain"
    assert placed.height / 1.5 == pytest.approx(placed.width, rel=0.5)
    turns = [line for line in placed.edges if len(line) > 2]
    assert len(turns) == len(rows) - 1
    for line in turns:
        assert all(one[0] == other[0] or one[1] == other[1] for one, other in pairwise(line)), "it runs at right angles"


def test_what_fits_and_what_no_single_edge_leads_on_from_does_not_wrap():
    ladder = [(i, i + 2) for i in range(38)] + [(i, i + 1) for i in range(0, 40, 2)]
    for edges, count in [([(0, 1)], 2), (ladder, 40)]:
        boxes = [BoxSize(60.0, 20.0)] * count
        assert layout(boxes, edges, aspect=1.5) == layout(boxes, edges)
