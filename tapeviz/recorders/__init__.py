"""Writers: what a program of TensorFlow, PyTorch, JAX, autograd or tinygrad does -> the same events as the engine's.

- recorders    `tensorflow/`, `torch/`, `jax/`, `autograd/`, `tinygrad/`; `base`, their interface; `frameworks`, their
               list
- a recording  `record`, one log around a stretch of program; `session`, what the parts of one share; `alarm`, where a
               gradient is wrong, `spikes` among them;
               `flight`, one that is on until it is stopped
- names        `identity`, the ids of a program's arrays; `naming`, the records of names; `local_names`, what a running
               function calls something; `bindings`, what a program's variables call its tensors; `lines`, code at a
               line that a compiler has kept
- gradients    `runs`, the records of one run back
- libraries    `keras`, what its backends have in common
- ops          `signatures`, read from tables in which a framework's ops have the catalog's names; `plain_values`,
               values of attributes; `packages`, which of those installed has called it
- hooks        `hooks`, what is done at a framework's function; `patches`, that in its place; `scopes`, its calls as
               scopes; `imports`, a framework that is imported later; `warning_places`, warnings about the user's own
               lines

Parts with the same task have the same name in every recorder, so that knowing one helps to read the others:

- `recording`  ties the parts together; `Session` is what they share; `rows` lists what a part patches
- `Ledger`     the ids of tensors; `mention` adds a tensor to the log if it is not in it yet
- `names`      the catalog's name for an op of the framework, from its `table`; `values`: `kept`, what a log stores
- `witnesses`  a user's own gradient beside the framework's, of what the user's function computed
- `LoggedOp`   a recorded op that may get a gradient; `Sweep`, one backward pass: it begins, pulls ops back and ends

The recorder of JAX sees where the program takes gradients, and of what. It evaluates the equations of that itself, so
`forward` takes the place of a ledger.
"""
