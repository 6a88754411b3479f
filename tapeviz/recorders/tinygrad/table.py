"""tinygrad's ops in the catalog's words; attributes are told by `names`."""

from tapeviz.recorders.signatures import signatures

ROWS = signatures(
    """
ADD add x y
CAST cast x
CMPEQ equal x y
CMPLT less x y
CMPNE not_equal x y
CONTIGUOUS identity x
CONTIGUOUS_BACKWARD identity x
COPY identity x
DETACH stop_gradient x
EXP2 exp2 x
EXPAND broadcast_to x
FDIV div x y
FLIP reverse x
FLOORDIV floordiv x y
FLOORMOD mod x y
MAX maximum x y
MUL mul x y
NEG neg x
PAD pad x
PERMUTE transpose x
POW pow x y
RECIPROCAL reciprocal x
RESHAPE reshape x
SHRINK getitem x
SIN sin x
SQRT sqrt x
STACK stack values*
SUB sub x y
TRUNC trunc x
WHERE where condition x y
REDUCE.ADD reduce_sum x
REDUCE.MAX reduce_max x
REDUCE.MUL reduce_prod x
"""
)
"""The ops; what is in no row keeps its own name in small letters."""
