"""The name of an op -> what a reader may know of it, as a `Row`; here are the rows of the engine's own ops."""

from __future__ import annotations

from functools import partial

from tapeviz.events import foreign
from tapeviz.events.row import Row
from tapeviz.events.types import Attrs

CUSTOM = ("custom_gradient", True)
"""The attribute of ops whose gradient function is the user's own: what is known of their name is not known of them."""


def row(name: str) -> Row | None:
    """What is known of an op, the engine's or a framework's, or None."""
    return ROWS.get(name) or foreign.ROWS.get(name)


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
    unregistered: bool = False,
    pole: str | None = None,
    broadcasts: bool = False,
    **vjps: str | None,
) -> None:
    add(Row(name, tuple(vjps), formula, vjps, domain, unregistered, pole, broadcasts))


_broadcast = partial(_op, broadcasts=True)


# ----- arithmetic -----
_broadcast("add", "{x} + {y}", x="{g}", y="{g}")
_broadcast("sub", "{x} - {y}", x="{g}", y="-{g}")
_broadcast("mul", r"{x} \cdot {y}", x=r"{g} \cdot {y}", y=r"{g} \cdot {x}")
_broadcast("div", r"\frac{{x}}{{y}}", "{y} = 0: the quotient is infinite or NaN",
    pole="y", x=r"\frac{{g}}{{y}}", y=r"-{g} \cdot \frac{{x}}{{y}^{2}}")  # fmt: skip
_broadcast("floordiv", r"\left\lfloor \frac{{x}}{{y}} \right\rfloor", "{y} = 0: infinite, or an error for integers",
    pole="y", x=None, y=None)  # fmt: skip
_broadcast("mod", r"{x} \bmod {y}", "{y} = 0: NaN, or an error for integers", "{x} a multiple of {y}: it jumps",
    pole="y", x="{g}", y=r"-{g} \cdot \left\lfloor \frac{{x}}{{y}} \right\rfloor")  # fmt: skip
_broadcast("truncatediv", r"\operatorname{trunc}\left( \frac{{x}}{{y}} \right)", "{y} = 0: an error", x=None, y=None)
_broadcast("truncatemod", r"{x} - {y} \cdot \operatorname{trunc}\left( \frac{{x}}{{y}} \right)",
    "{y} = 0: NaN, or an error for integers", pole="y", unregistered=True, x=None, y=None)  # fmt: skip
_broadcast("pow", r"{x}^{{y}}", "{x} = 0 and {y} < 1: the derivative in {x} is infinite",
    "{x} < 0 and {y} is not an integer: NaN", "{x} <= 0: the derivative in {y} is taken as 0",
    pole="x", x=r"{g} \cdot {y} \cdot {x}^{{y} - 1}", y=r"{g} \cdot {out} \cdot \ln({x})")  # fmt: skip
_op("neg", "-{x}", x="-{g}")
_op("abs", r"\left| {x} \right|", "{x} = 0: the derivative is taken as 0", x=r"{g} \cdot \operatorname{sign}({x})")
_op("sign", r"\operatorname{sign}({x})", "{x} = 0: it jumps; the derivative is 0 everywhere", x="0")
_broadcast("maximum", r"\max({x}, {y})", "{x} = {y}: the gradient goes to the first argument",
    x=r"{g} \cdot [{x} \ge {y}]", y=r"{g} \cdot [{x} < {y}]")  # fmt: skip
_broadcast("minimum", r"\min({x}, {y})", "{x} = {y}: the gradient goes to the first argument",
    x=r"{g} \cdot [{x} \le {y}]", y=r"{g} \cdot [{x} > {y}]")  # fmt: skip
_op("square", "{x}^{2}", x=r"{g} \cdot 2 {x}")
_broadcast("squared_difference", r"\left( {x} - {y} \right)^{2}",
    x=r"{g} \cdot 2 ({x} - {y})", y=r"-{g} \cdot 2 ({x} - {y})")  # fmt: skip
_op("reciprocal", r"\frac{1}{{x}}", "{x} = 0: infinite", pole="x", x=r"-{g} \cdot {out}^{2}")
_op("add_n", r"\sum {values}", values="{g}")
_broadcast("divide_no_nan", r"\frac{{x}}{{y}} \text{ or } 0", "{y} = 0: the value and the derivatives are 0",
    x=r"\frac{{g}}{{y}}", y=r"-{g} \cdot \frac{{x}}{{y}^{2}}")  # fmt: skip
