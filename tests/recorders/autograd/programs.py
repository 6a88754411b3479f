"""Programs of autograd, by name: a function and its arguments, of which the first are differentiated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import autograd.numpy as np
import autograd.numpy.linalg as linalg
import autograd.scipy.special as special
import numpy
from autograd import elementwise_grad, grad
from autograd.builtins import list as boxed_list
from autograd.builtins import tuple as boxed_tuple
from autograd.extend import defvjp, primitive


class Program(NamedTuple):
    """A function of arrays, or of a list or a dictionary of them, that gives one number."""

    f: Callable[..., Any]
    args: tuple[Any, ...]


def numbers(*shape: int, seed: int = 0, positive: bool = False) -> Any:
    """Random numbers, the same at every run."""
    drawn = numpy.random.default_rng(seed).normal(size=shape)
    return numpy.abs(drawn) + 0.5 if positive else drawn


V, W, P, M = numbers(4), numbers(4, seed=1), numbers(4, positive=True), numbers(3, 4, seed=2)
SQUARE = numbers(3, 3, seed=3) + 4 * numpy.eye(3)
DATA, LABELS = numbers(6, 3, seed=4), numpy.array([0.0, 1.0, 1.0, 0.0, 1.0, 0.0])


def mlp(params: Any, x: Any, y: Any) -> Any:
    h = np.tanh(np.dot(x, params["w1"]) + params["b1"])
    out = np.dot(h, params["w2"])[:, 0]
    return np.mean((out - y) ** 2)


def layers(params: Any, x: Any) -> Any:
    for w, b in params:
        x = np.maximum(np.dot(x, w) + b, 0.0)
    return np.sum(x)


def logistic(w: Any) -> Any:
    logits = DATA @ w
    return -np.sum(LABELS * logits - np.log1p(np.exp(logits)))


def rnn(w: Any, x: Any) -> Any:
    h = np.zeros(3)
    for row in x:
        h = np.tanh(np.dot(w, h) + row)
    return np.sum(h * h)


@primitive
def cube(x: Any) -> Any:
    return x**3


defvjp(cube, lambda ans, x: lambda g: g * 3 * x**2)


def newton(x: Any) -> Any:
    for _ in range(3):
        x = x - (x * x - 2.0) / (2.0 * x)
    return np.sum(x)


def twice(params: Any) -> Any:
    """The same part of a container, taken three times."""
    return np.sum(params["w"] * params["w"]) + np.sum(np.sin(params["w"]))


def penalty(x: Any) -> Any:
    return np.sum(elementwise_grad(lambda v: np.sin(v) * v)(x) ** 2)


def slope(x: Any) -> Any:
    return np.sum(x * x) + np.sum(grad(lambda v: np.sum(v**3))(x) * W)


def in_containers(x: Any) -> Any:
    pair = boxed_tuple((np.sum(x), np.sum(x * x)))
    rest = boxed_list([pair[0] * 2.0, pair[1]])
    return rest[0] * rest[1]


def of_a_svd(x: Any) -> Any:
    return np.sum(linalg.svd(x, compute_uv=False))


PROGRAMS: dict[str, Program] = {
    "square": Program(lambda x: x * x, (3.0,)),
    "shared": Program(lambda x: np.sin(x) * x + x, (2.0,)),
    "divided": Program(lambda x, y: np.sum(x / y), (V, P)),
    "powers": Program(lambda x, y: np.sum(x**y), (P, W)),
    "negative": Program(lambda x: -np.sum(3.0 - x), (V,)),
    "exponentials": Program(lambda x: np.sum(np.exp(x) + np.expm1(x) + np.log(np.exp(x) + 1.0)), (V,)),
    "logarithms": Program(lambda x: np.sum(np.log(x) + np.log1p(x) + np.log2(x) + np.log10(x)), (P,)),
    "angles": Program(lambda x: np.sum(np.sin(x) + np.cos(x) + np.tan(x) + np.arctan(x)), (V,)),
    "hyperbolic": Program(lambda x: np.sum(np.sinh(x) * np.cosh(x) - np.arcsinh(x)), (V,)),
    "roots": Program(lambda x: np.sum(np.sqrt(x) + np.square(x) + np.reciprocal(x)), (P,)),
    "choices": Program(lambda x, y: np.sum(np.maximum(x, y) - np.minimum(x, 0.0)), (V, W)),
    "where": Program(lambda x: np.sum(np.where(x > 0, x * x, 0.1 * x)), (V,)),
    "absolute": Program(lambda x: np.sum(np.abs(x)), (V,)),
    "means": Program(lambda x: np.mean(x, axis=0)[1] + np.sum(np.var(x, axis=1)) + np.std(x), (M,)),
    "extremes": Program(lambda x: np.max(x) - np.sum(np.min(x, axis=1)) + np.prod(x[0]), (M,)),
    "logsumexp": Program(lambda x: np.sum(special.logsumexp(x, axis=1)), (M,)),
    "special": Program(lambda x: np.sum(special.gammaln(x) + special.expit(x) + special.erf(x)), (P,)),
    "shapes": Program(lambda x: np.sum(np.reshape(x, (2, 6)).T * np.ravel(x)[:2]), (M,)),
    "pieces": Program(lambda x: np.sum(x[1:, ::2] ** 2) + x[0, 3] + np.sum(x[[0, 0, 2]]), (M,)),
    "joined": Program(lambda x, y: np.sum(np.concatenate([x, y, x]) * numbers(12)), (V, W)),
    "stacked": Program(lambda x, y: np.sum(np.stack([x, y])[1] * x) + np.sum(np.array([x[0], y[1]])), (V, W)),
    "stretched": Program(lambda x, y: np.sum(x * y), (M, V)),
    "outer": Program(lambda x, y: np.sum(np.outer(x, y) ** 2), (V, W)),
    "products": Program(lambda x, y: np.sum(np.dot(x, y)) + np.sum(x @ y), (M, numbers(4, 2))),
    "einsum": Program(lambda x, y: np.sum(np.einsum("ij,j->i", x, y) ** 2), (M, V)),
    "tensordot": Program(lambda x, y: np.sum(np.tensordot(x, y, 1)), (M, V)),
    "sums": Program(lambda x: np.sum(np.cumsum(x) * V) + np.sum(np.tile(x, 2)) + np.sum(np.repeat(x, 2)), (V,)),
    "moves": Program(lambda x: np.sum(np.roll(x, 1) * x) + np.sum(np.fliplr(x[None])) + np.sort(x)[0], (V,)),
    "determinant": Program(lambda x: linalg.det(x) + linalg.slogdet(x)[1], (SQUARE,)),
    "inverse": Program(lambda x: np.sum(linalg.inv(x)) + np.sum(linalg.solve(x, V[:3])), (SQUARE,)),
    "eigenvalues": Program(lambda x: np.sum(linalg.eigh(x + x.T)[0] ** 2), (SQUARE,)),
    "singular": Program(of_a_svd, (M,)),
    "complex": Program(lambda x: np.sum(np.abs(np.exp(1j * x) + x) ** 2), (V,)),
    "fourier": Program(lambda x: np.sum(np.abs(np.fft.fft(x)) ** 2), (V,)),
    "mlp": Program(mlp, ({"w1": numbers(3, 5, seed=5), "b1": numbers(5), "w2": numbers(5, 1, seed=6)}, DATA, LABELS)),
    "layers": Program(layers, ([(numbers(3, 4), numbers(4)), (numbers(4, 2, seed=1), numbers(2))], DATA)),
    "logistic": Program(logistic, (numbers(3, seed=7),)),
    "rnn": Program(rnn, (numbers(3, 3, seed=8), DATA)),
    "newton": Program(newton, (P,)),
    "twice": Program(twice, ({"w": V},)),
    "own": Program(lambda x: np.sum(cube(x) * x), (V,)),
    "containers": Program(in_containers, (V,)),
    "penalty": Program(penalty, (V,)),
    "slope": Program(slope, (V,)),
}
"""All but the last two take no gradient within what is differentiated."""
