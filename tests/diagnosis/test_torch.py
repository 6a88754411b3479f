"""Faulty PyTorch programs are named, with the line; their healthy twins are left alone."""

from __future__ import annotations

import contextlib
import io
import linecache
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import tapeviz as tv
from tapeviz.diagnosis import Findings
from tapeviz.events import OpRecorded
from tapeviz.views.reading import read
from tests.diagnosis import messages
from tests.diagnosis.faulty_torch import FAULTY, FAULTY_TORCH, HEALTHY
from tests.diagnosis.programs import Pair, name_of, run

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


def findings(name: str, text: str) -> Findings:
    """Run a program as a file of its own, under `record()`; what it raises has been seen by the log."""
    filename = f"/programs/{name}.py"
    lines = [line + "\n" for line in text.strip().splitlines()]
    linecache.cache[filename] = (len(text), None, lines, filename)
    torch.manual_seed(0)
    space: dict[str, Any] = {"torch": torch, "__name__": "__main__"}
    with tv.record() as log, contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(RuntimeError, ValueError):
        exec(compile("".join(lines), filename, "exec"), space)
    torch.set_grad_enabled(True)
    return tv.diagnose(log)


@pytest.fixture(scope="module", params=FAULTY)
def found(request: pytest.FixtureRequest) -> tuple[str, str, Findings]:
    """A faulty program's cause, its text, and what is found in its one run."""
    cause, text = FAULTY[request.param]
    return cause, text, findings(request.param, text)


@pytest.fixture(scope="module", params=FAULTY_TORCH, ids=name_of)
def faulty(request: pytest.FixtureRequest) -> Pair:
    return Pair(request.param, torch)


def test_cause_and_line_come_first(found: tuple[str, str, Findings]) -> None:
    cause, text, said = found
    assert said, "nothing found"
    assert (said[0].cause, said[0].site.text if said[0].site else None) == (
        cause,
        next(line.strip() for line in text.splitlines() if "# <-" in line),
    ), str(said)


def test_it_is_said_in_pytorchs_words(found: tuple[str, str, Findings]) -> None:
    first = found[2][0]
    said = f"{first.message} {first.fix}"
    assert not [word for word in ("tf.", "tape", "stop_gradient", "reduce_", "GradientTape") if word in said], said


