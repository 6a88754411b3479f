"""What the logs of several ranks show together: each of the twenty faults by its line, and nothing else."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.diagnosis.ranks.answers import RankAnswers
from tapeviz.diagnosis.ranks.differences import RankDifferences, RankRow, differences
from tapeviz.diagnosis.ranks.meetings import meetings
from tapeviz.diagnosis.ranks.numbers_apart import numbers_apart
from tapeviz.diagnosis.ranks.parameters import unequal_numbers
from tapeviz.diagnosis.ranks.rank_log import RankLog
from tapeviz.diagnosis.ranks.shared import shared
from tapeviz.diagnosis.ranks.spread import MOST_ROWS, NormSpread, Spread, SpreadRow, spread
from tapeviz.events import EventLog, LeafCreated, StateWritten
from tapeviz.events.raw import next_id
from tapeviz.events.store.ranks import Ranks
from tapeviz.views.page.lanes import lanes
from tapeviz.views.payload import payload
from tapeviz.views.payload.over_ranks import OverRanks
from tests.diagnosis.ranks.faults import FAULTS, TWENTY, found_in, missing
from tests.processes import together

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


@pytest.fixture(scope="module")
def logs() -> Iterator[Path]:
    """The folders of logs of all programs, which two processes have written."""
    with TemporaryDirectory() as folder:
        together("tests.diagnosis.ranks.programs", folder)
        yield Path(folder)


said = cache(found_in)
"""What is said of a folder, for all that is asked of it."""


@pytest.mark.processes
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_named_with_its_line_and_all_that_is_known_of_it(name: str, logs: Path) -> None:
    assert missing(FAULTS[name], said(logs / name)) == []


@pytest.mark.processes
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_one_finding(name: str, logs: Path) -> None:
    """What comes of it on one rank alone may be told beside it."""
    found = [message for _, _, message in said(logs / name)]
    assert len([each for each in found if not each.startswith("On ")]) == (not FAULTS[name].parts[-1].startswith("On "))


def in_groups(folder: Path) -> list[RankLog]:
    """The logs of two ranks as those of four, of which the first and the third reduce together, and the other two."""
    logs = [RankLog(rank, tv.load(folder)[rank % 2]) for rank in range(4)]
    for log in logs:
        group = (("group", f"{log.rank % 2}, {log.rank % 2 + 2}"), ("ranks", 2))
        for each in (each for of in log.passes for versions in of.versions.values() for each in versions):
            if each.is_collective:
                each.op = replace(each.op, attrs=(*group, *(pair for pair in each.op.attrs if pair[0] == "operation")))
    return logs


@pytest.mark.processes
def test_groups_that_share_gradients_each_have_their_own_parts(logs: Path) -> None:
    assert [each.cause for each in unequal_numbers(in_groups(logs / "unequal_seeds"))] == []


@pytest.mark.processes
def test_groups_that_are_to_have_one_model_and_reduce_apart_are_told(logs: Path) -> None:
    [found] = unequal_numbers(in_groups(logs / "drifting"))
    assert found.cause == "reduction_missing"
    assert "over ranks 0 and 2 and over ranks 1 and 3, never over all 4" in found.message


@pytest.mark.parametrize("number", TWENTY)
def test_each_of_the_twenty_is_planted_in_two_settings(number: int) -> None:
    assert len({each.setting for each in FAULTS.values() if each.number == number}) >= 2


@pytest.mark.processes
def test_a_healthy_program_hears_nothing_but_hints(logs: Path) -> None:
    alarms = {each.name: tv.diagnose(tv.load(each)) for each in logs.iterdir() if each.name not in FAULTS}
    assert len(alarms) == 60
    assert {name: str(each) for name, each in alarms.items() if any(one.severity != "hint" for one in each)} == {}
    hints = {"ddp_accumulating": ["scaled_gradient_used"], "ddp_of_wide_rows": ["unequal_counts"]}
    hints |= {"fsdp_recurrent": ["buffer_drifted_apart"]}
    assert {name: [one.cause for one in each] for name, each in alarms.items() if len(each)} == hints


@pytest.mark.processes
def test_every_program_is_judged(logs: Path) -> None:
    from tests.diagnosis.ranks import programs  # which needs PyTorch

    healthy, faulty = ({each.__name__ for each in group} for group in (programs.HEALTHY, programs.FAULTY))
    assert faulty == FAULTS.keys()
    assert {each.name for each in logs.iterdir()} == healthy | faulty


@pytest.mark.processes
def test_a_folder_is_a_set_of_ranks(logs: Path) -> None:
    ranks = tv.load(logs / "ddp")
    assert isinstance(ranks, Ranks)
    assert repr(ranks) == "<Ranks: 2 logs, ranks 0 and 1>"
    assert [type(each).__name__ for each in ranks.values()] == ["LoadedLog", "LoadedLog"]
    with pytest.raises(IsADirectoryError):
        tv.load(logs)


@pytest.mark.processes
def test_the_table_is_the_spread_over_ranks(logs: Path) -> None:
    found = tv.table(tv.load(logs / "unused_on_one_rank"))
    assert isinstance(found, Spread)
    assert [row.parameter for row in found][:2] == ["last.weight", "last.bias"]  # those that differ come first
    last = found[0]
    assert last.missing == (1,)
    assert last.arrived.greatest[0] == 0
    assert last.stored.mean == pytest.approx(last.arrived.mean / 2)
    first = found[2]
    assert first.missing == ()
    assert first.stored.is_equal
    assert not first.arrived.is_equal
    assert first.arrived.least[1] < first.arrived.mean < first.arrived.greatest[1]
    assert "none on 1" in str(found)
    assert "(rank " in found.html()


def test_of_many_parameters_those_that_differ_are_shown_and_the_others_counted() -> None:
    equal, apart = NormSpread({0: 1.0, 1: 1.0}), NormSpread({0: 1.0, 1: 2.0})
    rows = [
        SpreadRow("apart", apart, apart, ()),
        *(SpreadRow(f"w{each}", equal, equal, ()) for each in range(MOST_ROWS)),
    ]
    found = Spread(rows, "2 ranks", 1)
    assert "apart" in str(found)
    assert "and 1 more parameter" in str(found)
    assert "and 1 more parameter" in found._repr_html_()


@pytest.mark.processes
def test_why_answers_for_each_rank_and_for_all(logs: Path) -> None:
    found = tv.why(tv.load(logs / "sum_for_mean"), "loss", "first.weight")
    assert isinstance(found, RankAnswers)
    assert list(found) == [0, 1]
    assert [each.cause for each in found.together] == ["sum_for_mean"]
    assert "Rank 1: The gradient of `loss` arrives at `first.weight`" in str(found)
    assert "sum_for_mean" in found._repr_html_()


@pytest.mark.processes
@pytest.mark.parametrize(("name", "steps"), [("pipeline", 2), ("gpipe", 9), ("one_forward_one_backward", 9)])
def test_what_a_stage_finds_and_sends_back_is_what_the_other_goes_on_with(name: str, steps: int, logs: Path) -> None:
    ranks = tv.load(logs / name)
    of = shared(ranks, spread(ranks))
    at_source, at_target = (
        payload(ranks[rank], over_ranks=OverRanks(of, (), None if rank == of.base.rank else rank)) for rank in range(2)
    )
    assert len(at_source["meetings"]) == len(at_target["meetings"]) == steps
    assert len({each["left"] for each in at_source["meetings"]}) > steps // 2  # else one would stand for another
    for one, other in zip(at_source["meetings"], at_target["meetings"], strict=True):
        step = at_source["runs"][one["run"]]["steps"][0]
        assert step["upstream"] == [one["tensor"]]
        assert (one["by"], other["by"]) == ("dist.recv", "dist.send to rank 0")
        assert one["shares"] == other["shares"] == [{"of": "rank 1", "text": one["left"]}]
        assert other["left"] == one["left"]


def rank_log(*names: str) -> EventLog:
    """A log of collectives alone."""
    log = EventLog(framework="torch")
    for name in names:
        about = (("group", "world"), ("ranks", 2), ("bytes", 8))
        log.raw += (name, (next_id(),), next_id(), ((2,), "float32"), about, (), (), None, None, -1)
    return log


def test_collectives_that_do_not_meet_are_told_of() -> None:
    [found] = tv.diagnose(Ranks({0: rank_log("dist.all_reduce", "dist.broadcast"), 1: rank_log("dist.all_reduce")}))
    assert found.cause == "unequal_collectives"
    assert "Collective 2 of rank 0 is `dist.broadcast`" in found.message
    assert "rank 1 has ended" in found.message


def test_those_of_another_kind_do_not_meet() -> None:
    [found] = tv.diagnose(Ranks({0: rank_log("dist.all_reduce"), 3: rank_log("dist.all_gather")}))
    assert "rank 3 calls `dist.all_gather`" in found.message


def test_those_that_meet_are_not() -> None:
    logs = {rank: rank_log("dist.all_reduce", "dist.all_gather") for rank in range(3)}
    assert not tv.diagnose(Ranks(logs))


def test_what_one_rank_does_otherwise_is_set_off_and_stands_first() -> None:
    logs = {rank: rank_log("dist.all_reduce", "dist.all_gather") for rank in range(5)}
    found = differences(Ranks(logs | {3: rank_log("dist.all_reduce", "dist.broadcast")}))
    assert found[3].otherwise == ("op 2: `dist.broadcast`, not `dist.all_gather`",)
    lines = str(found).splitlines()
    assert lines[2].startswith("rank 3")
    assert lines[2].endswith("`dist.all_gather` *")
    assert "*" not in "".join(lines[3:])
    assert found._repr_html_().index("rank 3") < found._repr_html_().index("rank 0")


def test_a_rank_of_more_ops_is_told_by_how_many_of_a_kind() -> None:
    logs = {rank: rank_log("dist.all_reduce") for rank in range(3)}
    found = differences(Ranks(logs | {1: rank_log("dist.all_reduce", "dist.all_reduce", "dist.broadcast")}))
    assert found[1].otherwise == ("2 of `dist.all_reduce`, not 1", "1 of `dist.broadcast`, not 0")
    assert [each.ops for each in found] == [1, 3, 1]


def test_what_all_did_is_drawn_as_most_did_it_with_what_some_did_otherwise() -> None:
    logs = {rank: rank_log("dist.all_reduce", "dist.all_gather", "dist.barrier") for rank in range(5)}
    others = {0: ("dist.all_reduce", "dist.broadcast", "dist.barrier"), 3: ("dist.all_reduce", "dist.all_gather")}
    ranks = Ranks(logs | {rank: rank_log(*names) for rank, names in others.items()})
    found = shared(ranks, spread(ranks))
    assert found.base.rank == 1
    assert {at: (each.kind, each.text) for at, each in found.ops.items()} == {
        1: ("otherwise", "rank 0: dist.broadcast"),
        2: ("ended", "not on rank 3"),
    }
    drawn = lanes(found)
    assert drawn.count('class="otherwise"') == 2  # on the lane of rank 0, and where it is explained
    assert drawn.count('class="meets"') == 3
    assert "<title>rank 0: dist.broadcast</title>" in drawn


def test_a_rank_that_ran_something_else_is_not_compared() -> None:
    ranks = Ranks({0: rank_log("dist.all_reduce", "dist.barrier"), 1: rank_log("dist.send", "dist.recv")})
    found = shared(ranks, spread(ranks))
    assert found.others == [1]
    assert not found.ops


def test_a_number_is_far_off_from_those_of_many_and_not_where_there_are_two_kinds_of_ranks() -> None:
    columns = [1.0, 1.1, 0.9, 1.0, 9.0], [1.0, 1.1, 9.0, 9.1, 9.0], [1.0, 1.0, math.nan, 1.0, None]
    apart = numbers_apart([*zip(*columns, strict=True)])
    assert apart.far.T.tolist() == [[False] * 4 + [True], [False] * 5, [False, False, True, False, False]]
    assert apart.known.tolist() == [5, 5, 4]


def test_what_a_parameter_holds_later_is_not_what_it_began_with() -> None:
    """Of a large one nothing was kept from before a step."""
    log, weight = EventLog(framework="torch"), next_id()
    log.append(LeafCreated, (), weight, ((2,), "float32"), ("variable", True, "weight"))
    log.append(StateWritten, None, weight, log.keep(np.ones(2)), "step")
    rank = RankLog(0, log)
    assert rank.value(0, 0) is None
    assert rank.value(0, log.length).tolist() == [1.0, 1.0]


@pytest.mark.processes
def test_a_gradient_is_followed_into_its_reduction(logs: Path) -> None:
    ranks = tv.load(logs / "ddp")
    [first, *_] = meetings([RankLog(rank, log) for rank, log in ranks.items()])
    brought = [ranks[rank].value(tensor) for rank, tensor in first.brought.items()]
    assert (first.by, first.operation, [*first.brought]) == ("dist.all_reduce", "mean", [0, 1])
    np.testing.assert_allclose(ranks[0].value(first.left), np.mean(brought, axis=0), rtol=1e-5)


def test_a_number_apart_from_those_of_the_others_is_set_off() -> None:
    rows = [RankRow(rank, 1, 5, 1.0 + rank / 100, math.nan if rank == 2 else 2.0, ()) for rank in range(4)]
    told = str(RankDifferences([*rows, RankRow(4, 1, 5, 9.0, 2.0, ())], 1))
    assert "nan *" in told
    assert "9 *" in told
    assert told.count("*") == 3  # and the one that says what it means
