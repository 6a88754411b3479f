"""An op that cannot be computed -> the error, of TensorFlow's class: why, what was given, and what to do.

- errors       `reasons` of a primal that raised; `dtypes`, a dtype that an op does not take; `conversions`, a value
               that cannot become a tensor; `scatter_shapes`, updates that do not fit; `memory`, too little of it;
               `require`, a condition on arguments
- messages     `spelling` of dtypes and shapes
"""
