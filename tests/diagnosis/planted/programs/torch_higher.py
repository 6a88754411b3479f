"""Meta-learning by higher: a start from which one step of SGD fits a task."""

import higher
import torch

REQUIRES = ["higher", "torch"]

torch.manual_seed(0)
support_x, support_y = torch.randn(8, 3), torch.randn(8, 1)
query_x, query_y = torch.randn(8, 3), torch.randn(8, 1)  #: data
model = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
inner = torch.optim.SGD(model.parameters(), lr=0.1)
outer = torch.optim.Adam(model.parameters(), lr=0.01)
outer.zero_grad()
with higher.innerloop_ctx(model, inner, copy_initial_weights=False) as (fast, steps):
    inner_loss = torch.nn.functional.mse_loss(fast(support_x), support_y)  #: hidden
    steps.step(inner_loss)
    loss = torch.nn.functional.mse_loss(fast(query_x), query_y)  #: loss
    loss.backward()  #: backward
outer.step()
gradients = {name: each.grad for name, each in model.named_parameters()}
