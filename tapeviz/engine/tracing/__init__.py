"""A function of which TensorFlow builds a graph -> what a program sees of that, though the function's body runs.

- arguments    `signature`, what each parameter takes, told by `trace_types`; `concrete`, the function for one kind of
               arguments
- inside       `building`, what differs there; `apart`, what has a graph of its own
- results      `trial`, what they will look like, by trying out
"""
