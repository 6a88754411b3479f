"""The offline page."""

from __future__ import annotations

import json
import re

from tapeviz.views.page.document import document, unpacked
from tapeviz.views.payload import payload
from tapeviz.views.payload.columns import unpack


def shown(page):
    """The payload in a page."""
    return unpack(json.loads(unpacked(page)["tapeviz-payload"]))


def test_the_page_holds_the_payload_and_nothing_of_it_is_run(tape):
    packed = payload(tape)
    page = document(packed)
    assert shown(page) == json.loads(json.dumps(packed))
    # Nothing of the user's is in the page but in the packed part, whose letters cannot end a script element.
    assert "alert(1)" not in page + unpacked(page)["tapeviz-module"]
    assert re.fullmatch(r"[\w+/=]+", re.findall(r'id="tapeviz-packed">(.*?)</script>', page, re.DOTALL)[0])


def test_the_page_may_reach_nothing(tape):
    page = document(payload(tape))
    [policy] = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy.startswith("default-src 'none'; ")
    text = page + "".join(unpacked(page).values())
    assert "http:" not in policy + text.replace("http://www.w3.org/", "")
    assert "https:" not in policy + text
    assert not re.search(r"<(link|img|iframe)\b|\bsrc=", page.split("<script")[0])


def test_the_title_is_escaped():
    page = document({"title": "<b>&"})
    assert page.count("&lt;b&gt;&amp;") == 2
    assert "<b>" not in page.split("<script")[0]


def test_equal_logs_give_equal_pages(tape):
    assert document(payload(tape)) == document(payload(tape.log))
