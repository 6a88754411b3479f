"""Who may import whom: writers fill the event log, readers read it, they never meet."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator
from functools import cache
from importlib.util import resolve_name
from pathlib import Path
from typing import TypeGuard

import pytest

PACKAGE = Path(__file__).parents[1] / "tapeviz"
WHOLE = {"tapeviz", "tapeviz.tf", "tapeviz.views"}  # what is imported from these is a module
BOTH_SIDES = {"__init__", "__main__", "live", "magic", "cli"}
EVERYBODYS = {"errors", "phrases", "validation", "source.sites", "source.codes", "source.filenames", "source.parsing"}
# layer -> the layers it may import; everything may import itself, and `EVERYBODYS`, which import nothing else of ours.
MAY_IMPORT = {
    "errors": set(),
    "events": set(),
    "engine": {"events"},
    "tf": {"engine", "events"},
    "recorders": {"events"},
    "graph": {"events"},
    "replay": {"events"},
    "source": {"events", "graph"},
    "phrases": set(),
    "validation": set(),
    "markup": set(),
    "diagnosis": {"events", "graph", "replay", "source", "markup"},
    "views": {"events", "graph", "replay", "source", "markup", "diagnosis"},
}
# A package of the engine -> all that it may import besides itself, where that is less.
WITHIN = {"engine.kernels": ["engine.specs.dtypes", "errors"]}
# The groups of `views`, each of which may import itself and those before it.
VIEWS = [
    *("words", "folding", "reading", "layout", "scene", "drawing", "reports", "exports", "payload", "frontend", "page"),
]
# Packages with a map of their modules at the head; those of `tapeviz.tf` are in `tests/tf/test_layers.py`.
MAPPED = [
    *("cli", "events", "events.memory", "events.ops", "events.program", "events.readers", "events.store"),
    *("diagnosis", "diagnosis.comparing", "diagnosis.dialects", "diagnosis.edits", "diagnosis.error"),
    *("diagnosis.nan", "diagnosis.none"),
    *("diagnosis.numbers", "diagnosis.paths", "diagnosis.ranks", "diagnosis.recording", "diagnosis.wording", "source"),
    *("diagnosis.updates", "diagnosis.wrong", "diagnosis.zero"),
    *("engine", "engine.backward", "engine.calling", "engine.functions", "engine.functions.array"),
    *("engine.functions.linalg", "engine.functions.math", "engine.functions.nn", "engine.gradient_checks"),
    *("engine.graph_mode", "engine.kernels", "engine.op_errors", "engine.rules", "engine.specs", "engine.tensors"),
    *("engine.values", "live", "markup", "replay", "recorders", "recorders.jax", "recorders.tensorflow"),
    *("recorders.autograd", "recorders.tinygrad"),
    *("recorders.tensorflow.backward", "recorders.torch", "recorders.torch.backward"),
    *("views", "views.drawing", "views.exports", "views.folding", "views.frontend", "views.layout", "views.page"),
    *("views.payload", "views.reading", "views.reports", "views.scene", "views.words"),
]


def layer(name: str) -> str:
    """`tapeviz.events.log` -> "events"."""
    return name.split(".")[1] if "." in name else "__init__"


def name_of(path: Path) -> str:
    """A file's module."""
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")