_broadcast("multiply_no_nan", r"{x} \cdot {y} \text{ or } 0", "{y} = 0: the value is 0, even if {x} is infinite or NaN",
    x=r"{g} \cdot {y}", y=r"{g} \cdot {x}")  # fmt: skip
_broadcast("xdivy", r"\frac{{x}}{{y}} \text{ or } 0", "{x} = 0: the value and the derivatives are 0, even if {y} = 0",
    "{y} = 0: infinite or NaN", pole="y", x=r"\frac{{g}}{{y}}", y=r"-{g} \cdot \frac{{x}}{{y}^{2}}")  # fmt: skip
_broadcast("xlogy", r"{x} \ln({y})", "{x} = 0: the value and the derivatives are 0, even if {y} = 0",
    "{y} <= 0: infinite or NaN", pole="y", x=r"{g} \cdot \ln({y})", y=r"{g} \cdot \frac{{x}}{{y}}")  # fmt: skip
_broadcast("xlog1py", r"{x} \ln (1 + {y})", "{x} = 0: the value and the derivatives are 0, even if {y} = -1",
    "{y} <= -1: infinite or NaN",
    pole="y", x=r"{g} \cdot \ln (1 + {y})", y=r"{g} \cdot \frac{{x}}{1 + {y}}")  # fmt: skip

# ----- roots, exponentials, logarithms -----
_op("sqrt", r"\sqrt{{x}}", "{x} = 0: the derivative is infinite", "{x} < 0: NaN",
    pole="x", x=r"{g} \cdot \frac{1}{2 \cdot {out}}")  # fmt: skip
_op("rsqrt", r"\frac{1}{\sqrt{{x}}}", "{x} = 0: infinite", "{x} < 0: NaN",
    pole="x", x=r"-{g} \cdot \frac{{out}^{3}}{2}")  # fmt: skip
_broadcast("sqrt_grad", r"\frac{{u}}{2 \cdot {y}}", "{u} = 0: 0", "{y} = 0: infinite or NaN",
    pole="y", u=r"\frac{{g}}{2 \cdot {y}}", y=r"-\frac{{g}}{{y}} \cdot {out}")  # fmt: skip
_broadcast("rsqrt_grad", r"-{u} \cdot \frac{{y}^{3}}{2}", "{u} = 0: 0",
    u=r"-{g} \cdot \frac{{y}^{3}}{2}", y=r"-\frac{3}{2} {g} \cdot {u} \cdot {y}^{2}")  # fmt: skip
_broadcast("reciprocal_grad", r"-{u} \cdot {y}^{2}", "{u} = 0: 0",
    u=r"-{g} \cdot {y}^{2}", y=r"-2 {g} \cdot {u} \cdot {y}")  # fmt: skip
_op("exp", r"e^{{x}}", "{x} > 88.7 in float32: infinite", x=r"{g} \cdot {out}")
_op("expm1", r"e^{{x}} - 1", x=r"{g} \cdot e^{{x}}")
_op("log", r"\ln({x})", "{x} = 0: minus infinity, and an infinite derivative", "{x} < 0: NaN",
    pole="x", x=r"\frac{{g}}{{x}}")  # fmt: skip
_op("log1p", r"\ln (1 + {x})", "{x} = -1: minus infinity", "{x} < -1: NaN", pole="x", x=r"\frac{{g}}{1 + {x}}")
_op("erf", r"\operatorname{erf}({x})", x=r"{g} \cdot \frac{2}{\sqrt{\pi}} e^{-{x}^{2}}")
_op("lgamma", r"\ln \left| \Gamma({x}) \right|", "{x} = 0, -1, -2, ...: infinite, and the derivative is NaN",
    pole="x", x=r"{g} \cdot \psi({x})")  # fmt: skip
_op("digamma", r"\psi({x})", "{x} = 0, -1, -2, ...: NaN, and an infinite derivative",
    pole="x", x=r"{g} \cdot \psi^{(1)}({x})")  # fmt: skip
_broadcast("polygamma", r"\psi^{({a})}({x})", "{x} = 0, -1, -2, ...: infinite or NaN",
    "{a} < 0 or {a} is not whole: NaN", pole="x", a=None, x=r"{g} \cdot \psi^{({a} + 1)}({x})")  # fmt: skip
