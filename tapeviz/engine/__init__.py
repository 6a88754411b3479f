"""The gradient tape, in NumPy: a program of tensors -> its results, and the log of how they were computed.

It behaves as TensorFlow's eager tape does, to the dtype and the None.

- public       `namespace`, the names users find; `functions/`, those of the ops; `tape`; `forward`, forward mode,
               with `tangents`
- tensors      `tensors/`, the classes of tensors and variables; `values/`, from the user's values to arrays; `specs/`,
               dtypes and shapes
- a call       `calling/`, from operands to a result; `recording`, which tapes and which log are open; `logs`, opened
               and closed; `notes`, what is logged besides ops; `graph_mode/`, what differs inside a `tf.function`
- the ops      `ops/`, one row each, collected in `table`; `op`, what a row becomes; `facts`, what else it says;
               `kernels/`, their arithmetic; `op_dtypes`, what takes which dtypes; `rules/`, how VJPs are run;
               `custom_gradient`
- backward     `backward/`, from targets to gradients; `gradient_checks/`, by finite differences
- errors       `op_errors/`, TensorFlow's errors for an op that cannot be computed
- structures   `nest`
- settings     `configure`, what plain tapes keep; `setting`, a context variable for a while
"""
