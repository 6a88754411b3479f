"""Findings for other programs: plain values, a SARIF report, commands of GitHub Actions."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import tapeviz as tv
from tapeviz.diagnosis import CAUSES
from tapeviz.diagnosis.finding import Coverage, Findings
from tapeviz.views.reports.sarif import sarif, workflow_commands


@pytest.fixture(scope="module")
def findings() -> Findings:
    """Two errors, one of a variable whose name GitHub would take for its own syntax."""
    x, z = tv.constant([1.0, 2.0], name="x"), tv.Variable(3.0, trainable=False, name="50% of z, or ::")
    with tv.GradientTape() as tape:
        loss = tv.reduce_sum(x * z)
    tape.gradient(loss, [x, z])
    return tv.diagnose(tape)


def test_plain_values(findings: Findings) -> None:
    told = findings.to_dict()
    assert json.loads(json.dumps(told)) == told
    first = told["findings"][0]
    assert {name: first[name] for name in ("cause", "severity", "symptom")} == {
        "cause": "not_watched",
        "severity": "error",
        "symptom": "none",
    }
    assert first["message"] == findings[0].message
    assert [(each["cause"], each["sources"]) for each in told["findings"]] == [
        ("not_watched", ["x"]),
        ("not_trainable", ["50% of z, or ::"]),
    ]
    place = first["place"]
    line = Path(__file__).read_text(encoding="utf-8").splitlines()[place["line"] - 1]
    assert line[place["column"] : place["end_column"]].startswith("tv.constant(")
    assert (place["function"], place["code"]) == ("findings", line.strip())
    assert place["file"].endswith(Path(__file__).name)
    assert set(told) == {"findings", "patch"} | set(Coverage.__annotations__)


def test_one_patch_has_those_of_all_findings(findings: Findings) -> None:
    """Of what is only hinted at it has none where something else was found."""
    added = [line for each in findings for line in each.patch().splitlines() if line[0] == "+"][1:]
    told = findings.patch().splitlines()
    assert set(added) - set(told) == set()
    assert any("tape.watch(x)" in line for line in told)
    hinted = Findings([*findings[:1], replace(findings[1], severity="hint")], {})
    assert hinted.patch() == findings[0].patch()
    assert Findings(hinted[1:], {}).patch() == findings[1].patch()


def test_an_edit_is_a_fix_of_a_sarif_report(findings: Findings) -> None:
    """What is deleted and put in, by lines and columns, gives the file that the patch gives."""
    results = sarif(findings)["runs"][0]["results"]
    for result, (finding, *_) in zip(results, findings.groups(), strict=True):
        assert finding.edit is not None
        [fix] = result["fixes"]
        [changed] = fix["artifactChanges"]
        [each] = changed["replacements"]
        region, lines = each["deletedRegion"], list(finding.edit.lines)
        first, last = region["startLine"] - 1, region["endLine"] - 1
        begun, rest = lines[first][: region["startColumn"] - 1], lines[last][region["endColumn"] - 1 :]
        lines[first : last + 1] = (begun + each["insertedContent"]["text"] + rest).splitlines(keepends=True)
        assert lines == finding.edit.after
        assert changed["artifactLocation"]["uri"] == finding.edit.filename


def test_nothing_found_is_told_with_what_was_looked_at() -> None:
    w = tv.Variable(2.0, name="w")
    with tv.GradientTape() as tape:
        loss = w * w
    tape.gradient(loss, w)
    told = tv.diagnose(tape).to_dict()
    assert told["findings"] == []
    assert "1 gradient" in told["checked"]
    assert sarif(tv.diagnose(tape))["runs"][0]["results"] == []


def test_a_sarif_report(findings: Findings) -> None:
    """What its specification asks for: rules by index, lines and columns from 1, levels of its own."""
    [run] = sarif(findings)["runs"]
    rules, results = run["tool"]["driver"]["rules"], run["results"]
    assert len(results) == len(findings.groups())
    for result, (finding, *_) in zip(results, findings.groups(), strict=True):
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == finding.cause
        assert rules[result["ruleIndex"]]["help"]["text"] == CAUSES[finding.cause].fix
        assert result["level"] == {"error": "error", "warning": "warning", "hint": "note"}[finding.severity]
        assert finding.message in result["message"]["text"]
        [location] = result["locations"]
        region = location["physicalLocation"]["region"]
        assert finding.site is not None
        assert region["startLine"] == finding.site.line
        assert region["startColumn"] == finding.site.column + 1
        assert region["endColumn"] > region["startColumn"]


def test_commands_of_github_actions(findings: Findings) -> None:
    """One line each; what a property may not hold is escaped."""
    commands = list(workflow_commands(findings))
    assert len(commands) == len(findings.groups())
    for command, (finding, *_) in zip(commands, findings.groups(), strict=True):
        assert "\n" not in command
        head, properties, message = command.removeprefix("::").partition(" ")[0], *_split(command)
        assert head == {"error": "error", "warning": "warning", "hint": "notice"}[finding.severity]
        assert finding.site is not None
        assert properties["line"] == str(finding.site.line)
        assert message.replace("%25", "%") == f"{finding.message} Fix: {finding.fix}"
    assert any("50%25" in command for command in commands)


def _split(command: str) -> tuple[dict[str, str], str]:
    _, rest, message = command.split("::", 2)
    pairs = rest.partition(" ")[2].split(",")
    return dict(pair.split("=", 1) for pair in pairs), message
