"""A test run by pytest -> the recording of it, and, if it fails, what is found in that.

`pytest --tapeviz` records every test. `tape_log` is the recording of a test that takes it, with the option or without.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tapeviz.events.log import EventLog

_LOG = pytest.StashKey["EventLog"]()
OPTION = "--tapeviz"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option."""
    told = "record every test, and say under one that fails what is wrong with the gradients that it took"
    parser.getgroup("tapeviz").addoption(OPTION, action="store_true", help=told)


@pytest.fixture
def tape_log(request: pytest.FixtureRequest) -> Generator[EventLog]:
    """The log of what the test does: of tapes, and of programs of TensorFlow, PyTorch and JAX."""
    from tapeviz.recorders.record import record

    with record() as log:
        request.node.stash[_LOG] = log
        yield log


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Run a test in a recording, if that was asked for."""
    if not item.config.getoption(OPTION) or _LOG in item.stash:
        return (yield)
    from tapeviz.recorders.record import record

    with record() as log:
        item.stash[_LOG] = log
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add what is found to the report of a test that failed."""
    report = yield
    if report.when == "call" and report.failed and _LOG in item.stash:
        said = _findings(item.stash[_LOG])
        if said:
            report.sections.append(("tapeviz", said))
    return report


def _findings(log: EventLog) -> str:
    """The findings, "" where there are none; a failure to find any must not stand in for the test's own."""
    from tapeviz.diagnosis.diagnose import diagnose

    try:
        found = diagnose(log)
    except Exception as failure:
        return f"tapeviz could not look at the gradients: {type(failure).__name__}: {failure}"
    return str(found) if len(found) else ""
