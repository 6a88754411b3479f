"""Programs about `tf.function` and `tf.Module`, each run under TensorFlow and tapeviz: `program(tf)` -> its results."""

from __future__ import annotations

import numpy as np

from tests.framework_programs import fails


def _identity(tf, **options):
    return tf.function(lambda x: x, **options)


def numbers_become_tensors(tf):
    f = _identity(tf)
    return [f("a").numpy(), f(3), f(3.5), f(True), f(np.float32(2)), f(np.ones(2)), f(None), f(tf.Variable(1.0))]


def structures_are_kept(tf):
    return _identity(tf)({"b": [1, (2.0, None)], "a": np.ones(1)})


def an_argument_comes_back_as_a_tensor_of_its_own(tf):
    x, outside = tf.constant(2.0), tf.constant(3.0)
    f = tf.function(lambda x: (x, outside))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = _identity(tf)(x)
        z = x * y
    return [y is x, [a is b for a, b in zip(f(x), (x, outside), strict=True)], tape.gradient(z, [x, y])]


@fails
def returned_object(tf):
    return tf.function(object)()


def what_the_body_gets(tf):
    seen = []

    @tf.function
    def f(x):
        seen.append((isinstance(x, int), tf.is_tensor(x)))
        return x

    f(3), f(np.ones(2)), f(tf.constant(1.0))
    return seen


def static_values(tf):
    outside, seen = tf.constant(3), []

    @tf.function
    def f(x):
        seen.append([tf.get_static_value(each) for each in (x, outside, tf.constant([1]), tf.shape(x))])
        tf.function(lambda y: seen.append(tf.get_static_value(y)))(x)

    f(tf.constant([1.0, 2.0]))
    return seen


@fails
def too_few_arguments(tf):
    return _identity(tf)()


@fails
def too_many_arguments(tf):
    return _identity(tf)(1, 2)


@fails
def unknown_argument(tf):
    return _identity(tf)(y=1)


def default_arguments(tf):
    f = tf.function(lambda x, scale=2.0: x * scale)
    return [f(tf.constant(3.0)), f(tf.constant(3.0), scale=4.0)]


def gradient_through(tf):
    w = tf.Variable(3.0)

    @tf.function
    def f(x):
        return w * x * x

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return [y, tape.gradient(y, [w, x])]


def gradient_inside(tf):
    @tf.function(jit_compile=False, reduce_retracing=True)
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x**3
        return tape.gradient(y, x)

    return [slope(tf.constant(2.0)), slope(tf.constant([1.0, 3.0]))]


