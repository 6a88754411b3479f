#!/bin/sh
# In a `shard_map` that checks its axes, `jax.grad` is wrong through a `lax.cond` whose branch differs between devices.
#
# jax 0.10.2. Device 0 takes one branch and device 1 the other; what both branches read, all devices have alike. The
# values are right either way. The gradient is right with `check_vma=False`, and with `jnp.where` in place of the
# `cond`; with `check_vma=True`, the default, it is another: the result of the `cond` has the type of what is alike on
# all devices, though it is not: what comes back is added up over the devices first, and goes by one branch for all.
# Seen, where 2.5 is due: cond with the check 4.0, cond without 2.5, where with the check 2.5.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check jax==0.10.2 numpy==2.4.6
XLA_FLAGS=--xla_force_host_platform_device_count=2 JAX_PLATFORMS=cpu "$folder/env/bin/python" - <<'END'
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(jax.devices(), ("data",))
x = jnp.array([1.0, 3.0])


def by_cond(w, x):
    factor = lax.cond(lax.axis_index("data") == 0, lambda w: 2.0 * w, lambda w: w, w)
    return lax.pmean((factor * x).sum(), "data")


def by_where(w, x):
    factor = jnp.where(lax.axis_index("data") == 0, 2.0 * w, w)
    return lax.pmean((factor * x).sum(), "data")


def both(f, check):
    mapped = jax.shard_map(f, mesh=mesh, in_specs=(P(), P("data")), out_specs=P(), check_vma=check)
    value, gradient = jax.value_and_grad(mapped)(1.0, x)
    return float(value), float(gradient)


# (2 w 1 + w 3) / 2: the value at 1, and the slope, are 2.5.
for name, f, check, slope in (
    ("cond with the check", by_cond, True, 4.0),
    ("cond without", by_cond, False, 2.5),
    ("where with the check", by_where, True, 2.5),
):
    value, gradient = both(f, check)
    print(f"{name}: value {value}, gradient {gradient}")
    assert value == 2.5
    assert abs(gradient - slope) < 1e-5
END
