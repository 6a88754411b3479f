"""What a module of `tapeviz.Module` calls the variables in it."""

from __future__ import annotations

from typing import Any

import tapeviz as tv
from tapeviz.recorders.bindings import note_names


def test_a_loop_over_variables_names_none_of_them() -> None:
    class Net(tv.Module):
        def __init__(self) -> None:
            self.w = tv.Variable(1.0, name="w")

    first, second = Net(), Net()
    with tv.record() as log:
        product = first.w * second.w
        for variable in first.trainable_variables:
            product = product * variable
    assert log.tensors[log.id_of(variable)].name == "first.w"


def test_data_in_a_module_is_passed_over() -> None:
    class Net(tv.Module):
        def __init__(self) -> None:
            self.vocabulary = {str(number): number for number in range(100_000)}
            self.rows = [[float(number), None] for number in range(100_000)]
            self.layers = [("first", tv.Variable(1.0)), ("second", tv.Variable(2.0))]

    class Told(tv.EventLog):
        def bind(self, obj: Any, name: str) -> None:
            told.append(name)

    told: list[str] = []
    note_names(Told(), {"net": Net()})
    assert [name for name in told if "layers" in name] == ["net.layers[0][1]", "net.layers[1][1]"]
    assert len(told) <= 2_000
