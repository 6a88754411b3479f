"""What PyTorch programs do beside layers and losses: under `record()` it gives the same, and nothing breaks."""

from __future__ import annotations

import copy
import random
import threading
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.replay import runs
from tests.seeds import each_seed

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

ODD: dict[str, Callable[[], list[Any]]] = {}


def odd(make: Callable[[], list[Any]]) -> Callable[[], list[Any]]:
    ODD[make.__name__] = make
    return make


@odd
def another_thread() -> list[Any]:
    w, made = torch.ones(2, requires_grad=True), []
    thread = threading.Thread(target=lambda: made.append((w * w).exp()))
    thread.start()
    thread.join()
    made[0].sum().backward()
    return [w.grad]


@odd
def autocast() -> list[Any]:
    net = torch.nn.Linear(4, 4)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = net(torch.randn(2, 4))
    y.float().pow(2).mean().backward()
    return [y, net.weight.grad]


@odd
def transformations() -> list[Any]:
    slope = torch.func.grad(lambda x: (x * x).sum())(torch.ones(3))
    mapped = torch.func.vmap(torch.func.grad(lambda x: x.sin()))(torch.ones(3))
    return [slope, mapped, torch.func.jacrev(lambda x: x * x)(torch.ones(3))]


@odd
def batched_gradients() -> list[Any]:
    x = torch.ones(3, requires_grad=True)
    return [torch.autograd.grad(x * x, x, torch.eye(3), is_grads_batched=True)[0]]


@odd
def whatever_can_be_called_decorated() -> list[Any]:
    layer, x = torch.nn.Linear(2, 2), torch.ones(1, 2, requires_grad=True)
    frozen, sine = torch.no_grad()(layer), torch.inference_mode()(partial(torch.sin, x))

    @torch.no_grad()
    def multiples(t: Any) -> Any:
        yield t * 2
        yield t * 3

    layer(x).sum().backward()
    return [frozen(x), sine(), *multiples(x), layer.weight.grad]


@odd
def reentrant_checkpoint() -> list[Any]:
    from torch.utils.checkpoint import checkpoint

    layer, x = torch.nn.Linear(2, 2), torch.ones(1, 2, requires_grad=True)
    checkpoint(lambda t: layer(t).tanh(), x, use_reentrant=True).sum().backward()
    return [x.grad, layer.weight.grad]


@odd
def closure_of_an_optimizer() -> list[Any]:
    w = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.LBFGS([w], max_iter=3)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = ((w - 2) ** 2).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return [w]


@odd
def compressed_rows() -> list[Any]:
    a = torch.eye(3).to_sparse_csr().requires_grad_()
    x, y = torch.randn(3, 2, requires_grad=True), torch.randn(2, 3, requires_grad=True)
    torch.sparse.sampled_addmm(a, x, y).to_dense().sum().backward()
    return [x.grad, y.grad]


@odd
def sparse_rows() -> list[Any]:
    table = torch.nn.Embedding(5, 2, sparse=True)
    table(torch.tensor([1, 1])).sum().backward()
    return [table.weight.grad.to_dense()]


@odd
def complex_numbers() -> list[Any]:
    z = torch.randn(3, dtype=torch.complex64, requires_grad=True)
    (z * z.conj()).real.sum().backward()
    return [z.grad]


@odd
def a_class_of_tensors() -> list[Any]:
    class Marked(torch.Tensor):
        pass

    t = torch.ones(2).as_subclass(Marked).requires_grad_()
    (t * 2).sum().backward()
    return [t.grad]


@odd
def copies_and_states() -> list[Any]:
    net = torch.nn.Linear(2, 2)
    twin = copy.deepcopy(net)
    twin(torch.ones(1, 2)).sum().backward()
    net.load_state_dict(twin.state_dict())
    return [net.weight, twin.weight.grad]


@odd
def in_place_and_out() -> list[Any]:
    x = torch.randn(3)
    x[x > 0] = 0
    x.clamp_(-1, 1)
    x.numpy()[0] = 2
    return [x, torch.tensor(float(x[0])), torch.tensor(x.tolist())]