def test_the_step_of_an_optimizer_that_spoils_weights_of_few_bits_is_told() -> None:
    text = """
net = torch.nn.Linear(2, 2).half()
optimizer = torch.optim.Adam(net.parameters())
for _ in range(2):
    loss = net(torch.tensor([[1.0, 0.0]]).half()).float().square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
    first = findings("few_bits", text)[0]
    assert first.cause == "nan_in_input"
    assert first.fix.endswith("Keep the variables in float32, or pass `eps=1e-4`.")


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_program_hears_nothing_but_hints(name: str) -> None:
    assert [each for each in findings(name, HEALTHY[name]) if each.severity != "hint"] == []


def test_the_first_finding_names_cause_and_line(faulty: Pair) -> None:
    faulty.first_names_cause_and_line()


def test_the_repaired_program_is_silent(faulty: Pair) -> None:
    assert faulty.repaired.loud == []


def test_the_message_is_the_one_that_was_read(faulty: Pair) -> None:
    assert messages.said("torch", faulty) == messages.accepted("torch", faulty.program)


@pytest.mark.parametrize(
    ("does", "cause"),
    [
        ("torch.relu(-x)", "dead_activation"),
        ("torch.maximum(x, 2.0 * x.detach())", "zero_derivative"),
        ("torch.atan2(x, x.detach())", "precision_underflow"),
    ],
)
def test_squares_are_blamed_for_a_zero_in_few_bits_only_where_the_derivative_has_some(does: str, cause: str) -> None:
    text = f"x = torch.full((2,), 1e-4, dtype=torch.float16, requires_grad=True)\n{does}.sum().backward()"
    assert [each.cause for each in findings("few_bits_squared", text)] == [cause]


@pytest.mark.parametrize(("does", "causes"), [("pow", []), ("atan2", ["domain_edge"])])
def test_a_zero_is_called_a_corner_only_where_the_catalog_knows_one(does: str, causes: list[str]) -> None:
    text = f"x = torch.zeros(2, requires_grad=True)\ntorch.{does}(x, torch.zeros(2)).sum().backward()"
    assert [each.cause for each in findings("corner", text) if each.cause == "domain_edge"] == causes


def test_each_op_that_one_line_calls_is_told_by_itself() -> None:
    text = (
        "def slope(f, *numbers):\n"
        "    xs = [torch.tensor(each, requires_grad=True) for each in numbers]\n"
        "    y = f(*xs)\n"
        "    print(torch.autograd.grad(y.sum(), xs))\n"
        "for _ in range(2):\n"
        "    slope(torch.special.entr, 0.0)\n"
        "    slope(torch.hypot, 0.0, 0.0)\n"
        "slope(lambda x: x.log(), 0.0)"
    )
    groups = [[each.message.split()[0] for each in group] for group in findings("many_ops", text).groups()]
    assert groups == [["`special_entr`"], ["`hypot`", "`hypot`"], ["`log`"]]


def test_parameters_that_no_backward_met_are_named_where_nothing_else_is_found() -> None:
    """Nobody read their `.grad` inside the block, so the recording cannot know that they were to have one."""
    cut, whole = (
        "enc, dec = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)\n"
        "frozen = torch.nn.Linear(2, 2).requires_grad_(False)\n"
        f"h = {h}\n"
        "dec(h + frozen(h)).sum().backward()"
        for h in ("enc(torch.ones(1, 2)).detach()", "enc(torch.ones(1, 2))")
    )
    said = str(findings("no_backward_met", cut))
    assert said.startswith("No `backward` met `enc.weight` and `enc.bias`, so no gradient is there")
    assert "Nothing else found." in said
    assert "No `backward` met" not in str(findings("all_are_met", whole))
    kept_by_no_name = f"print(torch.nn.Parameter(torch.ones(1)).shape)\n{whole}"
    assert "No `backward` met" not in str(findings("what_a_library_keeps", kept_by_no_name))


def test_a_parameter_whose_place_a_tied_one_has_taken_is_not_missed() -> None:
    text = (
        "embed, head = torch.nn.Embedding(5, 2), torch.nn.Linear(2, 5, bias=False)\n"
        "head.weight = embed.weight\n"
        "head(embed(torch.tensor([1, 2]))).sum().backward()"
    )
    said = str(findings("tied", text))
    assert said.startswith("Nothing found. Checked: 1 gradient call with 1 source")


def test_parameters_on_the_meta_device_are_not_missed() -> None:
    text = (
        "tried, net = torch.nn.Linear(2, 1, device='meta'), torch.nn.Linear(2, 1)\n"
        "shape = tried(torch.ones(3, 2, device='meta')).shape\n"
        "net(torch.ones(shape[0], 2)).sum().backward()"
    )
    assert str(findings("tried_on_meta", text)).startswith("Nothing found. Checked: 1 gradient call with 2 sources")


def test_parameters_that_got_lost_by_accident_are_told_of() -> None:
    text = "enc, dec = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)\n"
    text += "h = torch.tensor(enc(torch.ones(1, 2)).tolist())\ndec(h).sum().backward()"
    (found, *more), *others = findings("lost", text).groups()
    assert (found.cause, found.severity, len(more), others) == ("left_to_numpy", "hint", 1, [])


REENTRANT = """
from torch.utils.checkpoint import checkpoint
layer, head = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
x = torch.ones(1, 2)
h = checkpoint(lambda t: torch.tanh(layer(t)), x, use_reentrant=True)
loss = head(h).sum()
loss.backward()
"""


def test_a_reentrant_checkpoint_whose_inputs_need_no_gradient_is_told_though_nobody_reads_one() -> None:
    ((found, also),) = findings("reentrant", REENTRANT).groups()
    assert (found.cause, found.severity, also.source is not None) == ("recording_disabled", "hint", True)
    assert "as it is within a reentrant checkpoint" in found.message
    assert "use_reentrant=False" in found.fix


def test_a_feature_extractor_under_no_grad_is_meant_to_learn_nothing() -> None:
    text = "enc, dec = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)\n"
    text += "with torch.no_grad():\n    h = enc(torch.ones(1, 2))\ndec(h).sum().backward()"
    assert not findings("features", text)


def test_what_an_op_gets_by_a_gradient_of_its_own_is_not_said_to_be_missing() -> None:
    text = REENTRANT.replace("torch.ones(1, 2)", "torch.ones(1, 2, requires_grad=True)")
    log = run(text, torch)
    assert not tv.diagnose(log)
    assert "No `backward` met" not in str(tv.diagnose(log))
    assert str(tv.why(log, "loss", "layer.weight")).startswith(
        "The gradient of `loss` arrives at `layer.weight` within an op that takes a gradient of its own"
    )


def test_a_step_that_was_too_large_is_named_where_the_next_pass_overflows() -> None:
    ((found, *_),) = findings("too_large", TOO_LARGE).groups()
    assert found.cause == "nan_in_forward"
    assert "since line 7: the steps of the training are too large" in found.message
    assert "torch.nn.utils.clip_grad_norm_" in found.fix


def test_a_layer_that_no_recorded_line_uses_is_told_whoever_asks_for_it() -> None:
    used, unused = torch.nn.Linear(3, 2), torch.nn.Linear(3, 2)
    with tv.record() as log:
        loss = used(torch.ones(1, 3)).sum()
        loss.backward()
    told = str(tv.why(log, loss, unused.weight))
    assert "The source, of shape (2, 3), gets None because no recorded line uses it: `loss`, made at test_torch" in told


def test_a_parameter_that_nothing_is_computed_from_is_not_passed_over_in_silence() -> None:
    net = torch.nn.ModuleDict({name: torch.nn.Linear(2, 2) for name in ("inner", "outer", "frozen", "later")})
    net["frozen"].requires_grad_(False)
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.1)
    with tv.record() as log:
        net["later"].requires_grad_(False)
        optimizer.zero_grad()
        net["inner"](torch.ones(3, 2)).square().mean().backward()
        optimizer.step()
    said = str(tv.diagnose(log))
    assert said.startswith("No `backward` met `net.outer.weight` and `net.outer.bias`, so no gradient is there: ")
    assert "Nothing else found." in said
    assert not any(name in said for name in ("frozen", "later"))


def test_it_is_named_below_what_else_is_found_too() -> None:
    net = torch.nn.ModuleDict({name: torch.nn.Linear(2, 2) for name in ("inner", "outer")})
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.1)
    with tv.record() as log:
        optimizer.zero_grad()
        (net["inner"](torch.ones(3, 2)) * 0.0).sqrt().sum().backward()
        optimizer.step()
    found = tv.diagnose(log)
    assert found
    last = str(found).splitlines()[-1]
    assert last.startswith("No `backward` met `net.outer.weight` and `net.outer.bias`, so no gradient is there: ")
    assert "Nothing else" not in last
    assert read(log).remark == "no `backward` gave `net.outer.weight` and `net.outer.bias` a gradient"
    assert "backward</code> met <code" in found._repr_html_()


TOO_LARGE = """
net = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), lr=1e25)
for step in range(2):
    loss = net(torch.eye(2)).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