_op("erfc", r"\operatorname{erfc}({x})", x=r"-{g} \cdot \frac{2}{\sqrt{\pi}} e^{-{x}^{2}}")

# ----- trigonometry -----
_op("sin", r"\sin({x})", x=r"{g} \cdot \cos({x})")
_op("cos", r"\cos({x})", x=r"-{g} \cdot \sin({x})")
_op("tan", r"\tan({x})", "an odd multiple of π/2: infinite", x=r"\frac{{g}}{\cos^{2}({x})}")
_op("asin", r"\arcsin({x})", "|{x}| = 1: the derivative is infinite", "|{x}| > 1: NaN",
    pole="x", x=r"\frac{{g}}{\sqrt{1 - {x}^{2}}}")  # fmt: skip
_op("acos", r"\arccos({x})", "|{x}| = 1: the derivative is infinite", "|{x}| > 1: NaN",
    pole="x", x=r"-\frac{{g}}{\sqrt{1 - {x}^{2}}}")  # fmt: skip
_op("atan", r"\arctan({x})", x=r"\frac{{g}}{1 + {x}^{2}}")
_broadcast("atan2", r"\operatorname{arctan}({y}, {x})", "{x} = {y} = 0: the derivatives are NaN",
    pole="x", y=r"{g} \cdot \frac{{x}}{{x}^{2} + {y}^{2}}", x=r"-{g} \cdot \frac{{y}}{{x}^{2} + {y}^{2}}")  # fmt: skip
_op("sinh", r"\sinh({x})", x=r"{g} \cdot \cosh({x})")
_op("cosh", r"\cosh({x})", x=r"{g} \cdot \sinh({x})")
_op("tanh", r"\tanh({x})", x=r"{g} \cdot (1 - {out}^{2})")
_op("asinh", r"\operatorname{arsinh}({x})", x=r"\frac{{g}}{\cosh({out})}")
_op("acosh", r"\operatorname{arcosh}({x})", "{x} = 1: the derivative is infinite", "{x} < 1: NaN",
    pole="x", x=r"\frac{{g}}{\sinh({out})}")  # fmt: skip
_op("atanh", r"\operatorname{artanh}({x})", "|{x}| = 1: infinite", "|{x}| > 1: NaN",
    pole="x", x=r"\frac{{g}}{1 - {x}^{2}}")  # fmt: skip

# ----- complex numbers -----
_broadcast("complex", "{x} + i {y}", x=r"\operatorname{Re}({g})", y=r"\operatorname{Im}({g})")
_op("real", r"\operatorname{Re}({x})", x="{g}")
_op("imag", r"\operatorname{Im}({x})", x="i {g}")
_op("conj", r"\overline{{x}}", x=r"\overline{{g}}")
_op("angle", r"\operatorname{arg}({x})", "{x} = 0: the derivative is infinite or NaN",
    pole="x", x=r"\frac{i {g}}{\overline{{x}}}")  # fmt: skip
_op("complex_abs", r"\left| {x} \right|", "{x} = 0: the derivative is taken as 0", x=r"{g} \cdot \frac{{x}}{{out}}")
_op("fft", r"\operatorname{fft}({x})", x=r"n \cdot \operatorname{ifft}({g})")
_op("ifft", r"\operatorname{ifft}({x})", x=r"n^{-1} \cdot \operatorname{fft}({g})")
_op("fft2d", r"\operatorname{fft2}({x})", x=r"n \cdot \operatorname{ifft2}({g})")
_op("ifft2d", r"\operatorname{ifft2}({x})", x=r"n^{-1} \cdot \operatorname{fft2}({g})")
_op("fft3d", r"\operatorname{fft3}({x})", x=r"n \cdot \operatorname{ifft3}({g})")
_op("ifft3d", r"\operatorname{ifft3}({x})", x=r"n^{-1} \cdot \operatorname{fft3}({g})")

# ----- rounding -----
_op("floor", r"\left\lfloor {x} \right\rfloor", "it jumps: no derivative anywhere", x=None)
_op("ceil", r"\left\lceil {x} \right\rceil", "it jumps: no derivative anywhere", x=None)
_op("round", r"\operatorname{round}({x})", "it jumps: no derivative anywhere", "halves go to the even number", x=None)
_op("rint", r"\operatorname{round}({x})", "it jumps: no derivative anywhere", "halves go to the even number", x=None)

