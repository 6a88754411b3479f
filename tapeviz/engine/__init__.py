"""TensorFlow's eager tape, in NumPy: a program of tensors -> its results, and the log of how they were computed.

- public       `api/`, TensorFlow's functions; `tape`, with `taping`, how it records; `forward`, forward mode, with
               `tangents`; `function`, which is `tf.function`, with `graph_outputs` and `tracing/`, what a program sees
               of a graph
- tensors      `tensors/`, the classes of tensors and variables; `values/`, from the user's values to arrays; `specs/`,
               dtypes and shapes
- a call       `calling/`, from operands to a result; `recording`, which tapes and which log are open; `logs`, opened
               and closed; `notes`, what is logged besides ops
- the ops      `ops/`, one row each, collected in `table`; `op`, what a row becomes; `kernels/`, their arithmetic;
               `facts` and `op_dtypes`, their properties and dtypes; `rules/`, how VJPs are run; `custom_gradient`
- backward     `backward/`, from targets to gradients; `gradient_checks/`, by finite differences
- errors       `op_errors/`, TensorFlow's errors for an op that cannot be computed
- structures   `nest`, `module`
- settings     `random`, `devices`, `setting`
"""
