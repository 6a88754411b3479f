"""What a program asks for and cannot have -> the error: TensorFlow's sentence first, then what to do.

- ops          `ops`, whose dtypes or values an op cannot compute with; `sentences/`, what TensorFlow says of values;
               `kernels`, what it calls its ops; `allowed`, which dtypes it lists; `memory`, what there is no room for
- arguments    `require`, a condition that they must meet
- names        `absent`, those that tensors have not
"""