"""


def test_what_is_nan_since_an_update_by_a_gradient_that_is_told_of_is_not_told_of_again() -> None:
    """The bag of nothing gets no gradient, but its class does, and spoils the others' in the step after."""
    ((found, *_),) = findings("bags", BAGS).groups()
    assert found.cause == "nan_in_forward"
    assert found.site is not None
    assert found.site.text.startswith("h = h /")


BAGS = """
embed, classes = torch.nn.Embedding(5, 3, padding_idx=0), torch.nn.Linear(3, 2)
opt = torch.optim.SGD([*embed.parameters(), *classes.parameters()], lr=0.1)
for ids in (torch.tensor([[1, 2], [0, 0]]), torch.tensor([[3, 4], [2, 1]])):
    h = embed(ids).sum(1)
    h = h / h.norm(dim=-1, keepdim=True)
    loss = torch.nn.functional.cross_entropy(classes(h), torch.tensor([0, 1]))
    opt.zero_grad()
    loss.backward()
    opt.step()
"""


def test_parameters_of_two_modules_from_before_the_recording_are_not_taken_for_each_other() -> None:
    encoder, decoder = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
    with tv.record() as log:
        with torch.no_grad():
            encoder(torch.ones(1, 2))
        decoder(torch.ones(1, 2)).sum().backward()
        print(encoder.weight.grad)
    assert [each.cause for each in tv.diagnose(log)] == ["unused_source"]


