"""The label of a cause -> its title, its meaning and the general cure: the text of findings, docs and notebooks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cause:
    """What is true of every finding with this label; a finding adds the names and lines of one program."""

    label: str
    title: str
    explanation: str
    fix: str


def _table(*rows: tuple[str, str, str, str]) -> dict[str, Cause]:
    return {row[0]: Cause(*row) for row in rows}


CAUSES = _table(
    (
        "not_watched",
        "The source is not watched",
        "A tape follows trainable variables by itself; a plain tensor only if it is asked to.",
        "Call `tape.watch(x)` at the top of the tape's block, or make the source a `tf.Variable`.",
    ),
    (
        "watched_too_late",
        "The source is watched after it was used",
        "A tape records an op only if it follows one of its inputs at that moment.",
        "Move `tape.watch(x)` above the first line that uses the source.",
    ),
    (
        "source_is_other_object",
        "The source is not the object that was used",
        "A copy, slice or stack holds the same numbers, but the target was computed from another tensor.",
        "Ask for the gradient of the tensor that was used, or compute the target from the one you ask for.",
    ),
    (
        "source_rebound",
        "The name of a variable holds a tensor now",
        "`w = w - step` does not change the variable: it gives its name to a new tensor, which no tape follows.",
        "Change the variable in place: `w.assign_sub(step)`.",
    ),
    (
        "not_trainable",
        "The variable is not trainable",
        "A tape follows only trainable variables by itself.",
        "Leave the variable out of the sources, create it with `trainable=True`, or call `tape.watch(w)`.",
    ),
    (
        "integer_dtype",
        "The path goes through an integer tensor",
        "A gradient is about small changes; integers have none, so no gradient passes them.",
        "Stay in floats: write `3.0` for `3`, and cast to integers only beside the path.",
    ),
    (
        "untracked_parameter",
        "The list of parameters lacks what the target uses",
        "A gradient is taken with respect to what is listed; a variable that is made later is not in the list.",
        "Take the list after the first call of the model, which makes its variables.",
    ),
    (
        "outside_tape",
        "An op ran outside the tape",
        "A tape records what runs inside its `with` block; a value computed before or after it is a number to it.",
        "Move the line into the tape's `with` block; make a derived value a function that is called there.",
    ),
    (
        "recording_disabled",
        "An op ran while recording was paused",
        "Inside `tape.stop_recording()` nothing is recorded, so no gradient passes what was computed there.",
        "Keep under `stop_recording()` only what the target does not need.",
    ),
    (
        "no_higher_order_record",
        "The first gradient was not recorded",
        "A gradient can be differentiated again only if an outer tape was recording while it was computed.",
        "Call the inner `gradient` inside the outer tape's `with` block.",
    ),
    (
        "left_to_numpy",
        "A value was read out of its tensor",
        "`.numpy()`, `float()` and NumPy functions give plain numbers, which know nothing of where they came from.",
        "Stay in tensors: drop the read-out and use the `tf.` function in place of the NumPy one.",
    ),
    (
        "rebuilt_as_leaf",
        "A tensor was copied into a new variable or constant",
        "`tf.Variable(t)` copies the value, as `tf.constant` of a variable does; the copy is not connected to `t`.",
        "Use the tensor itself; join several with `tf.stack` or `tf.concat`.",
    ),
    (
        "stop_gradient",
        "The gradient is held back on the path",
        "`tf.stop_gradient` passes the value and holds the gradient back.",
        "Remove it, or add the path that is meant to learn: `z + tf.stop_gradient(q - z)`.",
    ),
    (
        "through_state",
        "The value went through a variable's state",
        "`assign` writes a value; a tape does not record how a variable came by it.",
        "Keep the value in a tensor: `total = total + x`, `tf.tensor_scatter_nd_update(t, ...)`.",
    ),
    (
        "unused_source",
        "The target does not depend on the source",
        "No op leads from the source to the target, or none that reads an entry of what was made of it.",
        'Use the source in the target, leave it out of the sources, or pass `unconnected_gradients="zero"`.',
    ),
    (
        "nondifferentiable_op",
        "An op on the path has no derivative",
        "Choices and steps (argmax, comparisons, round, sign) are flat or jump; no useful gradient passes them.",
        "Use a smooth version: softmax for argmax, sigmoid for a comparison, `x + tf.stop_gradient(tf.round(x) - x)`.",
    ),
    (
        "custom_gradient_bug",
        "A custom gradient is wrong",
        "The gradient function must return one gradient per input, each multiplied by the upstream gradient. In a "
        "program of TensorFlow's it is held against TensorFlow's own gradient of what the function computed.",
        "Return `upstream * derivative` once per input, computed with `tf.` functions; `tv.check_gradients(f, x)` "
        "holds its numbers against finite differences.",
    ),
    (
        "sparse_gradient",
        "The gradient is rows and their places, not a tensor",
        "The gradient of a lookup, as in an embedding, is an `IndexedSlices`: the rows that were read, with numbers.",
        "Make it a tensor first: `tf.convert_to_tensor(gradient)`; an optimizer takes it as it is.",
    ),
    (
        "api_misuse",
        "The call is not what the function takes",
        "An optimizer takes pairs of a gradient and a variable, and has no `minimize` since Keras 3; a loss with "
        "logits applies the softmax itself.",
        "Write `optimizer.apply_gradients(zip(gradients, variables))` with two lists, and give a loss with logits "
        "what no softmax has made.",
    ),
    (
        "graph_consumed",
        "The tape was used up",
        "A tape that is not persistent gives one set of gradients and then forgets what it recorded.",
        "Open the tape with `persistent=True`, or ask for all gradients in one call.",
    ),
    (
        "swapped_arguments",
        "Target and source are swapped",
        "`tape.gradient(target, sources)`: first what is differentiated, then with respect to what.",
        "Swap the two arguments.",
    ),
    (
        "tf_function",
        "A compiled function keeps its first call",
        "`tf.function` runs its Python text once: numbers of Python's own are built in, and variables are made then.",
        "Use a `tf.Variable` for what changes, and make variables once, outside the function.",
    ),
    (
        "python_closure",
        "Functions made in a loop share its last value",
        "A function looks a name up when it is called; after the loop the name stands for the last value.",
        "Give each function its own as a default argument: `lambda x, w=w: w * x`.",
    ),
    (
        "missing_stop_gradient",
        "A quantity that may be meant as constant is differentiated",
        "A target made by the model itself, or an advantage, is often a number to learn from, not a way to learn.",
        "Take `tf.stop_gradient` of it, if it is meant as a constant.",
    ),
    (
        "broadcast_mismatch",
        "Two shapes were broadcast against each other",
        "A column (n, 1) and a row (n,) make a table (n, n): every entry meets every other.",
        "Give both the same shape: `tf.squeeze(column, axis=1)` or `tf.reshape`.",
    ),
    (
        "domain_edge",
        "An op sits at the edge of its domain",
        "The derivative is infinite or undefined there, and infinity times zero is NaN.",
        "Keep away from the edge: add a small number inside, as in `tf.sqrt(x + 1e-12)`.",
    ),
    (
        "where_trap",
        "The branch that `where` discards is not finite",
        "The discarded branch gets gradient zero, and zero times infinity is NaN.",
        "Make the input of the branch safe first: `x_safe = tf.where(mask, x, 1.0)`, then compute from `x_safe`.",
    ),
    (
        "nan_in_forward",
        "The forward pass overflows or is undefined",
        "From there on every value and every gradient is infinite or NaN.",
        "Use a stable formula (`tf.nn.softmax`, `tf.math.softplus`), or guard the denominator.",
    ),
    (
        "nan_in_input",
        "The data or a variable is not finite already",
        "What is computed from NaN is NaN, forward and backward; no formula that reads it can mend that.",
        "Look for the NaN in what the program reads, or for the earlier step that put it into a variable.",
    ),
    (
        "dead_activation",
        "A rectifier is off everywhere",
        "Where its input is not positive, relu passes no gradient.",
        "Use a leaky version, or start with weights that leave part of the units on.",
    ),
    (
        "saturation",
        "A bounded op is on its flat part",
        "Beyond its bounds a clip, and far out a tanh or sigmoid, no longer moves with its input.",
        "Scale the input, or let the gradient pass: `x + tf.stop_gradient(clip(x) - x)`.",
    ),
    (
        "constant_by_construction",
        "The expression is constant",
        "It is connected to the source, but its value cannot change, so the gradient is zero.",
        "Use an expression that varies: `tf.sigmoid` for a softmax over one unit.",
    ),
    (
        "zero_derivative",
        "The derivative is zero for these numbers",
        "What an op passes on changes with the numbers that it meets. At a minimum it is zero as it should be.",
        "If that is a minimum, all is well. Otherwise start from other values, or look at what the op chooses.",
    ),
    (
        "zero_factor",
        "The other factor of a product is zero",
        "The derivative of a product by one factor is the other factor.",
        "Check the mask or weights, or start from values that are not all zero.",
    ),
    (
        "vanishing_depth",
        "The gradient vanishes over depth",
        "Many factors below one, multiplied from layer to layer, leave nothing for the first layers.",
        "Add residual connections (`h = h + f(h)`), normalise, or use an activation that does not flatten.",
    ),
    (
        "exploding_depth",
        "The gradient explodes over depth",
        "Many factors above one, multiplied from layer to layer, give the first layers huge gradients.",
        "Clip by the global norm (`tf.clip_by_global_norm`), or start from smaller weights.",
    ),
    (
        "precision_underflow",
        "The gradient is too small for float16",
        "float16 has no numbers between zero and 6e-8; what is smaller becomes zero.",
        "Scale the loss up before the backward pass and the gradients down after it, or compute in float32.",
    ),
    (
        "non_leaf_grad",
        "`.grad` of an intermediate result was read",
        "A gradient passed the tensor, but only leaves keep theirs in `.grad`.",
        "Call `retain_grad()` on it before the backward pass, or ask `torch.autograd.grad` for it.",
    ),
    (
        "inplace_modification",
        "A tensor was changed in place",
        "The backward pass needs some values of the forward pass as they were; a leaf must stay what it is.",
        "Make a new tensor instead of `x += y` or `relu_`, or work on a `clone()`.",
    ),
    (
        "changed_recomputation",
        "A checkpoint computes something else the second time",
        "A checkpoint keeps what goes in, and runs its function again for the backward pass: what else it reads must "
        "be as it was.",
        "Change it after the backward pass: weights, `train()` and `eval()`, autocast, numbers and lists of Python's "
        "own.",
    ),
    (
        "used_before_backward",
        "The gradient was used before it was computed",
        "Only a backward pass computes gradients and stores them; before the first one there is none.",
        "Call `loss.backward()` before the gradient is read, and before the optimizer steps.",
    ),
    (
        "cleared_before_use",
        "The gradients were cleared before they were used",
        "`zero_grad` between the backward pass and the step leaves nothing to step with.",
        "Call `zero_grad` before the backward pass, or after the step.",
    ),
    (
        "stale_value",
        "A copy is read that is older than its value",
        "A copy that was made before a value changed goes on as if nothing had happened: what is computed with it, and "
        "its gradient, are those of the old value.",
        "Make the copy anew after each change: leave the block that keeps it, or compute what is cached again.",
    ),
    (
        "scaled_gradient_used",
        "The gradient carries a factor that is not divided out",
        "A loss is multiplied, or is one of several whose gradients add up; what reads, clips or uses them before that "
        "is divided out, or where it is divided out twice, has a multiple. `GradScaler` divides in `step`.",
        "Call `scaler.unscale_(optimizer)` before the gradients are clipped, compared or logged.",
    ),
    (
        "clipped_by_another_norm",
        "A step uses gradients that the clipping leaves as they are",
        "Clipping by a global norm bounds a step only if it measures and scales the gradients of all that the step "
        "changes.",
        "Clip the gradients of the parameters in the optimizer's list: `clip_grad_norm_(p for g in "
        "optimizer.param_groups for p in g['params'], limit)`. If the others are to keep their size, all is well.",
    ),
    (
        "update_lost",
        "The step leaves weights as they were",
        "A gradient is there, and no weight changes by it: the update is rounded away in few bits, the learning rate "
        "is zero, or what the step changes is a copy that nobody reads.",
        "Keep the weights that a step changes in float32, and look at the learning rate and at which tensors the "
        "optimizer has.",
    ),
    (
        "updated_twice",
        "A parameter is updated twice by one gradient",
        "Two optimizers have the parameter in their lists: each takes a step with the gradient that one pass has left.",
        "Leave the parameter in the list of one of the optimizers.",
    ),
    (
        "ascent",
        "The steps go up the slope",
        "A gradient points to where the target grows; a step that is to make an error smaller goes the other way.",
        "Take off what the step adds. If the error is meant to grow, all is well.",
    ),
    (
        "decays_scale",
        "Weight decay pulls on the scale of a normalizing layer",
        "Decay keeps matrices small; the scale and shift of a normalizing layer it only pulls away from what the "
        "gradients ask for.",
        "Put scales and biases in a parameter group of their own with `weight_decay=0.0`. If it is meant, all is well.",
    ),
    (
        "accumulated_gradient",
        "The gradient holds the sum of several passes",
        "`backward` adds to `.grad`; what an earlier step used already stays in it until it is cleared.",
        "Clear the gradients once per step: `optimizer.zero_grad()`.",
    ),
    (
        "implicit_sum",
        "A vector target is summed",
        "`gradient` differentiates the sum of its target, so it gives sums over the rows of the Jacobian.",
        "Use `tape.jacobian`, or ask for the gradient of each entry by itself.",
    ),
    (
        "conjugate_gradient",
        "The gradient by complex numbers is a conjugate",
        "Of a real function JAX gives the conjugate of the direction in which it grows; others give the direction.",
        "Descend along the conjugate: `jnp.conj(gradient)`.",
    ),
)
"""Every cause that a finding may name."""
