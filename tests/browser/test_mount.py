"""The joined module in a bare page: mounting and rendering, and what is left when they end."""

from __future__ import annotations

import json

import pytest

from tapeviz.views import frontend
from tapeviz.views.payload.columns import pack
from tests.browser.guarded_page import GuardedPage
from tests.views.frontend.fixture_tapes import FOLDER

pytestmark = pytest.mark.browser

CUBE = json.loads((FOLDER / "cube.json").read_text())
LOAD = """async ([source, payload, packed]) => {
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  Object.assign(window, await import(url), { payload, packed, heard: [] });
}"""
# What anywidget hands over, as far as a widget may know it.
MODEL = """() => {
  const state = { payload: packed, styles: "", run: 0, step: 1, selected: -1 };
  const listeners = new Map();
  window.model = {
    listeners, saved: [],
    get: (name) => state[name],
    set: (name, value) => {
      if (state[name] === value) return;
      state[name] = value;
      for (const listener of listeners.get(`change:${name}`) ?? []) listener();
    },
    save_changes: () => model.saved.push([state.run, state.step, state.selected]),
    on: (name, listener) => listeners.set(name, [...(listeners.get(name) ?? []), listener]),
    off: (name, listener) => listeners.set(name, listeners.get(name).filter((each) => each !== listener)),
  };
}"""


@pytest.fixture
def page(browser):
    guarded = GuardedPage(browser)
    guarded.page.set_content("<main></main>")
    guarded.page.evaluate(LOAD, [frontend.module("widget.js"), CUBE, pack(CUBE)])
    yield guarded.page
    assert (guarded.errors, guarded.outside) == ([], [])
    guarded.close()


def test_two_on_one_element_do_not_know_of_each_other(page):
    page.evaluate("window.views = [0, 1].map(() => mount(document.querySelector('main'), payload))")
    first, second = page.locator(".debugger").all()
    first.locator("h2").click()
    page.keyboard.press("ArrowRight")
    assert [each.get_attribute("data-step") for each in (first, second)] == ["1", "0"]


def test_what_changed_is_told_and_can_be_set(page):
    page.evaluate(
        "window.view = mount(document.querySelector('main'), payload, {"
        " start: { step: 1 }, onChange: ({ step, selected }) => heard.push([step, selected]) })"
    )
    assert page.locator(".debugger").get_attribute("data-step") == "1"
    page.evaluate("view.set({ step: 2, selected: 0 })")
    assert page.locator(".debugger").get_attribute("data-step") == "2"
    assert page.evaluate("heard") == [[2, 0]]


def test_disposing_leaves_nothing(page):
    page.evaluate("window.view = mount(document.querySelector('main'), payload, { onChange: () => heard.push(1) })")
    page.get_by_role("button", name="Play").click()
    page.evaluate("heard.length = 0; view.dispose(); view.set({ step: 0 })")
    page.wait_for_timeout(1200)  # longer than a step of the player
    assert page.evaluate("[document.querySelector('main').childElementCount, heard]") == [0, []]


def test_a_model_is_followed_and_told_once_of_each_change(page):
    page.evaluate(MODEL)
    page.evaluate("void window.default.render({ model, el: document.querySelector('main') })")
    debugger = page.locator(".debugger")
    assert debugger.get_attribute("data-step") == "1"
    page.evaluate("model.set('step', 2)")
    assert debugger.get_attribute("data-step") == "2"
    page.evaluate("model.saved.length = 0")
    page.get_by_role("button", name="Forward").click()
    assert page.evaluate("model.saved") == [[-1, 0, -1]]


def test_a_model_is_left_alone_when_its_view_ends(page):
    page.evaluate(MODEL)
    page.evaluate("window.default.render({ model, el: document.querySelector('main') })()")
    assert page.evaluate("[...model.listeners.values()].flat().length") == 0
    page.evaluate("model.set('step', 2)")
    assert page.locator(".debugger").count() == 0


def test_a_host_that_only_signals_ends_it_too(page):
    page.evaluate(MODEL)
    page.evaluate(
        "() => { const stop = new AbortController();"
        " window.default.render({ model, el: document.querySelector('main'), signal: stop.signal }); stop.abort(); }"
    )
    assert page.evaluate("[...model.listeners.values()].flat().length") == 0
    assert page.locator(".debugger").count() == 0
