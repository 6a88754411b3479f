r"""The engine's ops of numbers -> what a reader may know of them."""

from __future__ import annotations

from functools import partial

from tapeviz.events.row import RowTable

ROWS = RowTable()
_op = ROWS.op
_broadcast = partial(_op, broadcasts=True)

# ----- arithmetic -----
_broadcast("add", "{x} + {y}", kinds="additive", tensorflow="Add, AddV2, BiasAdd", x="{g}", y="{g}")
_broadcast("sub", "{x} - {y}", kinds="additive difference", tensorflow="Sub", x="{g}", y="-{g}")
_broadcast("mul", r"{x} \cdot {y}", kinds="product", tensorflow="Mul", x=r"{g} \cdot {y}", y=r"{g} \cdot {x}")
_broadcast("div", r"\frac{{x}}{{y}}", "{y} = 0: the quotient is infinite or NaN",
    kinds="product quotient",
    tensorflow="Div, RealDiv", pole="y", x=r"\frac{{g}}{{y}}", y=r"-{g} \cdot \frac{{x}}{{y}^{2}}")  # fmt: skip
_broadcast("floordiv", r"\left\lfloor \frac{{x}}{{y}} \right\rfloor", "{y} = 0: infinite, or an error for integers",
    kinds="step", tensorflow="FloorDiv", pole="y", x=None, y=None)  # fmt: skip
_broadcast("mod", r"{x} \bmod {y}", "{y} = 0: NaN, or an error for integers", "{x} a multiple of {y}: it jumps",
    tensorflow="FloorMod", pole="y", x="{g}", y=r"-{g} \cdot \left\lfloor \frac{{x}}{{y}} \right\rfloor")  # fmt: skip
_broadcast("truncatediv", r"\operatorname{trunc}\left( \frac{{x}}{{y}} \right)", "{y} = 0: an error",
    tensorflow="TruncateDiv", x=None, y=None)  # fmt: skip
_broadcast("truncatemod", r"{x} - {y} \cdot \operatorname{trunc}\left( \frac{{x}}{{y}} \right)",
    "{y} = 0: NaN, or an error for integers",
    tensorflow="TruncateMod", pole="y", unregistered=True, x=None, y=None)  # fmt: skip
_broadcast("pow", r"{x}^{{y}}", "{x} = 0 and {y} < 1: the derivative in {x} is infinite",
    "{x} < 0 and {y} is not an integer: NaN", "{x} <= 0: the derivative in {y} is taken as 0",
    kinds="power", tensorflow="Pow",
    pole="x", x=r"{g} \cdot {y} \cdot {x}^{{y} - 1}", y=r"{g} \cdot {out} \cdot \ln({x})")  # fmt: skip
_op("neg", "-{x}", kinds="additive", tensorflow="Neg", x="-{g}")
_op("abs", r"\left| {x} \right|", "{x} = 0: the derivative is taken as 0",
    tensorflow="Abs", x=r"{g} \cdot \operatorname{sign}({x})")  # fmt: skip
_op("sign", r"\operatorname{sign}({x})", "{x} = 0: it jumps; the derivative is 0 everywhere",
    kinds="step", tensorflow="Sign", x="0")  # fmt: skip
_broadcast("maximum", r"\max({x}, {y})", "{x} = {y}: the gradient goes to the first argument",
    kinds="extreme", tensorflow="Maximum", x=r"{g} \cdot [{x} \ge {y}]", y=r"{g} \cdot [{x} < {y}]")  # fmt: skip
_broadcast("minimum", r"\min({x}, {y})", "{x} = {y}: the gradient goes to the first argument",
    kinds="extreme", tensorflow="Minimum", x=r"{g} \cdot [{x} \le {y}]", y=r"{g} \cdot [{x} > {y}]")  # fmt: skip
_op("square", "{x}^{2}", kinds="scaling power", tensorflow="Square", x=r"{g} \cdot 2 {x}")
_broadcast("squared_difference", r"\left( {x} - {y} \right)^{2}",
    kinds="difference",
    tensorflow="SquaredDifference", x=r"{g} \cdot 2 ({x} - {y})", y=r"-{g} \cdot 2 ({x} - {y})")  # fmt: skip
