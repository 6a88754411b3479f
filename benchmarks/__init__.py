"""What recording, diagnosing and drawing cost, beside other tools: ratios of turns in one process.

- commands     `__main__`, tapeviz beside its peers, or beside other commits of itself by `versions`; `pages`, from a
               log to a painted page; `torch_steps`, what watching a step of PyTorch costs, and
               `rank_steps`, what it costs one of several processes; `rank_logs`, from the logs of 64 to one page
- its report   `sections`, with `timing` and `memory`, each a `table`; `models`, `recorders` with its
               `recorded_steps`, and `diagnosis` are sections of their own
- whom         `frameworks`, each with its words for the same `programs`, which `by_hand` has in NumPy;
               `peers`, the tools that draw, with `peer_programs`
- what else    `large_programs`, for a diagnosis; `page_programs`, for a picture
"""