def test_ops_from_before_the_recording_are_diagnosed_and_said_to_have_no_line() -> None:
    w = torch.full((4, 1), -1.0, requires_grad=True)
    loss = -(torch.relu(w) * torch.ones(4)).mean()
    with tv.record() as log:
        loss.backward()
    found = tv.diagnose(log)
    off, crossed = (
        next(each for each in found if each.cause == cause) for cause in ("dead_activation", "broadcast_mismatch")
    )
    assert "`relu` at a line that was not recorded is off for every element" in off.message
    assert "and the tensor of shape (4,) are broadcast to (4, 4)" in crossed.message
    note = "4 ops ran before the recording, or in another thread, and their lines are not known: begin `with"
    assert note in str(found)
    assert note in read(log).remark
    assert "with tv.record():</code>" in found._repr_html_()


def test_sums_of_a_softmax_from_before_the_recording_are_not_said_to_be_constant() -> None:
    torch.manual_seed(0)
    score, x = torch.nn.Linear(3, 1), torch.randn(2, 4, 3)
    shares = torch.softmax(score(x), dim=1)
    with tv.record() as log:
        (shares * x).sum(1).square().sum().backward()
    assert not [each for each in tv.diagnose(log) if each.severity != "hint"]


def test_a_step_by_gradients_from_before_the_recording_is_not_too_early() -> None:
    experts = [torch.nn.Linear(2, 1) for _ in range(2)]
    optimizers = [torch.optim.SGD(each.parameters(), lr=0.1) for each in experts]
    experts[1](torch.ones(3, 2)).square().mean().backward()
    with tv.record() as log:
        for each in optimizers:
            each.step()
    assert not tv.diagnose(log)


@pytest.mark.filterwarnings("ignore")
def test_what_was_frozen_before_the_recording_is_not_said_to_be_made_so() -> None:
    torch = pytest.importorskip("torch")
    body, head = torch.nn.Linear(2, 2).requires_grad_(False), torch.nn.Linear(2, 1)
    with tv.record() as log:
        head(body(torch.ones(1, 2))).sum().backward()
        body.weight.grad  # noqa: B018
    [finding] = [each for each in tv.diagnose(log) if each.cause == "not_trainable"]
    assert "came with `requires_grad=False` from before the recording" in finding.message


def test_what_an_optimizer_of_the_recording_lacks_and_was_there_before_is_to_be_registered() -> None:
    net, hidden = torch.nn.Linear(2, 1), torch.nn.Linear(2, 2)
    with tv.record() as log:
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        net(hidden(torch.ones(3, 2))).sum().backward()
        optimizer.step()
    (found,) = tv.diagnose(log)
    assert "`hidden.weight`, made before the recording," in found.message
    assert found.fix.startswith("Register it")


def test_all_that_an_optimizer_lacks_is_counted() -> None:
    layers, out = [torch.nn.Linear(2, 2) for _ in range(3)], torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(out.parameters(), 0.1)
    with tv.record() as log:
        h = torch.ones(1, 2)
        for layer in layers:
            h = layer(h)
        out(h).sum().backward()
        optimizer.step()
    [finding] = tv.diagnose(log)
    assert "and 5 other tensors get gradients, but the optimizer at" in finding.message


def test_what_a_moving_average_writes_is_updated_and_no_use_of_its_gradient() -> None:
    student, teacher = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
    optimizer = torch.optim.SGD(student.parameters(), 0.1)
    with tv.record() as log:
        for _ in range(3):
            optimizer.zero_grad()
            (student(torch.ones(1, 2)) - teacher(torch.ones(1, 2))).square().sum().backward()
            optimizer.step()
            with torch.no_grad():
                for old, new in zip(teacher.parameters(), student.parameters(), strict=True):
                    old.mul_(0.9).add_(new, alpha=0.1)
    assert teacher.weight.grad is not None
    assert list(tv.diagnose(log)) == []


def test_a_backward_pass_that_an_error_ended_is_looked_at_as_far_as_it_came() -> None:
    with tv.record() as log, torch.autograd.detect_anomaly():
        w = torch.zeros(2, requires_grad=True)
        loss = (w.sqrt() * 0.0).sum()
        with contextlib.suppress(RuntimeError):
            loss.backward()
    assert [each.cause for each in tv.diagnose(log)] == ["domain_edge"]


def test_one_that_came_to_no_end_is_named_as_unchecked() -> None:
    with tv.record() as log:
        h = torch.ones(2, requires_grad=True) * 2.0
        h.register_hook(lambda g: 1 / 0)
        with contextlib.suppress(ZeroDivisionError):
            h.sum().backward()
    assert "Could not check: the gradient taken at test_torch.py, line" in str(tv.diagnose(log))


