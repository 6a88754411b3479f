"""The programs of `page_programs` as PyTorch modules, for the tools that draw those."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

WIDTH = 16


class Chain(nn.Module):
    """Three ops a round."""

    def __init__(self, rounds: int) -> None:
        super().__init__()
        self.rounds = rounds
        self.x = nn.Parameter(torch.tensor(1.0))

    def forward(self, start: Any) -> Any:
        y = start * self.x
        for _ in range(self.rounds):
            y = torch.sin(y)
            y = y * 1.01
            y = y + self.x
        return y


class Block(nn.Module):
    """One block of the transformer."""

    def __init__(self) -> None:
        super().__init__()
        shapes = dict.fromkeys("qkvo", (WIDTH, WIDTH)) | {"u": (WIDTH, 4 * WIDTH), "d": (4 * WIDTH, WIDTH)}
        shapes |= {"scale": (WIDTH,), "shift": (WIDTH,)}
        for name, shape in shapes.items():
            self.register_parameter(name, nn.Parameter(0.2 * torch.randn(*shape)))

    def norm(self, x: Any) -> Any:
        mean = x.mean(-1, keepdim=True)
        variance = ((x - mean) ** 2).mean(-1, keepdim=True)
        return (x - mean) / torch.sqrt(variance + 1e-5) * self.scale + self.shift

    def forward(self, x: Any) -> Any:
        h = self.norm(x)
        q, k, v = h @ self.q, h @ self.k, h @ self.v
        x = x + torch.softmax(q @ k.T / 4.0, -1) @ v @ self.o
        return x + torch.relu(self.norm(x) @ self.u) @ self.d


class Transformer(nn.Module):
    """Blocks, each with weights of its own."""

    def __init__(self, blocks: int) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(blocks))

    def forward(self, x: Any) -> Any:
        for block in self.blocks:
            x = block(x)
        return (x**2).mean()


class Recurrent(nn.Module):
    """The same weights in each step."""

    def __init__(self) -> None:
        super().__init__()
        self.w, self.u, self.b = (
            nn.Parameter(0.3 * torch.randn(*shape)) for shape in ((8, WIDTH), (WIDTH, WIDTH), (WIDTH,))
        )

    def forward(self, inputs: Any) -> Any:
        state = inputs.new_zeros(4, WIDTH)
        for x in inputs:
            state = torch.tanh(x @ self.w + state @ self.u + self.b)
        return (state**2).mean()


def made(program: str) -> tuple[nn.Module, Any]:
    """The module of a program, "rnn 50", which returns its loss; and its input."""
    torch.manual_seed(0)
    name, _, size = program.partition(" ")
    if name == "chain":
        return Chain(int(size)), torch.tensor(1.0)
    if name == "transformer":
        return Transformer(int(size)), torch.randn(8, WIDTH)
    return Recurrent(), torch.randn(int(size), 4, 8)
