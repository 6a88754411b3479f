"""The name of an op -> what a reader may know of it, as a `Row`; here are the rows of the engine's own ops."""

from __future__ import annotations

from functools import partial

from tapeviz.events import foreign
from tapeviz.events.row import Kind, Row, kinds_of
from tapeviz.events.types import Attrs

CUSTOM = ("custom_gradient", True)
"""The attribute of ops whose gradient function is the user's own: what is known of their name is not known of them."""


def row(name: str) -> Row | None:
    """What is known of an op, the engine's or a framework's, or None."""
    return ROWS.get(name) or foreign.ROWS.get(name)


def of_kind(kind: Kind) -> frozenset[str]:
    """The names of the ops of one kind, the engine's and the frameworks'."""
    return frozenset([name for rows in (foreign.ROWS, ROWS) for name, known in rows.items() if kind in known.kinds])


def marked(name: str) -> Attrs:
    """The attributes of a user's op that has a gradient function of its own: none, unless its name is one of a row.

    >>> marked("round"), marked("straight_through")
    ((('custom_gradient', True),), ())
    """
    return () if row(name) is None and name not in USERS else (CUSTOM,)


def add(new: Row) -> None:
    """Make an op known.

    Raises:
        ValueError: an op of that name is known already, with other formulas.
    """
    known = ROWS.setdefault(new.name, new)
    if known != new:
        raise ValueError(f"The catalog knows an op {new.name!r} already: {known.formula}.")


ROWS: dict[str, Row] = {}
USERS: dict[str, Row] = {}
"""The ops that users have made by `defop`, which only programs of the engine run."""


def _op(
    name: str,
    formula: str,
    *domain: str,
    tensorflow: str = "",
    unregistered: bool = False,
    pole: str | None = None,
    broadcasts: bool = False,
    kinds: str = "",
    **vjps: str | None,
) -> None:
    theirs = tuple(tensorflow.split(", ")) if tensorflow else ()
    add(Row(name, tuple(vjps), formula, vjps, domain, unregistered, pole, broadcasts, theirs, kinds_of(kinds)))


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
    tensorflow="Rsqrt", pole="x", x=r"-{g} \cdot \frac{{out}^{3}}{2}")  # fmt: skip
_broadcast("sqrt_grad", r"\frac{{u}}{2 \cdot {y}}", "{u} = 0: 0", "{y} = 0: infinite or NaN",
    pole="y", u=r"\frac{{g}}{2 \cdot {y}}", y=r"-\frac{{g}}{{y}} \cdot {out}")  # fmt: skip
_broadcast("rsqrt_grad", r"-{u} \cdot \frac{{y}^{3}}{2}", "{u} = 0: 0",
    u=r"-{g} \cdot \frac{{y}^{3}}{2}", y=r"-\frac{3}{2} {g} \cdot {u} \cdot {y}^{2}")  # fmt: skip
_broadcast("reciprocal_grad", r"-{u} \cdot {y}^{2}", "{u} = 0: 0",
    u=r"-{g} \cdot {y}^{2}", y=r"-2 {g} \cdot {u} \cdot {y}")  # fmt: skip
_op("exp", r"e^{{x}}", "{x} > 88.7 in float32: infinite", tensorflow="Exp", x=r"{g} \cdot {out}")
_op("expm1", r"e^{{x}} - 1", tensorflow="Expm1", x=r"{g} \cdot e^{{x}}")
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
_op("erfc", r"\operatorname{erfc}({x})", tensorflow="Erfc", x=r"-{g} \cdot \frac{2}{\sqrt{\pi}} e^{-{x}^{2}}")

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

