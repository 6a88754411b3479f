"""Graph -> Findings about a recording as a whole, whatever is asked of it.

- gradients  `grad_attribute`, which stay in the tensors; `read_too_early`, which nothing computed yet; `doubled`, which
             hold a term twice; `alternating`, which are those of two losses that train in turn; `between_steps`, which
             no step uses as they are
- weights    `cached_copies` of them, older than they are
- lists      `source_lists` of gradient calls; `optimizer_lists`; `plain_fields` of modules, which are in none
- functions  `compiled` ones; `closures`, made in a loop; those that are `mapped` over devices
- names      `loop_names`, where a training step changes no variable, but what the name of a loop stands for
"""
