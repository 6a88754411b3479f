"""What is said of a model's `fit`."""

from __future__ import annotations

from tests.diagnosis.test_recorded_tensorflow import (
    test_the_loss_of_a_fit_is_asked_about_by_its_name as test_the_loss_of_a_fit_is_asked_about_by_its_name,
)
