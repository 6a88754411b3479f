"""The tables of the recorders -> one page: what each framework calls an op, and what the catalog calls it.

python -m docs.op_names     writes docs/op_names.md
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

PAGE = Path(__file__).with_suffix(".md")

BOOKKEEPING = frozenset({"broadcast_to", "cast", "expand_dims", "reshape", "squeeze", "tile"})
"""What changes the form of a tensor and not its numbers: some frameworks have an op for it where others have none."""

SAME = {"add_n": "add"}
"""Two names for one sum of two."""

COMPOSITES = {("div", "reduce_sum"): "reduce_mean"}
"""Op after op that one framework writes for what another has as one op; a plain number may be in it besides."""

INTRODUCTION = """\
# What an op is called

A recording calls an op by the name that tapeviz has for it, whichever framework ran it; so one program,
written for several frameworks, gives one graph. An op that is not in this table keeps the framework's own name.
Primitives of JAX and autograd that are called as in the catalog, as `sin` or `mul`, are not repeated.

Two graphs of one program may still differ in bookkeeping: {bookkeeping}, and reads of variables. {same} {composites}

`python -m docs.op_names` writes this page from the recorders' tables.

| tapeviz | TensorFlow | PyTorch | JAX | autograd | tinygrad |
| --- | --- | --- | --- | --- | --- |
"""


def names() -> dict[str, Mapping[str, str]]:
    """Framework -> its name of each op, and the catalog's."""
    from tapeviz.recorders.autograd import table as autograd
    from tapeviz.recorders.jax import table as jax
    from tapeviz.recorders.tensorflow import table as tensorflow
    from tapeviz.recorders.tinygrad import table as tinygrad
    from tapeviz.recorders.torch import table as torch

    return {
        "TensorFlow": {own: row.name for own, row in tensorflow.ROWS.items()},
        "PyTorch": {own: row.name for own, row in torch.ROWS.items()},
        "JAX": {own: row.name for own, row in jax.ROWS.items() if own != row.name}
        | {own: row.name for own, row in jax.CALLS.items()},
        "autograd": {own: row.name for own, row in autograd.ROWS.items() if own != row.name},
        "tinygrad": {own: row.name for own, row in tinygrad.ROWS.items()},
    }


def page() -> str:
    """The whole page."""
    said = [f"`{one}` of two is `{other}`." for one, other in SAME.items()]
    made = [f"`{first}` of a `{second}` is `{whole}`." for (first, second), whole in COMPOSITES.items()]
    head = INTRODUCTION.format(
        bookkeeping=", ".join(f"`{each}`" for each in sorted(BOOKKEEPING)),
        same=" ".join(said),
        composites=" ".join(made),
    )
    return head + "".join(_rows())


def _rows() -> Iterator[str]:
    by_name: defaultdict[str, dict[str, list[str]]] = defaultdict(dict)
    frameworks = names()
    for framework, table in frameworks.items():
        for own, ours in table.items():
            by_name[ours].setdefault(framework, []).append(f"`{own}`")
    for ours in sorted(by_name):
        cells = (", ".join(sorted(by_name[ours].get(framework, ()))) for framework in frameworks)
        yield f"| `{ours}` | {' | '.join(cells)} |\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE}")
