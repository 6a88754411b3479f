"""Scene -> pictures: SVG, PNG, PDF, GIF, DOT, whole or as they are at one step."""
