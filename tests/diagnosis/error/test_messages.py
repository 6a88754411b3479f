"""Every part of a message by which a rule knows its error has a program that meets it, and a note on that error."""

from __future__ import annotations

import re
from typing import Any

import pytest

import tapeviz as tv
from tapeviz.diagnosis.error.messages import MessagePart
from tests.diagnosis.programs import beyond_the_engine, run

TWO_GRADIENTS = """
w, v = tf.Variable([1.0, 2.0]), tf.Variable(3.0)
opt = tf.keras.optimizers.SGD(0.1)
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(w * v)
gradients = tape.gradient(loss, [w, v])
"""

OWN = """
class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k):
        return x * k

    @staticmethod
    def backward(ctx, g):
        return g
"""

ONCE = """
class Once(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, g):
        return g * ctx.saved_tensors[0].cos()
"""

LEAF = "w = torch.ones(2, requires_grad=True)\n"

TAPEVIZ = {
    MessagePart.USED_UP: """
x = tf.Variable(2.0)
with tf.GradientTape() as tape:
    y = x * x
tape.gradient(y, x)
tape.gradient(y, x)
""",
    MessagePart.NO_ID: """
x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    loss = np.mean(x * x)
tape.gradient(loss, x)
""",
    MessagePart.NOT_REGISTERED: """
x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    y = tf.reduce_sum(tf.unique(x).y)
tape.gradient(y, x)
""",
    MessagePart.ROWS: """
table = tf.Variable([[1.0], [2.0]])
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(tf.gather(table, [0]))
tape.gradient(loss, table).numpy()
""",
    MessagePart.NOTHING_PROVIDED: """
w = tf.Variable(1.0)
with tf.GradientTape() as tape:
    loss = tf.round(w)
tf.keras.optimizers.SGD(0.1).apply_gradients([(tape.gradient(loss, w), w)])
""",
    MessagePart.NO_PAIRS: """
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
weights = model.trainable_variables
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(model(tf.ones((2, 3))))
tf.keras.optimizers.Adam().apply_gradients(zip(tape.gradient(loss, weights), weights))
""",
    MessagePart.UNPAIRED: TWO_GRADIENTS + "opt.apply_gradients(zip(gradients[0], w))",
    MessagePart.NOT_PAIRS: """
w = tf.Variable([1.0, 2.0, 3.0])
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(w * w)
tf.keras.optimizers.SGD(0.1).apply_gradients([tape.gradient(loss, w), w])
""",
    MessagePart.HALF_A_PAIR: TWO_GRADIENTS + "opt.apply_gradients([gradients[0][:1]])",
    MessagePart.ALONE: TWO_GRADIENTS + "opt.apply_gradients([gradients[1]])",
    MessagePart.LATER_VARIABLE: """
kept = []
@tf.function
def f(x, n):
    if n == 2:
        kept.append(tf.Variable(1.0))
    return x * 2.0
f(tf.constant(1.0), 1)
f(tf.constant(1.0), 2)
""",
    MessagePart.WRONG_COUNT: """
@tf.custom_gradient
def scaled(x, k):
    return x * k, lambda g: g * k
x, k = tf.Variable(1.0), tf.Variable(2.0)
with tf.GradientTape() as tape:
    y = scaled(x, k)
tape.gradient(y, [x, k])
""",
    MessagePart.OF_NONE: """
w = tf.Variable(1.0)
with tf.GradientTape() as tape:
    loss = tf.round(w)
w.assign_sub(0.1 * tape.gradient(loss, w))
""",
}

