"""Each faulty program: the first finding names the cause and the line; repaired it is as silent as the healthy ones."""

from __future__ import annotations

from textwrap import dedent

import pytest

import tapeviz as tf
from tapeviz.diagnosis.diagnose import diagnose
from tests.diagnosis.faulty import FAULTY
from tests.diagnosis.faulty_choices import HEALTHY as HEALTHY_CHOICES
from tests.diagnosis.healthy import HEALTHY as HEALTHY_ALONE
from tests.diagnosis.programs import Program, loud, run, symptoms

HEALTHY = HEALTHY_ALONE | {name: dedent(text).strip() for name, text in HEALTHY_CHOICES.items()}

each_faulty = pytest.mark.parametrize("program", FAULTY, ids=lambda program: f"{program.causes[0]}-{program.name}")


@each_faulty
def test_the_first_finding_names_cause_and_line(program: Program) -> None:
    findings = diagnose(run(program.broken, tf))
    assert findings, "nothing found"
    first = findings[0]
    assert first.cause in program.causes, str(findings)
    assert first.site is not None
    assert first.site.line in program.culprits, str(findings)


@each_faulty
def test_the_repaired_program_is_silent(program: Program) -> None:
    assert loud(run(program.repaired, tf)) == []


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_program_is_silent(name: str) -> None:
    assert loud(run(HEALTHY[name], tf)) == []


TEXTS = HEALTHY | {program.name: program.broken for program in FAULTY}


@pytest.mark.tensorflow
@pytest.mark.parametrize("name", TEXTS)
def test_tensorflow_shows_the_same(name: str) -> None:
    import tensorflow

    assert symptoms(TEXTS[name], tf) == symptoms(TEXTS[name], tensorflow)
