"""A function of PyTorch's -> how the recorder treats a call of it."""

from __future__ import annotations

from types import FunctionType
from typing import Any, Literal, TypeAlias

from torch._ops import OpOverload, OpOverloadPacket

from tapeviz.events.types import TRUTH

CallKind: TypeAlias = Literal[
    "silent", "op", "enter", "write", "read", "pause", "backward", "watch", "gradient", "assign", "retain"
]
"""silent: it says something about a tensor, or makes none; op: it computes tensors; enter: a function in Python whose
calls inside are the ops; write: it changes its first argument in place; read: it gives plain numbers, or its memory to
another library; pause: it switches autograd on or off; backward: it runs autograd; watch: it sets what requires a
gradient; gradient: it reads or sets `.grad`; assign: it sets `.data`; retain: it asks for the gradient of an
intermediate result."""

READ_OUTS = {
    "item": ".item()",
    "tolist": ".tolist()",
    "numpy": ".numpy()",
    "__array__": "np.asarray()",
    "__float__": "float()",
    "__int__": "int()",
    "__index__": "int()",
    "__bool__": TRUTH,
    "__complex__": "complex()",
    "__dlpack__": "from_dlpack()",
}
"""The name of a function that reads a tensor out -> the user's spelling."""

_SILENT_NAMES = """
    size dim ndimension device numel nelement stride storage_offset data_ptr element_size is_floating_point is_complex
    is_contiguous is_signed is_inference get_device storage untyped_storage register_hook
    register_post_accumulate_grad_hook has_names is_shared is_pinned share_memory_ type_as_name result_type can_cast
    is_tensor is_same_size is_nonzero equal allclose __len__ __repr__ __format__ __hash__ __contains__ __deepcopy__
    __reduce_ex__ __setstate__ __dlpack_device__ _is_view _version is_set_to broadcast_shapes
    _is_all_true _is_any_true __dir__ __array_wrap__ _has_compatible_shallow_copy_type module_load dim_order
    _record_function_enter_new _RecordFunction _clear_non_serializable_cached_data _cudnn_rnn_flatten_weight
    """
_SILENT = frozenset(_SILENT_NAMES.split())
_WHOLE_NAMES = """
    mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy broadcast_tensors norm split einsum __rsub__
    __rdiv__ __rpow__ __rmatmul__ __floordiv__ __rfloordiv__ __rmod__ pow pow_ tensordot stft istft meshgrid
    atleast_1d atleast_2d atleast_3d block_diag cdist chain_matmul cartesian_prod unique unique_consecutive
    layer_norm pad
    """
_WHOLE = frozenset(_WHOLE_NAMES.split())
"""Functions in Python that are one op to their users."""

_REGISTERED = frozenset({OpOverload, OpOverloadPacket})
_BUILT_IN = (".aten", ".prims", ".prim")
"""The types of operators, and the modules of those that are PyTorch's own."""

_PROPERTIES: dict[str, CallKind] = dict.fromkeys(("T", "mT", "H", "mH", "real", "imag", "data"), "op")
_ASSIGNED: dict[str, CallKind] = {"grad": "gradient", "requires_grad": "watch", "data": "assign"}


def name_of(func: Any) -> str:
    """The name of a function, and of a property what it reads or sets; of an operator that a program or package has
    registered, that by which it is registered."""
    if type(func) in _REGISTERED and not func.__module__.endswith(_BUILT_IN):
        return f"{func.__module__.rpartition('.')[2]}::{func.__name__.partition('.')[0]}"
    name: str = getattr(func, "__name__", type(func).__name__)
    return func.__self__.__name__ if name in ("__get__", "__set__", "__delete__") else name


def kind_of(func: Any) -> CallKind:
    """How to treat a function that PyTorch hands to the recorder."""
    name: str = getattr(func, "__name__", type(func).__name__)
    if name in ("__set__", "__delete__"):
        return _ASSIGNED.get(func.__self__.__name__, "silent")
    if name == "__get__":
        own = func.__self__.__name__
        return "gradient" if own == "grad" else _PROPERTIES.get(own, "silent")
    if name in READ_OUTS:
        return "read"
    if name == "_set_grad_enabled":
        return "pause"
    if name == "requires_grad_":
        return "watch"
    if name == "retain_grad":
        return "retain"
    if name == "backward" or (name == "grad" and isinstance(func, FunctionType)):
        return "backward"
    if name in _SILENT or name.startswith("is_"):
        return "silent"
    if writes_in_place(name):
        return "write"
    return "enter" if isinstance(func, FunctionType) and name not in _WHOLE else "op"


def writes_in_place(name: str) -> bool:
    """Whether a function of this name changes its first argument: `add_`, `__iadd__`, `__setitem__`.

    >>> [writes_in_place(each) for each in ("add_", "__iadd__", "__setitem__", "__invert__", "add")]
    [True, True, True, False, False]
    """
    if name.startswith("__"):
        return name == "__setitem__" or (name.startswith("__i") and name not in ("__invert__", "__index__", "__int__"))
    return name.endswith("_")
