"""The logs of several processes -> Findings that no log shows alone, and the answers of all ranks side by side.

- users ask    `across`, which findings there are; `answers`, why of each rank; `spread`, norms of gradients over ranks;
               `differences`, what each rank did that most did not; `shared`, what all did, of each part in which of the
               `kinds_of_difference` they differ, and the `meetings` of gradients in reductions; `crossings`, where
               ranks meet in any collective, or one sends to another: `messages`, and the gradients that come back
- rules get    `rank_log`, what they ask of one log; `passes`, the backward passes of each by the names of parameters,
               with what was made of each gradient; `digest`, which ranks did the same, so that one stands for them;
               `counterpart`, what one did in place of another, by the `alignment` of their ops; `numbers_apart`, which
               of their numbers are far off; `rank_finding`, a finding in the words of all
- rules        `factors`, by which gradients are too large or too small; `reductions`, what they spread, and those that
               come too late or too often; `steps` that not all take, or ahead of a reduction; `parameters` that are
               used, trained or numbered otherwise on some ranks, and what `drifts` come of; `buffers` that drift apart;
               `modes` of training and of evaluation; `shards`, of what each has a part; `replicas`, what all are to
               have alike; `counts` of steps, collectives and examples; `cuts` at a collective
"""
