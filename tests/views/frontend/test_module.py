"""The joiner: many modules and a stylesheet in, one of each out, and nothing in them that a page must not do."""

from __future__ import annotations

import re
import subprocess

import pytest

from tapeviz.markup import theme
from tapeviz.views import frontend

ENTRIES = ["widget.js", "page.js", "modes_page.js", "compare_page.js", "ranks_page.js", "sliders_page.js"]
MOST_BYTES = 160_000
# The folders of the front end, each of which may import itself and those before it; what stands beside them, all.
GROUPS = ["words", "elements", "timeline", "layout", "sight", "viewport", "panels", "graph"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of modules of its own: `folder(name=source, ...)`."""
    monkeypatch.setattr(frontend, "FOLDER", tmp_path)
    frontend.module.cache_clear()

    def write(**sources):
        for name, source in sources.items():
            path = tmp_path / f"{name}.js"
            path.parent.mkdir(exist_ok=True)
            path.write_text(source)

    yield write
    frontend.module.cache_clear()


@pytest.mark.parametrize("entry", ENTRIES)
def test_it_is_one_module_of_a_size_that_every_cell_can_carry(entry):
    text = frontend.module(entry)
    assert not re.search(r"^import\b|\bfrom ['\"]", text, re.MULTILINE)
    assert len(text.encode()) < MOST_BYTES


@pytest.mark.node
@pytest.mark.parametrize("entry", ENTRIES)
def test_it_parses(entry, tmp_path):
    file = tmp_path / "joined.mjs"
    file.write_text(frontend.module(entry))
    done = subprocess.run(["node", "--check", str(file)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.node
def test_what_anywidget_asks_for_is_exported(tmp_path):
    file = tmp_path / "joined.mjs"
    file.write_text(frontend.module("widget.js"))
    code = f"const m = await import('{file.as_uri()}'); console.log(Object.keys(m).sort(), typeof m.default.render)"
    done = subprocess.run(["node", "--input-type=module", "-e", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[ 'default', 'mount' ] function", done.stderr


@pytest.mark.parametrize("entry", ENTRIES)
def test_it_neither_calls_out_nor_parses_what_users_wrote(entry):
    text = frontend.module(entry)
    for word in (
        "fetch(",
        "XMLHttpRequest",
        "WebSocket",
        "import(",
        "eval(",
        "innerHTML",
        "outerHTML",
        "insertAdjacent",
    ):
        assert word not in text
    assert set(re.findall(r"https?://[\w./]+", text)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1998/Math/MathML",
    }


def test_nothing_in_it_ends_the_script_element_it_stands_in():
    for entry in ENTRIES:
        assert not re.search(r"</script|<!--", frontend.module(entry), re.IGNORECASE)
    assert "</" not in frontend.css()


def test_siblings_come_first_once_and_lose_their_imports_and_exports(folder):
    folder(
        a='import { b } from "./b.js";\nimport { c } from "./c.js";\n\nexport function a() {\n  return b + c;\n}\n',
        b='/** Doc. */\nimport { c } from "./c.js";\n\n// why\nexport const b = c + 1;\n',
        c="export const c = /** @type {number} */ (1);\n",
    )
    assert frontend.module("a.js") == "let c=(1),b=c+1;export function a(){return b+c}"


def test_an_import_is_resolved_from_where_it_stands(folder):
    folder(
        **{
            "a": 'import { b } from "./in/b.js";\n\nexport const a = b;\n',
            "in/b": 'import { c } from "./c.js";\nimport { d } from "../by/c.js";\n\nexport const b = c + d;\n',
            "in/c": 'import { d } from "../by/c.js";\n\nexport const c = d;\n',
            "by/c": "export const d = 1;\n",
        }
    )
    assert frontend.module("a.js") == "let d=1,c=d,b=c+d;export let a=b;"


@pytest.mark.parametrize("group", GROUPS)
def test_a_folder_imports_only_folders_before_it(group):
    root = frontend.FOLDER.resolve()
    allowed = {root / each for each in GROUPS[: GROUPS.index(group) + 1]}
    for path in sorted((root / group).glob("*.js")):
        imported = [path.parent / name for _, name in frontend.IMPORT.findall(path.read_text(encoding="utf-8"))]
        assert {each.resolve().parent for each in imported} <= allowed, path


def test_every_folder_is_known_to_that_table():
    assert {path.parent.name for path in frontend.FOLDER.rglob("*/*.js")} == set(GROUPS)


def test_two_modules_with_one_name_are_refused(folder):
    folder(a='import { b } from "./b.js";\n\nconst SIZE = 1;\n', b="export const b = 1;\nconst SIZE = 2;\n")
    with pytest.raises(ImportError, match=r"SIZE is a top-level name of both b\.js and a\.js"):
        frontend.module("a.js")


def test_an_import_of_what_is_not_there_is_refused(folder):
    folder(a='import { b, d } from "./b.js";\n', b="export const b = 1;\n")
    with pytest.raises(ImportError, match=r"a\.js imports d from b\.js, which has no such name"):
        frontend.module("a.js")


def test_every_style_sheet_is_part_of_the_one():
    assert {path.stem for path in frontend.FOLDER.rglob("*.css")} == set(frontend.STYLES)


def test_every_role_of_the_stylesheet_is_in_the_theme():
    used = set(re.findall(r"var\(--tv-([\w-]+)\)", frontend.css()))
    assert used
    assert used <= set(theme.COLOURS)


def test_the_stylesheet_names_no_colour_of_its_own():
    rules = "".join(path.read_text() for path in sorted(frontend.FOLDER.rglob("*.css")))
    assert not re.search(r"#[0-9a-f]{3,8}\b|url\(|@import", rules, re.IGNORECASE)
    # Black at some opacity is a shadow on any paper.
    assert set(re.findall(r"rgba?\([^)]*\)", rules)) <= {f"rgb(0 0 0 / {percent}%)" for percent in range(30)}