def second_derivative_through(tf):
    cube, x = tf.function(lambda x: x * x * x), tf.Variable(2.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = cube(x)
        first = inner.gradient(y, x)
    return outer.gradient(first, x)


def control_flow(tf):
    @tf.function
    def collatz(n):
        steps = tf.constant(0)
        while n > 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        return steps

    return [collatz(tf.constant(6)), collatz(tf.constant(27))]


def state(tf):
    count = tf.Variable(0)

    @tf.function
    def tick():
        count.assign_add(1)
        return count

    return [tick(), tick(), count]


def functions_in_functions(tf):
    inner = tf.function(lambda x: x + 1.0)
    outer = tf.function(lambda x: inner(inner(x)) * 2.0)
    return [outer(tf.constant(1.0)), inner.__name__, outer.python_function(tf.constant(1.0))]


@fails
def variable_at_every_call(tf):
    @tf.function
    def f(x):
        v = tf.Variable(1.0)
        return v * x

    return f(1.0)


@fails
def variable_returned_at_every_call(tf):
    return tf.function(lambda x: tf.Variable(x))(1.0)


@fails
def variable_at_every_call_inside_a_tape(tf):
    @tf.function
    def f(x):
        return tf.Variable(1.0) * x

    with tf.GradientTape():
        return f(tf.constant(1.0))


def variable_at_the_first_call(tf):
    held = {}

    @tf.function
    def f(x):
        if "v" not in held:
            held["v"] = tf.Variable(2.0)
        return held["v"] * x

    return [f(1.0), f(2.0)]


@fails
def variable_at_a_later_call(tf):
    held = []

    @tf.function
    def f(x):
        if isinstance(x, float) and x > 1.0:
            held.append(tf.Variable(1.0))
        return x

    return [f(1.0), f(2.0)]


@fails
def variable_at_a_later_call_after_another(tf):
    held = []

    @tf.function
    def f(x):
        if len(held) < x:
            held.append(tf.Variable(1.0))
        return held[-1]

    return [f(1), f(2)]


@fails
def place_that_an_array_has_not(tf):
    return tf.function(lambda i: tf.TensorArray(tf.float32, 2).unstack([1.0, 2.0]).read(i))(5)


@fails
def writing_where_an_array_has_no_place(tf):
    return tf.function(lambda i: tf.TensorArray(tf.float32, 2).write(i, 1.0).stack())(5)


@fails
def writing_another_dtype(tf):
    return tf.function(lambda x: tf.TensorArray(tf.float32, 2).write(0, x).stack())(tf.constant(1))


def variable_of_an_object(tf):
    class Counter(tf.Module):
        def __init__(self):
            super().__init__()
            self.count = None

        @tf.function
        def tick(self):
            if self.count is None:
                self.count = tf.Variable(0)
            return self.count.assign_add(1)

    one, two = Counter(), Counter()
    return [one.tick(), one.tick(), two.tick()]


def _signed(tf):
    spec = [tf.TensorSpec([None, 2], tf.float32), tf.TensorSpec([], tf.int32, name="n")]
    return _pair(tf, spec)


def _pair(tf, spec):
    @tf.function(input_signature=spec)
    def pair(x, n):
        return x, n

    return pair


def signature_converts(tf):
    f = _signed(tf)
    return [f(tf.ones((3, 2)), 1), f([[1, 2]], 1), f(np.ones((1, 2)), n=2), f(tf.Variable(tf.ones((1, 2))), 1)]


@fails
def signature_of_another_shape(tf):
    return _signed(tf)(tf.ones((3, 3)), 1)


@fails
def signature_of_another_rank(tf):
    return _signed(tf)(tf.ones(3), 1)


@fails
def signature_of_another_dtype(tf):
    return _signed(tf)(tf.ones((3, 2), tf.float64), 1)


@fails
def signature_of_a_text(tf):
    return _signed(tf)("text", 1)


@fails
def signature_of_a_fraction(tf):
    return _signed(tf)(tf.ones((1, 2)), 1.5)


@fails
def signature_with_too_few_arguments(tf):
    return _signed(tf)(tf.ones((1, 2)))


@fails
def signature_with_too_few_specs(tf):
    return _pair(tf, [tf.TensorSpec([], tf.float32)])


def signature_of_a_method(tf):
    class Line(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def __call__(self, x):
            return 2.0 * x

    return [Line()([1, 2]), Line()(tf.ones(3))]


def specs_are_described(tf):
    specs = [
        tf.TensorSpec([None, 2]),
        tf.TensorSpec([], tf.int32, "n"),
        tf.TensorSpec((2,), "float64"),
        tf.TensorSpec(None),
    ]
    return [repr(specs), specs[0] == tf.TensorSpec((None, 2)), specs[0].is_compatible_with(tf.ones((5, 2)))]


def functions_run_eagerly(tf):
    f = _signed(tf)
    tf.config.run_functions_eagerly(True)
    try:
        return [f("anything", [1]), tf.config.functions_run_eagerly()]
    finally:
        tf.config.run_functions_eagerly(False)


@fails
def error_in_the_body(tf):
    return tf.function(lambda x: {}[x])(1)


# ----- get_concrete_function -----


def _reduced(tf):
    @tf.function
    def scaled(x, n=2, *, k=1.0):
        return {"y": x * n, "z": [tf.reduce_sum(x) * k]}

    return scaled


def calls_of_a_concrete_function(tf):
    f = _reduced(tf).get_concrete_function(tf.TensorSpec([None], tf.float32))
    one, spare = tf.constant([1.0]), tf.constant(2)
    calls = (
        lambda: f(one),
        lambda: f(x=one),
        lambda: f(tf.ones(3)),
        lambda: f(one, 2, k=1.0),
        lambda: f([1.0, 2.0], 2, k=1.0),
        lambda: f([[1.0]], 2, k=1.0),
        lambda: f(one, 3, k=1.0),
        lambda: f(tf.constant([1])),
        lambda: f(tf.constant([1.0], tf.float64)),
        lambda: f([1.0, 2.0]),
        lambda: f(np.ones(2, np.float32)),
        lambda: f(tf.Variable([1.0])),
        lambda: f(),
        lambda: f(one, 2),
        lambda: f(one, n=2),
        lambda: f(one, spare),
        lambda: f(y=one),
    )
    return [_class(call) for call in calls]


def concrete_functions_of_tensors_and_structures(tf):
    scalar = tf.TensorSpec([], tf.float32)
    one, two = tf.constant(1.0), tf.constant(2.0)
    pair = tf.function(lambda p: p["a"] - p["b"][0])
    like = _reduced(tf).get_concrete_function(tf.constant([1.0, 2.0]), 5)
    both = _reduced(tf).get_concrete_function(tf.TensorSpec([2], tf.float32, "named"), scalar)
    nested = pair.get_concrete_function({"a": scalar, "b": [scalar]})
    calls = (
        lambda: like(tf.ones(3)),
        lambda: both(tf.ones(2), two),
        lambda: both(named=tf.ones(2), n=two),
        lambda: both(x=tf.ones(2), n=two),
        lambda: both(tf.ones(2), 2.0),
        lambda: nested({"a": one, "b": [two]}),
        lambda: nested({"a": 1.0, "b": [2.0]}),
        lambda: nested({"a": one}),
        lambda: nested(one, two),
        lambda: nested({"a": tf.constant(1), "b": [two]}),
        lambda: tf.function(lambda: one).get_concrete_function()(),
        lambda: tf.function(lambda a, b: a + b).get_concrete_function(1.0, 2.0)(),
    )
    return [_class(call) for call in calls]


def concrete_function_of_a_signature(tf):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def f(x):
        return 2.0 * x

    concrete = f.get_concrete_function()
    calls = (
        lambda: concrete(tf.ones(2)),
        lambda: concrete([1.0]),
        lambda: concrete(tf.constant([1])),
        lambda: repr(f.get_concrete_function(tf.TensorSpec([3], tf.float32)).structured_input_signature),
        lambda: f.get_concrete_function(tf.TensorSpec([3, 3], tf.float32)),
    )
    return [_class(call) for call in calls]


# ----- tf.Module -----


def _line(tf):
    class Line(tf.Module):
        def __init__(self, name=None):
            super().__init__(name=name)
            self.slope = tf.Variable(2.0, name="slope")
            self.offset = tf.Variable([1.0], name="offset")
            self.count = tf.Variable(0.0, trainable=False, name="count")
            self.more = [tf.Variable(3.0, name="listed"), {"k": tf.Variable(4.0, name="in_a_dict")}]
            self.note = "no variable"

        def __call__(self, x):
            return self.slope * x + self.offset

    return Line


def _class(call):
    try:
        return call()
    except Exception as error:
        return type(error).__name__


def _outcomes(tf, bodies, *given):
    return [_class(lambda body=body: tf.function(body)(*given)) for body in bodies]


def values_in_a_graph(tf):
    bodies = (
        lambda x: x.numpy(),
        lambda x: tf.constant(2.0).numpy(),
        lambda x: np.square(x),
        lambda x: np.asarray(x),
        lambda x: [f"{x[0]:.2f}"],
        lambda x: tf.function(lambda y: x.numpy())(x),
    )
    return _outcomes(tf, bodies, tf.constant([1.0, 2.0]))


def constants_of_tensors_in_a_graph(tf):
    outside, variable = tf.constant([5.0]), tf.Variable([2.0])
    bodies = (
        lambda x: tf.constant(x),
        lambda x: tf.constant([x[0], 1.0]),
        lambda x: tf.constant([outside, outside]),
        lambda x: tf.constant(tf.ones(2)),
        lambda x: tf.constant(variable),
        lambda x: tf.constant(outside) * x,
        lambda x: tf.convert_to_tensor([x[0], 1.0]),
    )
    return _outcomes(tf, bodies, tf.constant([1.0, 2.0]))


def values_from_outside_a_graph(tf):
    outside, variable = tf.constant([5.0]), tf.Variable([2.0])
    bodies = (
        lambda x: x * outside.numpy(),
        lambda x: x * np.square(outside),
        lambda x: x * variable.numpy(),
        lambda x: x * np.asarray(variable),
        lambda x: tf.numpy_function(np.square, [x], tf.float32),
        lambda x: tf.py_function(lambda y: y.numpy() * 2.0, [x], tf.float32),
    )
    return _outcomes(tf, bodies, tf.constant([1.0, 2.0]))


def python_in_what_is_not_rewritten(tf):
    """AutoGraph makes ops of `if`, `for` and `float(...)`, but not in what `vectorized_map` goes over."""
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])

    def chosen(row):
        return row if row[0] > 2 else -row

    def summed(row):
        total = 0.0
        for each in row:
            total += each
        return total

    bodies = (
        chosen,
        summed,
        lambda row: bool(row[0]),
        lambda row: float(row[0]),
        lambda row: int(row[0]),
        lambda row: row * len(row),
        lambda row: row.numpy(),
        lambda row: row * row.shape[0],
        lambda row: tf.cond(row[0] > 2, lambda: row, lambda: -row),
        lambda row: tf.while_loop(lambda i: i < row[0], lambda i: [i + 1.0], [0.0])[0],
        tf.function(chosen),
    )
    return [_class(lambda body=body: tf.vectorized_map(body, x)) for body in bodies]


