"""An operand -> how the user writes it: its name, or the number that stands there."""

from __future__ import annotations

import tapeviz as tv
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.recorded_calls import gradient_calls
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.spelling import written
from tapeviz.graph import Graph
from tapeviz.markup.text import CODE, with_code
from tapeviz.phrases import quoted, unquoted


def test_names_and_numbers_are_written_and_texts_are_not() -> None:
    x, mode = tv.Variable(1.0, name="x"), tv.constant("relu")
    with tv.record() as log, tv.GradientTape() as tape:
        is_relu = tv.equal(mode, "relu")
        y = 2.5 * x
    tape.gradient(y, x)
    assert bool(is_relu)
    call = next(gradient_calls(Graph(log)))
    question = Question(call, call.sources[0])
    told = {str(log.value(row.id)): written(question, row.id) for row in log.tensors if row.role == "literal"}
    assert told == {"b'relu'": None, "2.5": "2.5"}
    assert [written(question, each) for each in (*call.sources, *call.targets)] == ["x", "y"]


def test_a_name_stays_what_the_program_made_of_it() -> None:
    for name in ("w", "`w` x", "`", "``", "a`b`"):
        with tv.record() as log, tv.GradientTape():
            variable = tv.Variable(1.0, name=name)
            variable * 2.0
        told = name_of(Graph(log), log.id_of(variable))
        assert told == quoted(name)
        assert unquoted(told) == name
        assert with_code(told) == f'<code style="{CODE}">{name}</code>'
