"""The `__name__` that TensorFlow's functions have, where it is not the last part of their public name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_SECOND = """
boolean_mask zeros_like ones_like pad reverse_sequence norm gather nn.embedding_lookup gather_nd where transpose
expand_dims squeeze reverse shape size math.in_top_k debugging.assert_none_equal debugging.assert_equal
debugging.assert_less debugging.assert_less_equal debugging.assert_greater debugging.assert_greater_equal
debugging.assert_near debugging.assert_positive debugging.assert_negative debugging.assert_non_negative
debugging.assert_non_positive debugging.assert_rank debugging.assert_rank_at_least debugging.assert_rank_in
debugging.assert_scalar debugging.assert_type debugging.assert_integer debugging.assert_shapes scalar_mul argmax
argmin math.count_nonzero nn.crelu nn.softmax nn.log_softmax nn.conv2d nn.depthwise_conv2d nn.separable_conv2d
nn.conv2d_transpose nn.conv1d nn.sigmoid_cross_entropy_with_logits nn.weighted_cross_entropy_with_logits
nn.softmax_cross_entropy_with_logits nn.sparse_softmax_cross_entropy_with_logits nn.moments nn.max_pool nn.avg_pool
nn.space_to_depth nn.depth_to_space case while_loop device map_fn scan foldl foldr gradients print nn.dropout
"""
"""Those whose name ends in `_v2`."""

_OTHERS = {
    "is_tensor": "is_tf_type",
    "linalg.diag": "matrix_diag",
    "linalg.diag_part": "matrix_diag_part",
    "linalg.tensor_diag": "diag",
    "linalg.set_diag": "matrix_set_diag",
    "linalg.band_part": "matrix_band_part",
    "linalg.adjoint": "adjoint",
    "linalg.inv": "matrix_inverse",
    "linalg.det": "matrix_determinant",
    "linalg.solve": "matrix_solve",
    "linalg.triangular_solve": "matrix_triangular_solve",
    "linalg.slogdet": "log_matrix_determinant",
    "linalg.eigh": "self_adjoint_eig",
    "linalg.eigvalsh": "self_adjoint_eigvals",
    "linalg.lstsq": "matrix_solve_ls",
    "linalg.expm": "matrix_exponential",
    "tensor_scatter_nd_add": "tensor_scatter_add",
    "tensor_scatter_nd_sub": "tensor_scatter_sub",
    "tensor_scatter_nd_max": "tensor_scatter_max",
    "tensor_scatter_nd_min": "tensor_scatter_min",
    "linspace": "linspace_nd",
    "debugging.assert_all_finite": "verify_tensor_all_finite_v2",
    "negative": "neg",
    "math.floormod": "floor_mod",
    "truncatediv": "truncate_div",
    "truncatemod": "truncate_mod",
    "math.divide_no_nan": "div_no_nan",
    "signal.rfft": "_rfft",
    "signal.irfft": "_irfft",
    "py_function": "eager_py_func",
    "get_static_value": "constant_value",
    "convert_to_tensor": "convert_to_tensor_v2_with_dispatch",
    "cond": "cond_for_tf_v2",
    "hessians": "HessiansV2",
    "random.normal": "random_normal",
    "random.uniform": "random_uniform",
    "random.stateless_normal": "stateless_random_normal",
    "random.stateless_uniform": "stateless_random_uniform",
    "random.stateless_binomial": "stateless_random_binomial",
    "random.shuffle": "random_shuffle",
}

NAMES = {**{public: f"{public.rpartition('.')[2]}_v2" for public in _SECOND.split()}, **_OTHERS}
"""The `__name__` of TensorFlow's function, by its public name."""


def rename(functions: Mapping[str, Any]) -> None:
    """Set the `__name__` of public functions to TensorFlow's, which programs print and configs of layers contain.

    Python's errors about their arguments have both this name and the public one: see `argument_errors`.
    """
    for public, function in functions.items():
        if public in NAMES:
            function.__name__ = NAMES[public]
