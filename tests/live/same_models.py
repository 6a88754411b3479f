"""A drawn network of layers -> its gradients by several frameworks, in another order of sums and another precision.

`python -m tests.live.same_models` compares two hundred drawn pairs, and prints those that are said to differ.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeviz as tv

FRAMEWORKS = ("torch", "jax")
DTYPES = ("float32", "float64", "bfloat16")


class Model:
    """A chain of `layers` layers with tanh, and the mean squared error of what comes out."""

    def __init__(self, seed: int, layers: int = 3, width: int = 16, batch: int = 32) -> None:
        draw = np.random.default_rng(seed)
        self.x, self.y = draw.standard_normal((batch, width)), draw.standard_normal((batch, width))
        self.weights = [draw.standard_normal((width, width)) * 1.2 / np.sqrt(width) for _ in range(layers)]
        self.biases = [0.1 * draw.standard_normal(width) for _ in range(layers)]

    def in_numpy(self, dtype: Any, parts: int = 1) -> dict[str, Any]:
        """By hand, summed over so many parts of the batch, from the last to the first."""
        pieces = zip(np.array_split(self.x, parts), np.array_split(self.y, parts), strict=True)
        found = [self._by_hand(x.astype(dtype), y.astype(dtype), dtype) for x, y in reversed([*pieces])]
        return {name: np.sum([each[name] for each in found], axis=0, dtype=dtype) for name in found[0]}

    def _by_hand(self, x: Any, y: Any, dtype: Any) -> dict[str, Any]:
        outputs = [x]
        for weight, bias in zip(self.weights, self.biases, strict=True):
            outputs.append(np.tanh(outputs[-1] @ weight.astype(dtype) + bias.astype(dtype)))
        g = (2 * (outputs[-1] - y) / self.x.size).astype(dtype)
        found = {}
        for at in reversed(range(len(self.weights))):
            g = g * (1 - outputs[at + 1] ** 2)
            found[f"w{at}"], found[f"b{at}"] = outputs[at].T @ g, g.sum(0)
            g = g @ self.weights[at].astype(dtype).T
        return found

    def in_torch(self, dtype: str, parts: int = 1, *, recorded: bool = False) -> Any:
        """By autograd: as arrays, or as a recording."""
        import torch

        kind = getattr(torch, dtype)
        params = {
            f"{name}{at}": torch.tensor(each).to(kind).requires_grad_()
            for at, pair in enumerate(zip(self.weights, self.biases, strict=True))
            for name, each in zip("wb", pair, strict=True)
        }
        x, y = torch.tensor(self.x).to(kind), torch.tensor(self.y).to(kind)

        def run() -> None:
            for rows in np.array_split(np.arange(len(self.x)), parts):
                h = x[rows[0] : rows[-1] + 1]
                for at in range(len(self.weights)):
                    h = torch.tanh(h @ params[f"w{at}"] + params[f"b{at}"])
                ((h - y[rows[0] : rows[-1] + 1]) ** 2 / x.numel()).sum().backward()

        if not recorded:
            run()
            return {name: each.grad for name, each in params.items()}
        with tv.record() as log:
            run()
        return log

    def in_jax(self, dtype: str, parts: int = 1) -> dict[str, Any]:
        """By JAX, which has no double precision here."""
        import jax
        import jax.numpy as jnp

        kind = "float32" if dtype == "float64" else dtype
        params = {f"w{at}": jnp.asarray(each, kind) for at, each in enumerate(self.weights)}
        params |= {f"b{at}": jnp.asarray(each, kind) for at, each in enumerate(self.biases)}

        def loss(params: Any, x: Any, y: Any) -> Any:
            for at in range(len(self.weights)):
                x = jnp.tanh(x @ params[f"w{at}"] + params[f"b{at}"])
            return jnp.sum((x - y) ** 2 / self.x.size)

        pieces = zip(np.array_split(self.x, parts), np.array_split(self.y, parts), strict=True)
        found = [jax.grad(loss)(params, jnp.asarray(x, kind), jnp.asarray(y, kind)) for x, y in pieces]
        return {name: sum(each[name] for each in found) for name in params}


def drawn(seed: int) -> tuple[Any, Any]:
    """The gradients of a drawn network in two ways."""
    draw = np.random.default_rng(seed)
    model = Model(seed, int(draw.integers(1, 6)), int(draw.choice([4, 16, 48])), int(draw.choice([8, 32, 200])))
    ways = [
        lambda: model.in_numpy(np.float32, int(draw.choice([1, 4]))),
        lambda: model.in_numpy(np.float64, int(draw.choice([1, 4]))),
        *(lambda dtype=each: model.in_torch(dtype, int(draw.choice([1, 4]))) for each in DTYPES),
        lambda: model.in_torch(str(draw.choice(DTYPES)), int(draw.choice([1, 4])), recorded=True),
        lambda: model.in_jax("float32", int(draw.choice([1, 4]))),
    ]
    one, other = draw.choice(len(ways), 2, replace=False)
    return ways[one](), ways[other]()


def main() -> None:
    """Compare two hundred pairs."""
    differing = 0
    for seed in range(200):
        found = tv.same(*drawn(seed))
        if not found:
            differing += 1
            print(seed, found)
    print(f"{differing} of 200 pairs that are the same are said to differ")


if __name__ == "__main__":
    main()