@cache
def source_of(path: Path) -> ast.Module:
    """A file's source, which several tests look through."""
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(path: Path, module: str) -> Iterator[str]:
    """The modules of tapeviz that a file imports, at its top or inside a function."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(source_of(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            target = resolve_name("." * node.level + (node.module or ""), package)
            yield from ([f"{target}.{alias.name}" for alias in node.names] if target in WHOLE else [target])


def test_a_module_imports_only_what_its_layer_may() -> None:
    modules = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}
    assert len(modules) > 100
    assert {module: met for module, path in modules.items() if (met := beyond_its_layer(path, module))} == {}


def beyond_its_layer(path: Path, module: str) -> set[str]:
    """What a module imports of tapeviz and may not."""
    own = layer(module)
    met = {name for name in imports(path, module) if name.split(".")[0] == "tapeviz"}
    if own == "__init__":
        return set()
    if own in BOTH_SIDES:
        return {name for name in met if layer(name) == "tf"}
    everybodys = {f"tapeviz.{each}" for each in EVERYBODYS}
    allowed = set() if module in everybodys else MAY_IMPORT[own] | {own}
    return {name for name in met - everybodys if layer(name) not in allowed}


def test_html_is_written_in_markup_and_views_alone() -> None:
    for path in sorted(PACKAGE.rglob("*.py")):
        if layer(name_of(path)) in ("markup", "views"):
            continue
        texts = [each.value for each in ast.walk(source_of(path)) if is_text(each)]
        assert [text for text in texts if "</" in text or "style=" in text] == [], path


def test_readers_ask_for_facts_of_a_framework_not_for_its_name() -> None:
    """`events/framework_facts.py` has the facts; the words of each are in `diagnosis/dialects/`."""
    told = {"tapeviz.events.framework_facts", "tapeviz.diagnosis.dialects"}
    for path in sorted(PACKAGE.rglob("*.py")):
        if layer(name_of(path)) not in ("events", "graph", "replay", "diagnosis", "views", "live"):
            continue
        texts = {each.value for each in ast.walk(source_of(path)) if is_text(each)}
        assert name_of(path) in told or texts.isdisjoint({"tensorflow", "torch", "jax"}), path
        assert not re.search(r"\.framework (==|!=|in\b|not\b)", path.read_text(encoding="utf-8")), path


def is_text(node: ast.AST) -> TypeGuard[ast.Constant]:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def test_no_imports_go_in_circles() -> None:
    """Not even inside functions; what only type checkers import may."""
    assert in_circles(sorted(PACKAGE.rglob("*.py")), typed=False) == set()


CIRCLES_OF_TYPES = {
    *("events.log", "events.lookup"),  # a log looks names up in itself
    # rules evaluate what is inside an equation by the pass that looks them up
    *(f"recorders.jax.{each}" for each in ("calls", "control_flow", "equations", "forward", "rules", "shard_map")),
}


def test_types_of_the_debugger_go_in_few_circles() -> None:
    paths = [path for path in sorted(PACKAGE.rglob("*.py")) if layer(name_of(path)) not in ("__init__", "engine", "tf")]
    assert in_circles(paths, typed=True) == {f"tapeviz.{each}" for each in CIRCLES_OF_TYPES}


def in_circles(files: list[Path], *, typed: bool) -> set[str]:
    """The modules that import each other in circles; `typed`: counting what only type checkers import."""
    paths = {name_of(path): path for path in files}
    needs = {module: {*imported(path, module, paths, typed=typed)} - {module} for module, path in paths.items()}
    while free := {module for module, others in needs.items() if not others & needs.keys()}:
        needs = {module: others for module, others in needs.items() if module not in free}
    return {module for module in needs if module in reached_from(needs, module)}


def reached_from(needs: dict[str, set[str]], start: str) -> set[str]:
    """The modules that one imports, and those that they import, and so on."""
    met: set[str] = set()
    left = [*needs.get(start, ())]
    while left:
        module = left.pop()
        if module in needs and module not in met:
            met.add(module)
            left += needs[module]
    return met


def test_an_op_is_data() -> None:
    """Who calls it is outside: neither it nor all that it imports knows `calling`, not even for types."""
    paths = {name_of(path): path for path in (PACKAGE / "engine").rglob("*.py")}
    met, left = set(), ["tapeviz.engine.op"]
    while left:
        module = left.pop()
        met.add(module)
        left += [each for each in imports(paths[module], module) if each in paths and each not in met]
    assert "tapeviz.engine.facts" in met
    assert [each for each in sorted(met) if each.startswith("tapeviz.engine.calling")] == []


def imported(path: Path, module: str, modules: Container[str], *, typed: bool) -> Iterator[str]:
    """The modules that a file imports; of what is imported from a package, the modules in it."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    blocks = [each for each in ast.walk(source_of(path)) if isinstance(each, ast.If)]
    for_types = [each for each in blocks if "TYPE_CHECKING" in ast.dump(each.test) and not typed]
    skipped = {id(node) for each in for_types for node in ast.walk(each)}
    for node in ast.walk(source_of(path)):
        if isinstance(node, ast.Import) and id(node) not in skipped:
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and id(node) not in skipped:
            target = resolve_name("." * node.level + (node.module or ""), package)
            for alias in node.names:
                inner = f"{target}.{alias.name}"
                yield from (each for each in [inner if inner in modules else target] if each in modules)


