"""What cannot be computed, or is not there -> the error: TensorFlow's sentence first, then what to do.

- ops          `ops`, for dtypes or values that an op cannot compute with; `sentences/`, TensorFlow's about values;
               `kernel_names`, its names of ops; `allowed_dtypes`, as it lists them; `memory`, if there is not enough
- arguments    `require`, for a condition that they must meet
- names        `missing_attributes`, of tensors
"""
