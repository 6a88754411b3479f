"""An op, a function or an attribute, by name -> the dtypes that it takes.

What an op takes stands in its row; here are functions that are made of several ops, and attributes. The allowed dtypes
are those in the signature of TensorFlow's op: another one is an InvalidArgumentError, one that only has no kernel for
CPUs a NotFoundError. An input with a dtype attribute of its own is `op.attribute`, and takes int32 and int64 unless it
is listed. If an op's Python operator takes more dtypes than its function, the function is `op()`. What is asked for and
not known is a KeyError: its name is misspelt, or its row says nothing.
"""

from __future__ import annotations

from typing import NamedTuple

from tapeviz.engine.facts import Facts, Public
from tapeviz.engine.specs.dtype_sets import (
    BRAIN,
    COMPLEX,
    DOUBLES,
    EVERY,
    FLOATS,
    HALF,
    INEXACT,
    INTEGERS,
    NONE,
    NUMBERS,
    REALS,
    SMALL,
    SOLVABLE,
    TEXT,
    TRUTH,
    UNSIGNED,
    WIDE,
    Dtypes,
    dtypes,
)


class _Group(NamedTuple):
    """Functions, or attributes, that take the same dtypes: the allowed ones, and those of them without a kernel."""

    names: str
    allowed: Dtypes
    no_kernel: Dtypes = NONE


_FUNCTIONS = (
    _Group("assert assert_near dynamic_stitch log_poisson_loss weighted_cross_entropy_with_logits", EVERY),
    _Group("scatter_nd_update.dtype scatter_update.dtype", EVERY),
    _Group("upper_bound", EVERY, COMPLEX | TRUTH | TEXT),
    _Group("scatter_nd_add.dtype", NUMBERS | TRUTH),
    _Group("bias_add segment_mean segment_prod segment_sum truediv", NUMBERS),
    _Group("scatter_add.dtype scatter_div.dtype scatter_mul.dtype scatter_nd_sub.dtype scatter_sub.dtype", NUMBERS),
    _Group("matmul() tensordot", NUMBERS - SMALL, UNSIGNED),
    _Group("tensor_diag tensor_diag_part", INEXACT | WIDE, BRAIN),
    _Group("crelu segment_max segment_min unsorted_segment_mean unsorted_segment_sqrt_n", REALS),
    _Group("scatter_max.dtype scatter_min.dtype scatter_nd_max.dtype scatter_nd_min.dtype", REALS),
    _Group("saturate_cast", REALS, dtypes("uint32 uint64")),
    _Group("multinomial", REALS, INTEGERS),
    _Group("conv1d_transpose conv2d_transpose", FLOATS | dtypes("int32")),
    _Group("binomial.dtype", HALF | DOUBLES | WIDE),
    _Group("stateless_binomial", HALF | DOUBLES | WIDE, WIDE),
    _Group("clip_by_norm", INEXACT),
    _Group("logdet matrix_solve_ls", SOLVABLE, HALF),
    _Group("lstsq", SOLVABLE | UNSIGNED, HALF | UNSIGNED),
    _Group("global_norm log_sigmoid normal.dtype uniform.dtype", FLOATS),
    _Group("binomial", DOUBLES | HALF),
)
_ATTRIBUTES = (
    _Group("fft.Tcomplex fft2d.Tcomplex fft3d.Tcomplex ifft.Tcomplex ifft2d.Tcomplex ifft3d.Tcomplex", COMPLEX),
    _Group("argmax.axis", SMALL | WIDE | dtypes("uint8 uint16")),
    _Group("argmax.output_type", WIDE | dtypes("int16 uint16")),
    _Group("one_hot.TI", WIDE | dtypes("int8 uint8")),
    _Group("range.Tidx", REALS - dtypes("uint8"), INTEGERS - WIDE),
    _Group("uniform_full_int.dtype", WIDE | dtypes("uint32 uint64")),
    _Group("uniform_int.dtype", WIDE | dtypes("uint32 uint64"), UNSIGNED),
    _Group("tensor_scatter_nd_update.Tindices", WIDE | dtypes("int16 uint16"), dtypes("int16 uint16")),
    _Group("gather.Tindices gather_nd.Tindices strided_slice.Index top_k.Tk", WIDE | dtypes("int16")),
    _Group("unsorted_segment_sum.Tindices", WIDE | dtypes("int16")),
    _Group("scatter_nd.Tindices", WIDE | dtypes("int16"), dtypes("int16")),
    _Group("split.Tlen", WIDE | dtypes("int8")),
)


class _TakesTable(dict[str, Dtypes]):
    def __missing__(self, name: str) -> Dtypes:
        if "." in name:
            return WIDE
        raise KeyError(f"{name}: no row says which dtypes it takes. An op's row does so by Facts(dtypes=...).")


ALLOWED = _TakesTable()
"""The dtypes in the signature of each."""
TAKES = _TakesTable()
"""The dtypes that each takes."""


def enter(op: str, facts: Facts, public: Public | None) -> None:
    """Make known what an op takes, and its public function, if its row says so."""
    if facts.dtypes is not None:
        ALLOWED[op], TAKES[op] = facts.dtypes, facts.taken
    if public is not None and public.dtypes is not None:
        ALLOWED[f"{op}()"] = TAKES[f"{op}()"] = public.dtypes


def row_of_function(op: str) -> str:
    """The row of an op's public function: `op()` if there is one, else that of the op."""
    own = f"{op}()"
    return own if own in TAKES else op


def spoken(row: str) -> str:
    """The name of a row's op in errors."""
    return row.removesuffix("()")


for _row in _FUNCTIONS + _ATTRIBUTES:
    for _name in _row.names.split():
        ALLOWED[_name] = _row.allowed
        TAKES[_name] = _row.allowed - _row.no_kernel if _row.no_kernel else _row.allowed
