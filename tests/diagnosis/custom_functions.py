"""Functions of the user's own with right gradients, or others on purpose, in texts beside this; what breaks them."""

from __future__ import annotations

import linecache
import re
from itertools import count
from pathlib import Path
from typing import Any

import tapeviz
from tapeviz.diagnosis import Finding
from tapeviz.events import EventLog

TORCH_HEAD = "import torch\nfrom torch.autograd import Function\ntorch.manual_seed(3)\n"


def programs(framework: str, head: str) -> dict[str, str]:
    """The programs of a framework, by name, each with what is ahead of all of them."""
    text = Path(__file__).with_name(f"custom_{framework}.txt").read_text()
    parts = re.split(r"^# (\w+)\n", text, flags=re.MULTILINE)[1:]
    return {name: head + body for name, body in zip(parts[::2], parts[1::2], strict=True)}


JAX_HEAD = (
    "from functools import partial\nimport jax\nimport jax.numpy as jnp\nX = jnp.array([0.3, -1.2, 0.7, 1.9, -0.4])\n"
)
TENSORFLOW_HEAD = """\
import tensorflow as tf
X = tf.constant([0.3, -1.2, 0.7, 1.9, -0.4])
def gradients(f, *inputs):
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        y = f(*inputs)
    return tape.gradient(y, inputs)
"""
TAPEVIZ_HEAD = TENSORFLOW_HEAD.replace("import tensorflow as tf", "import tapeviz as tf")
TORCH = programs("torch", TORCH_HEAD)
JAX = programs("jax", JAX_HEAD)
TENSORFLOW = programs("tensorflow", TENSORFLOW_HEAD)
TAPEVIZ = programs("tensorflow", TAPEVIZ_HEAD)

