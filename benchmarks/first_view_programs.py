"""Ten programs that people draw, from a neuron to ten thousand ops -> their logs.

The models have the layers of those that they are named after, and few channels, so that they run in a second.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import torch
from torch import nn

import tapeviz as tv
from benchmarks.page_programs import chain
from benchmarks.peer_programs import Transformer

EMBEDDING, HEADS = 48, 4


def neuron() -> Any:
    """sigmoid(w * x + b), and its squared error."""
    w, x, b = tv.Variable(0.5, name="w"), tv.Variable(2.0, name="x"), tv.Variable(-0.3, name="b")
    with tv.GradientTape() as tape:
        loss = tv.square(tv.sigmoid(w * x + b) - 1.0)
    tape.gradient(loss, [w, x, b])
    return tape


def shared_weight() -> Any:
    """Two layers with one matrix."""
    x, w = tv.Variable([[1.0, 2.0]], name="x"), tv.Variable([[0.3, -0.2], [0.1, 0.4]], name="w")
    with tv.GradientTape() as tape:
        loss = tv.reduce_sum(tv.tanh(tv.tanh(x @ w) @ w) ** 2)
    tape.gradient(loss, [x, w])
    return tape


def _trained(model: nn.Module, *given: Any) -> Any:
    """A recording of a forward and a backward pass."""
    torch.manual_seed(0)
    with tv.record() as log:
        model(*given).square().mean().backward()
    return log


def mlp() -> Any:
    return _trained(
        nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 4)), torch.randn(8, 16)
    )


def small_transformer() -> Any:
    return _trained(Transformer(2), torch.randn(8, 16))


class Residual(nn.Module):
    """Two convolutions, and what goes past them."""

    def __init__(self, channels: int, made: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, made, 3, stride, 1, bias=False)
        self.bn1, self.bn2 = nn.BatchNorm2d(made), nn.BatchNorm2d(made)
        self.conv2 = nn.Conv2d(made, made, 3, 1, 1, bias=False)
        self.downsample = nn.Sequential()
        if stride != 1 or channels != made:
            self.downsample = nn.Sequential(nn.Conv2d(channels, made, 1, stride, bias=False), nn.BatchNorm2d(made))

    def forward(self, x: Any) -> Any:
        out = self.bn2(self.conv2(torch.relu(self.bn1(self.conv1(x)))))
        return torch.relu(out + self.downsample(x))


class ResNet18(nn.Module):
    """A stem, four stages of two blocks, and a head."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.bn1, self.maxpool = (
            nn.Conv2d(3, 8, 7, 2, 3, bias=False),
            nn.BatchNorm2d(8),
            nn.MaxPool2d(3, 2, 1),
        )
        for stage, (channels, made) in enumerate(pairwise((8, 8, 16, 32, 64)), 1):
            blocks = nn.Sequential(Residual(channels, made, 1 if stage == 1 else 2), Residual(made, made, 1))
            setattr(self, f"layer{stage}", blocks)
        self.avgpool, self.fc = nn.AdaptiveAvgPool2d(1), nn.Linear(64, 10)

    def forward(self, x: Any) -> Any:
        x = self.maxpool(torch.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(torch.flatten(self.avgpool(x), 1))


def resnet18() -> Any:
    return _trained(ResNet18(), torch.randn(2, 3, 64, 64))


class UnrolledLSTM(nn.Module):
    """A cell, called once a step."""

    def __init__(self) -> None:
        super().__init__()
        self.cell, self.head = nn.LSTMCell(8, 16), nn.Linear(16, 2)

    def forward(self, x: Any) -> Any:
        h = c = torch.zeros(x.shape[1], 16)
        for each in x:
            h, c = self.cell(each, (h, c))
        return self.head(h)


def lstm() -> Any:
    return _trained(UnrolledLSTM(), torch.randn(50, 4, 8))


class Attention(nn.Module):
    """Heads that look at what came before."""

    def __init__(self) -> None:
        super().__init__()
        self.c_attn, self.c_proj = nn.Linear(EMBEDDING, 3 * EMBEDDING), nn.Linear(EMBEDDING, EMBEDDING)

    def forward(self, x: Any) -> Any:
        batch, length, _ = x.shape
        q, k, v = (
            each.view(batch, length, HEADS, -1).transpose(1, 2) for each in self.c_attn(x).split(EMBEDDING, dim=2)
        )
        weights = (q @ k.transpose(-2, -1)) * (EMBEDDING // HEADS) ** -0.5
        mask = torch.tril(torch.ones(length, length)) == 0
        weights = torch.softmax(weights.masked_fill(mask, float("-inf")), dim=-1)
        return self.c_proj((weights @ v).transpose(1, 2).reshape(batch, length, EMBEDDING))


class MLP(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.c_fc, self.c_proj = nn.Linear(EMBEDDING, 4 * EMBEDDING), nn.Linear(4 * EMBEDDING, EMBEDDING)

    def forward(self, x: Any) -> Any:
        return self.c_proj(nn.functional.gelu(self.c_fc(x)))


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.ln_1, self.attn = nn.LayerNorm(EMBEDDING), Attention()
        self.ln_2, self.mlp = nn.LayerNorm(EMBEDDING), MLP()

    def forward(self, x: Any) -> Any:
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class GPT2(nn.Module):
    """Twelve blocks, as the small one has."""

    def __init__(self) -> None:
        super().__init__()
        self.wte, self.wpe = nn.Embedding(100, EMBEDDING), nn.Embedding(16, EMBEDDING)
        self.h = nn.ModuleList(Block() for _ in range(12))
        self.ln_f, self.lm_head = nn.LayerNorm(EMBEDDING), nn.Linear(EMBEDDING, 100, bias=False)

    def forward(self, tokens: Any) -> Any:
        x = self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1]))
        for block in self.h:
            x = block(x)
        return self.lm_head(self.ln_f(x))


