"""Ranks -> one offline page: what they show together, the spread over them, and a switch to the debugger of one."""

from __future__ import annotations

from html import escape
from string import Template

from tapeviz.diagnosis.diagnose import diagnose
from tapeviz.diagnosis.finding import Findings
from tapeviz.diagnosis.ranks.rank_finding import RankFinding
from tapeviz.diagnosis.ranks.spread import spread
from tapeviz.events.store.ranks import Ranks
from tapeviz.phrases import counted
from tapeviz.views.page.document import packed_json
from tapeviz.views.page.switched import switched_page
from tapeviz.views.payload import payload

MOST_DRAWN = 8
"""So many ranks have a debugger in the page: the first ones, and in their place those that a finding is about."""
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
    drawn = _drawn(ranks, found)
    options = [
        '<option value="all">all ranks</option>',
        *(f'<option value="{each}">rank {each}</option>' for each in drawn),
    ]
    left = len(ranks) - len(drawn)
    more = f"<p>{escape(counted(left, 'more rank'))} in the table alone.</p>" if left else ""
    table = spread(ranks)._repr_html_() if values else ""
    recorded = {f"rank-{each}": packed_json(payload(ranks[each], values=values, sources=sources)) for each in drawn}
    body = BODY.substitute(
        title=escape(str(ranks)),
        options="".join(options),
        spread=f"{found._repr_html_() if sources and values else ''}{table}{more}",
    )
    return switched_page(str(ranks), STYLE, body, recorded, "ranks_page.js")


def _drawn(ranks: Ranks, found: Findings) -> list[int]:
    """The ranks that are drawn: those that findings are about, where it is not all of them, and then the first ones."""
    about = [each.ranks for each in found if isinstance(each, RankFinding) and len(each.ranks) < len(ranks)]
    told = [rank for each in about for rank in each]
    return sorted(list(dict.fromkeys([*told, *ranks]))[:MOST_DRAWN])
