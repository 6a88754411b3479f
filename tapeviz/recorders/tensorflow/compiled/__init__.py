"""`tf.function` in a recording that leaves it compiled: one op a call, whose inside is computed when a reader asks.

- `calls`     a compiled function is traced, and called
- `tracing`   the recorder's own parts, at work on the symbols of a trace
- `template`  what they wrote, as records of any call; `generated` has the program's lines for those that AutoGraph wrote
- `again`     a graph, computed again op by op on what a call was given, on copies of its variables
- `deferred`  a call, until then; `kept`, what is kept of it
"""
