"""Programs of PyTorch with one fault each, and healthy ones.

`FAULTY_TORCH` are repaired by their marks; of `FAULTY` only the line to name is marked, as `# <-`.
`HEALTHY` do nearly the same as those and must stay silent above a hint.
"""
# ruff: noqa: E501  (a repaired line stands beside the faulty one)

from __future__ import annotations

from textwrap import dedent

from tests.diagnosis.faulty_choices import TORCH_CHOICES
from tests.diagnosis.faulty_given import GIVEN_TORCH
from tests.diagnosis.faulty_torch_functions import FUNCTIONS
from tests.diagnosis.faulty_torch_functions import HEALTHY as HEALTHY_FUNCTIONS
from tests.diagnosis.faulty_torch_modules import MODULES
from tests.diagnosis.faulty_torch_passes import HEALTHY as HEALTHY_PASSES
from tests.diagnosis.faulty_torch_passes import PASSES
from tests.diagnosis.faulty_torch_updates import UPDATES
from tests.diagnosis.programs import marked

FAULTY_TORCH = [
    *GIVEN_TORCH,
    *marked(
        "not_watched",
        an_input_that_is_followed_for_a_line_of_its_own="""
            def lent(x, net):
                return x.requires_grad_(), torch.autograd.grad(net(x).sum(), x)[0], x.requires_grad_(False)
            net = torch.nn.Linear(2, 1)
            x = torch.randn(4, 2)  #! x = torch.randn(4, 2, requires_grad=True)
            slope = lent(x, net)[1] if not x.requires_grad else 1.0
            (net(x) * slope).sum().backward()
            slope = x.grad
            """,
        an_image_that_an_optimizer_holds_before_a_frozen_model="""
            # raises
            model = torch.nn.Linear(2, 3).requires_grad_(False)
            image = torch.tensor([[1.0, 2.0]])  #! image = torch.tensor([[1.0, 2.0]], requires_grad=True)
            optimizer = torch.optim.SGD([image], lr=0.1)
            model(image).square().sum().backward()
            optimizer.step()
            """,
    ),
    *marked(
        "watched_too_late",
        points_that_are_a_column_of_others="""
            # raises
            net = torch.nn.Linear(1, 1)
            t = torch.linspace(0.0, 1.0, 5).reshape(-1, 1)  #~ t = torch.linspace(0.0, 1.0, 5).reshape(-1, 1).requires_grad_()
            u = net(t)
            t.requires_grad_()  #!
            du, = torch.autograd.grad(u.sum(), t, create_graph=True)
            """,
    ),
    *marked(
        "nondifferentiable_op",
        the_second_result_of_max="""
            # raises
            logits = torch.tensor([[0.1, 0.7, 0.2]], requires_grad=True)
            chosen = logits.max(-1)[1]  #! chosen = logits.softmax(-1) @ torch.arange(3.0)
            (chosen.float() - 1.0).square().sum().backward()
            """,
    ),
    *marked(
        "nan_in_forward",
        root_beside_memory_that_was_filled_whole="""
            scale, w = torch.full((3,), float("nan")), torch.nn.Parameter(torch.ones(3))
            scale.uniform_(1.0, 2.0)
            loss = (torch.sqrt(w - 2.0) * scale).sum()  #! loss = (torch.sqrt(w + 2.0) * scale).sum()
            loss.backward()
            """,
        weights_drawn_by_data_that_a_step_makes_nan="""
            w, x = torch.nn.Parameter(torch.empty(2, 2)), torch.ones(1, 2)
            w.data.uniform_(-1.0, 1.0)
            optimizer = torch.optim.SGD([w], lr=0.1)
            for step in range(2):
                shares = torch.exp(x @ w + 200.0)  #! shares = torch.exp(x @ w)
                loss = (shares / shares.sum()).square().sum()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            """,
        labels_that_are_all_left_out_of_the_second_batch="""
            net = torch.nn.Linear(2, 3)
            criterion = torch.nn.CrossEntropyLoss()
            for labels in [0, 1], [-100, -100]:  #~ for labels in [0, 1], [2, -100]:
                loss = criterion(net(torch.ones(2, 2)), torch.tensor(labels))  #! =
                net.zero_grad()
                loss.backward()
            """,
        text_that_is_longer_than_what_it_is_read_from="""
            scores, text = torch.nn.Parameter(torch.zeros(3, 1, 4)), torch.tensor([[1, 2, 1]])
            steps, letters = torch.tensor([2]), torch.tensor([3])  #~ steps, letters = torch.tensor([3]), torch.tensor([3])
            loss = torch.nn.functional.ctc_loss(scores.log_softmax(-1), text, steps, letters)  #! =
            loss.backward()
            """,
        labels_of_zero_in_a_divergence="""
            z, t = torch.tensor([0.5, -0.5, 0.1], requires_grad=True), torch.tensor([0.0, 1.0, 0.0])
            p = z.softmax(-1)
            loss = (t * (t.log() - p.log())).sum()  #! loss = (t * (torch.log(t + 1e-7) - p.log())).sum()
            loss.backward()
            """,
    ),
    *marked(
        "nan_in_forward",
        logarithm_of_weights_drawn_by_way_of_their_data="""
            w = torch.nn.Parameter(torch.zeros(2))
            w.data.uniform_(-0.9, -0.1)
            w.data.log_()  #! w.data.abs_().log_()
            w.square().sum().backward()
            print(w.grad)
            """,
    ),
    *marked(
        "rebuilt_as_leaf",
        result_of_weights_that_are_made_leaves="""
            # raises
            tokens = torch.randn(5, 4)
            w = (torch.randn(4, 4) / 3).requires_grad_()
            context = (tokens @ w).softmax(-1)
            context = torch.tensor(context)  #! pass
            (context - tokens).square().mean().backward()
            """,
        nested_copies_of_weights="""
            w, v = torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)
            parts = torch.nested.nested_tensor([w, v], requires_grad=True)  #! parts = torch.nested.as_nested_tensor([w, v])
            parts.to_padded_tensor(0.0).square().sum().backward()
            print(w.grad)
            """,
        memory_taken_over_from_a_result="""
            w, v = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([0.5, 3.0], requires_grad=True)
            h = torch.from_dlpack((w * 3).detach())  #! h = w * 3
            (h * v).sum().backward()
            slopes = [w.grad, v.grad]
            """,
        memory_taken_over_by_another_library_and_back="""
            import numpy as np
            w = torch.tensor([1.0, 2.0], requires_grad=True)
            h = torch.exp(w)
            noted = h.detach().numpy().copy()
            shared = torch.from_dlpack(h.detach())  #! shared = h
            y = h + torch.from_dlpack(np.from_dlpack(shared))  #~ y = h + shared
            y.sum().backward()
            print(w.grad)
            """,
        a_class_of_tensors_that_is_called_and_marked="""
            w = torch.tensor([1.0, 2.0], requires_grad=True)
            h = w * 2
            y = torch.Tensor(h.data)  #! y = h
            y.requires_grad_()  #~ pass
            (y * y).sum().backward()
            print(w.grad)
            """,
        a_class_of_tensors_that_is_called="""
            # raises
            w = torch.tensor([1.0, 2.0], requires_grad=True)
            h = w * 2
            y = torch.Tensor(h.data)  #! y = h
            (y * y).sum().backward()
            """,
        a_parameter_of_the_numbers_of_a_result="""
            w, v = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([0.5, 3.0], requires_grad=True)
            def generated(w):
                kernel = w * 3
                return torch.nn.Parameter(kernel.data)  #! return kernel
            k = generated(w)
            (k * v).sum().backward()
            slopes = [w.grad, v.grad]
            """,
    ),
    *marked(
        "stop_gradient",
        data_of_what_adapted_weights_give="""
            # raises
            net, x = torch.nn.Linear(1, 1), torch.linspace(-1.0, 1.0, 8).reshape(-1, 1)
            slopes = torch.autograd.grad(net(x).pow(2).mean(), list(net.parameters()), create_graph=True)
            weight, bias = (each - 0.1 * slope for each, slope in zip(net.parameters(), slopes))
            second = torch.nn.functional.linear(x, weight, bias)
            second = second.data  #! pass
            (second - x).pow(2).mean().backward()
            """,
    ),
    *marked(
        "source_is_other_object",
        a_parameter_replaced_at_each_pass="""
            class Net(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.lin = torch.nn.Linear(3, 1)
                def forward(self, x):
                    self.lin.weight = torch.nn.Parameter(self.lin.weight / 2.0)  #! pass
                    return self.lin(x)

            net = Net()
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            net(torch.ones(4, 3)).square().mean().backward()
            optimizer.step()
            """,
    ),
    *marked(
        "broadcast_mismatch",
        a_row_chooses_from_a_column="""
            p = torch.sigmoid(torch.linspace(-1.0, 1.0, 4).reshape(4, 1) @ torch.ones(1, 1, requires_grad=True))
            y = torch.tensor([0.0, 1.0, 1.0, 0.0])  #~ y = torch.tensor([[0.0], [1.0], [1.0], [0.0]])
            share = torch.where(y == 1, p, 1 - p)  #! =
            loss = -torch.log(share).mean()
            loss.backward()
            """,
    ),
    *marked(
        "zero_factor",
        what_dropout_left_is_a_factor="""
            outer = torch.ones(2, 1, requires_grad=True)
            drop = torch.nn.Dropout(1.0)  #~ drop = torch.nn.Dropout(0.0)
            loss = (drop(torch.ones(4, 2)) @ outer - 1.0).square().mean()  #! =
            loss.backward()
            """,
    ),
    *marked(
        "domain_edge",
        the_log_of_a_softmax_that_a_method_gave="""
            def entropy(p):
                return -(p * p.log()).sum()  #! return -(p * (p + 1e-7).log()).sum()

            z = torch.tensor([300.0, -10.0, 0.0], requires_grad=True)
            entropy(z.softmax(-1)).backward()
            """,
    ),
    *marked(
        "nan_in_forward",
        the_log_of_a_quotient_by_zero="""
            p, z = torch.tensor([0.2, 0.3, 0.5]), torch.tensor([300.0, -10.0, 0.0], requires_grad=True)
            q = z.softmax(-1)
            loss = (p * (p / q).log()).sum()  #! loss = (p * (p / (q + 1e-7)).log()).sum()
            loss.backward()
            """,
    ),
    *marked(
        "constant_by_construction",
        a_second_derivative_that_is_only_looked_at="""
            net = torch.nn.Sequential(torch.nn.Linear(1, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
            x = torch.linspace(0.0, 1.0, 5).reshape(-1, 1).requires_grad_()
            u = net(x)  #! u = torch.tanh(net(x))
            slope = torch.autograd.grad(u.sum(), x, create_graph=True)[0]
            curvature = torch.autograd.grad(slope.sum(), x, create_graph=True)[0]
            """,
    ),
    *marked(
        "non_leaf_grad",
        hidden_layer_read="""
            x = torch.tensor([[1.0, 2.0]])
            w, v = torch.ones(2, 3, requires_grad=True), torch.ones(3, 1, requires_grad=True)
            hidden = x @ w  #! =
            pass  #~ hidden.retain_grad()
            loss = (hidden.tanh() @ v).sum()
            loss.backward()
            norm = 0.0 if hidden.grad is None else hidden.grad.norm()
            """,
        leaf_that_its_line_casts_to_what_an_argument_was_called="""
            def saliency(image):
                image = torch.tensor(image, requires_grad=True).double()  #! image = torch.tensor(image).double().requires_grad_()
                (image * image).sum().backward()
                return image.grad
            shown = saliency([1.0, 2.0])
            """,
    ),
    *marked(
        "inplace_modification",
        changed_after_it_was_saved="""
            # raises
            w = torch.tensor([1.0, 2.0], requires_grad=True)
            y = torch.exp(w)
            y += 1.0  #! y = y + 1.0
            y.sum().backward()
            """,
    ),
    *marked(
        "inplace_modification",
        rows_that_a_function_adds_up_in_place="""
            # raises
            def added_up(rows):
                for t in range(1, 3):
                    rows[t] += rows[t - 1] * rows[t]  #! s = rows[t] + rows[t - 1];;rows = rows.clone();;rows[t] = s
                return rows

            y = torch.exp(torch.ones(3, 2, requires_grad=True))
            added_up(y).sum().backward()
            """,
    ),
    *marked(
        "cleared_before_use",
        cleared_between_backward_and_step="""
            model = torch.nn.Linear(2, 1)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for step in range(2):
                pass  #~ optimizer.zero_grad()
                loss = model(torch.ones(4, 2)).square().mean()
                loss.backward()
                optimizer.zero_grad()  #! pass
                optimizer.step()
            """,
    ),
    *marked(
        "accumulated_gradient",
        never_cleared="""
            w = torch.tensor([1.0, 2.0], requires_grad=True)
            optimizer = torch.optim.SGD([w], lr=0.1)
            for step in range(3):
                loss = (w * w).sum()
                loss.backward()  #! optimizer.zero_grad();;loss.backward()
                optimizer.step()
            """,
    ),
    *marked(
        "integer_dtype",
        whole_numbers_asked_for="""
            # raises
            n = torch.tensor([1, 2], requires_grad=True)  #! n = torch.tensor([1.0, 2.0], requires_grad=True)
            (n * 2).sum().backward()
            """,
    ),
    *marked(
        "zero_factor",
        last_layer_starts_at_zero="""
            first, last = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
            torch.nn.init.zeros_(last.weight)  #~ torch.nn.init.ones_(last.weight)
            y = last(torch.tanh(first(torch.ones(1, 2))))  #! =
            (y - 1.0).square().sum().backward()
            """,
    ),
    *marked(
        "left_to_numpy",
        value_of_one_entry="""
            w = torch.tensor(2.0, requires_grad=True)
            loss = torch.tensor((w * 3.0).item()) ** 2  #! loss = (w * 3.0) ** 2
            try:
                loss.backward()
            except RuntimeError:
                pass
            """,
        a_copy_of_what_was_read_out="""
            w, v = torch.tensor([1.0, 2.0], requires_grad=True), torch.ones(2, requires_grad=True)
            h = torch.from_numpy((w * 3).detach().numpy().copy())  #! h = w * 3
            (h * v).sum().backward()
            print(w.grad)
            """,
    ),
    *marked(
        "recording_disabled",
        encoder_decorated="""
            # raises
            enc, dec = torch.nn.Linear(3, 2), torch.nn.Linear(2, 3)
            @torch.no_grad()  #! pass
            def encode(x):
                return torch.tanh(enc(x))
            x = torch.ones(2, 3)
            code = encode(x)
            loss = (dec(code) - x).square().mean()
            loss.backward()
            norms = [each.grad.norm() for each in enc.parameters()]
            """,
    ),
    *marked(
        "rebuilt_as_leaf",
        list_of_tensors="""
            a, b = torch.tensor(1.0, requires_grad=True), torch.tensor(2.0, requires_grad=True)
            both = torch.tensor([a * 2.0, b * 3.0])  #! both = torch.stack([a * 2.0, b * 3.0])
            try:
                both.sum().backward()
            except RuntimeError:
                pass
            """,
    ),
    *marked(
        "graph_consumed",
        state_from_the_step_before="""
            # raises
            w = torch.tensor([[0.5]], requires_grad=True)
            h = torch.zeros(1, 1)
            for x in (1.0, 2.0):
                h = torch.tanh(h @ w + x)  #! h = torch.tanh(h.detach() @ w + x)
                h.sum().backward()
            """,
    ),
    *MODULES,
    *PASSES,
    *UPDATES,
    *FUNCTIONS,
    *TORCH_CHOICES,
]
"""Every one of them."""