def python_that_is_never_rewritten(tf):
    """Also not within functions that AutoGraph rewrites, nor of tensors from outside of the graph."""
    x, outside = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])

    def unpacked(x):
        a, b = x
        return a * b

    def unpacked_further(x):
        a, *_rest = x
        return a

    def asserted(x):
        assert x[0] > 0, "negative"
        return x

    def asserted_of_both(x):
        assert x[0] > 5 or not x[1] > 5
        return x

    def asserted_number(x):
        assert len(x) == 2
        assert float(x[0]) + 1.0 is not None
        return x

    def unpacked_outside(x):
        a, b = outside
        return a * b

    def gone_over(x):
        total = 0.0
        for each in outside:
            total += each
        return total

    def rows(x):
        total = 0.0
        for each in x:
            total += each if each > 0 and not each > 5 else -each
        return total

    bodies = (
        unpacked,
        unpacked_further,
        asserted,
        asserted_of_both,
        asserted_number,
        unpacked_outside,
        gone_over,
        rows,
        lambda x: [each * 2.0 for each in x],
        lambda x: [row * each for row in (1.0, 2.0) for each in x],
        lambda x: [*x, 1.0],
        lambda x: [*outside],
        lambda x: list(x),
        lambda x: sum(x),
        lambda x: max(x),
        lambda x: max(x[0], 2.0),
        lambda x: [each + index for index, each in enumerate(x)],
        lambda x: bool(x[0] > 0),
        lambda x: any([x[0] > 0]),
        lambda x: [each for each in range(3) if x[0] > each],
        lambda x: [each for each in range(3) if x[0] > each or x[1] > each],
        lambda x: (lambda *each: each)(*x),
        lambda x: x[0] in [x[0]],
        lambda x: sum([x, x]) * bool(outside[0]),
        lambda x: (x[0] > 0 and not x[1] > 5) or x[0] > 3,
        lambda x: x * (1.0 if outside[0] > 0 else 2.0) * float(outside[1]),
    )
    return _outcomes(tf, bodies, x)


def conditions_of_the_parts_of_comprehensions(tf):
    bodies = (
        lambda x: [x if x[0] > each else -x for each in range(3)],
        lambda x: [not x[0] > each for each in range(3)],
        lambda x: {each: x[0] > each or x[1] > each for each in range(3)},
        lambda x: sum(1.0 if x[0] > each and x[1] > each else 2.0 for each in range(3)),
        lambda x: 1.0 if [each for each in range(3) if each > 1] and x[0] > 0 else 2.0,
    )
    return _outcomes(tf, bodies, tf.constant([1.0, 2.0]))


def parts_of_a_number(tf):
    def repeated(x):
        for part in x:
            x = x + part
        return x

    def counted(x):
        return len(x)

    return [
        _class(lambda body=body, options=options: tf.function(body, **options)(tf.constant(1.0)))
        for body in (repeated, counted)
        for options in ({}, {"autograph": False})
    ] + [_class(lambda body=body: body(tf.constant(1.0))) for body in (repeated, counted)]


def _chosen(x):
    if x:
        return 1
    return 2


def _repeated(x):
    while x:
        x = x - x
    return x


def conditions_that_are_numbers(tf):
    return [
        _class(lambda body=body, value=value: tf.function(body)(tf.constant(value)))
        for body, value in [
            (_chosen, 1),
            (_chosen, 0.0),
            (_chosen, True),
            (_chosen, [True]),
            (_chosen, [True, False]),
            (_repeated, 1),
            (lambda x: _chosen(tf.reduce_any(x > 0)), [1, 2]),
        ]
    ] + [_class(lambda: tf.function(_chosen)(1)), _class(lambda: _chosen(tf.constant(1)))]


def what_is_said_of_conditions(tf):
    both = tf.constant([True, False])
    calls = (
        lambda: tf.function(_chosen)(both),
        lambda: tf.function(_chosen)(tf.constant(1)),
        lambda: tf.function(lambda a, b: _chosen(b))(1, b=tf.constant([True, True, False])),
    )
    return [_class(call) for call in calls] + [
        _class(lambda: tf.function(_repeated)(both)),
        _class(lambda: tf.function(lambda x: 1 if x else 2)(both)),
        _class(lambda: tf.function(lambda x: x or True)(both)),
        tf.function(lambda x: x and x)(tf.constant([True])),
    ]


def functions_that_are_not_rewritten(tf):
    def chosen(x):
        return x if x > 0 else -x

    class Line(tf.Module):
        @tf.function(autograph=False)
        def __call__(self, x):
            return chosen(x)

    calls = (
        lambda: tf.function(chosen, autograph=False)(tf.constant(1.0)),
        lambda: tf.function(autograph=False)(chosen)(tf.constant(1.0)),
        lambda: tf.function(chosen, autograph=False)(-1.0),
        lambda: tf.function(chosen)(tf.constant(-1.0)),
        lambda: Line()(tf.constant(1.0)),
        lambda: Line()(2.0),
    )
    return [_class(call) for call in calls]


def conditions_in_a_graph(tf):
    bodies = (
        lambda x: tf.cond(True, lambda: x, lambda: -x),
        lambda x: tf.cond(x.shape.rank > 0, lambda: x, lambda: -x),
        lambda x: tf.cond(x > 0, lambda: 1.0, lambda: 2.0) + tf.cond(x > 0, lambda: [1], lambda: [2])[0].shape.rank,
        lambda x: tf.cond(x > 0, lambda: None, lambda: None),
        lambda x: tf.case([(x > 5, lambda: 1)], default=lambda: 2).shape.rank,
        lambda x: tf.switch_case(tf.cast(x, tf.int32), [lambda: 1, lambda: 2]).shape.rank,
    )
    return _outcomes(tf, bodies, tf.constant(1.0))


def loops_in_a_graph(tf):
    def loop(condition, body, *options, **more):
        return lambda n: tf.while_loop(condition, body, *options, **more)

    def below_three(i, *rest):
        return i < 3

    bodies = (
        loop(below_three, lambda i: i + 1, [0]),
        loop(below_three, lambda i: i + 1, (0,)),
        loop(below_three, lambda i, j: [i + 1, j], (0, 1)),
        loop(below_three, lambda i: i + 1, [0], maximum_iterations=2),
        loop(below_three, lambda i: tf.cast(i + 1, tf.float32), [0]),
        loop(below_three, lambda i: (i + 1.5,), [0]),
        loop(below_three, lambda i: (5.5,), [0]),
        loop(below_three, lambda i, j: i + 1, [0, 1]),
        loop(lambda d: d["n"] < 3, lambda d: [{"n": d["n"] + 1}], [{"n": 0}]),
        loop(lambda d: d["n"] < 3, lambda d: {"n": d["n"] + 1}, [{"n": 0}]),
        loop(below_three, lambda i, x: (i + 1, x * i.shape.rank), [0, 1]),
    )
    return _outcomes(tf, bodies, tf.constant(1.0))


def tensors_in_the_shapes_of_a_graph(tf):
    bodies = (
        lambda n: tf.zeros([n, 2]),
        lambda n: tf.tile([1], [n]),
        lambda n: tf.broadcast_to([1], [n]),
        lambda n: tf.slice(tf.range(5), [n], [n]),
        lambda n: tf.transpose(tf.ones((1, 2)), [n - 1, 0]),
        lambda n: tf.reverse([1, 2], [n - 2]),
        lambda n: tf.one_hot([n], 3),
        lambda n: tf.stack([[n], [n]], axis=1),
        lambda n: tf.random.stateless_uniform([n], [n, n]) < 2.0,
    )
    return _outcomes(tf, bodies, tf.constant(2))