TENSORFLOW = {
    MessagePart.NO_DTYPE: """
x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    loss = float(tf.reduce_sum(x))
tape.gradient(loss, x)
""",
    MessagePart.TWO_VARIABLES: """
@tf.function
def f(x):
    v = tf.Variable(1.0)
    return v * x
f(tf.constant(1.0))
f(tf.constant(2.0))
""",
    MessagePart.NO_MINIMIZE: TWO_GRADIENTS + "opt.minimize(lambda: tf.reduce_sum(w * v), [w, v])",
    MessagePart.WITHOUT_VARIABLES: """
w = tf.Variable(2.0)
@tf.custom_gradient
def scaled(x):
    return x * w, lambda g: g
x = tf.Variable(1.0)
with tf.GradientTape() as tape:
    y = scaled(x)
tape.gradient(y, x)
""",
}

TORCH = {
    MessagePart.WITHOUT_MEMORY: LEAF + "torch.sgn(w).sum().backward()\n(w * 2.0).sum().backward()",
    MessagePart.NOT_RECOMPUTED: """
from torch.utils.checkpoint import checkpoint
net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout(0.5), torch.nn.ReLU())
y = checkpoint(net, torch.ones(3, 2), use_reentrant=False)
net.eval()
y.sum().backward()
""",
    MessagePart.INCORRECT_NUMBER: OWN + LEAF + "Own.apply(w, w * 2).sum().backward()",
    MessagePart.NOT_IMPLEMENTED: LEAF + "torch.heaviside(w * 2, w).sum().backward()",
    MessagePart.WITHOUT_FORMULA: LEAF
    + """
from torch import Tensor

def doubled(x):
    return x * 2
doubled.__annotations__ = {"x": Tensor, "return": Tensor}
torch.library.custom_op("tapeviz_tests::doubled", doubled, mutates_args=())(w).sum().backward()
""",
    MessagePart.ONLY_FLOATS: "torch.tensor([1, 2], requires_grad=True)",
    MessagePart.NOT_REQUIRED: LEAF + "(w * 2).detach().sum().backward()",
    MessagePart.NOT_USED: LEAF + "torch.autograd.grad((w * 2).sum(), [torch.ones(2, requires_grad=True)])",
    MessagePart.ONE_NUMBER: LEAF + "(w * 2).backward()",
    MessagePart.TWICE: LEAF + "loss = w.exp().sum()\nloss.backward()\nloss.backward()",
    MessagePart.MARKED_ONCE: ONCE
    + LEAF
    + "slope = torch.autograd.grad(Once.apply(w).pow(2).sum(), w, create_graph=True)\n"
    "slope[0].sum().backward()",
    MessagePart.OVERWRITTEN: LEAF + "y = w.exp()\ny += 1\ny.sum().backward()",
    MessagePart.UNREDUCED: """
from torch import distributed
distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
try:
    net = torch.nn.ModuleList([torch.nn.Linear(1, 1), torch.nn.Linear(1, 1)])
    net.forward = lambda x: net[0](x)
    replica = torch.nn.parallel.DistributedDataParallel(net)
    for _ in range(2):
        replica(torch.ones(1, 1)).sum().backward()
finally:
    distributed.destroy_process_group()
""",
    MessagePart.MARKED_TWICE: """
from torch import distributed
from torch.utils.checkpoint import checkpoint
distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
try:
    net = torch.nn.Linear(2, 2)
    net.forward = lambda x: checkpoint(lambda x: (x @ net.weight) @ net.weight, x, use_reentrant=True)
    replica = torch.nn.parallel.DistributedDataParallel(net, find_unused_parameters=True)
    replica(torch.ones(1, 2, requires_grad=True)).sum().backward()
finally:
    distributed.destroy_process_group()
""",
    MessagePart.NOTHING_TO_REPLICATE: """
from torch import distributed
distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
net = torch.nn.Linear(2, 2).requires_grad_(False)
try:
    replica = torch.nn.parallel.DistributedDataParallel(net)
finally:
    distributed.destroy_process_group()
""",
    MessagePart.LEAF_WRITTEN: LEAF + "w += 1",
    MessagePart.INFERENCE: LEAF + "with torch.inference_mode():\n    c = torch.ones(2) * 2\n(w * c).sum().backward()",
    MessagePart.NOT_A_LEAF: "w = torch.ones(2, requires_grad=True) * 0.5\ntorch.optim.SGD([w], 0.1)",
    MessagePart.NOT_TO_NUMPY: LEAF + "w.numpy()",
    MessagePart.NO_BACKWARD: LEAF + "loss = (w * 2).sum().item()\nloss.backward()",
    MessagePart.OF_NO_TENSOR: OWN.replace("return g", "return None, g")
    + LEAF.replace("w", "v")
    + "Own.apply(v, 0.5).sum().backward()",
    MessagePart.INVALID: OWN.replace("return g", "return g.sum(), None").replace("x * k", "x.sum() * k")
    + LEAF.replace("w", "v")
    + "Own.apply(v, 0.5).backward()",
    MessagePart.NO_PARAMETERS: "torch.optim.SGD([], 0.1)",
    MessagePart.NO_ROWS: "table = torch.nn.Embedding(3, 2, sparse=True)\n"
    "optimizer = torch.optim.Adam(table.parameters())\ntable(torch.tensor([1])).sum().backward()\noptimizer.step()",
    MessagePart.FLAG_OF_A_RESULT: LEAF + "h = w * 2\nh.requires_grad = True",
}