def test_parameters_that_a_backward_was_called_for_and_did_not_meet_are_in_the_table() -> None:
    net = torch.nn.Linear(2, 1)
    with tv.record() as log:
        loss = net(torch.ones(1, 2)).detach().mean().requires_grad_()
        loss.backward()
    assert [(row[0].source, row[0].arrived) for row in tv.table(log)] == [("net.weight", "None"), ("net.bias", "None")]
    assert {each.severity for each in tv.diagnose(log)} == {"error"}
    with tv.record() as log:
        torch.ones((), requires_grad=True).backward()
    assert str(tv.table(log)).startswith("No gradient call of this recording met a source")


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16], ids=str)
def test_a_large_gradient_is_known_by_its_norm_once_it_is_clipped(dtype: Any) -> None:
    net = torch.nn.Linear(64, 64, bias=False, dtype=dtype)
    with tv.record() as log:
        net(torch.ones(1, 64, dtype=dtype)).pow(2).mean().backward()
        norm = float(torch.nn.utils.clip_grad_norm_(net.parameters(), 0.1))
    ((cell,),) = tv.table(log)
    assert cell.norm == pytest.approx(norm, rel=1e-2 if dtype is torch.bfloat16 else 1e-5)
    assert "Could not check" not in str(tv.diagnose(log))


def test_a_line_that_changed_a_large_gradient_in_place_is_named() -> None:
    net = torch.nn.Linear(64, 64, dtype=torch.complex64)  # statistics are of real numbers
    with tv.record() as log:
        net(torch.ones(1, 64, dtype=torch.complex64)).abs().mean().backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 0.1)
    said = str(tv.diagnose(log))
    assert "the numbers of 1 gradient, which test_torch.py, line" in said
    assert "changed in place before they were looked at" in said


def causes(name: str, text: str) -> list[tuple[str, int]]:
    return [(each.cause, each.site.line) for each, *_ in findings(name, text).groups() if each.site is not None]


def test_a_generator_that_nothing_reached_is_told_of_its_own_pass_not_of_the_clearing_before_it() -> None:
    text = """
gen, judge = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
gen_opt, judge_opt = (torch.optim.SGD(each.parameters(), lr=0.1) for each in (gen, judge))
fake = gen(torch.randn(4, 2))
judge(fake).mean().backward()
judge_opt.step()
gen_opt.zero_grad()
loss = -judge(fake.detach()).mean()
loss.backward()
gen_opt.step()
"""
    assert causes("detached_generator", text)[:1] == [("stop_gradient", 7)]


def test_a_target_that_is_a_leaf_itself_has_no_empty_list_of_sources() -> None:
    text = """
net = torch.nn.Linear(4, 2)
total = sum(net(torch.randn(2, 4)).pow(2).mean().item() for _ in range(3))
total = torch.tensor(total, requires_grad=True)
total.backward()
"""
    assert {cause for cause, _ in causes("of_numbers", text)} <= {"left_to_numpy", "rebuilt_as_leaf"}


PINN = """
net = torch.nn.Sequential(torch.nn.Linear(1, 8), torch.nn.{}(), torch.nn.Linear(8, 1))
x = torch.linspace(0, 1, 10).reshape(-1, 1).requires_grad_()
u = net(x)
ux = torch.autograd.grad(u.sum(), x, create_graph=True)[0]
uxx = torch.autograd.grad(ux.sum(), x{})[0]
loss = ((uxx + {}) ** 2).mean()
"""


def test_of_a_stop_and_a_gradient_without_a_graph_the_accident_is_told() -> None:
    with tv.record() as log:
        space: dict[str, Any] = {"torch": torch}
        exec(PINN.format("Tanh", "", "u.detach()"), space)
    assert tv.why(log, space["loss"], space["net"][0].weight).cause == "no_higher_order_record"


def test_a_second_derivative_of_straight_pieces_is_named() -> None:
    text = PINN.format("ReLU", ", create_graph=True", "1.0") + "loss.backward()\n"
    assert causes("straight", text) == [("constant_by_construction", 3)]
    assert causes("curved", text.replace("ReLU", "Tanh")) == []