def a_body_that_changes_what_it_is_given(tf):
    one, two = tf.constant(1.0), tf.constant(2.0)
    mine = [one]
    bodies = [
        (lambda given: given.append(two), mine),
        (lambda given: given.reverse(), [one, two]),
        (lambda given: given.update(a=two), {"a": one}),
        (lambda given: given.update(a=given["a"]), {"a": one}),
        (lambda given: given.pop("a"), {"a": one}),
        (lambda given: given[0].append(given[1].pop()), [[one], [two]]),
        (lambda given: [*given, two], (one,)),
        (lambda given: list(given).append(two), [one]),
        (lambda **given: given["given"].clear(), [one]),
    ]
    said = _each(*(lambda body=body, given=given: tf.function(body)(given=given) for body, given in bodies))
    return [said, len(mine)]


def variables_of_a_module(tf):
    line = _line(tf)()
    groups = (line.variables, line.trainable_variables, line.non_trainable_variables)
    return [[[each.name for each in group] for group in groups], isinstance(line.variables, tuple), line.name]


def modules_in_modules(tf):
    line = _line(tf)("outer")
    line.inner = _line(tf)("inner")
    line.aside = [_line(tf)("first"), {"x": _line(tf)("second")}]
    line.inner.deep = _line(tf)("deep")
    return [[each.name for each in line.submodules], [each.name for each in line.trainable_variables]]


def a_shared_variable_counts_once(tf):
    line = _line(tf)()
    line.again, line.me = line.slope, line
    return [len(line.variables), len(line.submodules)]


def gradient_of_a_module(tf):
    line = _line(tf)()
    with tf.GradientTape() as tape:
        y = line(tf.constant([3.0]))
    return tape.gradient(y, line.trainable_variables)


def module_names(tf):
    class MyLinearModule(tf.Module):
        pass

    class HTTPServer2(tf.Module):
        pass

    class _Hidden(tf.Module):
        pass

    class ABc(tf.Module):
        pass

    return [MyLinearModule().name, HTTPServer2().name, MyLinearModule("given").name, _Hidden().name, ABc().name]


@fails
def module_of_no_identifier(tf):
    return tf.Module("1 a")


def module_without_super(tf):
    class Bare(tf.Module):
        def __init__(self):
            self.w = tf.Variable(1.0)

    return len(Bare().trainable_variables)


def method_in_a_name_scope(tf):
    class Scoped(tf.Module):
        @tf.Module.with_name_scope
        def double(self, x):
            return 2.0 * x

    return Scoped().double(tf.constant(2.0))


# ----- functions for arguments like some -----


def _each(*calls):
    """What each call gives, or the class of its error."""
    return [_outcome(call) for call in calls]


def _outcome(call):
    try:
        return call()
    except Exception as error:
        return type(error).__name__


def _scaled(tf, **options):
    return tf.function(lambda x, y=2: x * y, **options)


def concrete_for_a_spec(tf):
    one = _scaled(tf).get_concrete_function(tf.TensorSpec([None, 3]))
    return _each(
        lambda: one(tf.ones([2, 3])),
        lambda: one(x=tf.ones([2, 3])),
        lambda: one(tf.ones([2, 4])),
        lambda: one(tf.constant([[1, 2, 3]])),
        lambda: one(tf.constant([[1.0, 2.0, 3.0]], tf.float64)),
        lambda: one([[1.0, 2.0, 3.0]]),
        lambda: one(np.ones((1, 3), np.float32)),
        lambda: one(3.0),
        lambda: one(tf.Variable(tf.ones([2, 3]))),
        lambda: one(),
        lambda: one(tf.ones([2, 3]), 2),
        lambda: one(tf.ones([2, 3]), 3),
        lambda: one(tf.ones([2, 3]), z=1),
        lambda: repr(one.structured_input_signature),
        lambda: type(one.name).__name__,
    )


def concrete_for_tensors(tf):
    one = _scaled(tf).get_concrete_function(tf.constant(1.0))
    both = _scaled(tf).get_concrete_function(tf.TensorSpec([2]), tf.TensorSpec([2]))
    ones = tf.ones(2)
    return _each(
        lambda: one(tf.constant(5.0)),
        lambda: one(5.0),
        lambda: one(tf.constant(5)),
        lambda: one(ones),
        lambda: both(ones, 3 * ones),
        lambda: both(ones),
        lambda: both(y=ones, x=3 * ones),
        lambda: both(ones, x=ones),
        lambda: both(ones, ones, ones),
        lambda: both([1.0, 2.0], ones),
    )


def concrete_for_python_values(tf):
    f = _scaled(tf)
    one = f.get_concrete_function(2.0)
    return _each(one, lambda: one(2.0), lambda: one(3.0), lambda: one(2.0, 2), f.get_concrete_function)


def concrete_of_an_input_signature(tf):
    f = tf.function(lambda x: x + 1, input_signature=[tf.TensorSpec([None])])
    one = f.get_concrete_function()
    return _each(
        lambda: one(tf.ones(3)),
        lambda: one([1.0, 2.0]),
        lambda: one(tf.ones([3, 1])),
        lambda: f.get_concrete_function() is one,
        lambda: f.get_concrete_function(tf.ones(3)) is one,
        lambda: f.get_concrete_function(tf.ones([3, 1])),
        lambda: repr(one.structured_input_signature),
    )


def concrete_of_structures(tf):
    f = tf.function(lambda d, k: d["a"] + d["b"][0] * k)
    one = f.get_concrete_function({"a": tf.TensorSpec([]), "b": [tf.TensorSpec([2])]}, 3)
    given = {"a": tf.constant(1.0), "b": [tf.ones(2)]}
    spec = tf.TensorSpec([], name="x")
    twice = tf.function(lambda x, y: x - y).get_concrete_function(spec, spec)
    return _each(
        lambda: one(given, 3),
        lambda: one(given),
        lambda: one(tf.constant(1.0), tf.ones(2)),
        lambda: one({"a": 1.0, "b": [tf.ones(2)]}, 3),
        lambda: one({"a": 1.0}, 3),
        lambda: one(d=tf.constant(1.0), d_1=tf.ones(2)),
        lambda: one(a=tf.constant(1.0), b=tf.ones(2)),
        lambda: twice(tf.constant(1.0), tf.constant(2.0)),
        lambda: repr(one.structured_input_signature),
    )


def concrete_of_any_number(tf):
    spec, one = tf.TensorSpec([]), tf.constant(1.0)
    placed = tf.function(lambda *a: a[0] + a[1]).get_concrete_function(spec, spec)
    named = tf.function(lambda **a: a["p"] - a["q"]).get_concrete_function(p=spec, q=spec)
    led = tf.function(lambda x, *a: x + a[0]).get_concrete_function(spec, spec)
    return _each(
        lambda: placed(one, one),
        lambda: placed(1.0, 2.0),
        lambda: placed(one),
        lambda: named(p=one, q=2 * one),
        lambda: named(p=1.0, q=2.0),
        lambda: named(one, one),
        lambda: led(one, one),
    )


