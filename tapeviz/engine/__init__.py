"""A program of tensors -> its results, and the log of how they came about: TensorFlow's eager tape, in NumPy.

- the public   `api/`, TensorFlow's functions; `tape`, which records by `taping`; `forward`; `function`
- tensors      `tensor` and `variable`; `tensor_like`, what both are, and `mutable`, what variables are; `operators`;
               the `reference` to one, `array_text`, how it shows, and `known_as`, under which names
- a call       `calling/`, from operands to a result; `convert`, `python_values` and `constant`, what the user's values
               become; `recording`, which tapes and which log; `logs`
- the ops      `ops/`, their rows in `table`; `kernels/`, their numbers; `op`; `facts` and `takes`, what else is
               known of them; `rules/`, how their VJPs are run, and the user's own; `custom_gradient`
- refusals     `refusals/`, the errors of ops and of names that tensors have not
- backward     `backward/`, from targets to gradients
- functions    `tracing/`, what a program sees of the graphs that TensorFlow builds
- descriptions `specs/`, of dtypes and shapes
- structures   `nest`, `module`; of variables: `parts`, `graph_era`
- settings     `random`, `devices`, `setting`
"""
