r"""Ops that only frameworks have -> what a reader may know of them, as in the catalog."""

from __future__ import annotations

from functools import partial

from tapeviz.events.row import RowTable

ROWS = RowTable()
_op = ROWS.op
_broadcast = partial(_op, broadcasts=True)

# ----- arithmetic -----
_broadcast("rsub", "{y} - {x}", x="-{g}", y="{g}")
_broadcast("rdiv", r"\frac{{y}}{{x}}", "{x} = 0: the quotient is infinite or NaN",
    pole="x", x=r"-{g} \cdot \frac{{out}}{{x}}", y=r"\frac{{g}}{{x}}")  # fmt: skip
_broadcast("rpow", r"{y}^{{x}}", "{y} = 0 and {x} < 1: the derivative in {y} is infinite",
    "{y} <= 0: the derivative in {x} is taken as 0", pole="y", x=r"{g} \cdot {out} \cdot \ln({y})",
    y=r"{g} \cdot {x} \cdot {y}^{{x} - 1}")  # fmt: skip
_broadcast("rem", r"{x} - {y} \cdot \operatorname{trunc}\left( \frac{{x}}{{y}} \right)", "{y} = 0: NaN",
    "{x} a multiple of {y}: it jumps", pole="y", x="{g}",
    y=r"-{g} \cdot \operatorname{trunc}\left( \frac{{x}}{{y}} \right)")  # fmt: skip
_op("cbrt", "{x}^{1/3}", "{x} = 0: the derivative is infinite", pole="x", x=r"\frac{{g}}{3 \cdot {out}^{2}}")
_op("exp2", "2^{{x}}", "{x} > 127 in float32: infinite", kinds="bounded", x=r"{g} \cdot \ln(2) \cdot {out}")
_broadcast("logaddexp", r"\ln(e^{{x}} + e^{{y}})", x=r"{g} \cdot e^{{x} - {out}}", y=r"{g} \cdot e^{{y} - {out}}")
_op("erf_inv", r"\operatorname{erf}^{-1}({x})", "|{x}| = 1: infinite", "|{x}| > 1: NaN",
    pole="x", x=r"{g} \cdot \frac{\sqrt{\pi}}{2} e^{{out}^{2}}")  # fmt: skip
_op("trunc", r"\operatorname{trunc}({x})", "it jumps: the derivative is 0 everywhere", x="0")
_op("frac", r"{x} - \operatorname{trunc}({x})", "it jumps at whole numbers", x="{g}")
_broadcast("heaviside", r"[{x} > 0]", "{x} = 0: it jumps", x=None, values=None)
_broadcast("clip_by_value", r"\min(\max({x}, {low}), {high})", "outside the bounds: the derivative is 0",
    kinds="bounded", x=r"{g} \cdot [{low} \le {x} \le {high}]", low=r"{g} \cdot [{x} < {low}]",
    high=r"{g} \cdot [{x} > {high}]")  # fmt: skip
_broadcast("clamp_min", r"\max({x}, {low})", "{x} = {low}: the gradient goes to the first argument",
    kinds="extreme", x=r"{g} \cdot [{x} \ge {low}]", low=r"{g} \cdot [{x} < {low}]")  # fmt: skip
_broadcast("clamp_max", r"\min({x}, {high})", "{x} = {high}: the gradient goes to the first argument",
    kinds="extreme", x=r"{g} \cdot [{x} \le {high}]", high=r"{g} \cdot [{x} > {high}]")  # fmt: skip
_op("bernoulli", r"\operatorname{Bernoulli}({x})", "it is drawn: the derivative is 0 everywhere", kinds="draw", x="0")
_op("normal", r"\mathcal{N}({x}, {std})", "it is drawn: the derivative is 0 everywhere", kinds="draw", x="0", std="0")
_op("uniform", r"\mathcal{U}", "it is drawn: the derivative is 0 everywhere", kinds="draw", x="0")
_op("multinomial", r"\text{classes drawn with weights } {x}", "it is drawn: no derivative", kinds="draw", x=None)
_op("masked_fill", r"{value} \text{ where } {mask} \text{, else } {x}",
    "a NaN or infinite derivative under the mask still comes out as NaN further up",
    kinds="choice", x=r"{g} \cdot [\neg {mask}]", mask=None, value=r"\sum {g} \cdot [{mask}]")  # fmt: skip