def concrete_of_a_variable(tf):
    f = tf.function(lambda v, x: v.assign_add(x) * x)
    v, w = tf.Variable(2.0), tf.Variable(5.0)
    one = f.get_concrete_function(v, tf.TensorSpec([]))
    return _each(
        lambda: one(v, tf.constant(3.0)),
        lambda: one(w, tf.constant(3.0)),
        lambda: one(tf.constant(3.0)),
        lambda: [v, w],
    )


def concrete_once_for_what_it_covers(tf):
    f = _scaled(tf)
    wide, narrow = f.get_concrete_function(tf.TensorSpec([None, 3])), f.get_concrete_function(tf.constant(1.0))
    return [
        f.get_concrete_function(tf.ones([2, 3])) is wide,
        f.get_concrete_function(tf.ones([2, 4])) is wide,
        f.get_concrete_function(tf.constant(2.0)) is narrow,
        f.get_concrete_function(tf.TensorSpec([])) is narrow,
        f.get_concrete_function(tf.constant(2)) is narrow,
        f.get_concrete_function(2.0) is f.get_concrete_function(2.0),
        f.get_concrete_function(2.0) is f.get_concrete_function(3.0),
    ]


def concrete_gradient(tf):
    one = _scaled(tf).get_concrete_function(tf.TensorSpec([2]), tf.TensorSpec([]))
    x, y = tf.constant([1.0, 2.0]), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        out = one(x, y)
    return tape.gradient(out, [x, y])


def concrete_method(tf):
    class Shifted(tf.Module):
        def __init__(self):
            self.by = tf.Variable(1.0)

        @tf.function
        def __call__(self, x):
            return x + self.by

    module = Shifted()
    one = module.__call__.get_concrete_function(tf.TensorSpec([]))
    return _each(lambda: one(tf.constant(1.0)), lambda: one(1.0), lambda: repr(one.structured_input_signature))


# ----- random numbers -----


def _drawing(tf):
    return tf.function(lambda: [tf.random.uniform([]), tf.random.normal([2])])


def functions_that_are_alike_draw_alike(tf):
    tf.random.set_seed(1234)
    f, g = _drawing(tf), _drawing(tf)
    found = [f(), f(), g()]
    tf.random.set_seed(1234)
    found += [f(), tf.random.uniform([], seed=0)]
    tf.random.set_seed(99)
    return found, f(), _drawing(tf)(), tf.random.uniform([])


def ops_with_seeds_draw_on_their_own_in_a_function(tf):
    f = tf.function(lambda: [tf.random.uniform([], seed=1), tf.random.uniform([], seed=1), tf.random.normal([])])
    tf.random.set_seed(1234)
    return f(), f(), tf.random.uniform([], seed=1), tf.random.uniform([], seed=1)


def each_graph_of_a_function_draws_on_its_own(tf):
    f = tf.function(lambda x, n=1: x + n * tf.random.uniform([]))
    zero, zeros = tf.constant(0.0), tf.zeros(2)
    tf.random.set_seed(5)
    return [f(zero), f(zero), f(zeros), f(zero), f(zero, 2), f(zeros), f(tf.zeros(3)), f(zero, n=2)]


def calls_draw_with_the_concrete_function_that_covers_them(tf):
    def drawing():
        tf.random.set_seed(5)
        return tf.function(lambda x, n=1: tf.random.uniform([]))

    two, f = tf.ones(2), drawing()
    any_length = f.get_concrete_function(tf.TensorSpec([None]))
    found = [f(two), f(tf.ones(3)), any_length(two), f(tf.ones([])), f(x=two, n=1)]
    f = drawing()
    one, other = f.get_concrete_function(two), f.get_concrete_function(tf.TensorSpec([None]))
    found += [f(two), one(two), other(two), f(two)]
    f = drawing()
    found += [f(two, 1), f(two, True), f.get_concrete_function(two, 1.0)(two), f([1, 2]), f((1, 2)), f([1, 2])]
    made_before = drawing().get_concrete_function(two)
    tf.random.set_seed(6)
    return found, made_before(two)


def a_graph_of_any_length_goes_on_drawing(tf):
    f = tf.function(lambda x: x + tf.random.uniform([]), input_signature=[tf.TensorSpec([None])])
    tf.random.set_seed(5)
    return [f(tf.zeros(2)), f(tf.zeros(3)), f(tf.zeros(2))]


def functions_inside_others_draw_where_they_are_called(tf):
    inner = _drawing(tf)
    outer = tf.function(lambda: [inner(), tf.random.uniform([]), inner()])
    tf.random.set_seed(1234)
    found = [inner(), outer(), outer(), inner()]
    tf.random.set_seed(8)
    return found, outer(), tf.function(lambda: _drawing(tf)())()


def branches_draw_on_their_own(tf):
    def drawn():
        return tf.random.uniform([])

    @tf.function
    def f(x):
        one = tf.cond(x > 0, drawn, lambda: drawn() + 1)
        other = tf.switch_case(tf.cast(x, tf.int32), [drawn, lambda: drawn() + 1, lambda: drawn() + 2])
        last = tf.case([(x > 1, drawn)], default=lambda: drawn() + 3)
        return [one, drawn(), other, last, tf.random.uniform([])]

    tf.random.set_seed(1234)
    return [f(tf.constant(each)) for each in (1.0, 0.0, 2.0, 1.0, 0.0)]


def loops_go_on_drawing(tf):
    @tf.function
    def f():
        in_python = tf.stack([tf.random.uniform([]) for _ in range(3)])
        mapped = tf.map_fn(lambda x: x + tf.random.uniform([]), tf.zeros(3))
        grown = tf.scan(lambda total, x: tf.random.uniform([]) + 0.0 * total, tf.zeros(4))
        return in_python, tf.sort(mapped), tf.sort(grown)  # TensorFlow runs several turns at once

    tf.random.set_seed(1234)
    return f(), f()


def every_kind_of_random_op_in_a_function(tf):
    @tf.function
    def f():
        return [
            tf.random.uniform([]),
            tf.random.normal([2]),
            tf.random.shuffle(tf.range(5)),
            tf.random.uniform([], maxval=10, dtype=tf.int32),
            tf.random.truncated_normal([]),
            tf.nn.dropout(tf.ones(5), 0.5),
            tf.random.normal([], dtype=tf.float64),
            tf.random.uniform([2], seed=3),
        ]

    tf.random.set_seed(1234)
    return f(), f()


def a_seed_that_a_function_sets_is_its_own(tf):
    @tf.function
    def f():
        before = tf.random.uniform([])
        tf.random.set_seed(3)
        return before, tf.random.uniform([])

    tf.random.set_seed(1234)
    return f(), f(), tf.function(lambda: tf.random.uniform([]))()