FAULTY: dict[str, tuple[str, str]] = {}
HEALTHY: dict[str, str] = {name: dedent(text) for name, text in (HEALTHY_PASSES | HEALTHY_FUNCTIONS).items()}


def faulty(cause: str, name: str, text: str) -> None:
    FAULTY[name] = (cause, text)


faulty(
    "not_watched",
    "input_to_optimise",
    """
model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
dream = torch.zeros(1, 2)  # <-
energy = model(dream).sum()
energy.backward()
print(dream.grad)
""",
)
faulty(
    "not_watched",
    "nothing_requires_a_gradient",
    """
def cost(p):
    return ((p - 3.0) ** 2).sum()
point = torch.tensor([1.0, 2.0])  # <-
cost(point).backward()
""",
)
faulty(
    "watched_too_late",
    "asked_after_the_formula",
    """
theta = torch.tensor([0.3, 0.7])
value = torch.sin(theta).sum() + torch.nn.Parameter(torch.tensor(1.0))
theta.requires_grad_()  # <-
value.backward()
print(theta.grad)
""",
)
faulty(
    "not_trainable",
    "frozen_in_a_loop",
    """
body = torch.nn.Linear(3, 3)
top = torch.nn.Linear(3, 1)
for weight in body.parameters():
    weight.requires_grad_(False)  # <-
out = top(torch.relu(body(torch.ones(2, 3)))).sum()
out.backward()
print(body.weight.grad, top.weight.grad)
""",
)
faulty(
    "not_trainable",
    "whole_module_frozen",
    """
body = torch.nn.Linear(3, 3)
body.requires_grad_(False)  # <-
top = torch.nn.Linear(3, 1)
top(body(torch.ones(2, 3))).sum().backward()
print(body.bias.grad)
""",
)
faulty(
    "integer_dtype",
    "counted_in_whole_numbers",
    """
scale = torch.tensor(2.5, requires_grad=True)
steps = (scale * 4).long()  # <-
offset = torch.tensor(0.5, requires_grad=True)
total = (steps * torch.ones(3) + offset).sum()
total.backward()
print(scale.grad)
""",
)
faulty(
    "recording_disabled",
    "decorated_forward",
    """
table = torch.nn.Linear(4, 2)
@torch.no_grad()  # <-
def encode(x):
    return table(x)
head = torch.nn.Linear(2, 1)
head(encode(torch.ones(1, 4))).sum().backward()
print(table.weight.grad)
""",
)
faulty(
    "recording_disabled",
    "left_switched_off",
    """
w = torch.nn.Parameter(torch.ones(2))
previous = torch.is_grad_enabled()
torch.set_grad_enabled(False)  # <-
check = (w * 2).sum()
loss = (w * w).sum()
torch.set_grad_enabled(previous)
loss.backward()
""",
)
faulty(
    "no_higher_order_record",
    "penalty_on_the_slope",
    """
net = torch.nn.Sequential(torch.nn.Linear(1, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
t = torch.linspace(0, 1, 5).reshape(-1, 1).requires_grad_()
u = net(t)
(du,) = torch.autograd.grad(u.sum(), t)  # <-
residual = (du + 1.0).pow(2).mean()
residual.backward()
""",
)
faulty(
    "left_to_numpy",
    "through_an_array",
    """
import numpy as np
rate = torch.tensor(0.3, requires_grad=True)
decay = np.exp(-rate.detach().numpy())  # <-
shift = torch.tensor(1.0, requires_grad=True)
out = torch.tensor([1.0, 2.0]) * float(decay) + shift
out.sum().backward()
print(rate.grad)
""",
)
faulty(
    "left_to_numpy",
    "item_in_the_formula",
    """
temperature = torch.nn.Parameter(torch.tensor(1.7))
logits = torch.nn.Parameter(torch.randn(4))
scaled = logits / temperature.item()  # <-
torch.logsumexp(scaled, 0).backward()
print(temperature.grad)
""",
)
faulty(
    "rebuilt_as_leaf",
    "list_of_losses",
    """
w = torch.nn.Parameter(torch.tensor([0.5, 1.5]))
parts = [(w[k] - k) ** 2 for k in range(2)]
total = torch.tensor(parts, requires_grad=True).sum()  # <-
total.backward()
print(w.grad)
""",
)
faulty(
    "rebuilt_as_leaf",
    "wrapped_again",
    """
source = torch.randn(3, requires_grad=True)
mixed = torch.nn.Parameter(source * 2.0)  # <-
(mixed ** 2).sum().backward()
print(source.grad)
""",
)
faulty(
    "stop_gradient",
    "detached_context",
    """
enc, dec = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
context = torch.tanh(enc(torch.ones(1, 2)))
answer = dec(context.detach())  # <-
answer.pow(2).sum().backward()
print(enc.weight.grad)
""",
)
faulty(
    "stop_gradient",
    "data_of_a_result",
    """
enc, dec = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
code = enc(torch.ones(1, 2)).data  # <-
dec(code).pow(2).sum().backward()
print(enc.weight.grad)
""",
)
faulty(
    "through_state",
    "copied_into_a_buffer",
    """
gain = torch.tensor(2.0, requires_grad=True)
store = torch.nn.Parameter(torch.zeros(3))
store.data.copy_(gain * torch.ones(3))  # <-
(store * 3.0).sum().backward()
print(gain.grad)
""",
)
faulty(
    "unused_source",
    "second_head_forgotten",
    """
trunk = torch.nn.Linear(2, 3)
left, right = torch.nn.Linear(3, 1), torch.nn.Linear(3, 1)
h = trunk(torch.ones(4, 2))
loss = left(h).mean()  # <-
loss.backward()
print(right.weight.grad)
""",
)
faulty(
    "nondifferentiable_op",
    "hard_labels",
    """
net = torch.nn.Linear(3, 4)
scores = net(torch.ones(2, 3))
picked = scores.argmax(dim=-1).float()  # <-
(picked - 1.0).pow(2).mean().backward()
""",
)
faulty(
    "nondifferentiable_op",
    "rounded_on_the_way",
    """
level = torch.tensor([0.2, 1.7], requires_grad=True)
code = torch.round(level * 4)  # <-
(code - 3.0).pow(2).sum().backward()
print(level.grad)
""",
)
faulty(
    "nondifferentiable_op",
    "sign_of_weights",
    """
w = torch.nn.Parameter(torch.randn(3, 2))
out = torch.ones(1, 3) @ torch.sign(w)  # <-
out.pow(2).sum().backward()
print(w.grad)
""",
)
faulty(
    "nondifferentiable_op",
    "counted_hits",
    """
threshold = torch.tensor(0.4, requires_grad=True)
samples = torch.rand(6)
hits = (samples > threshold).sum()  # <-
(hits / 6.0 - 0.5).abs().backward()
""",
)
faulty(
    "custom_gradient_bug",
    "returns_none",
    """
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.save_for_backward(k)
        return x * k
    @staticmethod
    def backward(ctx, g):
        (k,) = ctx.saved_tensors
        return None, None  # <-
x = torch.ones(3, requires_grad=True)
Scale.apply(x, torch.tensor(2.0)).sum().backward()
print(x.grad)
""",
)
faulty(
    "custom_gradient_bug",
    "forgets_upstream",
    """
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x  # <-
x = torch.tensor([1.0, 2.0], requires_grad=True)
(3.0 * Square.apply(x)).sum().backward()
print(x.grad)
""",
)
faulty(
    "graph_consumed",
    "backward_twice",
    """
w = torch.nn.Parameter(torch.ones(2))
common = torch.exp(w)
first, second = common.sum(), (common * 2).sum()
first.backward()
second.backward()  # <-
""",
)
faulty(
    "graph_consumed",
    "state_of_the_last_step",
    """
cell = torch.nn.GRUCell(2, 3)
state = torch.zeros(1, 3)
for k in range(2):
    state = cell(torch.ones(1, 2), state)  # <-
    state.sum().backward()
""",
)
faulty(
    "inplace_modification",
    "overwritten_after_use",
    """
w = torch.tensor([1.0, 2.0], requires_grad=True)
h = torch.exp(w)
y = h * 2
h += 1.0  # <-
(y + h).sum().backward()
""",
)
faulty(
    "inplace_modification",
    "leaf_updated_in_place",
    """
w = torch.ones(2, requires_grad=True)
w -= 0.1  # <-
(w * w).sum().backward()
""",
)
faulty(
    "inplace_modification",
    "weights_stepped_too_early",
    """
net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(3, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
out = net(torch.ones(4, 2))
first, second = out.mean(), out.pow(2).mean()
first.backward(retain_graph=True)
opt.step()  # <-
second.backward()
""",
)
faulty(
    "cleared_before_use",
    "zeroed_before_the_step",
    """
net = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for k in range(2):
    loss = net(torch.ones(1, 2)).pow(2).sum()
    loss.backward()
    opt.zero_grad()  # <-
    opt.step()
""",
)
faulty(
    "accumulated_gradient",
    "never_cleared",
    """
w = torch.nn.Parameter(torch.tensor([1.0, -1.0]))
for k in range(3):
    loss = (w * w).sum()
    loss.backward()  # <-
    with torch.no_grad():
        w -= 0.1 * w.grad
""",
)
faulty(
    "accumulated_gradient",
    "optimizer_without_zero_grad",
    """
net = torch.nn.Linear(2, 1)
opt = torch.optim.Adam(net.parameters())
for k in range(2):
    net(torch.ones(1, 2)).sum().backward()  # <-
    opt.step()
""",
)
faulty(
    "non_leaf_grad",
    "cast_after_creation",
    """
p = torch.ones(3, requires_grad=True).double()  # <-
(p * p).sum().backward()
print(p.grad)
""",
)
faulty(
    "non_leaf_grad",
    "hidden_layer",
    """
net = torch.nn.Linear(2, 2)
h = torch.tanh(net(torch.ones(1, 2)))  # <-
h.sum().backward()
print(h.grad)
""",
)
faulty(
    "api_misuse",
    "vector_loss",
    """
w = torch.nn.Parameter(torch.ones(3))
errors = (w - 2.0) ** 2
errors.backward()  # <-
""",
)
faulty(
    "untracked_parameter",
    "layers_in_a_dict",
    """
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = {"a": torch.nn.Linear(2, 2), "b": torch.nn.Linear(2, 1)}
    def forward(self, x):
        return self.parts["b"](self.parts["a"](x))
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)  # <-
""",
)
faulty(
    "source_is_other_object",
    "layer_replaced_later",
    """
net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
params = list(net.parameters())
net[1] = torch.nn.Linear(2, 1)  # <-
net(torch.ones(1, 2)).sum().backward()
print([p.grad for p in params])
""",
)
faulty(
    "source_is_other_object",
    "slice_made_afterwards",
    """
grid = torch.rand(4, 2, requires_grad=True)
f = (grid ** 2).sum(dim=1)
x = grid[:, 0]  # <-
torch.autograd.grad(f.sum(), x)
""",
)
faulty(
    "broadcast_mismatch",
    "difference_of_column_and_row",
    """
net = torch.nn.Linear(3, 1)
target = torch.rand(5)
error = net(torch.rand(5, 3)) - target  # <-
error.pow(2).mean().backward()
""",
)
faulty(
    "domain_edge",
    "norm_of_equal_points",
    """
a = torch.tensor([[1.0, 2.0], [1.0, 2.0]], requires_grad=True)
gap = a[0] - a[1]
distance = torch.sqrt((gap * gap).sum())  # <-
distance.backward()
print(a.grad)
""",
)
faulty(
    "where_trap",
    "root_of_the_negative",
    """
x = torch.tensor([4.0, -1.0], requires_grad=True)
y = torch.where(x > 0, torch.sqrt(x), torch.zeros(2))  # <-
y.sum().backward()
print(x.grad)
""",
)
faulty(
    "nan_in_forward",
    "softmax_by_hand",
    """
z = torch.tensor([1000.0, 0.0], requires_grad=True)
e = torch.exp(z)  # <-
p = e / e.sum()
p[0].backward()
print(z.grad)
""",
)
faulty(
    "nan_in_input",
    "entry_written_as_nan",
    """
x = torch.rand(3)
x[1] = float("nan")  # <-
w = torch.ones(3, requires_grad=True)
loss = (w * x).pow(2).sum()
loss.backward()
""",
)
faulty(
    "nan_in_forward",
    "recurrence_that_grows_without_end",
    """
W = torch.full((3, 3), 5.0, requires_grad=True)
h = torch.ones(2, 3)
for step in range(20):
    h = h @ W
loss = h.pow(2).mean()  # <-
loss.backward()
""",
)
faulty(
    "exploding_depth",
    "product_that_overflows_on_the_way_back",
    """
a = torch.tensor([1e-30], requires_grad=True)
(a * 1e30 * 1e30).sum().backward()  # <-
""",
)
faulty(
    "exploding_depth",
    "loss_scaled_beyond_half_precision",
    """
x = torch.full((4,), 2.0, dtype=torch.float16, requires_grad=True)
y = x * 100.0
((y * 0.001).sum().float() * 2.0**20).backward()  # <-
""",
)
faulty(
    "domain_edge",
    "vectors_of_equal_eigenvalues",
    """
A = torch.eye(3, requires_grad=True)
vectors = torch.linalg.eigh(A)[1]  # <-
(vectors[:, 0] ** 3).sum().backward()
""",
)
faulty(
    "api_misuse",
    "softmax_layer_before_cross_entropy",
    """
model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Softmax(dim=1))
p = model(torch.randn(5, 4))  # <-
torch.nn.CrossEntropyLoss()(p, torch.tensor([0, 1, 2, 0, 1])).backward()
""",
)
faulty(
    "api_misuse",
    "sigmoid_before_a_loss_with_logits",
    """
z = torch.randn(5, requires_grad=True)
p = torch.sigmoid(z)  # <-
torch.nn.functional.binary_cross_entropy_with_logits(p, torch.ones(5)).backward()
""",
)
faulty(
    "domain_edge",
    "root_beside_a_mask_of_infinities",
    """
mask = torch.zeros(2)
mask[1] = -float("inf")
w = torch.zeros(2, requires_grad=True)
share = torch.softmax(w + mask, 0)
length = torch.sqrt((w * share).sum())  # <-
length.backward()
""",
)
faulty(
    "nan_in_input",
    "weight_that_is_nan_before_the_step",
    """
net = torch.nn.Linear(2, 2)
with torch.no_grad():
    net.weight[0, 1] = float("nan")  # <-
p = torch.softmax(net(torch.rand(3, 2)), 1)
loss = -torch.log(p[:, 0]).mean()
loss.backward()
""",
)
faulty(
    "dead_activation",
    "all_units_off",
    """
w = torch.nn.Parameter(torch.tensor([[-1.0], [-2.0]]))
h = torch.relu(torch.rand(3, 2) @ w - 1.0)  # <-
(h - 1.0).pow(2).mean().backward()
print(w.grad)
""",
)
faulty(
    "saturation",
    "tanh_of_large_numbers",
    """
w = torch.nn.Parameter(torch.tensor([60.0, -70.0]))
y = torch.tanh(w)  # <-
(y - 0.5).pow(2).sum().backward()
print(w.grad)
""",
)
faulty(
    "constant_by_construction",
    "softmax_over_one",
    """
net = torch.nn.Linear(3, 1)
p = torch.softmax(net(torch.rand(4, 3)), dim=1)  # <-
loss = -torch.log(p).mean() + (p ** 2).sum()
loss.backward()
print(net.weight.grad)
""",
)

