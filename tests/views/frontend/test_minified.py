"""What is left of a module: the same program."""

from __future__ import annotations

import json
import re
import subprocess
from typing import Any

import pytest

from tapeviz.views.frontend import FOLDER
from tapeviz.views.frontend.minified import OURS, minified
from tests.views.frontend.fixture_tapes import FOLDER as FIXTURES

CASES = {
    "comments": ("a = 1; // why\n/* what */ b = 2;", "a=1;b=2;"),
    "words stay apart": ("return  x  in y;", "return x in y;"),
    "signs stay apart": ("a - -b + +c; i--; --j;", "a- -b+ +c;i--;--j;"),
    "texts stay": ('f("a  // b", \'/* c */ "\');', 'f("a  // b",\'/* c */ "\');'),
    "what is computed in templates": (
        "`a  ${ b ? `c  ${ {d: 1}.d }` : \"}\" }  {e}`",
        '`a  ${b?`c  ${{d:1}.d}`:"}"}  {e}`',
    ),
    "regular expressions": ("f(/a b[/]/g, x / y / z);", "f(/a b[/]/g,x/y/z);"),
    "the last comma of a list": ("f(\n  a,\n  [b, c,],\n);", "f(a,[b,c]);"),
    "the last semicolon of a block": ("if (a) { b(); `${c};`; }\nd();", "if(a){b();`${c};`}d();"),
    "holes": ("const [, a] = [, 1]; [,]", "let[,a]=[,1];[,]"),
    "private names": (
        "class A { #count = 1; #b; get() { return this.#count; } }",
        "class A{#a=1;#b;get(){return this.#a}}",
    ),
    "names at the top": (
        "const LONG = 1; class Boxes {} function made(long) { return f(LONG, `${Boxes}`, long); } made(Boxes);",
        "let b=1;class a{}function c(d){return f(b,`${a}`,d)}c(a);",
    ),
    "names of parameters": (
        "f((long, wide = 1) => { try { g(wide.long); } catch (error) { if (wide) { h(error); } } "
        "const [one, two] = long; });",
        "f((long,a=1)=>{try{g(a.long)}catch(b){if(a){h(b)}}let[c,d]=long});",
    ),
    "names of properties": (
        "const LONG = 1; const width = 2; const height = 3; f({ LONG, width: a ? height : 3 }, b.height);",
        "let LONG=1,width=2,height=3;f({LONG,width:a?height:3},b.height);",
    ),
    "exported names": (
        "export const LONG = 1; export async function made() {} const other = LONG ? other : made; export { other };",
        "export let LONG=1;export async function made(){}let other=LONG?other:made;export{other};",
    ),
    "names in functions": (
        "function made() { const sum = 1; for (const each of sum) f(each, sum); return { each: sum }; }",
        "function b(){let a=1;for(let each of a)f(each,a);return{each:a}}",
    ),
    "names that are words of the language in places": (
        'import { a } from "b"; function made() { const from = 1; return from; }',
        'import{a}from"b";function b(){let from=1;return from}',
    ),
    "declarations one after the other": (
        "let a; const b = {}; for (let i = 0; i < 2; i++) { let c = () => { f(); }; let d; [a] = [b]; let e; }",
        "let a,b={};for(let i=0;i<2;i++){let c=()=>{f()},d;[a]=[b];let e}",
    ),
    "functions of one parameter": (
        "f((a) => a, async (b) => { return (c) => c; }, (d, e) => d, ({ g }) => g, () => 1);",
        "f(a=>a,async b=>{return c=>c},(d,e)=>d,({g})=>g,()=>1);",
    ),
    "functions of Math that are called often": (
        "const far = Math.max(Math.min(a, b), Math.min(c, d)); f(Math.min(far, 1), x.Math.PI);",
        "let{min:e}=Math;let g=Math.max(e(a,b),e(c,d));f(e(g,1),x.Math.PI);",
    ),
    "names that a function has, too": (
        "const LONG = 1; const f = (g) => { const LONG = 2; return [LONG, g]; };",
        "let a=1,f=g=>{let a=2;return[a,g]};",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_is_left(case: str) -> None:
    given, left = CASES[case]
    assert minified(given) == left


@pytest.mark.node
@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.js")), ids=lambda path: str(path.relative_to(FOLDER)))
def test_every_module_still_parses(path, tmp_path) -> None:
    file = tmp_path / "minified.mjs"
    file.write_text(minified(path.read_text(encoding="utf-8")))
    done = subprocess.run(["node", "--check", str(file)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def _keys(found: Any) -> set[str]:
    """All names in what was read from JSON."""
    inner = found.values() if isinstance(found, dict) else found if isinstance(found, list) else ()
    return set(found if isinstance(found, dict) else ()).union(*map(_keys, inner))


def test_names_of_ours_are_in_no_payload_and_no_name_that_others_call() -> None:
    payloads = set().union(*(_keys(json.loads(path.read_text())) for path in FIXTURES.glob("*.json")))
    interface, _, _ = (FOLDER / "mount.js").read_text().partition("export function mount")
    others = set(re.findall(r"^ \*   (\w+)[?(:]", interface, re.MULTILINE))
    assert {"scene", "steps"} <= payloads
    assert {"onChange", "set", "dispose"} <= others
    assert not OURS & (payloads | others)
    assert not [name for name in OURS for path in FOLDER.rglob("*.js") if f"dataset.{name}" in path.read_text()]
