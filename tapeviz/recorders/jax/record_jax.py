"""A function of JAX and its arguments -> the log of its forward and reverse pass; JAX is imported as it is called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tapeviz.recorders.jax.function import JaxLog


def record_jax(
    f: Callable[..., Any],
    *args: Any,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    values: str | None = None,
    max_bytes: int | None = None,
    **named: Any,
) -> JaxLog:
    """Record the forward and the reverse pass of a JAX function, equation by equation; or a whole training step.

    `f(*args)` is traced as `jax.jit` traces it, so it may hold `jit`, `scan`, `cond`, `vmap`, `grad` and whatever else
    JAX transforms. Then the equations run one by one: what is under `jit` is opened, a `scan` runs round by round.

    A function that takes gradients itself, as a training step does, runs as it is, once, as in `record()`: the log has
    those gradients. Only if it returns one number and changes no array of its own, as a loss with a penalty on slopes
    does, is it a loss that is differentiated; so it is where `argnums` or `has_aux` say what of it is. (From JAX 0.9.1
    on; with an older one every function is differentiated.)

    Args:
        f: the function, as one would pass it to `jax.grad`, or a step. Where a function that takes no gradient returns
            several numbers, or arrays of them, the gradient is that of their sum.
        args: its positional arguments: arrays, numbers, and structures (pytrees) of them. What a module has beside its
            weights, as functions and names, is left as it is.
        argnums: which arguments to differentiate; () records the forward pass alone.
        has_aux: `f` returns a pair, of which only the first is differentiated.
        values: "kept", "norms" or "none", as in `configure`; by default what `configure` says.
        max_bytes: the log's budget for values, in bytes.
        named: its keyword arguments, which are not differentiated.

    Returns:
        The log, for every verb that takes one. `log.result` is what `f` returned, `log.gradients` what `jax.grad`
        returns, up to rounding: under `jit` XLA computes several equations at once. A source that nothing leads to
        has the gradient None in the log, where JAX gives zeros; so has an integer, which `jax.grad` refuses. Of a step,
        `log.result` is the program's own, to the last bit, and `log.gradients` is None.

    Raises:
        TypeError, ValueError: as `jax.grad` does, of `f` itself too. If it happens while the equations run, the
            exception has the attribute `log`: the recording up to there, so that `tv.show(error)` shows it.
        ImportError: the installed JAX is older than 0.6.

    >>> import jax.numpy as jnp
    >>> import tapeviz as tv
    >>> def loss(params, x):
    ...     return jnp.sum(jnp.tanh(x * params["w"]) ** 2)
    >>> log = tv.record_jax(loss, {"w": jnp.array([1.0, -1.0])}, 0.5)
    >>> log
    <EventLog of jax: 4 ops, 16 events, 11 tensors>
    >>> log.gradients["w"].round(3)
    Array([ 0.363, -0.363], dtype=float32)
    >>> log.value(log.id_of("params['w']"))
    array([ 1., -1.], dtype=float32)
    """
    from tapeviz.recorders.jax.function import record

    return record(f, args, argnums, has_aux, values, max_bytes, named)
