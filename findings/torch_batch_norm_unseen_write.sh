#!/bin/sh
# torch.nn.BatchNorm1d writes its running statistics where autograd's version counters do not see it.
#
# torch 2.13.0. An op that reads running_var, and keeps it for its gradient, is followed by a training pass through the
# layer, which updates running_var in place. The version counter stays as it was, so that backward takes the new numbers
# without a word: the gradient is wrong. InstanceNorm1d, which updates its own in the same way, raises the usual error.
# Seen: the gradient of sum(running_var * w) by w is 1.7 and 4.1 where running_var was 1 and 1.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check torch==2.13.0 numpy==2.4.6
"$folder/env/bin/python" - <<'END'
import torch


def read_and_train(norm, x):
    w = torch.ones(2, requires_grad=True)
    loss = (norm.running_var * w).sum()
    version = norm.running_var._version
    norm(x)
    assert norm.running_var.tolist() != [1.0, 1.0]
    return w, loss, norm.running_var._version - version


x = torch.tensor([[0.0, 0.0], [4.0, 8.0]])
w, loss, counted = read_and_train(torch.nn.BatchNorm1d(2), x)
loss.backward()
print("BatchNorm1d: writes counted", counted, "loss", loss.item(), "gradient", w.grad.tolist())
assert counted == 0
assert loss.item() == 2.0
assert torch.allclose(w.grad, torch.tensor([1.7, 4.1]))

w, loss, counted = read_and_train(torch.nn.InstanceNorm1d(2, track_running_stats=True), x.T[None])
print("InstanceNorm1d: writes counted", counted)
assert counted == 1
try:
    loss.backward()
except RuntimeError as error:
    print("InstanceNorm1d:", str(error)[:80])
    assert "modified by an inplace operation" in str(error)
else:
    raise AssertionError("InstanceNorm1d did not raise")
END