# ----- shapes -----
_op("zeros_like", r"0 \text{ in the shape of } {x}", tensorflow="ZerosLike", x=None)
_op("ones_like", r"1 \text{ in the shape of } {x}", tensorflow="OnesLike", x=None)
_op("sum_to", r"\sum {x} \to {shape}", x=r"\operatorname{broadcast}({g})")
_op("broadcast_to", r"{x} \to {shape}", kinds="view", tensorflow="BroadcastTo x shape:", x=r"\sum {g}")
_op("reshape", r"{x} \to {shape}",
    kinds="reshaping view", tensorflow="Reshape x shape:", x=r"{g} \text{ in the shape of } {x}")  # fmt: skip
_op("transpose", r"{x}^{\mathsf{T}}", kinds="reshaping view", tensorflow="Transpose x perm:", x=r"{g}^{\mathsf{T}}")
_op("expand_dims", "{x}",
    kinds="reshaping view", tensorflow="ExpandDims x axis:", x=r"{g} \text{ in the shape of } {x}")  # fmt: skip
_op("squeeze", "{x}", kinds="view", tensorflow="Squeeze x | squeeze_dims:axis", x=r"{g} \text{ in the shape of } {x}")
_op("reverse", r"\operatorname{reverse}({x})", tensorflow="ReverseV2 x axis:", x=r"\operatorname{reverse}({g})")
_op("roll", r"\operatorname{roll}({x}, {shift})",
    tensorflow="Roll x shift: axis:", x=r"\operatorname{roll}({g}, -{shift})")  # fmt: skip
_op("identity", "{x}", kinds="additive copy", tensorflow="Identity", x="{g}")
_op("check_numerics", "{x}", "NaN or infinity, of the gradient too: an error",
    tensorflow="CheckNumerics x | message:", x="{g}")  # fmt: skip
_op("identity_n", "{values}", tensorflow="IdentityN values*", values="{g}")
_op("stop_gradient", "{x}", "no derivative, on purpose", kinds="copy", tensorflow="StopGradient", x=None)
_op("cast", r"{x} \text{ as } {dtype}", "an integer dtype on either side ends the gradient",
    kinds="scaling", tensorflow="Cast x | DstT:dtype SrcT:source", x=r"{g} \text{ as } {source}")  # fmt: skip
_op("concat", r"[{values}]", kinds="join", tensorflow="ConcatV2 values* axis:", values=r"\text{its part of } {g}")
_op("stack", r"[{values}]", kinds="join", tensorflow="Pack values* | axis:", values=r"\text{its part of } {g}")
_op("unstack", r"\text{the parts of } {x}", kinds="piece view", tensorflow="Unpack x | axis:", x=r"[{g}]")
_op("split", r"\text{the parts of } {x}",
    kinds="piece view", tensorflow="Split axis: x, SplitV x sizes: axis:", x=r"[{g}]")  # fmt: skip
_op("tile", r"{x} \text{ repeated } {multiples}", tensorflow="Tile x multiples:", x=r"\sum_{\text{copies}} {g}")
_op("repeat", r"{x} \text{ repeated } {repeats}", x=r"\sum_{\text{copies}} {g}")
_op("pad", r"{x} \text{ with a border}",
    tensorflow="Pad x paddings:, PadV2 x paddings: constant_values:", x=r"{g} \text{ without the border}")  # fmt: skip
_op("mirror_pad", r"{x} \text{ with a mirrored border}",
    tensorflow="MirrorPad x paddings:", x=r"{g} \text{, folded back}")  # fmt: skip
_op("mirror_pad_grad", r"{x} \text{, folded back}", x=r"{g} \text{ with a mirrored border}")
_op("getitem", r"{x}[{index}]",
    kinds="piece reshaping view",
    tensorflow="StridedSlice x begin: end: strides: | begin_mask: end_mask: ellipsis_mask: new_axis_mask: "
    "shrink_axis_mask:, Slice x begin: size:",
    x=r"{g} \text{ at } [{index}] \text{, else } 0")  # fmt: skip
