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
        "f((b,a=1)=>{try{g(a.long)}catch(c){if(a){h(c)}}let[d,e]=b});",
    ),
    "names of properties": (
        "const LONG = 1; const width = 2; const height = 3; f({ LONG, width: a ? height : 3 }, b.height);",
        "let c=1,e=2,d=3;f({LONG:c,width:a?d:3},b.height);",
    ),
    "names that a pattern declares": (
        "const { width, height: [high], ...rest } = size; f(({ width, least = width }) => width + least, high, rest);",
        "let{width:a,height:[b],...c}=size;f(({width:a,least:d=a})=>a+d,b,c);",
    ),
    "names that are not worth their place in a shorthand": (
        "const side = 1; f({ side }, { side });",
        "let side=1;f({side},{side});",
    ),
    "names of what a class has": (
        "const value = 1; class A { value = value; "
        "get sum() { const sum = this.value; return sum + value; } fit(value) {} }",
        "let a=1;class A{value=a;get sum(){let b=this.value;return b+a}fit(a){}}",
    ),
    "names of functions of an object": (
        "const twice = 2; f({ twice(each) { return each * twice; }, async once() {}, get both() { return twice; } });",
        "let a=2;f({twice(b){return b*a},async once(){},get both(){return a}});",
    ),
    "exported names": (
        "export const LONG = 1; export async function made() {} const other = LONG ? other : made; export { other };",
        "export let LONG=1;export async function made(){}let other=LONG?other:made;export{other};",
    ),
    "names in functions": (
        "function made() { const sum = 1; for (const each of sum) f(each, sum); return { each: sum }; }",
        "function c(){let a=1;for(let b of a)f(b,a);return{each:a}}",
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
        "let{min:e}=Math,g=Math.max(e(a,b),e(c,d));f(e(g,1),x.Math.PI);",
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


PROGRAM = """
const count = 2, names = { count };
class Sized {
  #count = count;
  count = [names.count];
  get twice() { return 2 * this.#count; }
  scaled({ by = count, ...rest }) { return { by, rest, count: this.count }; }
}
const made = new Sized();
function sum(values, { start = 0 } = {}) {
  let total = start;
  for (const [name, value] of Object.entries(values)) total += name === "count" ? value : 0;
  return total;
}
const { twice, count: [first] } = made;
const rest = sum({ count, other: 5 }, { start: 1 });
console.log(JSON.stringify([twice, first, made.scaled({ by: 3, left: 4 }), rest, `${{ count }.count}`]));
"""


@pytest.mark.node
def test_it_is_the_same_program() -> None:
    wanted = [4, 2, {"by": 3, "rest": {"left": 4}, "count": [2]}, 3, "2"]
    for program in (PROGRAM, minified(PROGRAM)):
        done = subprocess.run(["node", "--input-type=module", "-e", program], capture_output=True, text=True)
        assert json.loads(done.stdout) == wanted, done.stderr
    assert len(minified(PROGRAM)) < 0.8 * len(PROGRAM)


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