HEALTHY["training"] = """
net = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.GELU(), torch.nn.Dropout(0.1), torch.nn.Linear(8, 1))
opt = torch.optim.AdamW(net.parameters(), lr=1e-2)
schedule = torch.optim.lr_scheduler.StepLR(opt, 1)
x, y = torch.randn(16, 2), torch.randn(16, 1)
for step in range(3):
    opt.zero_grad()
    loss = torch.nn.functional.mse_loss(net(x), y)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
    schedule.step()
    print(loss.item())
"""
HEALTHY["master_weights_copied_back"] = """
net = torch.nn.Linear(3, 1).bfloat16()
masters = [p.detach().clone().float().requires_grad_() for p in net.parameters()]
optimizer = torch.optim.SGD(masters, lr=0.1)
for _ in range(2):
    net(torch.randn(4, 3).bfloat16()).float().square().mean().backward()
    for master, p in zip(masters, net.parameters()):
        master.grad = p.grad.float()
    optimizer.step()
    with torch.no_grad():
        for master, p in zip(masters, net.parameters()):
            p.copy_(master)
    net.zero_grad()
"""

HEALTHY["cleared_by_zeros_after_clipping"] = """
net = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    net(torch.ones(3, 2)).pow(2).mean().backward()
    norm = torch.nn.utils.clip_grad_norm_(net.parameters(), 0.5)
    opt.step()
    opt.zero_grad(set_to_none=False)
"""
HEALTHY["cleared_by_zeros_of_ones_own"] = """
net = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    net(torch.ones(3, 2)).pow(2).mean().backward()
    opt.step()
    for p in net.parameters():
        if p.grad is not None:
            p.grad = torch.zeros_like(p.grad)
"""
HEALTHY["accumulation_on_purpose"] = """
net = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(2):
    for part in range(2):
        net(torch.randn(3, 2)).pow(2).mean().backward()
    opt.step()
    opt.zero_grad()
"""
HEALTHY["evaluation_under_no_grad"] = """
net = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
loss = net(torch.ones(3, 2)).pow(2).mean()
loss.backward()
opt.step()
net.eval()
with torch.no_grad():
    score = net(torch.ones(1, 2)).item()
print(score, [p.grad is None for p in net.parameters()])
"""
HEALTHY["adversarial_pair"] = """
gen, disc = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
g_opt, d_opt = (torch.optim.SGD(net.parameters(), lr=0.1) for net in (gen, disc))
noise, real = torch.randn(4, 2), torch.randn(4, 2)
for step in range(2):
    fake = gen(noise)
    d_loss = torch.nn.functional.softplus(-disc(real)).mean() + torch.nn.functional.softplus(disc(fake.detach())).mean()
    d_opt.zero_grad()
    d_loss.backward()
    d_opt.step()
    g_loss = torch.nn.functional.softplus(-disc(fake)).mean()
    g_opt.zero_grad()
    g_loss.backward()
    g_opt.step()
"""
HEALTHY["a_closure_that_the_optimizer_calls"] = """
w = torch.nn.Parameter(torch.tensor([1.5, -1.0]))
opt = torch.optim.LBFGS([w], max_iter=2)
for step in range(3):
    x = torch.randn(2)
    def closure():
        opt.zero_grad()
        loss = ((w * x) ** 2).sum()
        loss.backward()
        return loss
    opt.step(closure)
"""
HEALTHY["frozen_between_the_passes"] = """
w, v = torch.nn.Parameter(torch.ones(2)), torch.nn.Parameter(torch.ones(2))
loss = (w * v).sum()
w.requires_grad_(False)
loss.backward()
print(v.grad)
"""
HEALTHY["truncated_recurrence"] = """
cell, head = torch.nn.GRUCell(2, 3), torch.nn.Linear(3, 1)
opt = torch.optim.Adam([*cell.parameters(), *head.parameters()])
h = torch.zeros(1, 3)
for step in range(3):
    h = cell(torch.randn(1, 2), h.detach())
    loss = head(h).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
"""
HEALTHY["gradient_penalty"] = """
net = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
x = torch.randn(5, 2, requires_grad=True)
(slope,) = torch.autograd.grad(net(x).sum(), x, create_graph=True)
loss = net(x).mean() + (slope.norm(dim=1) - 1.0).pow(2).mean()
loss.backward()
print(net[0].weight.grad)
"""
HEALTHY["straight_through"] = """
x = torch.randn(4, requires_grad=True)
hard = torch.round(x)
y = x + (hard - x).detach()
(y ** 2).sum().backward()
print(x.grad)
"""
HEALTHY["momentum_target"] = """
online, target = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
target.load_state_dict(online.state_dict())
for p in target.parameters():
    p.requires_grad_(False)
opt = torch.optim.SGD(online.parameters(), lr=0.1)
for step in range(2):
    x = torch.randn(3, 2)
    loss = (online(x) - target(x + 0.1)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for a, b in zip(target.parameters(), online.parameters()):
            a.mul_(0.9).add_(b, alpha=0.1)
"""
HEALTHY["an_average_of_weights_in_the_optimizers_list"] = """
model = torch.nn.ModuleDict({"student": torch.nn.Linear(2, 2), "teacher": torch.nn.Linear(2, 2)})
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(2):
    x = torch.randn(4, 2)
    with torch.no_grad():
        goal = model["teacher"](x)
    loss = (model["student"](x) - goal).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for slow, fast in zip(model["teacher"].parameters(), model["student"].parameters()):
            slow.mul_(0.9).add_(fast, alpha=0.1)
"""
HEALTHY["one_optimizer_for_two_that_take_turns"] = """
made, judge = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
opt = torch.optim.SGD([*made.parameters(), *judge.parameters()], lr=0.1)
for turn in range(2):
    fake = made(torch.randn(4, 2))
    loss = judge(fake.detach() if turn == 0 else fake).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
"""
HEALTHY["a_frozen_body_and_an_unused_head_in_the_optimizers_list"] = """
body, head, other = torch.nn.Linear(2, 2).requires_grad_(False), torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
opt = torch.optim.SGD([*body.parameters(), *head.parameters(), *other.parameters()], lr=0.1)
with torch.no_grad():
    features = body(torch.randn(4, 2))
loss = head(features).square().mean()
loss.backward()
opt.step()
"""
HEALTHY["a_feature_to_improve_and_a_pass_in_two_parts"] = """
net = torch.nn.Linear(3, 4)
feature = net(torch.ones(2, 3)).detach().requires_grad_()
feature.pow(2).mean().backward()
whole = net(torch.ones(2, 3))
part = whole.detach().requires_grad_()
part.pow(2).mean().backward()
whole.backward(part.grad)
"""
HEALTHY["parameters_held_by_a_list_from_numbers_of_a_model"] = """
net = torch.nn.Linear(1, 1)
starts = [torch.tensor(net(torch.ones(1, 1)).item(), requires_grad=True)]
sum(each ** 2 for each in starts).backward()
print(starts[0].grad)
"""
HEALTHY["an_optimizer_that_has_nothing_to_do_in_this_step"] = """
experts = [torch.nn.Linear(2, 1) for _ in range(2)]
opts = [torch.optim.SGD(each.parameters(), lr=0.1) for each in experts]
experts[0](torch.ones(3, 2)).pow(2).mean().backward()
for opt in opts:
    opt.step()
    opt.zero_grad()
"""
HEALTHY["a_weight_changed_by_hand_beside_an_idle_optimizer"] = """
w, other = torch.ones(2, requires_grad=True), torch.nn.Linear(2, 1)
opt = torch.optim.SGD(other.parameters(), lr=0.1)
w.pow(2).sum().backward()
opt.step()
with torch.no_grad():
    w -= 0.1 * w.grad
"""
HEALTHY["a_teachers_softmax_as_the_labels"] = """
student, teacher = torch.nn.Linear(4, 3), torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Softmax(dim=1))
x = torch.randn(5, 4)
logits = student(x)
loss = torch.nn.functional.cross_entropy(logits, teacher(x).detach())
loss = loss + torch.nn.functional.binary_cross_entropy(torch.sigmoid(logits), torch.ones(5, 3))
loss = loss + torch.nn.functional.nll_loss(torch.log_softmax(logits, 1), torch.tensor([0, 1, 2, 0, 1]))
loss.backward()
"""
HEALTHY["attention_over_another_axis_than_the_last"] = """
score, out = torch.nn.Linear(4, 1), torch.nn.Linear(4, 1)
h = torch.randn(3, 5, 4)
shares = torch.softmax(score(h), dim=1)
(out((shares * h).sum(1)) - 1.0).pow(2).mean().backward()
"""
