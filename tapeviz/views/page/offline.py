"""A title, styles and a body -> one HTML page that may reach nothing outside itself: its own policy forbids it."""

from __future__ import annotations

from html import escape
from string import Template

POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
# In a frame, the page is told the colour of the text around it; it listens before the frame's `load`.
LISTENING = 'addEventListener("message", ({ data }) => { document.documentElement.style.color = data; });'
PAGE = Template(f"""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>$style</style>
<script>{LISTENING}</script>
</head>
<body>
$body</body>
</html>
""")


def offline(title: str, style: str, body: str) -> str:
    """The page; `title` is plain text, `style` and `body` stand in it as they are.

    >>> "<title>a &lt; b</title>" in offline("a < b", "", "")
    True
    """
    return PAGE.substitute(title=escape(title), style=style, body=body)
