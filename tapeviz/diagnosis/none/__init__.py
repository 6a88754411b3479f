"""Question -> Finding: why a gradient is None.

In the order in which they are asked:

- `sources`        a path leads there, but the source is not what is recorded: `rebound`, where a result has a leaf's
                   name
- `recording_gap`  the recording has a hole on the path: `paused`, where it was off; `copied`, where values went into
                   another leaf or variable, or `made_of_numbers`, where no call was seen; `target_network`, where it
                   is that of such a network, which is not to learn
- `missing`        no path leads there: `unused`, where the target does not depend on the source at all, but perhaps on
                   its `siblings`, or what may do so runs `between_graphs`; `higher_order`, where a derivative on the
                   way was not recorded, `once_differentiable`, where a gradient function of the user's gave one that
                   has none, and `constant_derivative`, where it does not change; `other_object`, where a name stands
                   for another object; `recomputed`, where what it holds was computed once more; `control_flow`, where
                   Python chose by its value
"""
