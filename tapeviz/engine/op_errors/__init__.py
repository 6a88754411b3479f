"""An op that cannot be computed -> TensorFlow's error: its message first, then what was given and what to do.

- errors       `failure`, a primal that raised; `dtypes`, a dtype that an op does not take; `conversions`, a value that
               cannot become a tensor; `scatter_shapes`, updates that do not fit; `memory`, too little of it; `require`,
               a condition on arguments
- messages     `reasons` of a failure; `spelling` of dtypes and shapes
"""
