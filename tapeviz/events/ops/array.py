r"""The engine's ops of shapes and places -> what a reader may know of them."""

from __future__ import annotations

from tapeviz.events.row import RowTable

ROWS = RowTable()
_op = ROWS.op

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