_op("put", r"{x} \text{ at } [{index}] \text{, else } 0", x=r"{g}[{index}]")
_op("gather", r"{x}[{indices}]", "an index used twice gets both gradients",
    kinds="lookup", tensorflow="GatherV2 x indices axis: | batch_dims:, ResourceGather x indices | batch_dims:",
    x=r"\sum_{\text{uses}} {g}", indices=None)  # fmt: skip
_op("scatter_rows", r"\sum_{\text{uses}} {x}", x=r"{g}[{indices}]", indices=None)
_op("gather_nd", r"{x}[{indices}]",
    kinds="lookup", tensorflow="GatherNd, ResourceGatherNd", x=r"\sum_{\text{uses}} {g}", indices=None)  # fmt: skip
_op("scatter_nd", r"\sum {x} \text{ at } {indices}",
    tensorflow="ScatterNd indices x shape:", x=r"{g}[{indices}]", indices=None)  # fmt: skip
_op("tensor_scatter_nd_update", r"{x} \text{ with } {updates} \text{ at } {indices}",
    tensorflow="TensorScatterUpdate",
    x=r"{g} \text{ with } 0 \text{ at } {indices}", indices=None, updates=r"{g}[{indices}]")  # fmt: skip
_op("tensor_scatter_nd_add", r"{x} + {updates} \text{ at } {indices}",
    tensorflow="TensorScatterAdd", x="{g}", indices=None, updates=r"{g}[{indices}]")  # fmt: skip
_op("tensor_scatter_nd_sub", r"{x} - {updates} \text{ at } {indices}",
    tensorflow="TensorScatterSub", x="{g}", indices=None, updates=r"-{g}[{indices}]")  # fmt: skip
_op("tensor_scatter_nd_max", r"\max({x}, {updates}) \text{ at } {indices}", "ties share the gradient equally",
    tensorflow="TensorScatterMax", x=r"{g} \cdot \frac{[{x} = {out}]}{\text{ties}}", indices=None,
    updates=r"{g}[{indices}] \cdot \frac{[{updates} = {out}[{indices}]]}{\text{ties}}")  # fmt: skip
_op("tensor_scatter_nd_min", r"\min({x}, {updates}) \text{ at } {indices}", "ties share the gradient equally",
    tensorflow="TensorScatterMin", x=r"{g} \cdot \frac{[{x} = {out}]}{\text{ties}}", indices=None,
    updates=r"{g}[{indices}] \cdot \frac{[{updates} = {out}[{indices}]]}{\text{ties}}")  # fmt: skip
_op("unsorted_segment_sum", r"\sum_{\text{segment}} {x}",
    tensorflow="UnsortedSegmentSum x segments num_segments:", x=r"{g}[{segments}]", segments=None)  # fmt: skip
_op("unsorted_segment_max", r"\max_{\text{segment}} {x}", "ties share the gradient equally",
    tensorflow="UnsortedSegmentMax x segments num_segments:",
    x=r"{g}[{segments}] \cdot \frac{[{x} = {out}]}{\text{ties}}", segments=None)  # fmt: skip
_op("unsorted_segment_min", r"\min_{\text{segment}} {x}", "ties share the gradient equally",
    tensorflow="UnsortedSegmentMin x segments num_segments:",
    x=r"{g}[{segments}] \cdot \frac{[{x} = {out}]}{\text{ties}}", segments=None)  # fmt: skip
_op("unsorted_segment_prod", r"\prod_{\text{segment}} {x}",
    tensorflow="UnsortedSegmentProd x segments num_segments:", x=r"{g}[{segments}] \cdot \prod_{\text{others}} {x}",
    segments=None)  # fmt: skip
_op("boolean_mask", r"{x}[{mask}]", kinds="choice", x=r"{g} \text{ where } {mask} \text{, else } 0", mask=None)
_op("put_mask", r"{x} \text{ where } {mask} \text{, else } 0", x=r"{g}[{mask}]", mask=None)
_op("argsort", r"\operatorname{argsort}({x})", "it jumps; the derivative is 0 everywhere", x="0")
_op("take_along", r"{x}[{indices}]", x=r"{g} \text{ at } {indices} \text{, else } 0", indices=None)
_op("put_along", r"{x} \text{ at } {indices} \text{, else } 0", x=r"{g}[{indices}]", indices=None)
_op("sort", r"\operatorname{sort}({x})", "equal values keep their order",
    x=r"{g} \text{ in the order before}")  # fmt: skip
