"""Runs of autograd's engine -> the steps, sums and gradients of a log.

- a run        `engine`, where the program starts one; `sweep`, its VJPs as they run, by the hook of an op's
               `only_node`, and its `gradients`; `reach`, the nodes it can meet;
               `stored`, gradients it leaves in leaves, `other_leaves`, in those that its graph does not lead to,
               `gathered`, in those that stand for others
- again        the `fingerprint` of a graph that was met before; what is `foreseen` of a run on it, once, as its
               `pass_records`, and the run that is `planned` so
- the graph    `nodes`, the op of each autograd node, by their numbers (`sequence_numbers`); `saved`, what nodes keep,
               and `packed`, what hooks make of it; `long_graphs`, which are freed node by node
"""
