"""The fifteen silent faults between gradient and weight, by the names that the texts use."""

from __future__ import annotations

FAULTS = {
    "rounded_away": "the update is swallowed in low precision",
    "clipped_while_scaled": "clipped before unscaling",
    "clipped_by_another_norm": "clipped by a norm of other parameters",
    "mean_missing": "the mean is missing over micro-batches",
    "unequal_micro_batches": "unequal micro-batches weighed equally",
    "divided_twice": "the loss is divided twice",
    "never_cleared": "gradients are cleared never, or at the wrong place under accumulation",
    "rate_of_zero": "the schedule is at zero, or stepped before the optimizer",
    "in_no_list": "a parameter is in two groups or in none",
    "decays_scale": "decay on norms and biases",
    "old_moments": "moments of an old shape or run",
    "average_lags": "an average that lags",
    "updated_twice": "tied weights updated twice",
    "replaced_later": "the optimizer was built before the parameters were replaced",
    "not_copied_back": "master weights are not copied back",
}
