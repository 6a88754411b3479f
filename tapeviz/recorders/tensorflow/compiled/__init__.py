"""`tf.function` in a recording that leaves it compiled: one op a call, whose inside is computed when a reader asks.

- `calls`     a compiled function is traced, and called
- `tracing`   the recorder's own parts, at work on the symbols of a trace; `traced_ops`, what they see of it, and
              `steps`, those of optimizers
- `earlier`   the same of a graph that was traced before: by `stacks`, where its ops were asked for; `regions`, which
              of them a gradient has added, and `taken`, for which ops; `tape_text`, what the program's text says of
              its tape; `copied_graph`, in which the gradient is taken again
- `template`  what they wrote; `instance`, the records of a call made of it; `generated`, the program's lines for
              those that AutoGraph has written
- `backward`  the graph by which TensorFlow differentiates it: passes that come through a call
- `deferred`  a call, until a reader asks; `batches`, what it takes of iterators
- `rerun`     a graph, with its branches and loops, computed again op by op on what a call was given, on copies of its
              variables; `witnesses`, what TensorFlow has for the user's own gradients in it
"""