@odd
def a_mode_below() -> list[Any]:
    from torch.utils._python_dispatch import TorchDispatchMode

    class Counting(TorchDispatchMode):
        calls = 0

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            self.calls += 1
            return func(*args, **(kwargs or {}))

    w = torch.ones(2, requires_grad=True)
    with Counting() as mode:
        h = w * 2
        h += 1
        h.sum().backward()
    return [w.grad, torch.tensor(mode.calls)]


@odd
def inference_in_place() -> list[Any]:
    w = torch.ones(2, requires_grad=True)
    with torch.inference_mode():
        total = (w * 2).sum()
        total.add_(1)
    return [total.clone()]


@odd
def views_of_a_parameter_while_autograd_is_off() -> list[Any]:
    w = torch.arange(6.0).requires_grad_()
    with torch.no_grad():
        w[0] = 5.0
        row = w.view(2, 3)[1]
        row.zero_()
        w.mul_(2.0)
    (w * w).sum().backward()
    return [w, w.grad]


@odd
def nested_tensors() -> list[Any]:
    parts = torch.nested.nested_tensor([torch.ones(2, 2), torch.ones(3, 2)])
    return [torch.nested.to_padded_tensor(parts * 2, 0.0)]


@odd
def lazy_modules() -> list[Any]:
    net = torch.nn.Sequential(torch.nn.LazyLinear(3), torch.nn.ReLU(), torch.nn.LazyLinear(1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1) if net(torch.ones(2, 4)).sum() else None
    net(torch.ones(2, 4)).sum().backward()
    optimizer.step()
    return list(net.parameters())


@odd
def edges_of_the_graph() -> list[Any]:
    w = torch.ones(2, requires_grad=True)
    h = w * 2
    loss = (h * h).sum()
    ends = [torch.autograd.graph.get_gradient_edge(each) for each in (h, w, loss)]
    found = torch.autograd.grad(ends[2], ends[:2], torch.tensor(1.0), retain_graph=True)
    torch.autograd.backward([loss], inputs=[ends[1]])
    return [*found, w.grad]


@odd
def hooks_of_the_users() -> list[Any]:
    net, seen = torch.nn.Linear(2, 2), []
    net.register_full_backward_hook(lambda module, sent, got: seen.append(got[0]))
    net.weight.register_hook(lambda g: g * 2)
    net(torch.ones(1, 2, requires_grad=True)).pow(2).sum().backward()
    return [net.weight.grad, *seen]


@odd
def gradients_that_have_no_plain_elements() -> list[Any]:
    w = torch.eye(2).to_sparse_csr().requires_grad_()
    for _ in range(2):
        w.grad = torch.eye(2).to_sparse_csr()
    with torch._subclasses.FakeTensorMode():
        v = torch.ones(2, requires_grad=True)
        (v * v).sum().backward()
        v.grad = torch.zeros(2)
    return [w.grad.to_dense()]


@odd
def module_whose_init_has_yet_to_run() -> list[Any]:
    bare = torch.nn.Linear.__new__(torch.nn.Linear)
    net = torch.nn.Linear(2, 1)
    net(torch.ones(1, 2)).sum().backward()
    bare.__init__(2, 1)
    return [net.weight.grad, bare(torch.ones(1, 2))]


@odd
def distributions() -> list[Any]:
    mean = torch.tensor(0.0, requires_grad=True)
    normal = torch.distributions.Normal(mean, torch.tensor(1.0))
    (-normal.log_prob(normal.rsample((3,))).mean() + normal.sample()).backward()
    return [mean.grad]


@pytest.mark.parametrize("name", sorted(ODD))
def test_the_same_with_and_without(name: str) -> None:
    def run() -> list[Any]:
        torch.manual_seed(0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ODD[name]()

    plain = run()
    with tv.record() as log:
        recorded = run()
    assert [torch.equal(one, other) for one, other in zip(plain, recorded, strict=True)] == [True] * len(plain)
    tv.diagnose(log)
    tv.table(log)


@pytest.mark.filterwarnings("always")
def test_fake_tensors_are_recorded_without_a_look_at_their_memory(recwarn: pytest.WarningsRecorder) -> None:
    """PyTorch warns whoever asks where their elements are, but as a rule only once in a process."""
    before = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    try:
        with tv.record() as log, torch._subclasses.FakeTensorMode():
            v = torch.ones(2, requires_grad=True)
            (v * v).sum().backward()
        (run,) = runs(log)
        assert [log.events[step.op].op for step in run.steps] == ["reduce_sum", "mul"]
        assert {log.value(each.total) for step in run.steps for each in step.contributions} == {None}
        assert "Could not check: the numbers" in str(tv.diagnose(log))
    finally:
        torch.set_warn_always(before)
    assert [str(each.message) for each in recwarn if "FakeTensor" in str(each.message)] == []


@pytest.mark.slow
@pytest.mark.parametrize("fullgraph", [False, True])
@pytest.mark.parametrize("functions", ["eager", "graph", None])
def test_a_compiled_function_is_seen_inside(fullgraph: bool, functions: str | None) -> None:
    """With `fullgraph` PyTorch counts what it compiled, and takes none for an error."""

    def f(x: Any) -> Any:
        return (x * x).sin().sum()

    with tv.record(functions=functions) as log:
        x = torch.ones(2, requires_grad=True)
        torch.compile(f, backend="eager", fullgraph=fullgraph)(x).backward()
    assert [each.op for each in log.events if hasattr(each, "saved")] == ["mul", "sin", "reduce_sum"]
    np.testing.assert_allclose(x.grad.numpy(), 2 * np.cos(1.0), rtol=1e-6)


UNARY = ("tanh", "sin", "exp", "sigmoid", "relu", "abs", "square", "neg")
BINARY = ("add", "mul", "sub", "maximum", "minimum")


def random_program(seed: int) -> tuple[list[Any], list[Any], Any]:
    """Leaves, tensors and a loss, of ops picked at random, some in place, some detached or under `no_grad`."""
    pick = random.Random(seed)
    torch.manual_seed(seed)
    leaves = [torch.randn(3, 3, requires_grad=pick.random() < 0.8) for _ in range(3)]
    leaves[0].requires_grad_()
    pool = [leaves[0] * 1.0, *leaves]
    for _ in range(pick.randrange(3, 15)):
        x, y = pick.choice(pool), pick.choice(pool)
        match pick.randrange(8):
            case 0 | 1:
                pool.append(getattr(torch, pick.choice(UNARY))(x * 0.5))
            case 2 | 3:
                pool.append(getattr(torch, pick.choice(BINARY))(x, y))
            case 4:
                pool.append(x @ y)
            case 5:
                pool.append(x.detach() + y)
            case 6:
                with torch.no_grad():
                    shift = x.mean()
                pool.append(y - shift)
            case 7:
                changed = x * 1.5
                changed[pick.randrange(3)] = 0.25
                changed += y
                pool.append(changed)
    for tensor in pool:
        if tensor.requires_grad and not tensor.is_leaf:
            tensor.retain_grad()
    loss = sum(each.mean() for each in pool)
    loss.backward()
    return leaves, pool, loss


@each_seed
def test_random_programs_do_the_same_when_they_are_recorded(seed: int) -> None:
    leaves, pool, loss = random_program(seed)
    with tv.record() as log:
        same_leaves, same_pool, same_loss = random_program(seed)
    assert torch.equal(loss, same_loss)
    (run,) = runs(log)
    last = {each.tensor: each.total for step in run.steps for each in step.contributions}
    for plain, recorded in zip((*leaves, *pool), (*same_leaves, *same_pool), strict=True):
        assert torch.equal(plain, recorded)
        if plain.grad is not None:
            assert torch.equal(plain.grad, recorded.grad)
            arrived = log.value(last[log.id_of(recorded)])
            np.testing.assert_array_equal(arrived, plain.grad.numpy())
    assert [each for each in tv.diagnose(log) if each.severity != "hint"] == []


@pytest.mark.parametrize(
    "refused",
    [lambda: torch.optim.SGD([]), lambda: torch.nn.functional.gumbel_softmax([1.0])],
    ids=["class", "function"],
)
def test_a_log_is_pytorchs_though_the_first_thing_it_is_asked_for_is_refused(refused: Callable[[], Any]) -> None:
    with tv.record() as log, pytest.raises((TypeError, ValueError)):
        refused()
    assert log.framework == "torch"
