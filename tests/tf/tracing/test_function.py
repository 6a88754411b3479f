"""`tf.function` and `tf.Module` against TensorFlow: results and error classes; what errors say."""

from __future__ import annotations

from typing import Any

import pytest

import tapeviz as tf
from tests.framework_programs import is_marked_to_fail, programs_of
from tests.outcomes import Raised, outcome_of, same
from tests.sampling import quarter
from tests.tf.tracing import function_programs

PROGRAMS = programs_of(function_programs)
RUNS = {
    "a_body_that_changes_what_it_is_given": "the lists among its arguments are the program's own",
    "equal_numbers_share_a_graph": "a number among the arguments is that of this call, 1.0 as 1.0 also after 1",
    "lists_that_loops_may_fill": "a loop over a tensor fills a list in each turn, not only in the first",
    "lists_that_loops_over_tensors_fill": "what a loop over a tensor puts into a list is there behind it",
    "loops_that_run_no_iteration": "a name that a loop did not set is what it is in Python",
    "what_autograph_cannot_rewrite": "a branch on a tensor is one where AutoGraph does not know the code, too",
}
"""Programs that TensorFlow refuses, or takes otherwise, since it makes one graph of a body that here just runs."""


@pytest.mark.tensorflow
@pytest.mark.parametrize("name", quarter(PROGRAMS))
def test_as_tensorflow(name: str) -> None:
    import tensorflow

    ours, theirs = outcome_of(PROGRAMS[name], tf), outcome_of(PROGRAMS[name], tensorflow)
    assert same(ours, theirs) is (name not in RUNS), f"tapeviz: {ours}\ntensorflow: {theirs}"
    assert isinstance(theirs, Raised) is is_marked_to_fail(PROGRAMS[name]), theirs


@pytest.mark.parametrize(
    ("name", "error", "told"),
    [
        (
            "variable_at_every_call",
            ValueError,
            r"singleton .* f makes one at every call, at .*programs.py:\d",
        ),
        (
            "variable_at_a_later_call_after_another",
            ValueError,
            "tf.function only supports singleton .* Create it outside",
        ),
        ("place_that_an_array_has_not", tf.errors.InvalidArgumentError, "read got index 5, of an array of 2"),
        ("writing_another_dtype", tf.errors.InvalidArgumentError, "TensorArray of float32 holds no int32: use tf.cast"),
        ("variable_at_a_later_call", ValueError, "Creating variables on a non-first call .* Create it outside"),
        ("too_few_arguments", TypeError, "(?s)missing a required argument: 'x'.*it takes"),
        ("signature_of_another_shape", TypeError, r"(?s)Can not cast TensorSpec\(shape=\(3, 3\).*it takes"),
        ("signature_of_a_text", TypeError, "Cannot convert 'text' to float32, as the signature says"),
        ("returned_object", TypeError, "returns tensors, not object"),
    ],
)
def test_an_error_says_what_happened(name: str, error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        PROGRAMS[name](tf)


def test_an_error_of_a_concrete_function_says_what_it_takes() -> None:
    one = tf.function(lambda x, y=2: x * y).get_concrete_function(tf.TensorSpec([None, 3]))
    with pytest.raises(
        TypeError, match=r"missing a required argument: 'y'.*y: Literal\[2\].*\n.*to be a Tensor; got float"
    ):
        one(3.0)
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"made for float32 .*argument 0 is of int32\. Use tf\.cast",
    ):
        one(tf.constant(1))
    assert repr(one).startswith(
        "<ConcreteFunction (x: TensorSpec(shape=(None, 3), dtype=tf.float32, name=None), y: Lit"
    )


def test_the_body_runs_at_each_call_under_the_users_own_tape() -> None:
    calls: list[int] = []

    @tf.function
    def square(x: Any) -> Any:
        calls.append(1)
        return x * x

    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = square(x) + square(x)
    assert float(tape.gradient(y, x)) == 12.0
    assert len(calls) == 2
    assert [scope.name for scope in tape.log.scopes] == [
        "test_the_body_runs_at_each_call_under_the_users_own_tape",
        "square",
        "square",
    ]


def test_a_refused_variable_leaves_the_function_usable() -> None:
    made = []

    @tf.function
    def f(x: Any) -> Any:
        if x == 2:
            made.append(tf.Variable(1.0))
        return x

    f(1)
    with pytest.raises(ValueError, match="non-first call"):
        f(2)
    tf.Variable(1.0)
    assert int(f(3)) == 3
