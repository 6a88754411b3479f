"""Functions around the user's own: what runs them, and what they run in.

- run them     `control`, `functional`, `callbacks`, `decorators`
- around them  `contexts`, `device`, `graphs`, `printing`
"""