_op("top_k", r"\operatorname{top}_{{k}} {x}", "of equal values the earlier one is taken",
    kinds="entry_extreme", tensorflow="TopKV2 x k:", x=r"{g} \text{ at the chosen places, else } 0")  # fmt: skip
_op("shape", r"\operatorname{shape}({x})", tensorflow="Shape x | out_type:", x=None)
_op("size", r"\operatorname{size}({x})", tensorflow="Size x | out_type:", x=None)
_op("rank", r"\operatorname{rank}({x})", tensorflow="Rank", x=None)
_op("one_hot", r"[{indices} = k]", "an index outside the depth gives a row of off-values",
    tensorflow="OneHot indices depth: on_value: off_value: | axis:", indices=None)  # fmt: skip
_op("where_true", r"\text{places where } {condition}", tensorflow="Where", unregistered=True, condition=None)
_op("unique", r"\operatorname{unique}({x})", tensorflow="Unique x | out_idx:", unregistered=True, x=None)
_op("bincount", r"\sum_{ i} {weights}_i \cdot [{x}_i = k]",
    tensorflow="DenseBincount x length: weights | binary_output:binary",
    unregistered=True, x=None, weights=None)  # fmt: skip
_op("in_top_k", r"[{targets} \text{ among the } {k} \text{ largest of } {predictions}]",
    tensorflow="InTopKV2 predictions targets k:", unregistered=True, targets=None, predictions=None)  # fmt: skip
_op("searchsorted", r"\text{place of } {values} \text{ in } {x}", x=None, values=None)

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

# ----- matrices -----
_op("matmul", r"{x} \, {y}",
    kinds="product",
    tensorflow="MatMul x y | transpose_a: transpose_b:, BatchMatMul x y | adj_x:transpose_a adj_y:transpose_b, "
    "BatchMatMulV2 x y | adj_x:transpose_a adj_y:transpose_b, "
    "BatchMatMulV3 x y | adj_x:transpose_a adj_y:transpose_b",
    x=r"{g} \, {y}^{\mathsf{T}}", y=r"{x}^{\mathsf{T}} \, {g}")  # fmt: skip
_op("matrix_transpose", r"{x}^{\mathsf{T}}", kinds="view", x=r"{g}^{\mathsf{T}}")
_op("einsum", r"\sum_{{equation}} \prod {values}",
    kinds="product",
    tensorflow="Einsum values* | equation:", values=r"\sum {g} \cdot \prod_{\text{others}} {values}")  # fmt: skip
_op("diag", r"\operatorname{diag}({x})", tensorflow="MatrixDiag, MatrixDiagV3", x=r"\text{the diagonal of } {g}")
_op("diag_part", r"\text{the diagonal of } {x}",
    kinds="view", tensorflow="MatrixDiagPart, MatrixDiagPartV3", x=r"\operatorname{diag}({g})")  # fmt: skip
_op("set_diag", r"{x} \text{ with the diagonal } {diagonal}",
    tensorflow="MatrixSetDiagV3",
    x=r"{g} \text{ with the diagonal } 0", diagonal=r"\text{the diagonal of } {g}")  # fmt: skip
_op("band_part", r"\text{the band of } {x}", tensorflow="MatrixBandPart x lower: upper:", x=r"\text{the band of } {g}")
_op("inv", "{x}^{-1}", "a singular matrix: an error",
    tensorflow="MatrixInverse", x=r"-{out}^{\mathsf{T}} \, {g} \, {out}^{\mathsf{T}}")  # fmt: skip