# ----- comparing and choosing -----
_broadcast("equal", "{x} = {y}", x=None, y=None)
_broadcast("not_equal", r"{x} \ne {y}", x=None, y=None)
_broadcast("less", "{x} < {y}", x=None, y=None)
_broadcast("less_equal", r"{x} \le {y}", x=None, y=None)
_broadcast("greater", "{x} > {y}", x=None, y=None)
_broadcast("greater_equal", r"{x} \ge {y}", x=None, y=None)
_broadcast("logical_and", r"{x} \wedge {y}", x=None, y=None)
_broadcast("logical_or", r"{x} \vee {y}", x=None, y=None)
_broadcast("logical_xor", r"{x} \oplus {y}", x=None, y=None)
_op("logical_not", r"\neg {x}", x=None)
_op("is_nan", r"[{x} \text{ is NaN}]", unregistered=True, x=None)
_op("is_inf", r"[{x} \text{ is infinite}]", unregistered=True, x=None)
_op("is_finite", r"[{x} \text{ is finite}]", unregistered=True, x=None)
_broadcast("where", r"{x} \text{ if } {condition} \text{ else } {y}",
    "a NaN or infinite derivative on the side not taken still comes out as NaN further up",
    condition=None, x=r"{g} \cdot [{condition}]", y=r"{g} \cdot [\neg {condition}]")  # fmt: skip
_broadcast("mask", r"{x} \text{ if } {condition} \text{ else } 0", x=r"{g} \text{ if } {condition} \text{ else } 0",
    condition=None)  # fmt: skip

# ----- shapes -----
_op("zeros_like", r"0 \text{ in the shape of } {x}", x=None)
_op("ones_like", r"1 \text{ in the shape of } {x}", x=None)
_op("sum_to", r"\sum {x} \to {shape}", x=r"\operatorname{broadcast}({g})")
_op("broadcast_to", r"{x} \to {shape}", x=r"\sum {g}")
_op("reshape", r"{x} \to {shape}", x=r"{g} \text{ in the shape of } {x}")
_op("transpose", r"{x}^{\mathsf{T}}", x=r"{g}^{\mathsf{T}}")
_op("expand_dims", "{x}", x=r"{g} \text{ in the shape of } {x}")
_op("squeeze", "{x}", x=r"{g} \text{ in the shape of } {x}")
_op("reverse", r"\operatorname{reverse}({x})", x=r"\operatorname{reverse}({g})")
_op("roll", r"\operatorname{roll}({x}, {shift})", x=r"\operatorname{roll}({g}, -{shift})")
_op("identity", "{x}", x="{g}")
_op("check_numerics", "{x}", "NaN or infinity, of the gradient too: an error", x="{g}")
_op("identity_n", "{values}", values="{g}")
_op("stop_gradient", "{x}", "no derivative, on purpose", x=None)
_op("cast", r"{x} \text{ as } {dtype}", "an integer dtype on either side ends the gradient",
    x=r"{g} \text{ as } {source}")  # fmt: skip
_op("concat", r"[{values}]", values=r"\text{its part of } {g}")
_op("stack", r"[{values}]", values=r"\text{its part of } {g}")
_op("unstack", r"\text{the parts of } {x}", x=r"[{g}]")
_op("split", r"\text{the parts of } {x}", x=r"[{g}]")
_op("tile", r"{x} \text{ repeated } {multiples}", x=r"\sum_{\text{copies}} {g}")
_op("repeat", r"{x} \text{ repeated } {repeats}", x=r"\sum_{\text{copies}} {g}")
_op("pad", r"{x} \text{ with a border}", x=r"{g} \text{ without the border}")
_op("mirror_pad", r"{x} \text{ with a mirrored border}", x=r"{g} \text{, folded back}")
_op("mirror_pad_grad", r"{x} \text{, folded back}", x=r"{g} \text{ with a mirrored border}")
_op("getitem", r"{x}[{index}]", x=r"{g} \text{ at } [{index}] \text{, else } 0")
_op("put", r"{x} \text{ at } [{index}] \text{, else } 0", x=r"{g}[{index}]")
_op("gather", r"{x}[{indices}]", "an index used twice gets both gradients",
    x=r"\sum_{\text{uses}} {g}", indices=None)  # fmt: skip
