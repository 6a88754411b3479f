"""Each faulty program and its repair, each healthy program: run once in the engine, and asked everything.

The first finding of a faulty one names the cause and the line; repaired it is as silent as the healthy ones.
"""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import pytest

from tapeviz import compare
from tapeviz.diagnosis import CAUSES
from tapeviz.diagnosis.table import table
from tapeviz.events.collector_paused import collector_paused
from tests.diagnosis import messages
from tests.diagnosis.faulty import FAULTY
from tests.diagnosis.faulty_choices import HEALTHY as HEALTHY_CHOICES
from tests.diagnosis.healthy import HEALTHY as HEALTHY_ALONE
from tests.diagnosis.programs import Pair, Ran, beyond_the_engine, name_of, symptoms
from tests.engine import names as tf
from tests.events.stored import reloaded, views
from tests.markup.balanced import read

HEALTHY = HEALTHY_ALONE | {name: dedent(text).strip() for name, text in HEALTHY_CHOICES.items()}


OWN = [each for each in FAULTY if not beyond_the_engine(each.text)]
OWN_HEALTHY = [name for name, text in HEALTHY.items() if not beyond_the_engine(text)]
"""Programs of the engine's names; those that need more of TensorFlow's are in `tests/tf/debugger`."""


@pytest.fixture(scope="module", params=OWN, ids=name_of)
def faulty(request: pytest.FixtureRequest) -> Pair:
    """pytest makes all tests of one program before it goes on to the next, so each program runs once."""
    return Pair(request.param, tf)


@pytest.fixture(scope="module", params=OWN_HEALTHY)
def healthy(request: pytest.FixtureRequest) -> Ran:
    return Ran(HEALTHY[request.param], tf)


def test_the_first_finding_names_cause_and_line(faulty: Pair) -> None:
    faulty.first_names_cause_and_line()


def test_the_repaired_program_is_silent(faulty: Pair) -> None:
    assert faulty.repaired.loud == []


def test_the_message_is_the_one_that_was_read(faulty: Pair) -> None:
    assert messages.said("tapeviz", faulty) == messages.accepted("tapeviz", faulty.program)


def test_every_message_is_a_sentence_with_a_line_and_a_fix(faulty: Pair) -> None:
    for each in faulty.broken.findings:
        assert each.cause in CAUSES
        assert re.search(r"line \d+", each.message), each.message
        assert each.message[0] == "`" or each.message[0].isupper(), each.message
        assert each.message.endswith(".")
        assert each.fix.endswith(".")
        assert "None`" not in each.message
        assert all(position >= 0 for position in each.evidence)
        assert each.evidence
        assert len(each._repr_html_()) < 10_000


def test_the_findings_of_its_table_are_those_of_a_diagnosis(faulty: Pair) -> None:
    """What a diagnosis says of a source that got no gradient is what the table says of it."""
    tabled = {(each.source, each.cause) for each in table(faulty.broken.log).findings}
    said = {(each.source, each.cause) for each in faulty.broken.findings if each.symptom in ("none", "zero", "nan")}
    assert tabled - said == set()


def test_the_fault_and_its_repair_are_compared(faulty: Pair) -> None:
    program, found = faulty.program, compare(faulty.broken.log, faulty.repaired.log)
    assert found.changes or program.broken == program.repaired or any(not each.same for each in found.gradients)
    card = found._repr_html_()
    assert read(card).text
    assert read(card).tags.isdisjoint({"script", "link"})
    page = found.html()
    assert read(page).tags.isdisjoint({"link", "iframe", "img"})
    assert page.count("<script") == 3  # what tells the theme, the data, and what the page does
    assert len(card) < 20_000


def test_read_again_it_has_the_same_views(faulty: Pair, tmp_path: Path) -> None:
    have_the_same_views(faulty.broken, tmp_path)


@pytest.mark.tensorflow
def test_tensorflow_shows_the_same(faulty: Pair, tensorflow: ModuleType) -> None:
    assert faulty.broken.symptoms == symptoms(faulty.broken.text, tensorflow)


def test_a_healthy_program_is_silent(healthy: Ran) -> None:
    assert healthy.loud == []


def test_a_healthy_program_that_is_read_again_has_the_same_views(healthy: Ran, tmp_path: Path) -> None:
    have_the_same_views(healthy, tmp_path)


@pytest.mark.tensorflow
def test_tensorflow_shows_the_same_of_a_healthy_program(healthy: Ran, tensorflow: ModuleType) -> None:
    assert healthy.symptoms == symptoms(healthy.text, tensorflow)


@collector_paused  # a tape that is released says so in its log
def have_the_same_views(ran: Ran, folder: Path) -> None:
    assert views(reloaded(ran.log, folder)) == views(ran.log)