TRACED = {
    MessagePart.TRACED_TO_NUMPY: "jnp.sum(jnp.asarray(np.tanh(x)))",
    MessagePart.TRACED_TO_NUMBER: "float(x[0]) * x.sum()",
    MessagePart.TRACED_TO_INDEX: "[x.sum(), x.prod()][x[0].astype(int)]",
    MessagePart.TRACED_TO_TRUTH: "x.sum() if x[0] > 0 else -x.sum()",
    MessagePart.TRACED_MASK: "x[x > 0].sum()",
}
"""What a function returns that JAX traces."""

DIFFERENTIATED = {
    MessagePart.ONE_RESULT: "2.0 * x",
    MessagePart.ONLY_REAL: "(x * 1.0).sum()",
    MessagePart.ONLY_REAL_RESULT: "(x > 0).sum()",
    MessagePart.OF_A_CALLBACK: "jax.pure_callback(lambda v: v, x, x).sum()",
    MessagePart.NO_REVERSE_MODE: "jax.lax.while_loop(lambda v: v < 9.0, lambda v: v + x[0], x[0])",
}
"""What a function returns of which JAX takes no gradient."""

JAX = (
    {
        part: f"""
import numpy as np
import tapeviz
from jax import numpy as jnp
tapeviz.record_jax(lambda x: {result}, jnp.ones(3))
"""
        for part, result in TRACED.items()
    }
    | {
        part: f"""
import jax
import tapeviz
with tapeviz.record():
    jax.grad(lambda x: {result})({"jax.numpy.arange(3)" if part == MessagePart.ONLY_REAL else "jax.numpy.ones(3)"})
"""
        for part, result in DIFFERENTIATED.items()
    }
    | {
        MessagePart.NO_REVERSE_PASS: """
import jax
import tapeviz
tapeviz.record_jax(lambda x: jax.lax.while_loop(lambda v: v < 9.0, lambda v: v * x, x), 2.0)
""",
        MessagePart.ESCAPED: """
import jax
import tapeviz
kept = jax.custom_jvp(lambda x, keep: x * keep, nondiff_argnums=(1,))
kept.defjvp(lambda keep, primals, tangents: jax.jvp(lambda x: x * keep, primals, tangents))
rounds = lambda x, keep: jax.lax.scan(lambda carry, _: (kept(carry, keep), None), x, None, length=3)[0]
tapeviz.record_jax(lambda x, keep: jax.lax.cond(x > 0, rounds, rounds, x, keep), 1.0, jax.numpy.ones(()))
""",
    }
)

