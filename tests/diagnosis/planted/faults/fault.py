"""A row: what is changed, which causes are right, and what a framework shows of it."""

from __future__ import annotations

from dataclasses import dataclass

from tests.diagnosis.planted.edits import Edit, after


@dataclass(frozen=True)
class Fault:
    """One mistake; `edits` has its spelling per framework: torch, tf (the engine's too) and jax."""

    name: str
    causes: tuple[str, ...]
    shows: tuple[str, ...]
    edits: dict[str, Edit]


def row(name: str, causes: str, shows: str, **edits: Edit) -> Fault:
    """A fault; `causes` and `shows` are words, each of which is right."""
    return Fault(name, tuple(causes.split()), tuple(shows.split()), edits)


def hidden(name: str, causes: str, shows: str, **lines: str) -> Fault:
    """A fault that is written below the assignment of a hidden tensor, which it assigns anew."""
    return row(name, causes, shows, **{framework: after("hidden", text) for framework, text in lines.items()})