_op("reciprocal", r"\frac{1}{{x}}", "{x} = 0: infinite",
    kinds="quotient power", tensorflow="Reciprocal, Inv", pole="x", x=r"-{g} \cdot {out}^{2}")  # fmt: skip
_op("add_n", r"\sum {values}", kinds="additive", tensorflow="AddN values*", values="{g}")
_broadcast("divide_no_nan", r"\frac{{x}}{{y}} \text{ or } 0", "{y} = 0: the value and the derivatives are 0",
    tensorflow="DivNoNan", x=r"\frac{{g}}{{y}}", y=r"-{g} \cdot \frac{{x}}{{y}^{2}}")  # fmt: skip
_broadcast("multiply_no_nan", r"{x} \cdot {y} \text{ or } 0", "{y} = 0: the value is 0, even if {x} is infinite or NaN",
    kinds="product", tensorflow="MulNoNan", x=r"{g} \cdot {y}", y=r"{g} \cdot {x}")  # fmt: skip
_broadcast("xdivy", r"\frac{{x}}{{y}} \text{ or } 0", "{x} = 0: the value and the derivatives are 0, even if {y} = 0",
    "{y} = 0: infinite or NaN",
    tensorflow="Xdivy", pole="y", x=r"\frac{{g}}{{y}}", y=r"-{g} \cdot \frac{{x}}{{y}^{2}}")  # fmt: skip
_broadcast("xlogy", r"{x} \ln({y})", "{x} = 0: the value and the derivatives are 0, even if {y} = 0",
    "{y} <= 0: infinite or NaN",
    tensorflow="Xlogy", pole="y", x=r"{g} \cdot \ln({y})", y=r"{g} \cdot \frac{{x}}{{y}}")  # fmt: skip
_broadcast("xlog1py", r"{x} \ln (1 + {y})", "{x} = 0: the value and the derivatives are 0, even if {y} = -1",
    "{y} <= -1: infinite or NaN",
    tensorflow="Xlog1py", pole="y", x=r"{g} \cdot \ln (1 + {y})", y=r"{g} \cdot \frac{{x}}{1 + {y}}")  # fmt: skip

# ----- roots, exponentials, logarithms -----
_op("sqrt", r"\sqrt{{x}}", "{x} = 0: the derivative is infinite", "{x} < 0: NaN",
    tensorflow="Sqrt", pole="x", x=r"{g} \cdot \frac{1}{2 \cdot {out}}")  # fmt: skip
_op("rsqrt", r"\frac{1}{\sqrt{{x}}}", "{x} = 0: infinite", "{x} < 0: NaN",
    tensorflow="Rsqrt", pole="x", kinds="power", x=r"-{g} \cdot \frac{{out}^{3}}{2}")  # fmt: skip
_broadcast("sqrt_grad", r"\frac{{u}}{2 \cdot {y}}", "{u} = 0: 0", "{y} = 0: infinite or NaN",
    pole="y", u=r"\frac{{g}}{2 \cdot {y}}", y=r"-\frac{{g}}{{y}} \cdot {out}")  # fmt: skip
_broadcast("rsqrt_grad", r"-{u} \cdot \frac{{y}^{3}}{2}", "{u} = 0: 0",
    u=r"-{g} \cdot \frac{{y}^{3}}{2}", y=r"-\frac{3}{2} {g} \cdot {u} \cdot {y}^{2}")  # fmt: skip
_broadcast("reciprocal_grad", r"-{u} \cdot {y}^{2}", "{u} = 0: 0",
    u=r"-{g} \cdot {y}^{2}", y=r"-2 {g} \cdot {u} \cdot {y}")  # fmt: skip
_op("exp", r"e^{{x}}", "{x} > 88.7 in float32: infinite",
    kinds="bounded", tensorflow="Exp", x=r"{g} \cdot {out}")  # fmt: skip
_op("expm1", r"e^{{x}} - 1", kinds="bounded", tensorflow="Expm1", x=r"{g} \cdot e^{{x}}")
_op("log", r"\ln({x})", "{x} = 0: minus infinity, and an infinite derivative", "{x} < 0: NaN",
    kinds="logarithm", tensorflow="Log", pole="x", x=r"\frac{{g}}{{x}}")  # fmt: skip