AUTOGRAD = {
    part: f"""
import autograd.numpy as anp
from autograd import grad
def f(w):
    {line}
    return anp.sum(w * w)
grad(f)(anp.ones(2))
"""
    for part, line in {
        MessagePart.BOX_TO_NUMPY: "np.sin(w)",
        MessagePart.BOX_TO_NUMBER: "float(w[0])",
        MessagePart.BOX_WRITTEN: "w[0] = 2.0",
    }.items()
}

BEYOND = {part: text for part, text in TAPEVIZ.items() if beyond_the_engine(text)}
"""Those that need more of TensorFlow's names are in `tests/tf/debugger`."""


def in_framework(module: str, programs: dict[MessagePart, str], *marks: pytest.MarkDecorator) -> list[Any]:
    return [pytest.param((module, *each), id=each[0].name, marks=marks) for each in programs.items()]


PROGRAMS = [
    *in_framework("tests.engine.names", {part: text for part, text in TAPEVIZ.items() if part not in BEYOND}),
    *in_framework("tensorflow", TENSORFLOW, pytest.mark.tensorflow),
    *in_framework("torch", TORCH, pytest.mark.torch),
    *in_framework("jax", JAX, pytest.mark.jax),
    *in_framework("autograd", AUTOGRAD, pytest.mark.autograd),
]


def test_every_part_has_a_program() -> None:
    assert {*TAPEVIZ, *TENSORFLOW, *TORCH, *JAX, *AUTOGRAD} == {*MessagePart}


@pytest.fixture(params=PROGRAMS)
def program(request: pytest.FixtureRequest) -> tuple[str, MessagePart, str]:
    """The module to run it in, what the error says, and the text."""
    return request.param


def test_the_error_that_says_it_has_a_note(program: tuple[str, MessagePart, str]) -> None:
    module, part, text = program
    framework = pytest.importorskip(module)
    with pytest.raises(Exception, match=re.escape(part)) as caught:
        run(text, framework)
    told = "\n".join(caught.value.__notes__)
    assert re.search("^(tapeviz: )?(error|warning): ", told, re.MULTILINE), caught.value


def test_a_loop_over_a_scalar_is_no_mistake_about_an_optimizer() -> None:
    with pytest.raises(TypeError, match="iterate over a scalar"), tv.record() as log:
        for _ in tv.Variable(1.0) * 2.0:
            pass
    assert not tv.diagnose(log)


@pytest.mark.jax
@pytest.mark.parametrize(
    ("line", "asking", "fix"),
    [
        ("np.maximum(np.dot(x, x), 0)", "np.dot", "use `jnp.maximum` for `np.maximum` and `jnp.dot` for `np.dot`."),
        ("np.tanh(x * x)", "np.tanh", "write `jnp.tanh` for `np.tanh`."),
    ],
)
def test_what_refuses_before_the_first_op_is_told_in_the_words_of_what_is_imported(
    line: str, asking: str, fix: str
) -> None:
    text = f"""
import numpy as np, jax
from jax import numpy as jnp
def f(x):
    y = {line}
    return y
jax.grad(f)(jnp.ones(3))
"""
    [finding] = tv.diagnose(run(text, pytest.importorskip("jax"), may_raise=True))
    assert f"`{asking}` asks an array for its numbers" in finding.message
    assert finding.fix.endswith(fix)


@pytest.mark.torch
def test_rows_that_an_optimizer_refuses_are_not_asked_for() -> None:
    with pytest.raises(RuntimeError), tv.record() as log:
        run(TORCH[MessagePart.NO_ROWS], pytest.importorskip("torch"))
    [finding] = tv.diagnose(log)
    assert finding.cause == "sparse_gradient"
    assert "`table.weight`, looked up at" in finding.message
    [change] = [each for each in str(finding).splitlines() if each.lstrip().startswith("1 +")]
    assert change.endswith("table = torch.nn.Embedding(3, 2)")