_op("scatter_rows", r"\sum_{\text{uses}} {x}", x=r"{g}[{indices}]", indices=None)
_op("gather_nd", r"{x}[{indices}]", x=r"\sum_{\text{uses}} {g}", indices=None)
_op("scatter_nd", r"\sum {x} \text{ at } {indices}", x=r"{g}[{indices}]", indices=None)
_op("tensor_scatter_nd_update", r"{x} \text{ with } {updates} \text{ at } {indices}",
    x=r"{g} \text{ with } 0 \text{ at } {indices}", indices=None, updates=r"{g}[{indices}]")  # fmt: skip
_op("tensor_scatter_nd_add", r"{x} + {updates} \text{ at } {indices}",
    x="{g}", indices=None, updates=r"{g}[{indices}]")  # fmt: skip
_op("tensor_scatter_nd_sub", r"{x} - {updates} \text{ at } {indices}",
    x="{g}", indices=None, updates=r"-{g}[{indices}]")  # fmt: skip
_op("tensor_scatter_nd_max", r"\max({x}, {updates}) \text{ at } {indices}", "ties share the gradient equally",
    x=r"{g} \cdot \frac{[{x} = {out}]}{\text{ties}}", indices=None,
    updates=r"{g}[{indices}] \cdot \frac{[{updates} = {out}[{indices}]]}{\text{ties}}")  # fmt: skip
_op("tensor_scatter_nd_min", r"\min({x}, {updates}) \text{ at } {indices}", "ties share the gradient equally",
    x=r"{g} \cdot \frac{[{x} = {out}]}{\text{ties}}", indices=None,
    updates=r"{g}[{indices}] \cdot \frac{[{updates} = {out}[{indices}]]}{\text{ties}}")  # fmt: skip
_op("unsorted_segment_sum", r"\sum_{\text{segment}} {x}", x=r"{g}[{segments}]", segments=None)
_op("unsorted_segment_max", r"\max_{\text{segment}} {x}", "ties share the gradient equally",
    x=r"{g}[{segments}] \cdot \frac{[{x} = {out}]}{\text{ties}}", segments=None)  # fmt: skip
_op("unsorted_segment_min", r"\min_{\text{segment}} {x}", "ties share the gradient equally",
    x=r"{g}[{segments}] \cdot \frac{[{x} = {out}]}{\text{ties}}", segments=None)  # fmt: skip
_op("unsorted_segment_prod", r"\prod_{\text{segment}} {x}", x=r"{g}[{segments}] \cdot \prod_{\text{others}} {x}",
    segments=None)  # fmt: skip
_op("boolean_mask", r"{x}[{mask}]", x=r"{g} \text{ where } {mask} \text{, else } 0", mask=None)
_op("put_mask", r"{x} \text{ where } {mask} \text{, else } 0", x=r"{g}[{mask}]", mask=None)
_op("argsort", r"\operatorname{argsort}({x})", "it jumps; the derivative is 0 everywhere", x="0")
_op("take_along", r"{x}[{indices}]", x=r"{g} \text{ at } {indices} \text{, else } 0", indices=None)
_op("put_along", r"{x} \text{ at } {indices} \text{, else } 0", x=r"{g}[{indices}]", indices=None)
_op("sort", r"\operatorname{sort}({x})", "equal values keep their order",
    x=r"{g} \text{ in the order before}")  # fmt: skip
_op("top_k", r"\operatorname{top}_{{k}} {x}", "of equal values the earlier one is taken",
    x=r"{g} \text{ at the chosen places, else } 0")  # fmt: skip
_op("shape", r"\operatorname{shape}({x})", x=None)
_op("size", r"\operatorname{size}({x})", x=None)
_op("rank", r"\operatorname{rank}({x})", x=None)
_op("one_hot", r"[{indices} = k]", "an index outside the depth gives a row of off-values", indices=None)
_op("where_true", r"\text{places where } {condition}", unregistered=True, condition=None)
_op("unique", r"\operatorname{unique}({x})", unregistered=True, x=None)
_op("bincount", r"\sum_{ i} {weights}_i \cdot [{x}_i = k]", unregistered=True, x=None, weights=None)
_op("in_top_k", r"[{targets} \text{ among the } {k} \text{ largest of } {predictions}]",
    unregistered=True, targets=None, predictions=None)  # fmt: skip
_op("searchsorted", r"\text{place of } {values} \text{ in } {x}", x=None, values=None)

