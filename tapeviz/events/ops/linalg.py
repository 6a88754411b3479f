r"""The engine's ops of matrices -> what a reader may know of them."""

from __future__ import annotations

from tapeviz.events.row import RowTable

ROWS = RowTable()
_op = ROWS.op

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
