"""The machine -> a Chromium or Chrome to drive, or None."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

# Playwright brings its own build by default; the tests take the system's, and keep it from calling home.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Without this every window keeps the suggestions of its address bar at hand, in a process that costs more than our
    # page. Chromium heeds the last list of this name alone: what Playwright's has against calling home is here, too.
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,"
    "HttpsUpgrades,MediaRouter,NetworkTimeServiceQuerying,OptimizationHints,PreconnectToSearch",
    # The same pixels at every launch.
    "--font-render-hinting=none",
    "--force-color-profile=srgb",
)
MACOS_CHROME = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
ADVICE = "no Chromium or Chrome found: install one (Debian: chromium) or set TAPEVIZ_BROWSER to its path"


def find_browser() -> str | None:
    """The path of a browser: `$TAPEVIZ_BROWSER` before anything else, then what is on PATH, then macOS's Chrome."""
    named = os.environ.get("TAPEVIZ_BROWSER")
    if named:
        return named
    on_path = (shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome"))
    installed = MACOS_CHROME if Path(MACOS_CHROME).exists() else None
    return next((path for path in on_path if path), installed)
