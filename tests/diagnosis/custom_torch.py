"""Programs of PyTorch with functions of their own that have right gradients, or others on purpose; and what breaks them.

Each program's `results` are compared with those of a run that is not recorded.
"""

from __future__ import annotations

from textwrap import dedent

HEAD = "import torch\nfrom torch.autograd import Function\ntorch.manual_seed(3)\n"


def function(forward: str, backward: str, run: str, name: str = "Own") -> str:
    """The text of a program with one function, of the lines of its methods and of what runs it."""

    def method(called: str, body: str) -> str:
        arguments, _, lines = body.partition(":")
        told = "".join(
            f"        {line}\n" for line in lines.strip().replace(";; ", "\n").replace("\n\n", "\n").splitlines()
        )
        return f"    @staticmethod\n    def {called}(ctx, {arguments.strip()}):\n{told}"

    return f"{HEAD}class {name}(Function):\n{method('forward', forward)}{method('backward', backward)}{dedent(run)}\n"


X = "x = torch.randn(4, 3, requires_grad=True)\n"
RUN = (
    X + "y = Own.apply(x)\n(y * torch.linspace(1, 2, y.numel()).view(y.shape)).sum().backward()\nresults = [y, x.grad]"
)
TWO = (
    X
    + "b = torch.randn(3, requires_grad=True)\ny = Own.apply(x, b)\n(y * torch.linspace(1, 2, y.numel()).view(y.shape)).sum()"
    ".backward()\nresults = [y, x.grad, b.grad]"
)

