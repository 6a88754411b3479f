"""Programs on four devices of one machine, each with a recording and without, and the outcome printed as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

import tapeviz as tv
from tapeviz.events import BackwardFinished, BackwardStarted, OpRecorded, OpSkipped

LINE, SQUARE = Mesh(np.array(jax.devices()), ("data",)), Mesh(np.array(jax.devices()).reshape(2, 2), ("data", "model"))
W, X = jax.random.normal(jax.random.PRNGKey(0), (8, 4)), jax.random.normal(jax.random.PRNGKey(1), (16, 8))
Loss = Callable[[Any, Any], Any]


def loss(w: Any, x: Any) -> Any:
    return jnp.mean(jnp.tanh(x @ w) ** 2)


def mapped(mesh: Mesh, *specs: Any, check: bool = True) -> Callable[[Loss], Loss]:
    """A function of each device, whose result all have alike."""
    return partial(jax.shard_map, mesh=mesh, in_specs=specs, out_specs=P(), check_vma=check)


@mapped(LINE, P(), P("data"))
def averaged(w: Any, x: Any) -> Any:
    return lax.pmean(loss(w, x), "data")


@mapped(SQUARE, P(None, "model"), P("data"))
def in_two_directions(w: Any, x: Any) -> Any:
    return lax.pmean(loss(w, x), ("data", "model"))


@mapped(LINE, P("data"), P(), check=False)
def gathered(w: Any, x: Any) -> Any:
    return loss(lax.all_gather(w, "data", tiled=True), x)


@mapped(LINE, P(), P("data"), check=False)
def passed_round(w: Any, x: Any) -> Any:
    x = lax.ppermute(x, "data", [(each, (each + 1) % 4) for each in range(4)])
    return lax.pmean(loss(w, x), "data")


@mapped(LINE, P(), P("data"), check=False)
def without_mean(w: Any, x: Any) -> Any:
    return loss(w, x)


@mapped(LINE, P(), P("data"), check=False)
def summed_twice(w: Any, x: Any) -> Any:
    mean = lax.pmean(loss(w, x), "data")
    return lax.psum(mean, "data")


@mapped(LINE, P("data"), P("data"))
def computed_again(w: Any, x: Any) -> Any:
    return lax.pmean(jax.checkpoint(lambda w, x: loss(lax.all_gather(w, "data", tiled=True), x))(w, x), "data")


@mapped(LINE, P(), P("data"))
def in_a_loop(w: Any, x: Any) -> Any:
    """Each device sees the examples of all others, one after another."""

    def step(carried: tuple[Any, Any], _: None) -> tuple[tuple[Any, Any], None]:
        total, x = carried
        return (total + loss(w, x), lax.ppermute(x, "data", [(each, (each + 1) % 4) for each in range(4)])), None

    (total, _), _ = lax.scan(step, (lax.pcast(jnp.zeros(()), "data", to="varying"), x), None, length=4)
    return lax.pmean(total, "data") / 4


@mapped(LINE, P(), P("data"))
def picked(w: Any, x: Any) -> Any:
    """The entry of each example that its number on its device tells."""
    scores = jax.nn.log_softmax(x @ w)
    rows = jnp.arange(len(scores))
    return lax.pmean(-scores[rows, rows].mean(), "data")


def picked_alone(w: Any, x: Any) -> Any:
    rows = jnp.arange(16)
    return -jax.nn.log_softmax(x @ w)[rows, rows % 4].mean()


def cast_within(w: Any, x: Any) -> Any:
    """In a function with a rule of its own, in one that is one op, in a branch, and in a loop."""
    h = jax.nn.relu(x @ w)
    h = jnp.where(h > 0.5, w.mean(), h)
    h = lax.cond(w[0, 0] > 0.0, lambda h: h * w[0], lambda h: h - w[1], h)
    return lax.fori_loop(0, 3, lambda _, h: jnp.tanh(h + w[2]), h).mean()


def in_parallel(w: Any, x: Any) -> Any:
    return jax.pmap(loss, in_axes=(None, 0))(w, x.reshape(4, 4, 8)).mean()


def placed(mesh: Mesh, w: Any, x: Any) -> tuple[Any, Any]:
    return jax.device_put(W, NamedSharding(mesh, w)), jax.device_put(X, NamedSharding(mesh, x))


CASES: dict[str, tuple[Loss, Loss, tuple[Any, Any]]] = {
    "shard_map": (averaged, loss, (W, X)),
    "shard_map in two directions": (in_two_directions, loss, (W, X)),
    "shard_map, gathered": (gathered, loss, (W, X)),
    "shard_map, passed round": (passed_round, loss, (W, X)),
    "shard_map, computed again": (computed_again, loss, (W, X)),
    "shard_map, in a loop": (in_a_loop, loss, (W, X)),
    "shard_map, picked": (picked, picked_alone, (W, X)),
    "shard_map, cast within": (
        mapped(LINE, P(), P("data"))(lambda w, x: lax.pmean(cast_within(w, x), "data")),
        cast_within,
        (W, X),
    ),
    "jit of shard_map": (jax.jit(averaged), loss, (W, X)),
    "without its mean": (without_mean, loss, (W, X)),
    "summed twice": (summed_twice, lambda w, x: 4.0 * loss(w, x), (W, X)),
    "pmap": (in_parallel, loss, (W, X)),
    "jit of shards": (jax.jit(loss), loss, placed(SQUARE, P(None, "model"), P("data", None))),
    "shards": (loss, loss, placed(LINE, P(), P("data", None))),
}
"""A loss, the same without devices, and the arguments."""


def outcome(of: Loss, alone: Loss, arguments: tuple[Any, Any]) -> dict[str, Any]:
    """What is to be so of one of them."""
    differentiated, (w, x) = jax.value_and_grad(of), arguments
    before = differentiated(w, x)
    with tv.record() as log:
        after = differentiated(w, x)
    (started,), (finished,) = (list(log.of_kind(kind).values()) for kind in (BackwardStarted, BackwardFinished))
    ops = [each for each in log.of_kind(OpRecorded, OpSkipped).values() if dict(each.attrs).get("devices")]
    return {
        "same": all(map(np.array_equal, before, after)),
        "right": bool(np.allclose(log.value(finished.gradients[0]), jax.grad(alone)(W, X), atol=1e-6)),
        "name": log.tensors[started.sources[0]].name,
        "collectives": [[each.op, dict(each.attrs)["axis"], dict(each.attrs)["devices"]] for each in ops],
        "placements": [log.tensors[each].placement for each in (started.sources[0], finished.gradients[0])],
        "axes": [dict(each.attrs)["axes"] for each in log.of_kind(OpRecorded).values() if each.op == "gather"],
        "told": str(tv.diagnose(log)),
    }


if __name__ == "__main__":
    print(json.dumps({name: outcome(*case) for name, case in CASES.items()}))