_op("det", r"\det {x}", "a singular matrix: no derivative, an error",
    tensorflow="MatrixDeterminant", x=r"{g} \cdot {out} \cdot {x}^{-\mathsf{T}}")  # fmt: skip
_op("cholesky", r"L: L L^{\mathsf{T}} = {x}", "not positive definite: NaN", tensorflow="Cholesky", pole="x",
    x=r"\operatorname{sym}\left( {out}^{-\mathsf{T}} \Phi({out}^{\mathsf{T}} {g}) {out}^{-1} \right)")  # fmt: skip
_op("solve", r"{matrix}^{-1} {rhs}", "a singular matrix: an error",
    tensorflow="MatrixSolve",
    matrix=r"-{matrix}^{-\mathsf{T}} {g} \, {out}^{\mathsf{T}}", rhs=r"{matrix}^{-\mathsf{T}} {g}")  # fmt: skip
_op("triangular_solve", r"{matrix}^{-1} {rhs}", "a 0 on the diagonal: infinite or NaN",
    tensorflow="MatrixTriangularSolve matrix rhs | lower:", pole="matrix",
    matrix=r"-{matrix}^{-\mathsf{T}} {g} \, {out}^{\mathsf{T}} \text{, its triangle}",
    rhs=r"{matrix}^{-\mathsf{T}} {g}")  # fmt: skip

_op("cross", r"{x} \times {y}", tensorflow="Cross", x=r"{y} \times {g}", y=r"{g} \times {x}")
_op("slogdet", r"\operatorname{sign} \det {x}, \; \ln |\det {x}|",
    "a singular matrix: minus infinity, and an error in the derivative", tensorflow="LogMatrixDeterminant", pole="x",
    x=r"{g} \cdot {x}^{-\mathsf{T}}")  # fmt: skip
_op(
    "qr",
    r"Q, R: Q R = {x}",
    "dependent columns: infinite",
    tensorflow="Qr x | full_matrices:",
    pole="x",
    x=r"(Q B + {g}_Q - Q Q^{\mathsf{T}} {g}_Q) R^{-\mathsf{T}} + Q {g}_R",
)
_op("svd", r"s, U, V: U \operatorname{diag}(s) V^{\mathsf{T}} = {x}", "equal singular values: infinite, and left out",
    tensorflow="Svd", pole="x", x=r"U \left( \operatorname{diag}({g}_s) + C \right) V^{\mathsf{T}}")  # fmt: skip
_op("eigh", r"\lambda, V: V \operatorname{diag}(\lambda) V^{\mathsf{T}} = {x}",
    "equal eigenvalues: infinite, and left out",
    tensorflow="SelfAdjointEigV2",
    pole="x", x=r"V \left( \operatorname{diag}({g}_{\lambda}) + C \right) V^{\mathsf{T}}")  # fmt: skip
_op("pinv", r"{x}^{+}", "a change of rank: infinite",
    x=r"-{out}^{\mathsf{T}} {g} \, {out}^{\mathsf{T}} + \text{what rank leaves over}")  # fmt: skip
_op("expm", r"\exp {x}", x=r"\int_0^1 \exp(t {x})^{\mathsf{T}} {g} \exp((1 - t) {x})^{\mathsf{T}} dt")

# ----- convolution and pooling -----
_op("conv2d", r"{x} * {filters}",
    kinds="product", tensorflow="Conv2D x filters | strides: padding:border dilations:",
    x=r"{g} *^{\mathsf{T}} {filters}", filters=r"{x} * {g}")  # fmt: skip
_op("conv2d_picture", r"{x} *^{\mathsf{T}} {filters}", x=r"{g} * {filters}", filters=r"{g} * {x}")
_op("conv2d_filters", r"{x} * {u}", x=r"{u} *^{\mathsf{T}} {g}", u=r"{x} * {g}")
_op("depthwise_conv2d", r"{x} * {filters}",
    kinds="product", tensorflow="DepthwiseConv2dNative x filters | strides: padding:border dilations:",
    x=r"{g} *^{\mathsf{T}} {filters}", filters=r"{x} * {g}")  # fmt: skip
