#!/bin/sh
# A checkpoint gives the gradient of no function that ever ran, where plain autograd raises.
#
# torch 2.13.0. A weight is changed in place between the forward and the backward pass. Autograd keeps the weight by
# version and refuses. torch.utils.checkpoint, reentrant or not, computes its part again with the new weight, and
# compares nothing but shapes: the upstream gradient is that of the old forward pass, everything inside that of the new
# one. No error and no warning, also with determinism_check as it is by default.
# Seen: of sin(x w) squared, w 2, then 3: both checkpoints -5.40 by x; that of w = 2 is -1.51, that of w = 3 is -0.84;
# without a checkpoint a RuntimeError about a version.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check torch==2.13.0 numpy==2.4.6
"$folder/env/bin/python" - <<'END'
import torch
from torch.utils.checkpoint import checkpoint


def slope(way, start=2.0, then=3.0):
    w = torch.tensor([start], requires_grad=True)
    x = torch.ones(1, requires_grad=True)

    def inner(t):
        return (t * w).sin()

    y = inner(x) if way == "plain" else checkpoint(inner, x, use_reentrant=way == "reentrant")
    loss = y.square().sum()
    with torch.no_grad():
        w.fill_(then)
    loss.backward()
    return float(x.grad)


def true_slope(w):
    x = torch.ones(1, requires_grad=True)
    (x * w).sin().square().sum().backward()
    return float(x.grad)


try:
    slope("plain")
except RuntimeError as error:
    print("plain: RuntimeError")
    assert "modified by an inplace operation" in str(error)
else:
    raise AssertionError("plain autograd did not refuse")
versions = true_slope(2.0), true_slope(3.0)
print("with w = 2 and with w = 3:", versions)
for way in ("reentrant", "not reentrant"):
    found = slope(way)
    print(f"{way}: {found}")
    assert all(abs(found - each) > 0.5 for each in versions), way
END
