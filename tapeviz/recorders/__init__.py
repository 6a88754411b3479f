"""Writers: what a real program of TensorFlow, PyTorch or JAX does -> the same events as the engine's.

- recorders    `tensorflow/`, `torch/`, `jax/`; `base`, their interface; `frameworks`, their list
- a recording  `record`, one log around a stretch of program; `session`, what the parts of one share; `stop`, where a
               gradient ends it
- names        `naming`, their records; `called`, what a running function calls something; `bindings`, what a program's
               variables call its tensors
- gradients    `runs`, the records of one run back
- ops          `signatures`, read from tables in which a framework's ops have the catalog's names; `plain`, values of
               attributes
- hooks        `hooks`, what is done at a framework's function; `patches`, that in its place; `scoped`, its calls as
               scopes; `imports`, a framework that is imported later; `warned`, warnings about the user's own lines

What does the same in all three has one name, so that who knows one recorder can read the others:

- `recording`  its parts tied together; `Session`, what they share; `rows`, the table of what a part patches
- `Ledger`     from tensors to ids; `mention` tells the log of a tensor that it has not known so far
- `names`      from an op of the framework's to the catalog's, by its `table`; `values`: `kept`, what a log has of one
- `LoggedOp`   an op that a gradient comes back to; `Sweep`, a run back: it begins, pulls ops back, sums up and ends

The recorder of JAX patches nothing and looks at no running program: it evaluates equations itself, so that `forward`
is its session and its ledger.
"""
