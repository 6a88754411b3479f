"""Logs -> what people look at: pictures, plots, text, and the payload of the debugger."""