def test_why_says_that_a_result_keeps_no_gradient() -> None:
    with tv.record() as log:
        w = torch.randn(3, requires_grad=True).double()
        loss = (w**2).sum()
        loss.backward()
        with warnings.catch_warnings(action="ignore"):
            assert w.grad is None
    assert [each.cause for each in tv.why(log, loss, w).warnings] == ["non_leaf_grad"]


def test_a_cell_that_has_gates_is_not_told_to_take_one() -> None:
    text = """
cell = torch.nn.{}(2, 4)
h = torch.zeros(1, 4)
state = (h, h) if "{}" == "LSTMCell" else h
for x in torch.randn(80, 1, 2) * 0.1:
    state = cell(x, state)
last = state[0] if isinstance(state, tuple) else state
last.sum().backward()
"""
    fixes = {}
    for kind in ("LSTMCell", "RNNCell"):
        fixes[kind] = [each.fix for each in findings(kind, text.format(kind, kind)) if each.cause == "vanishing_depth"]
    assert all("has gates already" in fix for fix in fixes["LSTMCell"])
    assert fixes["LSTMCell"]
    assert all("take a gated cell" in fix for fix in fixes["RNNCell"])


def test_a_power_of_what_is_negative_wants_another_base() -> None:
    text = """
base, power = torch.nn.Parameter(torch.tensor([-1.0, 2.0])), torch.nn.Parameter(torch.tensor(2.0))
(base ** power).sum().backward()
"""
    (found,) = findings("negative_base", text)
    assert found.fix is not None
    assert found.fix.startswith("Make what it reads positive by nature")


SQUARED = """
class Squared(torch.autograd.Function):
    @staticmethod
    def forward(ctx, z):
        ctx.save_for_backward(z)
        return z * z
    @staticmethod
    def backward(ctx, g):
        (z,) = ctx.saved_tensors
        return g * z
z = torch.tensor(3.0, requires_grad=True)
Squared.apply(z).backward()
"""


def test_that_a_gradient_of_ones_own_is_the_derivative_is_claimed_only_where_it_was_looked_at() -> None:
    seen = findings("own_gradient", SQUARED)
    assert [each.cause for each in seen] == ["custom_gradient_bug"]
    assert seen[0].site is not None
    assert seen[0].site.text == "return g * z"
    assert "what it gives for `z` is 1/2 of it (it gives 3 where 6 is due)" in seen[0].message
    assert "Could not check" not in str(seen)
    told = str(findings("own_gradient_of_a_number", SQUARED.replace("z * z", "z * z.item()")))
    assert "Could not check: whether what `Squared` gives as a gradient is the derivative" in told
    assert "`torch.autograd.gradcheck(Squared.apply, x.double())`" in told


def test_nan_of_numbers_that_were_not_kept_is_no_edge_of_a_domain() -> None:
    torch = pytest.importorskip("torch")
    w = torch.nn.Parameter(torch.ones(6))
    with tv.record() as log:
        x = torch.linspace(-1.0, 1.0, 6).mul(2.0).reshape(1, 6)
        x.log_()  # what it is a view of changes, too, and its numbers from before are lost
        (x * w).square().sum().backward()
    first, *_ = tv.diagnose(log)
    assert (first.cause, first.severity) == ("nan_in_forward", "warning")
    assert first.message.startswith("What `log_` at test_torch.py")
    assert "makes it, or has read it, is not known" in first.message


def test_what_a_registered_op_calls_is_a_part_of_it() -> None:
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2.0

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2.0

    with torch.library._scoped_library("tapeviz_tests", "FRAGMENT") as library:
        library.define("twice(Tensor x) -> Tensor")
        library.impl("twice", lambda x: Double.apply(x), "CompositeImplicitAutograd")
        x = torch.ones(3, requires_grad=True)
        with tv.record() as log:
            h = x * 1.0
            y = torch.ops.tapeviz_tests.twice(h)
            ((y - y) ** 2).sum().backward()
    assert [each.op for each in log.of_kind(OpRecorded).values()][1:2] == ["tapeviz_tests::twice"]
    assert [each.cause for each in tv.diagnose(log)] == ["constant_by_construction"]


