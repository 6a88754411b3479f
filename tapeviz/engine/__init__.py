"""A program of tensors -> its results, and the log of how they came about: TensorFlow's eager tape, in NumPy.

- public       `api/`, TensorFlow's functions; `tape`, which records by `taping`; `forward`, forward mode; `function`,
               which is `tf.function`, with `tracing/`, what a program sees of TensorFlow's graphs
- tensors      `tensors/`, the classes of tensors and variables; `values/`, from the user's values to arrays; `specs/`,
               dtypes and shapes
- a call       `calling/`, from operands to a result; `recording`, the tapes and the log that are open; `logs`
- the ops      `ops/`, one row each, collected in `table`; `op`, what a row becomes; `kernels/`, their arithmetic;
               `facts` and `takes`, what else is known of them; `rules/`, how VJPs are run; `custom_gradient`
- backward     `backward/`, from targets to gradients
- errors       `refusals/`, of ops, and of names that tensors lack
- structures   `nest`, `module`
- settings     `random`, `devices`, `setting`
"""
