r"""The engine's ops of networks -> what a reader may know of them."""

from __future__ import annotations

from functools import partial

from tapeviz.events.row import RowTable

ROWS = RowTable()
_op = ROWS.op
_broadcast = partial(_op, broadcasts=True)

# ----- convolution and pooling -----
_op("conv2d", r"{x} * {filters}",
    kinds="product", tensorflow="Conv2D x filters | strides: padding:border dilations:",
    x=r"\operatorname{conv}^{\mathsf{T}}({g}, {filters})", filters=r"{x} * {g}")  # fmt: skip
_op("conv2d_picture", r"\operatorname{conv}^{\mathsf{T}}({x}, {filters})", x=r"{g} * {filters}", filters=r"{g} * {x}")
_op("conv2d_filters", r"{x} * {u}", x=r"\operatorname{conv}^{\mathsf{T}}({u}, {g})", u=r"{x} * {g}")
_op("depthwise_conv2d", r"{x} * {filters}",
    kinds="product", tensorflow="DepthwiseConv2dNative x filters | strides: padding:border dilations:",
    x=r"\operatorname{conv}^{\mathsf{T}}({g}, {filters})", filters=r"{x} * {g}")  # fmt: skip
_op(
    "depthwise_conv2d_picture",
    r"\operatorname{conv}^{\mathsf{T}}({x}, {filters})",
    x=r"{g} * {filters}",
    filters=r"{g} * {x}",
)
_op("depthwise_conv2d_filters", r"{x} * {u}", x=r"\operatorname{conv}^{\mathsf{T}}({u}, {g})", u=r"{x} * {g}")
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
    kinds="bounded",
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
