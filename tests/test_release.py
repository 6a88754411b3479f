"""What a release is made by says the same as the package: versions, requirements, Pythons."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

import tapeviz

yaml = pytest.importorskip("yaml", reason="PyYAML is not here")
ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
ON_CONDA = {"graphviz": "python-graphviz", "matplotlib": "matplotlib-base"}
"""What conda-forge calls a package that has another name on PyPI."""


def read(path: str) -> Any:
    """A YAML file of the repository."""
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


def pythons() -> list[str]:
    """The Pythons that the package says it is for."""
    return re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))


def test_the_version_is_told_alike() -> None:
    version = tapeviz.__version__
    assert read("CITATION.cff")["version"] == version
    assert read(".ci/conda/recipe.yaml")["context"]["version"] == version
    headings = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] == version


def test_a_citation_has_what_the_format_asks_for() -> None:
    """Citation File Format 1.2: the required keys, and the kinds of those that are there."""
    citation = read("CITATION.cff")
    assert {"cff-version", "message", "title", "authors"} <= citation.keys()
    assert (citation["cff-version"], citation["type"], citation["license"]) == ("1.2.0", "software", PROJECT["license"])
    assert all(author.keys() <= {"name", "given-names", "family-names", "website"} for author in citation["authors"])


def test_the_recipe_asks_for_what_the_wheel_asks_for() -> None:
    recipe = read(".ci/conda/recipe.yaml")
    asked = {each.replace(" ", "") for each in recipe["requirements"]["run"] if not each.startswith("python ")}
    assert asked == {
        re.sub(r"^[\w-]+", lambda name: ON_CONDA.get(name[0], name[0]), each) for each in PROJECT["dependencies"]
    }
    [command] = recipe["build"]["python"]["entry_points"]
    name, _, target = command.partition(" = ")
    assert PROJECT["scripts"] == {name: target}
    assert PROJECT["requires-python"] == f">={recipe['context']['python_min']}"


def test_workflows_run_what_is_here_on_pythons_that_are_supported() -> None:
    jobs = read(".github/workflows/tests.yml")["jobs"]
    assert set(jobs["quick"]["strategy"]["matrix"]["python"]) <= set(pythons())
    setups = [step["with"] for job in jobs.values() for step in job["steps"] if "setup-python" in step.get("uses", "")]
    listed = " ".join(each["python-version"] for each in setups).split()
    assert {each for each in listed if each[0] == "3"} <= set(pythons())
    commands = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for command in commands:
        first, *rest = command.split()
        assert rest[0] in targets if first == "make" else (ROOT / first).stat().st_mode & 0o100, command


def test_only_the_job_that_publishes_may() -> None:
    """By a token that PyPI gives to this workflow alone, and with nothing built in the same job."""
    workflow = read(".github/workflows/release.yml")
    assert workflow["permissions"] == {}
    build, publish = workflow["jobs"]["build"], workflow["jobs"]["publish"]
    assert build["permissions"] == {"contents": "read"}
    assert (publish["permissions"], publish["needs"]) == ({"id-token": "write"}, "build")
    assert not any("run" in step or "checkout" in step["uses"] for step in publish["steps"])
    assert "secrets." not in (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
