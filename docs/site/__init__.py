"""The site: static pages made of what the repository has. `python -m docs.site [FOLDER]`, or `make site`.

- `mkdocs.yml`  its look, and what is where
- `pages`       what is written for the site alone
- `sources`     what it is made of, gathered as Markdown
- `examples`    a block of code in a page -> the block, and what it gave when it ran
- `notebooks`   a notebook with its outputs -> a page
- `accessible`  what axe finds in the pages of the theme, mended
- `playground`  Python in the browser, beside the debugger
- `reference`   the docstrings of what users call -> pages
"""
