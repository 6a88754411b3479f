"""Ranks -> one offline page: what they show together, the spread over them, and a switch to the debugger of one."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from string import Template

from tapeviz.diagnosis.diagnose import diagnose
from tapeviz.diagnosis.finding import Findings
from tapeviz.diagnosis.ranks.rank_finding import RankFinding
from tapeviz.diagnosis.ranks.spread import spread
from tapeviz.events.store.ranks import Ranks
from tapeviz.phrases import counted
from tapeviz.views.page.document import packed_json, packed_size
from tapeviz.views.page.switched import switched_page
from tapeviz.views.payload import payload

MOST_DRAWN = 8
"""So many ranks have a debugger in the page: the first ones, and in their place those that a finding is about."""
MOST_BYTES = 1_200_000
"""What their recordings take of it, beside the first: a page is to be one that can be sent."""
STYLE = """\
header { gap: 1em; align-items: baseline }
#spread { padding: 0 1em 1em; overflow-x: auto }
select { font: inherit }
"""
BODY = Template("""\
<header><h1>$title</h1><label>Show <select id="rank">$options</select></label></header>
<main><div id="spread">$spread</div><div id="debugger" hidden></div></main>""")


def ranks_page(ranks: Ranks, *, values: bool = True, sources: bool = True) -> str:
    """The page: HTML that needs no other file, no network and no kernel."""
    found = diagnose(ranks)
    recorded = _recorded(ranks, _to_draw(ranks, found), values=values, sources=sources)
    options = [
        '<option value="all">all ranks</option>',
        *(f'<option value="{each}">rank {each}</option>' for each in recorded),
    ]
    left = len(ranks) - len(recorded)
    more = f"<p>{escape(counted(left, 'more rank'))} in the table alone.</p>" if left else ""
    table = spread(ranks)._repr_html_() if values else ""
    body = BODY.substitute(
        title=escape(str(ranks)),
        options="".join(options),
        spread=f"{found._repr_html_() if sources and values else ''}{table}{more}",
    )
    data = {f"rank-{each}": text for each, text in recorded.items()}
    return switched_page(str(ranks), STYLE, body, data, "ranks_page.js")


def _recorded(ranks: Ranks, order: Sequence[int], *, values: bool, sources: bool) -> dict[int, str]:
    """The recordings of the first ranks of an order, as many as there is room for, by rank."""
    recorded: dict[int, str] = {}
    size = 0
    for each in order:
        text = packed_json(payload(ranks[each], values=values, sources=sources))
        size += packed_size(text)
        if recorded and size > MOST_BYTES:
            break
        recorded[each] = text
    return dict(sorted(recorded.items()))


def _to_draw(ranks: Ranks, found: Findings) -> list[int]:
    """The ranks to draw, in order: those that findings are about, where it is not all of them, and then the first."""
    about = [each.ranks for each in found if isinstance(each, RankFinding) and len(each.ranks) < len(ranks)]
    told = [rank for each in about for rank in each]
    return list(dict.fromkeys([*told, *ranks]))[:MOST_DRAWN]