BROKEN_TORCH: list[tuple[str, str, str, str]] = [
    ("square", "g * 2 * x", "g * x", "`x` is 1/2 of it"),
    ("square", "g * 2 * x", "-g * 2 * x", "opposite sign"),
    ("square", "g * 2 * x", "g * 2 * x * x", "a factor of `x` is too much"),
    ("square", "g * 2 * x", "g * 2", "a factor of `x` is missing"),
    ("square", "g * 2 * x", "g", "passes its upstream gradient on unchanged"),
    ("cube", "g * 3 * x * x", "g * 3 * x", "a factor of `x` is missing"),
    ("cube", "g * 3 * x * x", "g * x * x", "`x` is 1/3 of it"),
    ("exponential", "g * y", "g / y", "is not it"),
    ("sigmoid", "g * y * (1 - y)", "g * (1 - y)", "a factor of its result is missing"),
    ("sigmoid", "g * y * (1 - y)", "g * y * (y - 1)", "opposite sign"),
    ("swish", "(s + x * s * (1 - s))", "s", "is not it"),
    ("swish", "(s + x * s * (1 - s))", "(s + x * (1 - s))", "is not it"),
    ("mean", " / ctx.n", "", "`x` is 12 times it"),
    ("softmax", "s * (g - (g * s).sum(-1, keepdim=True))", "s * g", "is not it"),
    ("softmax", "s * (g - (g * s).sum(-1, keepdim=True))", "s * (1 - s) * g", "is not it"),
    (
        "softmax_against_overflow",
        "s * (g - (g * s).sum(-1, keepdim=True))",
        "s * (1 - s) * g",
        "is zero where its upstream gradient is zero",
    ),
    (
        "softmax_of_which_all_is_summed",
        "s * (g - (g * s).sum(-1, keepdim=True))",
        "s * (1 - s) * g",
        "the derivative is zero in all entries",
    ),
    ("normalized", " - h * (g * h).mean(-1, keepdim=True)", "", "is not it"),
    ("normalized", "r * (g", "(g", "is not it"),
    ("add_bias", "g * 2, g.sum(0)", "g * 2, g.mean(0)", "`b` is 1/4 of it"),
    ("difference", "-g.sum(0)", "g.sum(0)", "`b` has the opposite sign"),
    ("product", "g * b, (g * x).sum(0)", "g * b, (g * x).mean(0)", "`b` is 1/4 of it"),
    ("product", "g * b, (g * x).sum(0)", "g * b * b, (g * x).sum(0)", "`x` is not it"),
    ("matmul", "g @ b.t()", "g @ b", "`a` is not it"),
    ("matmul", "a.t() @ g", "g.t() @ a", "`b` is its transpose"),
    ("matmul", "g @ b.t(), a.t() @ g", "a.t() @ g, g @ b.t()", "`a` gets the gradient of `b`"),
    ("linear", "g.t() @ x", "g.t() @ x / len(x)", "`w` is 1/4 of it"),
    ("linear", "g.sum(0)", "g[0]", "`b` is not it"),
    ("distance", "return h, -h", "return h, h", "`b` has the opposite sign"),
    ("distance", "return h, -h", "return -h, h", "`a` has the opposite sign"),
    ("abs2", "g * 2 * z", "g * 2 * z.conj()", "`z` is the conjugate of it"),
    ("abs2", "g * 2 * z", "g * z", "`z` is 1/2 of it"),
    ("complex_product", "g * w.conj(), g * z.conj()", "g * w, g * z.conj()", "`z` is not it"),
    ("complex_product", "g * w.conj(), g * z.conj()", "g * z.conj(), g * w.conj()", "`z` gets the gradient of `w`"),
    ("two_results", "- h * x.sin()", "+ h * x.sin()", "is not it"),
    ("two_results", " - h * x.sin()", "", "is not it"),
    ("with_a_number", "g * ctx.k", "g / ctx.k", "`x` is 1/9 of it"),
    ("higher_order", "g * 3 * x ** 2", "g * 2 * x ** 2", "`x` is 0.6667 times it"),
    ("saved_on_the_context", "(1 - ctx.y ** 2)", "(1 - ctx.y)", "is not it"),
    ("in_place_inside", "g = g * 2\n        g[0] *= 3", "g = g * 3\n        g[0] *= 3", "1.5 times it"),
    ("writes_upstream", "g.mul_(4)", "g.mul_(2)", "`x` is 1/2 of it"),
    ("inner_autograd", "y = x.sin() * x\n        return", "y = x.sin()\n        return", "is not it"),
    ("checkpoint", "y = ctx.run(x)", "y = 2 * ctx.run(x)", "`x` is 2 times it"),
    ("half", "g[:, None] * 2 * x", "g[:, None] * x", "`x` is 1/2 of it"),
    (
        "bfloat16",
        "s * (g - (g * s).sum(-1, keepdim=True))",
        "-s * (g - (g * s).sum(-1, keepdim=True))",
        "opposite sign",
    ),
    ("relu", "g * (x > 0)", "-g * (x > 0)", "opposite sign"),
    ("with_setup", "g * 2 * x * ctx.k", "g * 2 * x", "`x` is 1/3 of it"),
    ("trained", "x.t() @ g", "x.t() @ g / 4", "`w` is 1/4 of it"),
    ("buffer_in_a_module", "g * ctx.m.scale", "g / ctx.m.scale", "`x` is not it"),
    ("cross_entropy", " / len(t)", "", "`x` is 4 times it"),
    ("cumulative", "g.flip(-1).cumsum(-1).flip(-1)", "g.cumsum(-1)", "is not it"),
    ("mask_kept", "g * mask, None", "g * (torch.rand_like(g) > 0.5) * 2, None", "draws random numbers anew"),
    (
        "drawn_again_alike",
        "with torch.random.fork_rng(), torch.enable_grad():\n            torch.set_rng_state(ctx.state)\n",
        "with torch.enable_grad():\n",
        "draws random numbers anew",
    ),
    (
        "drawn_again_alike",
        "torch.set_rng_state(ctx.state)",
        "pass",
        "draws random numbers anew",
    ),
    ("convolution", "g), torch", "g) / 2, torch", "`x` is 1/2 of it"),
    ("operator_of_a_library", "d * x, None", "d, None", "`w` a factor of `x` is missing"),
    ("operator_of_a_library", " * ctx.k\n", "\n", "`x` is 1/3 of it"),
    ("operator_defined_by_its_schema", "g * 3 *", "g *", "`x` is 1/3 of it"),
]
"""A program, what is replaced in it, by what, and what must be said then."""

CUT_TORCH: list[tuple[str, str, str, str]] = [
    ("differentiated_twice", "return g * y", "return g * x.detach().exp()", "lacks a part"),
    ("differentiated_twice", "return g * y", "return g * y.detach()", "lacks a part"),
    (
        "differentiated_by_a_library",
        "def backward(ctx, g)",
        "@torch.autograd.function.once_differentiable\n    def backward(ctx, g)",
        "counts as zero",
    ),
    ("differentiated_by_a_library", "x.cos()", "torch.from_numpy(x.detach().numpy()).cos()", "counts as zero"),
]
"""The same of rules that are right, and cannot be differentiated again."""

