"""A result that is changed where autograd does not look is told of; a parameter that is set is not."""

from __future__ import annotations

import pytest

import tapeviz as tv
from tests.diagnosis.programs import run

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

START = "x = torch.ones(3, requires_grad=True)\nh = x * 2.0\n"
END = "\nloss = (h * 1.5).sum()\nloss.backward()\n"
NO_GRAD = "with torch.no_grad():\n    "

UNSEEN = [NO_GRAD + "h[0] = 0.0", NO_GRAD + "h[1:].mul_(3.0)", "h.data.clamp_(max=1.0)", "h.data = torch.zeros(3)"]
SEEN = [
    "h[0] = 0.0",
    "h.mul_(2.0)",
    NO_GRAD + "x[0] = 0.0",
    NO_GRAD + "y = h.clone()\n    y[0] = 0.0",
    "g = h.detach().clone()\ng[0] = 0.0",
]


@pytest.mark.parametrize("change", UNSEEN)
def test_a_change_that_autograd_does_not_see_is_told(change: str) -> None:
    (finding,) = tv.diagnose(run(START + change + END, torch))
    assert (finding.cause, finding.severity, finding.symptom) == ("inplace_modification", "hint", "wrong")
    assert finding.site is not None
    assert finding.site.text == change.splitlines()[-1].strip()
    assert "(new - h).detach()" in str(finding.fix)


@pytest.mark.parametrize("change", SEEN)
def test_a_change_that_it_sees_or_that_nothing_came_of_is_not(change: str) -> None:
    assert not tv.diagnose(run(START + change + END, torch))


def test_a_change_after_the_last_use_is_not() -> None:
    assert not tv.diagnose(run(START + END + NO_GRAD + "h[0] = 0.0", torch))


@pytest.mark.parametrize("change", UNSEEN[:3])
def test_the_log_has_the_new_values(change: str) -> None:
    log = run(START + change + END, torch)
    loss = log.value(log.id_of("loss"))
    assert loss == pytest.approx(1.5 * log.value(log.id_of("h"), len(log.events)).sum())