_op("depthwise_conv2d_picture", r"{x} *^{\mathsf{T}} {filters}", x=r"{g} * {filters}", filters=r"{g} * {x}")
_op("depthwise_conv2d_filters", r"{x} * {u}", x=r"{u} *^{\mathsf{T}} {g}", u=r"{x} * {g}")
_op("max_pool", r"\max_{\text{window}} {x}", "of equal numbers the first gets the gradient",
    kinds="entry_extreme", tensorflow="MaxPool x | ksize:size strides: padding:border",
    x=r"{g} \text{ where } {x} \text{ is the largest, else } 0")  # fmt: skip
_op("max_pool_grad", r"{u} \text{ where } {x} \text{ is the largest, else } 0",
    x="0", u=r"{g} \text{ where } {x} \text{ is the largest}")  # fmt: skip
_op("pooled_from", r"{u} \text{ where } {x} \text{ is the largest}",
    x="0", u=r"{g} \text{ where } {x} \text{ is the largest, else } 0")  # fmt: skip
_op("avg_pool", r"\frac{1}{ n} \sum_{\text{window}} {x}",
    tensorflow="AvgPool x | ksize:size strides: padding:border", x=r"\sum_{\text{windows}} \frac{{g}}{ n}")  # fmt: skip
_op("avg_pool_grad", r"\sum_{\text{windows}} \frac{{x}}{ n}", x=r"\frac{1}{ n} \sum_{\text{window}} {g}")

# ----- activations and losses -----
_op("relu", r"\max({x}, 0)", "{x} = 0: the derivative is taken as 0",
    kinds="rectifier", tensorflow="Relu", x=r"{g} \cdot [{out} > 0]")  # fmt: skip
_op("relu6", r"\min(\max({x}, 0), 6)", "{x} = 0 and {x} = 6: the derivative is taken as 0",
    kinds="bounded", tensorflow="Relu6", x=r"{g} \cdot [0 < {out} < 6]")  # fmt: skip
_op("leaky_relu", r"\max({x}, {alpha} \cdot {x})", "{x} = 0: the derivative is taken as {alpha}",
    kinds="rectifier",
    tensorflow="LeakyRelu x | alpha:", x=r"{g} \cdot (1 \text{ if } {x} > 0 \text{ else } {alpha})")  # fmt: skip
_broadcast("relu_grad", r"{u} \cdot [{y} > 0]", tensorflow="ReluGrad", u=r"{g} \cdot [{y} > 0]", y="0")
_broadcast("relu6_grad", r"{u} \cdot [0 < {y} < 6]", tensorflow="Relu6Grad", u=r"{g} \cdot [0 < {y} < 6]", y="0")
_broadcast("leaky_relu_grad", r"{u} \cdot (1 \text{ if } {y} > 0 \text{ else } {alpha})",
    tensorflow="LeakyReluGrad u y | alpha:",
    u=r"{g} \cdot (1 \text{ if } {y} > 0 \text{ else } {alpha})", y="0")  # fmt: skip
_op("elu", r"{x} \text{ if } {x} \ge 0 \text{ else } e^{{x}} - 1",
    kinds="bounded", tensorflow="Elu", x=r"{g} \cdot (1 \text{ if } {out} \ge 0 \text{ else } {out} + 1)")  # fmt: skip
_op("selu", r"\lambda {x} \text{ if } {x} \ge 0 \text{ else } \lambda \alpha (e^{{x}} - 1)",
    kinds="bounded", tensorflow="Selu",
    x=r"{g} \cdot (\lambda \text{ if } {out} \ge 0 \text{ else } {out} + \lambda \alpha)")  # fmt: skip
_broadcast("sigmoid_grad", r"{u} \cdot {y} (1 - {y})",
    u=r"{g} \cdot {y} (1 - {y})", y=r"{g} \cdot {u} (1 - 2 {y})")  # fmt: skip
