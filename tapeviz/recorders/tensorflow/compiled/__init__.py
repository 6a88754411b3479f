"""`tf.function` in a recording that leaves it compiled: one op a call, whose inside is computed when a reader asks.

- `calls`     a compiled function is traced, and called
- `tracing`   the recorder's own parts, at work on the symbols of a trace; `traced_ops`, what they see of it, and
              `steps`, those of optimizers
- `template`  what they wrote; `instance`, the records of a call made of it; `generated`, the program's lines for
              those that AutoGraph has written
- `backward`  the graph by which TensorFlow differentiates it: passes that come through a call
- `deferred`  a call, until a reader asks; `batches`, what it takes of an iterator
- `rerun`     a graph, computed again op by op on what a call was given, on copies of its variables; `witnesses`, what
              TensorFlow has for the user's own gradients in it
"""