def gpt2() -> Any:
    return _trained(GPT2(), torch.randint(0, 100, (2, 12)))


class Timed(nn.Module):
    """Two convolutions that are told the time, and what goes past them."""

    def __init__(self, channels: int, made: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.GroupNorm(4, channels), nn.GroupNorm(4, made)
        self.conv1, self.conv2 = nn.Conv2d(channels, made, 3, padding=1), nn.Conv2d(made, made, 3, padding=1)
        self.time, self.skip = nn.Linear(32, made), nn.Conv2d(channels, made, 1)

    def forward(self, x: Any, time: Any) -> Any:
        h = self.conv1(nn.functional.silu(self.norm1(x))) + self.time(time)[:, :, None, None]
        return self.conv2(nn.functional.silu(self.norm2(h))) + self.skip(x)


class UNet(nn.Module):
    """Three levels down, a middle, and three up, each with what its level had on the way down."""

    def __init__(self) -> None:
        super().__init__()
        sides = (8, 8, 16, 32)
        self.time, self.inner = (
            nn.Sequential(nn.Linear(1, 32), nn.SiLU(), nn.Linear(32, 32)),
            nn.Conv2d(3, 8, 3, padding=1),
        )
        self.down = nn.ModuleList(Timed(one, two) for one, two in pairwise(sides))
        self.middle = Timed(32, 32)
        self.up = nn.ModuleList(Timed(2 * two, one) for one, two in reversed([*pairwise(sides)]))
        self.outer = nn.Conv2d(8, 3, 3, padding=1)

    def forward(self, x: Any, time: Any) -> Any:
        time, x, kept = self.time(time), self.inner(x), []
        for block in self.down:
            x = block(x, time)
            kept.append(x)
            x = nn.functional.avg_pool2d(x, 2)
        x = self.middle(x, time)
        for block in self.up:
            x = block(torch.cat([nn.functional.interpolate(x, scale_factor=2), kept.pop()], 1), time)
        return self.outer(x)


def unet() -> Any:
    return _trained(UNet(), torch.randn(2, 3, 32, 32), torch.rand(2, 1))


PROGRAMS: dict[str, Callable[[], Any]] = {
    "5-op neuron": neuron,
    "shared weight": shared_weight,
    "MLP": mlp,
    "2-block transformer": small_transformer,
    "ResNet-18": resnet18,
    "LSTM of 50 steps": lstm,
    "GPT-2 small": gpt2,
    "diffusion UNet": unet,
    "1,000-op chain": lambda: chain(500),
    "10,000 ops": lambda: chain(5_000),
}
