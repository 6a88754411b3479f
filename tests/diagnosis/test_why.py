"""`why`: one target, one source, before or after the gradient was asked for, by tensor or by name."""

from __future__ import annotations

import linecache
import re

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.diagnosis import Answer, Finding
from tapeviz.diagnosis.table import table
from tapeviz.diagnosis.why import why
from tapeviz.errors import LogError
from tapeviz.events.defaults import Defaults
from tests.engine.names import math
from tests.growth import timed


def test_a_healthy_gradient_gets_its_paths() -> None:
    w, x = tf.Variable(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        h = w * x
        loss = h * h + w
    tape.gradient(loss, w)
    answer = why(tape, loss, w)
    assert isinstance(answer, Answer)
    assert "The gradient of `loss` arrives at `w`, through `mul`" in answer.message
    assert "`add`" in answer.message
    assert "the sum over 3 paths" in answer.message
    through_mul, through_add = answer.paths
    assert re.fullmatch(
        r"`w` → mul \(test_why.py, line \d+\) → `h` → .*\(the shortest of 2 paths that begin there\)", through_mul
    )
    assert re.fullmatch(r"`w` → add \(test_why.py, line \d+\) → `loss`", through_add)
    assert through_add in str(answer)
    assert "→ add (test_why.py" in answer._repr_html_()


def test_names_will_do() -> None:
    w = tf.Variable(2.0, name="w")
    with tf.GradientTape() as tape:
        kept = tf.stop_gradient(w * 2.0)
        loss = kept * kept
    tape.gradient(loss, w)
    finding = why(tape, "loss", "w")
    assert isinstance(finding, Finding)
    assert (finding.cause, finding.symptom) == ("stop_gradient", "none")
    assert finding.source == tape.log.id_of(w)


def test_no_call_is_needed_and_none_is_used_up() -> None:
    x = tf.constant(2.0)
    w = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * w
    assert why(tape, y, x).cause == "not_watched"  # type: ignore[union-attr]
    assert isinstance(why(tape, y, w), Answer)
    assert float(tape.gradient(y, w)) == 2.0


def test_the_tape_is_the_one_that_recorded_the_target() -> None:
    w = tf.Variable(3.0)
    with tf.record() as log:
        with tf.GradientTape():
            y = w * w
        with tf.GradientTape():
            w * 2.0  # another tape comes later
    assert isinstance(why(log, y, w), Answer)


def test_the_tape_that_is_asked_did_not_record_the_target() -> None:
    tf.configure(ring=Defaults.ring)  # a recorder that has lost its oldest ops cannot tell other tapes from them
    w = tf.Variable(3.0)
    with tf.GradientTape() as first:
        y = w * w
    with tf.GradientTape() as second:
        w * 2.0
    assert second.gradient(y, w) is None
    finding = why(second, y, w)
    assert isinstance(finding, Finding)
    assert finding.cause == "outside_tape"
    assert "`y` was recorded elsewhere, by another tape" in finding.message
    assert isinstance(why(first, y, w), Answer)


def test_a_variable_made_anew_is_told_from_the_one_used() -> None:
    w = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        loss = w * 3.0
    w = tf.Variable(2.0)
    tape.gradient(loss, w)
    finding = why(tape, loss, w)
    assert isinstance(finding, Finding)
    assert finding.message.startswith("`w` is another variable now")
    assert finding.site is not None
    assert finding.site.text == "w = tf.Variable(2.0)"


def test_a_cell_that_ran_again() -> None:
    cell = compile("w = tf.Variable(1.0)\n", "<cell>", "exec")
    linecache.cache["<cell>"] = (0, None, ["w = tf.Variable(1.0)\n"], "<cell>")
    names = {"tf": tf}
    exec(cell, names)
    with tf.GradientTape() as tape:
        loss = names["w"] * 3.0  # type: ignore[operator]
    exec(cell, names)
    tape.gradient(loss, names["w"])
    finding = why(tape, loss, names["w"])
    assert isinstance(finding, Finding)
    assert "`loss` used the one that this line made before" in finding.message


def test_variables_that_share_no_name_are_not_taken_for_each_other() -> None:
    first, second = tf.Variable(1.0, name="w"), tf.Variable(2.0, name="w")
    with tf.GradientTape() as tape:
        loss = first * 3.0
    tape.gradient(loss, second)
    assert "another variable now" not in str(why(tape, loss, second))


def test_several_targets() -> None:
    a, b = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        first, second = a * 2.0, tf.round(b) * 3.0
    tape.gradient([first, second], [a, b])
    finding = why(tape, second, b)
    assert isinstance(finding, Finding)
    assert finding.cause == "nondifferentiable_op"
    assert finding.target == tape.log.id_of(second)


def test_a_call_that_failed_is_told_as_it_was_and_before_it_as_it_would_be() -> None:
    x, w = tf.Variable([1.0, 2.0], name="x"), tf.Variable(2.0, name="w")
    with tf.GradientTape() as tape:
        remainder = tf.truncatemod(x, 2.0)
        y = tf.reduce_sum(remainder) * w
    assert "a gradient call fails there" in str(why(tape, y, x))
    with pytest.raises(LookupError, match="TruncateMod"):
        tape.gradient(y, [x, w])
    with pytest.raises(RuntimeError, match="non-persistent") as used:
        tape.gradient(y, w)
    assert "to the call that failed" in used.value.__notes__[0]
    for source in (x, w):
        finding = why(tape, y, source)
        assert isinstance(finding, Finding)
        assert (finding.cause, finding.symptom) == ("nondifferentiable_op", "error")
        assert "TensorFlow has no gradient for `truncatemod`" in finding.message
    assert str(table(tape)).startswith("No gradient call of this recording came to its end")


def test_where_integers_or_booleans_come_of_an_op_without_a_gradient_a_call_gives_none() -> None:
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.cast(math.is_nan(x), tf.float32)
    assert "gets None" in str(why(tape, y, x))
    assert tape.gradient(y, x) is None
    assert "gets None" in str(why(tape, y, x))


def test_what_no_recorded_line_uses_gets_none_for_that() -> None:
    used, unused = tf.Variable(2.0), tf.Variable([1.0, 3.0])
    with tf.GradientTape() as tape:
        loss = used * used
    before = why(tape, loss, unused)
    assert isinstance(before, Finding)
    assert (before.cause, before.symptom, before.source) == ("unused_source", "none", None)
    assert before.message.startswith("The source, of shape (2,), gets None because no recorded line uses it: `loss`")
    tape.gradient(loss, unused)  # by which the log meets it
    after = why(tape, loss, unused)
    assert isinstance(after, Finding)
    assert (after.cause, after.site) == (before.cause, before.site)


def test_a_target_that_no_recorded_line_made_is_an_error() -> None:
    w = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        w * w
    with pytest.raises(LogError, match="never mentions"):
        why(tape, tf.constant(1.0), w)


def test_an_unknown_name_is_an_error_that_lists_the_known_ones() -> None:
    w = tf.Variable(1.0, name="w")
    with tf.GradientTape() as tape:
        loss = w * w
    tape.gradient(loss, w)
    with pytest.raises(LogError, match="It has: loss, w"):
        why(tape, "los", "w")


def test_a_plain_number_is_traced_to_where_it_was_read_out() -> None:
    w = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        loss = float(w * w)
        other = (w * 3.0).numpy()
    with pytest.raises(LogError, match=r"but the float 4.0, which `float\(\)` at test_why.py, line \d"):
        why(tape, loss, w)
    with pytest.raises(LogError, match=r"the float32 6.0, which `.numpy\(\)` at .* Keep the tensor, without `.numpy"):
        why(tape, other, w)
    with pytest.raises(LogError, match=r"The source is not a tensor .* but None. Pass the tensor or the variable"):
        why(tape, w, None)


def test_swapped_arguments_are_seen_before_a_gradient_is_taken() -> None:
    w = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        loss = tf.round(w * 2.0)
    found = why(tape, w, loss)
    assert isinstance(found, Finding)
    assert found.cause == "swapped_arguments"
    assert found.fix == "The target comes first: `tape.gradient(loss, w)`."


def test_a_log_without_a_tape_is_an_error() -> None:
    with tf.record() as log:
        w = tf.Variable(1.0)
        y = w * 2.0
    with pytest.raises(LogError, match="no tape"):
        why(log, y, w)


def test_a_zero_or_a_nan_is_explained_too() -> None:
    w, v = tf.Variable([1.0, 0.0]), tf.Variable([0.0, 2.0])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.sign(w)) + tf.reduce_sum(v**0.5)
    tape.gradient(loss, [w, v])
    assert [why(tape, loss, each).cause for each in (w, v)] == ["nondifferentiable_op", "domain_edge"]  # type: ignore[union-attr]