def test_an_operator_that_has_no_gradient_is_named_where_it_ran() -> None:
    tripled = torch.library.custom_op(
        "tapeviz_tests::tripled", lambda x: x * 3, mutates_args=(), schema="(Tensor x) -> Tensor"
    )
    x = torch.ones(3, requires_grad=True)
    with contextlib.suppress(RuntimeError), tv.record() as log:
        tripled(x).sum().backward()
    [finding] = tv.diagnose(log)
    assert finding.cause == "nondifferentiable_op"
    assert finding.message.startswith("PyTorch has no gradient for `tapeviz_tests::tripled`")
    assert "torch.library.register_autograd" in finding.fix


_PACKAGE = """
import numpy as np
import torch
from torch.utils.checkpoint import checkpoint

class Solve(torch.autograd.Function):
    @staticmethod
    def forward(ctx, f, x, *parameters):
        ctx.count = len(parameters)
        with torch.no_grad():
            return f(x)

    @staticmethod
    def backward(ctx, g):
        return None, g, *[g] * ctx.count

class Sine(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x.detach().numpy()
        return torch.from_numpy(np.sin(ctx.x))

    @staticmethod
    def backward(ctx, g):
        return g.detach() * torch.from_numpy(np.cos(ctx.x))

def sine(x):
    return Sine.apply(x)

def size(x):
    return torch.sqrt((x * x).sum())

def solve(f, x, parameters=()):
    return Solve.apply(f, x, *parameters)

def scaled(x):
    size = x.norm() * 2.0
    half = x * 0.25 * 2.0
    return half * 2.0 / size.item()

def adapted(net):
    net.requires_grad_(False)
    return torch.nn.Sequential(net, torch.nn.Linear(2, 1))

def steadied(x):
    return x.detach() * 2.0

def recomputed(x, w):
    return checkpoint(lambda x: (x * w).tanh(), x, use_reentrant=True)
"""


@pytest.fixture
def package(tmp_path: Path) -> SimpleNamespace:
    names: dict[str, Any] = {"__name__": "package"}
    exec(compile(_PACKAGE.strip(), str(tmp_path / "site-packages" / "package.py"), "exec"), names)
    return SimpleNamespace(**names)


def test_a_fault_in_a_package_is_told_with_its_place_there(package: SimpleNamespace) -> None:
    x = torch.zeros(3, requires_grad=True)
    with tv.record() as log:
        (package.size(x) * 2.0).backward()
    [finding] = tv.diagnose(log)
    assert finding.site is not None
    assert finding.site.text == "(package.size(x) * 2.0).backward()"
    assert finding.message.endswith(" It runs in package.py, line 30.")
    assert finding.fix.startswith("The formula is that of an installed package")


def test_what_a_package_has_a_function_read_besides_its_parameters_is_named(package: SimpleNamespace) -> None:
    w, x = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    with tv.record() as log:
        package.solve(lambda x: w * x, x).sum().backward()
        print(w.grad)
    [finding] = tv.diagnose(log)
    assert finding.cause == "custom_gradient_bug"
    assert "`package.solve`" in finding.message
    assert "reads `w`, which is none of its arguments" in finding.message
    assert finding.message.endswith(" It runs in package.py, line 33.")
    w.grad = x.grad = None
    with tv.record() as log:
        package.solve(lambda x: w * x, x, (w,)).sum().backward()
        print(w.grad)
    assert list(tv.diagnose(log)) == []


def test_only_what_a_package_returns_has_the_name_that_the_line_gives_it(package: SimpleNamespace) -> None:
    x = torch.ones(3, requires_grad=True)
    with tv.record() as log:
        y = package.scaled(x)
        y.sum().backward()
    assert [row.id for row in log.tensors if row.name == "y"] == [log.id_of(y)]


def test_what_a_package_gives_for_a_gradient_is_not_said_to_be_a_straight_line(package: SimpleNamespace) -> None:
    x = torch.ones(3, requires_grad=True)
    with contextlib.suppress(RuntimeError), tv.record() as log:
        (slope,) = torch.autograd.grad(package.sine(x).sum(), x, create_graph=True)
        torch.autograd.grad(slope.sum(), x)
    first = next(iter(tv.diagnose(log)))
    assert first.cause == "custom_gradient_bug"
    assert "as it is not connected to `x`, which `package.sine` reads" in first.message
    assert first.fix.startswith("Look for an option of the package for higher derivatives.")


def test_a_stop_in_a_package_is_not_the_users_to_remove(package: SimpleNamespace) -> None:
    w, v = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    with tv.record() as log:
        (package.steadied(w) * v).sum().backward()
        print(w.grad)
    [finding] = tv.diagnose(log)
    assert finding.cause == "stop_gradient"
    assert finding.edit is None
    assert "look for an option of the package" in finding.fix


