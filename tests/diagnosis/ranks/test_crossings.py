"""Where ranks meet: in the groups of a mesh, and in what one sends another."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tapeviz.diagnosis.ranks.crossings import crossings
from tapeviz.diagnosis.ranks.shared import Shared, shared
from tapeviz.diagnosis.ranks.spread import spread
from tapeviz.events.store.ranks import Ranks
from tapeviz.views.page.lanes import lanes
from tapeviz.views.payload import payload
from tapeviz.views.payload.over_ranks import OverRanks
from tests.literal_logs import Script


def of_group(*ranks: int) -> list[tuple[str, Any]]:
    return [("group", ", ".join(map(str, ranks))), ("ranks", len(ranks)), ("operation", "sum")]


def in_a_mesh(rank: int) -> Script:
    """Of two by two: the rows add up, then the columns, then all."""
    row, column = divmod(rank, 2)
    log = Script()
    w = log.variable("w", [1.0, 2.0])
    with log.tape(watch=[w]) as tape:
        a = log.op("all_reduce", w, value=[1.0, 2.0], attrs=of_group(2 * row, 2 * row + 1))
        b = log.op("all_reduce", a, value=[1.0, 2.0], attrs=of_group(column, column + 2))
        c = log.op("all_reduce", b, value=[1.0, 2.0], attrs=[("group", "world"), ("ranks", 4)])
    steps = [(each, [[rank + at, 0.0]]) for each, at in ((c, 0.25), (b, 0.5), (a, 0.75))]
    log.backward(tape, c, [w], steps=steps)
    return log


def in_stages(rank: int) -> Script:
    """What the first one computes is sent to the second, which does more with it."""
    log = Script()
    x = log.variable("x", [1.0])
    peer: list[tuple[str, Any]] = [("group", "world"), ("ranks", 2), ("from" if rank else "to", 1 - rank)]
    for _ in range(2):
        x = log.op("sin" if rank == 0 else "exp", x, value=[1.0])
        log.op("dist.recv" if rank else "dist.send", x, value=[1.0], attrs=peer)
        if rank:
            for _ in range(6):
                x = log.op("tanh", x, value=[1.0])
    return log


def common(make: Any, count: int) -> Shared:
    ranks = Ranks({rank: make(rank) for rank in range(count)})
    return shared(ranks, spread(ranks))


def test_groups_of_a_mesh_meet_at_one_place() -> None:
    of = common(in_a_mesh, 4)
    groups = [sorted(each.positions) for each in crossings(of)]
    assert groups == [[0, 1], [2, 3], [0, 2], [1, 3], [0, 1, 2, 3]]
    figure = lanes(of)
    assert len(re.findall(r'<line class="meets"', figure)) == 5
    assert len(re.findall(r"<circle", figure)) == 4  # where a line crosses the lane of a rank of another group
    columns = re.findall(r'class="meets" x1="([\d.]+)%"', figure)
    assert columns[0] == columns[1] != columns[2] != columns[3]  # beside each other where they overlap


def test_what_one_sends_leads_to_another() -> None:
    of = common(in_stages, 2)
    assert of.others == [1]
    sent = crossings(of)
    assert [each.op for each in sent] == ["dist.send"] * 2
    for rank in range(2):
        ops = {at: op.op for at, op in of.counterparts[rank].log.ops.items()}
        assert [ops[each.positions[rank]] for each in sent] == [("dist.send", "dist.recv")[rank]] * 2
    [(left, right), _] = re.findall(r'class="meets" x1="([\d.]+)%" x2="([\d.]+)%"', lanes(of))
    assert left != right


def in_a_group(rank: int, tag: int) -> Script:
    """Rank 1 and rank 3 of four, which are a group."""
    log = Script()
    for name, peer in (("dist.send", "to"), ("dist.recv", "from")):
        about: list[tuple[str, Any]] = [("group", "1, 3"), ("ranks", 2), (peer, 4 - rank), ("tag", tag)]
        log.op(name, log.constant("y"), attrs=about)
    return log


@pytest.mark.parametrize(("tag", "count"), [(7, 2), (8, 0)])
def test_in_a_group_of_some_ranks_they_are_paired_by_their_numbers_among_all_and_by_tag(tag: int, count: int) -> None:
    logs = Ranks({1: in_a_group(1, 7), 3: in_a_group(3, tag)})
    assert [sorted(each.positions) for each in crossings(shared(logs, spread(logs)))] == [[1, 3]] * count


def test_a_step_shows_what_each_rank_of_the_group_brought() -> None:
    of = common(in_a_mesh, 4)
    found = payload(of.base.log, over_ranks=OverRanks(of))["meetings"]
    assert [each["by"] for each in found] == ["all_reduce", "all_reduce (sum)", "all_reduce (sum)"]
    told = [[(share["of"], share["text"]) for share in each["shares"]] for each in found]
    assert [[who for who, _ in each] for each in told] == [
        ["rank 0", "rank 1", "rank 2", "rank 3"],
        ["rank 0", "rank 2"],
        ["rank 0", "rank 1"],
    ]
    assert told[1] == [("rank 0", "[0.25, 0.0]"), ("rank 2", "[2.25, 0.0]")]
    assert found[1]["left"] == "[0.5, 0.0]"


def test_without_values_it_shows_none() -> None:
    of = common(in_a_mesh, 4)
    assert payload(of.base.log, values=False, over_ranks=OverRanks(of))["meetings"] == []