def test_what_an_update_spoilt_is_not_blamed_on_the_ops_that_read_it() -> None:
    w = tf.Variable([1.0, 2.0])
    with tf.record() as log:
        for _ in range(2):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(math.log(w))
            gradient = tape.gradient(loss, w)
            w.assign_sub(np.inf * gradient)
    answer = why(log, loss, w)
    assert isinstance(answer, Answer)
    (found,) = answer.warnings
    assert (found.cause, found.severity) == ("nan_in_input", "warning")
    assert "is infinite in 2 of its 2 entries, the first at [0], before `log`" in found.message
    assert found.fix is not None
    assert found.fix.startswith("An update made `w` so: look at the step before")


def test_a_used_tape_says_so() -> None:
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y, z = x * x, x * 3.0
    tape.gradient(y, x)
    with pytest.raises(RuntimeError):
        tape.gradient(z, x)
    assert why(tape, z, x).cause == "graph_consumed"  # type: ignore[union-attr]
    assert isinstance(why(tape, y, x), Answer)


def test_zeros_asked_for_are_explained_as_none_would_be() -> None:
    x, z = tf.Variable(2.0), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x * x
    tape.gradient(y, [x, z], unconnected_gradients="zero")
    found = why(tape, y, z)
    assert isinstance(found, Finding)
    assert found.cause == "unused_source"
    assert found.message.startswith("`z` gets zeros in the place of None because")
    assert found.fix == "Use `z` in `y`, or leave it out of the sources."


