"""Weights, layers and lists of them: what is asked for is not what is trained."""

from __future__ import annotations

from tests.diagnosis.planted.edits import after, line, moved
from tests.diagnosis.planted.faults.fault import Fault, row

MISSING = "none error zero"

ROWS: list[Fault] = [
    row(
        "weight_frozen",
        "not_trainable not_watched",
        MISSING,
        torch=after("weight", "$h.requires_grad_(False)"),
        tf=line(r"(?P<h>\w+) = tf\.Variable\((?P<value>.+)\)", r"\g<h> = tf.Variable(\g<value>, trainable=False)"),
    ),
    row(
        "weight_is_a_constant",
        "not_watched",
        MISSING,
        torch=line(r"(?P<h>\w+) = (?P<value>torch\.\w+\(.+), requires_grad=True\)", r"\g<h> = \g<value>)"),
        tf=line(r"(?P<h>\w+) = tf\.Variable\((?P<value>.+)\)", r"\g<h> = tf.constant(\g<value>)"),
    ),
    row(
        "weight_is_computed",
        "non_leaf_grad outside_tape source_rebound not_watched",
        MISSING,
        torch=after("weight", "$h = $h * 0.5"),
        tf=after("weight", "$h = $h * 0.5"),
    ),
    row(
        "source_watched_after_its_use",
        "watched_too_late",
        MISSING,
        torch=moved(r"\w+\.requires_grad_\(\)", "hidden"),
        tf=moved(r"tape\.watch\(.+\)", "loss"),
    ),
    row(
        "source_not_watched",
        "not_watched",
        MISSING,
        torch=line(r"\w+\.requires_grad_\(\)", "", "data"),
        tf=line(r"tape\.watch\(.+\)", "", "data", "backward"),
    ),
    row(
        "weight_copied_before_it_is_asked_for",
        "source_is_other_object unused_source",
        MISSING,
        tf=line(
            r"(?P<g>gradients = tape\.gradient\(\w+, \[(?P<h>\w+)\b.*)",
            r"\g<h> = tf.Variable(\g<h>)\n\g<g>",
            "backward",
        ),
    ),
    row(
        "weight_replaced_before_it_is_read",
        "source_is_other_object unused_source",
        MISSING,
        torch=line(
            r"(?P<g>gradients = \{\"\w+\": (?P<h>\w+)\.grad\b.*)",
            r"\g<h> = \g<h>.detach().clone().requires_grad_()\n\g<g>",
            "backward",
        ),
    ),
    row(
        "layer_frozen",
        "not_trainable",
        "none error wrong",
        torch=after("layer", "$h.requires_grad_(False)"),
        tf=after("layer", "$h.trainable = False"),
    ),
    row(
        "parameters_frozen_in_a_loop",
        "not_trainable",
        "none error",
        torch=line(
            r"(?P<o>optimizer = torch\.optim\.\w+\((?P<h>\w+)\.parameters\(\).*)",
            r"for weight in \g<h>.parameters():\n    weight.requires_grad = False\n\g<o>",
        ),
    ),
    row(
        "optimizer_without_the_first_layer",
        "untracked_parameter",
        "wrong",
        torch=line(
            r"optimizer = (?P<o>torch\.optim\.\w+)\((?P<h>\w+)\.parameters\(\)(?P<rest>.*)",
            r"optimizer = \g<o>(list(\g<h>.parameters())[2:]\g<rest>",
        ),
    ),
    row(
        "optimizer_of_a_copy",
        "untracked_parameter source_is_other_object",
        "wrong",
        torch=line(
            r"optimizer = (?P<o>torch\.optim\.\w+)\((?P<h>\w+)\.parameters\(\)(?P<rest>.*)",
            r"import copy\noptimizer = \g<o>(copy.deepcopy(\g<h>).parameters()\g<rest>",
        ),
    ),
    row(
        "layers_in_a_plain_list",
        "untracked_parameter",
        "wrong none",
        torch=line(r"(?P<h>.+) = torch\.nn\.ModuleList\((?P<value>.+)\)", r"\g<h> = \g<value>"),
    ),
    row(
        "weight_stepped_out_of_place",
        "source_rebound non_leaf_grad",
        "none error wrong",
        torch=line(r"(?P<h>\w+) -= (?P<value>.+)", r"\g<h> = \g<h> - \g<value>"),
        tf=line(r"(?P<h>\w+)\.assign_sub\((?P<value>.+)\)", r"\g<h> = \g<h> - \g<value>"),
    ),
    row(
        "weight_stepped_in_the_record",
        "inplace_modification",
        "error",
        torch=after("weight", "$h -= 0.1"),
    ),
]
"""Weights that are frozen, constant, computed, replaced or in no list."""
