"""`torch.compile` in a recording: a compiled function stays compiled, or runs op by op.

- `compiler`  its module, which is imported only where a program compiles something
- `opened`    the function runs eagerly, and each op of it is seen
- `calls`     it stays compiled: nothing of the recorder's is in sight of the compiler while it runs
- `graphs`    the functions that the compiler has left, one for each graph
- `running`   a call: each graph of it that runs
- `inside`    what is inside of a graph, computed again and recorded; else the graph is one op, with the tensors at its
              border: `nodes`, which a graph has, each called at one of its `lines`
- `deferred`  the same when a reader asks for the log, in a `side_recording`
- `hooks`     the hooks of the modules in a function, of which it calls none that comes later
- `switch`    off while the recorder works in the middle of a call
- `traced`    what the compiler's tracer made of a graph: its nodes, forward and backward, with their lines
"""
