"""A title and content -> one HTML page whose own policy forbids it to reach anything outside itself."""

from __future__ import annotations

from html import escape
from string import Template

POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
PAGE = Template(f"""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>$style</style>
$script</head>
<body>
$body</body>
</html>
""")
READING = ":root{color-scheme:light dark}body{font-family:system-ui,sans-serif;margin:2em;max-width:72em}"


def offline(title: str, style: str, body: str, script: str = "") -> str:
    """The page; `title` is plain text, `style` and `body` stand in it as they are, `script` runs before the body.

    >>> "<title>a &lt; b</title>" in offline("a < b", "", "")
    True
    """
    head = f"<script>{script}</script>\n" if script else ""
    return PAGE.substitute(title=escape(title), style=style, script=head, body=body)


def reading_page(title: str, body: str) -> str:
    """What stands in an output cell, as a page of its own: nothing in it but text."""
    return offline(title, READING, body)
