"""Writer: a program of JAX -> the events of its forward and reverse passes, equation by equation.

- a function   `record_jax`; `function`, what it does; `own_gradients`, whether it takes some itself; `arguments`, the
               jaxpr and the names of what goes into it; `printing`, what is printed as it is traced
- a program    `recording`, of a program that runs, begun and ended; `session`, what its parts share, and the
               `ledger` of arrays; its `gradient_calls`, each by one of `vjp_calls`, and calls of `compiled` functions,
               in which `inside` finds more, as `rounds` do in loops and branches; `forwards`, what has no reverse
               pass; `levels` of `vmap` and `jvp`; `effects`; `internals`, what of JAX is not public;
               `keras`, what that library calls its variables and layers
- a step       `steps`, logged as `optimizers` of optax make them, by their `transformations`, or `keras_steps`, of
               Keras'; `arithmetic`, of gradients before it
- the passes   `passes`, both of them: `forward`, and back in a `sweep`; `operands`, what passes between equations,
               `reach`, what of it depends on what
- an equation  `equations`, which of the `rules` it has: those for `calls`, for `control_flow` and for `shard_map`,
               in which there are no `casts`, or that of an op; `equation_function`, what it computes; `wrapped_rules`,
               those of the user's that a package hands over; `witnesses`, JAX's gradient beside that of a function that
               defines its own
- an op        `names`, the catalog's for a primitive, from `table`; `places`, the user's line; `values`, what a log
               holds; `linearized`, its results and its VJP
- to check     `pull_back`, of a function that is run and differentiated; `own_kernels`, for what is computed again
"""

from __future__ import annotations

from tapeviz.events.own_kernels import give_kernels
from tapeviz.recorders.base import Recorder, RecordOptions


def recorder(options: RecordOptions) -> Recorder:
    """What records JAX in the current thread."""
    from tapeviz.recorders.jax.own_kernels import KERNELS
    from tapeviz.recorders.jax.recording import JaxRecorder

    give_kernels("optax", KERNELS)
    return JaxRecorder()