_op("log1p", r"\ln (1 + {x})", "{x} = -1: minus infinity", "{x} < -1: NaN",
    tensorflow="Log1p", pole="x", x=r"\frac{{g}}{1 + {x}}")  # fmt: skip
_op("erf", r"\operatorname{erf}({x})",
    kinds="bounded", tensorflow="Erf", x=r"{g} \cdot \frac{2}{\sqrt{\pi}} e^{-{x}^{2}}")  # fmt: skip
_op("lgamma", r"\ln \left| \Gamma({x}) \right|", "{x} = 0, -1, -2, ...: infinite, and the derivative is NaN",
    tensorflow="Lgamma", pole="x", x=r"{g} \cdot \psi({x})")  # fmt: skip
_op("digamma", r"\psi({x})", "{x} = 0, -1, -2, ...: NaN, and an infinite derivative",
    tensorflow="Digamma", pole="x", x=r"{g} \cdot \psi^{(1)}({x})")  # fmt: skip
_broadcast("polygamma", r"\psi^{({a})}({x})", "{x} = 0, -1, -2, ...: infinite or NaN",
    "{a} < 0 or {a} is not whole: NaN",
    tensorflow="Polygamma", pole="x", a=None, x=r"{g} \cdot \psi^{({a} + 1)}({x})")  # fmt: skip
_op(
    "erfc",
    r"\operatorname{erfc}({x})",
    kinds="bounded",
    tensorflow="Erfc",
    x=r"-{g} \cdot \frac{2}{\sqrt{\pi}} e^{-{x}^{2}}",
)

# ----- trigonometry -----
_op("sin", r"\sin({x})", tensorflow="Sin", x=r"{g} \cdot \cos({x})")
_op("cos", r"\cos({x})", tensorflow="Cos", x=r"-{g} \cdot \sin({x})")
_op("tan", r"\tan({x})", "an odd multiple of π/2: infinite", tensorflow="Tan", x=r"\frac{{g}}{\cos^{2}({x})}")
_op("asin", r"\arcsin({x})", "|{x}| = 1: the derivative is infinite", "|{x}| > 1: NaN",
    tensorflow="Asin", pole="x", x=r"\frac{{g}}{\sqrt{1 - {x}^{2}}}")  # fmt: skip
_op("acos", r"\arccos({x})", "|{x}| = 1: the derivative is infinite", "|{x}| > 1: NaN",
    tensorflow="Acos", pole="x", x=r"-\frac{{g}}{\sqrt{1 - {x}^{2}}}")  # fmt: skip
_op("atan", r"\arctan({x})", tensorflow="Atan", x=r"\frac{{g}}{1 + {x}^{2}}")
_broadcast("atan2", r"\operatorname{arctan}({y}, {x})", "{x} = {y} = 0: the derivatives are NaN",
    tensorflow="Atan2",
    pole="x", y=r"{g} \cdot \frac{{x}}{{x}^{2} + {y}^{2}}", x=r"-{g} \cdot \frac{{y}}{{x}^{2} + {y}^{2}}")  # fmt: skip
_op("sinh", r"\sinh({x})", tensorflow="Sinh", x=r"{g} \cdot \cosh({x})")
_op("cosh", r"\cosh({x})", tensorflow="Cosh", x=r"{g} \cdot \sinh({x})")
_op("tanh", r"\tanh({x})", kinds="bounded", tensorflow="Tanh", x=r"{g} \cdot (1 - {out}^{2})")
_op("asinh", r"\operatorname{arsinh}({x})", tensorflow="Asinh", x=r"\frac{{g}}{\cosh({out})}")
_op("acosh", r"\operatorname{arcosh}({x})", "{x} = 1: the derivative is infinite", "{x} < 1: NaN",
    tensorflow="Acosh", pole="x", x=r"\frac{{g}}{\sinh({out})}")  # fmt: skip
_op("atanh", r"\operatorname{artanh}({x})", "|{x}| = 1: infinite", "|{x}| > 1: NaN",
    tensorflow="Atanh", pole="x", x=r"\frac{{g}}{1 - {x}^{2}}")  # fmt: skip