def what_is_run_eagerly_draws_as_outside(tf):
    @tf.function
    def f():
        return tf.py_function(lambda: tf.random.uniform([]), [], tf.float32)

    g = _drawing(tf)
    tf.random.set_seed(1234)
    found = [f(), f(), tf.random.uniform([])]
    tf.random.set_seed(1234)
    tf.config.run_functions_eagerly(True)
    try:
        found += [g(), g()]
    finally:
        tf.config.run_functions_eagerly(False)
    return found


def each_method_draws_on_its_own(tf):
    class Drawing(tf.Module):
        @tf.function
        def __call__(self):
            return tf.random.uniform([])

    tf.random.set_seed(1234)
    a, b = Drawing(), Drawing()
    return [a(), a(), b(), b()]


def functions_of_datasets_begin_anew(tf):
    drawing, seeded = (lambda x: tf.random.uniform([])), (lambda x: tf.random.uniform([], seed=3))
    tf.random.set_seed(1234)
    numbers = tf.data.Dataset.range(4)
    kept = numbers.filter(lambda x: tf.random.uniform([]) < 0.5)
    summed = numbers.scan(tf.constant(0.0), lambda total, x: (total + drawing(x), total + drawing(x)))
    spread = numbers.flat_map(lambda x: tf.data.Dataset.from_tensors(drawing(x)))
    made = [numbers.map(drawing), numbers.map(seeded), kept, summed, spread, numbers.map(drawing).repeat(2)]
    found = [[list(each), list(each)] for each in made]
    tf.random.set_seed(2)
    return found, list(made[0]), float(numbers.reduce(tf.constant(0.0), lambda total, x: total + drawing(x)))


# ----- iterators -----


def an_iterator_that_is_at_its_end(tf):
    dataset = tf.data.Dataset.from_tensor_slices([1, 2])
    iterator = iter(dataset)

    @tf.function
    def summed(elements):
        total = 0
        for each in elements:
            total += each
        return total

    one = tf.function(lambda i: next(i))
    return _each(
        lambda: one(iterator),
        lambda: one(iterator),
        lambda: one(iterator),
        lambda: summed(dataset),
        lambda: summed(iter(dataset)),
        lambda: list(iterator),
    )


def rows_of_a_result_are_told_as_a_whole(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    moved, rows = tf.function(lambda x: (x + 1.0, tf.identity(x))), tf.function(lambda x, which: tf.gather(x, which))
    with tf.GradientTape(persistent=True) as tape:
        both = moved(v)
        outside = [tf.gather(each, [2, 0]) for each in both]
        inside, plain = rows(v, [0, 0]), tf.gather(v + 1.0, [1])
    slopes = [tape.gradient(each, v) for each in (*outside, inside, plain)] + [tape.gradient(outside[0], both[0])]
    return [type(each).__name__ == "IndexedSlices" for each in slopes], [tf.convert_to_tensor(each) for each in slopes]


# ----- a plain number ahead of a tensor -----


def ops_of_graphs_go_by_what_is_first(tf):
    binary = [
        *(tf.maximum, tf.minimum, tf.multiply, tf.subtract, tf.divide, tf.pow, tf.equal, tf.not_equal, tf.less),
        *(tf.greater_equal, tf.atan2, tf.truncatemod, tf.math.floordiv, tf.math.floormod, tf.math.xlogy),
        *(tf.math.squared_difference, tf.math.xdivy, tf.math.divide_no_nan, lambda a, b: tf.stack([a, b])),
        lambda a, b: tf.where(b > 0, a, b),
    ]
    pairs = [(1, tf.constant(2.0)), (1.0, tf.constant(2.0)), (1.0, tf.constant(2.0, tf.float64))]
    pairs += [(1, tf.constant(2)), (1, tf.constant(2, tf.int64))]
    ahead = [(lambda x, a=a, op=op: op(a, x), b) for op in binary for a, b in pairs]
    behind = [(lambda x, a=a, op=op: op(x, a), b) for op in binary for a, b in pairs[:2]]
    arrays = [(lambda x, a=a: tf.subtract(a, x), pairs[0][1]) for a in (np.float64(1), np.float32(1), np.ones(1), [1])]
    return _each(*[lambda call=call, x=x: tf.function(call)(x) for call, x in (*ahead, *behind, *arrays)])


def ops_of_graphs_on_several_arguments(tf):
    x = tf.constant([[2.0]], tf.float64)
    calls = [
        *(lambda x: tf.linalg.solve([[1.0]], x), lambda x: tf.linalg.triangular_solve([[1.0]], x)),
        *(lambda x: tf.tensor_scatter_nd_update([[0.0]], [[0]], x), lambda x: tf.linalg.set_diag([[1.0]], x[0])),
        *(lambda x: tf.concat([[1.0], x[0]], 0), lambda x: tf.einsum("i,i->i", [1.0], x[0]), lambda x: tf.add(1.0, x)),
        *(lambda x: 2.0 * x, lambda x: 1.0 / x, lambda x: 1.0 - x, lambda x: 2.0**x, lambda x: x > 1.0),
    ]
    return _each(*[lambda call=call: tf.function(call)(x) for call in calls])


def what_is_said_of_a_number_ahead(tf):
    return _class(lambda: tf.function(lambda x: tf.maximum(0, x))(tf.constant(1.5)))


def datasets_map_by_graphs(tf):
    numbers = tf.data.Dataset.from_tensor_slices([1.0, 2.0])
    return _each(lambda: list(numbers.map(lambda x: tf.multiply(2, x))), lambda: list(numbers.map(lambda x: 2 * x)))


def no_gradient_passes_through_a_loop_over_a_dataset(tf):
    numbers, w = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0]), tf.Variable(2.0)

    def total(elements, total):
        for each in elements:
            total += w * each
            if each > 1.5:
                break
        return total, 5.0 * w

    def gradients(function):
        with tf.GradientTape(persistent=True) as tape:
            reduced, beside = function(numbers, 0.0 * w)
            once_more = w * w
        return [tape.gradient(each, w) for each in (reduced, [reduced, beside], once_more)]

    return gradients(total), gradients(tf.function(total))


def a_step_in_a_loop_over_a_dataset_has_its_gradient(tf):
    pairs, w = tf.data.Dataset.from_tensor_slices(([1.0, 2.0], [2.0, 5.0])), tf.Variable(1.0)

    @tf.function
    def epoch():
        for x, y in pairs:
            with tf.GradientTape() as tape:
                loss = (w * x - y) ** 2
            w.assign_sub(0.1 * tape.gradient(loss, w))

    epoch()
    return w


# ----- Python in a graph -----


def what_a_numpy_function_gets(tf):
    seen = []

    def noting(*arrays):
        seen.extend((type(each).__name__, np.ndim(each), repr(each)) for each in arrays)
        return np.float32(len(arrays))

    given = tf.constant("a"), tf.constant(["a", "b"]), tf.constant(1.5), tf.constant([1]), tf.constant(True)
    results = [tf.numpy_function(noting, given, tf.float32)]
    results += [tf.function(lambda *args: tf.numpy_function(noting, args, tf.float32))(*given)]
    results += tf.data.Dataset.from_tensors(given).map(lambda *args: tf.numpy_function(noting, args, tf.float32))
    return results, seen