_op("sigmoid", r"\sigma({x})", kinds="bounded", tensorflow="Sigmoid", x=r"{g} \cdot {out} (1 - {out})")
_op("silu", r"{x} \cdot \sigma({beta} {x})",
    x=r"{g} \cdot \sigma({beta} {x}) \left( 1 + {beta} {x} (1 - \sigma({beta} {x})) \right)")  # fmt: skip
_op("softplus", r"\ln(1 + e^{{x}})", kinds="bounded", tensorflow="Softplus", x=r"{g} \cdot \sigma({x})")
_broadcast("softsign_grad", r"\frac{{u}}{\left( 1 + |{x}| \right)^{2}}",
    tensorflow="SoftsignGrad", unregistered=True, u=None, x=None)  # fmt: skip
_op("softsign", r"\frac{{x}}{1 + |{x}|}",
    kinds="bounded", tensorflow="Softsign", x=r"\frac{{g}}{\left( 1 + |{x}| \right)^{2}}")  # fmt: skip
_op("softmax", r"\frac{e^{{x}}}{\sum e^{{x}}}",
    kinds="softmax bounded",
    tensorflow="Softmax", x=r"\left( {g} - \sum {g} \cdot {out} \right) \cdot {out}")  # fmt: skip
_op("log_softmax", r"{x} - \ln \sum e^{{x}}",
    kinds="softmax logarithm", tensorflow="LogSoftmax", x=r"{g} - e^{{out}} \cdot \sum {g}")  # fmt: skip
_broadcast("sigmoid_cross_entropy_grad", r"{u} (\sigma({logits}) - {labels})",
    u=r"{g} (\sigma({logits}) - {labels})", labels=r"-{g} \cdot {u}",
    logits=r"{g} \cdot {u} \cdot \sigma({logits}) (1 - \sigma({logits}))")  # fmt: skip
_broadcast("sigmoid_cross_entropy_with_logits", r"\ln(1 + e^{{logits}}) - {labels} \cdot {logits}",
    labels=r"-{g} \cdot {logits}", logits=r"{g} \cdot (\sigma({logits}) - {labels})")  # fmt: skip
_op("softmax_cross_entropy_with_logits", r"-\sum {labels} \cdot \ln \operatorname{softmax}({logits})",
    "the labels get a gradient too",
    kinds="softmax_loss",
    tensorflow="SoftmaxCrossEntropyWithLogits logits labels", labels=r"-{g} \cdot \ln \operatorname{softmax}({logits})",
    logits=r"{g} \cdot (\operatorname{softmax}({logits}) - {labels})")  # fmt: skip
_op("sparse_softmax_cross_entropy_with_logits", r"-\ln \operatorname{softmax}({logits})_{{labels}}",
    "a label outside the classes: an error",
    kinds="softmax_loss", tensorflow="SparseSoftmaxCrossEntropyWithLogits logits labels",
    labels=None, logits=r"{g} \cdot (\operatorname{softmax}({logits}) - \mathbf{1}_{{labels}})")  # fmt: skip
_op("softmax_cross_entropy_grad", r"\operatorname{softmax}({logits}) - {labels}", labels="-{g}",
    logits=r"\left( {g} - \sum {g} \cdot \operatorname{softmax}({logits}) \right)"
    r" \cdot \operatorname{softmax}({logits})")  # fmt: skip
_op("sparse_softmax_cross_entropy_grad", r"\operatorname{softmax}({logits}) - \mathbf{1}_{{labels}}",
    labels=None,
    logits=r"\left( {g} - \sum {g} \cdot \operatorname{softmax}({logits}) \right)"
    r" \cdot \operatorname{softmax}({logits})")  # fmt: skip
_op("l2_loss", r"\frac{1}{2} \sum {x}^{2}", tensorflow="L2Loss", x=r"{g} \cdot {x}")
