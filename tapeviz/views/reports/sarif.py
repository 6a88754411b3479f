"""Findings -> what a CI shows at the lines of a program: a SARIF report, or GitHub's annotations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tapeviz.diagnosis import CAUSES
from tapeviz.diagnosis.finding import Finding, Findings, Severity
from tapeviz.source.edits import Edit, TextChange, characters, together

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: dict[Severity, str] = {"error": "error", "warning": "warning", "hint": "note"}
_COMMANDS: dict[Severity, str] = {"error": "error", "warning": "warning", "hint": "notice"}


def sarif(findings: Findings) -> dict[str, Any]:
    """Findings as a report of the Static Analysis Results Interchange Format, version 2.1.0, ready for `json.dump`.

    A rule is a cause, and a result what holds for one or several sources at one line; its `fixes` are the edits of
    these, where they have one. Paths are those of the log: relative to the working directory for what is below it.
    Lines and columns count from 1.

    Source:
        OASIS, SARIF Version 2.1.0.

    >>> import tapeviz as tv
    >>> x = tv.constant(1.0)
    >>> with tv.GradientTape() as tape:
    ...     y = x * 2.0
    >>> _ = tape.gradient(y, x)
    >>> [each["ruleId"] for each in sarif(tv.diagnose(tape))["runs"][0]["results"]]
    ['not_watched']
    """
    groups = findings.groups()
    labels = sorted({group[0].cause for group in groups})
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "tapeviz", "rules": list(map(_rule, labels))}},
                "columnKind": "unicodeCodePoints",
                "results": [_result(group, labels) for group in groups],
            }
        ],
    }


def _rule(label: str) -> dict[str, Any]:
    cause = CAUSES[label]
    return {
        "id": label,
        "shortDescription": {"text": cause.title},
        "fullDescription": {"text": cause.explanation},
        "help": {"text": cause.fix},
    }


def _result(group: Sequence[Finding], labels: Sequence[str]) -> dict[str, Any]:
    finding, edits = group[0], together(each.edit for each in group)
    fixes = [{"description": {"text": finding.fix}, "artifactChanges": list(map(_changes, edits))}]
    return {
        "ruleId": finding.cause,
        "ruleIndex": labels.index(finding.cause),
        "level": _LEVELS[finding.severity],
        "message": {"text": f"{finding.message} Fix: {finding.fix}"},
        "locations": list(_locations(finding)),
    } | ({"fixes": fixes} if edits else {})


def _changes(edit: Edit) -> dict[str, Any]:
    """An edit as what is taken from a file and what is put there."""
    return {
        "artifactLocation": _artifact(edit.filename),
        "replacements": [_replacement(edit, each) for each in edit.changes],
    }


def _replacement(edit: Edit, change: TextChange) -> dict[str, Any]:
    (line, column), (end_line, end_column) = (characters(edit.lines, each) for each in (change.begin, change.end))
    region = {"startLine": line, "startColumn": column + 1, "endLine": end_line, "endColumn": end_column + 1}
    return {"deletedRegion": region, "insertedContent": {"text": change.text}}


def _artifact(filename: str) -> dict[str, str]:
    return {"uri": filename.replace("\\", "/")}


def _locations(finding: Finding) -> Iterator[dict[str, Any]]:
    site = finding.site
    if site is None:
        return
    region = {
        "startLine": site.line,
        "startColumn": site.column + 1,
        "endLine": site.end_line,
        "endColumn": site.end_column + 1,
        "snippet": {"text": site.text},
    }
    yield {"physicalLocation": {"artifactLocation": _artifact(site.filename), "region": region}}


def workflow_commands(findings: Findings) -> Iterator[str]:
    r"""Findings as commands that make GitHub Actions show each at its line.

    Source:
        GitHub, "Workflow commands for GitHub Actions": setting an error, a warning or a notice message.

    >>> import tapeviz as tv
    >>> x = tv.constant(1.0)
    >>> with tv.GradientTape() as tape:
    ...     y = x * 2.0
    >>> _ = tape.gradient(y, x)
    >>> next(workflow_commands(tv.diagnose(tape))).partition("::")[2].partition(" ")[0]
    'error'
    """
    for finding, *_ in findings.groups():
        site = finding.site
        place = {} if site is None else {"file": site.filename, "line": site.line, "endLine": site.end_line}
        properties = place | {"title": f"{finding.title} [{finding.cause}]"}
        given = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
        yield f"::{_COMMANDS[finding.severity]} {given}::{_data(f'{finding.message} Fix: {finding.fix}')}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