def what_a_python_function_in_a_graph_must_give(tf):
    x = tf.constant([1.0, 2.0])

    def found(kind, function, Tout):
        try:
            return tf.function(lambda: getattr(tf, kind)(function, [x], Tout))()
        except Exception as error:
            return type(error).__name__

    return [
        found(kind, function, Tout)
        for kind in ("numpy_function", "py_function")
        for function, Tout in (
            (lambda x: x * 2, [tf.float32]),
            (lambda x: (x, x * 2), (tf.float32, tf.float32)),
            (lambda x: np.float64(2.0), tf.float32),
            (lambda x: None, tf.float32),
            (lambda x: int("a"), tf.float32),
            (lambda x: [][1], tf.float32),
        )
    ]


def a_dataset_comes_back_from_a_function(tf):
    data = tf.function(lambda n: tf.data.Dataset.range(n))(tf.constant(3, tf.int64))
    return [*data], [[*each] for each in tf.function(lambda: [tf.data.Dataset.range(2)])()]


def none_in_a_graph_is_not_supported(tf):
    functions = (lambda: tf.constant(None), lambda: tf.reduce_sum(None), lambda: tf.add(1.0, None), lambda: None)

    def found(function):
        try:
            return function()
        except Exception as error:
            return [type(error).__name__, "None values not supported." in str(error)]

    results = [found(tf.function(each)) for each in functions], [found(each) for each in functions]
    assert results[0][0] == ["ValueError", True]
    return results


def a_module_with_keys_that_have_no_order(tf):
    module = tf.Module()
    module.kept = {"b": tf.Variable(1.0), 1: tf.Variable(2.0)}

    def found(read):
        try:
            return read()
        except Exception as error:
            return [type(error).__name__, str(error).partition(" of ")[0]]

    return [found(lambda: module.variables), found(lambda: module.submodules)]


def what_a_loop_picked_of_a_variable_comes_back_whole(tf):
    v, rows = tf.Variable([1.0, 2.0, 3.0]), tf.constant([1, 0])

    @tf.function
    def in_loops():
        total = 0.0
        for row in rows:
            for _ in tf.range(2):
                total += tf.gather(v, row)
            if row < 0:
                break
        return total

    @tf.function
    def beside_loops():
        total = 0.0
        for _ in rows:
            total += 1.0
        for place in range(2):
            total += tf.gather(v, place)
        return total

    found = []
    for function in (in_loops, beside_loops):
        with tf.GradientTape() as tape:
            y = function()
        gradient = tape.gradient(y, v)
        found.append([isinstance(gradient, tf.IndexedSlices), tf.convert_to_tensor(gradient)])
    return found


def what_is_said_of_plain_operands(tf):
    def told(body):
        return _class(lambda: tf.function(body, autograph=False)(tf.constant([1, 2])))

    bodies = (
        lambda i: i * 0.5,
        lambda i: tf.maximum(i, [0.5, 1.5]),
        lambda i: i >= 0.5,
        lambda i: tf.where(i > 1, i, 0.5),
        lambda i: i - None,
    )
    return [told(body) for body in bodies]


def how_often_it_is_traced(tf):
    double = tf.function(lambda x: x + x)
    signed = tf.function(lambda x: x + x, input_signature=[tf.TensorSpec([None])])
    counts = [double.experimental_get_tracing_count()]
    for given in (
        tf.constant(1),
        tf.constant(2),
        tf.constant([1]),
        1,
        2,
        1,
        np.ones(2),
        tf.Variable(1),
        tf.Variable(2),
    ):
        double(given)
        counts.append(double.experimental_get_tracing_count())
    for length in (1, 2):
        signed(tf.ones([length]))
    return [*counts, signed.experimental_get_tracing_count()]


def lists_that_loops_over_tensors_fill(tf):
    def stacked(x):
        parts = []
        for each in x:
            parts.append(each * 2.0)
        return tf.stack(parts)

    def returned(x):
        parts = [x]
        for i in tf.range(3):
            parts.append(i)
        return parts

    def added(x):
        parts, i = [], tf.constant(0)
        while i < 3:
            parts.append(x[0])
            i += 1
        return sum(parts)

    def multiplied(x):
        parts = []
        for each in x:
            parts.append(each)
            if each > 1.0:
                break
        return parts[0] * 2.0

    def of_dataset(x):
        parts = []
        for each in tf.data.Dataset.from_tensor_slices(x):
            parts.append(each + 1.0)
        return parts

    kinds = []
    for body in (stacked, returned, added, multiplied, of_dataset):
        for _ in range(2):
            try:
                tf.function(body)(tf.constant([1.0, 2.0, 3.0]))
            except ValueError as error:
                kinds.append((type(error).__name__, "is out of scope and cannot be used here." in str(error)))
    return kinds


def lists_that_loops_may_fill(tf):
    @tf.function
    def counted(x):
        parts, before = [], [x]
        for each in x:
            parts.append(each)
            before.append(each)
        return len(parts), before[0] * 2.0

    @tf.function
    def of_numbers(x):
        parts = []
        for factor in range(3):
            parts.append(x * factor)
        for row in tf.unstack(x):
            parts.append(row + x)
        return tf.stack(parts)

    @tf.function
    def in_a_turn(x):
        total = 0.0
        for each in x:
            parts = []
            for factor in range(2):
                parts.append(each * factor)
            total += tf.add_n(parts)
        return total

    @tf.function
    def after_a_turn(x):
        parts = []
        for each in x:
            tf.print(each, output_stream="file:///dev/null")
        parts.append(x)
        return parts

    @tf.function
    def into_an_array(x):
        parts, i = tf.TensorArray(tf.float32, 0, dynamic_size=True), tf.constant(0)
        while i < 3:
            parts = parts.write(i, x[0] * tf.cast(i, tf.float32))
            i += 1
        return parts.stack()

    return [f(tf.constant([1.0, 2.0])) for f in (counted, of_numbers, in_a_turn, after_a_turn, into_an_array)]


def what_it_is_documented_as(tf):
    def documented(x):
        """Doubles."""
        return 2 * x

    return [tf.function(each).__doc__ for each in (documented, lambda x: x)]