RIGHT: dict[str, str] = {
    "square": function(
        "x: ctx.save_for_backward(x);; return x * x", "g: x, = ctx.saved_tensors;; return g * 2 * x", RUN
    ),
    "cube": function(
        "x: ctx.save_for_backward(x);; return x ** 3", "g: x, = ctx.saved_tensors;; return g * 3 * x * x", RUN
    ),
    "exponential": function(
        "x: y = x.exp();; ctx.save_for_backward(y);; return y", "g: y, = ctx.saved_tensors;; return g * y", RUN
    ),
    "sigmoid": function(
        "x: y = 1 / (1 + torch.exp(-x));; ctx.save_for_backward(y);; return y",
        "g: y, = ctx.saved_tensors;; return g * y * (1 - y)",
        RUN,
    ),
    "swish": function(
        "x: s = torch.sigmoid(x);; ctx.save_for_backward(x, s);; return x * s",
        "g: x, s = ctx.saved_tensors;; return g * (s + x * s * (1 - s))",
        RUN,
    ),
    "mean": function(
        "x: ctx.n = x.numel();; ctx.shape = x.shape;; return x.mean()", "g: return g.expand(ctx.shape) / ctx.n", RUN
    ),
    "softmax": function(
        "x: s = x.softmax(-1);; ctx.save_for_backward(s);; return s",
        "g: s, = ctx.saved_tensors;; return s * (g - (g * s).sum(-1, keepdim=True))",
        RUN,
    ),
    "normalized": function(
        "x: m = x.mean(-1, keepdim=True);; v = ((x - m) ** 2).mean(-1, keepdim=True);; r = (v + 1e-5).rsqrt();; h = (x - m) * r;; ctx.save_for_backward(h, r);; return h",
        "g: h, r = ctx.saved_tensors;; return r * (g - g.mean(-1, keepdim=True) - h * (g * h).mean(-1, keepdim=True))",
        RUN,
    ),
    "add_bias": function("x, b: return x * 2 + b", "g: return g * 2, g.sum(0)", TWO),
    "difference": function("x, b: return x - b", "g: return g, -g.sum(0)", TWO),
    "product": function(
        "x, b: ctx.save_for_backward(x, b);; return x * b",
        "g: x, b = ctx.saved_tensors;; return g * b, (g * x).sum(0)",
        TWO,
    ),
    "matmul": function(
        "a, b: ctx.save_for_backward(a, b);; return a @ b",
        "g: a, b = ctx.saved_tensors;; return g @ b.t(), a.t() @ g",
        "a, b = torch.randn(3, 3, requires_grad=True), torch.randn(3, 3, requires_grad=True)\ny = Own.apply(a, b)\n(y ** 2).sum().backward()\nresults = [a.grad, b.grad]",
    ),
    "linear": function(
        "x, w, b: ctx.save_for_backward(x, w);; return torch.nn.functional.linear(x, w, b)",
        "g: x, w = ctx.saved_tensors;; return g @ w, g.t() @ x, g.sum(0)",
        "x, w, b = (torch.randn(s, requires_grad=True) for s in ((4, 3), (2, 3), (2,)))\ny = Own.apply(x, w, b)\n(y ** 2).sum().backward()\nresults = [x.grad, w.grad, b.grad]",
    ),
    "distance": function(
        "a, b: d = a - b;; n = (d * d).sum(-1).sqrt();; ctx.save_for_backward(d, n);; return n",
        "g: d, n = ctx.saved_tensors;; h = (g / n)[:, None] * d;; return h, -h",
        "a, b = torch.randn(5, 3, requires_grad=True), torch.randn(5, 3, requires_grad=True)\ny = Own.apply(a, b)\n(y ** 3).sum().backward()\nresults = [a.grad, b.grad]",
    ),
    "abs2": function(
        "z: ctx.save_for_backward(z);; return (z * z.conj()).real",
        "g: z, = ctx.saved_tensors;; return g * 2 * z",
        "z = torch.randn(5, dtype=torch.complex64, requires_grad=True)\nAbs2 = Own.apply(z)\n(Abs2 * Abs2).sum().backward()\nresults = [z.grad]",
    ),
    "complex_product": function(
        "z, w: ctx.save_for_backward(z, w);; return z * w",
        "g: z, w = ctx.saved_tensors;; return g * w.conj(), g * z.conj()",
        "z, w = (torch.randn(5, dtype=torch.complex128, requires_grad=True) for _ in range(2))\ny = Own.apply(z, w)\n(y.abs() ** 2).sum().backward()\nresults = [z.grad, w.grad]",
    ),
    "two_results": function(
        "x: ctx.save_for_backward(x);; return x.sin(), x.cos()",
        "g, h: x, = ctx.saved_tensors;; return g * x.cos() - h * x.sin()",
        X + "a, b = Own.apply(x)\n(a * 2 + b * b).sum().backward()\nresults = [x.grad]",
    ),
    "one_of_two_results": function(
        "x: ctx.save_for_backward(x);; return x.sin(), x.cos()",
        "g, h: x, = ctx.saved_tensors;; return g * x.cos() - h * x.sin()",
        X + "a, b = Own.apply(x)\n(a * a).sum().backward()\nresults = [x.grad]",
    ),
    "with_a_number": function(
        "x, k: ctx.k = k;; return x * k",
        "g: return g * ctx.k, None",
        X + "y = Own.apply(x, 3.0)\n(y ** 2).sum().backward()\nresults = [x.grad]",
    ),
    "index": function(
        "x, i: ctx.save_for_backward(i);; ctx.shape = x.shape;; return x[i]",
        "g: i, = ctx.saved_tensors;; out = g.new_zeros(ctx.shape);; return out.index_add(0, i, g), None",
        X + "y = Own.apply(x, torch.tensor([0, 2, 2]))\n(y ** 2).sum().backward()\nresults = [x.grad]",
    ),
    "higher_order": function(
        "x: ctx.save_for_backward(x);; return x ** 3",
        "g: x, = ctx.saved_tensors;; return g * 3 * x ** 2",
        X
        + "y = Own.apply(x)\ng, = torch.autograd.grad((y ** 2).sum(), x, create_graph=True)\n(g ** 2).sum().backward()\nresults = [g, x.grad]",
    ),
    "saved_on_the_context": function(
        "x: ctx.y = x.tanh();; return ctx.y.clone()", "g: return g * (1 - ctx.y ** 2)", RUN
    ),
    "in_place_inside": function(
        "x: y = x.clone();; y.mul_(2).add_(1);; y[0] = y[0] * 3;; return y", "g: g = g * 2;; g[0] *= 3;; return g", RUN
    ),
    "writes_upstream": function("x: return x * 4 + 1", "g: g.mul_(4);; return g", RUN),
    "inner_autograd": function(
        "x: ctx.save_for_backward(x);; return x.sin() * x",
        "g: x = ctx.saved_tensors[0].detach().requires_grad_();; \nwith torch.enable_grad(): y = x.sin() * x\nreturn torch.autograd.grad(y, x, g)[0]",
        RUN,
    ),
    "checkpoint": function(
        "run, x: ctx.run = run;; ctx.save_for_backward(x);; return run(x)",
        "g: x = ctx.saved_tensors[0].detach().requires_grad_();; \nwith torch.enable_grad(): y = ctx.run(x)\ny.backward(g)\nreturn None, x.grad",
        X
        + "net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))\ny = Own.apply(net, x)\n(y ** 2).sum().backward()\nresults = [x.grad, *(p.grad for p in net.parameters())]",
    ),
    "checkpoint_with_dropout": function(
        "run, x: ctx.run = run;; ctx.state = torch.get_rng_state();; ctx.save_for_backward(x);; return run(x)",
        "g: x = ctx.saved_tensors[0].detach().requires_grad_();; torch.set_rng_state(ctx.state);; \nwith torch.enable_grad(): y = ctx.run(x)\nreturn None, torch.autograd.grad(y, x, g)[0]",
        X
        + "y = Own.apply(lambda h: torch.nn.functional.dropout(h * 2, 0.5) ** 2, x)\ny.sum().backward()\nresults = [x.grad, torch.rand(3)]",
    ),
    "half": function(
        "x: ctx.save_for_backward(x);; return (x * x).sum(-1)",
        "g: x, = ctx.saved_tensors;; return g[:, None] * 2 * x",
        RUN.replace("torch.randn(4, 3", "torch.randn(4, 30, dtype=torch.float16"),
    ),
    "bfloat16": function(
        "x: s = x.softmax(-1);; ctx.save_for_backward(s);; return s",
        "g: s, = ctx.saved_tensors;; return s * (g - (g * s).sum(-1, keepdim=True))",
        RUN.replace("torch.randn(4, 3", "torch.randn(4, 30, dtype=torch.bfloat16"),
    ),
    "straight_through_round": function("x: return x.round()", "g: return g", RUN),
    "straight_through_sign": function(
        "x: ctx.save_for_backward(x);; return x.sign()", "g: x, = ctx.saved_tensors;; return g * (x.abs() <= 1)", RUN
    ),
    "binary_weights": function("x: return x.sign() * x.abs().mean()", "g: return g", RUN),
    "quantized": function("x: s = x.abs().max() / 7;; return (x / s).round().clamp(-8, 7) * s", "g: return g", RUN),
    "learned_step": function(
        "x, s: q = (x / s).round().clamp(-4, 3);; ctx.save_for_backward(x, s, q);; return q * s",
        "g: x, s, q = ctx.saved_tensors;; inside = ((x / s) >= -4) & ((x / s) <= 3);; return g * inside, (g * (q - x / s * inside)).sum().view(1) / 6",
        X
        + "s = torch.tensor([0.3], requires_grad=True)\ny = Own.apply(x, s)\n(y ** 2).sum().backward()\nresults = [x.grad, s.grad]",
    ),
    "spike": function(
        "v: ctx.save_for_backward(v);; return (v > 0).float()",
        "g: v, = ctx.saved_tensors;; return g / (1 + 10 * v.abs()) ** 2",
        RUN,
    ),
    "spike_with_reset": function(
        "v: s = (v > 0.5).to(v.dtype);; ctx.save_for_backward(v);; return s, v * 0.9 - s * 0.5",
        "g, h: v, = ctx.saved_tensors;; sg = 1 / (1 + (3.14 * v) ** 2);; return g * sg + h * (0.9 - 0.5 * sg)",
        X + "s, v = Own.apply(x)\n(s * 2 + v * v).sum().backward()\nresults = [x.grad]",
    ),
    "clamp_passed_through": function("x: return x.clamp(-0.5, 0.5)", "g: return g", RUN),
    "hard_tanh_with_smooth_rule": function(
        "x: ctx.save_for_backward(x);; return torch.nn.functional.hardtanh(x)",
        "g: x, = ctx.saved_tensors;; return g * (1 - x.tanh() ** 2)",
        RUN,
    ),
    "relu": function(
        "x: ctx.save_for_backward(x);; return x.clamp(min=0)", "g: x, = ctx.saved_tensors;; return g * (x > 0)", RUN
    ),
    "relu_with_leaky_rule": function(
        "x: ctx.save_for_backward(x);; return x.relu()",
        "g: x, = ctx.saved_tensors;; return torch.where(x > 0, g, 0.1 * g)",
        RUN,
    ),
    "guided_relu": function(
        "x: ctx.save_for_backward(x);; return x.relu()",
        "g: x, = ctx.saved_tensors;; return g.clamp(min=0) * (x > 0)",
        RUN.replace("(1, 2", "(-1, 2"),
    ),
    "largest_with_ties": function(
        "x: y = torch.zeros_like(x);; return torch.maximum(x, y)",
        "g: return g",
        RUN.replace("torch.randn(4, 3", "torch.zeros(4, 3"),
    ),
    "reversal": function("x: return x.view_as(x)", "g: return -g", RUN),
    "reversal_scaled": function(
        "x, k: ctx.k = k;; return x.clone()",
        "g: return -ctx.k * g, None",
        X + "y = Own.apply(x, 0.1)\n(y ** 2).sum().backward()\nresults = [x.grad]",
    ),
    "scaling": function("x: return x * 1.0", "g: return g * 128", RUN),
    "clipping": function("x: return x + 0", "g: return g.clamp(-1, 1)", RUN),
    "clipped_by_norm": function(
        "x: ctx.save_for_backward(x);; return x * x",
        "g: x, = ctx.saved_tensors;; h = g * 2 * x;; return h / h.norm()",
        RUN,
    ),
    "cut_off_exponential": function(
        "x: ctx.save_for_backward(x);; return x.exp()",
        "g: x, = ctx.saved_tensors;; return g * x.clamp(max=0.5).exp()",
        RUN,
    ),
    "added_loss": function(
        "x, loss: ctx.shape = loss.shape;; return x",
        "g: return g, torch.ones(ctx.shape)",
        X + "aux = (x ** 2).mean()\ny = Own.apply(x * 1, aux)\n(y ** 2).sum().backward()\nresults = [x.grad]",
    ),
    "half_to_single": function(
        "x: return x.float()",
        "g: return (g * 2).half()",
        RUN.replace("torch.randn(4, 3", "torch.randn(4, 3, dtype=torch.float16"),
    ),
    "noise": function(
        "x: n = torch.rand_like(x);; ctx.save_for_backward(n);; return x * n",
        "g: n, = ctx.saved_tensors;; return g * n",
        RUN + "\nresults.append(torch.rand(3))",
    ),
    "left_to_numpy": function(
        "x: ctx.save_for_backward(x);; return x * torch.from_numpy(x.numpy() ** 2)",
        "g: x, = ctx.saved_tensors;; return g * 3 * x * x",
        RUN.replace("Own.apply(x)", "Own.apply(x)"),
    ),
    "left_as_number": function(
        "x: ctx.save_for_backward(x);; return x * float(x.sum())",
        "g: x, = ctx.saved_tensors;; return g * x.sum() + (g * x).sum()",
        RUN,
    ),
    "branches": function(
        "x: ctx.up = bool(x.sum() > 0);; return x * 2 if ctx.up else x * -3", "g: return g * (2 if ctx.up else -3)", RUN
    ),
    "with_setup": HEAD
    + dedent("""\
        class Own(Function):
            @staticmethod
            def forward(x, k):
                return x ** 2 * k
            @staticmethod
            def setup_context(ctx, inputs, output):
                x, ctx.k = inputs
                ctx.save_for_backward(x)
            @staticmethod
            def backward(ctx, g):
                x, = ctx.saved_tensors
                return g * 2 * x * ctx.k, None
        x = torch.randn(4, 3, requires_grad=True)
        y = Own.apply(x, 3)
        (y ** 2).sum().backward()
        results = [x.grad]
        """),
    "trained": function(
        "x, w: ctx.save_for_backward(x, w);; return x @ w",
        "g: x, w = ctx.saved_tensors;; return g @ w.t(), x.t() @ g",
        """\
w = torch.nn.Parameter(torch.randn(3, 2))
optimizer = torch.optim.Adam([w], lr=0.1)
for step in range(4):
    optimizer.zero_grad()
    x = torch.randn(4, 3)
    loss = (Own.apply(x, w) ** 2).mean()
    loss.backward()
    optimizer.step()
results = [w, w.grad, loss]
""",
    ),
    "buffer_in_a_module": function(
        "x, m: ctx.m = m;; ctx.save_for_backward(x);; return x * m.scale + m.weight",
        "g: return g * ctx.m.scale, None",
        """\
class Scale(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.linspace(2, 3, 3))
        self.weight = torch.nn.Parameter(torch.ones(3))
    def forward(self, x):
        return Own.apply(x, self)
x = torch.randn(4, 3, requires_grad=True)
(Scale()(x) ** 2).sum().backward()
results = [x.grad]
""",
    ),
    "batch_norm_inside": function(
        "x, n: ctx.n = n;; ctx.save_for_backward(x);; return n(x)",
        """g: x = ctx.saved_tensors[0].detach().requires_grad_()
with torch.enable_grad(): y = torch.nn.functional.batch_norm(x, None, None, ctx.n.weight, ctx.n.bias, True)
return torch.autograd.grad(y, x, g)[0], None""",
        "x = torch.randn(8, 3, requires_grad=True)\nn = torch.nn.BatchNorm1d(3)\n(Own.apply(x, n) ** 3).sum().backward()\nresults = [x.grad, n.running_mean, n.running_var, n.num_batches_tracked]",
    ),
    "unrolled_solver": function(
        "a: x = torch.zeros_like(a);; \nfor _ in range(12): x = x - 0.3 * (x ** 3 + x - a)\nctx.save_for_backward(x)\nreturn x",
        "g: x, = ctx.saved_tensors;; return g / (3 * x * x + 1)",
        RUN,
    ),
    "vmapped_rows": function(
        "x: ctx.save_for_backward(x);; return x.sin()",
        "g: x, = ctx.saved_tensors;; return g * x.cos()",
        "x = torch.randn(3, requires_grad=True)\nresults = [torch.autograd.functional.jacobian(Own.apply, x)]",
    ),
    "no_gradient_at_first": function(
        "x: ctx.save_for_backward(x);; return x * x",
        "g: x, = ctx.saved_tensors;; return g * 2 * x",
        X + "for _ in range(2):\n    y = Own.apply(x)\n    (y * 0).sum().backward()\nresults = [x.grad]",
    ),
    "cross_entropy": function(
        "x, t: p = x.log_softmax(-1);; ctx.save_for_backward(p, t);; return -p[torch.arange(len(t)), t].mean()",
        "g: p, t = ctx.saved_tensors;; d = p.exp();; d[torch.arange(len(t)), t] -= 1;; return g * d / len(t), None",
        X + "y = Own.apply(x, torch.tensor([0, 2, 1, 1]))\n(y * 3).backward()\nresults = [x.grad]",
    ),
    "elu": function(
        "x: e = x.exp() - 1;; ctx.save_for_backward(x, e);; return torch.where(x > 0, x, e)",
        "g: x, e = ctx.saved_tensors;; return torch.where(x > 0, g, g * (e + 1))",
        RUN,
    ),
    "cumulative": function("x: return x.cumsum(-1)", "g: return g.flip(-1).cumsum(-1).flip(-1)", RUN),
    "convolution": function(
        "x, w: ctx.save_for_backward(x, w);; return torch.conv1d(x, w)",
        "g: x, w = ctx.saved_tensors;; return torch.nn.grad.conv1d_input(x.shape, w, g), torch.nn.grad.conv1d_weight(x, w.shape, g)",
        "x, w = torch.randn(2, 3, 9, requires_grad=True), torch.randn(4, 3, 3, requires_grad=True)\n(Own.apply(x, w) ** 2).sum().backward()\nresults = [x.grad, w.grad]",
    ),
}
"""Programs of which nothing is said."""

BROKEN: list[tuple[str, str, str, str]] = [
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
    ("in_place_inside", "g = g * 2;; g[0] *= 3", "g = g * 3;; g[0] *= 3", "1.5 times it"),
    ("writes_upstream", "g.mul_(4)", "g.mul_(2)", "`x` is 1/2 of it"),
    ("inner_autograd", "y = x.sin() * x\nreturn", "y = x.sin()\nreturn", "is not it"),
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
    ("convolution", "g), torch", "g) / 2, torch", "`x` is 1/2 of it"),
]
"""A program, what is replaced in it, by what, and what must be said then."""
