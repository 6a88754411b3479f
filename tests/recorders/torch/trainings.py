"""PyTorch programs with several backward passes, by name; they take nothing and give nothing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tests.recorders.torch.programs import PROGRAMS


def again_and_again(name: str) -> None:
    """A program and its backward pass, several times."""
    import torch

    for _ in range(3):
        torch.manual_seed(0)
        _, loss = PROGRAMS[name](torch)
        loss.backward()


def state_carried_along() -> None:
    """Every backward pass goes through the graphs of all steps before."""
    import torch

    torch.manual_seed(0)
    cell, state = torch.nn.GRUCell(3, 4), torch.zeros(2, 4)
    optimizer = torch.optim.Adam(cell.parameters())
    for _ in range(5):
        state = torch.stack(torch.tanh(cell(torch.randn(2, 3), state)).split(2, dim=1), 1).flatten(1)
        optimizer.zero_grad()
        (state**2).sum().backward(retain_graph=True)


def differentiated_twice() -> None:
    """The penalty of a gradient: passes that are recorded by autograd."""
    import torch

    torch.manual_seed(0)
    critic = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    for _ in range(3):
        x = torch.randn(5, 3, requires_grad=True)
        (slope,) = torch.autograd.grad(critic(x).sum(), x, create_graph=True)
        ((slope.norm(dim=1) - 1) ** 2).mean().backward()


TRAININGS: dict[str, Callable[[], None]] = {
    **{name: partial(again_and_again, name) for name in PROGRAMS},
    **{each.__name__: each for each in (state_carried_along, differentiated_twice)},
}
