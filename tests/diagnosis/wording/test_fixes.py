"""What a finding advises: in the words of the user's line, with no name that is not there."""

from __future__ import annotations

from functools import reduce

import pytest

from tapeviz.diagnosis import Finding
from tapeviz.diagnosis.diagnose import diagnose
from tapeviz.diagnosis.wording.fixes import IN_TENSORS
from tests.diagnosis.programs import run
from tests.engine import names as tf

IN_TAPE = """
{before}
with tf.GradientTape() as tape:
    {lines}
tape.gradient(loss, {source})
"""

VECTOR = "v = tf.Variable([0.0, 1.0])"

TABLE = "v = tf.Variable([[0.0, 200.0], [1.0, 2.0]])"

CASES = {
    "numpy": (VECTOR, ["h = np.tanh(v)", "loss = tf.reduce_sum(h * h)"], "write `tf.tanh` for `np.tanh`."),
    "numpy_method": (
        VECTOR,
        ["h = tf.constant(np.log(1.0 + v.numpy()))", "loss = tf.reduce_sum(h)"],
        "drop the `.numpy()` and write `tf.math.log` for `np.log`.",
    ),
    "numpy_inside": (
        VECTOR,
        ["h = np.sqrt(np.mean(v))", "loss = h * v[1]"],
        "`tf.sqrt` for `np.sqrt` and `tf.reduce_mean`",
    ),
    "numpy_of_another_name": (VECTOR, ["loss = tf.constant(np.dot(v, v))"], "in place of `np.dot`, or do without it."),
    "whole": ("v = tf.Variable(2)", ["loss = v * v"], "write `2.0` for `2`, or pass `dtype=tf.float32`."),
    "whole_shape": ("v = tf.zeros((3,), tf.int32)", ["loss = v * v"], "where it is made: pass `dtype=tf.float32`."),
    "index": (
        "v = tf.constant([1, 0])\ntable = tf.Variable([[1.0], [2.0]])",
        ["loss = tf.reduce_sum(tf.nn.embedding_lookup(table, v))"],
        "an index has no gradient. Ask for that of `table`, or of the entries it picks.",
    ),
    "numpy_over_lines": (
        VECTOR,
        ["loss = tf.reduce_sum(", "        np.tanh(", "            v))"],
        "write `tf.tanh` for `np.tanh`.",
    ),
    "one_hot": (
        "v = tf.constant([1, 0])\nw = tf.Variable(tf.ones((3, 2)))",
        ["loss = tf.reduce_sum(tf.one_hot(v, 3) @ w)"],
        "Ask for that of what is multiplied by the entries it picks.",
    ),
    "assign_add": (
        "v = tf.Variable(2.0)\nacc = tf.Variable(0.0)",
        ["z = v * 3.0", "acc.assign_add(z)", "loss = acc * 2.0"],
        "write `acc = acc + z` in place of `acc.assign_add(z)`.",
    ),
    "assign": (
        "v = tf.Variable(2.0)\nacc = tf.Variable(0.0)",
        ["acc.assign(v * 3.0)", "loss = acc * 2.0"],
        "write `acc = v * 3.0` in place of `acc.assign(v * 3.0)`.",
    ),
    "assign_entry": (
        "v = tf.Variable(2.0)\nacc = tf.Variable([0.0, 1.0])",
        ["acc[0].assign(v * 3.0)", "loss = tf.reduce_sum(acc * 2.0)"],
        "instead of `acc`, and change entries with `tf.tensor_scatter_nd_update`.",
    ),
    "edge": (
        "v = tf.Variable([0.0, 1.0])",
        ["loss = tf.reduce_sum(tf.sqrt(v))"],
        "`tf.sqrt(v + 1e-12)`",
    ),
    "edge_of_an_expression": (
        "v = tf.Variable([0.0, 1.0])",
        ["loss = tf.reduce_sum(tf.sqrt(2.0 * v))"],
        "`tf.sqrt(2.0 * v + 1e-12)`",
    ),
    "edge_within_a_norm": (
        "v = tf.Variable([[0.0, 0.0]])",
        ["loss = tf.reduce_sum(tf.norm(v, axis=1))"],
        "`tf.sqrt(tf.reduce_sum(tf.square(v), axis=1) + 1e-12)`",
    ),
    "edge_within_a_deviation": (
        "v = tf.Variable([1.0, 1.0])",
        ["loss = tf.math.reduce_std(v)"],
        "`tf.sqrt(tf.math.reduce_variance(v) + 1e-12)`",
    ),
    "log_of_a_softmax": (
        "v = tf.Variable([0.0, 200.0])",
        ["p = tf.nn.softmax(v)", "loss = tf.reduce_sum(tf.math.log(p))"],
        "`tf.nn.log_softmax(v)`",
    ),
    "log_of_a_softmax_of_another_function": (
        "v = tf.Variable([0.0, 200.0])\ndef shares(z):\n    return tf.nn.softmax(z)",
        ["p = shares(v)", "loss = tf.reduce_sum(tf.math.log(p))"],
        "Compute `tf.nn.log_softmax(z)` at line 4, and use that here",
    ),
    "log_of_a_sigmoid": (
        "v = tf.Variable([0.0, -200.0])",
        ["p = tf.sigmoid(v)", "loss = tf.reduce_sum(tf.math.log(p))"],
        "`tf.math.log_sigmoid(v)`",
    ),
    "log_of_the_rest_of_a_sigmoid": (
        "v = tf.Variable([0.0, 200.0])",
        ["p = tf.sigmoid(2.0 * v)", "loss = tf.reduce_sum(tf.math.log(1.0 - p))"],
        "Write `tf.math.log_sigmoid(-(2.0 * v))` instead.",
    ),
    "binary_cross_entropy": (
        "v, t = tf.Variable([0.0, 200.0]), tf.constant([1.0, 0.0])",
        ["p = tf.sigmoid(v)", "loss = -tf.reduce_mean(t * tf.math.log(p) + (1 - t) * tf.math.log(1 - p))"],
        "Write `tf.nn.sigmoid_cross_entropy_with_logits(t, v)` for the whole -(t log p",
    ),
    "binary_cross_entropy_with_log1p": (
        "v, t = tf.Variable([0.0, 200.0]), tf.constant([1.0, 0.0])",
        ["p = tf.sigmoid(v)", "loss = -tf.reduce_mean(t * tf.math.log(p) + (1 - t) * tf.math.log1p(-p))"],
        "Write `tf.nn.sigmoid_cross_entropy_with_logits(t, v)` for the whole -(t log p",
    ),
    "binary_cross_entropy_with_weights": (
        "v, t = tf.Variable([0.0, 200.0]), tf.constant([1.0, 0.0])",
        ["p = tf.sigmoid(v)", "loss = -tf.reduce_mean(2 * t * tf.math.log(p) + (1 - t) * tf.math.log(1 - p))"],
        "Write `tf.math.log_sigmoid(-v)` instead.",
    ),
    "binary_cross_entropy_of_a_layer": (
        "v, t = tf.Variable([0.0, 200.0]), tf.constant([1.0, 0.0])\n"
        "def model(z):\n    return tf.sigmoid(z)\n"
        "def cost(t, p):\n    return -tf.reduce_mean(t * tf.math.log(p) + (1 - t) * tf.math.log(1 - p))",
        ["loss = cost(t, model(v))"],
        "so that `p` holds logits, and use `tf.nn.sigmoid_cross_entropy_with_logits(t, p)`",
    ),
    "log_times_its_own": (
        "v = tf.Variable([0.0, 0.5])",
        ["loss = tf.reduce_sum(v * tf.math.log(v))"],
        "`tf.math.xlogy(v, v)`",
    ),
    "softplus_by_hand": (
        "v = tf.Variable([0.0, 100.0])",
        ["loss = tf.reduce_sum(tf.math.log(1.0 + tf.exp(v)))"],
        "`tf.math.softplus(v)`",
    ),
    "softmax_by_hand": (
        "v = tf.Variable([0.0, 100.0])",
        ["e = tf.exp(v)", "loss = tf.reduce_sum((e / tf.reduce_sum(e)) ** 2)"],
        "`tf.nn.softmax(v)`",
    ),
    "log_of_what_an_exponential_made_zero": (
        "v = tf.Variable([-200.0, 0.5])",
        ["s = tf.exp(v)", "loss = tf.reduce_sum(tf.math.log(s) + s)"],
        "Write `v` instead.",
    ),
    "cross_entropy_by_hand_of_the_shares_that_are_picked": (
        "v = tf.Variable([[0.0, 200.0], [1.0, 2.0]])",
        ["e = tf.exp(v)", "loss = -tf.reduce_sum(tf.math.log(e[:, 0] / tf.reduce_sum(e, 1)))"],
        "Write `tf.nn.log_softmax(v)` instead.",
    ),
    "index_that_a_function_computes_with": (
        "v = tf.constant([1, -1])\ntable = tf.Variable([0.5, 1.0, 2.0])",
        ["loss = tf.reduce_sum(tf.gather(table, tf.where(v < 0, v + 3, v)))"],
        "Leave `v` as it is: an index has no gradient. Ask for that of `table`, or of the entries it picks.",
    ),
    "product_beyond_float16": (
        "v = tf.Variable([[300.0, 300.0]], dtype=tf.float16)",
        ["loss = tf.reduce_sum(tf.matmul(v, v, transpose_b=True))"],
        "Compute it in float32. Otherwise start from smaller weights",
    ),
    "root_below_a_line_in_float16": (
        "v = tf.Variable([0.0, 2.0], dtype=tf.float16)",
        ["loss = tf.reduce_sum(tf.math.rsqrt(v) * v)"],
        "Write `tf.math.rsqrt(v + 1e-3)` instead.",
    ),
    "softmax_by_hand_in_one_line": (
        "v = tf.Variable([0.0, 100.0])",
        ["loss = tf.reduce_sum((tf.exp(v) / tf.reduce_sum(tf.exp(v))) ** 2)"],
        "`tf.nn.softmax(v)`",
    ),
    "log_of_a_sum": (
        "v = tf.Variable([0.0, 100.0])",
        ["loss = tf.math.log(tf.reduce_sum(tf.exp(v)))"],
        "`tf.reduce_logsumexp(v)`",
    ),
    "log_of_a_softmax_along_another_axis": (
        TABLE,
        ["p = tf.nn.softmax(v, axis=0)", "loss = tf.reduce_sum(tf.math.log(p))"],
        "`tf.nn.log_softmax(v, axis=0)`",
    ),
    "softmax_by_hand_along_another_axis": (
        TABLE,
        ["e = tf.exp(v)", "loss = tf.reduce_sum((e / tf.reduce_sum(e, 0)) ** 2)"],
        "`tf.nn.softmax(v, axis=0)`",
    ),
    "log_of_sums": (
        TABLE,
        ["loss = tf.reduce_sum(tf.math.log(tf.reduce_sum(tf.exp(v), 1, keepdims=True)))"],
        "`tf.reduce_logsumexp(v, axis=-1, keepdims=True)`",
    ),
    "log_of_the_sum_of_all": (
        TABLE,
        ["loss = tf.math.log(tf.reduce_sum(tf.exp(v)))"],
        "`tf.reduce_logsumexp(v, axis=(0, 1))`",
    ),
    "edge_at_1": (
        "v = tf.Variable([1.0, 2.0])",
        ["loss = tf.reduce_sum(tf.acosh(v))"],
        "`tf.acosh(tf.where(v > 1.0 + 1e-6, v, 1.0 + 1e-6))`",
    ),
    "edge_in_16_bits": (
        "v = tf.Variable([0.0, 2.0], dtype=tf.float16)",
        ["loss = tf.reduce_sum(tf.sqrt(v))"],
        "`tf.sqrt(v + 1e-4)`",
    ),
    "quotient": (
        "v, n = tf.Variable([0.0, 0.0]), tf.constant(0.0)",
        ["loss = tf.reduce_sum(v / n)"],
        "`tf.math.divide_no_nan(v, n)`",
    ),
    "quotient_by_a_norm": (
        "v = tf.Variable([0.0, 0.0])",
        ["loss = tf.reduce_sum(v / tf.norm(v))"],
        "Write `v / tf.sqrt(tf.reduce_sum(tf.square(v)) + 1e-12)` instead.",
    ),
    "quotient_by_a_deviation": (
        "v = tf.Variable([1.0, 1.0])",
        ["loss = tf.reduce_sum((v - tf.reduce_mean(v)) / tf.math.reduce_std(v))"],
        "Write `(v - tf.reduce_mean(v)) / tf.sqrt(tf.math.reduce_variance(v) + 1e-5)` instead.",
    ),
    "quotient_by_a_root_above": (
        "v = tf.Variable([0.0, 0.0])",
        ["n = tf.sqrt(tf.reduce_sum(v * v))", "loss = tf.reduce_sum(v / n)"],
        "Write `tf.sqrt(tf.reduce_sum(v * v) + 1e-12)` at line 4, so that what is divided by is never 0.",
    ),
    "edge_without_a_name": (
        "v = tf.Variable([0.0])\ndef angle(c):\n    return [tf.acos][0]([c + 1.0][0])",
        ["loss = tf.reduce_sum(angle(v))"],
        "Use `tf.acos(tf.clip_by_value(x, -1.0 + 1e-6, 1.0 - 1e-6))` instead, where x is what `acos` reads.",
    ),
    "vectors_of_equal_eigenvalues": (
        "v = tf.Variable([[2.0, 0.0], [0.0, 2.0]])",
        ["loss = tf.reduce_sum(tf.linalg.eigh(v)[1][:, 0] ** 3)"],
        "as in `v + tf.linalg.diag(tf.range(2.0) * 1e-4)`, so that no two eigenvalues are equal",
    ),
    "overflow_on_the_way_back": (
        "v = tf.Variable([1e-30])",
        ["loss = tf.reduce_sum(v * 1e30 * 1e30)"],
        "start from smaller weights, or normalise from layer to layer",
    ),
    "mask_of_minus_infinity": (
        "v, m = tf.Variable([1.0, 2.0]), tf.constant([-np.inf, -np.inf], tf.float32)",
        ["loss = tf.reduce_sum(tf.nn.softmax(v + m) ** 2)"],
        "such as -1e9",
    ),
    "root_of_a_negative": (
        "v = tf.Variable([-1.0, 2.0])",
        ["loss = tf.reduce_sum(tf.sqrt(v))"],
        "positive by nature",
    ),
    "edge_of_a_quotient": (
        VECTOR,
        ["a = v * 2.0", "loss = tf.reduce_sum(1.0 / a)"],
        "`tf.math.divide_no_nan(1.0, a)`",
    ),
    "edge_in_a_function": (
        VECTOR + "\ndef half(power):\n    return v ** power",
        ["loss = tf.reduce_sum(half(0.5))"],
        "`tf.pow(v + 1e-12, power)`",
    ),
    "where": (
        VECTOR,
        ["up = v > 0.0", "loss = tf.reduce_sum(tf.where(up, tf.math.log(v), 0.0))"],
        "compute `log` from `tf.where(up, v, 1.0)`.",
    ),
    "discarded_branch": (
        "v = tf.Variable([0.0, 2.0])",
        ["loss = tf.reduce_sum(tf.where(v > 0.0, tf.math.log(v), 0.0))"],
        "`tf.where(v > 0.0, v, 1.0)`",
    ),
    "where_of_another_shape": (
        VECTOR,
        ["up = tf.unstack(tf.stack([v > 0.0]))", "loss = tf.reduce_sum(tf.where(up[0], [tf.math.log(v)][0], 0.0))"],
        "Make `v` safe first: compute `log` from `tf.where(up[0], v, 1.0)`.",
    ),
    "comparison": (
        VECTOR,
        ["up = v < 0.5", "loss = tf.reduce_sum(tf.cast(up, tf.float32))"],
        "`tf.sigmoid(k * (0.5 - v))`",
    ),
    "step": (VECTOR, ["q = tf.round(v)", "loss = tf.reduce_sum(q)"], "`v + tf.stop_gradient(q - v)`"),
    "step_without_a_name": (
        VECTOR,
        ["loss = tf.reduce_sum(tf.round(v))"],
        "use `v + tf.stop_gradient(tf.round(v) - v)`.",
    ),
    "clip": (
        "v = tf.Variable([2.0, 3.0])",
        ["q = tf.minimum(v, 1.0)", "loss = tf.reduce_sum(q)"],
        "`v + tf.stop_gradient(q - v)`",
    ),
    "table": (
        "v = tf.Variable(tf.ones((4, 1)))\nx, t = tf.ones((16, 4)), tf.zeros(16)",
        ["y = x @ v", "loss = tf.reduce_mean((y - t) ** 2)"],
        "`tf.squeeze(y, axis=1)`, or `tf.reshape(t, [-1, 1])`.",
    ),
    "table_without_names": (
        "v = tf.Variable(tf.ones((4, 1)))\nx = tf.ones((16, 4))",
        ["loss = tf.reduce_mean((x @ v - tf.zeros(16)) ** 2)"],
        "`tf.squeeze` the column along axis 1, or `tf.reshape` the row to `[-1, 1]`.",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_fix_is_in_the_names_of_the_program(case: str) -> None:
    before, lines, expected = CASES[case]
    text = IN_TAPE.format(before=before, lines="\n    ".join(lines), source="v")
    assert expected in diagnose(run(text, tf))[0].fix


IN_TORCH = {
    "method": ("loss = x.pow(0.5).sum()", "Write `torch.pow(x + 1e-12, 0.5)` instead."),
    "method_of_an_expression": ("loss = (x * 2).sqrt().sum()", "Write `torch.sqrt(x * 2 + 1e-12)` instead."),
    "method_of_a_module": (
        "net = torch.nn.Module()\nnet.sqrt = torch.sqrt\nloss = net.sqrt(x * 2).sum()",
        "Write `torch.sqrt(x * 2 + 1e-12)` instead.",
    ),
    "function": ("loss = torch.sqrt(x * 2).sum()", "Write `torch.sqrt(x * 2 + 1e-12)` instead."),
    "step": (
        "loss = torch.round(x * 8 - 1).sum()",
        "use `x * 8 - 1 + (torch.round(x * 8 - 1) - (x * 8 - 1)).detach()`.",
    ),
    "clamp": ("loss = (x + 3).clamp(0, 1).sum()", "use `x + 3 + ((x + 3).clamp(0, 1) - (x + 3)).detach()`."),
    "detached_and_read_out": (
        "h = torch.tensor((x * 2).detach().cpu().numpy())\nloss = (h * torch.ones(1, requires_grad=True)).sum()",
        "drop the `.detach().cpu().numpy()` and go on with `torch.` functions.",
    ),
    "data_written": (
        "k = torch.ones(2)\nk.data = x * 2\nloss = (k * x.detach()).sum() * torch.ones(1, requires_grad=True)",
        "write `k = x * 2` in place of `k.data = x * 2`.",
    ),
    "data_copied": (
        "k = torch.ones(2)\nk.data.copy_(x * 2)\nloss = (k * x.detach()).sum() * torch.ones(1, requires_grad=True)",
        "write `k = x * 2` in place of `k.data.copy_(x * 2)`.",
    ),
    "data_changed": (
        "k = torch.ones(2)\nk.data -= x * 2\nloss = (k * x.detach()).sum() * torch.ones(1, requires_grad=True)",
        "write `k = k - x * 2` in place of `k.data -= x * 2`.",
    ),
}
"""A line of PyTorch's -> what is said to write in its place."""


@pytest.mark.torch
@pytest.mark.parametrize("case", IN_TORCH)
def test_a_fix_is_written_from_the_line(case: str) -> None:
    import torch

    lines, advice = IN_TORCH[case]
    log = run(f"x = torch.tensor([0.0, 1.0], requires_grad=True)\n{lines}\nloss.backward()\n", torch)
    finding = tf.why(log, "loss", "x")
    assert isinstance(finding, Finding)
    assert finding.fix.endswith(advice)


def test_a_line_is_said_once() -> None:
    rest = (
        "with tf.GradientTape() as tape:\n    loss = tf.reduce_sum(f().pop(0) ** 2)\ntape.gradient(loss, kept()[0])\n"
    )
    for leaf in ("tf.Variable(2)", "tf.constant(2.0)"):
        start = f"f, kept = (lambda items: (lambda: list(items), lambda: items))([{leaf}])\n"
        (finding,) = diagnose(run(start + rest, tf))
        assert "line 1, made" not in finding.message
        assert finding.message.startswith(("The variable made at <program", "The tensor made at <program"))


OUTSIDE = "x, v = tf.ones((4, 2)), tf.Variable([[0.3], [1.0]])\n"
STEP = "y_pred = tf.tanh(x @ v)"
USE = "loss = tf.reduce_sum(y_pred * y_pred)"


@pytest.mark.parametrize(
    "program",
    [
        f"{STEP}\nwith tf.GradientTape() as tape:\n    {USE}",
        f"with tf.GradientTape() as tape:\n    with tape.stop_recording():\n        {STEP}\n    {USE}",
        f"with tf.GradientTape() as tape:\n    {STEP}\n    tape.reset()\n    {USE}",
    ],
    ids=["outside", "paused", "forgotten"],
)
def test_what_a_line_assigns_names_what_it_computed(program: str) -> None:
    (finding,) = diagnose(run(f"{OUTSIDE}{program}\ntape.gradient(loss, v)\n", tf))
    assert finding.message.startswith("`y_pred` was computed at <program")


@pytest.mark.parametrize("name", IN_TENSORS)
def test_what_a_numpy_function_is_replaced_by_exists(name: str) -> None:
    assert callable(reduce(getattr, (IN_TENSORS[name] or name).split("."), tf))
