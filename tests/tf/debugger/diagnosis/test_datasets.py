"""Where a gradient ends in what runs for a dataset of `tapeviz.data`."""

from __future__ import annotations

from tests.diagnosis.test_datasets import (
    test_a_loop_of_pythons_own_lets_it_pass as test_a_loop_of_pythons_own_lets_it_pass,
)
from tests.diagnosis.test_datasets import (
    test_functions_of_a_dataset_let_no_gradient_pass as test_functions_of_a_dataset_let_no_gradient_pass,
)
from tests.diagnosis.test_datasets import (
    test_nor_does_a_loop_over_one_in_a_traced_function as test_nor_does_a_loop_over_one_in_a_traced_function,
)
