"""Browser -> a page that reaches nothing but this machine, and keeps a list of what it tried and what it threw."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Error, Request, Route, WebSocket

VIEWPORT = {"width": 1280, "height": 900}
LOOPBACK = ("127.0.0.1", "localhost", "::1", "[::1]")
OUTSIDE = re.compile(r"^(https?|wss?)://(?!(127\.0\.0\.1|localhost|\[::1\])[:/])")
# JupyterLab and Notebook throw errors of their own; ours come from a blob (a live widget), an output's frame or a file.
OUR_CODE = ("blob:", "about:srcdoc", "file:")


class GuardedPage:
    """One page in a context of its own.

    `page` is Playwright's page, `outside` the URLs beyond loopback that were asked for (all refused),
    `errors` the uncaught errors whose stack runs through our code.
    """

    def __init__(self, browser: Browser, *, offline: bool = False, **context_options: Any) -> None:
        self._viewport = context_options.get("viewport", VIEWPORT)
        options: dict[str, Any] = {
            "viewport": VIEWPORT,
            "color_scheme": "light",
            "reduced_motion": "reduce",
            "bypass_csp": True,  # axe-core is put into the page
            "accept_downloads": True,
        }
        self.context = browser.new_context(**options | context_options)
        self.context.set_offline(offline)
        self.outside: list[str] = []
        self.errors: list[str] = []
        self.context.route(OUTSIDE, self._refuse)
        self.context.on("request", self._note_request)
        self.page = self.context.new_page()
        self.page.on("websocket", self._note_websocket)
        self.page.on("pageerror", self._note_error)

    def open_anew(self, file: Path) -> None:
        """A file as in a window that was just opened: of its size, without other windows, the mouse nowhere."""
        for other in self.context.pages:
            if other is not self.page:
                other.close()
        self.page.set_viewport_size(self._viewport)
        self.page.mouse.move(0, 0)
        self.page.goto("about:blank")
        self.page.goto(file.resolve().as_uri())

    def close(self) -> None:
        self.context.close()

    def _refuse(self, route: Route) -> None:
        route.abort()

    def _note_request(self, request: Request) -> None:
        self._note(request.url)

    def _note_websocket(self, socket: WebSocket) -> None:
        self._note(socket.url)

    def _note(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.hostname not in LOOPBACK:
            self.outside.append(url)

    def _note_error(self, error: Error) -> None:
        stack = error.stack or error.message
        if any(mark in stack for mark in OUR_CODE):
            self.errors.append(stack)