_op(
    "dynamic_slice",
    r"{x}[{starts}]",
    "a start too far right is moved left",
    x=r"{g} \text{ there, else } 0",
    starts=None,
)
_op("dynamic_update_slice", r"{x} \text{ with } {updates} \text{ at } {starts}",
    x=r"{g} \text{ with } 0 \text{ there}", updates=r"{g} \text{ there}", starts=None)  # fmt: skip
_op("setitem", r"{x} \text{ with } {value} \text{ at } [{index}]", x=r"{g} \text{ with } 0 \text{ there}",
    value=r"{g} \text{ there}")  # fmt: skip

# ----- between processes -----
for _name in ("all_gather", "all_reduce", "all_to_all", "all_to_all_single", "broadcast", "gather", "recv", "reduce",
              "reduce_scatter", "scatter", "send"):  # fmt: skip
    _op(f"dist.{_name}", rf"\text{{{_name.replace('_', ' ')}}} \; " "{x}", kinds="collective", x=None)
_op("dtensor.from_local", "{x}", kinds="copy", x="{g}")
_op("dtensor.to_local", "{x}", kinds="copy", x="{g}")
_op("dtensor.redistribute", r"{x} \text{, elsewhere}", kinds="collective", x=r"{g} \text{, back}")
_op("fsdp.all_gather", r"\text{all of } {x}", kinds="collective", x=r"\text{a part of } {g} \text{, reduced}")

# ----- layers -----
_op("linear", r"{x} \, {weight}^{\mathsf{T}} + {bias}",
    kinds="product", x=r"{g} \, {weight}", weight=r"{g}^{\mathsf{T}} \, {x}",
    bias=r"\sum {g}")  # fmt: skip
_op("lerp", r"{x} + {weight} ({end} - {x})",
    x=r"{g} (1 - {weight})", end=r"{g} \, {weight}", weight=r"\sum {g} ({end} - {x})")  # fmt: skip
_op("addmm", r"{x} + {matrix1} \, {matrix2}", x="{g}", matrix1=r"{g} \, {matrix2}^{\mathsf{T}}",
    matrix2=r"{matrix1}^{\mathsf{T}} \, {g}")  # fmt: skip
_op("conv", r"{x} * {weight} + {bias}",
    kinds="product",
    x=r"\operatorname{conv}^{\mathsf{T}}({g}, {weight})", weight=r"{x} * {g}", bias=r"\sum {g}")  # fmt: skip
_op("layer_norm", r"\frac{{x} - \mu}{\sqrt{\sigma^{2} + \varepsilon}} \cdot {weight} + {bias}",
    x=r"\frac{1}{\sigma} \left( {g} w - \overline{{g} w} - \hat{x} \, \overline{{g} w \hat{x}} \right)",
    weight=r"\sum {g} \cdot \hat{x}", bias=r"\sum {g}")  # fmt: skip
_op("batch_norm", r"\frac{{x} - \mu}{\sqrt{\sigma^{2} + \varepsilon}} \cdot {weight} + {bias}",
    "a batch of one: the variance is 0",
    x=r"\frac{1}{\sigma} \left( {g} w - \overline{{g} w} - \hat{x} \, \overline{{g} w \hat{x}} \right)",
    weight=r"\sum {g} \cdot \hat{x}", bias=r"\sum {g}", mean=None, variance=None)  # fmt: skip
_op("rms_norm", r"\frac{{x}}{\sqrt{\overline{{x}^{2}} + \varepsilon}} \cdot {weight}",
    x=r"\frac{1}{r} \left( {g} w - \hat{x} \, \overline{{g} w \hat{x}} \right)",
    weight=r"\sum {g} \cdot \hat{x}")  # fmt: skip
