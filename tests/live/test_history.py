"""A training loop, step by step: what is kept, for how long, at what cost."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter

import matplotlib
import ml_dtypes
import numpy as np
import pytest

import tapeviz as tv
from tapeviz.errors import LogError
from tapeviz.events import EventLog
from tapeviz.events.outcome import Successive, outcomes
from tapeviz.live.measure import STATES, measured
from tests.engine.names import nn

matplotlib.use("agg")


def step_of(function, *variables):
    with tv.GradientTape() as tape:
        loss = function(*variables)
    return tape, tape.gradient(loss, variables)


def trained(function, steps, *variables, rate=0.1, limit=10_000):
    """A history of plain gradient descent."""
    history = tv.History(limit=limit)
    for number in range(steps):
        tape, gradients = step_of(lambda *given, number=number: function(number, *given), *variables)
        history.add(tape)
        for variable, gradient in zip(variables, gradients, strict=True):
            if gradient is not None:
                variable.assign_sub(rate * gradient)
    return history


def quadratic(_number, w):
    return tv.reduce_sum(w * w)


# ----- what is read of a log -----


def test_an_outcome_is_the_programs_own_arrays():
    w = tv.Variable([1.0, 2.0])
    held = w._value
    tape, [gradient] = step_of(lambda w: tv.reduce_sum(w * w), w)
    [(source, value, found)] = outcomes(tape.log)
    assert (source, value is held, found is gradient._value) == (w._id, True, True)


def test_a_value_is_the_one_before_the_update():
    w = tv.Variable(2.0)
    tape, [gradient] = step_of(lambda w: w * w, w)
    w.assign_sub(0.25 * gradient)
    assert outcomes(tape.log) == [(w._id, 2.0, 4.0)]


def test_in_a_longer_recording_a_tape_has_its_own_outcomes():
    a, b = tv.Variable(1.0), tv.Variable(2.0)
    with tv.record() as log:
        first, _ = step_of(lambda a: a * a, a)
        b.assign(5.0)
        second, _ = step_of(lambda b: b * b, b)
        assert outcomes(first.log) == [(a._id, 1.0, 2.0)]
        assert outcomes(second.log) == [(b._id, 5.0, 10.0)]
    assert outcomes(log) == [(a._id, 1.0, 2.0), (b._id, 5.0, 10.0)]


def test_of_several_passes_the_last_counts():
    w = tv.Variable(1.0)
    with tv.GradientTape(persistent=True) as tape:
        one, other = w * w, 5.0 * w
    tape.gradient(one, w)
    tape.gradient(other, w)
    assert outcomes(tape.log) == [(w._id, 1.0, 5.0)]


# ----- norms -----


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int32, ml_dtypes.bfloat16])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0,)])
def test_norms_are_those_of_numpy(dtype, shape):
    draw = np.random.default_rng(0)
    values = [(draw.standard_normal(shape) * 10).astype(dtype)[()] for _ in range(5)]
    norms, states = measured(values)
    expected = [np.linalg.norm(np.ravel(each).astype(float)) if np.size(each) else np.nan for each in values]
    np.testing.assert_allclose(norms, expected, rtol=1e-6)
    assert set(states.tolist()) <= {0, 4}


def test_sizes_that_float32_cannot_square():
    values = [np.full(4, size, np.float32) for size in (1e-30, 1.0, 1e30)]
    np.testing.assert_allclose(measured(values)[0], [2e-30, 2.0, 2e30], rtol=1e-6)


# ----- steps -----


def test_names_are_those_of_the_source():
    given = tv.Variable(1.0, name="given")
    found = tv.Variable(1.0)
    listed = [tv.Variable(1.0) for _ in range(2)]
    history = tv.History()
    for _ in range(3):
        x = tv.constant(2.0)
        with tv.GradientTape() as tape:
            tape.watch(x)
            loss = given * found * listed[0] * listed[1] * x
        tape.gradient(loss, [given, found, *listed, x])
        history.add(tape)
    assert [column.name for column in history] == ["given", "found", "listed[0]", "listed[1]", "x"]
    assert {len(column.steps) for column in history} == {3}


def test_two_of_one_name_are_told_apart():
    pair = []
    for value in (1.0, 2.0):
        pair.append(tv.Variable(value, name="w"))
    history = trained(lambda _, a, b: a * b, 2, *pair)
    assert [column.name for column in history] == ["w", "w (2)"]


def test_norms_over_the_steps():
    w = tv.Variable([3.0, 4.0], name="w")
    history = trained(quadratic, 3, w, rate=0.25)
    np.testing.assert_allclose(history["w"].gradients, [10.0, 5.0, 2.5])
    np.testing.assert_allclose(history["w"].values, [5.0, 2.5, 1.25])
    assert (len(history), list(history["w"].steps)) == (3, [0, 1, 2])


def test_what_is_no_leaf_is_known_by_its_line():
    w = tv.Variable(2.0, name="w")
    history = tv.History()
    for _ in range(3):
        with tv.GradientTape() as tape:
            hidden = w * w
            loss = hidden * hidden
        tape.gradient(loss, hidden)
        history.add(tape)
    assert [(column.name, list(column.gradients)) for column in history] == [("hidden", [8.0] * 3)]


def test_a_variable_may_come_later():
    a, b = tv.Variable(1.0, name="a"), tv.Variable(1.0, name="b")
    history = tv.History()
    history.add(step_of(lambda a: a * a, a)[0])
    history.add(step_of(lambda a, b: a * b, a, b)[0])
    assert (list(history["a"].steps), list(history["b"].steps)) == ([0, 1], [1])


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (lambda number, w: tv.constant(1.0) * 2.0 if number >= 7 else w * w, "None"),
        (lambda number, w: w * (float("nan") if number >= 7 else 1.0), "NaN"),
        (lambda number, w: w * (float("inf") if number >= 7 else 1.0), "inf"),
        (lambda number, w: w * (0.0 if number >= 7 else 1.0), "zero"),
        (lambda number, w: w * (1e6 if number >= 7 else 1.0), "exploding"),
    ],
)
def test_the_step_at_which_it_began(function, what):
    history = trained(function, 10, tv.Variable(1.0, name="w"), rate=0.0)
    assert history.troubles == [(7, "w", what)]
    assert f"{what} first at step 7" in history.table()


def test_a_gradient_vanishes_beside_the_others():
    deep, shallow = tv.Variable(1.0, name="deep"), tv.Variable(1.0, name="shallow")
    history = trained(lambda number, a, b: 10.0 ** (-number) * a + 0.5 * b, 8, deep, shallow, rate=0.0)
    assert history.troubles == [(5, "deep", "vanishing")]


def test_training_that_converges_is_no_trouble():
    history = trained(quadratic, 60, tv.Variable([3.0, 4.0]), rate=0.25)
    assert history.troubles == []


def test_what_is_not_kept_is_no_trouble():
    history = tv.History()
    with tv.record(values="none"):
        tape, _ = step_of(lambda w: w * w, tv.Variable(1.0, name="w"))
        history.add(tape)
    assert history.troubles == []
    assert np.isnan(history["w"].gradients[0])


def test_where_nothing_is_kept_table_and_plot_say_so():
    history = tv.History()
    with tv.record(values="none"):
        history.add(step_of(lambda w: w * w, tv.Variable(1.0, name="w"))[0])
    said = "the numbers were not kept, as with values='none'"
    assert history.table().splitlines()[-1] == f"-: {said}"
    assert [text.get_text() for text in history.plot().texts] == [said]


def test_a_value_that_is_not_kept_is_not_told_as_nan():
    assert [row.split()[5] for row in kept_in_part().table().splitlines()[2:]] == ["-", "NaN"]


@pytest.mark.torch
@pytest.mark.parametrize("values", ["kept", "norms"])
def test_norms_of_a_frameworks_gradients_however_small_or_large(values: str) -> None:
    torch = pytest.importorskip("torch")
    sizes = {1e-30: "", 2.0: "", 1e30: "", 0.0: "zero", float("nan"): "NaN", float("inf"): "inf"}
    w, history = torch.ones(30, 40, requires_grad=True), tv.History()
    for size in sizes:
        with tv.record(values=values) as log:
            w.grad = None
            (w * size).sum().backward()
        history.add(log)
    (column,) = history
    np.testing.assert_allclose(column.gradients, [np.linalg.norm(np.full(1200, each)) for each in sizes], rtol=1e-5)
    np.testing.assert_allclose(column.values, [1200**0.5] * len(sizes), rtol=1e-5)
    assert [STATES[each] for each in column.states] == list(sizes.values())


def kept_in_part():
    """The history of a step that changes two tensors in place, of one of which only the shape is kept."""
    torch = pytest.importorskip("torch")
    large, lost = torch.ones(2000, requires_grad=True), torch.tensor([1.0, float("nan")], requires_grad=True)
    optimizer = torch.optim.SGD([large, lost], lr=0.1)
    with tv.record() as log:
        ((large * large).sum() + lost.sum()).backward()
        optimizer.step()
    history = tv.History()
    history.add(log)
    return history


# ----- bounds -----


def test_it_thins_evenly_and_forgets_no_beginning():
    history = trained(
        lambda number, w: w * (float("nan") if number == 13 else 1.0),
        50,
        tv.Variable(1.0, name="w"),
        rate=0.0,
        limit=16,
    )
    assert (len(history), history.stride) == (50, 4)
    assert list(history["w"].steps) == list(range(0, 50, 4))
    assert history.troubles == [(13, "w", "NaN")]


def test_reading_in_between_changes_nothing():
    w = tv.Variable([3.0, 4.0], name="w")
    history = tv.History(limit=8)
    for _ in range(20):
        history.add(step_of(lambda w: tv.reduce_sum(w * w), w)[0])
        assert len(history["w"].steps) <= 8
    assert list(history["w"].steps) == list(range(0, 20, 4))


def test_memory_is_bounded():
    w = tv.Variable(1.0, name="w")
    history = tv.History(limit=100)
    tape, _ = step_of(lambda w: w * w, w)
    for _ in range(5_000):
        history.add(tape)
    column = history["w"]
    assert sum(sys.getsizeof(each) for each in (column.steps, column.gradients, column.values, column.states)) < 10_000
    assert not column.waiting


def test_large_arrays_do_not_wait():
    w = tv.Variable(np.ones(1 << 18, np.float32), name="w")
    history = tv.History()
    history.add(step_of(lambda w: tv.reduce_sum(w * w), w)[0])
    assert [column.waiting for column in history._columns.values()] == [[]]


def test_a_log_is_read_in_full_for_new_names_only():
    w = tv.Variable(1.0, name="w")
    history = tv.History()
    tapes = [step_of(lambda w: w * w, w)[0] for _ in range(2)]
    for tape in tapes:
        history.add(tape)
    assert [tape.log._tables is None for tape in tapes] == [False, True]


# ----- reading -----


def test_a_log_without_a_gradient_is_refused():
    with tv.GradientTape() as tape:
        tv.Variable(1.0) * 2.0
    with pytest.raises(LogError, match=r"tape\.gradient.*history\.add"):
        tv.History().add(tape)
    with pytest.raises(TypeError, match="Nothing recorded in a float"):
        tv.History().add(3.0)
    with pytest.raises(ValueError, match="at least 2 steps"):
        tv.History(limit=1)


def test_an_unknown_variable_is_refused():
    history = trained(quadratic, 1, tv.Variable([1.0], name="w"))
    with pytest.raises(KeyError, match="no variable 'v' in this history; it has w"):
        history["v"]


def test_it_prints():
    history = trained(quadratic, 3, tv.Variable([3.0, 4.0], name="<w>"), rate=0.25)
    assert repr(history) == "<History: 3 steps, 1 variable>"
    assert repr(trained(quadratic, 1, tv.Variable([1.0]))) == "<History: 1 step, 1 variable>"
    assert repr(history.table()) == str(history.table())
    assert "\n" in history.table()._repr_html_()
    assert history.table().splitlines()[0] == "gradient norms over 3 steps"
    assert history.table().splitlines()[2].split() == ["<w>", "10.0", "2.5", "2.5", "10.0", "1.25"]
    assert "&lt;w&gt;" in history._repr_html_()
    assert "no step yet" in tv.History()._repr_html_()


def test_the_plot_has_a_line_per_variable_and_marks_the_trouble():
    names = [f"w{index}" for index in range(12)]
    variables = [tv.Variable(float(index + 1), name=name) for index, name in enumerate(names)]

    def function(number, *given):
        return sum(each * each for each in given) + given[11] * (float("nan") if number == 5 else 0.0)

    history = trained(function, 9, *variables, rate=0.01)
    axes = history.plot()
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert len(labels) == 10
    assert labels[0] == "w11"
    assert axes.get_legend().get_title().get_text() == "and 2 more, in grey"
    assert [text.get_text() for text in axes.texts] == ["step 5: NaN in w11"]
    assert axes.get_yscale() == "log"


def test_it_plots_into_the_axes_it_is_given():
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    assert tv.History().plot(axes) is axes
    assert [text.get_text() for text in axes.texts] == ["no step yet"]


# ----- Parquet -----

needs_pyarrow = pytest.mark.skipif(find_spec("pyarrow") is None, reason="pyarrow is not installed")


@needs_pyarrow
def test_a_file_gives_it_back_and_it_goes_on(tmp_path):
    w = tv.Variable([3.0, 4.0], name="w")
    history = trained(
        lambda number, w: quadratic(number, w) * (float("nan") if number == 3 else 1.0), 20, w, rate=0.0, limit=8
    )
    read = tv.History.from_parquet(history.to_parquet(tmp_path / "training.parquet"))
    assert (len(read), read.stride, read.limit, read.troubles) == (20, 4, 8, history.troubles)
    for name in ("steps", "states"):
        assert getattr(read["w"], name) == getattr(history["w"], name)
    np.testing.assert_array_equal(read["w"].gradients, history["w"].gradients)
    assert read["w"].value_state == history["w"].value_state
    read.add(step_of(lambda w: tv.reduce_sum(w * w), w)[0])
    assert [column.name for column in read] == ["w"]
    assert list(read["w"].steps)[-1] == 20


@needs_pyarrow
def test_another_parquet_file_is_refused(tmp_path):
    import pyarrow
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.table({"a": [1]}), tmp_path / "other.parquet")
    with pytest.raises(ValueError, match=r"other\.parquet is not a tapeviz history"):
        tv.History.from_parquet(tmp_path / "other.parquet")


def test_without_pyarrow_it_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for act in (tv.History().to_parquet, tv.History.from_parquet):
        with pytest.raises(ModuleNotFoundError, match="pip install pyarrow"):
            act(tmp_path / "training.parquet")


# ----- cost -----


def shares_of_a_step() -> list[float]:
    """What adding a step takes, as a share of the step, round by round: of a 4-16-3 network with 150 rows."""
    draw = np.random.RandomState(0)
    rows = tv.constant(draw.standard_normal((150, 4)), tv.float32)
    labels = tv.constant(draw.randint(0, 3, 150), tv.int32)
    weights = [tv.Variable(draw.normal(0, 0.5, shape).astype("f")) for shape in ((4, 16), (16,), (16, 3), (3,))]

    def loss_of(w1, b1, w2, b2):
        logits = tv.matmul(tv.tanh(tv.matmul(rows, w1) + b1), w2) + b2
        return tv.reduce_mean(nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))

    history, ratios = tv.History(), []
    for _ in range(15):
        spent = [0.0, 0.0]
        for _ in range(512):
            started = perf_counter()
            tape, gradients = step_of(loss_of, *weights)
            for weight, gradient in zip(weights, gradients, strict=True):
                weight.assign_sub(0.1 * gradient)
            between = perf_counter()
            history.add(tape)
            spent[0] += between - started
            spent[1] += perf_counter() - between
        ratios.append(spent[1] / spent[0])
    return ratios


def test_a_step_costs_a_few_percent():
    """The best of fifteen rounds, since machines have other things to do; in a process without what a suite leaves."""
    script = "from tests.live.test_history import shares_of_a_step; print(*shares_of_a_step())"
    root = Path(tv.__file__).parents[1]
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=root)
    shares = [float(each) for each in run.stdout.split()]
    assert min(shares) < 0.08, shares


def test_logs_from_files_are_steps_like_any(tmp_path: Path) -> None:
    history, again = tv.History(), tv.History()
    w, x = tv.Variable([1.0, 2.0], name="w"), tv.constant([3.0, 4.0])
    for step in range(3):
        with tv.GradientTape() as tape:
            tape.watch(x)
            loss = tv.reduce_sum(w * w * x) * float(step)
        tape.gradient(loss, [w, x])
        history.add(tape)
        again.add(tv.load(tv.save(tape, tmp_path / f"{step}.tape")))
    assert str(again.table()) == str(history.table())


@pytest.mark.torch
def test_steps_of_a_torch_loop() -> None:
    import torch

    net, history = torch.nn.Linear(2, 1), tv.History()
    for _ in range(3):
        net.zero_grad()
        with tv.record() as log:
            net(torch.ones(4, 2)).sum().backward()
        history.add(log)
    assert [column.name for column in history.columns] == ["net.weight", "net.bias"]
    assert list(history.columns[1].gradients) == [4.0] * 3


def test_what_is_read_goes_on_where_variables_share_a_name():
    def made(value):
        w = tv.Variable(value, name="w")
        return w

    pair = [made(1.0), made(2.0)]
    with tv.GradientTape() as tape:
        y = pair[0] * pair[1]
    tape.gradient(y, pair)
    history = tv.History()
    history.add(tape)
    read = tv.History()
    read.restore(1, history.columns)
    read.add(tape)
    assert [column.name for column in read] == ["w", "w (2)"]
    assert [list(column.gradients) for column in read] == [[2.0, 2.0], [1.0, 1.0]]


def test_a_gradient_that_is_no_number_has_no_norm():
    v = tv.Variable([1.0, 2.0], name="v")
    history = tv.History()
    for factor in (1.0, float("nan")):
        with tv.GradientTape() as tape:
            y = tv.reduce_sum(v * tv.constant([1.0, factor]))
        tape.gradient(y, v)
        history.add(tape)
    assert history.table().splitlines()[-1].split()[:5] == ["v", "1.414", "NaN", "1.414", "1.414"]


# ----- of logs that are alike -----


@pytest.mark.torch
@pytest.mark.parametrize("values", ["kept", "norms", "none"])
def test_a_log_like_the_one_before_is_read_without_events(values: str, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    net, bias = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh()), torch.zeros(4, requires_grad=True)
    optimizer = torch.optim.Adam([*net.parameters(), bias])
    folds: list[EventLog] = []
    read = EventLog._read
    monkeypatch.setattr(EventLog, "_read", lambda log: folds.append(log) or read(log))
    successive, folded = Successive(), []
    for step in range(8):
        with tv.record(values=values) as log:
            optimizer.zero_grad()
            out = net(torch.ones(2 + (step == 5), 3)) + bias
            if step > 5:  # another program from here on
                out = out * 2
            out.square().sum().backward()
            optimizer.step()
        folds.clear()
        found = successive.of(log)
        folded.append(bool(folds))
        assert repr(found) == repr(outcomes(log))
    assert folded == [True, True, False, False, False, False, True, False]


@pytest.mark.torch
def test_a_program_whose_source_is_nowhere_has_logs_that_are_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {"torch": pytest.importorskip("torch"), "tv": tv}
    training = "with tv.record() as log:\n    (w * w).sum().backward()\nsuccessive.of(log)"
    successive, folds = Successive(), list[EventLog]()
    read = EventLog._read
    monkeypatch.setattr(EventLog, "_read", lambda log: folds.append(log) or read(log))
    names |= {"w": names["torch"].ones(3, requires_grad=True), "successive": successive}
    code = compile(training, "<string>", "exec")
    for _ in range(4):
        exec(code, names)
    assert len(set(map(id, folds))) == 2  # the first, and that which finds a gradient in `w`
