"""`tf.function` in a recording that leaves it compiled: one op a call, whose inside is computed when a reader asks.

- `calls`     a compiled function is traced, and called
- `tracing`   the recorder's own parts, at work on the symbols of a trace
- `template`  what they wrote, as records of any call; `generated`, the program's lines for those of AutoGraph's
- `backward`  the graph by which TensorFlow differentiates it: passes that come through a call
- `deferred`  a call, until a reader asks; `batches`, what it takes of an iterator
- `again`     a graph, computed again op by op on what a call was given, on copies of its variables; `witnesses`, what
              TensorFlow has for the user's own gradients in it
"""
