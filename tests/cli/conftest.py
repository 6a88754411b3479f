"""What the tests of the command line share: forks of processes that have PyTorch, or the command line, already."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.forks import Forks


@pytest.fixture(scope="package")
def with_torch() -> Iterator[Forks]:
    """`with_torch.start(folder, *arguments)`: Python with PyTorch already imported."""
    pytest.importorskip("torch")
    forks = Forks("torch")
    yield forks
    forks.close()


@pytest.fixture(scope="package")
def with_tapeviz() -> Iterator[Forks]:
    """Forks of a process that has the command line."""
    forks = Forks("tapeviz.cli.main")
    yield forks
    forks.close()
