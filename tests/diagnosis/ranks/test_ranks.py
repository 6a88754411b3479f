"""What the logs of several ranks show together: each of the faults of `programs.py` by its line, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import tapeviz as tv
from tapeviz.diagnosis.ranks.answers import RankAnswers
from tapeviz.diagnosis.ranks.spread import Spread
from tapeviz.events import EventLog
from tapeviz.events.raw import next_id
from tapeviz.events.store.ranks import Ranks
from tests.processes import together

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

TWENTY = {
    1: "a parameter unused on some ranks",
    2: "unused on all, with DDP's own error (told from one log: tests/diagnosis/test_torch.py)",
    3: "a NaN born on one rank and spread by the reduction",
    4: "an all-reduce missing, doubled, or of the sum where the mean is due",
    5: "a replicated parameter or buffer that drifted apart (buffers: not yet)",
    6: "different seeds or data order where equal ones are due (parameters' start: yes; order: not yet)",
    7: "equal data where different are due",
    8: "unequal numbers of steps or of collectives",
    9: "the norm or the clipping of a shard taken for the whole (not yet: FSDP)",
    10: "a loss averaged over unequal counts",
    11: "local gradients read before the reduction",
    12: "accumulation with synchronisation in every micro-step",
    13: "parameters replaced after wrapping (where they start alike on all ranks)",
    14: "an optimizer built before wrapping (not yet: harmless in DDP)",
    15: "frozen on one rank",
    16: "mixed wrapping: a module outside any FSDP unit (not yet)",
    17: "a tensor-parallel plan that gathers twice (not yet)",
}
"""The issue's list of faults, numbered as it has them, a line for each of its phrases; 4 and 9 are several."""

ALL = "`first.weight`, `first.bias`, `last.weight` and `last.bias`"
FAULTS: dict[str, tuple[int, str, str, tuple[str, ...]]] = {
    "unused_on_one_rank": (1, "unused_on_some_ranks", "self.last(", ("`last.weight`", "rank 0", "rank 1", "1/2")),
    "nan_on_one_rank": (3, "spread_by_reduction", "torch.sqrt(", (ALL, "on rank 1", "to rank 0", "`sqrt`")),
    "not_reduced": (4, "reduction_missing", "loss.backward()", (ALL, "none of them is reduced", "pass 1")),
    "not_reduced_by_its_module": (4, "reduction_missing", "loss.backward()", (ALL, "none of them is reduced")),
    "reduced_twice": (4, "reduction_doubled", "dist.all_reduce(", (ALL, "2 times the mean", "mean at", "sum at")),
    "sum_for_mean": (4, "sum_for_mean", "dist.all_reduce(", (ALL, "2 times the mean of what the 2 ranks found")),
    "divided_twice": (4, "divided_twice", "dist.all_reduce(", (ALL, "1/2 of the mean")),
    "drifting": (5, "drifted_apart", "loss.backward()", (ALL, "after pass 1", "was reduced")),
    "unequal_seeds": (6, "unequal_start", "loss.backward()", (ALL, "on rank 1", "on rank 0")),
    "equal_data": (7, "equal_data", "loss.backward()", ("The 2 ranks", "3 passes")),
    "unequal_steps": (8, "unequal_steps", "loss.backward()", ("Rank 1 takes 2", "rank 0 3", "pass 3")),
    "unequal_counts": (10, "unequal_counts", "loss.backward()", ("8 elements on rank 0", "2 on rank 1", "4 times")),
    "clipped_before_the_reduction": (11, "local_norm", "clip_grad_norm_(", (ALL, "before the reduction at")),
    "synchronised_in_each_pass": (12, "synchronised_too_often", ".backward()", ("2 passes", "1 of 2 reductions")),
    "replaced_after_wrapping": (
        13,
        "reduction_missing",
        "loss.backward()",
        ("`last.weight`", "none of them is reduced"),
    ),
    "frozen_on_one_rank": (15, "frozen_on_some_ranks", "requires_grad_(False)", ("`last.bias`", "rank 1", "rank 0")),
}
"""A program -> the number of its fault, its cause, a part of its line, and what must be said of it."""

HEALTHY = (
    *("ddp", "ddp_with_buckets", "ddp_static", "ddp_routed", "ddp_accumulating", "ddp_clipped", "ddp_of_wide_rows"),
    *("mean_by_hand", "share_of_a_sum", "clipped_after_the_reduction", "in_one_buffer", "averaged_now_and_then"),
    *("broadcast_at_the_start", "models_of_their_own", "pipeline"),
)


@pytest.fixture(scope="module")
def logs() -> Iterator[Path]:
    """The folders of logs of all programs, which two processes have written."""
    with TemporaryDirectory() as folder:
        together("tests.diagnosis.ranks.programs", folder)
        yield Path(folder)


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_named_with_its_line_and_all_that_is_known_of_it(name: str, logs: Path) -> None:
    number, cause, line, parts = FAULTS[name]
    assert number in TWENTY
    found = tv.diagnose(tv.load(logs / name))
    first = found[0]
    assert (first.cause, first.site and line in first.site.text) == (cause, True), str(found)
    assert [part for part in parts if part not in first.message] == [], first.message
    assert first.message in str(found)


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_one_finding(name: str, logs: Path) -> None:
    """What comes of it on one rank alone may be told beside it."""
    found = tv.diagnose(tv.load(logs / name))
    assert len([each for each in found if not each.message.startswith("On ")]) == 1, str(found)


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_program_hears_nothing_but_hints(name: str, logs: Path) -> None:
    found = tv.diagnose(tv.load(logs / name))
    assert [each for each in found if each.severity != "hint"] == [], str(found)


def test_every_program_is_judged(logs: Path) -> None:
    assert {each.name for each in logs.iterdir()} == {*FAULTS, *HEALTHY}


def test_a_folder_is_a_set_of_ranks(logs: Path) -> None:
    ranks = tv.load(logs / "ddp")
    assert isinstance(ranks, Ranks)
    assert repr(ranks) == "<Ranks: 2 logs, ranks 0 and 1>"
    assert [type(each).__name__ for each in ranks.values()] == ["LoadedLog", "LoadedLog"]
    with pytest.raises(IsADirectoryError):
        tv.load(logs)


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


def test_why_answers_for_each_rank_and_for_all(logs: Path) -> None:
    found = tv.why(tv.load(logs / "sum_for_mean"), "loss", "first.weight")
    assert isinstance(found, RankAnswers)
    assert list(found) == [0, 1]
    assert [each.cause for each in found.together] == ["sum_for_mean"]
    assert "Rank 1: The gradient of `loss` arrives at `first.weight`" in str(found)
    assert "sum_for_mean" in found._repr_html_()


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
