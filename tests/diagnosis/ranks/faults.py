"""The twenty faults of several processes, by number, and what is to be said of the programs that have them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import tapeviz as tv

TWENTY = {
    1: "a parameter unused on some ranks",
    2: "unused on all, with DDP's own error",
    3: "a NaN born on one rank and spread by the reduction",
    4: "an all-reduce missing",
    5: "an all-reduce doubled",
    6: "the sum where the mean is due",
    7: "a replicated parameter or buffer that drifted apart",
    8: "different seeds, data or order where equal ones are due",
    9: "equal data where different are due",
    10: "unequal numbers of steps or of collectives",
    11: "the norm of a shard taken for the whole",
    12: "clipping by the norm of a shard",
    13: "a loss averaged over unequal counts",
    14: "local gradients read before the reduction",
    15: "accumulation with synchronisation in every micro-step",
    16: "parameters replaced after wrapping (where they start alike on all ranks)",
    17: "an optimizer built before wrapping",
    18: "frozen on one rank",
    19: "mixed wrapping: a module outside any FSDP unit",
    20: "a tensor-parallel plan that gathers twice",
}
"""Each is planted in two settings: in plain DDP where it can occur there, and in another; 11 and 12 are of shards, 17,
19 and 20 of what replaces parameters or shares them out."""

ALL = "`first.weight`, `first.bias`, `last.weight` and `last.bias`"
SOME = "`first.weight`, `first.bias`, `second.weight`, `second.bias` and 2 more"
LAST = "`last.weight` and `last.bias`"
STATISTICS = "`norm.running_mean` and `norm.running_var`"


class Fault(NamedTuple):
    """What is to be said of one program: a `number` of the table (0: beside it), the `setting`, the cause, a part of
    the line, and `parts` of the message, among them the ranks, the parameters and the factor."""

    number: int
    setting: str
    cause: str
    line: str
    parts: tuple[str, ...]


FAULTS: dict[str, Fault] = {
    name: Fault(*row)
    for name, row in {
        "unused_on_one_rank": (1, "DDP", "unused_on_some_ranks", "self.last(", (LAST, "rank 0", "rank 1", "1/2")),
        "zero_unused_on_one_rank": (1, "ZeRO", "unused_on_some_ranks", "self.last(", (LAST, "rank 0", "rank 1", "1/2")),
        "gathered_without_derivative": (
            *(0, "DDP", "cut_by_a_gather", "dist.all_gather("),
            ("`loss`", "`other`", "no gradient comes back"),
        ),
        "overflowing_hook": (
            3,
            "DDP with a hook",
            "overflow_in_reduction",
            ".backward()",
            ("finite on every rank", "`fp16_compress_hook`"),
        ),
        "reduced_after_the_step": (
            *(4, "by hand", "reduction_missing", "optimizer.step()"),
            (ALL, "ahead of the reduction", "from pass 1 on"),
        ),
        "sum_in_one_buffer": (6, "by hand", "sum_for_mean", "dist.all_reduce(flat)", (ALL, "2 times the mean")),
        "stepped_on_one_rank": (
            *(7, "DDP", "stepped_on_some_ranks", "optimizer.step()"),
            (ALL, "pass 1", "on rank 0, and not on rank 1"),
        ),
        "scaled_before_the_reduction": (
            *(14, "by hand", "local_norm", "each.grad.mul_("),
            (ALL, "before the reduction at", "this rank alone"),
        ),
        "unused_on_all_ranks": (2, "DDP", "unused_source", ".backward()", (LAST, "On all ranks")),
        "zero_unused": (2, "ZeRO", "unused_source", ".backward()", (LAST, "On all ranks")),
        "nan_on_one_rank": (3, "DDP", "spread_by_reduction", "sqrt(", (ALL, "on rank 1", "to rank 0", "`sqrt`")),
        "fsdp_nan_on_one_rank": (
            3,
            "FSDP2",
            "spread_by_reduction",
            "sqrt(",
            (SOME, "on rank 1", "to rank 0", "`sqrt`"),
        ),
        "flat_fsdp_nan_on_one_rank": (
            3,
            "FSDP1",
            "spread_by_reduction",
            "sqrt(",
            ("of `second.", "on rank 1", "to rank 0", "`sqrt`"),
        ),
        "not_reduced_by_its_module": (
            4,
            "DDP",
            "reduction_missing",
            "loss.backward()",
            (ALL, "none of them is reduced"),
        ),
        "not_reduced": (
            4,
            "by hand",
            "reduction_missing",
            "loss.backward()",
            (ALL, "none of them is reduced", "pass 1"),
        ),
        "hybrid_not_reduced": (
            4,
            "HSDP",
            "reduction_missing",
            "loss.backward()",
            (SOME, "turned off in the last pass"),
        ),
        "reduced_twice": (
            5,
            "DDP",
            "reduction_doubled",
            "dist.all_reduce(",
            (ALL, "2 times the mean", "mean at", "sum at"),
        ),
        "hybrid_reduced_twice": (
            5,
            "HSDP",
            "reduction_doubled",
            "dist.all_reduce(",
            (SOME, "2 times the mean", "sum at"),
        ),
        "share_of_a_mean": (5, "DDP", "divided_twice", "dist.get_world_size()", (ALL, "the 2 ranks", "is 1/2 of")),
        "divided_twice": (5, "DDP", "divided_twice", "dist.all_reduce(", (ALL, "1/2 of the mean")),
        "sum_for_mean": (
            6,
            "by hand",
            "sum_for_mean",
            "dist.all_reduce(",
            (ALL, "2 times the mean of what the 2 ranks"),
        ),
        "fsdp_sum_for_mean": (6, "FSDP2", "sum_for_mean", "loss.backward()", (SOME, "2 times the mean", "sum at")),
        "drifting": (
            *(7, "DDP", "drifted_apart", "optimizer.step()"),
            (ALL, "after pass 1", "was reduced", "`lr=0.1` on rank 0 and `lr=0.2` on rank 1"),
        ),
        "written_on_one_rank": (
            *(7, "DDP", "drifted_apart", "model.module.first.bias.zero_()"),
            ("`first.bias`", "after pass 2", "writes into it on rank 1 alone"),
        ),
        "tensor_parallel_drifting": (
            *(7, "tensor parallel", "drifted_apart", "loss.backward()"),
            ("`second.bias`, `last.weight` and `last.bias`", "after pass 1", "find the same gradient"),
        ),
        "statistics_apart": (
            *(7, "by hand", "buffer_drifted_apart", "self.norm("),
            (*(STATISTICS, "after pass 1", "each rank writes them", "on rank 0", "on rank 1"), "No gradient here"),
        ),
        "fsdp_statistics_apart": (
            *(7, "FSDP2", "buffer_drifted_apart", "self.norm("),
            (*(STATISTICS, "after pass 1", "each rank writes them", "on rank 0", "on rank 1"), "No gradient here"),
        ),
        "scale_apart": (
            *(7, "DDP", "buffer_drifted_apart", "self.scale.mul_("),
            (*("`scale`", "after pass 1", "each rank writes it", "on rank 0", "on rank 1"), "unequal functions"),
        ),
        "flat_fsdp_scale_apart": (
            *(7, "FSDP1", "buffer_drifted_apart", "self.scale.mul_("),
            (*("`scale`", "after pass 1", "each rank writes it", "on rank 0", "on rank 1"), "unequal functions"),
        ),
        "evaluated_on_one_rank": (
            *(8, "DDP", "trained_on_some_ranks", "self.drop("),
            ("pass 2", "`dropout`", "training mode on rank 1", "evaluation mode on rank 0"),
        ),
        "reset_after_wrapping": (8, "DDP", "unequal_start", "loss.backward()", (LAST, "on rank 1", "on rank 0")),
        "unequal_seeds": (8, "by hand", "unequal_start", "loss.backward()", (ALL, "on rank 1", "on rank 0")),
        "tensor_parallel_unequal_data": (
            *(8, "tensor parallel", "unequal_replicas", "self.first("),
            ("`Replicate()`", "on rank 1", "on rank 0"),
        ),
        "tensor_parallel_in_another_order": (
            *(8, "tensor parallel", "unequal_replicas", "self.first("),
            ("`Replicate()`", "on rank 1", "on rank 0", "the same rows on rank 1, in another order"),
        ),
        "tensor_parallel_unequal_draws": (
            *(8, "tensor parallel", "unequal_replicas", "self.drop("),
            ("`dropout` at", "is given the same", "`Replicate()`", "on rank 1", "on rank 0"),
        ),
        "tensor_parallel_unequal_state": (
            *(8, "tensor parallel", "reduction_missing", "loss.backward()"),
            ("`second.bias`, `last.weight` and `last.bias`", "none of them is reduced", "from pass 1 on"),
        ),
        "equal_data": (9, "DDP", "equal_data", "loss.backward()", ("The 2 ranks", "3 passes")),
        "fsdp_equal_data": (9, "FSDP2", "equal_data", "loss.backward()", ("The 2 ranks", "3 passes")),
        "flat_fsdp_replicated_equal_data": (9, "FSDP1", "equal_data", "loss.backward()", ("The 2 ranks", "3 passes")),
        "flat_fsdp_replicated_drifting": (
            *(7, "FSDP1", "drifted_apart", "optimizer.step()"),
            (SOME, "after pass 1", "was reduced", "`lr=0.1` on rank 0 and `lr=0.2` on rank 1"),
        ),
        "ddp_unequal_steps": (10, "DDP", "unequal_steps", "loss.backward()", ("Rank 1 takes 2", "rank 0 3", "pass 3")),
        "unequal_steps": (10, "by hand", "unequal_steps", "loss.backward()", ("Rank 1 takes 2", "rank 0 3", "pass 3")),
        "fsdp_unequal_steps": (
            *(10, "FSDP2", "unequal_collectives", "self.first("),
            ("of rank 0 is `fsdp.all_gather`", "rank 1 has ended"),
        ),
        "fsdp_norm_of_a_shard": (11, "FSDP2", "norm_of_a_shard", ".norm()", (SOME, "on rank 0", "root of 2")),
        "tensor_parallel_norm_of_a_shard": (
            *(11, "tensor parallel", "norm_of_a_shard", ".norm()"),
            ("`first.weight`, `first.bias`, `second.weight`, `last.weight` and 1 more", "on rank 0", "root of 2"),
        ),
        "fsdp_clipped_by_a_shard": (
            12,
            "FSDP2",
            "clipped_by_a_shard",
            ".norm()",
            (SOME, "are clipped by it at", "root of 2"),
        ),
        "flat_fsdp_clipped_by_a_shard": (
            *(12, "FSDP1", "clipped_by_a_shard", "clip_grad_norm_("),
            ("`first.weight`, `first.bias` and `second.weight`", "are clipped by it at", "root of 2"),
        ),
        "unequal_counts": (
            *(13, "DDP", "unequal_counts", "loss.backward()"),
            ("8 elements on rank 0", "2 on rank 1", "4 times"),
        ),
        "unequal_numbers_of_labels": (
            *(13, "DDP", "unequal_counts", "loss.backward()"),
            ("6 elements on rank 0", "2 on rank 1", "3 times"),
        ),
        "divided_by_its_own_count": (
            *(13, "DDP", "unequal_counts", "loss.backward()"),
            ("6 elements on rank 0", "2 on rank 1", "3 times"),
        ),
        "fsdp_unequal_counts": (
            *(13, "FSDP2", "unequal_counts", "loss.backward()"),
            ("16 elements on rank 0", "4 on rank 1", "4 times"),
        ),
        "clipped_while_accumulating": (14, "DDP", "local_norm", "clip_grad_norm_(", (ALL, "before the reduction at")),
        "clipped_before_the_reduction": (
            14,
            "by hand",
            "local_norm",
            "clip_grad_norm_(",
            (ALL, "before the reduction at"),
        ),
        "synchronised_in_each_pass": (
            *(15, "DDP", "synchronised_too_often", ".backward()"),
            ("2 passes", "1 of 2 reductions"),
        ),
        "fsdp_synchronised_in_each_pass": (
            *(15, "FSDP2", "synchronised_too_often", ".backward()"),
            ("2 passes", "1 of 2 reductions"),
        ),
        "replaced_after_wrapping": (
            *(16, "DDP", "reduction_missing", "loss.backward()"),
            (LAST, "none of them is reduced", "though those of other parameters are"),
        ),
        "fsdp_replaced_after_wrapping": (
            *(16, "FSDP2", "outside_of_units", "loss.backward()"),
            ("`last.weight` and `last.bias` are in no unit", "none of them is reduced"),
        ),
        "fsdp_optimizer_before_wrapping": (
            *(17, "FSDP2", "listed_before_wrapping", "optim.SGD("),
            (SOME, "before the model was wrapped"),
        ),
        "tensor_parallel_optimizer_before_wrapping": (
            *(17, "tensor parallel", "listed_before_wrapping", "optim.SGD("),
            ("`first.weight`, `first.bias`, `second.weight` and `second.bias`", "before the model was wrapped"),
        ),
        "frozen_on_one_rank": (
            *(18, "DDP", "frozen_on_some_ranks", "requires_grad_(False)"),
            ("`last.bias`", "rank 1", "rank 0"),
        ),
        "tensor_parallel_frozen_on_one_rank": (
            *(18, "tensor parallel", "frozen_on_some_ranks", "requires_grad_(False)"),
            ("`first.bias`", "rank 1", "rank 0"),
        ),
        "fsdp_of_some_layers": (
            *(19, "FSDP2", "outside_of_units", "loss.backward()"),
            ("`last.weight` and `last.bias` are in no unit", "from pass 1 on"),
        ),
        "flat_fsdp_of_some_layers": (
            *(19, "FSDP1", "outside_of_units", "loss.backward()"),
            ("`last.weight` and `last.bias` are in no unit", "from pass 1 on"),
        ),
        "tensor_parallel_gathered_and_split_again": (
            *(20, "tensor parallel", "gathered_twice", "self.first("),
            ("gathered at", "takes back the part that it had, `Shard(1)`", "96 bytes of each of 2 ranks"),
        ),
        "sequence_gathered_twice": (
            *(20, "sequence parallel", "gathered_twice", "self.query("),
            ("gathered 2 times", "48 bytes of each of 2 ranks"),
        ),
    }.items()
}
"""A program of `faulty.py` or `faulty_shards.py` -> what is to be said of it."""


def missing(fault: Fault, found: list[tuple[str, str, str]], *, wide: bool = False) -> list[str]:
    """What the first finding lacks of what is to be said; of each its cause, its line's text and its message.

    Of `wide` layers one of the parameters is enough, and how many bytes they take is not asked.
    """
    if not found:
        return [fault.cause]
    cause, text, message = found[0]
    lacks = [] if cause == fault.cause else [f"{fault.cause}, not {cause}"]
    lacks += [] if fault.line in text else [f"the line `{fault.line}`, not `{text}`"]
    return lacks + [part for part in fault.parts if not any(each in message for each in _said(part, wide))]


def _said(part: str, wide: bool) -> list[str]:
    """What is as good as a part of a message."""
    names = re.findall(r"`\w+\.(?:weight|bias)`", f"{part} {LAST if part.endswith('more') else ''}")
    return names or [re.sub(r"^\d+ bytes", "bytes", part)] if wide else [part]


def found_in(folder: Path) -> list[tuple[str, str, str]]:
    """Cause, line and message of what the logs of a program show together, hints included."""
    found = tv.diagnose(tv.load(folder))
    return [(each.cause, each.site.text if each.site else "", each.message) for each in found]