_op("dropout", r"{x} \cdot \frac{m}{1 - p}", x=r"{g} \cdot \frac{m}{1 - p}")
_op("attention", r"\operatorname{softmax} \left( \frac{{query} {key}^{\mathsf{T}}}{\sqrt{d}} \right) {value}",
    "a row that is masked out altogether: 0",
    query=r"\frac{D {key}}{\sqrt{d}}", key=r"\frac{D^{\mathsf{T}} {query}}{\sqrt{d}}",
    value=r"P^{\mathsf{T}} {g}", mask=None)  # fmt: skip

# ----- activations and losses -----
_op("gelu", r"{x} \cdot \Phi({x})", kinds="bounded", x=r"{g} \cdot \left( \Phi({x}) + {x} \, \varphi({x}) \right)")
_op("hardsigmoid", r"\min(\max(\frac{{x}}{6} + \frac{1}{2}, 0), 1)", "|{x}| > 3: the derivative is 0",
    kinds="bounded", x=r"\frac{{g}}{6} \cdot [-3 < {x} < 3]")  # fmt: skip
_op("log_sigmoid", r"\ln \sigma({x})", kinds="bounded", x=r"{g} \cdot \sigma(-{x})")
_op("cross_entropy", r"-\overline{\ln \operatorname{softmax}({logits})_{{labels}}}",
    kinds="softmax_loss", logits=r"{g} \cdot \frac{\operatorname{softmax}({logits}) - \mathbf{1}_{{labels}}}{ n}",
    labels=r"-{g} \cdot \frac{\ln \operatorname{softmax}({logits})}{ n}", weight=None)  # fmt: skip
_op("nll_loss", r"-\overline{{x}_{{labels}}}", x=r"-\frac{{g}}{ n} \text{ at the labels}", labels=None, weight=None)
_op("sigmoid_cross_entropy", r"\overline{\ln(1 + e^{{logits}}) - {labels} \cdot {logits}}",
    logits=r"{g} \cdot \frac{\sigma({logits}) - {labels}}{ n}", labels=r"-{g} \cdot \frac{{logits}}{ n}",
    weight=None, pos_weight=None)  # fmt: skip
_op("mse_loss", r"\overline{\left( {x} - {y} \right)^{2}}", kinds="difference", x=r"{g} \cdot \frac{2 ({x} - {y})}{ n}",
    y=r"-{g} \cdot \frac{2 ({x} - {y})}{ n}")  # fmt: skip
_op("l1_loss", r"\overline{\left| {x} - {y} \right|}", "{x} = {y}: the derivative is taken as 0",
    kinds="difference", x=r"{g} \cdot \frac{\operatorname{sign}({x} - {y})}{ n}",
    y=r"-{g} \cdot \frac{\operatorname{sign}({x} - {y})}{ n}")  # fmt: skip
_op("binary_cross_entropy", r"-\overline{{y} \ln {x} + (1 - {y}) \ln (1 - {x})}", "{x} = 0 or {x} = 1: clipped at -100",
    x=r"{g} \cdot \frac{{x} - {y}}{ n {x} (1 - {x})}",
    y=r"{g} \cdot \frac{\ln (1 - {x}) - \ln {x}}{ n}", weight=None)  # fmt: skip

# ----- reductions -----
_op("variance", r"\frac{1}{ n - 1} \sum \left( {x} - \bar{{x}} \right)^{2}", "a single number: NaN",
    x=r"{g} \cdot \frac{2}{ n - 1} ({x} - \bar{{x}})")  # fmt: skip
_op("standard_deviation", r"\sqrt{\frac{1}{ n - 1} \sum \left( {x} - \bar{{x}} \right)^{2}}",
    "equal numbers: the derivative is taken as 0", "a single number: NaN",
    x=r"{g} \cdot \frac{{x} - \bar{{x}}}{( n - 1) \, {out}}")  # fmt: skip
_op(
    "reduce_norm",
    r"\left\lVert {x} \right\rVert",
    "{x} = 0: the derivative is taken as 0",
    x=r"{g} \cdot \frac{{x}}{{out}}",
)
