"""Ranks -> one offline page: what they show together, the spread over them, and a switch to the debugger of one."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from string import Template

from tapeviz.diagnosis.diagnose import diagnose
from tapeviz.diagnosis.finding import Findings
from tapeviz.diagnosis.ranks.differences import differences
from tapeviz.diagnosis.ranks.digest import alike
from tapeviz.diagnosis.ranks.rank_finding import RankFinding
from tapeviz.diagnosis.ranks.rank_log import RankLog
from tapeviz.diagnosis.ranks.spread import spread
from tapeviz.events import EventLog
from tapeviz.events.store.ranks import Ranks
from tapeviz.phrases import counted
from tapeviz.views.page.document import packed_json, packed_size
from tapeviz.views.page.switched import switched_page
from tapeviz.views.payload import payload
from tapeviz.views.reading import Reading, read

MOST_DRAWN = 8
"""So many ranks have a debugger in the page at most."""
MOST_EVENTS = 8_192
"""Their logs have so many events together, beside the first two: to draw one takes as long as to read twenty."""
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
    first = read(next(iter(ranks.values())))  # what is drawn of it is diagnosed at the same time
    found = diagnose(ranks)
    order = _to_draw(ranks, found)
    recorded = _recorded({each: ranks[each] for each in order} | {min(ranks): first}, values=values, sources=sources)
    options = [
        '<option value="all">all ranks</option>',
        *(f'<option value="{each}">rank {each}</option>' for each in recorded),
    ]
    left = len(ranks) - len(recorded)
    more = f"<p>{escape(counted(left, 'more rank'))} in the table alone.</p>" if left else ""
    tables = f"{differences(ranks)._repr_html_()}{spread(ranks)._repr_html_()}" if values else ""
    body = BODY.substitute(
        title=escape(str(ranks)),
        options="".join(options),
        spread=f"{found._repr_html_() if sources and values else ''}{tables}{more}",
    )
    data = {f"rank-{each}": text for each, text in recorded.items()}
    return switched_page(str(ranks), STYLE, body, data, "ranks_page.js")


def _recorded(drawn: Mapping[int, EventLog | Reading], *, values: bool, sources: bool) -> dict[int, str]:
    """The recordings of some ranks, as many of the first as there is room for, by rank."""
    recorded: dict[int, str] = {}
    size = 0
    for rank, each in drawn.items():
        text = packed_json(payload(each, values=values, sources=sources))
        size += packed_size(text)
        if recorded and size > MOST_BYTES:
            break
        recorded[rank] = text
    return dict(sorted(recorded.items()))


def _to_draw(ranks: Ranks, found: Findings) -> list[int]:
    """The ranks to draw, in order: the first, and one that a finding is about, where it is not all of them, or that did
    something else; further ones of these, and the next, if that does not take long."""
    about = [each.ranks for each in found if isinstance(each, RankFinding) and len(each.ranks) < len(ranks)]
    first, *others = [some[0].rank for some in alike([RankLog(rank, log) for rank, log in ranks.items()])]
    apart = [rank for rank in dict.fromkeys([*(rank for each in about for rank in each), *others]) if rank != first]
    drawn = [first, *apart[:1]]
    events = sum(ranks[rank].length for rank in drawn)
    for rank in dict.fromkeys([*apart[1:], *ranks]):
        events += ranks[rank].length
        if rank not in drawn and events <= MOST_EVENTS and len(drawn) < MOST_DRAWN:
            drawn.append(rank)
    return drawn
