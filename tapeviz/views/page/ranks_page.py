"""Ranks -> one offline page: what they show together, the spread over them, and a switch to the debugger of one."""

from __future__ import annotations

from html import escape
from string import Template

from tapeviz.diagnosis.diagnose import diagnose
from tapeviz.diagnosis.finding import Findings
from tapeviz.diagnosis.ranks.rank_finding import RankFinding
from tapeviz.diagnosis.ranks.spread import spread
from tapeviz.events.store.ranks import Ranks
from tapeviz.markup import theme
from tapeviz.markup.offline import offline
from tapeviz.phrases import counted
from tapeviz.views import frontend
from tapeviz.views.page.document import LISTENING, ScriptPart, deflated, packed_json
from tapeviz.views.payload import payload

MOST_DRAWN = 8
"""So many ranks have a debugger in the page: the first ones, and in their place those that a finding is about."""
STYLE = Template("""
:root { color-scheme: light dark }
html { background: $light }
@media (prefers-color-scheme: dark) { html { background: $dark } }
body { margin: 0; font-family: system-ui, sans-serif }
header { display: flex; gap: 1em; align-items: baseline; padding: .4em 1em }
h1 { font-size: 1em; margin: 0 }
#spread { padding: 0 1em 1em; overflow-x: auto }
select { font: inherit }
.tapeviz { --height: calc(100vh - 3em); --radius: 0px; --frame: 0px; --resize: none }
""")
BODY = Template("""\
<header><h1>$title</h1><label>Show <select id="rank">$options</select></label></header>
<main><div id="spread">$spread</div><div id="debugger" hidden></div></main>
$parts""")


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
    parts = (
        *(
            ScriptPart(
                f"rank-{each}", "application/json", packed_json(payload(ranks[each], values=values, sources=sources))
            )
            for each in drawn
        ),
        ScriptPart("tapeviz-styles", "text/plain", frontend.css()),
        ScriptPart("tapeviz-module", "module", frontend.module("ranks_page.js")),
    )
    body = BODY.substitute(
        title=escape(str(ranks)),
        options="".join(options),
        spread=f"{found._repr_html_() if sources and values else ''}{table}{more}",
        parts=deflated(parts),
    )
    style = STYLE.substitute(light=theme.colour("paper"), dark=theme.colour("paper", "dark"))
    return offline(str(ranks), style, body, LISTENING)


def _drawn(ranks: Ranks, found: Findings) -> list[int]:
    """The ranks that are drawn: those that findings are about, where it is not all of them, and then the first ones."""
    about = [each.ranks for each in found if isinstance(each, RankFinding) and len(each.ranks) < len(ranks)]
    told = [rank for each in about for rank in each]
    return sorted(list(dict.fromkeys([*told, *ranks]))[:MOST_DRAWN])