# ----- reductions -----
_op("reduce_sum", r"\sum {x}", x=r"{g} \cdot \mathbf{1}")
_op("reduce_mean", r"\frac{1}{ n} \sum {x}", "{x} is empty: NaN", x=r"\frac{{g}}{ n} \cdot \mathbf{1}")
_op("reduce_max", r"\max {x}", "ties share the gradient equally", x=r"{g} \cdot \frac{[{x} = {out}]}{\text{ties}}")
_op("reduce_min", r"\min {x}", "ties share the gradient equally", x=r"{g} \cdot \frac{[{x} = {out}]}{\text{ties}}")
_op("reduce_prod", r"\prod {x}", x=r"{g} \cdot \prod_{\text{others}} {x}")
_op("reduce_any", r"\bigvee {x}", x=None)
_op("reduce_all", r"\bigwedge {x}", x=None)
_op("reduce_logsumexp", r"\ln \sum e^{{x}}", x=r"{g} \cdot e^{{x} - {out}}")
_op("reduce_variance", r"\frac{1}{ n} \sum \left( {x} - \bar{{x}} \right)^{2}",
    x=r"{g} \cdot \frac{2}{ n} ({x} - \bar{{x}})")  # fmt: skip
_op("reduce_euclidean_norm", r"\left\lVert {x} \right\rVert", "{x} = 0: the derivative is NaN",
    pole="x", x=r"{g} \cdot \frac{{x}}{{out}}")  # fmt: skip
_op("argmax", r"\operatorname{argmax}({x})", x=None)
_op("argmin", r"\operatorname{argmin}({x})", x=None)
_op("categorical", r"\text{place of } {noise} \text{ in } \sum_{j \le i} \operatorname{softmax}({logits})_j",
    "it is drawn: no derivative", logits=None, noise=None)  # fmt: skip
_op("cumsum", r"\sum_{j \le i} {x}_j", x=r"\sum_{j \ge i} {g}_j")
_op("cumulative_logsumexp", r"\ln \sum_{j \le i} e^{{x}_j}", x=r"\sum_{j \ge i} {g}_j e^{{x} - {out}_j}")
_op("cumprod", r"\prod_{j \le i} {x}_j", "{x} = 0: its derivative comes out as 0, as in TensorFlow",
    x=r"\frac{1}{{x}} \sum_{j \ge i} {g}_j {out}_j")  # fmt: skip

# ----- matrices -----
_op("matmul", r"{x} \, {y}", x=r"{g} \, {y}^{\mathsf{T}}", y=r"{x}^{\mathsf{T}} \, {g}")
_op("matrix_transpose", r"{x}^{\mathsf{T}}", x=r"{g}^{\mathsf{T}}")
_op("einsum", r"\sum_{{equation}} \prod {values}", values=r"\sum {g} \cdot \prod_{\text{others}} {values}")
_op("diag", r"\operatorname{diag}({x})", x=r"\text{the diagonal of } {g}")
_op("diag_part", r"\text{the diagonal of } {x}", x=r"\operatorname{diag}({g})")
_op("set_diag", r"{x} \text{ with the diagonal } {diagonal}",
    x=r"{g} \text{ with the diagonal } 0", diagonal=r"\text{the diagonal of } {g}")  # fmt: skip
_op("band_part", r"\text{the band of } {x}", x=r"\text{the band of } {g}")
_op("inv", "{x}^{-1}", "a singular matrix: an error", x=r"-{out}^{\mathsf{T}} \, {g} \, {out}^{\mathsf{T}}")
_op("det", r"\det {x}", "a singular matrix: no derivative, an error", x=r"{g} \cdot {out} \cdot {x}^{-\mathsf{T}}")
_op("cholesky", r"L: L L^{\mathsf{T}} = {x}", "not positive definite: NaN", pole="x",
    x=r"\operatorname{sym}\left( {out}^{-\mathsf{T}} \Phi({out}^{\mathsf{T}} {g}) {out}^{-1} \right)")  # fmt: skip
_op("solve", r"{matrix}^{-1} {rhs}", "a singular matrix: an error",
    matrix=r"-{matrix}^{-\mathsf{T}} {g} \, {out}^{\mathsf{T}}", rhs=r"{matrix}^{-\mathsf{T}} {g}")  # fmt: skip
_op("triangular_solve", r"{matrix}^{-1} {rhs}", "a 0 on the diagonal: infinite or NaN", pole="matrix",
    matrix=r"-{matrix}^{-\mathsf{T}} {g} \, {out}^{\mathsf{T}} \text{, its triangle}",
    rhs=r"{matrix}^{-\mathsf{T}} {g}")  # fmt: skip

