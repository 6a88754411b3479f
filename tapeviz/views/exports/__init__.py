"""EventLog -> the files of other viewers, as values that are ready for `json.dump`.

- time      `chrome_trace`, which Perfetto and chrome://tracing open
- graphs    `model_explorer` and `netron`, for the viewers of these names; `details`, what both say of a tensor
"""
