"""Phrase -> how the users of each framework say it, side by side; a rule asks for a phrase, and never for a framework.

Code stands in backticks. `{name}`, `{target}` and the like are what the rule puts there, the same in every framework;
`{tape}` is what the program calls its tape, and `{its}` the genitive of `{it}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

Phrase: TypeAlias = Literal[
    # things, by what their users call them
    "the tape",
    "recording",
    "tensor",
    "variable",
    "constant",
    "parameter",
    "forward",
    "trainable",
    # places
    "made",
    "inside the block",
    "the block",
    # gradients
    "gradient call",
    "gets None",
    "the gradient is None",
    "no gradient for integers",
    "or leave it out",
    "out of the sources",
    "read None as zero",
    "hold back",
    "nothing followed",
    # following a tensor
    "watch",
    "watch it",
    "where to watch",
    "watch one without a name",
    "is watched",
    "too late for the watch",
    "is not followed",
    # giving a variable a value
    "assign",
    "line that assigns",
    "subtract",
    "change by an operator",
    "run again",
    "kept by the model",
    "made once",
    # gradients of gradients
    "not differentiable again",
    "record the first gradient",
    # from a gradient to a weight
    "compute in few bits",
    "divide before the clip",
    "clip all of the list",
    "forget what was kept",
    "copy back",
    "put in the list",
    # between processes
    "a collective with a gradient",
    # in a picture
    "off",
    "not watched",
    "reads nothing watched",
]


class Wording(NamedTuple):
    """One phrase as each framework's users say it.

    None where JAX has nothing of the kind, so that no rule says it of its programs; TensorFlow's words would stand.
    """

    tensorflow: str
    torch: str
    jax: str | None


PHRASES: Mapping[Phrase, Wording] = {
    # ----- things, by what their users call them -----
    "the tape": Wording(tensorflow="the tape", torch="autograd", jax="JAX"),
    "recording": Wording(tensorflow="tape", torch="graph", jax="function"),
    "tensor": Wording(tensorflow="tensor", torch="tensor", jax="array"),
    "variable": Wording(tensorflow="variable", torch="tensor", jax="array"),
    "constant": Wording(tensorflow="constant", torch="tensor", jax="array"),
    "parameter": Wording(tensorflow="`tf.Variable`", torch="`torch.nn.Parameter`", jax=None),
    "forward": Wording(tensorflow="call", torch="forward", jax=None),
    "trainable": Wording(tensorflow="trainable", torch="requires_grad", jax=None),
    # ----- places -----
    "made": Wording(tensorflow="made", torch="made", jax="passed"),
    "inside the block": Wording(tensorflow=" inside the tape's block", torch="", jax=""),
    "the block": Wording(
        tensorflow="the tape's `with` block",
        torch="the recording's `with` block",
        jax="the function that is recorded",
    ),
    # ----- gradients -----
    "gradient call": Wording(
        tensorflow="`{tape}.gradient({target}, {source})`",
        torch="`torch.autograd.grad({target}, {source})`",
        jax="`jax.grad` of {target} with respect to {source}",
    ),
    "gets None": Wording(tensorflow="gets None", torch="gets None", jax="gets no gradient (zeros in JAX)"),
    "the gradient is None": Wording(
        tensorflow="the gradient is None", torch="`.grad` is None", jax="the gradient is zeros"
    ),
    "no gradient for integers": Wording(
        tensorflow="no gradient passes an integer tensor: it gets None",
        torch="no gradient passes an integer tensor: it gets None",
        jax="`jax.grad` takes floats alone: it raises a TypeError",
    ),
    "or leave it out": Wording(
        tensorflow=', leave {it} out of the sources, or pass `unconnected_gradients="zero"`',
        torch=", or read {its} `.grad` as zero",
        jax=", or leave {it} out of `argnums`",
    ),
    "out of the sources": Wording(
        tensorflow="out of the sources", torch="out of what is trained", jax="out of `argnums`"
    ),
    "read None as zero": Wording(
        tensorflow='Read None as zero, or pass `unconnected_gradients="zero"`.',
        torch="Read None as zero, or pass `allow_unused=True`.",
        jax="Leave it so: zero is what the derivative is.",
    ),
    "hold back": Wording(
        tensorflow="take `tf.stop_gradient` of", torch="`detach()`", jax="take `jax.lax.stop_gradient` of"
    ),
    "nothing followed": Wording(
        tensorflow="No tape followed anything", torch="Autograd followed nothing", jax="Nothing was differentiated"
    ),
    # ----- following a tensor -----
    "watch": Wording(tensorflow="`{tape}.watch({name})`", torch="`{name}.requires_grad_()`", jax=None),
    "watch it": Wording(tensorflow="`{tape}.watch(...)` on it", torch="`requires_grad_()` on it", jax=None),
    "where to watch": Wording(tensorflow="at the top of the tape's block", torch="before its first use", jax=None),
    "watch one without a name": Wording(
        tensorflow="Give it a name and call `{tape}.watch(...)` on it at the top of the tape's block.",
        torch="Create it with `requires_grad=True`.",
        jax=None,
    ),
    "is watched": Wording(tensorflow="is watched", torch="is set to require a gradient", jax=None),
    "too late for the watch": Wording(
        tensorflow="the ops before the watch were not recorded",
        torch="autograd did not follow the ops before that",
        jax=None,
    ),
    "is not followed": Wording(tensorflow="nothing asked the tape to follow", torch="requires no gradient", jax=None),
    # ----- giving a variable a value -----
    "assign": Wording(
        tensorflow="`{name}.assign({value})`", torch="`{name}.copy_({value})` under `torch.no_grad()`", jax=None
    ),
    "line that assigns": Wording(
        tensorflow="{name}.assign({value})", torch="with torch.no_grad(): {name}.copy_({value})", jax=None
    ),
    "subtract": Wording(
        tensorflow="`{name}.assign_sub(step)`", torch="`{name}.sub_(step)` under `torch.no_grad()`", jax=None
    ),
    "change by an operator": Wording(tensorflow="`{line}`", torch="`with torch.no_grad(): {line}`", jax=None),
    "run again": Wording(tensorflow="Run the tape's block again", torch="Compute the target again", jax=None),
    "kept by the model": Wording(
        tensorflow="as an attribute of a `tf.Module`, or by `add_weight` in a layer of Keras",
        torch="as a parameter of the module",
        jax=None,
    ),
    "made once": Wording(tensorflow="in `__init__`, or with `add_weight` in `build`", torch="in `__init__`", jax=None),
    # ----- gradients of gradients -----
    "not differentiable again": Wording(
        tensorflow="was not recorded by the tape that is to differentiate it again: for that tape it is a number",
        torch="had no `create_graph=True`: autograd takes its result for a constant",
        jax=None,
    ),
    "record the first gradient": Wording(
        tensorflow="Move that call of `gradient` into the `with` block of the tape that is to differentiate it.",
        torch="Pass `create_graph=True` to that call, so that its result can be differentiated again.",
        jax=None,
    ),
    # ----- from a gradient to a weight -----
    "compute in few bits": Wording(
        tensorflow="compute with a copy of fewer bits, as Keras does by its policy `mixed_bfloat16`",
        torch="compute in fewer bits under `torch.autocast`",
        jax="compute with a copy of fewer bits, `w.astype(jnp.bfloat16)` in the loss",
    ),
    "divide before the clip": Wording(
        tensorflow="Divide the gradients by the factor of the loss before they are clipped.",
        torch="Call `scaler.unscale_(optimizer)` before the gradients are clipped, compared or logged.",
        jax="Divide the gradients by the factor of the loss before they are clipped.",
    ),
    "clip all of the list": Wording(
        tensorflow="Clip the gradients of all variables that the step changes together: "
        "`tf.clip_by_global_norm(gradients, limit)`. If the others are to keep their size, all is well.",
        torch="Clip the gradients of the parameters in the optimizer's list: `clip_grad_norm_(p for g in "
        "optimizer.param_groups for p in g['params'], limit)`. If the others are to keep their size, all is well.",
        jax="Clip the gradients of all that the step changes together: `optax.clip_by_global_norm(limit)` as the first "
        "of the optimizer's transformations. If the others are to keep their size, all is well.",
    ),
    "forget what was kept": Wording(
        tensorflow="Make the optimizer anew as well. If its state was read from the same place, all is well.",
        torch="Make the optimizer anew as well, or delete what it keeps of that parameter: `optimizer.state.pop(w)`.",
        jax="Make the state of the optimizer anew as well: `state = optimizer.init(params)`.",
    ),
    "copy back": Wording(
        tensorflow="Copy what was changed back after each step: `w.assign(tf.cast(master, w.dtype))` for each pair.",
        torch="Copy what was changed back after each step: `with torch.no_grad(): w.copy_(master)` for each pair.",
        jax="Make the arrays of few bits anew from what was changed after each step, as by `jax.tree.map`.",
    ),
    "put in the list": Wording(
        tensorflow="Hand the optimizer its gradient, too: `zip` the gradients of all that is to learn with their "
        "variables. An input, of which only the gradient is wanted, may stay out of it.",
        torch="Register it (`torch.nn.Parameter` as an attribute, layers in a `ModuleList`) before the optimizer takes "
        "its list, or add it to the list. An input, of which only the gradient is wanted, may stay out of it.",
        jax="Make the optimizer's state of all that is to learn, `optimizer.init(params)`, and hand it the gradients "
        "of all that. An input, of which only the gradient is wanted, may stay out of it.",
    ),
    # ----- between processes -----
    "a collective with a gradient": Wording(
        tensorflow="`{name}` of a replica context",
        torch="`torch.distributed.nn.functional.{name}`",
        jax=None,
    ),
    # ----- in a picture -----
    "off": Wording(tensorflow="recording paused", torch="autograd off", jax="recording paused"),
    "not watched": Wording(tensorflow="not watched", torch="requires no gradient", jax="not differentiated"),
    "reads nothing watched": Wording(
        tensorflow="nothing it reads is watched",
        torch="nothing it reads requires a gradient",
        jax="nothing it reads is differentiated",
    ),
}

WITH_ZEROS: Mapping[Phrase, str] = {
    "gets None": "gets zeros in the place of None",
    "the gradient is None": "the gradient is zeros",
    "or leave it out": ", or leave {it} out of the sources",
    "read None as zero": "Leave it so: zero is what the derivative is.",
}
"""What is said instead where a call gave zeros for None, as it was asked to."""