# ----- complex numbers -----
_broadcast("complex", "{x} + i {y}", tensorflow="Complex", x=r"\operatorname{Re}({g})", y=r"\operatorname{Im}({g})")
_op("real", r"\operatorname{Re}({x})", tensorflow="Real", x="{g}")
_op("imag", r"\operatorname{Im}({x})", tensorflow="Imag", x="i {g}")
_op("conj", r"\overline{{x}}", tensorflow="Conj", x=r"\overline{{g}}")
_op("angle", r"\operatorname{arg}({x})", "{x} = 0: the derivative is infinite or NaN",
    tensorflow="Angle", pole="x", x=r"\frac{i {g}}{\overline{{x}}}")  # fmt: skip
_op("complex_abs", r"\left| {x} \right|", "{x} = 0: the derivative is taken as 0",
    tensorflow="ComplexAbs", x=r"{g} \cdot \frac{{x}}{{out}}")  # fmt: skip
_op("fft", r"\operatorname{fft}({x})", tensorflow="FFT", x=r"n \cdot \operatorname{ifft}({g})")
_op("ifft", r"\operatorname{ifft}({x})", tensorflow="IFFT", x=r"n^{-1} \cdot \operatorname{fft}({g})")
_op("fft2d", r"\operatorname{fft2}({x})", tensorflow="FFT2D", x=r"n \cdot \operatorname{ifft2}({g})")
_op("ifft2d", r"\operatorname{ifft2}({x})", tensorflow="IFFT2D", x=r"n^{-1} \cdot \operatorname{fft2}({g})")
_op("fft3d", r"\operatorname{fft3}({x})", tensorflow="FFT3D", x=r"n \cdot \operatorname{ifft3}({g})")
_op("ifft3d", r"\operatorname{ifft3}({x})", tensorflow="IFFT3D", x=r"n^{-1} \cdot \operatorname{fft3}({g})")

# ----- rounding -----
_op("floor", r"\left\lfloor {x} \right\rfloor", "it jumps: no derivative anywhere",
    kinds="step", tensorflow="Floor", x=None)  # fmt: skip
_op("ceil", r"\left\lceil {x} \right\rceil", "it jumps: no derivative anywhere",
    kinds="step", tensorflow="Ceil", x=None)  # fmt: skip
_op("round", r"\operatorname{round}({x})", "it jumps: no derivative anywhere", "halves go to the even number",
    kinds="step", tensorflow="Round", x=None)  # fmt: skip
_op("rint", r"\operatorname{round}({x})", "it jumps: no derivative anywhere", "halves go to the even number",
    kinds="step", tensorflow="Rint", x=None)  # fmt: skip

# ----- comparing and choosing -----
_broadcast("equal", "{x} = {y}", kinds="comparison", tensorflow="Equal", x=None, y=None)
_broadcast("not_equal", r"{x} \ne {y}", kinds="comparison", tensorflow="NotEqual", x=None, y=None)
_broadcast("less", "{x} < {y}", kinds="comparison", tensorflow="Less", x=None, y=None)
_broadcast("less_equal", r"{x} \le {y}", kinds="comparison", tensorflow="LessEqual", x=None, y=None)
_broadcast("greater", "{x} > {y}", kinds="comparison", tensorflow="Greater", x=None, y=None)
_broadcast("greater_equal", r"{x} \ge {y}", kinds="comparison", tensorflow="GreaterEqual", x=None, y=None)
_broadcast("logical_and", r"{x} \wedge {y}", tensorflow="LogicalAnd", x=None, y=None)
_broadcast("logical_or", r"{x} \vee {y}", tensorflow="LogicalOr", x=None, y=None)
_broadcast("logical_xor", r"{x} \oplus {y}", x=None, y=None)
_op("logical_not", r"\neg {x}", tensorflow="LogicalNot", x=None)
_op("is_nan", r"[{x} \text{ is NaN}]", tensorflow="IsNan", unregistered=True, x=None)
_op("is_inf", r"[{x} \text{ is infinite}]", tensorflow="IsInf", unregistered=True, x=None)
_op("is_finite", r"[{x} \text{ is finite}]", tensorflow="IsFinite", unregistered=True, x=None)
_broadcast("where", r"{x} \text{ if } {condition} \text{ else } {y}",
    "a NaN or infinite derivative on the side not taken still comes out as NaN further up",
    kinds="choice", tensorflow="SelectV2, Select",
    condition=None, x=r"{g} \cdot [{condition}]", y=r"{g} \cdot [\neg {condition}]")  # fmt: skip