def shapes_that_a_signature_leaves_open(tf):
    def said(body, *specs):
        f = tf.function(body, input_signature=specs or [tf.TensorSpec([None, 2])])
        try:
            return f(tf.ones([3, 2]))
        except (TypeError, ValueError) as error:
            return type(error).__name__

    def known_by_then(x):
        x.set_shape([3, 2])
        return x.shape[0]

    def counted(x):
        for _ in range(x.shape[0]):
            x += 1.0
        return x

    bodies = (
        lambda x: x.shape[0],
        lambda x: (x.shape[1], x.get_shape().rank, x.shape.as_list()[1], x.shape.num_elements()),
        lambda x: tf.zeros(x.shape),
        lambda x: tf.zeros([x.shape[0]]),
        lambda x: tf.ones([4, x.shape[0]]),
        lambda x: tf.reshape(x, [x.shape[0], 1, 2]),
        lambda x: tf.fill([x.shape[0], 2], 1.0),
        lambda x: tf.tile(x, [x.shape[0], 1]),
        lambda x: tf.random.normal((x.shape[0], 2)),
        lambda x: tf.range(x.shape[0]),
        lambda x: x.shape[0] * 2,
        lambda x: tf.zeros([x.shape[0] or tf.shape(x)[0]]),
        lambda x: tf.reshape(x, [-1, x.shape[1] // 2]),
        lambda x: tf.function(lambda y: y.shape[0])(x),
        lambda x: tf.ensure_shape(x, [3, 2]).shape[0],
    )
    anything = tf.TensorSpec(None)
    return [
        *map(said, (*bodies, known_by_then, counted)),
        said(lambda x: x.shape.rank, anything),
        said(lambda x: len(x.shape), anything),
    ]


def shapes_that_follow_from_open_ones(tf):
    @tf.function(input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([None])])
    def f(x, y):
        logits = tf.nn.relu(x) * 2.0
        same = [
            x.shape == logits.shape,
            logits.shape == x.shape,
            x.shape != logits.shape,
            x.shape[:1] == logits.shape[:1],
        ]
        return same, x.shape == [3, 2], y.shape == tf.reduce_sum(logits, 1).shape, x.shape == logits.shape[:1]

    return f(tf.ones([3, 2]), tf.ones([3]))


def nothing_among_the_numbers_of_a_list(tf):
    found = []
    for body in (
        lambda: tf.constant([1, None]),
        lambda: tf.add(tf.ones([2]), [1.0, None]),
        lambda: tf.zeros([2, None]),
    ):
        for f in (body, tf.function(body)):
            try:
                found.append(f())
            except Exception as error:
                found.append(type(error).__name__)
    return found


def _raised(function, *args):
    """What a function gives, or the name of the class that it raises."""
    try:
        return function(*args)
    except Exception as error:
        return type(error).__name__


def loops_that_run_no_iteration(tf):
    def over_range(n):
        for i in tf.range(n):
            last = i
        return last

    def over_rows(x):
        best = None
        for row in x:
            best = row
        return best

    def while_it_holds(n):
        while n < 3:
            last = n
            n += 1
        return last

    def with_a_value(n):
        last = -1
        for i in tf.range(n):
            last = part = i
            last += part
        return last

    ranged, whiled, valued = (tf.function(each) for each in (over_range, while_it_holds, with_a_value))
    found = [_raised(ranged, tf.constant(n)) for n in (0, 2, 0)], [_raised(whiled, tf.constant(n)) for n in (5, 1, 5)]
    return found, _raised(tf.function(over_rows), tf.zeros([0, 2])), [valued(tf.constant(n)) for n in (0, 2)]


def equal_numbers_share_a_graph(tf):
    double = tf.function(lambda x, n=2: x * n)
    whole = [double(1), double(1.0), double(True), double(1, 2.0), double(n=2.0, x=1)]
    other = [double(3.0), double(3), double(0.0), double(0), double(tf.constant(1.5), 3.0), double(tf.constant(1.5), 3)]
    listed = tf.function(lambda x: tf.constant(x))
    signed = tf.function(lambda x, n=2: tf.constant(n), input_signature=[tf.TensorSpec([])])
    concrete = tf.function(lambda x, n: x * n).get_concrete_function(tf.TensorSpec([], tf.int32), 3)
    lists = [listed([1, 2]), listed([1.0, 2.0]), listed({"a": 4.0}["a"]), listed(4)]
    return whole, other, lists, signed(1.0), concrete(tf.constant(2), 3.0), double.experimental_get_tracing_count()


def conditions_of_ops_are_of_bool(tf):
    def chosen(condition):
        return tf.cond(condition, lambda: 1, lambda: 2)

    def first(condition):
        return tf.case([(condition, lambda: 1)], default=lambda: 2)

    def at(index):
        return tf.switch_case(index, [lambda: 1, lambda: 2])

    conditions = [tf.constant(each) for each in (True, 1, 0.5, "a")]
    indices = [tf.constant(1, dtype) for dtype in (tf.int32, tf.int64, tf.uint8, tf.float32)]
    found = [[_raised(tf.function(each), given) for given in conditions] for each in (chosen, first)]
    eager = [_raised(first, given) for given in conditions]
    return found, eager, [_raised(tf.function(at), given) for given in indices], [chosen(each) for each in conditions]


def what_autograph_cannot_rewrite(tf):
    def with_else(x):
        while x < 10:
            x *= 2
        else:
            x += 1
        return x

    def assigning_in_an_expression(x):
        if (y := x * 2) > 0:
            x = y
        return x

    def with_a_generator(x):
        def squares():
            yield x * x

        if x > 0:
            x = -x
        return x

    def of_python(x):
        for _ in range(2):
            x = x + x
        else:
            x = -x
        return x

    functions = with_else, assigning_in_an_expression, with_a_generator, of_python
    return [_raised(tf.function(each), tf.constant(3)) for each in functions]


def shapes_of_results_of_python_functions(tf):
    seen = []

    @tf.function
    def f(x):
        one, (two, three) = tf.numpy_function(np.sort, [x], tf.float32), tf.py_function(_twice, [x], [tf.float32] * 2)
        seen.extend([str(one.shape), two.shape.rank, str(tf.reshape(two, [1, 2]).shape)])
        one.set_shape([2])
        seen.extend([one.shape.as_list(), str(tf.ensure_shape(three, [2]).shape)])
        return one[0], tf.unstack(one), tf.TensorArray(tf.float32, 2).unstack(two).stack(), tf.stack(three)

    return f(tf.constant([2.0, 1.0])), seen


def _twice(x):
    return x, x


def arguments_of_open_shapes_in_parts(tf):
    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def f(x):
        array = tf.TensorArray(tf.float32, 2).unstack(x)
        return tf.unstack(x, axis=1), tf.unstack(x, 2), array.stack(), tf.map_fn(lambda row: row * 2, x)

    return f(np.ones([2, 2], np.float32))


def what_is_said_of_negated_numbers(tf):
    def branching(x):
        if not x:
            return x
        return -x

    def looping(x):
        while not x:
            x = x + 1
        return x

    def negating(x):
        return not x

    def told(body, *values):
        return _class(lambda: tf.function(body)(*map(tf.constant, values)))

    return [[told(each, value) for value in (0, True)] for each in (branching, negating)], told(looping, 0)


def what_a_concrete_function_returns(tf):
    scaled = tf.function(lambda x, scale=2.0: {"a": x * scale, "b": [tf.reduce_sum(x), None, 3]})
    counter = tf.Variable(0)
    found = []
    for made in (
        scaled.get_concrete_function(tf.TensorSpec([None, 2])),
        tf.function(lambda x, n: x * n).get_concrete_function(tf.constant([1, 2]), 3),
        tf.function(lambda: counter.assign_add(1)).get_concrete_function(),
    ):
        leaves = [each for each in tf.nest.flatten(made.structured_outputs) if each is not None]
        found.append([(str(each.shape), each.dtype) for each in leaves])
    shapes, dtypes = made.output_shapes, made.output_dtypes
    return found, str(shapes), dtypes, counter
