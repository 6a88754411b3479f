"""The site, as `make site` builds it: its links lead somewhere, and in a browser it is quiet and accessible."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import pytest
from playwright.sync_api import Browser, expect

from docs.site.examples import executed
from tests.browser.debugger_page import DEBUGGER
from tests.browser.guarded_page import GuardedPage
from tests.browser.served import served
from tests.sampling import sample

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.tensorflow, pytest.mark.torch, pytest.mark.jax]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site, which recipes of three frameworks are run for."""
    for each in ("mkdocs", "material", "tensorflow", "torch", "jax"):
        pytest.importorskip(each)
    from docs.site.__main__ import main

    folder = tmp_path_factory.mktemp("site")
    main(folder)
    return folder


class Links(HTMLParser):
    """What a page links to, what it loads, and the anchors that it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.loaded: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {name: value for name, value in attrs if value}
        self.anchors |= {named[name] for name in ("id", "name") if name in named}
        if tag == "a" and "href" in named:
            self.links.add(named["href"])
        elif tag in ("script", "img", "iframe") and "src" in named:
            self.loaded.add(named["src"])
        elif tag == "link" and named.get("rel") not in ("canonical", "prev", "next"):
            self.loaded.add(named.get("href", ""))


def test_every_link_leads_somewhere_and_nothing_is_loaded_from_outside(site: Path) -> None:
    pages = {path: Links(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    assert len(pages) > 80
    broken = []
    for path, page in pages.items():
        if path.name == "404.html" or path.parent.name == "examples":
            continue  # the first is shown at any address
        for link in page.links | page.loaded:
            address, anchor = urldefrag(link)
            if urlsplit(link).scheme:
                is_right = link not in page.loaded or link.startswith("data:")
            else:
                goal = (path.parent / unquote(address)).resolve() if address else path
                known = pages[goal].anchors if goal in pages else set()
                is_right = goal.exists() and (not anchor or unquote(anchor) in known)
            if not is_right:
                broken.append(f"{path.relative_to(site)}: {link}")
    assert broken == []


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """Where the site is served."""
    with served(site) as address:
        yield address


@pytest.fixture(scope="module", params=["light", "dark"])
def guarded(browser: Browser, opened_pages: list[GuardedPage], request: pytest.FixtureRequest) -> Iterator[GuardedPage]:
    guarded = GuardedPage(browser, color_scheme=request.param)
    opened_pages.append(guarded)
    yield guarded
    opened_pages.remove(guarded)
    guarded.close()


def test_axe_finds_nothing(guarded: GuardedPage, address: str, site: Path, axe: Callable[..., list[str]]) -> None:
    others = ("examples", "playground")  # pages of their own, with tests of their own
    names = [path.relative_to(site).as_posix() for path in site.rglob("*.html") if path.parent.name not in others]
    for name in ["index.html", "gallery.html", *sample(sorted(names), 3)]:
        guarded.page.goto(f"{address}/{name}")
        assert axe(guarded.page, ".md-container") == [], name


def test_the_front_page_steps(guarded: GuardedPage, address: str) -> None:
    guarded.page.goto(f"{address}/index.html")
    debugger = guarded.page.frame_locator("iframe").locator(DEBUGGER)
    debugger.click()
    debugger.press("ArrowRight")
    expect(debugger).to_contain_text("Step 1")


@pytest.mark.parametrize(
    ("asked", "page", "says"),
    [
        ("None in Keras", "One line around your program", "left_to_numpy"),
        ("softmax cross-entropy", "Gallery", "-0.341"),
        ("detect_anomaly", "Coming from another tool", "where_trap"),
    ],
)
def test_a_question_is_answered_by_the_search(
    guarded: GuardedPage, address: str, asked: str, page: str, says: str
) -> None:
    guarded.page.goto(f"{address}/index.html")
    guarded.page.locator(".md-search__input").first.click()
    guarded.page.keyboard.type(asked)
    guarded.page.locator(".md-search-result__link", has_text=page).first.click()
    expect(guarded.page.locator("article")).to_contain_text(says)


TASKS = {
    "why is my gradient None in Keras?": (
        ["one line around your program", "Why is my gradient None in Keras?"],
        "Fix: Stay in tensors: drop the `.numpy()`",
    ),
    "step through softmax and cross-entropy": (
        ["softmax and cross-entropy, step by step"],
        "Softmax and cross-entropy",
    ),
    "mine is NaN": (
        ["a page per cause", "The branch that where discards is not finite"],
        "Make the input of the branch safe",
    ),
    "what is there in place of detect_anomaly?": (
        ["what stands for what", "torch.autograd.set_detect_anomaly(True)"],
        'tv.record(stop_on="nan")',
    ),
    "fail my CI": (["one line around your program", "A test, a CI, an assistant"], "--fail-on none,nan"),
    "sliders for my students, in one file": (["Gallery", "The same, under sliders"], "live=True"),
    "does it know optax?": (["59 libraries that were tried"], "jax_optax"),
}


@pytest.mark.parametrize("task", TASKS)
def test_a_task_is_done_from_the_front_page(guarded: GuardedPage, address: str, task: str) -> None:
    """By three clicks at most, as one reads; what answers is on the screen then, or below what it was asked for by."""
    clicks, answer = TASKS[task]
    assert len(clicks) <= 3
    page = guarded.page
    page.goto(f"{address}/index.html")
    for name in clicks:
        page.get_by_role("link", name=name, exact=True).first.click()
    expect(page.locator("article")).to_contain_text(answer)


def test_a_softmax_is_stepped_from_the_front_page(guarded: GuardedPage, address: str) -> None:
    guarded.page.goto(f"{address}/index.html")
    guarded.page.get_by_role("link", name="softmax and cross-entropy, step by step").click()
    heading = guarded.page.locator("#softmax-and-cross-entropy")
    expect(heading).to_be_in_viewport()
    frame = guarded.page.locator("#softmax-and-cross-entropy ~ iframe, #softmax-and-cross-entropy ~ p iframe").first
    debugger = frame.content_frame.locator(DEBUGGER)
    debugger.click()
    debugger.press("ArrowRight")
    expect(debugger).to_contain_text("Step 1")


def test_sliders_of_the_gallery_move(guarded: GuardedPage, address: str) -> None:
    guarded.page.goto(f"{address}/gallery.html")
    frames = guarded.page.locator("iframe.debugger")
    slider = frames.nth(1).content_frame.get_by_role("slider", name="w")
    slider.press("End")
    assert slider.get_attribute("aria-valuetext") == "2.0"


PAGE = """\
Two blocks.

```python run
x = 2
print(x)
x + 1
```

and

```python run
x * 2
```

```python
1 / 0
```
"""


def test_a_block_that_is_run_is_followed_by_what_it_gave(tmp_path: Path) -> None:
    told = executed(PAGE, tmp_path, "page")
    assert told.count("```text") == 2
    assert "```python\nx = 2\nprint(x)\nx + 1\n```\n\n```text\n2\n3\n```\n" in told
    assert "```text\n4\n```" in told