@pytest.mark.parametrize("package", WITHIN)
def test_a_package_knows_no_more_than_it_needs(package: str) -> None:
    assert met_beyond(package, WITHIN[package]) == set()


def met_beyond(package: str, needed: list[str]) -> set[str]:
    """What the modules of a package import that are neither in it nor in those that it needs."""
    paths = sorted((PACKAGE / package.replace(".", "/")).rglob("*.py"))
    assert paths
    allowed = tuple(f"tapeviz.{each}." for each in [package, *needed])
    met = {name for path in paths for name in imports(path, name_of(path)) if name.startswith("tapeviz")}
    return {name for name in met if not f"{name}.".startswith(allowed)}


@pytest.mark.parametrize("group", VIEWS)
def test_a_group_of_views_imports_only_groups_before_it(group: str) -> None:
    allowed = {f"tapeviz.views.{each}" for each in VIEWS[: VIEWS.index(group) + 1]}
    folder = PACKAGE / "views"
    for path in sorted((folder / group).rglob("*.py")) or [folder / f"{group}.py"]:
        met = {
            ".".join(name.split(".")[:3]) for name in imports(path, name_of(path)) if name.startswith("tapeviz.views")
        }
        assert met - allowed == set(), path


def test_every_module_of_views_is_in_a_group() -> None:
    assert {path.stem for path in (PACKAGE / "views").iterdir()} - {"__init__", "__pycache__"} == set(VIEWS)


@pytest.mark.parametrize("package", MAPPED)
def test_every_module_is_on_the_map_of_its_package(package: str) -> None:
    assert off_the_map(package) == set()


def off_the_map(package: str) -> set[str]:
    """The modules of a package that the map at its head does not name."""
    folder = PACKAGE / package.replace(".", "/")
    text = ast.get_docstring(source_of(folder / "__init__.py")) or ""
    modules = [path for path in folder.iterdir() if path.is_dir() or path.suffix == ".py"]
    names = {path.name.removesuffix(".py") + "/" * path.is_dir() for path in modules}
    return names - {"__init__", "__pycache__/"} - {*re.findall(r"`([a-z_]+/?)`", text)}


def test_every_module_of_the_front_end_is_on_its_map() -> None:
    folder = PACKAGE / "views" / "frontend"
    text = ast.get_docstring(source_of(folder / "__init__.py")) or ""
    modules = {path.stem for path in folder.rglob("*.js")}
    assert modules - {*re.findall(r"`(\w+)`", text)} == set()
    assert len(modules) > 50


FRAMEWORKS = ("tensorflow", "torch", "jax", "autograd", "tinygrad")
OWN_TABLE = "tapeviz.recorders.torch.table"
"""What is text alone, and imported where there is no PyTorch, too."""


def test_a_test_file_asks_for_a_framework_before_it_imports_it() -> None:
    for path in sorted(Path(__file__).parent.rglob("test_*.py")):
        asked: set[str] = set()
        for node in source_of(path).body:
            if isinstance(node, (ast.Expr, ast.Assign)) and "importorskip" in ast.dump(node):
                asked |= {each.value for each in ast.walk(node) if isinstance(each, ast.Constant)}
            imported = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            imported += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            needed = {name.removeprefix("tapeviz.recorders.").split(".")[0] for name in imported if name != OWN_TABLE}
            assert needed.intersection(FRAMEWORKS) <= asked, path
