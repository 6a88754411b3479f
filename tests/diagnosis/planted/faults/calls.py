"""Losses, backward passes, tapes and steps: the right numbers at the wrong moment, or asked for in the wrong way."""

from __future__ import annotations

from tests.diagnosis.planted.edits import after, line, moved
from tests.diagnosis.planted.faults.fault import Fault, hidden, row

ROWS: list[Fault] = [
    row("backward_twice", "graph_consumed", "error", torch=after("backward", "$statement  #!")),
    row(
        "tape_asked_twice",
        "graph_consumed",
        "error",
        tf=line(r"(?P<h>gradients) = (?P<value>tape\.gradient\(.+\))", r"first = \g<value>\ngradients = \g<value>"),
    ),
    row(
        "tape_asked_in_swapped_order",
        "swapped_arguments",
        "none error wrong",
        tf=line(r"gradients = tape\.gradient\((?P<h>\w+), (?P<of>.+)\)", r"gradients = tape.gradient(\g<of>, \g<h>)"),
    ),
    row(
        "gradients_never_cleared",
        "accumulated_gradient",
        "wrong",
        torch=line(r"\w+\.zero_grad\(.*\)", "", "backward"),
    ),
    row(
        "gradients_cleared_before_the_step",
        "cleared_before_use",
        "none zero wrong",
        torch=moved(r"\w+\.zero_grad\(.*\)", "backward"),
    ),
    row(
        "step_before_backward",
        "used_before_backward cleared_before_use",
        "wrong error",
        torch=moved(r"\w+\.step\(\)", "backward"),
    ),
    row(
        "gradient_read_before_backward",
        "used_before_backward cleared_before_use",
        "error",
        torch=line(
            r"optimizer\.zero_grad\(\)",
            'optimizer.zero_grad()\nprint(optimizer.param_groups[0]["params"][0].grad.norm())',
        ),
    ),
    row(
        "loss_not_reduced",
        "implicit_sum api_misuse",
        "error",
        torch=line(r"(?P<h>loss) = (?P<value>.+)\.mean\(\)", r"\g<h> = \g<value>", "backward"),
        jax=line(r"(?P<h>loss) = jnp\.mean\((?P<value>.+ [-*/+] .+|.+\*\*.+)\)", r"\g<h> = \g<value>", "backward"),
    ),
    row(
        "target_is_a_row",
        "broadcast_mismatch",
        "wrong",
        torch=after("target", "$h = $h.reshape(-1)", "hidden", "loss"),
        tf=after("target", "$h = tf.reshape($h, [-1])", "hidden", "loss"),
        jax=after("target", "$h = $h.reshape(-1)", "hidden", "loss"),
    ),
    row(
        "softmax_before_a_loss_with_logits",
        "api_misuse",
        "wrong",
        torch=after("logits", "$h = torch.softmax($h, -1)", "loss"),
        tf=after("logits", "$h = tf.nn.softmax($h, -1)", "loss"),
        jax=after("logits", "$h = jax.nn.softmax($h, -1)", "loss"),
    ),
    hidden(
        "hidden_changed_after_exp",
        "inplace_modification",
        "error",
        torch="$h = torch.exp($h)\n$h += 1.0  #!",
    ),
    hidden(
        "hidden_changed_after_sigmoid",
        "inplace_modification",
        "error",
        torch="$h = torch.sigmoid($h)\n$h.mul_(0.5)  #!",
    ),
    hidden(
        "hidden_entry_overwritten",
        "inplace_modification",
        "error",
        torch="$h = torch.tanh($h)\n$h[..., 0] = 0.0  #!",
    ),
    hidden(
        "hidden_written_behind_the_record",
        "inplace_modification through_state",
        "wrong zero",
        torch="$h = torch.tanh($h)\n$h.data.mul_(0.0)  #!",
    ),
    row(
        "gradient_penalty_without_its_graph",
        "no_higher_order_record",
        "none error wrong zero",
        torch=line(r"(?P<a>.+), create_graph=True\)(?P<b>.*)", r"\g<a>)\g<b>"),
    ),
    row(
        "inner_gradient_without_recording",
        "no_higher_order_record recording_disabled",
        "none error wrong zero",
        tf=line(
            r"(?P<h>slope) = (?P<value>inner\.gradient\(.+\))",
            r"with tape.stop_recording():\n    \g<h> = \g<value>",
        ),
    ),
    row(
        "model_called_by_predict",
        "left_to_numpy",
        "none error",
        tf=line(r"(?P<h>\w+) = model\((?P<value>.+)\)", r"\g<h> = model.predict(\g<value>, verbose=0)"),
    ),
    row(
        "number_of_a_traced_array",
        "left_to_numpy",
        "error",
        jax=after("hidden", "$h = $h / float(jnp.max(jnp.abs($h)))"),
    ),
    row(
        "choice_by_a_traced_array",
        "left_to_numpy api_misuse",
        "error",
        jax=after("hidden", "if jnp.sum($h) > 0:\n    $h = $h * 2.0"),
    ),
]
"""Calls that are too many, too early, too late, missing or of the wrong kind."""