def test_the_norm_of_a_healthy_gradient() -> None:
    x = tf.Variable([3.0, 4.0])
    with tf.GradientTape() as tape:
        y = 0.5 * tf.reduce_sum(x * x)
    tape.gradient(y, x)
    assert "its norm is 5." in str(why(tape, y, x))


def test_all_uses_are_counted() -> None:
    w = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = w * w * w + tf.sin(w)
    tape.gradient(y, w)
    answer = why(tape, y, w)
    assert isinstance(answer, Answer)
    assert re.search(
        r"through `mul` at .* \(2 times\) and `sin` at line \d+; it is the sum over 4 paths", answer.message
    )
    assert [re.findall(r"mul|sin", path)[0] for path in answer.paths] == ["mul", "sin"]
    assert "the shortest of 3 paths" in answer.paths[0]


def test_many_beginnings_are_counted_not_listed() -> None:
    w = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.add_n([op(w) for op in (tf.sin, tf.cos, tf.exp, tf.tanh, tf.sigmoid, tf.square, tf.abs, tf.sqrt)])
    answer = why(tape, y, w)
    assert isinstance(answer, Answer)
    assert len(answer.paths) == 7
    assert answer.paths[-1] == "… 2 more of the 8 paths"


def test_a_long_way_is_cut_short_and_no_path_is_walked_twice() -> None:
    def answered(steps: int, below: float = 0.0) -> tuple[Answer, float]:
        w = tf.Variable(0.5)
        with tf.GradientTape() as tape:
            h = w * 1.0
            for _ in range(steps):
                h = tf.sin(h) + h
        answer, took = timed(lambda: why(tape, h, w), below)
        assert isinstance(answer, Answer)
        return answer, took

    most = 15 * max(answered(1000)[1], 0.02)
    answer, took = answered(5000, most)
    assert took < most
    (path,) = answer.paths
    assert "→ … 4,992 ops … →" in path
    assert path.endswith("(the shortest of about 10^1505 paths that begin there)")
    assert len(path) < 300


def test_what_is_wrong_with_an_arriving_gradient_is_said_at_the_end() -> None:
    w, x, t = tf.Variable(tf.ones((4, 1))), tf.ones((16, 4)), tf.zeros((16,))
    penalty = tf.reduce_sum(w * w)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((x @ w - t) ** 2) + 0.1 * penalty

    def causes() -> set[str]:
        answer = why(tape, loss, w)
        assert isinstance(answer, Answer)
        assert all(str(each) in str(answer) and each.title in answer._repr_html_() for each in answer.warnings)
        return {each.cause for each in answer.warnings}

    assert causes() == {"outside_tape", "broadcast_mismatch"}
    tape.gradient(loss, w)
    assert causes() == {"outside_tape", "broadcast_mismatch"}


def test_one_source_at_a_time() -> None:
    w = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        loss = w * w
    with pytest.raises(TypeError, match="one source at a time and got a list of 1"):
        why(tape, loss, [w])
    with pytest.raises(TypeError, match="one target at a time"):
        why(tape, (loss, loss), w)


def test_the_gradient_of_several_targets_is_that_of_their_sum() -> None:
    a, b = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        first, second = a * b, a * tf.sin(b)
    tape.gradient([first, second], [a, b])
    answer = why(tape, second, b)
    assert isinstance(answer, Answer)
    assert answer.message.startswith("The gradient of the sum of `first` and `second` arrives at `b`")
    assert len(answer.paths) == 2


def test_a_name_off_the_picture_is_told_apart() -> None:
    x = tf.Variable(2.0, name="x")
    with tf.GradientTape() as tape:
        y = tf.square(x * x * x)
    with pytest.raises(LogError, match=r"No tensor .* 'mul₂'.* Pictures number .* pass the tensor itself"):
        why(tape, "mul₂", x)
    with pytest.raises(LogError, match=r"It has: x, y\.$"):
        why(tape, "mul", x)
    assert y.shape == ()


@pytest.mark.parametrize("values", ["kept", "none"])
def test_a_part_of_a_variable_is_another_object_whether_its_numbers_are_kept_or_not(values):
    w = tf.Variable([3.0, 4.0], name="w")
    with tf.record(values=values) as log:
        part, scaled = w[0], w * 2.0
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(w * w)
        tape.gradient(loss, [part, scaled])
    assert [each.cause for each in tf.diagnose(log)] == ["source_is_other_object", "unused_source"]