def test_what_a_package_has_recomputed_is_seen_though_it_calls_no_module(package: SimpleNamespace) -> None:
    x, w = torch.ones(3), torch.ones(3, requires_grad=True)
    with contextlib.suppress(RuntimeError), tv.record() as log:
        package.recomputed(x, w).sum().backward()
    first = next(iter(tv.diagnose(log)))
    assert first.cause == "recording_disabled"
    assert first.message.startswith("`mul` ran at ")
    assert "and `w` gets None" in first.message


def test_what_a_package_freezes_is_no_error(package: SimpleNamespace) -> None:
    with tv.record() as log:
        net = package.adapted(torch.nn.Linear(2, 2))
        net(torch.ones(4, 2)).square().mean().backward()
        print([each.grad for each in net.parameters()])
    assert {(each.cause, each.severity) for each in tv.diagnose(log)} == {("not_trainable", "hint")}


def test_replicas_that_wait_for_a_gradient_that_never_came_are_told_of() -> None:
    distributed = pytest.importorskip("torch.distributed")
    if not distributed.is_available() or not distributed.is_gloo_available():
        pytest.skip("PyTorch was built without gloo")
    distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
    try:
        with contextlib.suppress(RuntimeError), tv.record() as log:
            net = torch.nn.ModuleDict({"used": torch.nn.Linear(2, 1), "idle": torch.nn.Linear(2, 1)})
            net.forward = net["used"].forward
            model = torch.nn.parallel.DistributedDataParallel(net)
            for _ in range(2):
                model(torch.ones(4, 2)).sum().backward()
    finally:
        distributed.destroy_process_group()
    first = next(iter(tv.diagnose(log)))
    assert first.cause == "unused_source"
    assert "gave none to `net.idle.weight` and `net.idle.bias`" in first.message
    assert "find_unused_parameters=True" in first.fix


def test_healthy_replicas_are_silent_and_the_numbers_of_their_gradients_are_known() -> None:
    distributed = pytest.importorskip("torch.distributed")
    if not distributed.is_available() or not distributed.is_gloo_available():
        pytest.skip("PyTorch was built without gloo")
    distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
    try:
        with tv.record() as log:
            model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1))
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for _ in range(2):
                optimizer.zero_grad()
                model(torch.ones(4, 2)).square().mean().backward()
                optimizer.step()
    finally:
        distributed.destroy_process_group()
    found = tv.diagnose(log)
    assert list(found) == []
    assert "not kept" not in str(found)


DEEP = """
import copy
w = torch.ones(3, requires_grad=True)
kept = copy.deepcopy(torch.sigmoid(w).detach())
(kept * 3.0).sum().requires_grad_().backward()
"""


def test_a_deep_copy_of_a_result_is_where_the_path_goes_on() -> None:
    (found,) = findings("deep_copy_of_a_result", DEEP)
    assert found.cause == "rebuilt_as_leaf"
    assert found.fix.startswith("Use `torch.sigmoid(w)` itself")
    assert found.edit is None  # `deepcopy` takes leaves alone


ROUGH = """
class Rough(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        with torch.random.fork_rng():
            return torch.normal(x, 0.1)
    @staticmethod
    def backward(ctx, g):
        return g
Rough.apply(torch.ones(3, requires_grad=True)).sum().backward()
"""


def test_the_rule_of_a_function_that_draws_is_not_said_to_be_checked() -> None:
    told = str(findings("drawn_in_a_function", ROUGH))
    assert "Could not check: whether what `Rough` gives" in told


CURVATURE = """
from torch.func import grad, jacrev
x = torch.tensor([0.5, 0.7, 0.2], requires_grad=True)
t = torch.sin(x) * 2
h = jacrev(grad(lambda e: (torch.fft.irfft(torch.fft.rfft(e) * 0.5, n=3)).sum()))(t)
(h @ t + t).sum().backward()
"""


def test_zeros_in_the_place_of_the_second_derivative_of_what_has_none_are_no_error() -> None:
    found = findings("curvature", CURVATURE)
    assert ("constant_by_construction", "hint") in {(each.cause, each.severity) for each in found}
    assert {each.severity for each in found} == {"hint"}
    assert "made before the recording" not in str(found)
