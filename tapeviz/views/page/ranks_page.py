"""Ranks -> one offline page: what all of them did, drawn once, with what they show together, and a switch to one."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from html import escape
from itertools import chain
from string import Template
from typing import Any

from tapeviz.diagnosis.diagnose import diagnose
from tapeviz.diagnosis.finding import Findings
from tapeviz.diagnosis.ranks.differences import differences
from tapeviz.diagnosis.ranks.digest import alike
from tapeviz.diagnosis.ranks.rank_finding import RankFinding
from tapeviz.diagnosis.ranks.rank_log import RankLog
from tapeviz.diagnosis.ranks.shared import base_of, shared
from tapeviz.diagnosis.ranks.spread import spread
from tapeviz.events.store.ranks import Ranks
from tapeviz.phrases import counted
from tapeviz.views.page.document import packed_json, packed_size
from tapeviz.views.page.lanes import STYLE as LANES
from tapeviz.views.page.lanes import lanes
from tapeviz.views.page.switched import switched_page
from tapeviz.views.payload import payload
from tapeviz.views.payload.over_ranks import OverRanks
from tapeviz.views.reading import read

MOST_DRAWN = 8
"""So many ranks have a debugger in the page at most."""
MOST_EVENTS = 8_192
"""Their logs have so many events together, beside the first two: to draw one takes as long as to read twenty."""
MOST_BYTES = 1_200_000
"""What their recordings take of it, beside the first: a page is to be one that can be sent."""
STYLE = """\
header { gap: 1em; align-items: baseline }
#spread { padding: 0 1em 1em; overflow-x: auto }
body:has(#spread:not([hidden])) .tapeviz { --height: max(420px, 74vh) }
select { font: inherit }
"""
BODY = Template("""\
<header><h1>$title</h1><label>Show <select id="rank">$options</select></label></header>
<main>$lanes<div id="debugger"></div><div id="spread">$spread</div></main>""")


def ranks_page(ranks: Ranks, *, values: bool = True, sources: bool = True) -> str:
    """The page: HTML that needs no other file, no network and no kernel."""
    base = base_of([RankLog(rank, log) for rank, log in ranks.items()]).rank
    drawn = read(ranks[base])  # what is drawn of it is diagnosed at the same time
    found, over = diagnose(ranks), spread(ranks)
    show = partial(payload, values=values, sources=sources)
    common = shared(ranks, over)
    together = OverRanks(common, found if sources and values else ())
    others = (rank for rank in _to_draw(ranks, found, base) if rank != base)
    recorded = _recorded(
        chain(
            [(base, show(drawn, over_ranks=together))],
            ((each, show(ranks[each], over_ranks=OverRanks(common, rank=each))) for each in others),
        )
    )
    options = [
        f'<option value="all" data-base="{base}">all ranks</option>',
        *(f'<option value="{each}">rank {each}</option>' for each in recorded),
    ]
    left = len(ranks) - len(recorded)
    more = f"<p>{escape(counted(left, 'more rank'))} in the table alone.</p>" if left else ""
    tables = f"{differences(ranks)._repr_html_()}{over._repr_html_()}" if values else ""
    body = BODY.substitute(
        title=escape(str(ranks)),
        options="".join(options),
        lanes=lanes(common) if values else "",
        spread=f"{found._repr_html_() if sources and values else ''}{tables}{more}",
    )
    data = {f"rank-{each}": text for each, text in recorded.items()}
    return switched_page(str(ranks), f"{STYLE}{LANES}", body, data, "ranks_page.js")


def _recorded(payloads: Iterable[tuple[int, dict[str, Any]]]) -> dict[int, str]:
    """The recordings of some ranks, as many of the first as there is room for, by rank."""
    recorded: dict[int, str] = {}
    size, unmeasured = 0, list[str]()
    for rank, each in payloads:
        text = packed_json(each)
        unmeasured.append(text)
        if recorded:  # the first goes in, whatever its size
            size += sum(map(packed_size, unmeasured))
            unmeasured.clear()
        if size > MOST_BYTES:
            break
        recorded[rank] = text
    return dict(sorted(recorded.items()))


def _to_draw(ranks: Ranks, found: Findings, base: int) -> list[int]:
    """The ranks to draw, in order: the base of all, and one that a finding is about, where it is not all of them, or
    that did something else; further ones of these, and the next, if that does not take long."""
    about = [each.ranks for each in found if isinstance(each, RankFinding) and len(each.ranks) < len(ranks)]
    others = [some[0].rank for some in alike([RankLog(rank, log) for rank, log in ranks.items()])]
    apart = [rank for rank in dict.fromkeys([*(rank for each in about for rank in each), *others]) if rank != base]
    drawn = [base, *apart[:1]]
    events = sum(ranks[rank].length for rank in drawn)
    for rank in dict.fromkeys([*apart[1:], *ranks]):
        events += ranks[rank].length
        if rank not in drawn and events <= MOST_EVENTS and len(drawn) < MOST_DRAWN:
            drawn.append(rank)
    return drawn
