"""Payload -> what a browser opens: a widget, an offline page, the output of a cell."""