_op("cross", r"{x} \times {y}", x=r"{y} \times {g}", y=r"{g} \times {x}")
_op("slogdet", r"\operatorname{sign} \det {x}, \; \ln |\det {x}|",
    "a singular matrix: minus infinity, and an error in the derivative", pole="x",
    x=r"{g} \cdot {x}^{-\mathsf{T}}")  # fmt: skip
_op(
    "qr",
    r"Q, R: Q R = {x}",
    "dependent columns: infinite",
    pole="x",
    x=r"(Q B + {g}_Q - Q Q^{\mathsf{T}} {g}_Q) R^{-\mathsf{T}} + Q {g}_R",
)
_op("svd", r"s, U, V: U \operatorname{diag}(s) V^{\mathsf{T}} = {x}", "equal singular values: infinite, and left out",
    pole="x", x=r"U \left( \operatorname{diag}({g}_s) + C \right) V^{\mathsf{T}}")  # fmt: skip
_op("eigh", r"\lambda, V: V \operatorname{diag}(\lambda) V^{\mathsf{T}} = {x}",
    "equal eigenvalues: infinite, and left out",
    pole="x", x=r"V \left( \operatorname{diag}({g}_{\lambda}) + C \right) V^{\mathsf{T}}")  # fmt: skip
_op("pinv", r"{x}^{+}", "a change of rank: infinite",
    x=r"-{out}^{\mathsf{T}} {g} \, {out}^{\mathsf{T}} + \text{what rank leaves over}")  # fmt: skip
_op("expm", r"\exp {x}", x=r"\int_0^1 \exp(t {x})^{\mathsf{T}} {g} \exp((1 - t) {x})^{\mathsf{T}} dt")

# ----- convolution and pooling -----
_op("conv2d", r"{x} * {filters}", x=r"{g} *^{\mathsf{T}} {filters}", filters=r"{x} * {g}")
_op("conv2d_picture", r"{x} *^{\mathsf{T}} {filters}", x=r"{g} * {filters}", filters=r"{g} * {x}")
_op("conv2d_filters", r"{x} * {u}", x=r"{u} *^{\mathsf{T}} {g}", u=r"{x} * {g}")
_op("depthwise_conv2d", r"{x} * {filters}", x=r"{g} *^{\mathsf{T}} {filters}", filters=r"{x} * {g}")
_op("depthwise_conv2d_picture", r"{x} *^{\mathsf{T}} {filters}", x=r"{g} * {filters}", filters=r"{g} * {x}")
_op("depthwise_conv2d_filters", r"{x} * {u}", x=r"{u} *^{\mathsf{T}} {g}", u=r"{x} * {g}")
_op("max_pool", r"\max_{\text{window}} {x}", "of equal numbers the first gets the gradient",
    x=r"{g} \text{ where } {x} \text{ is the largest, else } 0")  # fmt: skip
_op("max_pool_grad", r"{u} \text{ where } {x} \text{ is the largest, else } 0",
    x="0", u=r"{g} \text{ where } {x} \text{ is the largest}")  # fmt: skip
_op("pooled_from", r"{u} \text{ where } {x} \text{ is the largest}",
    x="0", u=r"{g} \text{ where } {x} \text{ is the largest, else } 0")  # fmt: skip
_op("avg_pool", r"\frac{1}{ n} \sum_{\text{window}} {x}", x=r"\sum_{\text{windows}} \frac{{g}}{ n}")
_op("avg_pool_grad", r"\sum_{\text{windows}} \frac{{x}}{ n}", x=r"\frac{1}{ n} \sum_{\text{window}} {g}")

# ----- activations and losses -----
_op("relu", r"\max({x}, 0)", "{x} = 0: the derivative is taken as 0", x=r"{g} \cdot [{out} > 0]")
_op("relu6", r"\min(\max({x}, 0), 6)", "{x} = 0 and {x} = 6: the derivative is taken as 0",
    x=r"{g} \cdot [0 < {out} < 6]")  # fmt: skip
_op("leaky_relu", r"\max({x}, {alpha} \cdot {x})", "{x} = 0: the derivative is taken as {alpha}",
    x=r"{g} \cdot (1 \text{ if } {x} > 0 \text{ else } {alpha})")  # fmt: skip
