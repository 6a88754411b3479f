"""Programs of tinygrad, by name: each makes its tensors, and gives its loss and what it is differentiated by."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from tinygrad import Tensor, nn

Made = tuple[Any, list[Any]]


def array(*shape: int, seed: int = 0, positive: bool = False) -> Any:
    """Random numbers, the same at every run."""
    drawn = np.random.default_rng(seed).normal(size=shape).astype(np.float32)
    return np.abs(drawn) + 0.5 if positive else drawn


def of(loss: Callable[..., Any], *arrays: Any) -> Callable[[], Made]:
    """A program of a function of tensors."""

    def program() -> Made:
        tensors = [Tensor(each) for each in arrays]
        return loss(*tensors), tensors

    return program


V, W, P, M, N = array(4), array(4, seed=1), array(4, positive=True), array(3, 4), array(4, 2, seed=2)
LABELS = np.array([0, 1, 1], dtype=np.int32)


class Net:
    """Two layers, which are attributes."""

    def __init__(self) -> None:
        self.first = nn.Linear(4, 3)
        self.second = nn.Linear(3, 2)
        for seed, each in enumerate(nn.state.get_parameters(self)):
            each.assign(Tensor(array(*each.shape, seed=seed))).realize()

    def __call__(self, x: Any) -> Any:
        return self.second(self.first(x).tanh())


def net() -> Made:
    model = Net()
    loss = model(Tensor(M)).sparse_categorical_crossentropy(Tensor(LABELS))
    return loss, nn.state.get_parameters(model)


def normalized() -> Made:
    x, layer = Tensor(M), nn.LayerNorm(4)
    return (layer(x) * Tensor(array(3, 4, seed=5))).sum(), [x, layer.weight, layer.bias]


def convolved() -> Made:
    x, w = Tensor(array(1, 1, 3, 3)), Tensor(array(2, 1, 2, 2, seed=1))
    return x.conv2d(w).relu().max_pool2d((2, 2)).sum(), [x, w]


def recurrent() -> Made:
    w, h = Tensor(array(3, 3)), Tensor.zeros(1, 3)
    for row in range(3):
        h = (h @ w + Tensor(array(1, 3, seed=row))).tanh()
    return (h * h).sum(), [w]


def in_rounds() -> Made:
    x = y = Tensor(P)
    for _ in range(3):
        x = x - (x * x - 2.0) / (x * 2.0)
    return x.sum(), [y]


PROGRAMS: dict[str, Callable[[], Made]] = {
    "square": of(lambda x: (x * x).sum(), array(1)),
    "shared": of(lambda x: (x.sin() * x + x).sum(), V),
    "divided": of(lambda x, y: (x / y).sum(), V, P),
    "powers": of(lambda x, y: (x**y).sum() + (x**3).sum(), P, W),
    "negative": of(lambda x: -(3.0 - x).sum(), V),
    "exponentials": of(lambda x: (x.exp() + x.exp2() + x.softplus()).sum(), V),
    "logarithms": of(lambda x: (x.log() + x.log2() + (1 + x).log()).sum(), P),
    "angles": of(lambda x: (x.sin() + x.cos() + x.tan()).sum(), V),
    "hyperbolic": of(lambda x: (x.tanh() * x.sinh() - x.cosh()).sum(), V),
    "roots": of(lambda x: (x.sqrt() + x.rsqrt() + x.reciprocal()).sum(), P),
    "choices": of(lambda x, y: (x.maximum(y) - x.minimum(0.0)).sum(), V, W),
    "where": of(lambda x: (x > 0).where(x * x, 0.1 * x).sum(), V),
    "absolute": of(lambda x: x.abs().sum(), V),
    "clamped": of(lambda x: (x.clamp(-0.5, 0.5) * x).sum(), V),
    "means": of(lambda x: x.mean(axis=0)[1] + x.var(axis=1).sum() + x.std(), M),
    "extremes": of(lambda x: x.max() - x.min(axis=1).sum() + x[0].prod(), M),
    "logsumexp": of(lambda x: x.logsumexp(axis=1).sum(), M),
    "activations": of(lambda x: (x.relu() + x.sigmoid() + x.silu() + x.gelu() + x.elu()).sum(), V),
    "softmax": of(lambda x, y: (x.softmax() * y).sum() + x.log_softmax()[0, 1], M, array(3, 4, seed=4)),
    "shapes": of(lambda x: (x.reshape(2, 6).T * x.flatten()[:2]).sum(), M),
    "pieces": of(lambda x: (x[1:, ::2] ** 2).sum() + x[0, 3] + x[Tensor([0, 0, 2])].sum(), M),
    "joined": of(lambda x, y: (x.cat(y, x) * Tensor(array(12))).sum(), V, W),
    "stacked": of(lambda x, y: (Tensor.stack(x, y)[1] * x).sum(), V, W),
    "stretched": of(lambda x, y: (x * y).sum(), M, V),
    "padded": of(lambda x: (x.pad((1, 2)) * Tensor(array(7))).sum(), V),
    "turned": of(lambda x: (x.flip(0) * x).sum() + (x.permute(1, 0) * x.T).sum(), M),
    "products": of(lambda x, y: x.dot(y).sum() + (x @ y).square().sum(), M, N),
    "einsum": of(lambda x, y: (Tensor.einsum("ij,j->i", x, y) ** 2).sum(), M, V),
    "sums": of(lambda x: (x.cumsum(0) * Tensor(W)).sum() + x.repeat(2).sum(), V),
    "cast": of(lambda x: (x.double().float() * x).sum(), V),
    "detached": of(lambda x: (x.detach() * x).sum(), V),
    "contiguous": of(lambda x: (x.contiguous() * x).sum(), V),
    "cross_entropy": of(lambda x: x.sparse_categorical_crossentropy(Tensor(LABELS)), M),
    "binary": of(lambda x: x.sigmoid().binary_crossentropy(Tensor([0.0, 1.0, 1.0, 0.0])), V),
    "logits": of(lambda x: x.binary_crossentropy_logits(Tensor([0.0, 1.0, 1.0, 0.0])), V),
    "gathered": of(lambda x: x.gather(1, Tensor([[0, 1], [1, 1], [3, 2]])).sum(), M),
    "attention": of(lambda q, k: q.scaled_dot_product_attention(k, k).sum(), M, array(3, 4, seed=6)),
    "net": net,
    "normalized": normalized,
    "convolved": convolved,
    "recurrent": recurrent,
    "newton": in_rounds,
}
