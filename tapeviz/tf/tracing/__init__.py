"""A function of which TensorFlow builds a graph -> what a program sees of that, though here its body just runs.

- functions    `function`, which is `tf.function`; `graph_outputs`, the tensors it returns
- arguments    `signature`, what the parameters take, as `trace_types`; `concrete_function`, for one kind of them
- the graph    `new_variables`, which it may make; `separate_graphs` beside it
- dry runs     `dry_run`, which leaves no trace; `result_specs`, what a function will return, run on `spec_values`;
               `uncalled`, what it must not call
- errors       `open_signature`, if one comes only at run time
"""