_broadcast("relu_grad", r"{u} \cdot [{y} > 0]", u=r"{g} \cdot [{y} > 0]", y="0")
_broadcast("relu6_grad", r"{u} \cdot [0 < {y} < 6]", u=r"{g} \cdot [0 < {y} < 6]", y="0")
_broadcast("leaky_relu_grad", r"{u} \cdot (1 \text{ if } {y} > 0 \text{ else } {alpha})",
    u=r"{g} \cdot (1 \text{ if } {y} > 0 \text{ else } {alpha})", y="0")  # fmt: skip
_op("elu", r"{x} \text{ if } {x} \ge 0 \text{ else } e^{{x}} - 1",
    x=r"{g} \cdot (1 \text{ if } {out} \ge 0 \text{ else } {out} + 1)")  # fmt: skip
_op("selu", r"\lambda {x} \text{ if } {x} \ge 0 \text{ else } \lambda \alpha (e^{{x}} - 1)",
    x=r"{g} \cdot (\lambda \text{ if } {out} \ge 0 \text{ else } {out} + \lambda \alpha)")  # fmt: skip
_broadcast("sigmoid_grad", r"{u} \cdot {y} (1 - {y})",
    u=r"{g} \cdot {y} (1 - {y})", y=r"{g} \cdot {u} (1 - 2 {y})")  # fmt: skip
_op("sigmoid", r"\sigma({x})", x=r"{g} \cdot {out} (1 - {out})")
_op("silu", r"{x} \cdot \sigma({beta} {x})",
    x=r"{g} \cdot \sigma({beta} {x}) \left( 1 + {beta} {x} (1 - \sigma({beta} {x})) \right)")  # fmt: skip
_op("softplus", r"\ln(1 + e^{{x}})", x=r"{g} \cdot \sigma({x})")
_broadcast("softsign_grad", r"\frac{{u}}{\left( 1 + |{x}| \right)^{2}}", unregistered=True, u=None, x=None)
_op("softsign", r"\frac{{x}}{1 + |{x}|}", x=r"\frac{{g}}{\left( 1 + |{x}| \right)^{2}}")
_op("softmax", r"\frac{e^{{x}}}{\sum e^{{x}}}", x=r"\left( {g} - \sum {g} \cdot {out} \right) \cdot {out}")
_op("log_softmax", r"{x} - \ln \sum e^{{x}}", x=r"{g} - e^{{out}} \cdot \sum {g}")
_broadcast("sigmoid_cross_entropy_grad", r"{u} (\sigma({logits}) - {labels})",
    u=r"{g} (\sigma({logits}) - {labels})", labels=r"-{g} \cdot {u}",
    logits=r"{g} \cdot {u} \cdot \sigma({logits}) (1 - \sigma({logits}))")  # fmt: skip
_broadcast("sigmoid_cross_entropy_with_logits", r"\ln(1 + e^{{logits}}) - {labels} \cdot {logits}",
    labels=r"-{g} \cdot {logits}", logits=r"{g} \cdot (\sigma({logits}) - {labels})")  # fmt: skip
_op("softmax_cross_entropy_with_logits", r"-\sum {labels} \cdot \ln \operatorname{softmax}({logits})",
    "the labels get a gradient too",
    labels=r"-{g} \cdot \ln \operatorname{softmax}({logits})",
    logits=r"{g} \cdot (\operatorname{softmax}({logits}) - {labels})")  # fmt: skip
_op("sparse_softmax_cross_entropy_with_logits", r"-\ln \operatorname{softmax}({logits})_{{labels}}",
    "a label outside the classes: an error",
    labels=None, logits=r"{g} \cdot (\operatorname{softmax}({logits}) - \mathbf{1}_{{labels}})")  # fmt: skip
_op("softmax_cross_entropy_grad", r"\operatorname{softmax}({logits}) - {labels}", labels="-{g}",
    logits=r"\left( {g} - \sum {g} \cdot \operatorname{softmax}({logits}) \right)"
    r" \cdot \operatorname{softmax}({logits})")  # fmt: skip
_op("sparse_softmax_cross_entropy_grad", r"\operatorname{softmax}({logits}) - \mathbf{1}_{{labels}}",
    labels=None,
    logits=r"\left( {g} - \sum {g} \cdot \operatorname{softmax}({logits}) \right)"
    r" \cdot \operatorname{softmax}({logits})")  # fmt: skip
_op("l2_loss", r"\frac{1}{2} \sum {x}^{2}", x=r"{g} \cdot {x}")