BROKEN_JAX: list[tuple[str, str, str, str]] = [
    ("square", "g * 2 * x", "g * x", "`x` is 1/2 of it"),
    ("square", "g * 2 * x", "-g * 2 * x", "opposite sign"),
    ("square", "g * 2 * x", "g * 2", "a factor of `x` is missing"),
    ("two_inputs", "jnp.cos(x) * k", "jnp.cos(x)", "`x` is 1/3 of it"),
    ("two_inputs", "jnp.sum(g * jnp.sin(x))", "jnp.mean(g * jnp.sin(x))", "`k` is 1/5 of it"),
    ("two_inputs", "g * jnp.cos(x) * k", "g * jnp.sin(x) * k", "`x` is not it"),
    ("cube", "3 * primals[0] ** 2", "primals[0] ** 2", "`x` is 1/3 of it"),
    ("cube", "3 * primals[0] ** 2", "3 * primals[0]", "a factor of `x` is missing"),
    ("logarithm", "dx + dy", "dx - dy", "`y` has the opposite sign"),
    ("logarithm", "2 * x / (1 + x * x)", "2 * x", "`x` is not it"),
    ("entropy", "(g / kept, None)", "(g / kept ** 2, None)", "a factor of `x` is missing"),
    ("matmul", "g @ b.T", "g @ b", "`a` is not it"),
    ("matmul", "a.T @ g", "g.T @ a", "`b` is its transpose"),
    ("softmax", " - jnp.sum(g * s)", "", "in what it gives for `x` a term of"),
    ("complex", "2 * jnp.conj(z)", "2 * z", "`z` is the conjugate of it"),
    ("jitted", "g * y", "g", "passes its upstream gradient on unchanged"),
    ("in_a_loop", "g * 2 *", "g *", "`x` is 1/2 of it"),
    ("static_argument", "g * power *", "g *", "1/3 of it"),
    ("tree", '"w": g * p["x"]', '"w": g * p["w"]', "is not it"),
    ("half", "g * 3 * x * x", "g * x * x", "1/3 of it"),
    ("trained", "kept[0].T @ g)", "-kept[0].T @ g)", "`w` has the opposite sign"),
]

BROKEN_TENSORFLOW: list[tuple[str, str, str, str]] = [
    ("square", "g * 2 * x", "g * x", "`x` is 1/2 of it"),
    ("square", "g * 2 * x", "-g * 2 * x", "opposite sign"),
    ("square", "g * 2 * x", "g * 2", "a factor of `x` is missing"),
    ("two_inputs", "tf.cos(x) * k", "tf.cos(x)", "`x` is 1/3 of it"),
    ("two_inputs", "tf.reduce_sum(g", "tf.reduce_mean(g", "`k` is 1/5 of it"),
    ("two_inputs", "tf.cos(x) * k", "tf.sin(x) * k", "`x` is not it"),
    ("variable_beside", "g * w", "-g * w", "`x` has the opposite sign"),
    ("variable_beside", "[g * x]", "[g]", "passes its upstream gradient on unchanged"),
    ("variable_beside", "[g * x]", "[-g * x]", "`w` has the opposite sign"),
    ("log1pexp", "(1 - 1 / (1 + e))", "(1 / (1 + e))", "`x` is not it"),
    ("matmul", "g, b, transpose_b=True", "g, b", "`a` is not it"),
    ("softmax", " - tf.reduce_sum(g * s)", "", "a term of"),
    ("complex", "2 * z", "2 * tf.math.conj(z)", "`z` is the conjugate of it"),
    ("half", "g * 3 * x * x", "g * x * x", "1/3 of it"),
    ("second_order", "g * 3 * x ** 2", "g * 2 * x ** 2", "0.6667 times it"),
    ("drawn", "lambda g: g * n", "lambda g: g * n * n", "is not it"),
    ("gathered", "2 * g", "g", "1/2 of it"),
]

_numbers = count()


def run(text: str, *, recorded: bool = True) -> tuple[dict[str, Any], EventLog | None]:
    """What a program leaves behind, and its log."""
    filename = f"custom_{next(_numbers)}.py"
    linecache.cache[filename] = len(text), None, text.splitlines(keepends=True), filename
    left: dict[str, Any] = {"__name__": "__main__", "__file__": filename}
    code = compile(text, filename, "exec")
    if not recorded:
        exec(code, left)
        return left, None
    with tapeviz.record() as log:
        exec(code, left)
    return left, log


def own(log: EventLog | None) -> list[Finding]:
    return [each for each in tapeviz.diagnose(log) if each.cause == "custom_gradient_bug"]
