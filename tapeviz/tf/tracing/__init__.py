"""A function of which TensorFlow builds a graph -> what a program sees of that, though here its body just runs.

- functions    `function`, which is `tf.function`; `graph_outputs`, the tensors it returns
- arguments    `signature`, what the parameters take, as `trace_types`; `literals`, of which equal ones are one;
               `concrete_function`, for one kind of arguments
- the graph    `new_variables`, which it may make; `separate_graphs` beside it
- AutoGraph    `rewriting`, what is checked at an `if`, `while` or `for` on tensors: `branches` and `branch_functions`;
               of loops `loop_state`, their `first_iteration`, `jumps` out of them, and `collecting`, what they put into
               lists
- dry runs     `dry_run`, which leaves no trace; `outcomes`, of code that has not run yet, if it is free of
               `side_effects`; `result_specs`, what a function will return, run on `spec_values`; `uncalled`, what it
               must not call
- errors       `user_code`, whose lines TensorFlow writes into them; `open_signature`, if one comes only at run time
"""
