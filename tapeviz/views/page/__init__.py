"""A log, or its payload -> what a browser opens: a widget, an offline page, the output of a cell.

- a log      `document`, one offline page; `save_html`, it in a file; `show`, it in an output; `widget`, with a kernel
- ranks      `ranks_page`, one offline page of the logs of several processes, with these as `lanes`
- sliders    `sliders_page`, one offline page of what a function did at each setting of its numbers
- several    `switched`, one offline page of recordings with one debugger, which both of these are
- modes      `modes`, forward mode beside reverse mode; `passes`, those of either; `modes_page`, one offline page of it
- two logs   `compare`, what they have in common; `compare_page`, one offline page of both, each a `compared_side` with
             `signs` on its boxes, and a table of `counterparts`
- both       `side_by_side`, two graphs in one page; `page_result`, a result that can write itself as such a page
"""