_broadcast("mask", r"{x} \text{ if } {condition} \text{ else } 0",
    kinds="choice", x=r"{g} \text{ if } {condition} \text{ else } 0",
    condition=None)  # fmt: skip

# ----- reductions -----
_op("reduce_sum", r"\sum {x}",
    kinds="additive", tensorflow="Sum x axis: | keep_dims:keepdims", x=r"{g} \cdot \mathbf{1}")  # fmt: skip
_op("reduce_mean", r"\frac{1}{ n} \sum {x}", "{x} is empty: NaN",
    kinds="additive scaling",
    tensorflow="Mean x axis: | keep_dims:keepdims", x=r"\frac{{g}}{ n} \cdot \mathbf{1}")  # fmt: skip
_op("reduce_max", r"\max {x}", "ties share the gradient equally",
    kinds="entry_extreme",
    tensorflow="Max x axis: | keep_dims:keepdims", x=r"{g} \cdot \frac{[{x} = {out}]}{\text{ties}}")  # fmt: skip
_op("reduce_min", r"\min {x}", "ties share the gradient equally",
    kinds="entry_extreme",
    tensorflow="Min x axis: | keep_dims:keepdims", x=r"{g} \cdot \frac{[{x} = {out}]}{\text{ties}}")  # fmt: skip
_op("reduce_prod", r"\prod {x}",
    tensorflow="Prod x axis: | keep_dims:keepdims", x=r"{g} \cdot \prod_{\text{others}} {x}")  # fmt: skip
_op("reduce_any", r"\bigvee {x}", tensorflow="Any x axis: | keep_dims:keepdims", unregistered=True, x=None)
_op("reduce_all", r"\bigwedge {x}", tensorflow="All x axis: | keep_dims:keepdims", unregistered=True, x=None)
_op("reduce_logsumexp", r"\ln \sum e^{{x}}", kinds="logarithm", x=r"{g} \cdot e^{{x} - {out}}")
_op("reduce_variance", r"\frac{1}{ n} \sum \left( {x} - \bar{{x}} \right)^{2}",
    x=r"{g} \cdot \frac{2}{ n} ({x} - \bar{{x}})")  # fmt: skip
_op("reduce_euclidean_norm", r"\left\lVert {x} \right\rVert", "{x} = 0: the derivative is NaN",
    tensorflow="EuclideanNorm x axis: | keep_dims:keepdims", pole="x", x=r"{g} \cdot \frac{{x}}{{out}}")  # fmt: skip
_op("argmax", r"\operatorname{argmax}({x})", tensorflow="ArgMax x axis: | output_type:", x=None)
_op("argmin", r"\operatorname{argmin}({x})", tensorflow="ArgMin x axis: | output_type:", x=None)
_op("categorical", r"\text{place of } {noise} \text{ in } \sum_{j \le i} \operatorname{softmax}({logits})_j",
    "it is drawn: no derivative", kinds="draw", logits=None, noise=None)  # fmt: skip
_op("cumsum", r"\sum_{j \le i} {x}_j", tensorflow="Cumsum x axis: | exclusive: reverse:", x=r"\sum_{j \ge i} {g}_j")
_op("cumulative_logsumexp", r"\ln \sum_{j \le i} e^{{x}_j}",
    tensorflow="CumulativeLogsumexp x axis: | exclusive: reverse:",
    x=r"\sum_{j \ge i} {g}_j e^{{x} - {out}_j}")  # fmt: skip
_op("cumprod", r"\prod_{j \le i} {x}_j", "{x} = 0: its derivative comes out as 0, as in TensorFlow",
    tensorflow="Cumprod x axis: | exclusive: reverse:", x=r"\frac{1}{{x}} \sum_{j \ge i} {g}_j {out}_j")  # fmt: skip
