"""Programs made from tables: every elementwise function, reduction and index with every dtype, shape and edge value."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from tests.tf.differential.program import FOLDER, Program, from_file

UNARY = [
    "abs",
    "negative",
    "sign",
    "square",
    "sqrt",
    "exp",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "sigmoid",
    "floor",
    "round",
    "zeros_like",
    "ones_like",
    "identity",
    "stop_gradient",
    "math.rsqrt",
    "math.reciprocal",
    "math.expm1",
    "math.log",
    "math.log1p",
    "math.ceil",
    "math.rint",
    "math.erf",
    "math.erfc",
    "math.is_nan",
    "math.is_inf",
    "math.is_finite",
    "math.log_sigmoid",
    "math.softplus",
    "nn.relu",
    "nn.relu6",
    "nn.elu",
    "nn.selu",
    "nn.leaky_relu",
    "nn.softplus",
    "nn.softsign",
    "nn.silu",
    "nn.gelu",
    "logical_not",
    "math.real",
    "math.imag",
    "math.conj",
]
BINARY = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "truediv",
    "pow",
    "maximum",
    "minimum",
    "math.floordiv",
    "math.floormod",
    "truncatediv",
    "truncatemod",
    "math.squared_difference",
    "math.divide_no_nan",
    "math.multiply_no_nan",
    "math.xdivy",
    "math.xlogy",
    "math.xlog1py",
    "math.atan2",
    "equal",
    "not_equal",
    "less",
    "less_equal",
    "greater",
    "greater_equal",
    "logical_and",
    "logical_or",
    "math.logical_xor",
]
OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "<", "<=", ">", ">=", "==", "!=", "&", "|", "^", "@"]
REDUCTIONS = [
    "reduce_sum",
    "reduce_mean",
    "reduce_max",
    "reduce_min",
    "reduce_prod",
    "reduce_any",
    "reduce_all",
    "reduce_logsumexp",
    "math.reduce_variance",
    "math.reduce_std",
    "math.reduce_euclidean_norm",
    "math.count_nonzero",
]

FLOATS = "[-np.inf, -2.5, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 2.5, np.inf, np.nan]"
NUMBERS = {
    "bfloat16": FLOATS,
    "float16": FLOATS,
    "float32": FLOATS,
    "float64": FLOATS,
    "int8": "[-3, -1, 0, 1, 3]",
    "int32": "[-3, -1, 0, 1, 3]",
    "int64": "[-3, -1, 0, 1, 3]",
    "uint8": "[0, 1, 3]",
    "bool": "[True, False]",
    "complex64": "[1 + 2j, -0.5 + 0j, 3j]",
    "string": "['a', 'b']",
}
SMOOTH = "[0.25, 0.5, 1.5, 2.5, -0.75, -1.25]"  # away from every edge
BESIDE = ("2", "2.5", "-1", "True", "'a'", "None", "1j", "[2]", "[2.5]", "np.float64(2.5)", "np.array([2])")
SHAPES = ("[]", "[3]", "[1]", "[2, 3]", "[2, 1]", "[1, 3]", "[4, 1, 3]", "[0]", "[2]")
AXES = ("None", "0", "1", "-1", "[0, 1]", "[]", "2", "[0, 0]")

SETTINGS = [
    "tf.gather(x, [[0], [1]], batch_dims={})",
    "tf.gather_nd(x, [[0], [1]], batch_dims={})",
    "tf.stack([x, x], axis={})",
    "tf.unstack(x, {}, axis=0)",
    "tf.sort(x, axis={})",
    "tf.argsort(x, axis={})",
    "tf.one_hot([0, 1], 3, axis={})",
    "tf.reverse_sequence(x, [1, 2], {})",
    "tf.reverse_sequence(x, [1, 2], 1, batch_axis={})",
    "tf.dynamic_partition([1.0, 2.0], [0, 0], {})",
    "tf.nn.space_to_depth(tf.ones([1, 2, 2, 1]), {})",
    "tf.nn.max_pool2d(tf.ones([1, 2, 2, 1]), [1, {}, 1, 1], 1, 'SAME')",
    "tf.strided_slice([1.0, 2.0], [0], [2], begin_mask={})",
]
INPUTS = [
    *("tf.gather(x, [0], axis={})", "tf.gather([[1.0, 2.0], [3.0, 4.0]], [0], axis={})", "tf.concat([x, x], {})"),
    *("tf.concat([[1.0, 2.0]], {})", "tf.concat([[1.0, 2.0], [3.0, 4.0]], {})", "tf.split(x, 2, {})"),
    *("tf.split(x, [1, 1], {})", "tf.expand_dims(x, {})", "tf.expand_dims([1.0, 2.0], {})", "tf.argmax(x, {})"),
    *("tf.argmin(x, {})", "tf.argmin([[1.0, 2.0]], {})", "tf.cumsum(x, {})", "tf.cumsum([[1.0, 2.0]], {})"),
    *("tf.reduce_sum(x, {})", "tf.reduce_max([[1.0, 2.0]], {})", "tf.math.reduce_std(x, {})", "tf.nn.crelu(x, {})"),
    *("tf.math.l2_normalize(x, {})", "tf.clip_by_norm(x, 1.0, {})", "tf.math.top_k(x, {})", "tf.one_hot([0, 1], {})"),
    *("tf.one_hot({}, 3)", "tf.math.in_top_k([0], [[1.0, 2.0]], {})", "tf.reverse(x, {})", "tf.reverse(x, [{}])"),
    *("tf.roll(x, {}, 0)", "tf.roll(x, 1, {})", "tf.math.bincount([1, 2], minlength={})", "tf.linalg.diag(x, k={})"),
    *(
        "tf.linalg.set_diag(x, [[1.0], [1.0]], k={})",
        "tf.linalg.diag([1.0, 2.0], num_rows={})",
        "tf.reshape([1.0], {})",
    ),
    *("tf.reshape(tf.ones([1]), {})", "tf.broadcast_to([1.0], [{}])", "tf.fill({}, 1.0)", "tf.fill([{}], [1.0])"),
    *("tf.zeros({})", "tf.zeros([{}])", "tf.tile([1.0], {})", "tf.slice([1.0, 2.0], [0], [{}])"),
    "tf.math.unsorted_segment_sum([1.0, 2.0], [0, 0], {})",
]
INTEGERS = [
    *("1", "1.0", "1.5", "True", "np.int64(1)", "np.uint8(1)", "np.float32(1.5)", "np.array([1])"),
    *("tf.constant(1)", "tf.constant(1, tf.int64)", "tf.constant(1, tf.int16)", "tf.constant(1.0)", "tf.constant([1])"),
    *("[1]", "[1.0]", "[1, 0]"),
]

MAKE = (
    "def ramp(shape, low=-1.0):\n"
    "    return tf.constant(np.linspace(low, 2.0, int(np.prod(shape))).reshape(shape), tf.float32)\n"
)


def _programs() -> Iterator[tuple[str, str]]:
    for name, (dtype, numbers) in product(UNARY, NUMBERS.items()):
        yield f"unary {name} {dtype}", f"tf.{name}(tf.constant({numbers}, tf.{dtype}))"
    for name, dtype in product(UNARY, ("bfloat16", "float32", "float64")):
        yield f"slope {name} {dtype}", f"slopes(tf.{name}, {SMOOTH}, dtype=tf.{dtype})"
    for name in UNARY:
        yield f"edge {name}", f"slopes(tf.{name}, [-1.0, 0.0, 1.0])"
    for name, (dtype, numbers) in product(BINARY, NUMBERS.items()):
        yield (
            f"binary {name} {dtype}",
            f"x = tf.constant({numbers}, tf.{dtype})\ntf.{name}(x[:, None], x[::-1])",
        )
    for name, x, y in product(BINARY, ("2", "2.5", "[1, 2]", "np.float64(2.5)", "True"), ("3", "1.5", "[3.0, 4.0]")):
        yield f"plain {name} {x} {y}", f"tf.{name}({x}, {y})"
    for name, low in product(BINARY, ("0.5", "-1.0")):
        yield f"slope {name} {low}", f"{MAKE}slopes(tf.{name}, ramp([2, 3], {low}), ramp([3], {low}))"
    for sign, dtype, other in product(OPERATORS, ("bfloat16", "float32", "float64", "int32", "bool"), BESIDE):
        yield (
            f"operator {sign} {dtype} {other}",
            f"tf.constant([1, 3], tf.float32) {sign} {other}".replace(
                "tf.constant([1, 3], tf.float32)", f"tf.cast([1, 3], tf.{dtype})"
            ),
        )
    for sign, dtype, other in product(OPERATORS, ("float32", "int32"), BESIDE):
        yield f"reflected {sign} {dtype} {other}", f"{other} {sign} tf.cast([1, 3], tf.{dtype})"
    for sign, left, right in product(("+", "*", "/", "<", "**"), SHAPES, SHAPES):
        yield f"shapes {sign} {left} {right}", f"{MAKE}ramp({left}, 0.5) {sign} ramp({right}, 0.5)"
    for left, right in product(SHAPES, SHAPES):
        yield (
            f"slope * {left} {right}",
            f"{MAKE}slopes(lambda x, y: x * y / (1.0 + y), ramp({left}, 0.5), ramp({right}, 0.5))",
        )
    for name, axis, keep in product(REDUCTIONS, AXES, ("False", "True")):
        yield f"reduce {name} {axis} {keep}", f"{MAKE}tf.{name}(ramp([2, 3]), {axis}, {keep})"
        yield (
            f"slope {name} {axis} {keep}",
            f"{MAKE}slopes(lambda x: tf.{name}(x, {axis}, {keep}) ** 2, ramp([2, 3], 0.5))",
        )
    for name, (dtype, numbers) in product(REDUCTIONS, NUMBERS.items()):
        yield f"reduce {name} {dtype}", f"tf.{name}(tf.constant({numbers}, tf.{dtype}))"
        yield f"empty {name} {dtype}", f"tf.{name}(tf.zeros([0, 2], tf.{dtype}), 0)"
    for source, target in product(NUMBERS, NUMBERS):
        if "string" not in (source, target) and not (source == "complex64" and target == "bool"):
            numbers = NUMBERS[source].replace("-np.inf, ", "").replace(", np.inf, np.nan", "")
            if not (
                target == "uint8"
                and "-" in numbers
                and source in ("bfloat16", "float16", "float32", "float64", "complex64")
            ):
                yield f"cast {source} {target}", f"tf.cast(tf.constant({numbers}, tf.{source}), tf.{target})"
    for dtype, value in product(NUMBERS, ("1", "1.5", "True", "1j", "'a'", "None", "[]", "[1, 2]", "np.array([1.5])")):
        yield f"constant {value} {dtype}", f"tf.constant({value}, tf.{dtype})"
        yield f"variable {value} {dtype}", f"tf.Variable({value}, dtype=tf.{dtype})"
        yield f"convert {value} {dtype}", f"tf.convert_to_tensor({value}, tf.{dtype})"
        yield (
            f"assign {value} {dtype}",
            f"tf.Variable(tf.cast([0, 0], tf.{dtype})).assign({value})" if dtype != "string" else "1",
        )


def _readings() -> Iterator[tuple[str, str]]:
    """Everything that stands, or does not, for an integer, as a setting of an op and as an input of it."""
    for calls, given in ((SETTINGS, INTEGERS), (INPUTS, (*INTEGERS, "1j", "'1'", "None"))):
        for i, call in enumerate(calls):
            name = f"{call.partition('(')[0].removeprefix('tf.')}"
            for value in given:
                yield f"integer {name} {i} {value}", f"{MAKE}x = ramp([2, 2, 2])\n{call.format(value)}"


def _derived() -> Iterator[Program]:
    """Every function of which a program takes the slopes, once more by its Jacobian and in forward mode."""
    for path in sorted(FOLDER.glob("*.txt")):
        for program in from_file(path):
            *setup, last = program.text.splitlines()
            if last.startswith("slopes("):
                for how in ("rows", "along"):
                    text = "\n".join((*setup, last.replace("slopes(", f"{how}(", 1)))
                    yield Program(f"{how}: {path.stem} {program.name.rpartition(':')[2]}", text)


GENERATED = [*(Program(f"made: {name}", text) for name, text in (*_programs(), *_readings())), *_derived()]
